"""An array library as PyTorch is one to others: DLPack in both directions, two devices."""

import cupy as cp

streams = []  # that the library was told to wait for, or waited for


class Tensor:
    """A tensor on the host or on a device; nothing about it is NumPy's."""

    def __init__(self, array, requires_grad=False):
        self.array = array
        self.requires_grad = requires_grad

    dtype = property(lambda self: f"tensors.{self.array.dtype}")

    def size(self):
        return self.array.shape

    def __array__(self, *args, **kwargs):
        if isinstance(self.array, cp.ndarray):
            raise TypeError("can't convert a device tensor to numpy")
        return self.array

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()

    def __dlpack__(self, *, stream=None, **options):
        if self.requires_grad:
            raise BufferError("Can't export tensors that require gradient, use tensor.detach()")
        streams.append(("in", stream))
        return self.array.__dlpack__(stream=stream, **options)


def from_dlpack(array):
    streams.append(("out", "of the library"))
    return Tensor(cp.from_dlpack(array))
