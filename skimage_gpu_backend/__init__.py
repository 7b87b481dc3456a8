"""Run unchanged scikit-image programs on an NVIDIA GPU."""

import importlib

# Loaded at first use: scikit-image imports this package for its entry points in every
# program that uses a dispatchable function, whether or not anything is selected.
_HOMES = {
    "disable": ".dispatch.hook",
    "enable": ".dispatch.hook",
    "free_memory": "._memory",
    "memory": "._memory",
    "over": "._over",
    "profile": ".profiling.profile",
    "status": "._status",
    "use_backends": ".dispatch.block",
}
__all__ = [
    "disable",
    "enable",
    "free_memory",
    "memory",
    "over",
    "profile",
    "status",
    "use_backends",
]


def load_ipython_extension(shell):
    """What ``%load_ext skimage_gpu_backend`` calls: dispatching is on, the magics are there."""
    from .profiling.notebook import load

    load(shell)


def __getattr__(name):
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(_HOMES[name], __name__), name)
    globals()[name] = value
    return value


def __dir__():  # what tab completion offers, which would have only what is loaded
    return list(__all__)
