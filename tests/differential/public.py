"""scikit-image's public functions."""

import functools
import importlib
import inspect
import warnings

from skimage_gpu_backend.catalog import CATALOG
from skimage_gpu_backend.dispatch.hook import PUBLIC
from skimage_gpu_backend.dispatch.upstream import copied_from
from skimage_gpu_backend.scikit_image import function_called


@functools.cache
def public_functions() -> tuple[str, ...]:
    """Names, as ``"skimage.filters:gaussian"``, of all plain functions in public modules."""
    names = []
    for place in PUBLIC:
        module = importlib.import_module(place)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            members = [(name, getattr(module, name)) for name in sorted(module.__all__)]
        names += [f"{place}:{name}" for name, member in members if inspect.isfunction(member)]
    return tuple(names)


def callables(place):
    """Public functions and classes of a module, by their names there."""
    module = importlib.import_module(place)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        members = [(name, getattr(module, name)) for name in sorted(module.__all__)]
    return [
        name
        for name, member in members
        if callable(member) and not name.startswith("_") and not inspect.ismodule(member)
    ]


@functools.cache
def _first_names():
    """For each public function the name under which calls of it are decided."""
    first = {}
    for name in sorted(public_functions(), key=lambda name: name not in CATALOG):
        first.setdefault(copied_from(function_called(name)), name)
    return first


def same_as(name):
    """The other public name under which a function is listed: None for its first one."""
    first = _first_names()[copied_from(function_called(name))]
    return first if first != name else None
