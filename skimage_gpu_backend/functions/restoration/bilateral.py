"""skimage.restoration.denoise_bilateral, equal to the last bit."""

import functools
import math
from typing import NamedTuple

import numpy as np

from ..._warn import warn_caller
from ...device import c_name, launch
from ...device.launches import Array, Cost
from ...device.shared import most_dynamic
from ...devices import to_host, xp
from ...plan import Declined, Invalid, Passes, Plan, Reach
from ...primitives.arguments import integer, is_real, real
from ...primitives.channels import channels_moved, refuse_axis
from ...primitives.pairwise import depth, halves, partial_sums
from ...primitives.stencils import along
from ...primitives.value_range import value_range
from ...scikit_image import private
from ..util.img_as import img_as_float

_denoise = private("restoration._denoise")

_SOURCE = "restoration/bilateral.cu"
_BLOCK = 256
_ROWS, _COLUMNS = 16, 32  # of a tile, as in the kernel
_MODES = {"edge": 0, "wrap": 1, "symmetric": 2, "reflect": 3, "constant": 4}
_KNOWN = 1, 3, 4  # channels of which there are kernels
_LAST = None, -1  # axes of channels that stay where they are
_MOST_WINDOW, _MOST_BINS = 2047, 1 << 24
_PLANE = np.dtype(
    [
        ("rows", "i8"),
        ("columns", "i8"),
        ("channels", "i8"),
        ("reach", "i4"),
        ("mode", "i4"),
    ]
)


@channels_moved()
def denoise_bilateral(
    image,
    win_size=None,
    sigma_color=None,
    sigma_spatial=1,
    bins=10000,
    mode="constant",
    cval=0,
    *,
    channel_axis=None,
):
    """Bilateral filter: `skimage.restoration.denoise_bilateral`.

    2 launches: one finds the image's range, which comes to the host, where scikit-image's tables of
    weights are made; the other one filters. Both read the image once, the result is written once.
    Without `sigma_color` two more, which read the image for its standard deviation, and for images
    of integers one more, which makes floats of them. A pixel looks at all of its window, each
    neighbour a root (but for grey images) and a look into the table of colours: the call's time is
    that of those, not of bytes. An image of one value is returned as it is. One that is larger than
    the device goes in tiles; without `sigma_color` its standard deviation is added up before, from
    sums of stretches of it, for which it crosses the bus twice more.
    """
    if image.ndim == 0:
        raise Declined("image has no axes; nothing to change")
    if image.size == 0:
        raise Invalid("an empty image has no range")
    if image.dtype.char == "e":
        raise Declined("image is float16; give image.astype(numpy.float32)")
    shape = (*(1,) * (2 - image.ndim), *image.shape, 1)
    if channel_axis is not None:
        if image.ndim != 3:
            raise Invalid("image with channels has not three axes; leave out channel_axis")
        refuse_axis(image, channel_axis)
        shape = list(image.shape)
        shape.append(shape.pop(channel_axis))
    elif image.ndim > 2:
        raise Invalid("image has more than two axes; give channel_axis=-1 for colours")
    if channel_axis not in _LAST and 1 in shape:
        raise Declined("image has an axis of length 1; give it with its channels last")
    sigmas = _sigmas(sigma_color, sigma_spatial)
    asked = _Asked(
        *_window(win_size, sigma_spatial),
        *sigmas,
        _bins(bins),
        _mode(mode),
        real("cval", cval),
        channel_axis,
        tuple(shape),
    )
    types = type(sigma_color), type(sigma_spatial)
    return _planned(asked, types, image.shape, image.dtype)


class _Asked(NamedTuple):
    """What a call asks for, beside its image."""

    window: int
    reach: int
    sigma_color: object  # both as the user has them: NumPy computes in their type
    sigma_spatial: object
    bins: int
    mode: int
    cval: float
    axis: int | None
    shape: tuple  # of the image with its channels last, three axes


class _Weights(NamedTuple):
    """What the kernel takes beside the image; made on the host."""

    colors: np.ndarray
    places: np.ndarray
    scale: float
    least: float


def _window(win_size, sigma_spatial):
    """Length of a window's sides, and how far it reaches."""
    if win_size is None:
        try:
            with np.errstate(over="ignore"):
                win_size = max(5, 2 * math.ceil(3 * sigma_spatial) + 1)
        except (OverflowError, TypeError, ValueError):
            raise Invalid("sigma_spatial makes no window; give a finite number") from None
    if type(win_size) is not int:
        raise Declined("win_size is not an integer of Python's; give one, as 5")
    if not 0 < win_size <= _MOST_WINDOW:
        raise Declined("win_size is 0, negative or thousands of pixels; give a number, as 5")
    return win_size, (win_size - 1) // 2


