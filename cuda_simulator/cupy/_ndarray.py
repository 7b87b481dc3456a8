"""`cupy.ndarray`: a NumPy view of device memory, kept from meeting NumPy by accident.

It wraps and is no subclass, so that an implicit conversion raises `TypeError` as in CuPy,
also where it would have worked here. Results of zero dimensions stay device arrays. Operators,
reductions and the like come from `_operators`; what computes, from `_compute`.
"""

import functools

import numpy as np

from cuda_simulator import counters

from . import _indexing, _memory
from ._conversions import Conversions
from ._dtypes import allocated_dtype, assign, cast, checked_dtype
from ._flags import Flags
from .cuda import runtime
from .cuda.device import Device
from .cuda.memory import MemoryPointer

_NO_CONVERSION = (
    "Implicit conversion to a NumPy array is not allowed. "
    "Please use `.get()` to construct a NumPy array explicitly."
)
_SCALARS = (bool, int, float, complex, np.generic)
_COMPARISONS = ("greater", "greater_equal", "less", "less_equal", "equal", "not_equal")
_ORDERS = frozenset("CFAKcfak")


class ndarray(Conversions):
    """An array in (simulated) device memory.

    Parameters
    ----------
    shape : int or tuple of int
        Lengths of the axes.
    dtype : dtype
        A boolean, integer, floating or complex type that a GPU has.
    memptr : cupy.cuda.MemoryPointer, optional
        Where the first element lies, in memory that the array shares; new memory by default.
    strides : tuple of int, optional
        Bytes from one element to the next on each axis, with `memptr`.
    order : {"C", "F"}
        Order of the axes in memory, where there are no strides.
    """

    __slots__ = ("__weakref__", "_base", "_host", "_memory")
    __array_priority__ = 100
    __hash__ = None

    def __init__(self, shape, dtype=float, memptr=None, strides=None, order="C"):
        shape = _indexing.checked_shape(shape)
        dtype = allocated_dtype(dtype)
        if order not in ("C", "F"):  # any order that CuPy knows and that is not C is Fortran's
            order = "C" if order is None or _indexing.checked_order(order) == "C" else "F"
        self._base = None
        if memptr is None:
            self._memory, self._host = _memory.array(shape, dtype, order)
            if strides is not None:
                self._host = np.lib.stride_tricks.as_strided(self._host, shape, strides)
        else:
            self._memory = memptr.mem
            self._host = _memory.window(memptr, shape, dtype, strides, order)

    # What NumPy and other libraries look for.
    def __array__(self, dtype=None, copy=None):
        raise TypeError(_NO_CONVERSION)

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        import cupy

        ours = getattr(cupy, ufunc.__name__, None)
        if not isinstance(ours, cupy.ufunc):
            return NotImplemented
        if "out" in kwargs:
            (kwargs["out"],) = kwargs["out"]
        if ufunc.__name__ in _COMPARISONS:  # NumPy hands its scalars over as arrays there
            inputs = [x.item() if isinstance(x, np.ndarray) and x.ndim == 0 else x for x in inputs]
        return (ours if method == "__call__" else getattr(ours, method))(*inputs, **kwargs)

    def __array_function__(self, function, types, args, kwargs):
        import cupy

        try:
            path = function.__module__.split(".")[1:]
            ours = getattr(functools.reduce(getattr, path, cupy), function.__name__)
        except AttributeError:
            return NotImplemented
        if ours is function or not all(t in (ndarray, np.ndarray) for t in types):
            return NotImplemented
        return ours(*args, **kwargs)

    @property
    def __cuda_array_interface__(self):
        return {
            "shape": self.shape,
            "typestr": self.dtype.str,
            "descr": self.dtype.descr,
            "strides": None if self._host.flags.c_contiguous else self.strides,
            "data": (self.data.ptr if self.size else 0, False),
            "stream": 1,
            "version": 3,
        }

    # Properties.
    dtype = property(lambda self: self._host.dtype)
    ndim = property(lambda self: self._host.ndim)
    size = property(lambda self: self._host.size)
    nbytes = property(lambda self: self._host.nbytes)
    itemsize = property(lambda self: self._host.itemsize)
    strides = property(lambda self: self._host.strides)
    flags = property(lambda self: Flags(self._host.flags, self._base is None))
    base = property(lambda self: self._base, doc="The array that this one is a view of.")
    device = property(lambda self: Device(self._memory.device_id))
    flat = property(lambda self: _indexing.flatiter(self))
    T = property(lambda self: self if self.ndim < 2 else view(self, self._host.T))
    mT = property(lambda self: view(self, self._host.mT))
    _c_contiguous = property(lambda self: self._host.flags.c_contiguous)
    _f_contiguous = property(lambda self: self._host.flags.f_contiguous)

    @property
    def shape(self):
        """Lengths of the axes; may be set where that needs no copy."""
        return self._host.shape

    @shape.setter
    def shape(self, shape):
        host = self._host.view()
        host.shape = shape
        self._host = host

    @property
    def data(self):
        """Where the first element lies."""
        start = self._memory.ptr + self._memory._shift
        return MemoryPointer(self._memory, (self._pointer or start) - start)

    @property
    def _pointer(self):
        host = self._host
        return host.__array_interface__["data"][0] if host.size else 0

    @property
    def real(self):
        """The array itself, or a view of the real parts."""
        return view(self, self._host.real) if self.dtype.kind == "c" else self

    @real.setter
    def real(self, value):
        self.real[...] = value

    @property
    def imag(self):
        """A view of the imaginary parts, or zeros."""
        if self.dtype.kind == "c":
            return view(self, self._host.imag)
        return from_host(np.zeros(self.shape, self.dtype))

    @imag.setter
    def imag(self, value):
        if self.dtype.kind != "c":
            raise TypeError("cupy.ndarray does not have imaginary part to set")
        self.imag[...] = value

    def __len__(self):
        return len(self._host)

    def __iter__(self):
        if self.ndim == 0:
            raise TypeError("iteration over a 0-d array")
        return (self[i] for i in range(len(self)))

    # Elements. Views share the memory, as NumPy's.
    def __getitem__(self, slices):
        index, advanced = _indexing.host_index(slices, self._host)
        # With the ellipsis an element is a view of zero dimensions, not a scalar.
        found = self._host[index]
        return gathered(found, self, slices) if advanced else view(self, found)

    def __setitem__(self, slices, value):
        index, advanced = _indexing.host_index(slices, self._host)
        if _indexing.selects_nothing(index):
            return
        if isinstance(value, ndarray):
            host = value._host
            if host.dtype != self.dtype:
                host = cast(host, self.dtype)
            check_devices(value, self)
            counters.launched(value.nbytes + _bytes_of_arrays(slices), host.nbytes)
            self._host[index] = host
        elif advanced:
            host = np.asarray(value, self.dtype)
            counters.copied_to_device(host.nbytes)
            counters.launched(host.nbytes, host.nbytes)
            self._host[index] = host
        else:
            _fill(self._host[index], value)

    def fill(self, value):
        """Set every element to a scalar."""
        _fill(self._host, value)

    # Shapes and copies.
    def reshape(self, *shape, order="C", copy=None):
        """The same elements in another shape: a view where possible."""
        order = _indexing.checked_order(order, "CFA")
        if isinstance(copy, str):
            raise ValueError("strings are not allowed for 'copy' keyword")
        host = self._host.reshape(*shape, order=order)
        if np.may_share_memory(host, self._host) or not host.size:
            return self.copy(order).reshape(*shape, order=order) if copy else view(self, host)
        if copy is False:
            raise ValueError("Unable to avoid creating a copy while reshaping.")
        return from_host(host, self)

    def ravel(self, order="C"):
        """The elements in one dimension: a view where possible."""
        return from_host(self._host.ravel(_indexing.checked_order(order)), self)

    def flatten(self, order="C"):
        """A copy in one dimension."""
        return from_host(self._host.flatten(_indexing.checked_order(order)), self)

    def transpose(self, *axes):
        """A view with permuted axes."""
        return view(self, self._host.transpose(*axes))

    def swapaxes(self, axis1, axis2):
        """A view with two axes exchanged."""
        return view(self, self._host.swapaxes(axis1, axis2))

    def squeeze(self, axis=None):
        """A view without axes of length one; the array itself where there is none."""
        host = self._host.squeeze(axis)
        return self if host.ndim == self.ndim else view(self, host)

    def diagonal(self, offset=0, axis1=0, axis2=1):
        """A view of the diagonals of two axes."""
        return view(self, self._host.diagonal(offset, axis1, axis2))

    def reduced_view(self, dtype=None):
        """A view with as few axes as the layout allows: one, where it is C-contiguous."""
        is_long = self.ndim > 1 and self._c_contiguous
        return view(self, self._host.reshape(-1)) if is_long else self

    def view(self, dtype=None, type=None):
        """The same memory, as elements of another dtype."""
        if type is not None and type is not ndarray:
            raise NotImplementedError("the simulator has no subclasses of cupy.ndarray")
        return view(self, self._host.view() if dtype is None else self._host.view(dtype))

    def astype(self, dtype, order="K", casting=None, subok=None, copy=True):
        """A copy of another dtype; the array itself where it has dtype and order and `copy` is
        false."""
        if casting is not None or subok is not None:
            name = "casting" if casting is not None else "subok"
            raise TypeError(f"{name} is not supported yet")
        order = _indexing.checked_order(order)
        dtype = checked_dtype(dtype)
        flags = self._host.flags
        laid_out = order in "KA" or flags[f"{order}_CONTIGUOUS"]
        if not copy and self.dtype == dtype and laid_out:
            return self
        check_devices(self)
        result = empty_like(self, dtype, order)
        counters.launched(self.nbytes, result.nbytes)
        assign(result._host, self._host)
        return result

    def copy(self, order="C"):
        """A copy on the current device."""
        if self._memory.device_id == runtime._current():
            return self.astype(self.dtype, order)
        with self.device:
            there = self.astype(self.dtype, order)
        return copied(there._host)


