"""feature.structure_tensor, and the launches of other ops that need the tensor of a 2-D image."""

import functools

import cupy as cp
import numpy as np

from ..accept._structure_tensor import squeezed
from ..device import c_name, launch
from ..device.dtypes import C_NAMES
from ..functions.filters.gaussian import gaussian
from ..primitives.gaussian import (
    DOUBLE,
    ROW_RADIUS,
    fits,
    in_double,
    pair_taps,
    working,
)
from ..primitives.stencils import BOUNDARY, LEAST_SIGMA, radius, sigma_per_axis

_SOURCE = "feature/structure_tensor.cu"
_SOURCE_3D = "feature/tensor_3d.cu"
_TRUNCATE = 4.0  # of skimage.filters.gaussian


def structure_tensor(image, sigma=1, mode="constant", cval=0, order="rc"):
    """Structure tensor of a 2-D or 3-D image: `skimage.feature.structure_tensor`.

    2-D, and a Gaussian's radius up to 16 (``int(4 * sigma + 0.5)``): 1 launch; image read once,
    three results written once. Above: 1 launch for the products of slopes, which smooths them
    along the rows, and 1 of `gaussian` for all of them down the columns (2 for a radius above 120
    along the rows): they are written and read between, since a tile with such halos does not fit
    on the chip. 3-D: 2 launches, six arrays are written and read between; above 4
    launches. One more launch makes a strided image contiguous.
    """
    image = cp.ascontiguousarray(image.reshape(squeezed(image.shape)))
    sigmas = sigma_per_axis(sigma, image.ndim, None)
    if image.ndim > 2:
        elements = _elements_3d(image, sigmas, mode)
    elif fits(sigmas):
        elements = [cp.empty(image.shape, working(image.dtype)) for _ in range(3)]
        launch_tensors(_SOURCE, "structure_tensor", image, elements, sigmas, mode)
    else:
        first, last = sigmas
        rows = radius(last, _TRUNCATE) <= ROW_RADIUS
        products = cp.empty((3, *image.shape), working(image.dtype))
        along_rows = (0, last if rows else 0)
        launch_tensors(_SOURCE, "structure_tensor", image, products, along_rows, mode)
        elements = list(in_double(products, (0, first, 0 if rows else last), mode, 0))
    return elements if order == "rc" else elements[::-1]


def _elements_3d(image, sigmas, mode):
    """The upper triangle, row by row, as views of one stack."""
    dtype = working(image.dtype)
    smooths = fits(sigmas[:1])
    along_first = sigmas[0] if smooths and sigmas[0] > LEAST_SIGMA else None
    taps = pair_taps(along_first, None, _TRUNCATE, dtype)
    products = cp.empty((6, *image.shape), dtype)
    run = 32 // dtype.itemsize  # RUN in tensor_3d.cu
    depth, rows, columns = image.shape
    args = (image, products, *image.shape, np.int32(BOUNDARY[mode]), taps)
    expression = f"tensor_3d<{c_name(image.dtype)}>"
    launch(_SOURCE_3D, expression, args, work=-(-depth // run) * rows * columns)
    left = (0, 0, *sigmas[1:]) if smooths else (0, *sigmas)
    if any(s > LEAST_SIGMA for s in left):
        products = gaussian(products, left, mode=mode).run(image=products)
    return list(products)


def launch_tensors(source, kernel, image, results, sigmas, mode, *after):
    """Launch a kernel that makes the arrays `results` of the image's structure tensor.

    Radii up to 16, or along the rows alone up to 120.
    """
    image = cp.ascontiguousarray(image)
    *tile, taps, size = _tiles(image.shape, working(image.dtype), *sigmas)
    args = (image, *results, *image.shape, np.int32(BOUNDARY[mode]), *tile, taps, *after)
    rows = "" if fits(sigmas) else ", RowTaps<double>"
    launch(source, f"{kernel}<{c_name(image.dtype)}{rows}>", args, **size)


# A typed cache: a float32 sigma gives SciPy other weights than a Python float does.
@functools.lru_cache(maxsize=256, typed=True)
def _tiles(shape, dtype, *sigmas):
    """Height and width of a tile, weights, and the launch's size."""
    room = () if fits(sigmas) else ((0, ROW_RADIUS),)
    sigmas = [sigma if sigma > LEAST_SIGMA else None for sigma in sigmas]
    taps = pair_taps(*sigmas, _TRUNCATE, DOUBLE, *room)
    for height, width in ((16, 64), (8, 64), (8, 32), (8, 16), (4, 16)):
        pitch = (width + 2 * int(taps["radius_b"]) + 15) // 16 * 16  # tensor_pitch in tensor.cuh
        rows = 2 * (height + 2 * int(taps["radius_a"])) + 3 * height
        shared = pitch * rows * dtype.itemsize
        if shared <= 48 * 1024:
            break
    tiles = -(-shape[0] // height) * -(-shape[1] // width)
    size = {"work": tiles * 256, "block": (32, 8), "shared": shared}
    return np.int32(height), np.int32(width), taps, size


def specializations():
    """Every specialization that `structure_tensor` can ask for, as (source, expression)."""
    for image in C_NAMES.values():
        yield _SOURCE, f"structure_tensor<{image}>"
        yield _SOURCE, f"structure_tensor<{image}, RowTaps<double>>"
        yield _SOURCE_3D, f"tensor_3d<{image}>"
