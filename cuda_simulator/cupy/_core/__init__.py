"""`cupy._core`: private names of CuPy that libraries on top of it use."""

from .._elementwise import ElementwiseKernel
from .._ndarray import ndarray
from .._raw import RawKernel, RawModule
from . import _routines_indexing, _scalar, internal
from ._copy import elementwise_copy

__all__ = [
    "ElementwiseKernel",
    "RawKernel",
    "RawModule",
    "_routines_indexing",
    "_scalar",
    "elementwise_copy",
    "internal",
    "ndarray",
]
