"""Machine code of the kernels that the simulator is asked to launch; kept on this machine."""

import functools
import hashlib
import importlib.metadata
import importlib.util
import json
import os
import re
from pathlib import Path

import platformdirs

from benchmarks.sass import NotFollowed
from skimage_gpu_backend.device import compile
from tests.kernels import nvrtc, resources

# What CuPy adds to the options of kernels that it is given.
_CUPYS = ("-std=c++17", "-DCUPY_USE_JITIFY=0", "-ftz=true", "--device-as-default-execution-space")


def image_of(module, name, capability):
    """Cubin of a kernel and its name there.

    Parameters
    ----------
    module : object
        Of the simulator's: what the kernel belongs to.
    name : str
        The kernel's name or name expression.
    capability : str
    """
    if hasattr(module, "_expressions"):
        return _ours(module._code, name, capability)
    options = tuple(str(each) for each in module.options)
    return foreign(module.code, name, capability, options)


@functools.lru_cache(maxsize=512)
def _ours(text, name, capability):
    return _kept(
        (text, name, capability, compile.OPTIONS),
        lambda: _lowered(resources.compiled(text, "kernel.cu", (name,), capability), name),
    )


def _lowered(image, name):
    return image.code, image.names[name]


@functools.lru_cache(maxsize=2048)
def foreign(text, name, capability, options=()):
    """A kernel that was not written here, compiled as CuPy compiles it."""
    headers = (f"-I{folder}" for folder in _headers())
    told = (*_CUPYS, *options, *headers, f"-arch=sm_{capability.replace('.', '')}")
    return _kept((text, name, told), lambda: _compiled(text, name, told))


def _compiled(text, name, options):
    program = nvrtc.createProgram(text, "kernel.cu", (), ())
    try:
        plain = re.search(rf'extern\s*"C".*\b{re.escape(name)}\b', text, re.DOTALL)
        if not plain:
            nvrtc.addNameExpression(program, name)
        try:
            nvrtc.compileProgram(program, options)
        except nvrtc.NVRTCError:
            log = nvrtc.getProgramLog(program)
            first = next((line for line in log.splitlines() if "error" in line), "?")
            raise NotFollowed(f"it does not compile here: {first}") from None
        lowered = name if plain else nvrtc.getLoweredName(program, name)
        return nvrtc.getCUBIN(program), lowered
    finally:
        nvrtc.destroyProgram(program)


@functools.cache
def _headers():
    """Folders of the headers that come with CuPy."""
    files = importlib.metadata.files("cupy-cuda12x") or ()
    found = next((f for f in files if str(f).endswith("include/cupy/carray.cuh")), None)
    if found is None:
        raise NotFollowed("CuPy's headers are not installed")
    folder = Path(found.locate()).parent.parent
    of_cccl = (folder / "cupy" / "_cccl" / part for part in ("thrust", "cub", "libcudacxx"))
    return (*of_cccl, folder)


def _kept(key, make):
    version = importlib.metadata.version(nvrtc.DISTRIBUTION)
    digest = hashlib.sha256(json.dumps([*key, version]).encode()).hexdigest()[:40]
    file = platformdirs.user_cache_path("skimage-gpu-backend") / "cubins" / digest
    if file.exists():
        name, _, code = file.read_bytes().partition(b"\0")
        return code, name.decode()
    code, name = make()
    file.parent.mkdir(parents=True, exist_ok=True)
    scratch = file.with_suffix(f".{os.getpid()}")
    scratch.write_bytes(name.encode() + b"\0" + code)
    scratch.replace(file)  # others may be reading
    return code, name
