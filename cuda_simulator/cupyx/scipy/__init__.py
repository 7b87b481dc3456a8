"""The simulator's stand-in for `cupyx.scipy`: submodules are imported when first used."""

import importlib as _importlib

_SUBMODULES = ("fft", "ndimage", "signal", "sparse", "spatial", "stats")


def get_array_module(*args):
    """`cupyx.scipy` where one argument is a device array or sparse matrix, else `scipy`."""
    import cupy
    import scipy

    from .sparse import issparse

    on_device = any(isinstance(a, cupy.ndarray) or issparse(a) for a in args)
    return _importlib.import_module("cupyx.scipy") if on_device else scipy


def __getattr__(name):
    if name in _SUBMODULES:
        return _importlib.import_module(f"cupyx.scipy.{name}")
    raise AttributeError(f"Module 'cupyx.scipy' has no attribute '{name}'")
