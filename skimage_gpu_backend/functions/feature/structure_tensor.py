"""skimage.feature.structure_tensor, of planes and volumes."""

import functools

import numpy as np

from ...device import c_name
from ...device.dtypes import C_NAMES
from ...device.launches import Array, Launch, Launches
from ...plan import Declined, Invalid, Plan
from ...primitives.gaussian import (
    ROW_RADIUS,
    fits,
    modes_of,
    pair_taps,
    steps_in_double,
    steps_of,
    working,
)
from ...primitives.stencils import (
    BOUNDARY,
    LEAST_SIGMA,
    radius,
    refuse_constants,
    sigma_per_axis,
)
from ..filters.gaussian import gaussian
from ._derivatives import TRUNCATE, refuse_order, sigma_of_axes, smoothed
from ._tensor import tensor_step

_PLANES, _VOLUMES = "feature/structure_tensor.cu", "feature/tensor_3d.cu"
# What the plan of `gaussian` asks of an image, by the number of axes.
_SQUEEZED = {ndim: Array((1,) * ndim, np.dtype(float)) for ndim in (2, 3)}


def structure_tensor(image, sigma=1, mode="constant", cval=0, order="rc"):
    """Structure tensor of a 2-D or 3-D image: `skimage.feature.structure_tensor`.

    2-D, and a Gaussian's radius up to 16 (``int(4 * sigma + 0.5)``): 1 launch; image read once,
    three results written once. Above: 1 launch for the products of slopes, which smooths them
    along the rows, and 1 of `gaussian` for all of them down the columns (2 for a radius above 120
    along the rows): they are written and read between, since a tile with such halos does not fit
    on the chip. 3-D: 2 launches, six arrays are written and read between; above 4
    launches. One more launch makes a strided image contiguous.
    """
    refuse_order(order, image.ndim)
    ndim = len(_squeezed(image.shape))
    if not 2 <= ndim <= 5:
        raise Invalid("image has other than 2 to 5 axes longer than 1")
    if ndim > 3 or image.size == 0:
        raise Declined("image is empty or has more than 3 axes; give one of 2 or 3 axes")
    sigmas = sigma_of_axes(sigma, image.ndim)
    if image.ndim != ndim and not np.isscalar(sigma):
        raise Invalid("sigma has another length than the image has axes longer than 1")
    sigmas = sigma_per_axis(sigmas[:ndim], ndim, None)
    refuse_constants(mode, cval)
    gaussian(_SQUEEZED[ndim], sigmas, mode=mode)  # refuses other sigmas
    return _planned(image.shape, image.dtype, mode, order, *sigmas)


def _squeezed(shape):
    """`shape` without axes of length 1."""
    return tuple(length for length in shape if length != 1)


# Typed: a float32 sigma gives SciPy other weights than a Python float does.
@functools.lru_cache(maxsize=256, typed=True)
def _planned(shape, dtype, mode, order, *sigmas):
    image = Array(_squeezed(shape), dtype, "image")
    tensor = _of_plane if image.ndim == 2 else _of_volume
    launches = Launches(*tensor(image, working(dtype), mode, sigmas))
    run = functools.partial(_elements, launches, image.shape, order)
    return Plan(run, smoothed(shape, sigmas, 1, mode, arrays=7), launches=launches)


def _elements(launches, shape, order, image):
    """The list that scikit-image returns, from a tuple or a stack of arrays."""
    elements = list(launches(image=image.reshape(shape)))
    return elements if order == "rc" else elements[::-1]


def _of_plane(image, dtype, mode, sigmas):
    """Launches, and the three arrays that they make."""
    if fits(sigmas):
        elements = tuple(Array(image.shape, dtype) for _ in range(3))
        return [tensor_step(_PLANES, "structure_tensor", image, elements, sigmas, mode)], elements
    first, last = sigmas
    rows = radius(last, TRUNCATE) <= ROW_RADIUS
    stack = Array((3, *image.shape), dtype)
    along_rows = (0, last if rows else 0)
    products = tensor_step(_PLANES, "structure_tensor", image, stack, along_rows, mode)
    steps, elements = steps_in_double(stack, (0, first, 0 if rows else last), mode)
    return [products, *steps], elements


def _of_volume(image, dtype, mode, sigmas):
    """Launches, and the stack that they make: the upper triangle, row by row."""
    smooths = fits(sigmas[:1])
    along_first = sigmas[0] if smooths and sigmas[0] > LEAST_SIGMA else None
    taps = pair_taps(along_first, None, TRUNCATE, dtype)
    products = Array((6, *image.shape), dtype)
    run = 32 // dtype.itemsize  # RUN in tensor_3d.cu
    depth, rows, columns = image.shape
    arguments = (image, products, *image.shape, np.int32(BOUNDARY[mode]), taps)
    expression = f"tensor_3d<{c_name(image.dtype)}>"
    first = Launch(_VOLUMES, expression, arguments, -(-depth // run) * rows * columns)
    left = (0, 0, *sigmas[1:]) if smooths else (0, *sigmas)
    if not any(s > LEAST_SIGMA for s in left):
        return [first], products
    args = dtype, False, TRUNCATE, modes_of(mode, left), *left
    steps, elements = steps_of(products, *args, cval=0.0)
    return [first, *steps], elements


def samples():
    """Plans that together ask for every kernel of this room."""
    for dtype in map(np.dtype, C_NAMES):
        yield from (structure_tensor(Array((4, 4), dtype), sigma) for sigma in (1, 6))
        yield structure_tensor(Array((4, 4, 4), dtype))
