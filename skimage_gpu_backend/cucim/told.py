"""What cuCIM warns of is told as our own warnings are: at the user's line, once the call is done.

Its modules get another ``warn`` in place of Python's. `warnings.catch_warnings`, which leaves
them as they are, changes what all threads of a process are told.
"""

import sys
import warnings

from .._warn import warn_caller
from ..trouble import Declined

# Which scikit-image says in other words, or with numbers of its own.
_IN_OTHER_WORDS = (
    "maxima can't exist with any dimension",
    "Could not determine RMS error",
    "Could not determine real-space shift",
)


def hand_on():
    """Have those of cuCIM's modules that are loaded warn the caller."""
    for name, module in sys.modules.copy().items():  # another thread may import
        if name.startswith("cucim.skimage"):
            for attribute in ("warn", "warnings"):
                theirs = vars(module).get(attribute)
                if theirs is warnings:
                    setattr(module, attribute, _WARNINGS)
                elif callable(theirs):
                    setattr(module, attribute, _warn)


def _warn(message, category=None, stacklevel=1, source=None):
    """As `warnings.warn`, whatever the level."""
    if isinstance(message, Warning):
        message, category = str(message), type(message)
    if message.startswith(_IN_OTHER_WORDS):
        raise Declined("image is one of which scikit-image warns; give one of which it does not")
    warn_caller(message, category or UserWarning)


class _Warnings:
    """The module `warnings`, with another ``warn``."""

    warn = staticmethod(_warn)

    def __getattr__(self, name):
        return getattr(warnings, name)


_WARNINGS = _Warnings()
