"""scikit-image's public functions."""

import ast
import functools
import importlib
import inspect
import warnings
from pathlib import Path

from skimage_gpu_backend.catalog import CATALOG
from skimage_gpu_backend.dispatch.hook import PUBLIC
from skimage_gpu_backend.scikit_image import function_called
from skimage_gpu_backend.upstream.layout import copied_from


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

    Deprecated functions may be missing in the module's own list of names; a module that imports
    its functions when they are used has them in its stub.
    """
    module = importlib.import_module(place)
    names = {*module.__all__, *vars(module), *_in_stub(module)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = {name: getattr(module, name) for name in sorted(names)}
    return [
        (name, value)
        for name, value in found.items()
        if name[0] != "_" and (name in module.__all__ or _is_scikit_images(value))
    ]


def _in_stub(module):
    stub = Path(module.__file__).with_suffix(".pyi")
    statements = ast.parse(stub.read_text()).body if stub.is_file() else ()
    imports = (node for node in statements if isinstance(node, ast.ImportFrom))
    return {alias.asname or alias.name for node in imports for alias in node.names}


def _is_scikit_images(value):
    defined = getattr(value, "__module__", None)
    return isinstance(defined, str) and defined.startswith(("skimage", "_skimage2"))


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
