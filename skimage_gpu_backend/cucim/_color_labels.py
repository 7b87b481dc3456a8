"""`skimage.color.label2rgb` on the device.

cuCIM's paints the lowest label as background where no pixel is background, cannot leave the
background as it is, and sums colours in single precision in an order that is chance.
"""

import itertools

import cupy as cp
import numpy as np
from cucim.skimage import color
from skimage.color.colorlabel import DEFAULT_COLORS, _rgb_vector

from .._warn import warn_caller
from ..trouble import Declined
from ._precision import scaled
from ._results import float_type


def label2rgb(
    theirs,
    label,
    image=None,
    colors=None,
    alpha=0.3,
    bg_label=0,
    bg_color=(0, 0, 0),
    image_alpha=1,
    kind="overlay",
    saturation=0,
    channel_axis=-1,
):
    """As `skimage.color.label2rgb`."""
    if image is not None:
        image = cp.moveaxis(image, channel_axis, -1)
    if kind == "avg":
        return cp.moveaxis(_average(label, image, bg_label, bg_color), -1, channel_axis)
    if kind != "overlay":
        raise ValueError("`kind` must be either 'overlay' or 'avg'")
    if not 0 <= saturation <= 1:
        warn_caller(f"saturation must be in range [0, 1], got {saturation}", UserWarning)
    under = None if image is None else _underlay(image, label, image_alpha, saturation)
    offset = min(int(label.min()), bg_label)
    if label.dtype.kind in "iu" and int(label.max()) - offset > np.iinfo(label.dtype).max:
        raise Declined(
            "label has labels farther apart than its dtype holds, which wrap around in "
            "scikit-image; give label.astype(numpy.int64)"
        )
    place, is_background = _places(label, bg_label)
    named = [_rgb_vector(color) for color in (DEFAULT_COLORS if colors is None else colors)]
    cycle = itertools.cycle(named)
    background = _rgb_vector((0, 0, 0) if bg_color is None else bg_color)
    count = int(place.max()) + 1
    table = np.stack(list(itertools.islice(itertools.chain([background], cycle), count)))
    if under is None:
        under, alpha = cp.zeros((*label.shape, 3)), 1
    result = cp.asarray(table)[place] * alpha + under * (1 - alpha)
    if bg_color is None and bool(is_background.any()):
        # among the numbers of colours, as scikit-image looks for it
        shown = (place == bg_label - offset)[..., np.newaxis]
        result = cp.where(shown, under, result)
    return cp.moveaxis(result, -1, channel_axis)


def _underlay(image, label, image_alpha, saturation):
    """The image in gray, or less saturated, between which colours are laid."""
    if image.shape[: label.ndim] != label.shape or image.ndim > label.ndim + 1:
        raise ValueError("`image` and `label` must be the same shape")
    if image.ndim == label.ndim + 1 and image.shape[-1] != 3:
        raise ValueError("`image` must be RGB (image.shape[-1] must be 3).")
    if image.dtype.kind in "if" and bool(image.min() < 0):
        warn_caller("Negative intensities in `image` are not supported", UserWarning)
    image = scaled(image).astype(float_type(image.dtype), copy=False)
    if image.ndim > label.ndim:
        hsv = color.rgb2hsv(image)
        hsv[..., 1] *= saturation
        image = color.hsv2rgb(hsv)
    else:
        image = color.gray2rgb(image)
    return image * image_alpha + (1 - image_alpha)


def _places(label, bg_label):
    """Number of each pixel's colour: 0 for the background, then as labels rise."""
    flat = label.ravel()
    values, place = cp.unique(
        flat.view(cp.uint8) if flat.dtype.kind == "b" else flat, return_inverse=True
    )
    is_background = label == bg_label
    rank = int(cp.searchsorted(values, cp.asarray([bg_label], np.int64))[0])
    if bool(is_background.any()):
        place = cp.where(place < rank, place + 1, place).reshape(label.shape)
        return cp.where(is_background, 0, place), is_background
    return place.reshape(label.shape) + 1, is_background


def _average(label, image, bg_label, bg_color):
    flat = label.ravel()
    flat = flat.view(cp.uint8) if flat.dtype.kind == "b" else flat
    _, place, counts = cp.unique(flat, return_inverse=True, return_counts=True)
    planes = (image[..., channel].ravel().astype(float) for channel in range(3))
    means = cp.stack([cp.bincount(place, plane) / counts for plane in planes], axis=-1)
    out = means.astype(image.dtype)[place].reshape(image.shape)
    background = cp.asarray(np.array(bg_color, image.dtype))
    return cp.where((label == bg_label)[..., np.newaxis], background, out)
