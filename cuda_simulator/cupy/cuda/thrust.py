"""`cupy.cuda.thrust`: where what goes wrong in a sort is raised; NumPy sorts."""

import functools

from cuda_simulator import counters, faults

__all__ = ["available"]

available = True


def sorting(function, keys, carried=0, rows=True):
    """`function`, which sorts on the host what Thrust would on the device.

    Parameters
    ----------
    function : callable
    keys : cupy.ndarray
    carried : int
        Bytes that go with each key: 8 of an index. The number of its row does, too.
    rows : bool
        Whether the axes of `keys` are sorted one by one, which CuPy has Thrust do by comparisons.
    """
    rows = rows and keys.ndim > 1
    by_digits = not rows and keys.dtype.kind != "c"
    counters.sorts(keys.size, keys.itemsize, carried + 8 * rows, by_digits)

    @functools.wraps(function)
    def sort(*args, **kwargs):
        faults.meet("sort")
        return function(*args, **kwargs)

    return sort
