"""Our environment variables: what they may say, and what they say now.

A variable with a value that it does not know is as if it were not set, and the user is told once.
"""

import functools
import os
import re
from collections.abc import Callable
from typing import NamedTuple

PREFIXES = ("SKIMAGE_BACKENDS_", "SKIMAGE_GPU_")  # of all devices, and of GPUs

_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
TRUTHS = {"true": True, "yes": True, "on": True, "1": True}
TRUTHS |= {"false": False, "no": False, "off": False, "0": False, "": False}


def truth(text: str) -> bool:
    """True for ``1``, ``true``, ``yes`` and ``on``; False for their opposites, and for nothing.

    Raises
    ------
    ValueError
        For anything else.
    """
    try:
        return TRUTHS[text.strip().lower()]
    except KeyError:
        raise ValueError(text) from None


def nbytes(text: str) -> int:
    """A number of bytes, as ``4096``, ``4k``, ``1.5 GB`` or ``64KiB``: units are powers of 1024.

    Raises
    ------
    ValueError
        For anything else.
    """
    found = re.fullmatch(r"\s*(\d+(?:\.\d*)?)\s*([KMGT]?)(?:i?B)?\s*", text, re.IGNORECASE)
    if not found:
        raise ValueError(text)
    return int(float(found[1]) * _UNITS[found[2].upper()])


def nbytes_or_share(text: str) -> tuple[int | None, float | None]:
    """Bytes and None, or None and a share of at most 1, as ``80%``.

    Raises
    ------
    ValueError
        For anything else.
    """
    found = re.fullmatch(r"\s*(\d+(?:\.\d*)?)\s*%\s*", text)
    if not found:
        return nbytes(text), None
    if float(found[1]) > 100:
        raise ValueError(text)
    return None, float(found[1]) / 100


def _one_of(*words):
    def read(text):
        word = text.strip().lower()
        if word not in words:
            raise ValueError(text)
        return word

    return read


def _count(text):
    count = int(text)
    if count < 1:
        raise ValueError(text)
    return count


def _first_count(text):
    """The first of OpenMP's numbers of threads, one for each level of nested regions."""
    return _count(text.split(",")[0]) if text.strip() else None


class Variable(NamedTuple):
    """What a variable may say.

    Attributes
    ----------
    read : callable
        Makes a value of its text; ValueError where it cannot.
    is_ : str
        What it is, for the user.
    unset : object
        Its value where it is not set, or its text is not known.
    without : str
        What then happens, for the user.
    """

    read: Callable = str
    is_: str = ""
    unset: object = None
    without: str = ""


_TRUTH = "True or False"
VARIABLES = {
    "SKIMAGE_GPU_CONVERT": Variable(truth, _TRUTH, True, "NumPy arrays go to the GPU"),
    "SKIMAGE_GPU_DEVICES": Variable(),
    "SKIMAGE_GPU_KERNELS": Variable(),
    "SKIMAGE_GPU_MEMORY_LIMIT": Variable(
        nbytes_or_share,
        "a number of bytes, as 6G, or a share, as 80%",
        (0, None),
        "CuPy's memory pool is not bounded",
    ),
    "SKIMAGE_BACKENDS_MIN_SIZE": Variable(
        nbytes, "a number of bytes, as 4M", None, "each function has its own least size"
    ),
    "SKIMAGE_BACKENDS_NOTIFY": Variable(
        _one_of("fallback", "all", "none"),
        "fallback, all or none",
        "fallback",
        "calls that do not run on the GPU are reported",
    ),
    "SKIMAGE_GPU_RESIDENT": Variable(truth, _TRUTH, False, "results do not stay on the device"),
    "SKIMAGE_GPU_SIMULATOR": Variable(truth, _TRUTH, False, "the simulator is not used"),
    "SKIMAGE_BACKENDS_THREADS": Variable(
        _count, "a number of threads", None, "all cores are used that the process may use"
    ),
    "SKIMAGE_BACKENDS_UNCHECKED": Variable(
        truth, _TRUTH, False, "calls of functions that scikit-image changed are declined"
    ),
    "SKIMAGE_GPU_SIMULATOR_SIZES": Variable(
        truth, _TRUTH, False, "sizes that were measured on the simulator are not used"
    ),
}
_READ = VARIABLES | {  # and those of other programs
    "OMP_NUM_THREADS": Variable(_first_count, "a number of threads", None, "it limits nothing"),
    "SKIMAGE_DISPATCHING": Variable(truth, _TRUTH, False, "nothing is dispatched"),
}
# A slip of SKIMAGE_BACKENDS that nobody else would tell of.
SLIP = "SKIMAGE_BACKEND"


def unknown_variables() -> list[str]:
    """What is wrong with variables that are none of ours and were meant to be, in words."""
    told = []
    if os.environ.get(SLIP) and not os.environ.get("SKIMAGE_BACKENDS"):
        told.append(f"{SLIP} selects nothing; SKIMAGE_BACKENDS is meant?")
    for name in os.environ:
        if name.startswith(PREFIXES) and name not in VARIABLES:
            from difflib import get_close_matches

            _, _, rest = name.split("_", 2)
            close = [prefix + rest for prefix in PREFIXES if prefix + rest in VARIABLES]
            close = close or get_close_matches(name, VARIABLES, n=1, cutoff=0.85)
            meant = f"; {close[0]} is meant?" if close else f"; there are {', '.join(VARIABLES)}"
            told.append(f"{name} is no variable of skimage-gpu-backend{meant}")
    return told


@functools.cache
def parsed(name, text):
    """Value of a variable with this text; where that is not known, the user is told once."""
    variable = _READ[name]
    try:
        return variable.read(text)
    except ValueError:
        from ._warn import notify_caller

        notify_caller(f"{name} is {variable.is_}, not {text!r}; {variable.without}")
        return variable.unset


def value(name):
    """Value of a variable now."""
    text = os.environ.get(name)
    return _READ[name].unset if text is None else parsed(name, text)


def reader(name: str):
    """Function that returns the variable's value now.

    `os.environ` encodes the key and decodes the value on each access (about a
    microsecond, for several variables on each call); where its internal mapping is of
    the known form, the encoded key is looked up directly.
    """
    data = getattr(os.environ, "_data", None)
    if data is None or not hasattr(os.environ, "encodekey"):
        return lambda: value(name)
    key, decode, unset = os.environ.encodekey(name), os.environ.decodevalue, _READ[name].unset

    def read():
        text = data.get(key)
        return unset if text is None else parsed(name, decode(text))

    return read
