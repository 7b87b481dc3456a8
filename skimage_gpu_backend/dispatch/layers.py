"""Results that come one after the other: the device may fail after some have been given."""

import collections
import itertools

from .. import notify
from ..failures import Failure, is_users


def resumed(results, function, backend, trouble, args, kwargs):
    """Items of `results`; where the device or a backend fails, the rest from scikit-image itself.

    It goes on from what the caller has made of the last item.

    Parameters
    ----------
    results : iterator
        From the backend.
    function : Function
        The generator function that was called.
    backend : str
    trouble : exception type or tuple of them
        By which a call turns out to be declined.
    args, kwargs
        The caller's own.
    """
    given, last = 0, None
    try:
        for last in results:
            yield last
            given += 1
        return
    except trouble as error:
        declined, failed = [(backend, error.reason, error.key)], None
    except Exception as error:
        if is_users(error):
            raise
        failed = Failure(error)
        declined = [(backend, failed.reason, failed.reason)]
    from ..adapt.kinds import device_kind

    on_device = device_kind(args, kwargs)
    if failed is None:
        notify.declined(function.name, declined, host_copies=on_device)
    back = _as_it_is
    if on_device:
        from ..adapt.host import moved_to_host

        args, kwargs, back = moved_to_host(args, kwargs)
    rest = function.original(*args, **kwargs)
    for item in collections.deque(itertools.islice(rest, given), maxlen=1):
        _write(item, last)
    rest = back(rest)
    if failed is not None:  # scikit-image may raise the same, then nobody is told
        first = list(itertools.islice(rest, 1))
        failed.log(function.name)
        notify.declined(function.name, declined, host_copies=on_device)
        yield from first
    yield from rest


def _write(item, callers):
    """Give scikit-image's `item` the elements that the caller's has now."""
    from ..adapt.host import moved_to_host
    from ..adapt.kinds import NUMPY, device_kind, kind_of

    if device_kind((callers,), {}):
        try:
            (callers,), _, _ = moved_to_host((callers,), {})
        except Exception:  # they are lost with the device
            return
    if kind_of(item) is kind_of(callers) is NUMPY and item.flags.writeable:
        item[...] = callers


def _as_it_is(result):
    return result
