"""What scikit-image 0.27 changed in its blob functions: `prescale` and `threshold_rel`."""

import functools

import numpy as np

from ..._warn import warn_caller
from ...device.launches import Array
from ...devices import xp
from ...plan import Declined, Invalid, Plan, warned
from ...primitives.gaussian import DOUBLE, working
from ...primitives.value_range import host_ranges
from ...scikit_image import deprecation


def prescaled(function):
    """Decorator of a planner, which gets an image in the range of `prescale`.

    The range of integers is converted where they are loaded ("legacy"). Else 1 launch makes an
    image of floats; "minmax" takes 2 more, for the range and for numbers too small to divide.
    """

    @functools.wraps(function)
    def planned(image, *args, prescale="legacy", **named):
        is_deprecated = "threshold_rel" in named
        named = {"threshold_rel": None} | named
        if not isinstance(prescale, str) or prescale not in ("none", "legacy", "minmax"):
            raise Invalid("prescale is unknown; give 'none', 'legacy' or 'minmax'")
        if prescale == "legacy" or (prescale == "none" and image.dtype.kind not in "iu"):
            plan = function(image, *args, **named)
        else:
            dtype, convert = working(image.dtype), _minmax
            if prescale == "none":
                dtype, convert = DOUBLE, _astype
            inner = function(Array(image.shape, dtype, "image"), *args, **named)
            plan = Plan(lambda image: inner.run(image=convert(image, dtype)))
        if is_deprecated:
            name = f"skimage.feature:{function.__name__}"
            plan = warned(plan, deprecation(name, "threshold_rel"), FutureWarning)
        return plan

    return planned


def _astype(image, dtype):
    return image.astype(dtype)


def _minmax(image, dtype):
    """As `skimage2.util.rescale_minmax`."""
    low, high, _ = (dtype.type(number) for number in host_ranges(image)[0])
    for is_one, name in ((np.isnan(low), "NaN"), (np.isinf([low, high]).any(), "inf")):
        if is_one:
            raise ValueError(
                f"`image` contains {name}. Min-max normalization with {name} is not supported. "
                f"Replace {name}{'' if name == 'inf' else 's'} manually before rescaling."
            )
    if low == high:
        text = "`image` is uniform, returning uniform array of 0's"
        warn_caller(text, RuntimeWarning)
        return xp.zeros(image.shape, dtype)
    with np.errstate(over="ignore"):
        span = high - low
    scaled = (image.astype(dtype) - low) / span
    if not np.isfinite(span) or bool(((scaled > 0) & (scaled < np.finfo(dtype).tiny)).any()):
        raise Declined(
            "image spans more, or has smaller differences, than its dtype holds; give a rescaled "
            "one, which changes the result"
        )
    return scaled
