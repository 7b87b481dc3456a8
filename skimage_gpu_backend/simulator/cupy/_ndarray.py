"""`cupy.ndarray`: a NumPy view of device memory, kept from meeting NumPy by accident.

It wraps and is no subclass, so that an implicit conversion raises `TypeError` as in CuPy,
also where it would have worked here. Results of zero dimensions stay device arrays.
"""

import numpy as np

from skimage_gpu_backend.simulator import counters

from . import _memory
from .cuda import device as _device

_NO_CONVERSION = (
    "Implicit conversion to a NumPy array is not allowed. "
    "Please use `.get()` to construct a NumPy array explicitly."
)
_DTYPES = "?bhilqBHILQefdFD"
_SCALARS = (bool, int, float, complex, np.generic)


class MemoryPointer:
    """Where an array's first element lies."""

    __slots__ = ("mem", "ptr")

    def __init__(self, ptr, memory):
        self.ptr = ptr
        self.mem = memory

    @property
    def device_id(self):
        """Index of the device."""
        return self.mem.device


class ndarray:
    """An array in (simulated) device memory."""

    __slots__ = ("__weakref__", "_host", "_memory")
    __array_priority__ = 100
    __hash__ = None

    def __init__(self, shape, dtype=float, memptr=None, strides=None, order="C"):
        if memptr is not None or strides is not None:
            raise NotImplementedError("the simulator has no arrays over foreign memory")
        shape = (shape,) if isinstance(shape, int | np.integer) else tuple(shape)
        self._memory, self._host = _memory.array(shape, checked_dtype(dtype), order)

    # What NumPy looks for.
    def __array__(self, dtype=None, copy=None):
        raise TypeError(_NO_CONVERSION)

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        if method != "__call__":
            return NotImplemented
        out = kwargs.pop("out", (None,))[0]
        inputs = [x[()] if isinstance(x, np.ndarray) and x.ndim == 0 else x for x in inputs]
        return compute_ufunc(ufunc, *inputs, out=out, **kwargs)

    def __array_function__(self, function, types, args, kwargs):
        import cupy

        ours = getattr(cupy, function.__name__, None)
        if ours is None or getattr(np, function.__name__, None) is not function:
            return NotImplemented
        return ours(*args, **kwargs)

    @property
    def __cuda_array_interface__(self):
        return {
            "shape": self.shape,
            "typestr": self.dtype.str,
            "descr": self.dtype.descr,
            "strides": None if self.flags.c_contiguous else self.strides,
            "data": (self._pointer, False),
            "stream": 1,
            "version": 3,
        }

    # Properties.
    shape = property(lambda self: self._host.shape)
    dtype = property(lambda self: self._host.dtype)
    ndim = property(lambda self: self._host.ndim)
    size = property(lambda self: self._host.size)
    nbytes = property(lambda self: self._host.nbytes)
    itemsize = property(lambda self: self._host.itemsize)
    strides = property(lambda self: self._host.strides)
    flags = property(lambda self: self._host.flags)
    T = property(lambda self: view(self, self._host.T))
    real = property(lambda self: from_host(self._host.real, self))
    imag = property(lambda self: from_host(self._host.imag, self))
    data = property(lambda self: MemoryPointer(self._pointer, self._memory))
    device = property(lambda self: _device.Device(self._memory.device))

    @property
    def _pointer(self):
        host = self._host
        return host.__array_interface__["data"][0] if host.size else 0

    @property
    def base(self):
        """None for an array over the whole of its memory."""
        return None if self._host.nbytes == self._memory.nbytes else self

    # Conversions: each is one copy to the host.
    def get(self, stream=None, order="C", out=None, blocking=True):
        """A copy in host memory."""
        counters.copied_to_host(self.nbytes)
        if out is not None:
            out[...] = self._host
            return out
        return self._host.copy(order)

    def item(self, *args):
        """One element as a Python scalar."""
        counters.copied_to_host(self.itemsize)
        return self._host.item(*args)

    def set(self, arr, stream=None):
        """Copy a NumPy array of the same shape and dtype into this one."""
        if not isinstance(arr, np.ndarray):
            raise TypeError("Only numpy.ndarray can be set to cupy.ndarray")
        if arr.dtype != self.dtype:
            raise TypeError(f"{arr.dtype} array cannot be set to {self.dtype} array")
        if arr.shape != self.shape:
            raise ValueError(f"Shape mismatch. Old shape: {self.shape}, new shape: {arr.shape}")
        counters.copied_to_device(arr.nbytes)
        self._host[...] = arr

    def tolist(self):
        """A copy as nested lists."""
        return self.get().tolist()

    def tobytes(self, order="C"):
        """A copy as bytes."""
        return self.get().tobytes(order)

    def __bool__(self):
        return bool(self.get())

    def __int__(self):
        return int(self.get())

    def __float__(self):
        return float(self.get())

    def __complex__(self):
        return complex(self.get())

    def __index__(self):
        return self.get().__index__()

    def __repr__(self):
        return repr(self.get())

    def __str__(self):
        return str(self.get())

    def __format__(self, spec):
        return format(self.get(), spec)

    def __reduce__(self):
        return _unpickle, (self.get(),)

    def __len__(self):
        return len(self._host)

    def __iter__(self):
        if self.ndim == 0:
            raise TypeError("iteration over a 0-d array")
        return (self[i] for i in range(len(self)))

    def __contains__(self, value):
        return bool((self == value).any())

    # Elements. Views share the memory, as NumPy's.
    def __getitem__(self, index):
        index = _host_index(index)
        if not isinstance(index, tuple):
            index = (index,)
        # With the ellipsis an element is a view of zero dimensions, not a scalar.
        full = index if any(i is Ellipsis for i in index) else (*index, Ellipsis)
        return from_host(self._host[full], self)

    def __setitem__(self, index, value):
        if isinstance(value, list | tuple) or (isinstance(value, np.ndarray) and value.ndim):
            raise TypeError(f"Unsupported type {type(value)}")
        read = value.nbytes if isinstance(value, ndarray) else 0
        host_index = _host_index(index)
        target = self._host[host_index]
        counters.launched(read, target.nbytes)
        self._host[host_index] = host_operand(value)

    def fill(self, value):
        """Set every element."""
        counters.launched(0, self.nbytes)
        self._host.fill(host_operand(value))

    # Shapes and copies.
    def reshape(self, *shape, order="C"):
        """The same elements in another shape: a view where possible."""
        return from_host(self._host.reshape(*shape, order=order), self)

    def ravel(self, order="C"):
        """The elements in one dimension: a view where possible."""
        return from_host(self._host.ravel(order), self)

    def flatten(self, order="C"):
        """A copy in one dimension."""
        return from_host(self._host.flatten(order), self)

    def transpose(self, *axes):
        """A view with permuted axes."""
        return view(self, self._host.transpose(*axes))

    def swapaxes(self, axis1, axis2):
        """A view with two axes exchanged."""
        return view(self, self._host.swapaxes(axis1, axis2))

    def squeeze(self, axis=None):
        """A view without axes of length one."""
        return view(self, self._host.squeeze(axis))

    def view(self, dtype=None):
        """The same memory, as elements of another dtype."""
        return view(self, self._host.view() if dtype is None else self._host.view(dtype))

    def astype(self, dtype, order="K", casting=None, subok=None, copy=True):
        """A copy of another dtype; the array itself where it has it and `copy` is false."""
        if not copy and self.dtype == np.dtype(dtype):
            return self
        return from_host(self._host.astype(checked_dtype(dtype), order=order), self)

    def copy(self, order="C"):
        """A copy."""
        return from_host(self._host.copy(order), self)