def _sigmas(sigma_color, sigma_spatial):
    for name, sigma in (("sigma_color", sigma_color), ("sigma_spatial", sigma_spatial)):
        if sigma is None and name == "sigma_color":
            continue
        if not is_real(sigma):
            raise Declined(f"{name} is not a number; give one, as 0.1")
        try:
            with np.errstate(over="ignore"):
                float(sigma**2)
        except OverflowError:
            raise Declined(f"{name} has a square beyond all floats; give a smaller one") from None
    return sigma_color, sigma_spatial


def _bins(bins):
    bins = integer("bins", bins)
    if not 0 < bins <= _MOST_BINS:
        raise Declined("bins is below 1, or makes a table of megabytes; give a number, as 10000")
    return bins


def _mode(mode):
    if not isinstance(mode, str) or mode not in _MODES:
        raise Declined("mode is no known one; give 'constant', 'edge', 'symmetric' or another one")
    return _MODES[mode]


def _working(dtype):
    """Type in which images of `dtype` are filtered."""
    return dtype if dtype.kind == "f" else np.dtype(float)


@functools.lru_cache(maxsize=256)
def _planned(asked, types, shape, dtype):
    """Plan of a call whose sigmas are of these types; numbers that are equal may differ in them."""
    image, dtype = Array(shape, dtype), _working(dtype)
    needs_spread, is_converted = not asked.sigma_color, image.dtype != dtype
    floats = image.size * dtype.itemsize
    tables = (asked.bins + (asked.window + 1) ** 2) * dtype.itemsize
    nbytes = image.size * image.dtype.itemsize
    sums = partial_sums(image.size) * dtype.itemsize
    cost = Cost(
        2 + is_converted + 2 * needs_spread + (asked.axis not in _LAST),
        nbytes * (2 + (asked.axis not in _LAST)) + floats * (1 + 2 * needs_spread) + tables,
        floats * (1 + is_converted) + nbytes * (asked.axis not in _LAST) + 2 * sums + 1024,
        floats * is_converted + sums,
    )
    run = functools.partial(_run, asked)
    if 1 in image.shape:  # results lose axes of length 1
        return Plan(run, cost=cost)
    halo = [asked.reach] * image.ndim
    if asked.axis is not None:
        halo[asked.axis] = None
    is_wrapped = asked.mode == _MODES["wrap"]
    reach = Reach(along(halo, "wrap" if is_wrapped else "nearest"), arrays=3)
    find, make = functools.partial(_weights, asked), functools.partial(_tile, asked)
    return Plan(run, Passes(find, make, reach), cost=cost)


def _run(asked, image):
    """The result for a whole image."""
    floats = None if asked.sigma_color else _floats(asked, image)
    weights = _weights(asked, image, floats)
    if weights is None:  # the image itself, or where its channels were moved a view of it
        return image if asked.axis in _LAST else image[...]
    made = _filtered(asked, weights, _floats(asked, image) if floats is None else floats)
    return _moved(asked, xp.squeeze(made))


def _tile(asked, weights, image):
    """What becomes of a part of the image of which `_weights` has told."""
    if weights is None:
        return image
    made = _filtered(asked, weights, _floats(asked, image))
    return _moved(asked, made if asked.axis is not None else made[..., 0])


def _moved(asked, made):
    return made if asked.axis in _LAST else xp.moveaxis(made, -1, asked.axis)