ndarray.__module__ = "cupy"


def _fill(target, value):
    if isinstance(value, ndarray):
        host, module = cast(value._host, target.dtype), "cupy"
    else:
        host, module = np.asarray(value, target.dtype), "numpy"  # NumPy converts, on the host
    if host.ndim:
        raise ValueError(f"non-scalar {module}.ndarray cannot be used for fill")
    counters.launched(0, target.nbytes)
    target[...] = host


def is_operand(value):
    """Whether CuPy takes a value as an operand: device arrays and scalars."""
    return isinstance(value, (ndarray, *_SCALARS))


def host_operand(value):
    """What NumPy computes with in place of an operand; `TypeError` for NumPy arrays."""
    if isinstance(value, ndarray):
        return value._host
    if isinstance(value, np.ndarray):
        raise TypeError(f"Unsupported type {type(value)}")
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
    with np.errstate(all="ignore"):
        result = function(*host, **kwargs)
    if isinstance(result, tuple | list):
        return type(result)(from_host(r, *sources) for r in result)
    return from_host(result, *sources, out=out)


def compute_ufunc(ufunc, *operands, out=None, **kwargs):
    """Call a function on device arrays and scalars, which are all that CuPy takes there."""
    for operand in operands:
        if not is_operand(operand):
            raise TypeError(f"Unsupported type {type(operand)}")
    return compute(ufunc, *operands, out=out, **kwargs)


