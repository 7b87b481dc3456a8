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
    return tuple(
        f"{place}:{name}"
        for place in PUBLIC
        for name, member in _members(place)
        if inspect.isfunction(member)
    )


def callables(place):
    """Public functions and classes of a module, by their names there."""
    members = _members(place)
    return [name for name, value in members if callable(value) and not inspect.ismodule(value)]


def _members(place):
    """Public names of a module, and what bears them.

    Deprecated functions may be missing in the module's own list of names.
    """
    module = importlib.import_module(place)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = {name: getattr(module, name) for name in sorted({*module.__all__, *vars(module)})}
    return [
        (name, value)
        for name, value in found.items()
        if name[0] != "_" and (name in module.__all__ or _is_scikit_images(value))
    ]


def _is_scikit_images(value):
    defined = getattr(value, "__module__", None)
    return isinstance(defined, str) and defined.startswith("skimage")


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
