"""The simulator's stand-in for CuPy: what this package needs of it, with NumPy behind.

Device arrays are as strict as CuPy's (no implicit conversion, no NumPy operands), kernels
run by the simulator's runtime, and `skimage_gpu_backend.simulator.counters` sees it all.
Functions that NumPy has under the same name compute as NumPy does.
"""

import builtins as _builtins

import numpy as _np

from . import (
    _core,  # noqa: F401
    _methods,  # noqa: F401
    _util,  # noqa: F401
    cuda,
    exceptions,
    fft,
    lib,
    linalg,
    polynomial,
    random,
    testing,
)
from ._creation import (
    arange,
    array,
    asarray,
    ascontiguousarray,
    asnumpy,
    empty,
    empty_like,
    eye,
    full,
    full_like,
    linspace,
    ones,
    ones_like,
    zeros,
    zeros_like,
)
from ._ndarray import compute as _compute
from ._ndarray import ndarray
from ._operators import add_operators as _add_operators
from ._elementwise import ElementwiseKernel
from ._fuse import fuse
from ._raw import RawKernel, RawModule
from ._util import clear_memo, memoize
from .cuda import is_available

__all__ = [
    "ElementwiseKernel",
    "RawKernel",
    "RawModule",
    "arange",
    "array",
    "asarray",
    "ascontiguousarray",
    "asnumpy",
    "clear_memo",
    "cuda",
    "empty",
    "empty_like",
    "exceptions",
    "eye",
    "fft",
    "full",
    "full_like",
    "fuse",
    "is_available",
    "lib",
    "linalg",
    "linspace",
    "memoize",
    "ndarray",
    "ones",
    "ones_like",
    "polynomial",
    "random",
    "testing",
    "zeros",
    "zeros_like",
]
_add_operators()

__version__ = "14.2.0+simulator"

newaxis = None
pi, e, inf, nan = _np.pi, _np.e, _np.inf, _np.nan

_HOST = """
bool_ int8 int16 int32 int64 uint8 uint16 uint32 uint64 intp uintp float16 float32 float64
complex64 complex128 integer signedinteger unsignedinteger inexact floating complexfloating number
generic dtype finfo iinfo can_cast result_type promote_types issubdtype broadcast_shapes errstate
ndindex s_ index_exp isscalar
bool byte ubyte short ushort intc uintc int_ uint long ulong longlong ulonglong half single double
csingle cdouble
"""
_FUNCTIONS = """
all allclose amax amin any append argmax argmin argsort argwhere around array_equal atleast_1d
atleast_2d atleast_3d average bincount broadcast_arrays broadcast_to clip column_stack compress
concatenate copy count_nonzero cov cross cumprod cumsum diag diff digitize dot dstack einsum
expand_dims extract fix flatnonzero flip fliplr flipud gradient histogram hstack imag interp isclose
isin isreal iscomplex lexsort max mean median meshgrid min moveaxis nan_to_num nanmax nanmean nanmin
nansum nonzero outer pad percentile prod ptp quantile ravel ravel_multi_index real repeat reshape
roll rollaxis rot90 round searchsorted sort split squeeze stack std sum swapaxes take tensordot tile
trace transpose tri tril triu unique unravel_index var vstack where
"""


def _device_function(function):
    def call(*args, out=None, **kwargs):
        return _compute(function, *args, out=out, **kwargs)

    call.__name__ = call.__qualname__ = function.__name__
    call.__doc__ = f"As `numpy.{function.__name__}`, on device arrays."
    call.__module__ = "cupy"
    return call


for _name in _HOST.split():
    globals()[_name] = getattr(_np, _name)
for _name in _FUNCTIONS.split():
    globals()[_name] = _device_function(getattr(_np, _name))


# Each module defines ``__all__``; these come last, so that they win over NumPy's generated above.
from ._dtypes import *  # noqa: E402, F403
from ._functional import *  # noqa: E402, F403
from ._gufuncs import *  # noqa: E402, F403
from ._io import *  # noqa: E402, F403
from ._logic import *  # noqa: E402, F403
from ._manipulation import *  # noqa: E402, F403
from ._math import *  # noqa: E402, F403
from ._packing import *  # noqa: E402, F403
from ._padding import *  # noqa: E402, F403
from ._polynomial import *  # noqa: E402, F403
from ._products import *  # noqa: E402, F403
from ._reductions import *  # noqa: E402, F403
from ._sets import *  # noqa: E402, F403
from ._sorting import *  # noqa: E402, F403
from ._statistics import *  # noqa: E402, F403
from ._ufunc import *  # noqa: E402, F403


def get_array_module(*args):
    """`cupy` where one argument is a device array, else `numpy`."""
    import cupy

    return cupy if _builtins.any(isinstance(a, ndarray) for a in args) else _np


def may_share_memory(a, b, max_work=None):
    """Whether the memory of two device arrays may overlap."""
    return a._memory is b._memory and _np.may_share_memory(a._host, b._host)


def shares_memory(a, b, max_work=None):
    """Whether two device arrays have an element in common."""
    return a._memory is b._memory and _np.shares_memory(a._host, b._host)


def ndim(a):
    """Number of dimensions."""
    return a.ndim if isinstance(a, ndarray) else _np.ndim(a)


def shape(a):
    """Lengths of the dimensions."""
    return a.shape if isinstance(a, ndarray) else _np.shape(a)


def size(a):
    """Number of elements."""
    return a.size if isinstance(a, ndarray) else _np.size(a)


def get_default_memory_pool():
    """The pool that all arrays come from."""
    return cuda.MemoryPool()


def get_default_pinned_memory_pool():
    """Pinned memory is ordinary memory here."""
    return cuda.MemoryPool()


def show_config():
    """Print what this is."""
    print(f"CuPy stand-in {__version__} of skimage-gpu-backend's simulator")
