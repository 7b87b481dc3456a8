"""`skimage.color.label2rgb` on the device.

cuCIM's paints the lowest label as background where no pixel is background, cannot leave the
background as it is, and sums colours in single precision in an order that is chance.
"""

import cupy as cp
import numpy as np
from cucim.skimage import color

from .._warn import warn_caller
from ..device.dtypes import float_type
from ..functions.color.label2rgb import Colors, averaged, table_of
from ._precision import scaled


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
        background = np.array(bg_color, image.dtype)
        return cp.moveaxis(averaged(label, image, bg_label, background), -1, channel_axis)
    if kind != "overlay":
        raise ValueError("`kind` must be either 'overlay' or 'avg'")
    if not 0 <= saturation <= 1:
        warn_caller(f"saturation must be in range [0, 1], got {saturation}", UserWarning)
    under = None if image is None else _underlay(image, label, image_alpha, saturation)
    if under is None:
        under, alpha = cp.zeros((*label.shape, 3)), 1
    paint = Colors(table_of(colors, bg_color), alpha, bg_label, bg_color is None)
    ranks, table, bare = paint(label)
    result = cp.asarray(table)[ranks] + under * (1 - alpha)
    result = cp.where(cp.asarray(bare)[ranks][..., cp.newaxis], under, result)
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
