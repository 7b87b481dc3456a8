"""The kinds of arrays that a call may bring, and how each crosses to the device.

The one place that knows them. No array library but NumPy is imported here: the type of a
value tells its kind, and whoever made an array of a library has imported it.
"""

import functools
import sys
from array import array
from collections.abc import Iterator

import numpy as np

# dtypes that kernels take; the rest has no CUDA type or no meaning for an image
_DTYPES = frozenset("?bBhHiIlLqQefd")
_CUDA = (2, 13)  # DLPack's numbers of CUDA devices: device memory, managed memory


class Kind:
    """One kind of array.

    Attributes
    ----------
    label : str
        Name in messages.
    on_device : bool
        Whether the data lies on a device.
    """

    __slots__ = ("label", "on_device")

    def __init__(self, label, on_device):
        self.label = label
        self.on_device = on_device


NUMPY = Kind("NumPy array", on_device=False)
CUPY = Kind("CuPy array", on_device=True)


class Foreign(Kind):
    """Arrays of a library that shares device memory by a protocol.

    DLPack, which orders the work of both libraries' streams, or where a type does not speak
    it the CUDA array interface. Results become the library's own arrays by its own
    ``from_dlpack``, else by the one of its Array API namespace, else by Numba's
    ``as_cuda_array``.

    Parameters
    ----------
    cls : type
        Of the library's arrays.
    """

    __slots__ = ("_maker", "_roots", "_speaks_dlpack")

    def __init__(self, cls):
        # a subclass may come from a program that knows nothing of arrays
        self._roots = list(dict.fromkeys(c.__module__.partition(".")[0] for c in cls.__mro__))
        self._speaks_dlpack = hasattr(cls, "__dlpack_device__")
        self._maker = None
        super().__init__(f"{self._roots[0]} {cls.__name__}", on_device=True)

    def holds(self, value) -> bool:
        """Whether this very array lies on a CUDA device."""
        if not self._speaks_dlpack:
            return getattr(value, "__cuda_array_interface__", None) is not None
        try:
            return value.__dlpack_device__()[0] in _CUDA
        except Exception:  # arrays on no device, or on several
            return False

    def to_cupy(self, value, current):
        """CuPy array over the same memory; the library raises where it does not share it.

        `current` is the number of the current device.
        """
        import cupy as cp

        if not self._speaks_dlpack:
            return cp.asarray(value)
        device = value.__dlpack_device__()[1]
        if device == current:
            return cp.from_dlpack(value)
        with cp.cuda.Device(device):
            return cp.from_dlpack(value)

    def is_read_only(self, value) -> bool:
        """Whether the library says that nobody may write into the array."""
        interface = getattr(value, "__cuda_array_interface__", None)
        return interface is not None and interface["data"][1]

    def maker(self, like):
        """Function that makes the library's array over the memory of a CuPy array, or None.

        `like` is an array of the caller's, which knows its Array API namespace.
        """
        if self._maker is None:
            self._maker = self._found_maker(like)
        return self._maker

    def _found_maker(self, like):
        libraries = [sys.modules.get(root) for root in self._roots]
        if hasattr(like, "__array_namespace__"):
            libraries.append(like.__array_namespace__())
        for library in libraries:
            if hasattr(library, "from_dlpack"):
                return library.from_dlpack
        modules = (sys.modules.get(f"{root}.cuda") for root in self._roots)
        return next((m.as_cuda_array for m in modules if hasattr(m, "as_cuda_array")), None)


_ARRAY = np.ndarray
_KINDS = {}  # by type, but for the most frequent; None: not an array that we take
_UNSEEN = object()


def kind_of(value) -> Kind | None:
    """Kind of an array, None for everything else (lists, scalars, subclasses)."""
    cls = type(value)
    if cls is _ARRAY:
        return NUMPY
    kind = _KINDS.get(cls, _UNSEEN)
    if kind is _UNSEEN:
        kind = _KINDS[cls] = _kind_of_type(cls)
    if kind is None or kind is CUPY or kind.holds(value):
        return kind
    return None


def _kind_of_type(cls):
    cupy = getattr(sys.modules.get("cupy"), "ndarray", None)
    if cls is cupy:
        return CUPY
    if issubclass(cls, np.ndarray | np.generic) or (cupy and issubclass(cls, cupy)):
        return None
    if hasattr(cls, "__dlpack_device__") or hasattr(cls, "__cuda_array_interface__"):
        return Foreign(cls)
    return None


