"""Functions that make device arrays, from the host and from nothing."""

import math

import numpy as np

from cuda_simulator import counters

from . import _ndarray
from ._dtypes import cast, checked_dtype
from ._indexing import checked_order
from ._ndarray import copied, launched, ndarray, view
from .cuda import pinned_memory, runtime
from .cuda.device import get_device_id
from .cuda.memory import MemoryPointer, UnownedMemory
from .cuda.stream import get_current_stream

__all__ = [
    "array",
    "asanyarray",
    "asarray",
    "ascontiguousarray",
    "asnumpy",
    "astype",
    "copy",
    "copyto",
    "diag",
    "diagflat",
    "empty",
    "empty_like",
    "eye",
    "frombuffer",
    "fromfile",
    "fromfunction",
    "fromiter",
    "fromstring",
    "full",
    "full_like",
    "genfromtxt",
    "identity",
    "loadtxt",
    "ones",
    "ones_like",
    "tri",
    "tril",
    "triu",
    "vander",
    "zeros",
    "zeros_like",
]


def array(obj, dtype=None, copy=True, order="K", subok=False, ndmin=0, *, blocking=False):
    """A device array of `obj`; from the host it is one copy to the device."""
    if subok:
        raise NotImplementedError
    if isinstance(obj, np.ndarray):
        result = _from_numpy(obj, dtype, order, ndmin)
        if blocking:
            get_current_stream().synchronize()
        return result
    if isinstance(obj, ndarray):
        return _from_device(obj, dtype, copy, order, ndmin)
    if hasattr(obj, "__cuda_array_interface__"):
        return _from_device(_over_foreign(obj), dtype, copy, order, ndmin)
    if isinstance(obj, list | tuple) and _shape_on_device(obj):
        host = np.array(_hosts(obj), dtype, ndmin=ndmin, order=order or "K")
        return launched(host, *_leaves(obj))
    return _from_numpy(np.array(obj, dtype), dtype, order, ndmin)


def _from_numpy(host, dtype, order, ndmin):
    host = np.array(host, dtype, copy=None, ndmin=ndmin)
    if order is not None and order not in "KA":
        host = np.asarray(host, order=checked_order(order))
    if not host.dtype.isnative:
        host = host.astype(host.dtype.newbyteorder("="))
    result = copied(host)
    counters.copied_to_device(host.nbytes)
    if not pinned_memory.is_memory_pinned(host.ctypes.data):
        pinned_memory.default_pool._uploaded(host.nbytes)
    return result


def _from_device(device, dtype, copy, order, ndmin):
    dtype = device.dtype if dtype is None else checked_dtype(dtype)
    if device._memory.device_id != runtime._current():
        device = device.copy(order or "K")
    # the "K" of a copy; without one, any layout
    result = device.astype(dtype, order or "K", copy=bool(copy))
    if copy is False and result is not device:
        raise ValueError("Unable to avoid copy while creating an array as requested.")
    if ndmin > result.ndim:
        result = view(result, result._host.reshape((1,) * (ndmin - result.ndim) + result.shape))
    return result


def _over_foreign(obj):
    """The device array over the memory that an object of another library describes."""
    interface = obj.__cuda_array_interface__
    dtype = np.dtype(interface["typestr"])
    if not dtype.isnative:
        raise ValueError("CuPy does not support the big-endian byte-order")
    if interface.get("mask") is not None:
        raise ValueError("CuPy currently does not support masked arrays.")
    dtype = checked_dtype(dtype)
    shape, strides = tuple(interface["shape"]), interface.get("strides")
    size = math.prod(shape) * dtype.itemsize
    if strides is not None and size:
        size = dtype.itemsize + sum((n - 1) * abs(s) for n, s in zip(shape, strides, strict=True))
    address = interface["data"][0] or 0
    memory = UnownedMemory(address, size, obj, -1 if address else get_device_id())
    return ndarray(shape, dtype, MemoryPointer(memory, 0), strides)


