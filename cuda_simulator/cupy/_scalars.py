"""C types of dtypes, and scalars as arguments of kernels."""

import numpy as np

_TYPENAMES = {
    "?": "bool",
    "b": "signed char",
    "B": "unsigned char",
    "h": "short",
    "H": "unsigned short",
    "i": "int",
    "I": "unsigned int",
    "l": "long long",
    "L": "unsigned long long",
    "q": "long long",
    "Q": "unsigned long long",
    "e": "float16",
    "f": "float",
    "d": "double",
    "F": "thrust::complex<float>",
    "D": "thrust::complex<double>",
}


def get_typename(dtype, type_decls=None):
    """Name of the C type of a dtype."""
    if dtype is None:
        raise ValueError("dtype is None")
    dtype = np.dtype(dtype)
    try:
        return _TYPENAMES[dtype.char]
    except KeyError:
        raise ValueError(f"Unsupported dtype {dtype}") from None


def scalar_as(value, dtype):
    """A scalar argument as a NumPy scalar of the parameter's dtype.

    Python numbers must fit into it (NumPy's rules); NumPy scalars are cast as C casts.
    """
    if isinstance(value, np.generic):
        with np.errstate(all="ignore"):
            return np.asarray(value).astype(dtype)[()]
    if isinstance(value, float) and dtype.kind in "iu":
        value = int(value)
    return dtype.type(value)


def is_scalar(value):
    """Whether a value can be a scalar argument of a kernel."""
    if isinstance(value, np.generic):
        return value.dtype.char in _TYPENAMES
    return isinstance(value, bool | int | float | complex)
