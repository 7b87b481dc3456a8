"""Entry points `skimage_backends`: our backends as scikit-image's protocol sees them."""

import functools

from numpy import ndarray

from . import again, notify
from .adapt.kinds import CUPY, NUMPY, device_kind, kind_of
from .adapt.resident import block_of
from .cucim import decide as decide_cucim
from .decide import decide
from .decision import Decision
from .dispatch import selection
from .environ import reader
from .execute import staying, trouble_of
from .failures import Failure, is_users
from .scikit_image import own_function
from .sizes import least
from .targets import CPU, GPU
from .trouble import DeviceTrouble, Lazy

_MOST = 4096  # declined calls that are kept
_min_size = reader("SKIMAGE_BACKENDS_MIN_SIZE")


class Backend:
    """A backend of ours in scikit-image's protocol.

    Attributes
    ----------
    name : str
        As registered.
    trouble : exception type
        By which a call that was taken turns out to be declined.
    """

    trouble = DeviceTrouble

    def decide(self, name, args, kwargs, selected=None):
        """`Decision` of a call: whether it is taken, and why not.

        Our own dispatcher calls this.

        Parameters
        ----------
        name : str
            Public module and function.
        args : tuple
        kwargs : dict
            The caller's arguments.
        selected : Selection, optional
            What the call may do; by default what is selected here and now.
        """
        try:
            return self._decide(name, args, kwargs, selected or selection.current())
        except Exception as error:  # small arrays of the device are read to decide
            if trouble := trouble_of(error):
                return Decision(trouble.reason)
            failure = Failure(error, "to decide")
            failure.log(name)
            return Decision(failure.reason)

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
            if decision:
                try:
                    return decision.run()
                except DeviceTrouble as trouble:
                    decision = trouble
                except Exception as error:
                    if is_users(error):
                        raise
                    decision = Decision(Failure(error).reason)
            told = [(self.name, decision.reason, decision.key)]
            return _run_without_backend(told, name, args, kwargs)

        return implementation


class Kernels(Backend):
    """A backend that runs our kernels.

    Parameters
    ----------
    target : Target
        The device.
    """

    def __init__(self, target):
        self.name, self._target = target.backend, target

    def decide(self, name, args, kwargs, selected=None):
        if args and type(image := args[0]) is ndarray:  # most calls: the cheapest question first
            key = self.name, name, image.dtype, image.nbytes, _min_size()
            declined = least.declined.get(key)
            if declined is not None:
                selected = selected or selection.current()
                takes_numpy = self.name in selected.backends
                takes_numpy = takes_numpy and not self._target.why_no_numpy(selected)
                if takes_numpy and not block_of(image):
                    return declined
        return super().decide(name, args, kwargs, selected)

    def _decide(self, name, args, kwargs, selected):
        whole = functools.partial(decide, name, args, kwargs, selected, self._target)
        found = again.key_of(self._target, name, args, kwargs)
        if found and (decision := again.decision(self._target, *found, selected, whole)):
            return decision
        decision = whole()
        if found and decision.plan:
            again.keep(*found, name, args, kwargs, decision.plan)
        if decision.key == "size" and least.is_for_first_argument(name):
            image = args[0] if args else None
            if type(image) is ndarray and len(least.declined) < _MOST:
                least.declined[self.name, name, image.dtype, image.nbytes, _min_size()] = decision
        if type(decision.key) is Lazy:
            from .lazy.decide import decide as decide_lazy

            return decide_lazy(name, args, kwargs, selected)
        return decision


class Gpu(Kernels):
    """The ``gpu`` backend."""

    def kept(self, name, image):
        """`image` as a NumPy array whose data stays on the device, if the function `name` takes it.

        Else the image itself. So a method whose steps all read it has it copied once.
        """
        kind = kind_of(image)
        if kind not in (NUMPY, CUPY) or image.ndim != 2 or not image.dtype.isnative:
            return image
        if (kind is NUMPY and block_of(image)) or not self.decide(name, (image,), {}):
            return image
        try:
            return staying(image)
        except DeviceTrouble:  # the steps tell of it
            return image


class Cucim(Backend):
    """The ``cucim`` backend: NVIDIA's cuCIM."""

    name = "cucim"
    _decide = staticmethod(decide_cucim)


def _run_without_backend(declined, name, args, kwargs):
    from .adapt.host import moved_to_host

    notify.declined(name, declined)
    function = own_function(name)  # scikit-image's dispatcher would ask us again
    if not device_kind(args, kwargs):
        return function(*args, **kwargs)
    args, kwargs, back = moved_to_host(args, kwargs)
    return back(function(*args, **kwargs))


cpu = Kernels(CPU)
gpu = Gpu(GPU)
cucim = Cucim()
