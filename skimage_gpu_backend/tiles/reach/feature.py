"""Reach of skimage.feature: slopes, tensors, Hessians and corner responses.

`local_binary_pattern` is not here: the place of a neighbour is rounded otherwise far from the
first row than near it, so results in tiles would not be equal to the last bit.
"""

from ...primitives.stencils import sigma_per_axis
from . import Reach
from .filters import along, derivatives_halo, gaussian_halo


def _smoothed(image, sigma, margin, mode="constant", arrays=2):
    if min(image.shape) < 2:
        return None
    halo = [margin + reach for reach in gaussian_halo(image, sigma)]
    return Reach(along(halo, mode), arrays=arrays)


def structure_tensor(image, sigma=1, mode="constant", cval=0, order="rc"):
    return _smoothed(image, sigma, 1, mode, arrays=7)


def corner_harris(image, method="k", k=0.05, eps=1e-6, sigma=1):
    return corner_foerstner(image, sigma)


def corner_foerstner(image, sigma=1):
    return _smoothed(image, sigma, 1, arrays=8)


corner_shi_tomasi = corner_foerstner


def corner_kitchen_rosenfeld(image, mode="constant", cval=0):
    return _smoothed(image, 0, 2, mode, arrays=1)


def hessian_matrix(
    image, sigma=1, mode="constant", cval=0, order="rc", use_gaussian_derivatives=None
):
    arrays = 4 + image.ndim * (image.ndim + 1) // 2
    if not use_gaussian_derivatives:
        return _smoothed(image, sigma, 2, mode, arrays)
    sigmas = sigma_per_axis(sigma, image.ndim, None)
    return Reach(along(derivatives_halo(sigmas), mode), arrays=3 * arrays)


def hessian_matrix_det(image, sigma=1, approximate=True):
    if approximate and image.ndim == 2:
        return None  # by sums over boxes, which begin at the first element
    return _smoothed(image, sigma, 2, arrays=6)


def shape_index(image, sigma=1, mode="constant", cval=0):
    return _smoothed(image, sigma, 2, mode, arrays=3)


def corner_fast(image, n=12, threshold=0.15):
    return _smoothed(image, 0, 3, arrays=1)


def corner_moravec(image, window_size=1):
    return _smoothed(image, 0, 2 * int(window_size), arrays=1)
