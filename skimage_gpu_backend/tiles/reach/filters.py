"""Reach of skimage.filters: Gaussians and what is made of them, ridges."""

from ...primitives.hessian_lines import halo_of
from ...primitives.stencils import LEAST_SIGMA, along, radius, sigma_per_axis
from . import Reach


def gaussian_halo(image, sigma, truncate=4.0, channel_axis=None):
    sigmas = sigma_per_axis(sigma, image.ndim, channel_axis)
    return [radius(s, truncate) if s > LEAST_SIGMA else 0 for s in sigmas]


def sato(image, sigmas=range(1, 10, 2), black_ridges=True, mode="reflect", cval=0):
    from ...primitives.gaussian import working

    widest = max(halo for sigma in sigmas for halo in halo_of([sigma]))
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
