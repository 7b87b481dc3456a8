"""Small arrays that stay on the device: their values are not read when a call is planned."""


class There:
    """An array on the device of which a room sees shape and dtype alone.

    Parameters
    ----------
    array : cupy.ndarray
        What the room's plan gives to its kernels.
    """

    __slots__ = ("array",)

    def __init__(self, array):
        self.array = array

    @property
    def shape(self):
        return self.array.shape

    @property
    def dtype(self):
        return self.array.dtype

    @property
    def ndim(self):
        return self.array.ndim

    @property
    def size(self):
        return self.array.size

    def read(self):
        """The same as a NumPy array. 1 copy to the host."""
        from .transfer import to_host  # whose module needs CuPy

        return to_host(self.array)
