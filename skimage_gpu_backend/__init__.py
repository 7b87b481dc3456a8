"""Run unchanged scikit-image programs on an NVIDIA GPU."""

from .dispatch.hook import disable, enable
from .dispatch.selection import use_backends

__all__ = ["disable", "enable", "status", "use_backends"]


def __getattr__(name):
    if name == "status":
        from .status import status

        return status
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
