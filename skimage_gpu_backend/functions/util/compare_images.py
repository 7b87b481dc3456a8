"""skimage.util.compare_images, but for checkerboards, which are no function of two pixels."""

import functools

import numpy as np

from ...device.dtypes import C_NAMES, c_name
from ...device.launches import Array, Launches
from ...plan import Declined, Invalid, Plan, keeps_order, point
from ...primitives.arguments import refuse_but_arrays
from ...primitives.gaussian import working
from ...primitives.points import points

_METHODS = ("diff", "blend")


def compare_images(image0, image1, *, method="diff", n_tiles=(8, 8)):
    """Difference or mean of two images: `skimage.util.compare_images`.

    1 launch; each image is read once, the result written once. One more launch makes a strided
    image contiguous.
    """
    refuse_but_arrays(image0=image0, image1=image1)
    if image0.shape != image1.shape:
        raise Invalid("images differ in shape; give numpy.broadcast_to(...) for the smaller one")
    if not isinstance(method, str) or method not in _METHODS:
        raise Declined(f"method is {method!r}; give 'diff' or 'blend', which changes the result")
    if image0.dtype != image1.dtype or image0.dtype.char == "e":
        raise Declined("image0 and image1 differ in dtype, or are float16; give both as float32")
    if image0.ndim == 0:
        raise Declined("images have no axes; nothing to change")
    return _planned(image0.shape, image0.dtype, method)


@keeps_order
@functools.lru_cache(maxsize=256)
def _planned(shape, dtype, method):
    image0, image1 = Array(shape, dtype, "image0"), Array(shape, dtype, "image1")
    result = Array(shape, working(dtype))
    expression = f"compare<{c_name(dtype)}, {c_name(result.dtype)}, {method.upper()}>"
    args = (image0, image1, image0.size, result)
    step = points("util/compare.cu", expression, args, image0, result)
    return Plan(Launches([step], result), point(image0))


def samples():
    """Plans that together ask for every kernel of this room."""
    for dtype in C_NAMES:
        if dtype != "float16":
            image = Array((4, 4), np.dtype(dtype))
            yield from (compare_images(image, image, method=method) for method in _METHODS)
