"""What the user is told about where calls ran, at the line of the call.

``SKIMAGE_BACKENDS_NOTIFY``: ``fallback`` (the default) tells where a selected backend did not
run a call, once per function and reason, once for all functions where the machine is the reason;
``all`` tells every call; ``none`` nothing. A notification is no error under ``-W error``.
The logger ``skimage_gpu_backend`` gets each fallback as information, each call that was
dispatched for debugging.
"""

import logging

from ._warn import notify_caller
from .environ import reader
from .on_host import ON_HOST
from .scikit_image import private
from .trouble import Empty, Everywhere, Idle

_mode = reader("SKIMAGE_BACKENDS_NOTIFY")
_told = set()
reported = False  # whether a report will tell what ran where, unless the variable asks for more
_log = logging.getLogger("skimage_gpu_backend")

_HIDE = "Set SKIMAGE_BACKENDS_NOTIFY=none to hide this."
_SHARED = "Other calls with this reason are not reported."
NO_ROOM = "they do not fit into the device's memory, a quarter of which is left for calls"


def dispatched(function, backend, declined=()):
    """Tell that `backend` takes a call of `function`.

    Parameters
    ----------
    function : str
        Public module and function.
    backend : str
        Name of the backend that takes the call.
    declined : sequence of (str, str, str)
        Backends that were asked before: name, reason, reason without the numbers of the call.
    """
    if _log.isEnabledFor(logging.DEBUG):
        _log.debug("%s runs on %s", function, backend)
    if _to_be_told(function, declined) if declined else _mode() == "all":
        after = f" ({_reasons(declined)})" if declined else ""
        _warn(
            f"Call to '{function}' was dispatched to the '{backend}' backend{after}."
            " Set SKIMAGE_NO_DISPATCHING=1 to disable this."
        )


def declined(function, declined, *, host_copies=False):
    """Tell that no backend took a call, so that scikit-image's own function runs.

    Parameters
    ----------
    function : str
        Public module and function.
    declined : sequence of (str, str, str)
        Backend, reason, and reason without the numbers of the call, per backend asked.
    host_copies : bool, optional
        Whether device arrays are copied to the host for it.
    """
    if _log.isEnabledFor(logging.INFO):
        _log.info("%s runs on scikit-image: %s", function, _reasons(declined))
    if _to_be_told(function, declined, host_copies):
        copies = " Its device arrays are copied to the host and back." if host_copies else ""
        told = f"Call to '{function}' was not dispatched: {_reasons(declined)}."
        _warn(f"{told}{copies}{_shared(declined)} {_HIDE}")


def partly(function, parts):
    """Tell that scikit-image computes parts of a call that a backend has taken.

    Parameters
    ----------
    function : str
        Public module and function.
    parts : dict
        Why, and what of the result.
    """
    if _to_be_told(function, [("gpu", "", f"{part}: {reason}") for reason, part in parts.items()]):
        told = "; ".join(f"{part} ({reason})" for reason, part in parts.items())
        _warn(f"Call to '{function}' runs in scikit-image in part: {told}. {_HIDE}")


def ordinary_results(reason):
    """Tell, once, that results come to the host although they were to stay on the device."""
    if _to_be_told("results", [("", "", reason)]):
        _warn(f"Results are copied to the host: {reason}. {_HIDE}")


def _to_be_told(function, declined, host_copies=False):
    mode = _mode()
    if mode in ("all", "none") or reported:
        return mode == "all"
    if function in ON_HOST:  # a few numbers, of device arrays too
        return False
    is_new = False
    for backend, _, key in declined:
        if not isinstance(key, Empty if host_copies else Idle):
            told = (not isinstance(key, Everywhere) and function, backend, key)
            if told not in _told:
                _told.add(told)
                is_new = True
    return is_new


def _shared(declined):
    """What helps, and that it is told once, where the reason is not this call's alone."""
    shared = next((key for _, _, key in declined if isinstance(key, Everywhere)), None)
    if shared is None:
        return ""
    from .availability import advice

    helps = advice(shared)
    return f" What helps: {helps}. {_SHARED}" if helps else f" {_SHARED}"


def _reasons(declined):
    told = {}
    for backend, reason, _ in declined:
        told.setdefault(str(reason).rstrip("."), []).append(backend)
    return ". ".join(f"{' and '.join(asked)}: {reason}" for reason, asked in told.items())


def _warn(text):
    # scikit-image has been imported: one of its functions was called
    notify_caller(text, private("util._backends").DispatchNotification)
