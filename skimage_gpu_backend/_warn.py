"""Warnings that point at the user's line, from whatever depth they are raised."""

import sys
import warnings

_OURS = ("skimage_gpu_backend", "skimage", "_skimage2", "importlib")


def warn_caller(message, category):
    """Warn as if the nearest caller outside this package and scikit-image had."""
    frame = sys._getframe(1)
    while frame.f_back and frame.f_globals.get("__name__", "").partition(".")[0] in _OURS:
        frame = frame.f_back
    warnings.warn_explicit(
        message,
        category,
        frame.f_code.co_filename,
        frame.f_lineno,
        module=frame.f_globals.get("__name__", "<unknown>"),
        registry=frame.f_globals.setdefault("__warningregistry__", {}),
    )
