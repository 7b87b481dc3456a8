"""Arrays of other libraries on the device, without a copy."""

import numpy as np

from ._ndarray import ndarray
from .cuda import get_current_stream
from .cuda.memory import MemoryPointer, UnownedMemory

__all__ = ["fromDlpack", "from_dlpack"]

_ON_THE_HOST = (
    "CPU arrays cannot be directly imported to CuPy. "
    "Use `cupy.array(numpy.from_dlpack(input))` instead."
)


class _OnTheHost:
    """A capsule, with the device that NumPy looks for: simulated memory is the host's."""

    def __init__(self, capsule):
        self._capsule = capsule

    def __dlpack__(self, **kwargs):
        return self._capsule

    def __dlpack_device__(self):
        return 1, 0


def from_dlpack(array, *, device=None, copy=None):
    """A device array over the memory of an array that speaks DLPack."""
    if array.__dlpack_device__()[0] == 1:
        raise TypeError(_ON_THE_HOST)
    stream = get_current_stream().ptr or 1  # 1: CUDA's default stream
    result = _over(array.__dlpack__(stream=stream), array)
    return result.copy() if copy else result


def fromDlpack(dltensor):
    """A device array over the memory of a DLPack capsule."""
    return _over(dltensor, dltensor)


def _over(capsule, owner):
    host = np.from_dlpack(_OnTheHost(capsule))  # not to be written to, as NumPy has it
    memory = UnownedMemory(host.ctypes.data, host.nbytes, (host, owner))
    return ndarray(host.shape, host.dtype, MemoryPointer(memory, 0), host.strides)
