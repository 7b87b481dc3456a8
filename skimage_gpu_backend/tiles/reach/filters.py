"""Reach of skimage.filters: stencils, Gaussians, windows and histograms."""

import numpy as np

from ... import functions
from ...accept._detail import both_sigmas
from ...accept._windows import gaussian_sigma
from ...primitives.stencils import LEAST_SIGMA, along, radius, sigma_per_axis
from . import Passes, Reach, filters_rank

_gaussian = functions.find("skimage.filters:gaussian")


def gaussian_halo(image, sigma, truncate=4.0, channel_axis=None):
    sigmas = sigma_per_axis(sigma, image.ndim, channel_axis)
    return [radius(s, truncate) if s > LEAST_SIGMA else 0 for s in sigmas]


def unsharp_mask(image, radius=1.0, amount=1.0, preserve_range=False, *, channel_axis=None):
    reach = Reach(tuple(gaussian_halo(image, radius, channel_axis=channel_axis)))
    if preserve_range or image.dtype.kind not in "if":
        return reach
    from ...ops._detail import any_negative, sharpened

    return Passes(any_negative, sharpened, reach)  # without a negative one it clips at 0


def difference_of_gaussians(
    image, low_sigma, high_sigma=None, *, mode="nearest", cval=0, channel_axis=None, truncate=4.0
):
    axes = image.ndim if channel_axis is None else image.ndim - 1
    _, high = both_sigmas(low_sigma, high_sigma, axes)
    return Reach(along(gaussian_halo(image, high, truncate, channel_axis), mode), arrays=3)


def median(image, footprint=None, out=None, mode="nearest", cval=0.0, behavior="ndimage"):
    if behavior == "rank":
        if footprint is None:
            footprint = np.ones((3,) * image.ndim, bool)
        return filters_rank.of_footprint(("filters", "median"), image, footprint)
    return Reach(along([n // 2 for n in np.shape(footprint)], mode))


def derivatives_halo(sigmas):
    """Halo along each axis of Hessians by derivatives of Gaussians, which are taken twice."""
    from ...ops._hessian_lines import line_taps, truncation

    return [2 * int(line_taps(sigma, truncation(sigmas))["radius"]) for sigma in sigmas]


def sato(image, sigmas=range(1, 10, 2), black_ridges=True, mode="reflect", cval=0):
    from ...primitives.gaussian import working

    widest = max(halo for sigma in sigmas for halo in derivatives_halo([sigma]))
    halo = along([widest] * image.ndim, mode)
    between = 3 if image.ndim == 2 else 9  # in double
    return Reach(halo, arrays=2 + between * (8 // working(image.dtype).itemsize))


def frangi(
    image,
    sigmas=range(1, 10, 2),
    scale_range=None,
    scale_step=None,
    alpha=0.5,
    beta=0.5,
    gamma=None,
    black_ridges=True,
    mode="reflect",
    cval=0,
):
    # without gamma half of the image's largest structureness takes its place
    return None if gamma is None else sato(image, sigmas, mode=mode)


def hessian(
    image,
    sigmas=range(1, 10, 2),
    scale_range=None,
    scale_step=None,
    alpha=0.5,
    beta=0.5,
    gamma=15,
    black_ridges=True,
    mode="reflect",
    cval=0,
):
    return sato(image, sigmas, mode=mode)


def threshold_niblack(image, window_size=15, k=0.2):
    return _window_sums(image, window_size, "mirror", 2)


def threshold_sauvola(image, window_size=15, k=0.2, r=None):
    return _window_sums(image, window_size, "mirror", 2)


def threshold_local(
    image, block_size=3, method="gaussian", offset=0, mode="reflect", param=None, cval=0
):
    block = (block_size,) * image.ndim if np.isscalar(block_size) else block_size
    if method == "gaussian":
        return _gaussian(image, gaussian_sigma(block, param), mode=mode).reach
    if method == "median":
        return Reach(along([n // 2 for n in block], mode), arrays=3)
    return _window_sums(image, block, mode, 1)


def _window_sums(image, window, mode, moments):
    """Of windows.cu: running sums down chunks of lines, in strips across the last axis."""
    window = (window,) * image.ndim if np.ndim(window) == 0 else window
    halo = [int(size) // 2 for size in window]
    align = tuple(max(64, 2 * int(size)) for size in window)
    between = 4 * moments if image.ndim > 2 else 0  # sums in double, read and written
    return Reach((*along(halo, mode)[:-1], None), align=align, arrays=1 + between)
