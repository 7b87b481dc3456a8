"""The compiled engine (``runtime/engine.cpp``) that runs grids and blocks."""

import ctypes
import functools

from . import compiler, settings

_UINT = ctypes.c_uint


@functools.cache
def engine():
    """The engine's library, compiled on first use, with the types of its functions set."""
    flags = ("-O2", "-pthread", *sanitizer_flags(settings.sanitizers()))
    text = '#include "engine.cpp"\n'
    try:
        path = compiler.compile_library(text, flags, is_cuda=False)
    except compiler.CompileError as error:
        raise RuntimeError(f"the simulator's engine does not compile:\n{error}") from error
    library = ctypes.CDLL(str(path))
    library.sim_launch.argtypes = [
        *(ctypes.c_void_p, ctypes.c_char_p),
        *[_UINT] * 7,
        *(ctypes.c_int, ctypes.c_int),
    ]
    library.sim_launch.restype = ctypes.c_int
    library.sim_static_shared.restype = _UINT
    library.sim_engine_api.restype = ctypes.c_void_p
    library.sim_engine_error.restype = ctypes.c_char_p
    return library


def sanitizer_flags(names: tuple[str, ...]) -> tuple[str, ...]:
    """Compiler flags for these sanitizers."""
    if not names:
        return ()
    return (
        "-g",
        "-fno-omit-frame-pointer",
        f"-fsanitize={','.join(names)}",
        "-fno-sanitize-recover=all",
    )
