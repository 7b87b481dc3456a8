"""skimage.feature.haar_like_feature, scikit-image's numbers to the last bit.

Cost: 1 launch, which reads the window of the integral image, and writes 8 bytes a feature (4 of
float32). Tables of an integer for each type and each row and column of the window go to the device.
"""

import functools

import numpy as np

from ...device.dtypes import c_name
from ...device.launches import Array, Launch, Launches
from ...plan import Declined, Invalid, Plan
from ...primitives.arguments import integer

_SOURCE = "feature/haar.cu"
# Rectangles along both axes.
_TYPES = {
    "type-2-x": (1, 2),
    "type-2-y": (2, 1),
    "type-3-x": (1, 3),
    "type-3-y": (3, 1),
    "type-4": (2, 2),
}
_DTYPES = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
_DTYPES += ("float32", "float64")


def haar_like_feature(int_image, r, c, width, height, feature_type=None, feature_coord=None):
    """Differences of rectangles' sums: `skimage.feature.haar_like_feature`."""
    if feature_coord is not None:
        raise Declined(
            "feature_coord is tuples, which the host reads one by one; give feature_type alone, "
            "which changes the result"
        )
    if int_image.dtype.kind == "b" and int_image.ndim == 2:
        raise Declined("int_image is boolean; give int_image.astype(numpy.uint8)")
    if int_image.ndim != 2 or int_image.dtype.name not in _DTYPES:
        raise Invalid("int_image is not 2-D, or of a dtype that scikit-image does not take")
    types = _types(feature_type)
    if not all(isinstance(value, int | np.integer) for value in (r, c, width, height)):
        raise Declined("r, c, width or height is no integer; give integers")
    r, c, width, height = (integer("a place", value) for value in (r, c, width, height))
    rows, columns = int_image.shape
    if not (0 <= r < r + height <= rows and 0 <= c < c + width <= columns):
        raise Declined("r, c, width and height reach beyond the image; give a window within it")
    return _planned(int_image.shape, int_image.dtype, r, c, width, height, types)


def _types(feature_type):
    if feature_type is None:
        return (*_TYPES,)
    if isinstance(feature_type, str):
        feature_type = (feature_type,)
    if not isinstance(feature_type, list | tuple):
        raise Declined("feature_type is no list of names; give one, as ['type-4']")
    if not feature_type or not all(
        isinstance(each, str) and each in _TYPES for each in feature_type
    ):
        raise Invalid("feature_type is unknown")
    return (*map(str, feature_type),)


@functools.lru_cache(maxsize=64)
def _planned(shape, dtype, r, c, width, height, types):
    parts = np.array([_TYPES[each] for each in types]).T
    heights, widths = (
        np.array([_choices(length, part) for part in along])
        for length, along in zip((height, width), parts, strict=True)
    )
    counts = heights[:, -1] * widths[:, -1]
    if not counts.any():
        raise Invalid("there are no features of this size; give a larger width and height")
    described = np.stack([*parts, np.cumsum(counts) - counts], axis=1)
    count = int(counts.sum())
    computed = dtype if dtype.kind == "f" else np.dtype(np.int64)
    signed = dtype if dtype.kind == "f" else np.dtype(f"i{dtype.itemsize}")
    kernel = f"haar_features<{', '.join(map(c_name, (dtype, signed, computed)))}>"
    sums, result = Array(shape, dtype, "int_image"), Array((count,), computed)
    kinds, *tables = map(Array.of, (described, heights, widths))
    args = sums, shape[1], r, c, height, width, kinds, len(types), *tables, count, result
    return Plan(Launches((Launch(_SOURCE, kernel, args, count),), result))


def _choices(length, parts):
    """How many lengths a rectangle can have at the places before each, with others behind it."""
    left = length - np.arange(length)
    return np.concatenate([[0], np.cumsum(left // parts)])


def samples():
    """Plans that together ask for every kernel of this room."""
    for dtype in _DTYPES:
        yield haar_like_feature(Array((9, 9), np.dtype(dtype)), 0, 0, 5, 5)
