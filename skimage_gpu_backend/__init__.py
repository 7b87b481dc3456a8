"""Run unchanged scikit-image programs on an NVIDIA GPU."""

import importlib

# Loaded at first use: scikit-image imports this package for its entry points in every
# program that uses a dispatchable function, whether or not anything is selected.
_HOMES = {
    "disable": ".dispatch.hook",
    "enable": ".dispatch.hook",
    "status": "._status",
    "use_backends": ".dispatch.selection",
}
__all__ = ["disable", "enable", "status", "use_backends"]


def __getattr__(name):
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(_HOMES[name], __name__), name)
    globals()[name] = value
    return value
