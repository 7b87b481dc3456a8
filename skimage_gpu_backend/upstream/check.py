"""Whether a function of the installed scikit-image is one that this package was compared with."""

import functools
import importlib.util
import json
import threading
from importlib import resources
from pathlib import Path

from ..environ import reader
from .digest import Digests
from .sources import Sources

_lock = threading.Lock()  # Python 3.11 cannot parse in several threads at a time
_unchecked = reader("SKIMAGE_BACKENDS_UNCHECKED")


def why_unknown(name) -> str | None:
    """Why calls of a function are declined: scikit-image changed it; None where it is known.

    Parameters
    ----------
    name : str
        Public function or method, as ``"skimage.filters:gaussian"``.
    """
    return None if _unchecked() else _why_unknown(name)


@functools.cache
def _why_unknown(name):
    try:
        with _lock:
            installed = _installed()
            if installed.of(name) in _recorded()[name]:
                return None
            version = installed.sources.version
    except (KeyError, OSError, SyntaxError, TypeError, UnicodeError, ValueError):
        version = "this installation"  # without source files, or with a source of another kind
    return (
        f"scikit-image's {name.partition(':')[2]} changed in {version}; use a version of"
        " scikit-image that this package supports, or set SKIMAGE_BACKENDS_UNCHECKED=1, which"
        " changes the result where scikit-image's changed"
    )


@functools.cache
def _installed():
    package = Path(importlib.util.find_spec("skimage").origin)
    return Digests(Sources(package.parent.parent))


@functools.cache
def _recorded():
    """For each function its digests, with the supported versions that have them."""
    return json.loads(resources.files(__package__).joinpath("digests.json").read_text())
