"""Dtypes that device arrays have, conversion between them, and CuPy's functions of dtypes."""

import functools
import warnings

import numpy as np

__all__ = [
    "can_cast",
    "common_type",
    "issctype",
    "issubclass_",
    "issubsctype",
    "min_scalar_type",
    "obj2sctype",
    "result_type",
    "sctype2char",
]

_CHARS = frozenset("?bhilqBHILQefdFD")
_DISCARDS = "Casting complex values to real discards the imaginary part"
_known = {}  # what `checked_dtype` has accepted: one look instead of a constructor


def checked_dtype(dtype):
    """A dtype that device arrays can have, else `ValueError`."""
    try:
        return _known[dtype]
    except (KeyError, TypeError):
        pass
    checked = np.dtype(dtype)
    if checked.char not in _CHARS:
        raise ValueError(f"Unsupported dtype {checked}")
    if not checked.isnative:
        raise ValueError(f"Unsupported dtype {checked} with big-endian byte-order")
    if isinstance(dtype, type | np.dtype):
        _known[dtype] = checked
    return checked


def allocated_dtype(dtype):
    """A dtype that memory can be had for: one of `checked_dtype`'s, or a record of them."""
    fields = getattr(dtype, "fields", None)
    if not fields:
        return checked_dtype(dtype)
    for field, *_ in fields.values():
        checked_dtype(field)
    return dtype


def cast(host, dtype, order="K"):
    """The elements of a NumPy array in another dtype, converted as a GPU does."""
    result = np.empty_like(host, dtype, order)
    assign(result, host)
    return result


def assign(target, source):
    """Copy elements between NumPy arrays; other dtypes are converted as a GPU does.

    Floats become 8 and 16-bit integers through 32-bit ones, which saturate; the bytes that do
    not fit are dropped. NaN gives 0 between float32 and 32 bits, else the sign bit alone.
    """
    dtype = target.dtype
    if dtype.kind in "iu" and source.dtype.kind in "fc" and source.size:
        if source.dtype.kind == "c":
            warnings.warn(_DISCARDS, np.exceptions.ComplexWarning, stacklevel=4)
            source = source.real
        source = _wide(source, np.dtype(f"{dtype.kind}{max(4, dtype.itemsize)}"))
    with np.errstate(all="ignore"):
        np.copyto(target, source, casting="unsafe")


def _wide(real, wide):
    """Floats as integers that saturate."""
    limits = np.iinfo(wide)
    with np.errstate(all="ignore"):
        least, most = real.min(), real.max()  # NaN where there is one, and then not inside
        above = least > -1.0 if wide.kind == "u" else least >= float(limits.min)
        inside = above and most < float(limits.max)
        return real.astype(wide) if inside else _saturated(real, wide, limits)


def _saturated(real, wide, limits):
    large = real >= float(limits.max)  # the float next to the limit where it has no float
    small = real <= float(limits.min)
    nan = np.isnan(real)
    result = np.where(large | small | nan, 0, real).astype(wide)
    result[large] = limits.max
    result[small] = limits.min
    if wide.itemsize == 8 or real.dtype.itemsize == 8:
        result[nan] = limits.min if wide.kind == "i" else limits.max // 2 + 1
    return result


def _dtype_of(value):
    from ._ndarray import ndarray

    return value.dtype if isinstance(value, ndarray) else value


def can_cast(from_, to, casting="safe"):
    """As `numpy.can_cast`; a device array stands for its dtype."""
    return np.can_cast(_dtype_of(from_), to, casting=casting)


def result_type(*arrays_and_dtypes):
    """As `numpy.result_type`; a device array stands for its dtype."""
    return np.result_type(*map(_dtype_of, arrays_and_dtypes))


def min_scalar_type(a):
    """As `numpy.min_scalar_type`; a device array has its own dtype."""
    return a.dtype if hasattr(a, "dtype") and a.ndim else np.min_scalar_type(_dtype_of(a))


def common_type(*arrays):
    """The floating type that holds all these arrays, float16 for none."""
    types = [np.float16] if not arrays else []
    for array in arrays:
        if array.dtype.kind == "b":
            raise TypeError("can't get common type for non-numeric array")
        types.append(np.float64 if array.dtype.kind in "iu" else array.dtype)
    return (
        functools.reduce(np.promote_types, types, types[0]).type
        if len(types) > 1
        else (np.dtype(types[0]).type)
    )


def issubclass_(arg1, arg2):
    """As `issubclass`, but False where an argument is no class."""
    try:
        return issubclass(arg1, arg2)
    except TypeError:
        return False


def obj2sctype(rep, default=None):
    """The scalar type of an object, or `default`."""
    if isinstance(rep, type) and issubclass(rep, np.generic):
        return rep
    try:
        return rep.dtype.type if isinstance(rep, np.ndarray) else np.dtype(rep).type
    except Exception:
        return default


def issubsctype(arg1, arg2):
    """Whether the scalar type of one object is a subclass of another's."""
    return issubclass(obj2sctype(arg1), obj2sctype(arg2))


def sctype2char(sctype):
    """The one-letter code of a scalar type."""
    found = obj2sctype(sctype)
    if found is None:
        raise ValueError("unrecognized type")
    return np.dtype(found).char


def issctype(rep):
    """Whether an object is a scalar type or a dtype."""
    return isinstance(rep, type | np.dtype) and obj2sctype(rep) not in (None, np.object_)
