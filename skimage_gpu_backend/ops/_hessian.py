"""Hessians of smoothed images: feature.hessian_matrix, hessian_matrix_det, shape_index.

Budget of 2-D images here, but of determinants by boxes, for a Gaussian's radius up to 16
(``int(4 * sigma + 0.5)``): 1 launch; image read once, each result written once. Above, `in_double`
smooths along the first axis before, in 1 launch, since a tile with such halos does not fit on the
chip; above radius 120 along the second axis too, in 2 launches. One more launch makes a strided
image contiguous. More axes: _hessian_nd.py; derivatives of Gaussians: _hessian_lines.py.
"""

import cupy as cp
import numpy as np

from .._warn import warn_caller
from ..device import c_name, launch
from ..device.dtypes import C_NAMES
from ..primitives import hessian_lines as _hessian_lines
from ..primitives.gaussian import DOUBLE, ROW_RADIUS, fits, in_double, working
from ..primitives.hessian_lines import hessian_by_derivatives
from ..primitives.smooth_tile import smooth_tiles
from ..primitives.stencils import BOUNDARY, radius, sigma_per_axis
from . import _hessian_nd
from ._blob_boxes import determinants
from ._hessian_nd import determinant_nd, hessian_nd

_SOURCE = "feature/hessian.cu"
_MARGIN = 2  # neighbours on each side that a second difference of differences reaches
_DETERMINANT, _SHAPE_INDEX = np.int32(0), np.int32(1)  # HessianKind in hessian.cu


def hessian_matrix(
    image, sigma=1, mode="constant", cval=0, order="rc", use_gaussian_derivatives=None
):
    """Hessian of an image of 2 to 5 axes: `skimage.feature.hessian_matrix`.

    By differences: 1 launch, 2 launches in 3-D. By derivatives of Gaussians: 1 launch an axis.
    """
    if use_gaussian_derivatives is None:
        warn_caller(
            "use_gaussian_derivatives currently defaults to False, but will "
            "change to True in a future version. Please specify this "
            "argument explicitly to maintain the current behavior",
            FutureWarning,
        )
    sigmas = sigma_per_axis(sigma, image.ndim, None)
    if use_gaussian_derivatives:
        return hessian_by_derivatives(image, sigmas, mode, order)
    if image.ndim > 2:
        return hessian_nd(image, sigmas, mode, cval)
    elements = [cp.empty(image.shape, working(image.dtype)) for _ in range(3)]
    _launch("hessian_matrix", image, elements, sigma, mode, cval)
    return elements if order == "rc" else elements[::-1]


def hessian_matrix_det(image, sigma=1, approximate=True):
    """Determinant of the Hessian: `skimage.feature.hessian_matrix_det`.

    1 launch where not `approximate`, 2 launches in 3-D. By boxes 3 launches, see `determinants`
    in _blob_boxes.py: the image is read once, its integral image written, read and written, and
    read again.
    """
    if image.ndim > 2:
        return determinant_nd(image, sigma_per_axis(sigma, image.ndim, None))
    if approximate:
        return determinants(image, [int(3 * sigma)], DOUBLE)[0]
    result = cp.empty(image.shape, working(image.dtype))
    _launch("of_hessian", image, (result,), sigma, "constant", 0, _DETERMINANT)
    return result


def shape_index(image, sigma=1, mode="constant", cval=0):
    """Shape index of the surface that an image is: `skimage.feature.shape_index`. 1 launch."""
    result = cp.empty(image.shape, working(image.dtype))
    _launch("of_hessian", image, (result,), sigma, mode, cval, _SHAPE_INDEX)
    return result


def _launch(kernel, image, results, sigma, mode, cval, *after):
    image = cp.ascontiguousarray(image)
    first, last = sigmas = sigma_per_axis(sigma, 2, None)
    if not fits(sigmas):
        wide = radius(last, 4.0) <= ROW_RADIUS
        image = in_double(image, (first, 0 if wide else last), mode, cval)
        sigmas = (0, last if wide else 0)
    types = c_name(image.dtype) if fits(sigmas) else f"{c_name(image.dtype)}, RowTaps<double>"
    mode = np.int32(BOUNDARY.get(mode, 0))  # any, where nothing is smoothed
    size, taps, grid = smooth_tiles(image.shape, working(image.dtype), _MARGIN, 0, *sigmas)
    args = (image, *results, *image.shape, mode, float(cval), size, taps, *after)
    launch(_SOURCE, f"{kernel}<{types}>", args, **grid)


def specializations():
    """Every specialization that these ops can ask for, as (source, expression)."""
    yield from _hessian_lines.specializations()
    yield from _hessian_nd.specializations()
    for types in (*C_NAMES.values(), "float, RowTaps<double>", "double, RowTaps<double>"):
        yield _SOURCE, f"hessian_matrix<{types}>"
        yield _SOURCE, f"of_hessian<{types}>"