def check_devices(*arrays):
    """Refuse arrays of another device than the current one, as CuPy does without peer access."""
    for array in arrays:
        there = array._memory.device_id
        if array.size and there != (current := runtime._current()):
            raise ValueError(
                f"The device where the array resides ({there}) is different from the current "
                f"device ({current}). Peer access is unavailable between these devices."
            )


def from_host(host, *sources, out=None):
    """Device array of what NumPy computed: a view of a source, or the result of a launch."""
    if out is not None:
        check_devices(*sources, out)
        counters.launched(sum(s.nbytes for s in sources), out.nbytes)
        return out
    if isinstance(host, tuple):
        return tuple(from_host(h, *sources) for h in host)
    if isinstance(host, np.ndarray) and host.base is not None:
        for source in sources:
            if host.size and np.may_share_memory(host, source._host):
                return view(source, host)
    return launched(np.asarray(host), *sources)


def launched(host, *sources):
    """Device array of what one launch computed from these sources."""
    check_devices(*sources)
    result = copied(host)
    counters.launched(sum(s.nbytes for s in sources), result.nbytes)
    return result


def gathered(host, source, index):
    """Device array of the elements at an index, whose arrays are read, too."""
    check_devices(source)
    result = copied(host)
    read = min(source.nbytes, result.nbytes) + _bytes_of_arrays(index)
    counters.launched(read, result.nbytes)
    return result


def _bytes_of_arrays(index):
    items = index if isinstance(index, tuple) else (index,)
    return sum(item.nbytes for item in items if isinstance(item, ndarray))


def copied(host):
    """Device array with the elements of a NumPy array; counts an allocation only."""
    result = ndarray.__new__(ndarray)
    dtype = checked_dtype(host.dtype)
    order = "F" if host.flags.f_contiguous and not host.flags.c_contiguous else "C"
    result._base = None
    result._memory, result._host = _memory.array(host.shape, dtype, order)
    result._host[...] = host
    return result


def empty_like(source, dtype, order):
    """New device array of the shape of another, its axes in the given order in memory."""
    host = source._host if isinstance(source, ndarray) else source
    if order in "KA":
        flags = host.flags
        if order == "K" and not flags.forc:
            axes = sorted(range(host.ndim), key=lambda axis: -abs(host.strides[axis]))
            made = ndarray([host.shape[axis] for axis in axes], dtype)
            made._host = made._host.transpose(np.argsort(axes))
            return made
        order = "F" if flags.fnc else "C"
    return ndarray(host.shape, dtype, order=order)


def view(source, host):
    """Device array over part of the memory of another."""
    try:  # CuPy's all are, those that were broadcast too; of these NumPy warns whoever asks
        host.flags.writeable = True
    except ValueError:
        if not host.flags.writeable:
            raise
    result = ndarray.__new__(ndarray)
    base = source._base
    result._base = source if base is None else base
    result._memory = source._memory
    result._host = host
    return result


def _flat(values):
    for value in values:
        if isinstance(value, list | tuple):
            yield from _flat(value)
        else:
            yield value
