"""feature.blob_dog and blob_log: scale space and maxima on the device, the few blobs on the host.

Budget of both, whatever the number of scales: 2 launches for the scale space of a plane, 3 for
that of a volume, and the launches of `peak_local_max` for one axis more: 3 for a plane, 4 for a
volume. The image is read once; each array between is written once and read once. The weights of
the filters go to the device, the peaks come to the host.
"""

import math

import cupy as cp
import numpy as np
from scipy import ndimage
from skimage.feature.blob import _prune_blobs

from ..device import c_name, launch
from ..device.dtypes import C_NAMES
from ..functions.feature.peaks import (
    above,
    coordinates,
    highest,
    refuse_odd_values,
    threshold_of,
)
from ..primitives.gaussian import conversion, working
from ..primitives.maxima import Maxima
from ..primitives.stencils import LEAST_SIGMA, radius
from ..trouble import Declined

_SOURCE = "feature/scales.cu"
_MOST_RADIUS = 4096
_MOST_TERMS = 3  # MOST_TERMS of scales.cu
_TERMS = np.dtype(
    [(name, "i4") for name in ("count", "sources", "kinds")]
    + [(name, "i4", _MOST_TERMS) for name in ("source", "kind")]
)
_SHAPE = np.dtype([(name, "i8") for name in ("scales", "outer", "length", "inner")])

# What each axis does, the first one first, as (source, kind of filter): smoothing (0) or the
# second derivative (1). The last axis adds up the terms of the Laplacian.
_LAPLACE = {
    2: (((0, 1), (0, 0)), ((0, 0), (1, 1))),
    3: (((0, 1), (0, 0)), ((0, 0), (1, 1), (1, 0)), ((0, 0), (1, 0), (2, 1))),
}
# The last axis takes the difference of two scales.
_DIFFERENCE = {
    2: (((0, 0),), ((0, 0), (0, 0))),
    3: (((0, 0),), ((0, 0),), ((0, 0), (0, 0))),
}


def blob_dog(
    image,
    min_sigma=1,
    max_sigma=50,
    sigma_ratio=1.6,
    threshold=0.5,
    overlap=0.5,
    *,
    threshold_rel=None,
    exclude_border=False,
):
    """Blobs by differences of Gaussians: `skimage.feature.blob_dog`. 2-D: 5 launches."""
    dtype = working(image.dtype)
    low, high = _per_axis(min_sigma, image.ndim, dtype), _per_axis(max_sigma, image.ndim, dtype)
    # as scikit-image counts them
    count = int(np.mean(np.log(high / low) / np.log(sigma_ratio) + 1))
    sigmas = np.array([low * (sigma_ratio**i) for i in range(count + 1)])
    if count < 1:
        raise Declined("there is no scale")
    factor = float(dtype.type(1 / (sigma_ratio - 1)))
    cube = _cube(image, sigmas, [factor] * len(sigmas), _DIFFERENCE[image.ndim], count)
    one = np.isscalar(min_sigma) and np.isscalar(max_sigma)
    return listed_blobs(cube, sigmas, one, threshold, threshold_rel, exclude_border, overlap)


def blob_log(
    image,
    min_sigma=1,
    max_sigma=50,
    num_sigma=10,
    threshold=0.2,
    overlap=0.5,
    log_scale=False,
    *,
    threshold_rel=None,
    exclude_border=False,
):
    """Blobs by Laplacians of Gaussians: `skimage.feature.blob_log`. 2-D: 5 launches."""
    dtype = working(image.dtype)
    low, high = _per_axis(min_sigma, image.ndim, dtype), _per_axis(max_sigma, image.ndim, dtype)
    if log_scale:
        sigmas = np.logspace(np.log10(low), np.log10(high), num_sigma)
    else:
        sigmas = np.linspace(low, high, num_sigma)
    factors = [-float(np.mean(sigma) ** 2) for sigma in sigmas]
    cube = _cube(image, sigmas, factors, _LAPLACE[image.ndim], len(sigmas))
    one = np.isscalar(min_sigma) and np.isscalar(max_sigma)
    return listed_blobs(cube, sigmas, one, threshold, threshold_rel, exclude_border, overlap)


def _per_axis(sigma, ndim, dtype):
    return np.full(ndim, sigma, dtype) if np.isscalar(sigma) else np.asarray(sigma, dtype)


