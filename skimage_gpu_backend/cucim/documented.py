"""Arguments as scikit-image documents them: cuCIM is given no others.

Each of the two checks some arguments and takes others as they come, and not the same ones: what
scikit-image refuses, cuCIM may answer. So a call goes to cuCIM where its images have elements and
each argument beside them is what scikit-image documents for it (`domains`). Whatever else may be
given, scikit-image answers itself, by a result or by an exception of its own.
"""

import functools

import numpy as np

from ..adapt.kinds import kind_of, unsupported_dtype
from ..catalog import CATALOG
from ..primitives.arguments import is_writeable
from ..scikit_image import signature
from ..trouble import Declined
from .domains import AXES_OF, AXIS, BY_NAME, OF_FUNCTIONS


@functools.cache
def defaults(name):
    """What the optional arguments of a function are where nobody gives them, by their names."""
    return {
        parameter.name: {} if parameter.kind is parameter.VAR_KEYWORD else parameter.default
        for parameter in signature(name).parameters.values()
        if parameter.default is not parameter.empty or parameter.kind is parameter.VAR_KEYWORD
    }


@functools.cache
def domains(name):
    """Domains of a function's parameters, by their names; images have none."""
    own = _own(name)
    return {
        parameter.name: own.get(parameter.name) or BY_NAME.get(parameter.name)
        for parameter in signature(name).parameters.values()
        if parameter.name not in CATALOG[name].images
        and parameter.kind is not parameter.VAR_KEYWORD
    }


def _own(name):
    return OF_FUNCTIONS.get(name.removeprefix("skimage."), {})


def why_odd(name, call, given) -> Declined | None:
    """Why this is no call as scikit-image documents it, else None.

    Parameters
    ----------
    name : str
        Public module and function.
    call : dict
        All arguments, defaults filled in; further keywords in a dict of their own.
    given : dict
        Those that the caller gave.
    """
    axes = ()
    for parameter in reversed(CATALOG[name].images):
        image = call[parameter]
        for each in image if isinstance(image, list | tuple) else (image,):
            axes = getattr(each, "shape", None)
            if axes == ():
                return Declined(f"{parameter} has no axes; nothing to change")
            if axes and 0 in axes:
                return Declined(f"{parameter} has no elements; nothing to change")
    axes = axes or ()
    counts = AXES_OF.get(name.removeprefix("skimage."))
    if counts and len(axes) not in counts:
        return Declined(
            f"image has {len(axes)} axes; give one with {' or '.join(map(str, counts))}"
        )
    known, own, usual = domains(name), _own(name), defaults(name)
    channel = call.get("channel_axis")
    if channel is not None:
        if not known["channel_axis"].holds(channel, axes):
            return _odd("channel_axis", channel, AXIS)
        axes = axes[:channel] + axes[channel + 1 or len(axes) :]
        if not axes:
            return Declined("image has no axis beside its channels; nothing to change")
    for parameter, value in _flat(given, known, CATALOG[name].images):
        domain = known.get(parameter) or own.get(parameter) or BY_NAME.get(parameter)
        if domain is None:
            return Declined(
                f"{parameter} has no GPU version; leave it out, which changes the result"
            )
        left_out = value is None and usual.get(parameter, 0) is None
        if left_out or parameter == "channel_axis":
            continue
        if dtype := _on_no_gpu(value):
            return Declined(
                f"{parameter} has dtype {dtype}, which no GPU has; give float64 or smaller "
                "integers, which changes the result"
            )
        if parameter == "out" and not is_writeable(value):
            return Declined("out is read-only; give an array that can be written")
        if not domain.holds(value, axes):
            return _odd(parameter, value, domain)
    return None


def _flat(given, known, images):
    """Arguments beside the images, with those that a function hands on."""
    for parameter, value in given.items():
        if parameter in known:
            yield parameter, value
        elif parameter not in images:
            yield from value.items()


def _on_no_gpu(value):
    """Name of a dtype of an array, or of one in lists and tuples, that no device has."""
    if isinstance(value, list | tuple):
        return next(filter(None, map(_on_no_gpu, value)), None)
    return str(value.dtype) if kind_of(value) and unsupported_dtype(value.dtype) else None


def _odd(parameter, value, domain):
    as_plain = f"{parameter}.item(), " if isinstance(value, np.generic) else ""
    return Declined(f"{parameter} is not what the GPU takes; give {as_plain}{domain.told}")
