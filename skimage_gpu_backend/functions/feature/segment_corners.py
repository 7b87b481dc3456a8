"""skimage.feature: corner_fast, corner_moravec and corner_orientations."""

import functools

import numpy as np

from ...device.dtypes import C_NAMES, c_name
from ...device.launches import Array, Launch, Launches
from ...devices import xp
from ...plan import Declined, Invalid, Plan, Reach
from ...primitives.arguments import integer, is_contiguous, real, refuse_but_arrays
from ...primitives.gaussian import working
from ._loops import refuse_read_only

_SOURCE = "feature/segment_corners.cu"
_BLOCK = 256
_TILE = (16, 64)  # ROWS and COLUMNS in segment_corners.cu
# Its tiles with halos fit into 48 kB of shared memory in double.
_MOST_WINDOW = 10


def corner_fast(image, n=12, threshold=0.15):
    """Segments of a circle that are all brighter or darker: `skimage.feature.corner_fast`.

    1 launch; the image is read once, the response is written once. One more launch makes a
    strided image contiguous.
    """
    plane = _plane(image)
    if not isinstance(n, int | np.integer):
        raise Declined("n is no integer; give one, as 12")
    if not -128 <= n < 128:
        raise Invalid("n has more than 8 bits")
    options = np.int32(integer("n", n)), real("threshold", threshold)
    return _response("corner_fast", plane, image.dtype, 3, options, image.ndim == 2)


def corner_moravec(image, window_size=1):
    """Least change when a window is shifted: `skimage.feature.corner_moravec`.

    1 launch; the image is read once, the response is written once. One more launch makes a
    strided image contiguous.
    """
    if image.ndim != 2:
        raise Invalid("image is not 2-D")
    if not isinstance(window_size, int | np.integer):
        raise Invalid("window_size is no integer")
    if not 0 <= window_size <= _MOST_WINDOW:
        raise Declined(f"window_size is not from 0 to {_MOST_WINDOW}; give an integer within, as 1")
    refuse_read_only(image, "float32", "float64")
    window, is_cut = np.int32(integer("window_size", window_size)), min(image.shape) > 1
    return _response("corner_moravec", image.shape, image.dtype, 2 * int(window), (window,), is_cut)


@functools.lru_cache(maxsize=256)
def _response(kernel, shape, dtype, halo, options, is_cut):
    """Plan of a kernel that looks at `halo` neighbours; images that are no plane are not cut."""
    image, result = Array(shape, dtype, "image"), Array(shape, working(dtype))
    rows, columns = shape
    tiles = -(-rows // _TILE[0]) * -(-columns // _TILE[1])
    elements = (_TILE[0] + 2 * halo) * (_TILE[1] + 2 * halo)
    step = Launch(
        _SOURCE,
        f"{kernel}<{c_name(dtype)}>",
        (image, result, rows, columns, *options),
        tiles * _BLOCK,
        _BLOCK,
        elements * result.dtype.itemsize,
    )
    return Plan(Launches([step], result), Reach((halo, halo), arrays=1) if is_cut else None)


def corner_orientations(image, corners, mask):
    """Directions to the intensity centroids around corners: `skimage.feature.corner_orientations`.

    1 launch of a thread for each corner, which reads the corner's neighbourhood; the result is
    written once.
    """
    refuse_but_arrays(corners=corners, mask=mask)
    plane = _plane(image)
    if not is_contiguous(image):  # scikit-image's loop takes no other layout
        if image.dtype.name in ("float32", "float64"):
            raise Invalid(
                "image is not in C order, which scikit-image's own loop needs; give "
                "numpy.ascontiguousarray(image)"
            )
        raise Declined(
            "image is not in C order, which scikit-image's own loop needs; give "
            "numpy.ascontiguousarray(image)"
        )
    if corners.ndim != 2 or mask.ndim != 2 or corners.dtype.char not in "lq":
        raise Invalid("corners are not pairs of int64, or the mask is not 2-D")
    if type(corners) is not type(image) or corners.shape[1] != 2:
        raise Declined(
            "corners is no array of pairs of the image's kind; give one of two columns, "
            "of NumPy with a NumPy image"
        )
    if not isinstance(mask, np.ndarray) or mask.dtype.kind not in "biufc":
        raise Declined("mask is not an array of numbers; give numpy.asarray(mask)")
    if mask.shape[0] % 2 != 1 or mask.shape[1] % 2 != 1:
        raise Invalid("a side of the mask is even")
    # scikit-image pads by half the rows before both axes and by half the columns behind them
    if mask.shape[0] != mask.shape[1]:
        raise Declined("mask is not square; give a square one, as skimage.morphology.octagon(3, 2)")
    launches = _directions(plane, image.dtype, corners.shape[0], mask.shape)
    run = functools.partial(_at_corners, launches, (mask != 0).astype(np.uint8))
    return Plan(run, launches=launches)


@functools.lru_cache(maxsize=256)
def _directions(shape, dtype, count, sides):
    image, corners = Array(shape, dtype, "image"), Array((count, 2), np.dtype(np.int64), "corners")
    mask, result = Array(sides, np.dtype(np.uint8), "mask"), Array((count,), working(dtype))
    expression = f"corner_orientations<{c_name(dtype)}>"
    args = (image, corners, mask, result, *shape, count, *sides)
    return Launches([Launch(_SOURCE, expression, args, count, block=32)], result)


def _at_corners(launches, mask, image, corners):
    return launches(image=image, corners=corners, mask=xp.asarray(mask))


def _plane(image):
    """Shape without axes of one element; scikit-image's loops take two axes."""
    shape = tuple(length for length in image.shape if length != 1)
    if image.size == 0 or len(shape) != 2:
        raise Invalid("image is empty or not 2-D; give a plane, as image[0]")
    refuse_read_only(image, "float32", "float64")
    return shape


def samples():
    """Plans that together ask for every kernel of this room."""
    for dtype in C_NAMES:
        image, corners = Array((4, 4), np.dtype(dtype)), Array((2, 2), np.dtype(np.int64))
        yield from (corner_fast(image), corner_moravec(image))
        yield corner_orientations(image, corners, np.ones((3, 3)))
