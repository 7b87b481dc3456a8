"""Registers, stack and shared memory of every kernel, as users get it; kept on this machine."""

import functools
import hashlib
import importlib.metadata
import json
import re
from unittest import mock

import numpy as np
import platformdirs

from skimage_gpu_backend import _compile, functions
from skimage_gpu_backend.device import compile
from skimage_gpu_backend.device.dtypes import C_NAMES
from skimage_gpu_backend.device.source import kernel_source
from tests.thinning import each_value

from . import cubin, nvrtc

CAPABILITIES = tuple(f"{each[:-1]}.{each[-1]}" for each in _compile.CAPABILITIES)
AT_ONCE = 48  # specializations in one module: enough to share the front end's work
_WIDTHS = {C_NAMES[d]: max(4, np.dtype(d).itemsize) for d in C_NAMES if np.dtype(d).kind in "iu"}


@functools.cache
def specializations():
    """Source -> its expressions, of all rooms."""
    found = {}
    for source, expression in functions.kernels():
        found.setdefault(source, {})[expression] = None
    return {source: tuple(expressions) for source, expressions in found.items()}


def modules(some=False):
    """Each source with up to `AT_ONCE` of its expressions.

    Parameters
    ----------
    some : bool, optional
        Take only as many as have each template and each argument that there is in its place;
        integers of up to 32 bits count as one, and those of 64, whose machine code differs by an
        instruction or two.
    """
    for source, expressions in specializations().items():
        if some:
            rows = [map(_width, re.split("[<,>]", expression)) for expression in expressions]
            expressions = tuple(expressions[number] for number in each_value(map(tuple, rows)))
        for start in range(0, len(expressions), AT_ONCE):
            yield source, expressions[start : start + AT_ONCE]


def _width(argument):
    """Of a template, the width that an integer is computed in, in place of its type."""
    return _WIDTHS.get(argument.strip(), argument)


def resources(source, expressions, capability):
    """`cubin.Resources` of each expression."""
    return _kept(source, expressions, capability, ["resources"])["resources"]


def with_mixes(source, expressions, capability):
    """`cubin.Resources` and `cubin.Mix` of each expression."""
    found = _kept(source, expressions, capability, ["resources", "mixes"])
    return {e: (found["resources"][e], found["mixes"][e]) for e in expressions}


def compiled(text, source, expressions, capability):
    """Machine code as users get it, of which `image.names` has the kernels' names."""
    with mock.patch.object(compile, "_nvrtc", lambda: nvrtc):
        return compile.compile_image(text, source, expressions, f"sm_{capability.replace('.', '')}")


def _kept(source, expressions, capability, kinds):
    """By kind, then by expression; what is missing of it is made of one compilation."""
    text = kernel_source(source)
    versions = [importlib.metadata.version(each) for each in (nvrtc.DISTRIBUTION, *cubin.TOOLS)]
    folder = platformdirs.user_cache_path("skimage-gpu-backend") / "nvrtc"
    image, found = None, {}
    for kind in kinds:
        asked = json.dumps([kind, text, expressions, capability, compile.OPTIONS, versions])
        file = folder / f"{hashlib.sha256(asked.encode()).hexdigest()[:40]}.json"
        read, made = _KINDS[kind]
        if not file.exists():
            image = image or compiled(text, source, expressions, capability)
            kernels = read(image.code, capability)
            folder.mkdir(parents=True, exist_ok=True)
            file.write_text(json.dumps({e: kernels[image.names[e]] for e in expressions}))
        found[kind] = {e: made(*of) for e, of in json.loads(file.read_text()).items()}
    return found


_KINDS = {"resources": (cubin.resources, cubin.Resources), "mixes": (cubin.mixes, cubin.Mix)}
