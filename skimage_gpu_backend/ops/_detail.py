"""filters.unsharp_mask and filters.difference_of_gaussians: an image against its Gaussian."""

import cupy as cp
import numpy as np

from ..accept._detail import both_sigmas
from ..accept._stencils import BOUNDARY, LEAST_SIGMA, sigma_per_axis
from ..device import c_name, launch
from ..device.dtypes import C_NAMES
from ._gaussian import conversion, gaussian, planned, working
from ._points import flags

_SOURCE = "filters/gaussian_detail.cu"


def unsharp_mask(image, radius=1.0, amount=1.0, preserve_range=False, *, channel_axis=None):
    """Sharpen an image by what a Gaussian takes from it: `skimage.filters.unsharp_mask`.

    Two axes and a Gaussian's radius up to 16: 1 launch; image read once, result written
    once. Else 1 launch more than `gaussian`, which reads image and result and writes the
    result. Images that may have negative elements take 1 launch more, which reads them: it
    decides at which value results are clipped.
    """
    image = cp.ascontiguousarray(image)
    result = cp.empty(image.shape, working(image.dtype))
    if not image.size:
        return result
    negative = flags()
    clips = not preserve_range
    if clips and image.dtype.kind in "if":
        kernel = f"any_negative<{c_name(image.dtype)}>"
        launch(_SOURCE, kernel, (image, image.size, negative), work=image.size)
    sharpening = float(amount), clips, negative

    sigmas = sigma_per_axis(radius, image.ndim, channel_axis)
    pair = _pair(image, sigmas, "reflect", 4.0, preserve_range)
    if pair is not None:
        before, after, size = pair
        kernel = f"unsharp_pair<{c_name(image.dtype)}>"
        launch(_SOURCE, kernel, (image, result, *before, 0.0, *after, *sharpening), **size)
        return result
    gaussian(image, sigmas, mode="reflect", preserve_range=preserve_range, out=result)
    arguments = (image, result, image.size, *conversion(image.dtype, preserve_range), *sharpening)
    launch(_SOURCE, f"unsharp<{c_name(image.dtype)}>", arguments, work=image.size)
    return result


def difference_of_gaussians(
    image, low_sigma, high_sigma=None, *, mode="nearest", cval=0, channel_axis=None, truncate=4.0
):
    """Difference of two Gaussians: `skimage.filters.difference_of_gaussians`.

    Two axes and radii up to 16: 1 launch; image read once, result written once. Else the
    launches of `gaussian` for both sigmas, and 1 that subtracts one result from the other.
    """
    image = cp.ascontiguousarray(image)
    ones = np.ones(image.ndim if channel_axis is None else image.ndim - 1)
    low, high = (
        sigma_per_axis(sigma * ones, image.ndim, channel_axis)
        for sigma in both_sigmas(low_sigma, high_sigma)
    )
    if image.size:
        below, above = (_pair(image, sigmas, mode, truncate) for sigmas in (low, high))
        if below is not None and above is not None and below[0] == above[0]:
            (_, (*_, taps), _), (before, after, size) = below, above
            result = cp.empty(image.shape, working(image.dtype))
            kernel = f"difference_pair<{c_name(image.dtype)}>"
            arguments = (image, result, *before, float(cval), *after, taps)
            launch(_SOURCE, kernel, arguments, **size)
            return result
    result, taken = (
        gaussian(image, sigmas, mode=mode, cval=cval, truncate=truncate) for sigmas in (low, high)
    )
    result -= taken
    return result


def _pair(image, sigmas, mode, truncate, preserve_range=False):
    """Arguments of the one launch that filters `image`, or None where it takes more.

    They are those before `cval`, those after it, and the size of the launch.
    """
    names = [mode] * image.ndim if isinstance(mode, str) else mode
    modes = tuple(
        BOUNDARY[name] if sigma > LEAST_SIGMA else 0
        for name, sigma in zip(names, sigmas, strict=True)
    )
    launches = planned(
        image.shape, image.dtype, working(image.dtype), preserve_range, truncate, modes, *sigmas
    )
    (source, _), *arguments = launches[0]
    return arguments if len(launches) == 1 and source == "filters/gaussian.cu" else None


def specializations():
    """Every specialization that these ops can ask for, as (source, expression)."""
    for dtype, image in C_NAMES.items():
        for kernel in ("unsharp_pair", "unsharp", "difference_pair"):
            yield _SOURCE, f"{kernel}<{image}>"
        if not dtype.startswith(("u", "b")):
            yield _SOURCE, f"any_negative<{image}>"