def _cube(image, sigmas, factors, axes, count):
    """The arrays of all scales, one behind the other."""
    if not np.isfinite(sigmas).all() or sigmas.min() <= LEAST_SIGMA:
        raise Declined("a sigma is not positive, or infinite")
    if radius(sigmas.max(), 4.0) > _MOST_RADIUS:
        raise Declined(f"a Gaussian reaches farther than {_MOST_RADIUS} elements")
    dtype = working(image.dtype)
    kinds = 1 + (axes is _LAPLACE[image.ndim])
    table = cp.asarray(_table(sigmas, factors, kinds))
    source, sources = cp.ascontiguousarray(image), 1
    for axis, terms in enumerate(axes):
        last = axis == image.ndim - 1
        made = count if last else len(sigmas)
        view = (math.prod(image.shape[:axis]), image.shape[axis])
        shape = np.array((made, *view, math.prod(image.shape[axis + 1 :])), _SHAPE)[()]
        result = cp.empty((made, *([] if last else [len(terms)]), *image.shape), dtype)
        filters = (table[axis], table.shape[-1])
        jobs = _terms(terms, sources, kinds)
        if last:
            expression = f"scale_sums<{c_name(dtype)}>"
            rest = (kinds == 1, shape, jobs)
        else:
            expression = f"scale_lines<{c_name(source.dtype)}, {c_name(dtype)}>"
            scaling = conversion(source.dtype, preserve_range=False)
            rest = (axis > 0, shape, jobs, *scaling)
        launch(_SOURCE, expression, (source, result, *filters, *rest), work=made * image.size)
        source, sources = result, len(terms)
    return source


def _table(sigmas, factors, kinds):
    """For each axis and each scale the filters that scales.cu has rows of."""
    reach = radius(sigmas.max(), 4.0)
    table = np.zeros((sigmas.shape[1], len(sigmas), kinds, reach + 3))
    for k, axis in np.ndindex(sigmas.shape):
        own = radius(sigmas[k, axis], 4.0)
        impulse = np.zeros(2 * own + 1)
        impulse[own] = 1
        for kind in range(kinds):
            # SciPy's weights to the last bit are its response to an impulse
            weights = ndimage.gaussian_filter1d(
                impulse, sigmas[k, axis], order=2 * kind, mode="constant"
            )
            table[axis, k, kind, : own + 3] = (own, factors[k], *weights[own:])
    return table


def _terms(terms, sources, kinds):
    """The struct ScaleTerms of scales.cu."""
    struct = np.zeros((), _TERMS)
    struct["count"], struct["sources"], struct["kinds"] = len(terms), sources, kinds
    struct["source"][: len(terms)], struct["kind"][: len(terms)] = np.transpose(terms)
    return struct[()]


def listed_blobs(cube, sigmas, one_sigma, threshold, threshold_rel, exclude_border, overlap):
    """What scikit-image makes of the peaks of a cube whose scales are its last axis."""
    ndim = cube.ndim - 1
    if isinstance(exclude_border, int):
        exclude_border = (int(exclude_border),) * ndim
    box = np.broadcast_to(True, (3,) * cube.ndim)
    found = Maxima(cube, box, (0, *exclude_border), None)
    refuse_odd_values(found)
    columns = 1 if one_sigma else ndim
    if found.all_equal:
        return cp.empty((0, ndim + columns))
    peaks = found.listed(above(cube.dtype, threshold_of(found, threshold, threshold_rel)))
    peaks_at = np.roll(coordinates(peaks["place"], cube.shape), -1, axis=1)
    order = np.lexsort(peaks_at.T[::-1])
    peaks_at = highest(peaks_at[order], peaks["value"][order], np.inf, 1, np.inf)
    if not len(peaks_at):
        return cp.empty((0, ndim + columns))
    blobs = [peaks_at[:, :-1].astype(cube.dtype), sigmas[peaks_at[:, -1]][:, :columns]]
    return cp.asarray(_prune_blobs(np.hstack(blobs), overlap, sigma_dim=columns))


def specializations():
    """Every specialization that these ops can ask for, as (source, expression)."""
    for dtype, image in C_NAMES.items():
        result = "float" if dtype in ("float16", "float32") else "double"
        yield _SOURCE, f"scale_lines<{image}, {result}>"
    for dtype in ("float", "double"):
        yield _SOURCE, f"scale_sums<{dtype}>"
