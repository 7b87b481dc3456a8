"""Registers, stack and shared memory of every kernel, as users get it; kept on this machine."""

import functools
import hashlib
import importlib.metadata
import json
from unittest import mock

import platformdirs

from skimage_gpu_backend import functions
from skimage_gpu_backend.device import compile
from skimage_gpu_backend.device.source import kernel_source

from . import cubin, nvrtc

CAPABILITIES = ("7.5", "8.0", "8.6", "8.9", "9.0", "10.0", "12.0")
AT_ONCE = 48  # specializations in one module: enough to share the front end's work


@functools.cache
def specializations():
    """Source -> its expressions, of all rooms."""
    found = {}
    for source, expression in functions.kernels():
        found.setdefault(source, {})[expression] = None
    return {source: tuple(expressions) for source, expressions in found.items()}


def modules():
    """Each source with up to `AT_ONCE` of its expressions."""
    for source, expressions in specializations().items():
        for start in range(0, len(expressions), AT_ONCE):
            yield source, expressions[start : start + AT_ONCE]


def resources(source, expressions, capability):
    """`cubin.Resources` of each expression."""
    found = _kept("resources", source, expressions, capability)
    return {expression: cubin.Resources(*of) for expression, of in found.items()}


def mixes(source, expressions, capability):
    """`cubin.Mix` of each expression."""
    found = _kept("mixes", source, expressions, capability)
    return {expression: cubin.Mix(*of) for expression, of in found.items()}


def compiled(text, source, expressions, capability):
    """Machine code as users get it, of which `image.names` has the kernels' names."""
    with mock.patch.object(compile, "_nvrtc", lambda: nvrtc):
        return compile.compile_image(text, source, expressions, f"sm_{capability.replace('.', '')}")


def _kept(what, source, expressions, capability):
    text = kernel_source(source)
    versions = [importlib.metadata.version(each) for each in (nvrtc.DISTRIBUTION, *cubin.TOOLS)]
    asked = json.dumps([what, text, expressions, capability, compile.OPTIONS, versions])
    folder = platformdirs.user_cache_path("skimage-gpu-backend") / "nvrtc"
    file = folder / f"{hashlib.sha256(asked.encode()).hexdigest()[:40]}.json"
    if file.exists():
        return json.loads(file.read_text())
    image = compiled(text, source, expressions, capability)
    kernels = _READ[what](image.code, capability)
    found = {expression: kernels[image.names[expression]] for expression in expressions}
    folder.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(found))
    return found


_READ = {"resources": cubin.resources, "mixes": cubin.mixes}
