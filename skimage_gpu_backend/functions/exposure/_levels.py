"""What rooms share that look grey levels up in tables."""


def bits_of_integer(value, dtype):
    """The bits of an integer, as an unsigned one."""
    return int(value) & (1 << 8 * dtype.itemsize) - 1