ndarray.__module__ = MemoryPointer.__module__ = "cupy"


def checked_dtype(dtype):
    """A dtype that device arrays can have, else `ValueError`."""
    dtype = np.dtype(dtype)
    if dtype.char not in _DTYPES or not dtype.isnative:
        raise ValueError(f"Unsupported dtype {dtype}")
    return dtype


def is_operand(value):
    """Whether CuPy takes a value as an operand: device arrays and scalars."""
    return isinstance(value, (ndarray, *_SCALARS)) or (
        isinstance(value, np.ndarray) and value.ndim == 0
    )


def host_operand(value):
    """What NumPy computes with in place of an operand; `TypeError` for NumPy arrays."""
    if isinstance(value, ndarray):
        return value._host
    if isinstance(value, np.ndarray):
        if value.ndim:
            raise TypeError(f"Unsupported type {type(value)}")
        return value[()]
    if isinstance(value, list | tuple):
        return type(value)(host_operand(v) for v in value)
    return value


def compute(function, *args, out=None, **kwargs):
    """Call a NumPy function on device arrays; its results are device arrays."""
    host = [host_operand(a) for a in args]
    kwargs = {name: host_operand(value) for name, value in kwargs.items()}
    if out is not None:
        if not isinstance(out, ndarray):
            raise TypeError(f"Unsupported type {type(out)}")
        kwargs["out"] = out._host
    sources = [a for a in _flat(args) if isinstance(a, ndarray)]
    result = function(*host, **kwargs)
    if isinstance(result, tuple | list):
        return type(result)(from_host(r, *sources) for r in result)
    return from_host(result, *sources, out=out)


def compute_ufunc(ufunc, *operands, out=None, **kwargs):
    """Call a ufunc on device arrays and scalars, which are all that CuPy takes there."""
    for operand in operands:
        if not is_operand(operand):
            raise TypeError(f"Unsupported type {type(operand)}")
    return compute(ufunc, *operands, out=out, **kwargs)


def from_host(host, *sources, out=None):
    """Device array of what NumPy computed: a view of a source, or the result of a launch."""
    if out is not None:
        counters.launched(sum(s.nbytes for s in sources), out.nbytes)
        return out
    if isinstance(host, tuple):
        return tuple(from_host(h, *sources) for h in host)
    if isinstance(host, np.ndarray) and host.base is not None:
        for source in sources:
            if host.size and np.may_share_memory(host, source._host):
                return view(source, host)
    host = np.asarray(host)
    result = copied(host)
    counters.launched(sum(s.nbytes for s in sources), result.nbytes)
    return result


def copied(host):
    """Device array with the elements of a NumPy array; counts an allocation only."""
    result = ndarray.__new__(ndarray)
    dtype = checked_dtype(host.dtype)
    order = "F" if host.flags.f_contiguous and not host.flags.c_contiguous else "C"
    result._memory, result._host = _memory.array(host.shape, dtype, order)
    result._host[...] = host
    return result


def view(source, host):
    """Device array over part of the memory of another."""
    result = ndarray.__new__(ndarray)
    result._memory = source._memory
    result._host = host
    return result


def _unpickle(host):
    counters.copied_to_device(host.nbytes)
    return copied(host)


def _host_index(index):
    if isinstance(index, tuple):
        return tuple(_host_index(i) for i in index)
    return index._host if isinstance(index, ndarray) else index


def _flat(values):
    for value in values:
        if isinstance(value, list | tuple):
            yield from _flat(value)
        else:
            yield value
