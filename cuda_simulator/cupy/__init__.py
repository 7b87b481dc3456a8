"""The simulator's stand-in for CuPy: its public functions, with NumPy and SciPy behind.

Device arrays are as strict as CuPy's (no implicit conversion, no NumPy operands), kernels
run by the simulator's runtime, and `cuda_simulator.counters` sees it all.
Each module below has one kind of functions and lists them in ``__all__``.
"""

# ruff: noqa: F401, F403  (this file gathers names)

from . import (
    _core,
    _methods,
    _util,
    cuda,
    exceptions,
    fft,
    lib,
    linalg,
    polynomial,
    random,
    testing,
)
from ._creation import *
from ._dlpack import *
from ._dtypes import *
from ._elementwise import ElementwiseKernel
from ._functional import *
from ._fuse import fuse
from ._grids import *
from ._gufuncs import *
from ._index_functions import *
from ._inspection import *
from ._io import *
from ._logic import *
from ._manipulation import *
from ._math import *
from ._names import *
from ._ndarray import ndarray
from ._operators import add_operators as _add_operators
from ._packing import *
from ._padding import *
from ._polynomial import *
from ._products import *
from ._quantiles import *
from ._raw import RawKernel, RawModule
from ._reduction import ReductionKernel
from ._reductions import *
from ._sets import *
from ._sorting import *
from ._statistics import *
from ._ufunc import *
from ._util import clear_memo, memoize
from .cuda import is_available
from .exceptions import *

_add_operators()

__version__ = "14.2.0+simulator"


def get_default_memory_pool():
    """The pool that all arrays come from."""
    return cuda.MemoryPool()


def get_default_pinned_memory_pool():
    """The pool through which arrays of the host go to the device."""
    return cuda.pinned_memory.default_pool


def show_config(*, _full=False):
    """Print what this is."""
    print(f"CuPy stand-in {__version__} of the CUDA simulator")
