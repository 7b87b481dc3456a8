"""Names that CuPy takes from NumPy as they are: types, constants, functions of host values."""

import numpy as np

_TYPES = """
bool bool_ byte cdouble complex128 complex64 complexfloating csingle double dtype finfo float16
float32 float64 floating generic half iinfo inexact int16 int32 int64 int8 int_ intc integer intp
long longlong number short signedinteger single ubyte uint uint16 uint32 uint64 uint8 uintc uintp
ulong ulonglong unsignedinteger ushort
"""
_FUNCTIONS = """
broadcast_shapes get_printoptions index_exp isdtype issubdtype iterable mintypecode ndindex newaxis
printoptions promote_types s_ set_printoptions typename
"""
_CONSTANTS = {
    "Inf": np.inf,
    "Infinity": np.inf,
    "NAN": np.nan,
    "NINF": -np.inf,
    "NZERO": -0.0,
    "NaN": np.nan,
    "PINF": np.inf,
    "PZERO": 0.0,
    "cfloat": np.complex128,
    "complex_": np.complex128,
    "e": np.e,
    "euler_gamma": np.euler_gamma,
    "float_": np.float64,
    "inf": np.inf,
    "infty": np.inf,
    "nan": np.nan,
    "pi": np.pi,
    "singlecomplex": np.complex64,
}
_NAMES = {name: getattr(np, name) for name in (_TYPES + _FUNCTIONS).split()} | _CONSTANTS
globals().update(_NAMES)
__all__ = ["base_repr", "binary_repr", "isscalar", *_NAMES]


def isscalar(element):
    """Whether a value is a scalar."""
    return np.isscalar(element)


def binary_repr(num, width=None):
    """As `numpy.binary_repr`."""
    return np.binary_repr(num, width)


def base_repr(number, base=2, padding=0):
    """As `numpy.base_repr`."""
    return np.base_repr(number, base, padding)
