"""skimage.feature: local_binary_pattern and multiblock_lbp."""

import functools

import numpy as np

from ...device.dtypes import C_NAMES, c_name
from ...device.launches import Array, Launch, Launches
from ...devices import to_host
from ...plan import Declined, Idle, Invalid, Plan, warned
from ...primitives.arguments import integer, real
from ._loops import refuse_read_only

_SOURCE = "feature/local_binary_pattern.cu"
# As enum Method in local_binary_pattern.cu.
_METHODS = {"default": 0, "ror": 1, "uniform": 2, "nri_uniform": 3, "var": 4}
_MOST_POINTS = 127
_CIRCLE = np.dtype(
    [(axis, "f8", _MOST_POINTS) for axis in ("down", "across")]
    + [("points", "i4"), ("method", "i4")]
)
UNSTABLE = (
    "Applying `local_binary_pattern` to floating-point images may "
    "give unexpected results when small numerical differences between "
    "adjacent pixels are present. It is recommended to use this "
    "function with images of integer dtype."
)


def local_binary_pattern(image, P, R, method="default"):
    """Neighbours on a circle compared with each pixel: `skimage.feature.local_binary_pattern`.

    1 launch; the image is read once, the result (float64) is written once. A strided image
    is copied first. Results are scikit-image's to the last bit. They have no reach: the place of
    a neighbour is rounded otherwise far from the first row than near it, so a tile would need to
    know its own place, as chunks of Dask arrays do (`plan_at`).
    """
    if image.ndim != 2 or image.size == 0:
        raise Invalid("image is empty or not 2-D; give a plane, as image[0]")
    name = method.lower() if isinstance(method, str) else None
    if name not in _METHODS:
        raise Invalid("method is unknown")
    if not isinstance(P, int | np.integer) or not 0 < P <= _MOST_POINTS:
        raise Declined(f"P is no integer from 1 to {_MOST_POINTS}; give one, as 8")
    if name == "ror" and P > 31:
        raise Declined("method is 'ror' and P is above 31, whose bits overflow; give P up to 31")
    radius = real("R", R)
    if not abs(radius) < 2**31:
        raise Declined("R is not a number below 2**31; give one, as 1")
    refuse_read_only(image, "float64")
    plan = _patterns(image.shape, image.dtype, integer("P", P), radius, _METHODS[name])
    return warned(plan, UNSTABLE) if image.dtype.kind == "f" else plan


def plan_at(image, place, P, R, method):
    """Plan for a part of an image, whose first pixel is at `place`: no warning is told of it."""
    options = integer("P", P), real("R", R), _METHODS[method.lower()]
    return _patterns(image.shape, image.dtype, *options, tuple(place))


def circle_of(points, radius):
    """How far the neighbours are along rows and along columns."""
    # as _local_binary_pattern of _texture.pyx
    angles = 2 * np.pi * np.arange(points, dtype=np.float64) / points
    return np.round(-radius * np.sin(angles), 5), np.round(radius * np.cos(angles), 5)


@functools.lru_cache(maxsize=256)
def _patterns(shape, dtype, points, radius, method, place=(0, 0)):
    circle = np.zeros((), _CIRCLE)
    circle["down"][:points], circle["across"][:points] = circle_of(points, radius)
    circle["points"], circle["method"] = points, method
    image, result = Array(shape, dtype, "image"), Array(shape, np.dtype(np.float64))
    expression = f"local_binary_pattern<{c_name(dtype)}>"
    step = Launch(_SOURCE, expression, (image, result, *shape, *place, circle[()]), image.size)
    return Plan(Launches([step], result))


def multiblock_lbp(int_image, r, c, width, height):
    """Pattern of nine rectangles of an integral image: `skimage.feature.multiblock_lbp`.

    1 launch of one thread, which reads 36 elements; 4 bytes come to the host. A strided image
    is copied first.
    """
    if isinstance(int_image, np.ndarray):
        raise Declined(
            Idle("int_image is a NumPy array, of which 36 numbers are read; nothing to change")
        )
    if int_image.ndim != 2:
        raise Invalid("int_image is not 2-D")
    if not all(isinstance(value, int | np.integer) for value in (r, c, width, height)):
        raise Declined("r, c, width or height is no integer; give integers")
    r, c, width, height = (integer("a place", value) for value in (r, c, width, height))
    rows, columns = int_image.shape
    if (
        width < 1
        or height < 1
        or not (0 <= r <= rows - 3 * height and 0 <= c <= columns - 3 * width)
    ):
        raise Declined("r, c, width and height reach beyond the image; give rectangles within it")
    return _pattern(int_image.shape, int_image.dtype, r, c, height, width)


@functools.lru_cache(maxsize=256)
def _pattern(shape, dtype, *place):
    sums, result = Array(shape, dtype, "int_image"), Array((1,), np.dtype(np.int32))
    expression = f"multiblock_pattern<{c_name(dtype)}>"
    step = Launch(_SOURCE, expression, (sums, result, shape[1], *place), 1, block=32)
    launches = Launches([step], result)
    return Plan(lambda int_image: int(to_host(launches(int_image=int_image))[0]), launches=launches)


def samples():
    """Plans that together ask for every kernel of this room."""
    for dtype in C_NAMES:
        image = Array((4, 4), np.dtype(dtype))
        yield from (local_binary_pattern(image, 8, 1), multiblock_lbp(image, 0, 0, 1, 1))
