"""feature.blob_doh: determinants of the Hessian by boxes in an integral image."""

import math

import cupy as cp
import numpy as np

from ..accept._blobs import MOST_SCALES
from ..device import c_name, launch
from ..device.dtypes import C_NAMES
from ..primitives.gaussian import working
from ..trouble import Declined
from ._blobs import listed_blobs

_SOURCE = "feature/hessian_boxes.cu"
_SIZES = np.dtype([("size", "i4", MOST_SCALES)])


def blob_doh(
    image,
    min_sigma=1,
    max_sigma=30,
    num_sigma=10,
    threshold=0.01,
    overlap=0.5,
    log_scale=False,
    *,
    threshold_rel=None,
):
    """Blobs by determinants of the Hessian: `skimage.feature.blob_doh`, by Bay et al.

    6 launches, whatever the number of scales: 2 for the integral image, which reads the image
    once and writes, reads and writes the sums once (the second launch in place); 1 for all
    scales; 3 for their maxima. The peaks come to the host.
    """
    if log_scale:
        sigmas = np.logspace(math.log(min_sigma, 10), math.log(max_sigma, 10), num_sigma)
    else:
        sigmas = np.linspace(min_sigma, max_sigma, num_sigma)
    if not (sigmas.min() * 3 >= 1 and sigmas.max() < 1 << 20):
        raise Declined("a box has no pixel, or very many")
    cube = determinants(image, 3 * sigmas, working(image.dtype))
    return listed_blobs(cube, sigmas[:, None], True, threshold, threshold_rel, False, overlap)


def determinants(image, sizes, dtype):
    """Cube of determinants of the Hessian by boxes, for each size of the largest box.

    3 launches: 2 for the integral image, which are those of `blob_doh`, and 1.
    """
    struct = np.zeros((), _SIZES)
    struct["size"][: len(sizes)] = sizes
    rows, columns = image.shape
    sums = cp.empty(image.shape, "float64")
    summed = (cp.ascontiguousarray(image), sums, rows, columns)
    launch(_SOURCE, f"sum_columns<{c_name(image.dtype)}>", summed, work=columns, block=32)
    launch(_SOURCE, "sum_rows", (sums, rows, columns), work=-(-rows // 32) * 256)
    cube = cp.empty((len(sizes), rows, columns), dtype)
    launch(
        _SOURCE,
        f"hessian_boxes<{c_name(dtype)}>",
        (sums, cube, rows, columns, len(sizes), struct[()]),
        work=cube.size,
    )
    return cube


def specializations():
    """Every specialization that `blob_doh` can ask for, as (source, expression)."""
    yield _SOURCE, "sum_rows"
    for image in C_NAMES.values():
        yield _SOURCE, f"sum_columns<{image}>"
    for dtype in ("float", "double"):
        yield _SOURCE, f"hessian_boxes<{dtype}>"