def _shape_on_device(value):
    """Shape of a nested list of device arrays, which are stacked there; None of anything else."""
    if isinstance(value, ndarray):
        return value.shape
    if not isinstance(value, list | tuple):
        return None
    shapes = {_shape_on_device(v) for v in value}
    shape = shapes.pop() if len(shapes) == 1 else None
    return None if shape is None else (len(value), *shape)


def _hosts(values):
    return [v._host if isinstance(v, ndarray) else _hosts(v) for v in values]


def _leaves(values):
    for value in values:
        yield from (value,) if isinstance(value, ndarray) else _leaves(value)


def asarray(a, dtype=None, order=None, *, copy=None, blocking=False):
    """A device array of `a`, itself where it is one of that dtype."""
    if type(a) is ndarray and dtype is None and order is None and not copy:
        return a
    return array(a, dtype, copy, order, blocking=blocking)


asanyarray = asarray


def copy(a, order="K"):
    """A copy."""
    return a.copy(order)


def astype(x, dtype, /, *, copy=True):
    """The elements in another dtype."""
    if not isinstance(x, ndarray):
        raise TypeError(f"Input should be a CuPy array. It is a {type(x)} instead.")
    return x.astype(dtype, copy=copy)


def asnumpy(a, stream=None, order="C", out=None, *, blocking=True):
    """A NumPy array: a copy of a device array, else `numpy.asarray`."""
    if isinstance(a, ndarray):
        return a.get(order=order, out=out)
    if hasattr(a, "__cuda_array_interface__"):
        return array(a).get(order=order, out=out)
    host = np.asarray(a, order=order)
    if out is None:
        return host
    out[...] = host
    return out


def ascontiguousarray(a, dtype=None):
    """A C-contiguous device array of one axis or more: `a` itself where it is one."""
    if not isinstance(a, ndarray):
        raise TypeError(
            f"Argument 'a' has incorrect type (expected cupy.ndarray, got {type(a).__name__})"
        )
    result = a.astype(a.dtype if dtype is None else dtype, "C", copy=False)
    return result if result.ndim else result.reshape(1)


def _from_host_function(function):
    def call(*args, **kwargs):
        return asarray(function(*args, **kwargs))

    call.__name__ = call.__qualname__ = function.__name__
    call.__doc__ = f"`numpy.{function.__name__}`, copied to the device."
    return call


frombuffer = _from_host_function(np.frombuffer)
fromfile = _from_host_function(np.fromfile)
fromfunction = _from_host_function(np.fromfunction)
fromiter = _from_host_function(np.fromiter)
fromstring = _from_host_function(np.fromstring)
genfromtxt = _from_host_function(np.genfromtxt)
loadtxt = _from_host_function(np.loadtxt)


def empty(shape, dtype=float, order="C"):
    """A device array whose elements are not set."""
    return ndarray(shape, dtype, order=order)


def zeros(shape, dtype=float, order="C"):
    """A device array of zeros: memory is set, no kernel is launched."""
    result = ndarray(shape, dtype, order=order)
    result._host.fill(0)
    return result


def full(shape, fill_value, dtype=None, order="C"):
    """A device array of one value, or of a device array's values broadcast."""
    if dtype is None:
        dtype = fill_value.dtype if hasattr(fill_value, "dtype") else np.array(fill_value).dtype
    return _filled(ndarray(shape, dtype, order=order), fill_value)


def _filled(result, value):
    copyto(result, value, casting="unsafe")
    return result


def copyto(dst, src, casting="same_kind", where=None):
    """Copy into an array from another one or from a scalar, everywhere or where a mask is true."""
    if isinstance(src, np.ndarray):
        if src.size != 1:
            raise ValueError("non-scalar numpy.ndarray cannot be used for copyto")
        src = src.squeeze()[()]
    if isinstance(src, bool | int | float | complex):
        np.copyto(np.empty((), dst.dtype), src, casting=casting)  # refuses what does not fit
    elif not np.can_cast(src.dtype, dst.dtype, casting):
        raise TypeError(f"Cannot cast {src.dtype} to {dst.dtype} in {casting} casting mode")
    mask = True if where is None else where
    if mask is not True and (not isinstance(mask, ndarray) or mask.dtype != bool):
        raise TypeError(f"a mask is a device array of booleans, not {type(mask)}")
    sources = [a for a in (src, where) if isinstance(a, ndarray)]
    host = src._host if isinstance(src, ndarray) else np.asarray(src)
    counters.launched(sum(a.nbytes for a in sources), dst.nbytes)
    _assigned(dst._host, host, True if mask is True else mask._host)


