"""DLPack: arrays of other libraries on the device, and device arrays for them, without a copy.

NumPy makes and reads the capsules. Simulated memory is the host's to it, so that the device is
written into a capsule that goes out, and out of one that comes in.
"""

import ctypes

import numpy as np

from ._ndarray import ndarray
from .cuda import get_current_stream
from .cuda.device import get_device_id
from .cuda.memory import MemoryPointer, UnownedMemory

__all__ = ["fromDlpack", "from_dlpack"]

_CPU, _CUDA, _MANAGED = 1, 2, 13
_VERSION = 1, 0
_ON_THE_HOST = (
    "CPU arrays cannot be directly imported to CuPy. "
    "Use `cupy.array(numpy.from_dlpack(input))` instead."
)
# Where the tensor lies in what a capsule of the name points to.
_OFFSETS = {b"dltensor": 0, b"dltensor_versioned": 32}
_is_valid = ctypes.pythonapi.PyCapsule_IsValid
_is_valid.argtypes = [ctypes.py_object, ctypes.c_char_p]
_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_pointer.argtypes, _pointer.restype = [ctypes.py_object, ctypes.c_char_p], ctypes.c_void_p


class _Tensor(ctypes.Structure):
    """The first fields of a DLTensor."""

    _fields_ = (("data", ctypes.c_void_p), ("kind", ctypes.c_int32), ("device", ctypes.c_int32))


def _tensor(capsule):
    for name, offset in _OFFSETS.items():
        if _is_valid(capsule, name):
            return _Tensor.from_address(_pointer(capsule, name) + offset)
    raise ValueError(f"no DLPack capsule, or one that was consumed before: {capsule!r}")


def device_of(array):
    """Kind of memory and index of the device, as DLPack numbers them."""
    return _MANAGED if array._memory._shift else _CUDA, array._memory.device_id


def exported(array, stream, max_version, dl_device, copy):
    """A capsule of a device array, or of a copy on the host where that is asked for."""
    if max_version is not None and not isinstance(max_version, tuple):
        raise TypeError(f"max_version is a tuple, not {type(max_version)}")
    kind, device = device_of(array)
    if dl_device is None or dl_device == (kind, device):
        if copy:
            raise BufferError("copy=True only supported for copy to CPU.")
        if isinstance(stream, int) and stream < -1:
            raise ValueError(f"{stream} is no stream of the DLPack protocol")
    elif dl_device != (_CPU, 0):
        raise BufferError("unsupported device requested.")
    elif kind != _MANAGED or copy:
        if copy is False:
            raise ValueError("GPU memory cannot be exported to CPU without copy.")
        return array.get(order="A").__dlpack__(max_version=max_version)
    capsule = array._host.__dlpack__(max_version=max_version)
    tensor = _tensor(capsule)
    tensor.data, tensor.kind, tensor.device = array.data.ptr, kind, device
    return capsule


class _OnTheHost:
    """A capsule, with the device that NumPy looks for."""

    def __init__(self, capsule):
        self._capsule = capsule

    def __dlpack__(self, **kwargs):
        return self._capsule

    def __dlpack_device__(self):
        return _CPU, 0


def from_dlpack(array, *, device=None, copy=None):
    """A device array over the memory of an array that speaks DLPack, or of a capsule."""
    if not hasattr(array, "__dlpack_device__"):
        return fromDlpack(array)
    if device is not None:
        raise NotImplementedError("from_dlpack() does not support device yet.")
    if array.__dlpack_device__()[0] == _CPU:
        raise TypeError(_ON_THE_HOST)
    stream = get_current_stream().ptr or 1  # 1: CUDA's default stream
    try:
        capsule = array.__dlpack__(stream=stream, max_version=_VERSION, copy=copy)
    except TypeError:
        if copy is not None:
            raise
        capsule = array.__dlpack__(stream=stream)
    return _over(capsule, array)


def fromDlpack(dltensor):
    """A device array over the memory of a DLPack capsule."""
    return _over(dltensor, dltensor)


def _over(capsule, owner):
    tensor = _tensor(capsule)
    if tensor.kind not in (_CUDA, _MANAGED):
        raise RuntimeError("CuPy is built against CUDA, the incoming DLPack tensor is not")
    device, tensor.kind, tensor.device = tensor.device, _CPU, 0
    host = np.from_dlpack(_OnTheHost(capsule))  # not to be written to, as NumPy has it
    address = host.ctypes.data if host.size else 0
    memory = UnownedMemory(
        address, host.nbytes, (host, owner), device if address else get_device_id()
    )
    return ndarray(host.shape, host.dtype, MemoryPointer(memory, 0), host.strides)