def is_lazy(value) -> bool:
    """Whether a value is a Dask array: chunks that are computed when somebody asks for them."""
    dask = sys.modules.get("dask.array")
    return dask is not None and isinstance(value, dask.Array)


def device_kind(args, kwargs, other_than=None) -> Kind | None:
    """Kind of the first device array among the arguments, None where there is none.

    An array may be an argument or an item inside tuples, lists or dicts, two levels deep:
    footprints come as lists of tuples. Arrays of the kind `other_than` are passed over.
    """
    kind = _first_on_device(args, other_than)
    return kind if kind or not kwargs else _first_on_device(kwargs.values(), other_than)


_CONTAINERS = (tuple, list, dict)  # no union, which is made anew at each call


def _first_on_device(values, other_than, deeper=2):
    # plain loops: this stands in the way of every call
    for value in values:
        kind = kind_of(value)
        if kind is None:
            if deeper and isinstance(value, _CONTAINERS):
                items = value.values() if isinstance(value, dict) else value
                if kind := _first_on_device(items, other_than, deeper - 1):
                    return kind
        elif kind is not NUMPY and kind is not other_than:
            return kind
    return None


_PLAIN = frozenset((bool, int, float, str, type(None), np.ndarray))
_PROTOCOLS = ("__array__", "__array_interface__", "__array_struct__", "__dlpack__", "__next__")
_BUFFERS = (memoryview, bytearray, array)
_NO_NUMBERS = frozenset("VmM")  # dtypes of NumPy arrays that planners do not know


def holds_other(values, deeper=2) -> bool:
    """Whether a value, or an item inside of it, is an array-like of no `Kind`, or an iterator.

    Planners know arrays of the kinds, numbers and sequences. What else NumPy makes an array of
    would be ignored or read in another way than by scikit-image, and an iterator can be read once.
    Neither do they know NumPy arrays of records and dates.
    """
    for value in values:
        cls = type(value)
        if cls in _PLAIN:
            if cls is _ARRAY and value.dtype.char in _NO_NUMBERS:
                return True
            continue
        if cls in _CONTAINERS:
            if deeper and holds_other(value.values() if cls is dict else value, deeper - 1):
                return True
        elif _is_other(cls) and kind_of(value) is None:
            return True
    return False


@functools.cache
def _is_other(cls):
    if issubclass(cls, np.generic):
        return False
    if any(c.__module__.partition(".")[0] in ("skimage", "_skimage2") for c in cls.__mro__):
        return False  # transforms, which planners know
    return issubclass(cls, _BUFFERS) or any(hasattr(cls, name) for name in _PROTOCOLS)


def why_not(name, value) -> str:
    """Why `value`, given for the image parameter `name`, cannot go to the device."""
    if isinstance(value, Iterator):
        return f"{name} is an iterator, which can be read only once; give list({name})"
    if type(value) is _ARRAY:
        return why_not_dtype(name, value.dtype)
    helps = f"numpy.asarray({name})"
    if isinstance(value, np.ma.MaskedArray):
        what, helps = (
            "a masked array",
            f"numpy.asarray({name}), which drops the mask, as most functions do",
        )
    elif isinstance(value, list | tuple):
        what = f"a {type(value).__name__}"
    elif _KINDS.get(type(value)):
        what = f"a {_KINDS[type(value)].label} that is on no CUDA device"
    else:
        what = f"of type {type(value).__module__}.{type(value).__qualname__}"
    return f"{name} is {what}, which kernels do not take; give {helps}"


def why_not_dtype(name, dtype) -> str:
    """Why an array of a dtype that kernels do not take, given for `name`, stays on the host."""
    helps = f"{name}.astype(float)"
    if dtype.char == "g":
        helps += ", which rounds it to double precision"
    if dtype.kind == "c":
        helps = f"{name}.real, which changes the result"
    return f"{name} has dtype {dtype}, which kernels do not take; give {helps}"


def on_devices(dtype) -> bool:
    """Whether device arrays have this dtype: those of kernels, and complex numbers."""
    return dtype.char in _DTYPES or dtype.char in "FD"


def unsupported_dtype(dtype) -> bool:
    """Whether kernels do not take images of `dtype`."""
    return dtype.char not in _DTYPES
