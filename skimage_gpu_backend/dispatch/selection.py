"""Which backends the user selected, read again at every call.

Strongest first: ``SKIMAGE_NO_DISPATCHING=1``, `use_backends`, ``SKIMAGE_BACKENDS``, and
``SKIMAGE_DISPATCHING`` with ``SKIMAGE_BACKEND_PRIORITY``. ``SKIMAGE_GPU_CONVERT`` and
``SKIMAGE_GPU_RESIDENT`` say the same inside and outside of `use_backends`.
"""

import os
import re
from contextlib import contextmanager
from contextvars import ContextVar

from ..environ import TRUTHS, unknown_variables, value
from ..trouble import Idle
from . import registry

# with one of these set, Python's start installs the import hook (zz_skimage_gpu_backend.pth)
SELECTING = ("SKIMAGE_BACKENDS", "SKIMAGE_DISPATCHING", "SKIMAGE_BACKEND_PRIORITY")


class Selection:
    """The backends that are asked, in order, and what they may do.

    Attributes
    ----------
    backends : tuple of str
        Names in the order in which they are asked; empty where nothing is selected.
    named : tuple of str
        Those that the user wrote, as opposed to "all that are installed".
    convert : bool
        Whether NumPy arrays may be moved to a device.
    output : {None, "cupy", "resident"}
        Kind of the results for NumPy arrays, None for the caller's own.
    off : bool
        Dispatching is switched off altogether, for device arrays too.
    progress : bool
        Whether work in tiles, or in rounds of launches, shows how far it is.
    threads : int or None
        Most threads of a call on the CPU, None for what the environment allows.
    steps : Steps or None
        Of a method of scikit-image's that runs: its own calls count as the user's.
    """

    __slots__ = ("backends", "convert", "named", "off", "output", "progress", "steps", "threads")

    def __init__(
        self,
        backends=(),
        named=(),
        *,
        convert=True,
        output=None,
        off=False,
        progress=False,
        threads=None,
        steps=None,
    ):
        self.backends = backends
        self.named = named
        self.convert = convert
        self.output = output
        self.off = off
        self.progress = progress
        self.threads = threads
        self.steps = steps

    def __repr__(self):
        fields = ", ".join(f"{name}={getattr(self, name)!r}" for name in self.__slots__)
        return f"Selection({fields})"


class Steps:
    """What became of the calls of a method in `methods.BY_STEPS`.

    Attributes
    ----------
    ran : bool
        Whether a backend ran one of them.
    too_small : list
        As `notify.declined` takes it, of the first one whose image is too small. The last octaves
        of any image are, and that alone is not worth telling.
    """

    __slots__ = ("ran", "too_small")

    def __init__(self):
        self.ran, self.too_small = False, []

    def keep(self, declined):
        """Whether calls were declined for their size, to be told at the end if at all."""
        small = all(key == "size" for _, _, key in declined)
        if small and not all(isinstance(key, Idle) for _, _, key in declined):
            self.too_small = self.too_small or declined
        return small


_chosen = ContextVar("skimage_gpu_backend.use_backends", default=None)

# `os.environ` encodes each key and decodes each value, a microsecond a variable; its own
# mapping from encoded keys is asked instead, where it has one
_environ = getattr(os.environ, "_data", os.environ)
_encoded = getattr(os.environ, "encodekey", str)
_VARIABLES = ("SKIMAGE_NO_DISPATCHING", *SELECTING, "SKIMAGE_GPU_CONVERT", "SKIMAGE_GPU_RESIDENT")
_OFF, _BACKENDS, _DISPATCHING, _PRIORITY, _CONVERT, _RESIDENT = map(_encoded, _VARIABLES)
_read = {}  # raw values of the variables -> Selection


def current() -> Selection:
    """What is selected here and now."""
    get = _environ.get
    raw = (
        get(_OFF),
        get(_BACKENDS),
        get(_DISPATCHING),
        get(_PRIORITY),
        get(_CONVERT),
        get(_RESIDENT),
    )
    environment = _read.get(raw)
    if environment is None:
        if not _read:
            for wrong in unknown_variables():
                _warn(wrong)
        environment = _read[raw] = _from_environment(os.environ)
    chosen = _chosen.get()
    if chosen is None or environment.off:
        return environment
    convert = chosen.convert and environment.convert
    output = chosen.output or environment.output
    if convert is chosen.convert and output is chosen.output:
        return chosen
    options = {
        "convert": convert,
        "output": output,
        "progress": chosen.progress,
        "threads": chosen.threads,
        "steps": chosen.steps,
    }
    return Selection(chosen.backends, chosen.named, **options)


def is_chosen(selection) -> bool:
    """Whether `use_backends` has made this selection, which other threads do not know."""
    return _chosen.get() is not None and not selection.off


def _from_environment(environ):
    resident = value("SKIMAGE_GPU_RESIDENT")
    convert = value("SKIMAGE_GPU_CONVERT")
    allowed = {"convert": convert, "output": "resident" if resident else None}
    if environ.get("SKIMAGE_NO_DISPATCHING") == "1":
        return Selection(**allowed, off=True)
    text = environ.get("SKIMAGE_BACKENDS", "").strip()
    if not text and value("SKIMAGE_DISPATCHING"):
        text = environ.get("SKIMAGE_BACKEND_PRIORITY", "").strip() or "True"
    # 1, true, auto, off, nothing
    if (is_on := (TRUTHS | {"auto": True}).get(text.lower())) is not None:
        return Selection(_unnamed() if is_on else (), **allowed)
    names = _known(dict.fromkeys(re.findall(r"[^,;\s]+", text)))
    return Selection(names, names, **allowed)


def _unnamed():
    """``gpu``, ``cpu``, then backends of other packages in alphabetical order.

    ``cucim`` takes calls only where it is named: its results are not scikit-image's.
    """
    others = (name for name in registry.installed() if name not in registry.OURS)
    return ("gpu", "cpu", *others)


def _known(names):
    known = {}
    for name in names:
        if found := registry.spelled(name):
            known[found] = None
        else:
            _warn(f"scikit-image backend {name!r} is ignored: {not_installed(name)}")
    return tuple(known)


_MEANT = {"cuda": "gpu", "cupy": "gpu", "nvidia": "gpu", "device": "gpu"}


def not_installed(name):
    """Why a backend cannot be selected, and which one is meant."""
    from difflib import get_close_matches

    installed = registry.installed()
    near = get_close_matches(name.lower(), installed, n=1) or [_MEANT.get(name.lower())]
    hint = f"; did you mean {near[0]}?" if near[0] else ""
    return f"it is not installed; installed are {', '.join(installed)}{hint}"


def _warn(text):
    from .._warn import notify_caller

    notify_caller(text)


@contextmanager
def selected(selection):
    """Context in which `selection` holds, in this thread and asynchronous task."""
    token = _chosen.set(selection)
    try:
        yield
    finally:
        _chosen.reset(token)
