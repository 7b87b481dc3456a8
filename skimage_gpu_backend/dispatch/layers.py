"""Results that come one after the other: the device may fail after some have been given."""

import itertools

from .. import notify


def resumed(results, function, backend, trouble, args, kwargs):
    """Items of `results`; where the device fails, the rest from scikit-image's own function.

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
    given = 0
    try:
        for result in results:
            yield result
            given += 1
        return
    except trouble as error:
        declined = [(backend, error.reason, error.key)]
    from ..adapt.kinds import device_kind

    on_device = device_kind(args, kwargs)
    notify.declined(function.name, declined, host_copies=on_device)
    back = _as_it_is
    if on_device:
        from ..adapt.host import moved_to_host

        args, kwargs, back = moved_to_host(args, kwargs)
    rest = function.original(*args, **kwargs)
    yield from map(back, itertools.islice(rest, given, None))


def _as_it_is(result):
    return result
