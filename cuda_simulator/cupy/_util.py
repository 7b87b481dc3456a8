"""`memoize` and small helpers."""

import functools

from .cuda import runtime

_memos = []


def memoize(for_each_device=False):
    """Decorator: the result for the same arguments (and device) is computed once.

    Parameters
    ----------
    for_each_device : bool
        Whether each device has results of its own.
    """

    def decorator(function):
        memo = {}
        _memos.append(memo)

        @functools.wraps(function)
        def call(*args, **kwargs):
            device = runtime.getDevice() if for_each_device else None
            types = tuple(type(a) for a in (*args, *kwargs.values()))
            key = (device, args, frozenset(kwargs.items()), types)  # 1 is not 1.0
            if key not in memo:
                memo[key] = function(*args, **kwargs)
            return memo[key]

        return call

    return decorator


def clear_memo():
    """Forget the results of all functions that `memoize` decorates."""
    for memo in _memos:
        memo.clear()


def check_array(array, *, arg_name):
    """Refuse what is no device array."""
    from ._ndarray import ndarray

    if not isinstance(array, ndarray):
        raise TypeError(f"{arg_name} must be a cupy.ndarray, not {type(array)}")


def experimental(api_name):
    """Mark an experimental function; nothing is said here."""


class PerformanceWarning(Warning):
    """Something is slower than it needs to be."""
