"""NVRTC as CuPy's binding has it (`cupy_backends.cuda.libs.nvrtc`), from the wheel on PyPI.

For processes in which the simulator's binding stands in the real one's place. It needs neither a
GPU nor a driver.
"""

import ctypes
import functools
import importlib.metadata
from pathlib import Path

DISTRIBUTION = "nvidia-cuda-nvrtc-cu12"


class NVRTCError(RuntimeError):
    """A call that NVRTC refuses."""


@functools.cache
def _library():
    files = importlib.metadata.files(DISTRIBUTION) or ()
    path = next(Path(f.locate()) for f in files if Path(f).name == "libnvrtc.so.12")
    library = ctypes.CDLL(str(path))
    library.nvrtcGetErrorString.restype = ctypes.c_char_p
    return library


def _call(function, *args):
    if status := getattr(_library(), function)(*args):
        raise NVRTCError(f"{function}: {_library().nvrtcGetErrorString(status).decode()}")


def _made(program, what):
    size = ctypes.c_size_t()
    _call(f"nvrtcGet{what}Size", program, ctypes.byref(size))
    buffer = ctypes.create_string_buffer(size.value)
    _call(f"nvrtcGet{what}", program, buffer)
    return buffer.raw


def getVersion():
    major, minor = ctypes.c_int(), ctypes.c_int()
    _call("nvrtcVersion", ctypes.byref(major), ctypes.byref(minor))
    return major.value, minor.value


def createProgram(text, name, headers, include_names):
    program = ctypes.c_void_p()
    source = text.encode(), name.encode()
    _call("nvrtcCreateProgram", ctypes.byref(program), *source, 0, None, None)
    return program


def addNameExpression(program, expression):
    _call("nvrtcAddNameExpression", program, expression.encode())


def compileProgram(program, options):
    options = (ctypes.c_char_p * len(options))(*(option.encode() for option in options))
    _call("nvrtcCompileProgram", program, len(options), options)


def getLoweredName(program, expression):
    name = ctypes.c_char_p()
    _call("nvrtcGetLoweredName", program, expression.encode(), ctypes.byref(name))
    return name.value.decode()


def getCUBIN(program):
    return _made(program, "CUBIN")


def getProgramLog(program):
    return _made(program, "ProgramLog").rstrip(b"\0").decode()


def destroyProgram(program):
    _call("nvrtcDestroyProgram", ctypes.byref(program))
