"""scikit-image's public functions."""

import functools
import importlib
import inspect
import warnings

from skimage_gpu_backend.dispatch.hook import PUBLIC


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
