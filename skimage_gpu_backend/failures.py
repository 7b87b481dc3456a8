"""Exceptions while a call is decided, planned or run: whose they are, and what becomes of them.

One of a backend's own ends on scikit-image. One of a function that the user gave, as a callback,
is the user's.
"""

import logging
import sys
import traceback

from .trouble import MixedArrays

_log = logging.getLogger("skimage_gpu_backend.failures")
_MARK = "_skimage_gpu_backend_is_users"
_PACKAGE = __name__.partition(".")[0]
_LIBRARIES = frozenset(
    (
        *(_PACKAGE, "cuda_simulator", "skimage", "_skimage2"),
        *("cucim", "cupy", "cupy_backends", "cupyx"),
        *("dask", "networkx", "numpy", "packaging", "pywt", "rich", "scipy", "xarray"),
    )
)


class Failure:
    """What went wrong, without the exception, whose frames hold arrays.

    Parameters
    ----------
    error : Exception
    doing : str
        What the backend failed to do, or nothing.

    Attributes
    ----------
    reason : str
        For the user.
    """

    def __init__(self, error, doing=""):
        what = f"it failed {doing}".rstrip()
        self.reason = f"{what}: {type(error).__name__}: {error}"
        self._traceback = "".join(traceback.format_exception(error))

    def log(self, function):
        """Log the traceback, where scikit-image has run the call: this was a mistake of ours."""
        _log.info("%s failed:\n%s", function, self._traceback)


def for_user(error):
    """The exception, marked: it is scikit-image's or cuCIM's own for the call."""
    setattr(error, _MARK, True)
    return error


def is_users(error) -> bool:
    """Whether an exception is to reach the user.

    It does where it is about arrays of several kinds, where `for_user` marked it, or where a
    function that the user gave has raised it: a frame of it is behind one of this package, and
    belongs to no library that the package calls.
    """
    if isinstance(error, MixedArrays) or getattr(error, _MARK, False):
        return True
    frames = (frame for frame, _ in traceback.walk_tb(error.__traceback__))
    inside = False
    for frame in frames:
        root = frame.f_globals.get("__name__", "").partition(".")[0]
        if inside and root not in _LIBRARIES and root not in sys.stdlib_module_names:
            return True
        inside = inside or root == _PACKAGE
    return False
