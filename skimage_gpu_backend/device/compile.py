"""From a kernel's text to machine code, by NVRTC with options of our own.

CuPy's `RawModule` adds options: with them ``a * b + c`` is rounded once or twice as the compiler
likes, and subnormal numbers of single precision are zero. Here rounding is what the source
says: where one rounding is wanted it calls ``fma``.
"""

import functools
import re
from typing import NamedTuple

from ..availability import LEAST, NO_CUPY, too_old
from ..trouble import DeviceTrouble, KernelCompileError

OPTIONS = ("-std=c++17", "--fmad=false", "-ftz=false", "-prec-div=true", "-prec-sqrt=true")


class Image(NamedTuple):
    """A compiled module, and its kernels' names in it by name expression."""

    code: bytes
    names: dict


def compile_image(text, source, expressions, target) -> Image:
    """Compile specializations of a kernel file.

    Parameters
    ----------
    text : str
        Self-contained source.
    source : str
        File below ``kernels/`` that messages speak of.
    expressions : sequence of str
        Name expressions.
    target : str
        As ``"sm_86"``; ``"compute_90"`` for code that the driver translates.

    Raises
    ------
    KernelCompileError
        With file and line of the first error.
    """
    nvrtc = _nvrtc()
    program = nvrtc.createProgram(text, source, (), ())
    try:
        for expression in expressions:
            nvrtc.addNameExpression(program, expression)
        try:
            nvrtc.compileProgram(program, (*OPTIONS, f"-arch={target}"))
        except nvrtc.NVRTCError as error:
            log = nvrtc.getProgramLog(program)
            raise KernelCompileError(_explain(source, expressions, log, error)) from error
        made = nvrtc.getPTX if target.startswith("compute_") else nvrtc.getCUBIN
        names = {each: nvrtc.getLoweredName(program, each) for each in expressions}
        return Image(_whole(made(program)), names)
    finally:
        nvrtc.destroyProgram(program)


def _whole(code):
    """Machine code with its last byte, a zero, which CuPy takes for the end of a text."""
    return code.ljust(-(-len(code) // 8) * 8, b"\0") if code.startswith(b"\x7fELF") else code


def _explain(source, expressions, log, error):
    place = re.search(r"^(\S+?\.cuh?)[(:](\d+)\)?.*?error\s*:\s*(.*)$", log, re.MULTILINE)
    where = f"{place[1]}:{place[2]}: {place[3]}" if place else log.strip() or str(error)
    return f"kernel {', '.join(expressions)} of kernels/{source} does not compile: {where}"


@functools.cache
def _nvrtc():
    try:
        from cupy_backends.cuda.libs import nvrtc

        nvrtc.getVersion()
    except ModuleNotFoundError as error:
        raise DeviceTrouble(NO_CUPY) from error
    except Exception as error:  # CuPy reports a missing library in several ways
        reason = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise DeviceTrouble(f"NVRTC, CUDA's compiler, cannot be used: {reason}") from error
    return nvrtc


def version() -> str:
    """NVRTC's release."""
    return ".".join(map(str, _nvrtc().getVersion()))


def target_of(capability: str) -> str:
    """What to compile for, for a device of a compute capability (as ``"86"``).

    A device that is newer than the compiler gets code that its driver translates.

    Raises
    ------
    DeviceTrouble
        The device is too old for the kernels or for the compiler.
    """
    wanted, supported = int(capability), _nvrtc().getSupportedArchs()
    if reason := too_old(capability, max(LEAST, min(supported) / 10)):
        raise DeviceTrouble(reason)
    if wanted in supported:
        return f"sm_{wanted}"
    return f"compute_{max(each for each in supported if each <= wanted)}"
