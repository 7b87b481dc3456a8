"""Warnings that point at the user's line, from whatever depth they are raised."""

import sys
import warnings
from contextlib import contextmanager
from contextvars import ContextVar

_OURS = ("skimage_gpu_backend", "skimage", "_skimage2", "skimage2", "importlib", "cucim", "cupy")


_gathered = ContextVar("skimage_gpu_backend.gathered_warnings", default=None)


def warn_caller(message, category, count=None):
    """Warn, in scikit-image's place, as if its caller had.

    A `count` takes the place of ``{count}`` in the message.
    """
    _emit(message, category, count, False)


def notify_caller(message, category=UserWarning):
    """Report something about this package itself, at the line of the caller.

    It never ends the program under ``-W error``: only a filter that names its category or its text
    makes it an error. All messages of this package that are not scikit-image's go this way.
    """
    _emit(message, category, None, True)


def _emit(message, category, count, is_own):
    gathered = _gathered.get()
    if gathered is not None:
        gathered.append((message, category, count, is_own))
        return
    frame = sys._getframe(1)
    while frame.f_back and frame.f_globals.get("__name__", "").partition(".")[0] in _OURS:
        frame = frame.f_back
    text = message if count is None else message.format(count=count)
    place = frame.f_code.co_filename, frame.f_lineno
    registry = frame.f_globals.setdefault("__warningregistry__", {})
    try:
        warnings.warn_explicit(
            text,
            category,
            *place,
            module=frame.f_globals.get("__name__", "<unknown>"),
            registry=registry,
        )
    except category as error:
        if not is_own or _is_meant(text, category):
            raise
        warnings.showwarning(error, category, *place)
        registry[text, category, frame.f_lineno] = True  # shown once for each line, as by default


def _is_meant(text, category):
    """Whether a filter turns this very warning into an error, and not all there are."""
    return any(
        action == "error" and (of is category or (starts and starts.match(text)))
        for action, starts, of, *_ in warnings.filters
    )


def forget():
    """Forget what this call has warned of so far, since it runs again."""
    gathered = _gathered.get()
    if gathered is not None:
        gathered.clear()


@contextmanager
def unheard(category=Warning):
    """Forget warnings of a category meanwhile; others are told at the end."""
    with gathering() as heard:
        try:
            yield
        finally:
            heard[:] = [each for each in heard if not issubclass(each[1], category)]


class gathering:
    """Warn at the end of what a call warns of.

    What several `parts` of it warn of is told once; counts are added up.

    Where an exception ends the call, nobody is warned unless `tell` is called: whoever runs the
    call in its place warns by itself. So does the call where a part of it, for which there was no
    room, runs again.
    """

    def __init__(self, *, parts=False):
        self._parts = parts

    def __enter__(self):
        self._warnings = []
        self._token = _gathered.set(self._warnings)
        return self._warnings

    def __exit__(self, kind, *error):
        _gathered.reset(self._token)
        is_part = _gathered.get() is not None
        if kind is None or (is_part and not issubclass(kind, MemoryError)):
            self.tell()

    def tell(self):
        """Warn, or hand on to the whole call of which this is a part."""
        for each in self._once() if self._parts else self._warnings:
            _emit(*each)

    def _once(self):
        counts = {}
        for message, category, count, is_own in self._warnings:
            key = message, category, is_own
            counts[key] = count if count is None else counts.get(key, 0) + count
        return [
            (message, category, count, is_own)
            for (message, category, is_own), count in counts.items()
        ]
