"""filters.unsharp_mask and filters.difference_of_gaussians: an image against its Gaussian."""

import cupy as cp
import numpy as np

from ..accept._detail import both_sigmas
from ..device import c_name, launch, resident_blocks
from ..device.dtypes import C_NAMES
from ..primitives.gaussian import (
    DOUBLE,
    bell,
    conversion,
    in_double,
    line,
    modes_of,
    plan,
    planned,
    working,
)
from ..primitives.points import flags
from ..primitives.reduce import parts_of
from ..primitives.stencils import LEAST_SIGMA, sigma_per_axis

_TILES = "filters/gaussian_detail.cu"
_LINES = "filters/gaussian_detail_line.cu"
_BELL = np.dtype([("radius", "i8"), ("exponent", "f8"), ("norm", "f8")])


def unsharp_mask(image, radius=1.0, amount=1.0, preserve_range=False, *, channel_axis=None):
    """Sharpen an image by what a Gaussian takes from it: `skimage.filters.unsharp_mask`.

    2-D, with or without channels, and a Gaussian's radius up to 16: 1 launch; image read
    once, result written once. 2-D above: 2 launches, since a tile of both axes with its halo
    does not fit on the chip; between them an array is written and read, and the second
    launch reads the image again. Other calls take the launches of `gaussian`, and 1 more
    where its last one filters two axes. Images that may have negative elements take 1 launch
    more, which reads them: it decides at which value results are clipped.
    """
    image = cp.ascontiguousarray(image)
    negative = any_negative(image, preserve_range=preserve_range)
    return sharpened(negative, image, radius, amount, preserve_range, channel_axis=channel_axis)


def any_negative(image, radius=1.0, amount=1.0, preserve_range=False, *, channel_axis=None):
    """Whether an element is negative where that matters, as one ``uint32`` on the device.

    `image` may be in pieces (`parts_of`).
    """
    negative = flags()
    if not preserve_range and image.dtype.kind in "if" and image.size:
        for part in parts_of(image):
            part = cp.ascontiguousarray(part)
            kernel = f"any_negative<{c_name(part.dtype)}>"
            launch(_TILES, kernel, (part, part.size, negative), work=part.size)
    return negative


def sharpened(negative, image, radius=1.0, amount=1.0, preserve_range=False, *, channel_axis=None):
    """What `unsharp_mask` makes of (a part of) an image of which `any_negative` has told."""
    image = cp.ascontiguousarray(image)
    dtype = working(image.dtype)
    if not image.size:
        return cp.empty(image.shape, dtype)
    sharpening = float(amount), not preserve_range, cp.asarray(negative)

    sigmas = sigma_per_axis(radius, image.ndim, channel_axis)
    modes = modes_of("reflect", sigmas)
    types = (image.shape, image.dtype, dtype)
    launches = planned(*types, bool(preserve_range), 4.0, modes, *sigmas, sums=DOUBLE)
    if _is_pair(launches):
        ((_, before, after, size),) = launches
        kernel = f"unsharp_pair<{c_name(image.dtype)}>"
        result = cp.empty(image.shape, dtype)
        launch(_TILES, kernel, (image, result, *before, 0.0, *after, *sharpening), **size)
        return result
    scaling = conversion(image.dtype, preserve_range)
    axes = plan(sigmas, 4.0)[-1]
    if len(launches) > 1 and len(axes) == 1:
        sums = image
        for kernel, before, after, size in launches[:-1]:
            source, sums = sums, cp.empty(image.shape, dtype)
            launch(*kernel, (source, sums, *before, 0.0, *after), **size)
        way, view, size = line(image.shape, axes[0], DOUBLE.itemsize)
        arguments = (_bell(sigmas[axes[0]], 4.0), *view, np.int32(modes[axes[0]]), 0.0)
        kernel = f"unsharp_line<{way}, {c_name(image.dtype)}>"
        result = cp.empty(image.shape, dtype)
        launch(_LINES, kernel, (image, sums, result, *arguments, *scaling, *sharpening), **size)
        return result
    result = in_double(image, sigmas, "reflect", preserve_range=preserve_range)
    arguments = (image, result, image.size, *scaling, *sharpening)
    launch(_TILES, f"unsharp<{c_name(image.dtype)}>", arguments, work=image.size)
    return result


