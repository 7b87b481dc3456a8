"""skimage.util.compare_images."""

import functools

import numpy as np

from ...device.dtypes import C_NAMES, c_name
from ...device.launches import Array, Launch, Launches
from ...plan import Declined, Invalid, Plan, keeps_order, point
from ...primitives.arguments import refuse_but_arrays
from ...primitives.gaussian import working
from ...primitives.points import points

_METHODS = ("diff", "blend", "checkerboard")


def compare_images(image0, image1, *, method="diff", n_tiles=(8, 8)):
    """Difference or mean of two images, or tiles of both: `skimage.util.compare_images`.

    1 launch; each image is read once, the result written once. One more launch makes a strided
    image contiguous.
    """
    refuse_but_arrays(image0=image0, image1=image1)
    if image0.shape != image1.shape:
        raise Invalid("images differ in shape; give numpy.broadcast_to(...) for the smaller one")
    if not isinstance(method, str) or method not in _METHODS:
        raise Invalid(f"method is {method!r}; give 'diff', 'blend' or 'checkerboard'")
    if image0.dtype != image1.dtype or image0.dtype.char == "e":
        raise Declined("image0 and image1 differ in dtype, or are float16; give both as float32")
    if image0.ndim == 0:
        raise Declined("images have no axes; nothing to change")
    if method == "checkerboard":
        return _checkerboard(image0.shape, image0.dtype, _tiles(image0, n_tiles))
    return _planned(image0.shape, image0.dtype, method)


def _tiles(image, n_tiles):
    """Numbers of tiles along both axes."""
    if image.ndim != 2:
        raise Invalid("images are not 2-D; give planes, as image0[0]")
    if not isinstance(n_tiles, tuple | list) or len(n_tiles) < 2:
        raise Declined("n_tiles is no pair of numbers; give one, as (8, 8)")
    if not all(isinstance(n, int) and n > 0 for n in n_tiles[:2]):
        raise Declined("n_tiles has other than positive integers; give such, as (8, 8)")
    return tuple(n_tiles[:2])


@keeps_order
@functools.lru_cache(maxsize=256)
def _planned(shape, dtype, method):
    image0, image1 = Array(shape, dtype, "image0"), Array(shape, dtype, "image1")
    result = Array(shape, working(dtype))
    expression = f"compare<{c_name(dtype)}, {c_name(result.dtype)}, {method.upper()}>"
    args = (image0, image1, image0.size, result)
    step = points("util/compare.cu", expression, args, image0, result)
    return Plan(Launches([step], result), point(image0))


@functools.lru_cache(maxsize=256)
def _checkerboard(shape, dtype, n_tiles):
    image0, image1 = Array(shape, dtype, "image0"), Array(shape, dtype, "image1")
    result = Array(shape, working(dtype))
    height, width = (length // tiles for length, tiles in zip(shape, n_tiles, strict=True))
    ends = height * n_tiles[0], width * n_tiles[1]
    step = Launch(
        "util/compare.cu",
        f"checkerboard<{c_name(dtype)}, {c_name(result.dtype)}>",
        (image0, image1, image0.size, shape[1], height, width, *ends, result),
        image0.size,
    )
    plan = Plan(Launches([step], result))
    plan.transposed = lambda: _checkerboard(shape[::-1], dtype, n_tiles[::-1])
    return plan


def samples():
    """Plans that together ask for every kernel of this room."""
    for dtype in C_NAMES:
        if dtype != "float16":
            image = Array((4, 4), np.dtype(dtype))
            for method in _METHODS:
                yield compare_images(image, image, method=method, n_tiles=(2, 2))
