"""Compiled kernels that are kept: archives made ahead of time, and the user's cache.

An archive holds the kernels of one target, ``<target>.zip``; `python -m skimage_gpu_backend
compile` writes it. The loader looks into the archives of the folders in ``SKIMAGE_GPU_KERNELS``,
of the distribution skimage-gpu-backend-kernels and of the cache folder, then into the cache.
"""

import functools
import hashlib
import importlib.util
import json
import os
from pathlib import Path

from cuda_simulator.kept import Kept

from ..environ import reader
from . import compile as compiler
from .compile import Image

INDEX = "index.json"
LIMIT = 256 << 20  # bytes of the cache
DISTRIBUTION = "skimage_gpu_backend_kernels"

_folders = reader("SKIMAGE_GPU_KERNELS")


def key(text, expression, target) -> str:
    """Name of a kernel's machine code: all that it depends on, but the compiler's release."""
    depends = json.dumps([text, expression, compiler.OPTIONS, target])
    return hashlib.sha256(depends.encode()).hexdigest()[:40]


def folder() -> Path:
    """Of the cache."""
    import platformdirs

    return platformdirs.user_cache_path("skimage-gpu-backend") / "kernels"


def cache() -> Kept:
    """Kernels that were compiled when they were first called, by the compiler that is there."""
    return _cache(folder() / f"nvrtc-{compiler.version()}")


_cache = functools.cache(lambda folder: Kept(folder, LIMIT))


def load(key, expression) -> Image | None:
    """A kernel from the cache."""
    data = cache().load(key)
    if data is None:
        return None
    name, _, code = data.partition(b"\0")
    return Image(code, {expression: name.decode()})


def store(key, image):
    """Put a kernel into the cache."""
    (name,) = image.names.values()
    cache().store(key, name.encode() + b"\0" + image.code)


def drop(key):
    """Take a kernel that cannot be loaded out of the cache."""
    cache().drop(key)


def ahead(key, expression, target) -> Image | None:
    """A kernel from an archive that was made ahead of time."""
    for place in archive_folders():
        archive = _archive(place / f"{target}.zip")
        if archive and (found := archive.get(key)):
            member, name = found
            return Image(archive.read(member), {expression: name})
    return None


def archive_folders() -> list[Path]:
    """Folders in which archives are looked for."""
    named = [Path(name) for name in (_folders() or "").split(os.pathsep) if name]
    return [*named, *_installed(), folder()]


@functools.cache
def _installed():
    spec = importlib.util.find_spec(DISTRIBUTION)
    return [Path(place) for place in spec.submodule_search_locations or ()] if spec else []


class Archive:
    """Machine code of one target; several kernels may lie in one module."""

    def __init__(self, path):
        import zipfile  # only where there is an archive

        self._zip = zipfile.ZipFile(path)
        self._index = json.loads(self._zip.read(INDEX))

    def get(self, key):
        """Pair of module and kernel's name in it, or None."""
        return self._index.get(key)

    def read(self, member):
        """A module's code."""
        return self._zip.read(member)


@functools.cache
def _archive(path):
    if not path.is_file():
        return None
    from zipfile import BadZipFile

    try:
        return Archive(path)
    except (OSError, ValueError, KeyError, BadZipFile):
        return None
