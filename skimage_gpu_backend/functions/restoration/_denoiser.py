"""A function of scikit-image that the caller hands over, which is called on the device.

No Python function is called: the plan of its call is made, and run as often as it is asked for.
"""

import functools
from typing import NamedTuple

from ...adapt.kinds import kind_of
from ...catalog import CATALOG, spoken
from ...device.launches import Array, Cost
from ...plan import Declined, Invalid, Plan, warned
from ...scikit_image import function_called, signature, warnings_of_skimage2
from ...upstream.layout import copied_from
from .. import plan

_LONGEST = 1 << 16  # calls


class Denoiser(NamedTuple):
    """The call of a function that the caller has given for the argument `given_as`."""

    given_as: str
    parameter: str
    plan: Plan

    def __call__(self, image):
        """What it makes of an image, on the device.

        Raises
        ------
        Declined
            It is no image of floats in single or double precision.
        """
        made = self.plan.run(**{self.parameter: image})
        dtype = getattr(made, "dtype", None)
        if dtype not in ("float32", "float64") or made.ndim != image.ndim:
            raise Declined(
                f"{self.given_as} gives no image of floats with as many axes; give a function that "
                "does, as skimage.restoration.denoise_tv_chambolle"
            )
        return made

    def cost(self, calls, own) -> Cost | None:
        """Of so many calls, and of the launches around them."""
        each = self.plan.cost
        if each is None:
            return None
        sums = (calls * more + rest for more, rest in zip(each[:3], own[:3], strict=True))
        return Cost(*sums, each.between + own.between)


def denoiser(given_as, function, image, keywords) -> Denoiser:
    """What calls `function` with an image of that shape and dtype, and these keywords.

    Raises
    ------
    Declined
        It is none of scikit-image's functions, or its call is not for the device.
    """
    if not callable(function):
        raise Invalid(f"{given_as} cannot be called; give a function")
    if type(function) is functools.partial:
        if function.args:
            raise Declined(f"{given_as} has an argument before the image; give it by its name")
        function, keywords = function.func, function.keywords | keywords
    name = _public_name(function)
    if name is None:
        raise Declined(
            f"{given_as} is none of scikit-image's functions that have kernels, and "
            "kernels call no other; give one, or functools.partial of one"
        )
    parameter = next(iter(signature(name).parameters))
    row = CATALOG[name]
    if parameter not in row.images:
        raise Declined(f"{given_as} takes no image first; nothing to change")
    for word, value in keywords.items():
        is_array = kind_of(value) is not None or getattr(value, "ndim", 0)
        if is_array or (word in row.arrays and value is not None):
            raise Declined(f"{given_as} is given arrays beside the image; give numbers")
    try:
        planned = plan(name, (Array(image.shape, image.dtype),), keywords)
    except Invalid:
        raise
    except Declined as declined:
        raise Declined(
            f"{given_as} calls {spoken(name)} with what its kernels do not take; give other "
            f"arguments ({declined.key})"
        ) from None
    for text, category in warnings_of_skimage2(name):  # each call warns in scikit-image
        planned = warned(planned, text, category)
    return Denoiser(given_as, parameter, planned)


def refuse_many(parameter, calls):
    """Refuse more calls than anybody waits for."""
    if calls > _LONGEST:
        raise Declined(f"{parameter} asks for more than {_LONGEST:,} calls; give a smaller number")


def _public_name(function):
    """Name in the catalog of a function of scikit-image, or of what that is a copy of; or None."""
    for name in _by_last_name().get(getattr(function, "__name__", None), ()):
        called = function_called(name)
        if function is called or function is copied_from(called):
            return name
    return None


@functools.cache
def _by_last_name():
    names = {}
    for name in CATALOG:
        names.setdefault(name.partition(":")[2], []).append(name)
    return names
