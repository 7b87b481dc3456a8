"""The compiled engine (``engine.cpp``) that runs the blocks of kernels on threads."""

import ctypes
import functools
from pathlib import Path

from cuda_simulator import NoCompilerError, compiler

from . import threads


def has_compiler() -> bool:
    """Whether this machine has a C++ compiler."""
    try:
        return bool(compiler.compiler())
    except NoCompilerError:
        return False


@functools.cache
def engine():
    """The engine's library, compiled on first use, with the types of its functions set."""
    text = Path(__file__).with_name("engine.cpp").read_text("utf-8")
    path = compiler.compile_library(text, ("-O2", "-pthread"), is_cuda=False)
    library = ctypes.CDLL(str(path))
    library.engine_launch.argtypes = (ctypes.c_char_p,)
    library.engine_launch.restype = ctypes.c_int
    library.engine_api.restype = ctypes.c_void_p
    library.engine_error.restype = ctypes.c_char_p
    library.engine_set_cores(threads.cores())
    return library
