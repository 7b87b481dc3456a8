"""Private indexing functions that other packages use."""


def _ndarray_argwhere(array):
    """Indices of the elements that are not zero, one row each."""
    import cupy

    return cupy.argwhere(array)
