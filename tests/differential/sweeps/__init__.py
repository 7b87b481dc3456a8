"""The calls of each function, a module for each of scikit-image's; those of methods beside them."""

import importlib
import pkgutil

_MODULES = [
    importlib.import_module(f"{__name__}.{module}")
    for module in sorted(info.name for info in pkgutil.iter_modules(__path__))
]
SWEEPS = tuple(sweep for module in _MODULES for sweep in getattr(module, "SWEEPS", ()))
METHODS = tuple(sweep for module in _MODULES for sweep in getattr(module, "METHODS", ()))
