"""The calls of each function, a module for each of scikit-image's."""

import importlib
import pkgutil

SWEEPS = tuple(
    sweep
    for module in sorted(info.name for info in pkgutil.iter_modules(__path__))
    for sweep in importlib.import_module(f"{__name__}.{module}").SWEEPS
)
