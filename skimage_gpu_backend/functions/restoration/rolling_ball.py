"""skimage.restoration.rolling_ball, equal to the last bit.

Cost: 1 launch, which reads the image and writes the result; the heights of the ball go to the
device. One that would add up more than 2^41 times becomes several, each with its own part of the
image. One more launch makes a strided image contiguous. 4 bytes come to the host where the kernel
rises above its centre, or integers have 64 bits: a background beyond the dtype's range is
scikit-image's to cast.
"""

import functools
import math

import numpy as np

from ...device import c_name
from ...device.dtypes import C_NAMES
from ...device.launches import Array, Bytes, Launch, Launches
from ...devices import to_host
from ...plan import Declined, Invalid, Plan, Reach
from ...primitives.arguments import is_real, truth
from ...primitives.gaussian import working
from ...primitives.stencils import MOST_AXES
from ...scikit_image import on_host, private

DEPRECATED = private("_shared.utils").DEPRECATED

_SOURCE = "restoration/rolling_ball.cu"
_ITEMS, _SIDE, _LANES = 32, 4, (32, 16, 8, 4)  # ITEMS and SIDE there
_MOST_ELEMENTS = 1 << 24  # of a ball
# Of a launch, which a display's watchdog ends after seconds: estimated at 0.4 s of a slow GPU. Of
# doubles, for which many GPUs have few units, a 16th.
_MOST_SUMS = 1 << 38
_MOST_WORKERS = 1024
_AXES = [(name, "i8", MOST_AXES) for name in ("shape", "ball", "before")]
_SIZES = [(name, "i8") for name in ("balls_planes", "across", "down")]
_NARROW_SIZES = [(name, "i4") for name in ("log_lanes", "tile_rows", "tile_columns", "pitch")]
_BALL = np.dtype([*_AXES, *_SIZES, *_NARROW_SIZES], align=True)
# Where int holds all sums of such images
_NARROW = ("bool", "uint8", "uint16")
_BEYOND, _HIGHEST = 1 << 29, 1 << 28


def rolling_ball(
    image,
    *,
    radius=100,
    kernel=None,
    nansafe=False,
    num_threads=DEPRECATED,
    workers=None,
):
    """Background by a ball that rolls under the image: `skimage.restoration.rolling_ball`."""
    if image.ndim == 0 or image.size == 0:
        raise Declined("image has no axes, or no elements; nothing to change")
    if image.ndim > MOST_AXES:
        raise Declined(f"image has {image.ndim} axes; give one of at most {MOST_AXES}")
    if num_threads is not DEPRECATED:
        raise Declined("num_threads is deprecated in scikit-image; give workers instead")
    _refuse_workers(workers)
    nansafe = truth("nansafe", nansafe) and image.dtype.kind == "f"
    if kernel is None:
        radius = _radius(radius, image.ndim)
        return _planned(image.shape, image.dtype, type(radius), radius, nansafe)
    if not isinstance(kernel, np.ndarray):
        raise Invalid("kernel is no array; give numpy.asarray(kernel)")
    if kernel.dtype.kind not in "biuf":
        raise Declined("kernel is not of real numbers; give kernel.astype(float)")
    if kernel.size == 0:
        raise Invalid("kernel has no elements; give one that has")
    if kernel.ndim != image.ndim:
        # one axis stands for all in the padding
        raise (Declined if kernel.ndim == 1 else Invalid)(
            "kernel has another number of axes than the image; give as many"
        )
    return _plan(image.shape, image.dtype, kernel, nansafe)


def _refuse_workers(workers):
    if workers is None:
        return
    try:
        count = workers.__index__()
    except (AttributeError, TypeError):
        raise Invalid("workers is no integer; give one, or leave it out") from None
    if not -(2**63) <= count < 2**63:
        raise Invalid("workers is larger than any number of threads; leave it out")
    if not 0 <= count <= _MOST_WORKERS:
        raise Declined(f"workers is outside of 0 to {_MOST_WORKERS}; leave it out")


def _radius(radius, ndim):
    if not is_real(radius):
        raise Declined("radius is not a number; give one, as 50")
    if isinstance(radius, bool | np.bool_) or not math.isfinite(radius):
        raise Invalid("radius is not finite, or a truth value; give a finite number")
    if radius <= -1:
        raise Invalid("radius is negative; give a number from 0 on")
    _refuse_many((2 * math.ceil(radius) + 1) ** ndim)
    return radius


def _refuse_many(elements):
    if elements > _MOST_ELEMENTS:
        raise Declined(
            f"radius or kernel gives a ball of more than {_MOST_ELEMENTS} elements; give a "
            "smaller one"
        )


@functools.lru_cache(maxsize=16)  # of large balls a plan has many heights
def _planned(shape, dtype, kind, radius, nansafe):
    try:
        with np.errstate(all="raise"):
            kernel = on_host("skimage.restoration:ball_kernel", radius, len(shape))
    except FloatingPointError:
        raise Declined("radius overflows in its own dtype; give float(radius)") from None
    return _plan(shape, dtype, kernel, nansafe)