def difference_of_gaussians(
    image, low_sigma, high_sigma=None, *, mode="nearest", cval=0, channel_axis=None, truncate=4.0
):
    """Difference of two Gaussians: `skimage.filters.difference_of_gaussians`.

    2-D, with or without channels, and radii up to 16: 1 launch; image read once, result
    written once. 2-D above: 2 launches, since a tile of both axes with its halo does not fit
    on the chip; between them two arrays are written and read. Other calls take the launches
    of `gaussian` for both sigmas, and 1 that subtracts one result from the other.
    """
    image = cp.ascontiguousarray(image)
    axes = image.ndim if channel_axis is None else image.ndim - 1
    low, high = (
        sigma_per_axis(sigmas, image.ndim, channel_axis)
        for sigmas in both_sigmas(low_sigma, high_sigma, axes)
    )
    dtype = working(image.dtype)
    if not image.size:
        return cp.empty(image.shape, dtype)
    types = (image.shape, image.dtype, dtype)
    below, above = (
        planned(*types, False, truncate, modes_of(mode, sigmas), *sigmas, sums=DOUBLE)
        for sigmas in (low, high)
    )
    if _is_pair(below) and _is_pair(above) and below[0][1] == above[0][1]:
        ((_, before, after, size),) = above
        result = cp.empty(image.shape, dtype)
        arguments = (image, result, *before, float(cval), *after, below[0][2][-1])
        launch(_TILES, f"difference_pair<{c_name(image.dtype)}>", arguments, **size)
        return result
    axes = [axis for axis, sigma in enumerate(high) if sigma > LEAST_SIGMA]
    if len(axes) == 2:
        return _difference_by_lines(image, axes, low, high, mode, cval, truncate)
    result = in_double(image, low, mode, cval, truncate=truncate)
    result -= in_double(image, high, mode, cval, truncate=truncate)
    return result


def _difference_by_lines(image, axes, low, high, mode, cval, truncate):
    """Both Gaussians along one axis, then along the other."""
    modes = modes_of(mode, high)
    bells = [[_bell(sigmas[axis], truncate) for sigmas in (low, high)] for axis in axes]
    result = cp.empty(image.shape, working(image.dtype))
    sums = cp.empty((2, *image.shape), result.dtype)
    way, view, size = line(image.shape, axes[0], DOUBLE.itemsize)
    arguments = (*bells[0], *view, np.int32(modes[axes[0]]), float(cval))
    grid = (2 * min(size["work"] // 256, max(1, resident_blocks(256) // 2)),)
    kernel = f"both_line<{way}, {c_name(image.dtype)}>"
    scaling = conversion(image.dtype, preserve_range=False)
    launch(_LINES, kernel, (image, sums, *arguments, *scaling), **size, grid=grid)
    way, view, size = line(image.shape, axes[1], DOUBLE.itemsize)
    arguments = (*bells[1], *view, np.int32(modes[axes[1]]), float(cval))
    kernel = f"difference_line<{way}, {c_name(result.dtype)}>"
    launch(_LINES, kernel, (sums, result, *arguments), **size)
    return result


def _is_pair(launches):
    """Whether one launch of gaussian.cu filters the image."""
    return len(launches) == 1 and launches[0][0][0] == "filters/gaussian.cu"


def _bell(sigma, truncate):
    """The struct Bell of gaussian_line.cuh; an axis without a sigma stays as it is."""
    weights = bell(sigma, truncate) if sigma > LEAST_SIGMA else (0, 0.0, 1.0)
    return np.array(weights, _BELL)[()]


def specializations():
    """Every specialization that these ops can ask for, as (source, expression)."""
    for dtype, image in C_NAMES.items():
        for kernel in ("unsharp_pair", "unsharp", "difference_pair"):
            yield _TILES, f"{kernel}<{image}>"
        if not dtype.startswith(("u", "b")):
            yield _TILES, f"any_negative<{image}>"
        for way in ("Columns", "Rows"):
            yield _LINES, f"unsharp_line<{way}, {image}>"
            yield _LINES, f"both_line<{way}, {image}>"
    for result in ("float", "double"):
        for way in ("Columns", "Rows"):
            yield _LINES, f"difference_line<{way}, {result}>"
