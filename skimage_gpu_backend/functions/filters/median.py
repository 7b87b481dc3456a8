"""skimage.filters.median: medians of footprints.

Cost: 1 launch; image read once, result written once; a few numbers of the footprint go to the
device. One more launch makes a strided image contiguous, and one copies into an `out` that is
strided or shares memory with the image.
"""

import functools

import numpy as np

from ...device.dtypes import C_NAMES, c_name
from ...device.launches import Array, Launch, Launches
from ...plan import Declined, Invalid, Plan, Reach
from ...primitives.arguments import is_writeable
from ...primitives.footprint_tiles import (
    SHARED,
    cells_of,
    fewest_cells,
    offsets_of,
    tiles_of,
    windows_of,
)
from ...primitives.stencils import (
    BOUNDARY,
    OVER_LINE,
    along,
    number,
    reaches_over_line,
    refuse_far_mirrored,
)
from . import rank

_SOURCE = "filters/median.cu"
_CONSTANT = BOUNDARY["constant"]
_BLOCK, _DOWN = (32, 8), 4  # threads; results of each, in median.cu


def median(image, footprint=None, out=None, mode="nearest", cval=0.0, behavior="ndimage"):
    """Median of each pixel's footprint: `skimage.filters.median`. 1 launch.

    As `skimage.filters.rank.median` where `behavior` says so.
    """
    if not isinstance(behavior, str):  # an array has no one truth when it is compared
        raise Declined("behavior is no text; give 'ndimage' or 'rank'")
    if behavior == "rank":
        is_default = isinstance(mode, str) and mode == "nearest" and type(cval) in (int, float)
        if not is_default or cval != 0:
            raise Declined(
                "mode or cval is given with behavior='rank', which ignores them; leave them out"
            )
        return rank.median(image, footprint, out)
    if image.size == 0:
        raise Declined("image is empty; nothing to change")
    if "e" in (image.dtype.char, getattr(out, "dtype", image.dtype).char):
        # but for rows and footprints of one pixel, SciPy refuses them
        refused = image.ndim > 1 and getattr(footprint, "size", 0) != 1
        raise (Invalid if refused else Declined)(
            "image or out is float16, in which SciPy has no median; give them as float32"
        )
    if not 1 <= image.ndim <= 3:
        raise Declined(f"image has {image.ndim} axes; give one of 1 to 3")
    if footprint is None:
        footprint = np.ones((3,) * image.ndim, bool)
    _check_footprint(footprint, image)
    if not isinstance(mode, str) or mode not in BOUNDARY:
        # which SciPy does not look at for one element
        raise (Declined if footprint.size == 1 else Invalid)(
            "mode is unknown; give one of scipy.ndimage, as 'reflect'"
        )
    beyond = _beyond(cval, mode, image.dtype)
    if out is not None:
        _check_out(out, image)
    if footprint.size == 1 and image.dtype.kind in "iu" and image.dtype.itemsize == 8:
        raise Declined(
            "footprint has one element and the image has 64-bit integers, which SciPy rounds; "
            "give smaller integers, which changes the result"
        )
    elements = (footprint != 0).tobytes()
    if 1 not in elements:
        raise Invalid("footprint has no element that is not 0; give one that has")
    return _planned(image.shape, image.dtype, footprint.shape, elements, mode, beyond)


def _check_footprint(footprint, image):
    if type(footprint) is not np.ndarray:
        raise Declined("footprint is no array; give numpy.asarray(footprint)")
    if footprint.ndim != image.ndim or footprint.size == 0:
        raise Invalid("footprint is empty or has another number of axes than the image")
    if footprint.dtype.kind not in "biuf":
        raise Declined(f"footprint has dtype {footprint.dtype}; give footprint.astype(bool)")
    if fewest_cells(footprint.shape) * image.dtype.itemsize > SHARED:
        raise Declined("footprint is too large for a GPU's shared memory; give a smaller one")


def _beyond(cval, mode, dtype):
    """What stands beyond the border."""
    beyond = number(cval)
    if BOUNDARY[mode] != _CONSTANT:
        return 0.0
    if dtype.kind != "f":
        lowest, highest = (0, 1) if dtype.kind == "b" else _limits(dtype)
        if not lowest <= cval <= highest:
            raise Declined(f"cval is outside the range of {dtype}; give a number within")
    return beyond


def _limits(dtype):
    limits = np.iinfo(dtype)
    # no double is nearer to the largest 64-bit integers than to what lies outside
    return limits.min, min(limits.max, 2**53)


def _check_out(out, image):
    if type(out) is not type(image):
        raise Declined("out is no array of the image's kind; give no out, and take the result")
    if out.dtype != image.dtype or out.shape != image.shape:
        raise Declined(
            "out has another dtype or shape than the image; give no out, and take the result"
        )
    if not out.dtype.isnative or not is_writeable(out):
        raise Declined(
            "out is read-only or in the other byte order; give no out, and take the result"
        )


@functools.lru_cache(maxsize=256)
def _planned(shape, dtype, extent, elements, mode, beyond):
    elements = np.frombuffer(elements, bool).reshape(extent)
    place = [n // 2 for n in extent]
    refuse_far_mirrored(mode, place, shape)
    if reaches_over_line(mode, place, shape):
        raise Declined(OVER_LINE)
    image, result = Array(shape, dtype, "image"), Array(shape, dtype)
    key = np.dtype("uint8") if dtype.kind == "b" else dtype
    border = np.int32(BOUNDARY[mode]), np.float64(beyond).astype(key)
    if extent == (3, 3) and elements.all():
        tiles = -(-shape[0] // (_BLOCK[1] * _DOWN)) * -(-shape[1] // _BLOCK[0])
        kernel, arguments, size = "median_of_squares", (*shape, *border), {"work": tiles * 256}
    else:
        tile, cells = cells_of(extent, SHARED // dtype.itemsize, shape)
        windows = windows_of(shape, tile, extent, place)
        offsets = offsets_of(elements, windows)
        numbers = np.int32(len(offsets)), np.int32(len(offsets) // 2), windows[()]
        kernel, arguments = "median", (Array.of(offsets), *numbers, *border)
        size = {"work": tiles_of(windows) * 256, "shared": cells * dtype.itemsize}
    arguments = (image, *arguments, result)
    step = Launch(_SOURCE, f"{kernel}<{c_name(key)}>", arguments, block=_BLOCK, **size)
    return Plan(Launches([step], result), Reach(along(place, mode)))


def samples():
    """Plans that together ask for every kernel of this room."""
    for dtype in C_NAMES:
        if dtype != "float16":
            for footprint in (np.ones((3, 3)), np.eye(3)):
                yield median(Array((4, 4), np.dtype(dtype)), footprint)
