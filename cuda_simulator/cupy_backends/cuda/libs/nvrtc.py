"""`cupy_backends.cuda.libs.nvrtc`: programs, compiled by the simulator's runtime.

What is called a cubin here is the source with its name expressions and options: the host's
compiler keeps what it makes of them, and a module that is loaded finds it there.
"""

import itertools
import threading

from cuda_simulator import compiler, image, library

_RESULTS = {
    4: "NVRTC_ERROR_INVALID_PROGRAM",
    5: "NVRTC_ERROR_INVALID_OPTION",
    6: "NVRTC_ERROR_COMPILATION",
    10: "NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID",
}
_INVALID_PROGRAM, _INVALID_OPTION, _COMPILATION, _INVALID_NAME = _RESULTS
_ARCHITECTURE = ("-arch=", "--gpu-architecture=")

_programs = {}
_handles = itertools.count(1)
_lock = threading.Lock()


class NVRTCError(RuntimeError):
    """An error of the compiler's interface."""

    def __init__(self, status):
        self.status = status
        super().__init__(f"{_RESULTS[status]} ({status})")

    def __reduce__(self):
        return type(self), (self.status,)


class _Program:
    def __init__(self, code):
        self.code = code
        self.expressions = []
        self.options = ()
        self.log = ""
        self.cubin = b""


def getVersion():
    """No release of NVRTC: what the simulator makes is for the simulator."""
    return (0, 0)


def getSupportedArchs():
    """The one compute capability that the simulator plays."""
    return (90,)


def createProgram(src, name, headers, include_names):
    """Handle of a new program."""
    with _lock:
        handle = next(_handles)
        _programs[handle] = _Program(src)
    return handle


def destroyProgram(prog):
    """Forget a program."""
    _of(prog)
    del _programs[prog]


def addNameExpression(prog, name):
    """Have a specialization compiled."""
    _of(prog).expressions.append(name)


def compileProgram(prog, options):
    """Compile; definitions (``-D``, ``-U``) and the architecture count among the options."""
    program = _of(prog)
    for option in options:
        wanted = next((option[len(p) :] for p in _ARCHITECTURE if option.startswith(p)), None)
        if wanted is not None and wanted.partition("_")[2] not in map(str, getSupportedArchs()):
            program.log = "nvrtc: error: invalid value for --gpu-architecture (-arch)\n"
            raise NVRTCError(_INVALID_OPTION)
    names = tuple(program.expressions) or library.kernel_names(program.code)
    try:
        library.load(program.code, names, library.build_key(), tuple(options))
    except compiler.CompileError as error:
        program.log = str(error)
        raise NVRTCError(_COMPILATION) from None
    program.cubin = image.packed(program.code, names, options)


def getProgramLog(prog):
    """What the compiler said."""
    return _of(prog).log


def getLoweredName(prog, name):
    """Name of a specialization in the module: its expression."""
    if name not in _of(prog).expressions:
        raise NVRTCError(_INVALID_NAME)
    return name


def getCUBIN(prog):
    """The compiled program."""
    return _of(prog).cubin


def getPTX(prog):
    """The compiled program, which has one form here."""
    return _of(prog).cubin


def _of(prog):
    try:
        return _programs[prog]
    except KeyError:
        raise NVRTCError(_INVALID_PROGRAM) from None
