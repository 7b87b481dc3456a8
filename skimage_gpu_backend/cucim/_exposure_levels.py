"""Changes of intensity levels, as scikit-image makes them.

cuCIM computes with small integers in single precision, scikit-image in double.
"""

from numbers import Number

import cupy as cp
import numpy as np
from cucim.skimage import color, util

from ..device.dtypes import float_type
from ..scikit_image import on_host
from ._precision import scaled


def _by_table(name):
    """Correction for integers of one and two bytes: scikit-image itself tells their values.

    The numbers are cut off to integers, so that the last bit of a power, which the GPU rounds
    otherwise, would be seen; and a table is read faster than a power is found.
    """

    def correct(theirs, image, **parameters):
        if image.dtype.kind == "f" or (image.dtype.kind == "i" and bool((image < 0).any())):
            return theirs(image=image, **parameters)  # which refuses negative values
        if image.dtype.kind == "b":
            image, levels = image.view(cp.uint8), np.array([False, True])
        else:
            levels = np.arange(np.iinfo(image.dtype).max + 1, dtype=image.dtype)
        return cp.asarray(on_host(name, levels, **parameters))[image]

    return correct


adjust_gamma = _by_table("skimage.exposure:adjust_gamma")
adjust_log = _by_table("skimage.exposure:adjust_log")
adjust_sigmoid = _by_table("skimage.exposure:adjust_sigmoid")


def rescale_intensity(theirs, image, in_range="image", out_range="dtype"):
    """As `skimage.exposure.rescale_intensity`."""
    if not isinstance(out_range, list | tuple):
        return theirs(image=image, in_range=in_range, out_range=out_range)
    if isinstance(in_range, str) and in_range == "dtype":
        in_range = image.dtype.type
    image = image if image.dtype.kind == "f" else image.astype(float)
    return theirs(image=image, in_range=in_range, out_range=out_range)


def is_low_contrast(theirs, image, **parameters):
    """As `skimage.exposure.is_low_contrast`."""
    if image.ndim == 3 and image.shape[2] in (3, 4) and image.dtype.kind != "b":
        image = scaled(image)
    return theirs(image=image, **parameters)


def equalize_adapthist(theirs, image, kernel_size=None, clip_limit=0.01, nbins=256):
    """As `skimage.exposure.equalize_adapthist`."""
    if image.ndim != 3 or image.shape[-1] not in (3, 4):
        return _equalized(image, kernel_size, clip_limit, nbins)
    hsv = color.rgb2hsv(scaled(image[:, :, :3]))
    hsv[:, :, 2] = _equalized(hsv[:, :, 2], kernel_size, clip_limit, nbins)
    return color.hsv2rgb(hsv)


def _equalized(image, kernel_size, clip_limit, nbins):
    from cucim.skimage import exposure
    from cucim.skimage.exposure._adapthist import NR_OF_GRAY, _clahe

    levels = util.img_as_uint(image)
    levels = rescale_intensity(exposure.rescale_intensity, levels, out_range=(0, NR_OF_GRAY - 1))
    levels = cp.around(levels).astype(np.min_scalar_type(NR_OF_GRAY))
    if kernel_size is None:
        kernel_size = [max(length // 8, 1) for length in image.shape]
    elif isinstance(kernel_size, Number):
        kernel_size = [kernel_size] * image.ndim
    elif len(kernel_size) != image.ndim:
        raise ValueError(f"Incorrect value of `kernel_size`: {kernel_size}")
    equalized = _clahe(levels, [int(length) for length in kernel_size], clip_limit, nbins)
    return exposure.rescale_intensity(equalized.astype(float_type(image.dtype), copy=False))
