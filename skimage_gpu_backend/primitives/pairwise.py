"""How NumPy halves an array whose sum it finds (kernels/common/pairwise.cuh)."""

_MOST, _PARTS = 128, 32  # elements of a part, and parts of a partial sum


def depth(size) -> int:
    """How often an array is halved until its first part has 128 elements at most."""
    halved = 0
    while size > _MOST:
        size, halved = _lower(size), halved + 1
    return halved


def halves(size) -> int:
    """2 where one of its parts then has more than 128 elements, else 1."""
    for _ in range(depth(size)):
        size -= _lower(size)
    return 2 if size > _MOST else 1


def partial_sums(size) -> int:
    """Partial sums of the parts."""
    return -(-(1 << depth(size)) // _PARTS)


def _lower(size):
    """Elements of the first half of an array that is halved."""
    return size // 2 - size // 2 % 8
