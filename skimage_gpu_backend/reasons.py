"""What the user is told of a call that is declined, put into words only where somebody reads it.

Who declines a call knows what is wrong with an argument: ``"sigma is negative; give a number from
0 on"``. What the caller called it and gave for it is put in here, at one place for all of them:
``"sigma=-1 is negative; ..."``. A reason that says the value itself stays as it is.

What stands behind the semicolon is a suggestion. It keeps the result, or it says "which changes the
result". Only another number for an argument, as "give a smaller one", needs no such words.
"""

import re
import reprlib

from . import _words
from .catalog import row_of
from .methods import OWN_FUNCTIONS
from .scikit_image import signature

# The arguments at a reason's start: "p0", "p0 or p1", "rings, histograms and orientations".
_SUBJECT = re.compile(r"\w+(?:(?:, (?:or )?| or | and )\w+)*(?= |,)")


_LONG = 60  # characters of a value that a message shows


class _Short(reprlib.Repr):
    def repr(self, value):
        text = super().repr(value)
        if len(text) <= _LONG or not isinstance(value, list | tuple | dict | set | frozenset):
            return text
        return f"<{type(value).__name__} of {len(value)} items>"

    def repr_ndarray(self, array, level):
        """Of NumPy and CuPy: no data is read."""
        return f"<array of shape {array.shape}>"


_short = _Short()
_short.maxstring = _short.maxother = 40


def with_values(reason, name, args, kwargs) -> str:
    """`reason`, which is about a call of the function `name`, with the values of its arguments.

    Shared code calls any image ``image``, and several ``images``: they get their names. What
    matters of arrays given as images, shape or dtype, a reason says itself.
    """
    subject = _SUBJECT.match(reason)
    if subject is None:
        return reason
    try:
        arguments = signature(name).bind(*args, **kwargs)
    except TypeError:
        return reason
    given = set(arguments.arguments)
    arguments.apply_defaults()
    images = row_of(name).images
    rest = reason[subject.end() :]

    if rest.startswith(" is given"):  # whatever it is
        return reason

    def told(word):
        word = word[0]
        if word not in arguments.arguments:
            if word == "images" or (word == "image" and len(images) == 1):
                return " and ".join(images) or word
            return word
        value = arguments.arguments[word]
        if value is None and word not in given:
            return word
        if word in images and hasattr(value, "shape"):
            return word
        if getattr(value, "shape", ()) != () and not isinstance(value, type):
            return f"{word} of shape {value.shape}"
        shown = getattr(value, "__name__", None) or _short.repr(value)
        return word if rest.startswith(f" is {shown}") else f"{word}={shown}"

    return re.sub(r"\w+", told, subject[0]) + rest


class TooSmall:
    """Reason of the most frequent decline, put into words only where it is told."""

    __slots__ = ("as_set", "backend", "least", "name", "size")

    def __init__(self, name, size, least, as_set, backend):
        self.name = name
        self.size = size
        self.least = least
        self.as_set = as_set  # by the user, for all functions
        self.backend = backend

    def __str__(self):
        own = self.name in OWN_FUNCTIONS  # which users do not know
        function = "the call" if own else self.name.partition(":")[2]
        size, least = _words.size(self.size), self.least
        if self.as_set:
            return f"image is {size}; SKIMAGE_BACKENDS_MIN_SIZE is {_words.size(least)}"
        never = least == float("inf")
        if self.backend == "gpu":
            if never:
                return f"image is {size}; {function} of NumPy arrays does not pay off on the GPU"
            return f"image is {size}; {function} pays off on the GPU from {_words.size(least)}"
        if never:
            return f"image is {size}; {function} does not pay off with the cpu backend"
        return (
            f"image is {size}; {function} pays off with the cpu backend from {_words.size(least)}"
        )