def _assigned(target, host, mask):
    if host.dtype != target.dtype:
        host = cast(host, target.dtype)
    np.copyto(target, host, where=mask)


def ones(shape, dtype=float, order="C"):
    """A device array of ones."""
    return _filled(ndarray(shape, dtype, order=order), 1)


def empty_like(prototype, dtype=None, order="K", subok=None, shape=None):
    """`empty` with the shape, dtype and order of axes of another array."""
    if subok is not None:
        raise TypeError("subok is not supported yet")
    dtype = prototype.dtype if dtype is None else dtype
    order = checked_order(order)
    if shape is None or shape == ():  # as CuPy has it
        return _ndarray.empty_like(prototype, dtype, order)
    shape = (shape,) if np.isscalar(shape) else tuple(shape)
    host = prototype._host if isinstance(prototype, ndarray) else prototype
    if order == "K" and len(shape) == host.ndim and not host.flags.forc:
        host = np.lib.stride_tricks.as_strided(host, shape, host.strides)
        return _ndarray.empty_like(host, dtype, order)
    fortran = order == "F" or (order == "A" and host.flags.fnc)
    fortran = fortran or (order == "K" and len(shape) == host.ndim and host.flags.fnc)
    return ndarray(shape, dtype, order="F" if fortran else "C")


def zeros_like(a, dtype=None, order="K", subok=None, shape=None):
    """`zeros` with the shape, dtype and order of axes of another array."""
    result = empty_like(a, dtype, order, subok, shape)
    result._host.fill(0)
    return result


def full_like(a, fill_value, dtype=None, order="K", subok=None, shape=None):
    """`full` with the shape, dtype and order of axes of another array."""
    return _filled(empty_like(a, dtype, order, subok, shape), fill_value)


def ones_like(a, dtype=None, order="K", subok=None, shape=None):
    """`ones` with the shape, dtype and order of axes of another array."""
    return _filled(empty_like(a, dtype, order, subok, shape), 1)


def eye(N, M=None, k=0, dtype=float, order="C"):
    """Ones on a diagonal, zeros elsewhere."""
    result = zeros((N, N if M is None else M), dtype, order)
    if -N < k < result.shape[1]:
        result.diagonal(k).fill(1)
    return result


def identity(n, dtype=float):
    """A square matrix of ones on the diagonal."""
    return eye(n, dtype=dtype)


def diag(v, k=0):
    """A matrix with `v` on a diagonal, or the diagonal of a matrix, as a copy."""
    v = v if isinstance(v, ndarray) else array(v)
    if v.ndim == 2:
        return array(v.diagonal(k))
    if v.ndim != 1:
        raise ValueError("Input must be 1- or 2-d.")
    result = zeros((v.size + abs(k),) * 2, v.dtype)
    result.diagonal(k)[...] = v
    return result


def diagflat(v, k=0):
    """A matrix with the elements of `v` on a diagonal."""
    return diag((asarray(v) if np.isscalar(v) else v).ravel(), k)


def tri(N, M=None, k=0, dtype=float):
    """Ones at and below a diagonal."""
    return launched(np.tri(N, M, k, checked_dtype(dtype)))


def tril(m, k=0):
    """The elements at and below a diagonal, zeros above."""
    m = asarray(m)
    return launched(np.tril(m._host, k), m)


def triu(m, k=0):
    """The elements at and above a diagonal, zeros below."""
    m = asarray(m)
    return launched(np.triu(m._host, k), m)


def vander(x, N=None, increasing=False):
    """The powers of each element of a vector, one row each."""
    x = asarray(x)
    if x.ndim != 1:
        raise ValueError("x must be a one-dimensional array or sequence.")
    return launched(np.vander(x._host, N, increasing), x)
