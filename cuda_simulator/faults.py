"""Operations that fail: told before they happen, to whoever then raises what a device would.

Examples
--------
>>> from cuda_simulator import faults
>>> with faults.observed(print):
...     faults.meet("launch")
launch
"""

import contextlib
import functools

# What is told. A lost device fails all of them; one alone may fail but for the last two: nothing is
# known of a device whose `query` fails, and what `free` raises nobody gets.
KINDS = (
    *("allocation", "managed", "pinned", "prefetch"),
    *("launch", "to_device", "to_host"),
    *("stream", "event", "wait"),
    *("sort", "blas", "linalg", "fft", "random", "sparse"),
    *("query", "free"),
)
_observer = None


@contextlib.contextmanager
def observed(observer):
    """Tell of operations inside a ``with`` block, in any thread.

    Parameters
    ----------
    observer : callable
        Called with one of ``KINDS`` before each operation, which fails with what it raises.

    Yields
    ------
    None
    """
    global _observer
    before, _observer = _observer, observer
    try:
        yield
    finally:
        _observer = before


def meet(kind):
    """Tell that an operation begins."""
    if _observer is not None:
        _observer(kind)


def meeting(kind, function):
    """`function`, told of when it is called."""

    @functools.wraps(function)
    def told(*args, **kwargs):
        meet(kind)
        return function(*args, **kwargs)

    return told