def _weights(asked, image, floats=None):
    """Tables for an image, which may come in pieces; None where all its values are equal."""
    _warn(asked)
    found = value_range(image)
    least, most = to_host(found)[:2]
    if least == most:
        return None
    sigma = asked.sigma_color
    if not sigma:
        sigma = _spread_of_pieces(asked, image) if floats is None else _spread(floats)
    dtype = _working(image.dtype)
    colors = _denoise._compute_color_lut(asked.bins, sigma, most, dtype=dtype)
    places = _denoise._compute_spatial_lut(asked.window, asked.sigma_spatial, dtype=dtype)
    if not least < 0:
        least = dtype.type(0)
    elif least.dtype.kind == "i" and int(most) - int(least) > np.iinfo(least.dtype).max:
        raise Declined(
            "image has integers that are farther apart than its dtype counts, which overflows in "
            "scikit-image; give skimage.util.img_as_float(image), which changes the result"
        )
    else:
        most = most - least
    scale = np.float64(asked.bins // asked.shape[2]) / np.float64(most)
    return _Weights(colors, places, dtype.type(scale), dtype.type(least))


def _warn(asked):
    channels = asked.shape[2]
    if asked.axis is None or channels in (3, 4):
        return
    if channels > 4:
        text = (
            "The last axis of the input image is interpreted as channels. Input image with shape "
            f"{asked.shape} has {channels} channels in last axis. ``denoise_bilateral``is "
            "implemented for 2D grayscale and color images only."
        )
    else:
        text = f"Input image must be grayscale, RGB, or RGBA; but has shape {asked.shape}."
    warn_caller(text, UserWarning)


def _floats(asked, image):
    """The image as floats with its channels as the last of three axes."""
    if asked.axis is None:
        image = image.reshape((*(1,) * (2 - image.ndim), *image.shape, 1))
    elif asked.axis not in _LAST:
        image = xp.moveaxis(image, asked.axis, -1)
    return _as_floats(xp.ascontiguousarray(image))


def _as_floats(image):
    if image.dtype.kind == "f":
        return image
    return img_as_float(Array(image.shape, image.dtype)).run(image=image)


def _spread(floats):
    """Standard deviation."""
    found = xp.empty(2, floats.dtype)
    for has_sum in (False, True):
        _add(floats, floats.size, has_sum, found)
    return _root(to_host(found[1])[()], floats.size)


def _spread_of_pieces(asked, image):
    """The same of an image that is larger than the device."""
    dtype = _working(image.dtype)
    found = xp.empty(2, dtype)
    axis = -1 if asked.axis is None else asked.axis

    # as many bytes as of a piece, if the largest floats are made of the least integers
    most = max(1, image.most // 8)
    for has_sum in (False, True):
        total = dtype.type(0)
        for begin in range(0, image.size, most):
            piece = _as_floats(image.stretch(begin, min(begin + most, image.size), axis))
            _add(piece, image.size, has_sum, found)
            with np.errstate(all="ignore"):
                total += to_host(found[int(has_sum)])[()]
        found[0] = total
    return _root(total, image.size)


def _add(floats, whole, has_sum, found):
    """Sum up `floats`, some of `whole` elements, or the squares of their deviations."""
    size = floats.size
    sums = partial_sums(size)
    partials, arrived = xp.empty(sums, floats.dtype), xp.zeros(1, "uint32")
    args = (floats, size, whole, np.int32(depth(size)), np.int32(halves(size)))
    kernel = _adding(floats.dtype, has_sum)
    launch(_SOURCE, kernel, (*args, partials, arrived, found), work=sums * _BLOCK, block=_BLOCK)


def _root(squares, size):
    with np.errstate(all="ignore"):
        return np.sqrt(squares.dtype.type(np.float64(squares) / size))


def _filtered(asked, weights, image):
    """The filtered image, of floats with its channels last."""
    dtype = image.dtype
    rows, columns, channels = image.shape
    plane = np.array([(rows, columns, channels, asked.reach, asked.mode)], _PLANE)[0]
    shared = _tile_bytes(asked.reach, channels, dtype)
    if shared > most_dynamic("bilateral"):
        shared = 0
    kernel = _kernel(channels, dtype, bool(shared))
    with np.errstate(over="ignore"):
        cval = dtype.type(asked.cval)
    result = xp.empty(image.shape, dtype)
    colors, places = xp.asarray(weights.colors), xp.asarray(weights.places)
    across = asked.window
    numbers = weights.scale, weights.least, cval
    args = (image, plane, colors, asked.bins, places, across, *numbers, result)
    tiles = -(-rows // _ROWS) * -(-columns // _COLUMNS)
    launch(_SOURCE, kernel, args, work=tiles * _BLOCK, block=_BLOCK, shared=shared)
    return result


def _tile_bytes(reach, channels, dtype):
    return (_ROWS + 2 * reach) * (_COLUMNS + 2 * reach) * channels * dtype.itemsize


def _kernel(channels, dtype, in_tile):
    known = channels if channels in _KNOWN else 0
    return f"bilateral<{c_name(dtype)}, {known}, {str(in_tile).lower()}>"


def _adding(dtype, has_sum):
    return f"spread<{c_name(dtype)}, {str(has_sum).lower()}>"


def specializations():
    """Every (source, expression) that this room launches."""
    for dtype in (np.dtype(np.float32), np.dtype(np.float64)):
        for has_sum in (False, True):
            yield _SOURCE, _adding(dtype, has_sum)
        for channels in (*_KNOWN, 0):
            for in_tile in (False, True):
                yield _SOURCE, _kernel(channels, dtype, in_tile)
