"""skimage.exposure.is_low_contrast."""

import functools

from skimage.util import dtype_limits

from ...device.launches import Cost
from ...devices import to_host
from ...plan import Declined, Invalid, Plan
from ...primitives.arguments import is_real
from ...primitives.histogram import cost
from ...primitives.percentiles import percentiles_of
from ...primitives.value_range import value_range
from ..color.gray import rgb2gray, rgba2rgb


def is_low_contrast(
    image, fraction_threshold=0.05, lower_percentile=1, upper_percentile=99, method="linear"
):
    """Whether the values span a small part of their type: `skimage.exposure.is_low_contrast`.

    8-bit and boolean images: 1 launch, read once. 16-bit images: 2 launches, read twice.
    Floating images: as `elements_at`. Colour images: 1 or 2 launches more, which make them
    gray. Counts come to the host.
    """
    if image.size == 0:
        raise Declined("image is empty; nothing to change")
    if image.dtype.kind == "b":
        return Plan(_is_constant, cost=Cost(1, image.nbytes, 0))
    percentiles = lower_percentile, upper_percentile
    if not all(map(is_real, percentiles)):
        raise Declined(
            "lower_percentile or upper_percentile is not a number; give numbers, as 1 and 99"
        )
    if not all(0 <= percentile <= 100 for percentile in percentiles):
        raise Invalid("a percentile lies beyond 0 and 100")
    if not is_real(fraction_threshold):
        raise Declined("fraction_threshold is not a number; give one, as 0.05")
    judge = functools.partial(_spans_less, fraction_threshold, percentiles)
    if image.ndim == 3 and image.shape[2] in (3, 4):
        return Plan(functools.partial(_of_gray, judge))
    if image.dtype.kind != "f" and image.dtype.itemsize > 2:
        raise Declined(
            f"image is {image.dtype}, of which no kernel finds percentiles; give floats, "
            "or integers of at most 16 bits"
        )
    return Plan(judge, cost=None if image.dtype.kind == "f" else cost(image, 256))


def _is_constant(image):
    low, high = to_host(value_range(image))[:2]
    return not (high == 1 and low == 0)


def _of_gray(judge, image):
    if image.shape[2] == 4:
        image = rgba2rgb(image).run(rgba=image)
    return judge(rgb2gray(image).run(rgb=image))


def _spans_less(fraction_threshold, percentiles, image):
    return is_less(percentiles_of(image, percentiles), image, fraction_threshold)


def is_less(found, image, fraction_threshold):
    """Whether two percentiles span a smaller part of the image's type than that."""
    lower, upper = found
    low, high = dtype_limits(image, clip_negative=False)
    return (upper - lower) / (high - low) < fraction_threshold
