"""`elementwise_copy`."""


def elementwise_copy(source, out):
    """Copy an array into another one, broadcast and cast."""
    out[...] = source
    return out
