"""Entry points `skimage_backends`: the two backends as scikit-image's protocol sees them."""

import functools

from .adapt.kinds import device_kind
from .decide import decide
from .scikit_image import function_called
from .trouble import DeviceTrouble


class Backend:
    """A backend of ours in scikit-image's protocol.

    Parameters
    ----------
    name : {"gpu", "cucim"}
        As registered.

    Attributes
    ----------
    decide : callable
        Takes a function's name, the caller's arguments as tuple and dict, and answers with
        a `Decision`: whether the call is taken, and why not. Our own dispatcher asks this.
    trouble : exception type
        By which a call that was taken turns out to be declined.
    """

    trouble = DeviceTrouble

    def __init__(self, name):
        self.name = name
        self.decide = functools.partial(decide, name)

    def can_has(self, name, *args, **kwargs) -> bool:
        """Whether the call is taken."""
        return bool(self.decide(name, args, kwargs))

    def get_implementation(self, name):
        """Function that runs the call with the caller's own arguments.

        For dispatchers that know only the protocol: trouble of the device, or a call that
        `can_has` declines, ends on scikit-image's own function, with a notification.
        """

        def implementation(*args, **kwargs):
            decision = self.decide(name, args, kwargs)
            reason = decision.reason
            if decision:
                try:
                    return decision.run()
                except DeviceTrouble as trouble:
                    reason = trouble.reason
            return _run_without_backend(self.name, name, reason, args, kwargs)

        return implementation


def _run_without_backend(backend, name, reason, args, kwargs):
    from .adapt.host import moved_to_host
    from .dispatch import notify

    notify.declined(name, [(backend, reason, reason)])
    function = function_called(name)
    if function.__globals__["__name__"] == "skimage.util._backends":
        function = function.__wrapped__  # scikit-image's dispatcher would ask us again
    if not device_kind(args, kwargs):
        return function(*args, **kwargs)
    args, kwargs, back = moved_to_host(args, kwargs)
    return back(function(*args, **kwargs))


gpu = Backend("gpu")
cucim = Backend("cucim")