def _plan(shape, dtype, kernel, nansafe):
    _refuse_many(kernel.size)
    heights = _heights(kernel, working(dtype))
    rises = bool((heights < 0).any())
    narrow = None if rises else _of_integers(heights, dtype)
    heights = heights if narrow is None else narrow
    is_checked = rises and dtype.char not in "?fd"
    is_checked |= dtype.kind in "iu" and dtype.itemsize == 8

    before = [n // 2 for n in heights.shape]
    after = [n - 1 - b for n, b in zip(heights.shape, before, strict=True)]
    reach = Reach(tuple(map(max, before, after)), arrays=1)
    image, result = Array(shape, dtype, "image"), Array(shape, dtype)
    odd = Array((1,), np.dtype("u4"), zero=True)
    name = f"rolling_ball{'_checked' if is_checked else ''}"
    as_bytes = dtype.kind == "b" and narrow is not None  # where the centre is 0 they stay 0 or 1
    of_image = "unsigned char" if as_bytes else c_name(dtype)
    types = f"{of_image}, {c_name(heights.dtype)}, {'true' if nansafe else 'false'}"
    ball, tiles = _ball(shape, heights.shape)
    table = map(Array.of, _tables(heights, nansafe))
    arguments = Bytes(image) if as_bytes else image, *table, ball
    most = _MOST_SUMS // (16 if heights.dtype == np.float64 else 1)
    parts = min(tiles, -(-tiles * _ITEMS * _SIDE**2 * heights.size // most))
    block = _ITEMS * (4 if heights.dtype.itemsize == 8 else 8)  # SHARES there
    steps = []
    for part in range(parts):
        first, last = tiles * part // parts, tiles * (part + 1) // parts
        written = Bytes(result) if as_bytes else result
        given = (*arguments, first, last, written, *([odd] if is_checked else []))
        work, over = (last - first) * block, (result, odd) if part else ()
        steps.append(Launch(_SOURCE, f"{name}<{types}>", given, work, block, over=over))
    if not is_checked:
        return Plan(Launches(steps, result), reach)
    launches = Launches(steps, (result, odd))
    return Plan(functools.partial(_checked, launches), reach, launches=launches)


def _checked(launches, image):
    result, odd = launches(image=image)
    if to_host(odd)[0]:
        raise Declined(
            "image or kernel gives a background beyond the range of the image's dtype; give "
            "image.astype(float)"
        )
    return result


def _heights(kernel, dtype):
    """How far the ball is below its centre, in the type of sums."""
    try:
        with np.errstate(over="raise", invalid="raise"):
            kernel = kernel.astype(dtype)
            centre = kernel[tuple(n // 2 for n in kernel.shape)]
            if not np.isfinite(centre) or np.isnan(kernel).any():
                raise Declined("kernel has NaN, or a centre that is infinite; give numbers")
            if centre == 0 and np.signbit(centre):  # the sign of a sum 0 were that of the first one
                raise Declined("kernel has a centre of -0; give 0")
            heights = centre - kernel
    except FloatingPointError:
        raise Declined("kernel is wider than any float; give smaller numbers") from None
    heights[kernel == np.inf] = np.inf
    return heights


def _of_integers(heights, dtype):
    """`heights` as integers that give the same background of an image of `dtype`, or None."""
    finite = np.isfinite(heights)
    if dtype.name not in _NARROW or heights[finite].max() > _HIGHEST:
        return None
    if dtype.kind == "b":  # is it 0
        whole = np.ceil(heights)
    else:
        whole = np.floor(heights)
        if (heights[finite] - whole[finite] > 1 - 2**-20).any():  # the sum may be rounded up
            return None
    return np.where(finite, whole, _BEYOND).astype(np.int32)


def _ball(shape, extent):
    """The struct RollingBall, and the number of tiles."""
    ball = np.ones((), _BALL)
    axes = len(shape)
    ball["shape"][MOST_AXES - axes :] = shape
    ball["ball"][MOST_AXES - axes :] = extent
    ball["before"] = ball["ball"] // 2
    ball["balls_planes"] = math.prod(extent[:-2])
    rows, columns = (1, *shape)[-2:]
    tiles = {}
    for lanes in _LANES:
        sides = _SIDE * _ITEMS // lanes, _SIDE * lanes
        tiles[sides] = -(-rows // sides[0]), -(-columns // sides[1])
    sides = min(tiles, key=lambda sides: math.prod(tiles[sides]))
    ball["down"], ball["across"] = tiles[sides]
    ball["tile_rows"], ball["tile_columns"] = sides
    ball["log_lanes"] = (sides[1] // _SIDE).bit_length() - 1
    ball["pitch"] = _pitch((1, *extent)[-1])
    return ball[()], math.prod(tiles[sides]) * math.prod(shape[:-2])


def _pitch(columns):
    """Elements of a row of `heights`."""
    return -(-columns // _SIDE) * _SIDE


def _tables(heights, nansafe):
    """`heights` and `spans` of the kernel."""
    beyond = _BEYOND if heights.dtype.kind == "i" else np.inf
    rows, columns = (1, *heights.shape)[-2:]
    margin = _SIDE - 1
    planes = heights.reshape(-1, rows, columns)
    padded = np.full((len(planes), rows + 2 * margin, _pitch(columns)), beyond, heights.dtype)
    padded[:, margin : margin + rows, :columns] = planes
    there = padded[..., :columns] != beyond
    if nansafe:
        there[:, margin : margin + rows] = True
    any_there = there.any(axis=-1)
    begin = np.where(any_there, there.argmax(axis=-1), columns)
    end = np.where(any_there, columns - there[..., ::-1].argmax(axis=-1), 0)
    seen = rows + margin
    begins = [begin[:, k : k + seen] for k in range(_SIDE)]
    ends = [end[:, k : k + seen] for k in range(_SIDE)]
    spans = np.stack([np.minimum.reduce(begins), np.maximum.reduce(ends)], axis=-1)
    return padded.reshape(-1), spans.astype(np.int32).reshape(-1)


def samples():
    """Plans that together ask for every kernel of this room."""
    ball, bowl = np.zeros((3, 3)), np.ones((3, 3))
    bowl[1, 1] = 0
    for dtype in C_NAMES:
        image = Array((9, 9), np.dtype(dtype))
        for nansafe in (False, True):
            for kernel in (ball, bowl, ball - 1e9 * bowl):
                yield rolling_ball(image, kernel=kernel, nansafe=nansafe)
