"""Entry points `skimage_backends`: the two backends as scikit-image's protocol sees them."""

from .adapt.kinds import has_device_array
from .availability import DeviceTrouble
from .decide import Decision, decide, scikit_image_function


class Backend:
    """A backend of ours in scikit-image's protocol.

    Parameters
    ----------
    name : {"gpu", "cucim"}
        As registered.
    """

    def __init__(self, name):
        self.name = name

    def decide(self, name, args, kwargs) -> Decision:
        """Whether the call is taken, with the reason; our own dispatcher asks this."""
        return decide(self.name, name, args, kwargs)

    def can_has(self, name, *args, **kwargs) -> bool:
        """Whether the call is taken."""
        return bool(decide(self.name, name, args, kwargs))

    def get_implementation(self, name):
        """Function that runs the call with the caller's own arguments.

        For dispatchers that know only the protocol: trouble of the device, or a call that
        `can_has` declines, ends on scikit-image's own function, with a notification.
        """

        def implementation(*args, **kwargs):
            decision = decide(self.name, name, args, kwargs)
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
    function = scikit_image_function(name)
    if function.__globals__["__name__"] == "skimage.util._backends":
        function = function.__wrapped__  # scikit-image's dispatcher would ask us again
    if not has_device_array(args, kwargs):
        return function(*args, **kwargs)
    args, kwargs, back = moved_to_host(args, kwargs)
    return back(function(*args, **kwargs))


gpu = Backend("gpu")
cucim = Backend("cucim")
