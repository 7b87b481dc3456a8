"""The real CUDA compilers, from the wheels on PyPI; neither needs a GPU or a driver.

`compile_module` is NVRTC as CuPy calls it on a user's machine, `resources` is ptxas, `spilled` is
both; what it finds is kept for later runs on this machine.
"""

import ctypes
import functools
import hashlib
import importlib.metadata
import json
import re
import subprocess
from pathlib import Path

import platformdirs

COMPILERS = ("nvidia-cuda-nvrtc-cu12", "nvidia-cuda-nvcc-cu12")
CAPABILITIES = ("7.5", "8.0", "8.6", "8.9", "9.0", "10.0", "12.0")


class CompileError(RuntimeError):
    """NVRTC's log of a text that does not compile."""


def _file_of(distribution, name):
    files = importlib.metadata.files(distribution) or ()
    return next(Path(f.locate()) for f in files if Path(f).name == name)


@functools.cache
def _library():
    library = ctypes.CDLL(str(_file_of("nvidia-cuda-nvrtc-cu12", "libnvrtc.so.12")))
    library.nvrtcGetErrorString.restype = ctypes.c_char_p
    return library


def _call(function, *args):
    status = getattr(_library(), function)(*args)
    if status:
        raise RuntimeError(f"{function}: {_library().nvrtcGetErrorString(status).decode()}")


def _text(program, what):
    size = ctypes.c_size_t()
    _call(f"nvrtcGet{what}Size", program, ctypes.byref(size))
    buffer = ctypes.create_string_buffer(size.value)
    _call(f"nvrtcGet{what}", program, buffer)
    return buffer.value.decode()


def compile_module(text, name, expressions, capability, options=()):
    """Compile `text` with every name expression for one compute capability.

    Parameters
    ----------
    text : str
        Source without includes, as the loader hands it to CuPy.
    name : str
        The name under which messages speak of it.
    expressions : sequence of str
    capability : str
        As ``"8.6"``.
    options : sequence of str, optional

    Returns
    -------
    ptx : str
    kernels : dict
        Name in `ptx` of each expression.

    Raises
    ------
    CompileError
    """
    program = ctypes.c_void_p()
    source = text.encode(), name.encode()
    _call("nvrtcCreateProgram", ctypes.byref(program), *source, 0, None, None)
    try:
        for expression in expressions:
            _call("nvrtcAddNameExpression", program, expression.encode())
        arch = "--gpu-architecture=compute_" + capability.replace(".", "")
        flags = [option.encode() for option in (arch, *options)]
        flags = (ctypes.c_char_p * len(flags))(*flags)
        if _library().nvrtcCompileProgram(program, len(flags), flags):
            raise CompileError(_text(program, "ProgramLog"))
        return _text(program, "PTX"), {e: _lowered(program, e) for e in expressions}
    finally:
        _call("nvrtcDestroyProgram", ctypes.byref(program))


def _lowered(program, expression):
    name = ctypes.c_char_p()
    _call("nvrtcGetLoweredName", program, expression.encode(), ctypes.byref(name))
    return name.value.decode()


def resources(ptx, capability):
    """What ptxas says of each kernel in `ptx`: name -> (spilled bytes, registers)."""
    command = [_file_of("nvidia-cuda-nvcc-cu12", "ptxas"), "-v", "-o", "/dev/null"]
    command += ["-arch=sm_" + capability.replace(".", ""), "-"]
    done = subprocess.run(command, input=ptx, capture_output=True, text=True, check=False)
    if done.returncode:
        raise CompileError(done.stderr)
    return {
        kernel: (int(stores) + int(loads), int(registers))
        for kernel, stores, loads, registers in re.findall(
            r"Function properties for (\S+)\n.*?(\d+) bytes spill stores, (\d+) bytes spill loads"
            r"\n.*?Used (\d+) registers",
            done.stderr,
        )
    }


def spilled(text, name, expressions, capability, options):
    """Bytes that each kernel spills, by name expression; see `compile_module`."""
    versions = [importlib.metadata.version(compiler) for compiler in COMPILERS]
    asked = json.dumps([text, expressions, capability, options, versions])
    folder = platformdirs.user_cache_path("skimage-gpu-backend") / "nvrtc"
    file = folder / f"{hashlib.sha256(asked.encode()).hexdigest()[:40]}.json"
    if file.exists():
        return json.loads(file.read_text())
    ptx, kernels = compile_module(text, name, expressions, capability, options)
    of_each = resources(ptx, capability)
    found = {expression: of_each[kernels[expression]][0] for expression in expressions}
    folder.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(found))
    return found
