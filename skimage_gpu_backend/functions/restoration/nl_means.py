"""skimage.restoration.denoise_nl_means.

Planes are equal to the last bit. For volumes with `fast_mode` scikit-image keeps one memory for all
shifts and does not clear it, which changes the rounding of distances. Its exponential has steps of
1e-6: a distance at a step may have the next weight, so that single voxels differ by some 1e-10 of
the range.
"""

import functools
import itertools
import math
from typing import NamedTuple

import numpy as np

from ...device import c_name, launch
from ...device.launches import Array, Cost, added
from ...device.rounds import rounds
from ...devices import xp
from ...plan import Declined, Invalid, Plan, Reach
from ...primitives.arguments import integer, is_real, truth
from ...primitives.channels import channels_moved, refuse_axis
from ..util.img_as import img_as_float

_SLOW, _FAST = "restoration/nl_means_slow.cu", "restoration/nl_means_fast.cu"
_BLOCK = 256
_WORKSPACE = 1 << 30  # bytes of integral images that are there at a time, if one is no larger
_LAST = None, -1  # axes of channels that stay where they are
_MOST = 1 << 10  # of a patch's side, and of the distance
_FIELD = np.dtype(
    [
        *((name, "i8") for name in ("planes", "rows", "columns", "channels")),
        ("plane_margin", "i4"),
        ("margin", "i4"),
    ]
)
_BORDERED = np.dtype(
    [
        *((name, "i8") for name in ("times", "planes", "rows", "columns", "channels")),
        *((name, "i4") for name in ("border", "patch", "reach")),
    ],
    align=True,
)


@channels_moved()
def denoise_nl_means(
    image,
    patch_size=7,
    patch_distance=11,
    h=0.1,
    fast_mode=True,
    sigma=0.0,
    *,
    preserve_range=False,
    channel_axis=None,
):
    """Non-local means: `skimage.restoration.denoise_nl_means`.

    With `fast_mode` there is an integral image, of doubles, for each of ``(2 d + 1) (d + 1)``
    shifts (d is `patch_distance`), as many at a time as take 1 GiB: 2 launches for each such
    number of them and 1 more. Volumes take those 2 for each shift along the first axes. An integral
    image is written once and read where patches end, twice by each pixel; it is made from the first
    element on, so that no tile can be by itself.

    Without, 2 launches; a pixel compares all patches around it, so that the time is that of these
    ``(2 d + 1)**n * patch_size**n`` differences a pixel. Images of integers take 1 launch more,
    which makes floats of them, and so do channels that are not last.
    """
    if image.size < 2:
        raise Declined("image is empty or a single pixel; nothing to change")
    spatial = image.shape
    if channel_axis is not None:
        refuse_axis(image, channel_axis)
        spatial = list(image.shape)
        del spatial[channel_axis]
    if not 2 <= len(spatial) <= 4:
        raise Invalid("image has not two to four axes beside its channels; give such a one")
    fast_mode = truth("fast_mode", fast_mode)
    if not fast_mode and (len(spatial) == 4 or (len(spatial) == 3 and channel_axis is not None)):
        raise Invalid("fast_mode is off, which takes planes and grey volumes; leave it out")
    if channel_axis not in _LAST and 1 in image.shape:
        raise Declined("image has an axis of length 1; give it with its channels last")
    side, reach = integer("patch_size", patch_size), integer("patch_distance", patch_distance)
    if not 0 <= side < _MOST:
        raise Declined("patch_size is negative, or a thousand pixels; give a smaller one, as 7")
    if not 0 <= reach < _MOST:
        raise Declined("patch_distance is negative, or a thousand pixels; give a smaller one")
    channels = 1 if channel_axis is None else image.shape[channel_axis]
    asked = _Asked(
        (*spatial, channels),
        side // 2,
        reach,
        *_numbers(h, sigma),
        truth("preserve_range", preserve_range),
        channel_axis,
        image.dtype,
    )
    return _planned(asked, fast_mode, image.shape)


class _Asked(NamedTuple):
    """What a call asks for.

    Attributes
    ----------
    shape : tuple of int
        Of the image with its channels last.
    patch : int
        Half of a patch's side.
    """

    shape: tuple
    patch: int
    reach: int
    h: float
    variance: float
    preserve_range: bool
    axis: int | None
    source: np.dtype

    @property
    def dtype(self):
        """In which images are denoised."""
        return np.dtype(np.float32 if self.source.char in "ef" else np.float64)


@functools.lru_cache(maxsize=256)
def _planned(asked, fast_mode, shape):
    return (_plan_fast if fast_mode else _plan_slow)(asked, Array(shape, asked.source))


def _numbers(h, sigma):
    for name, value in (("h", h), ("sigma", sigma)):
        if not is_real(value):
            raise Declined(f"{name} is not a number; give one, as 0.1")
    try:
        with np.errstate(all="ignore"):
            return float(h), float(sigma * sigma)
    except OverflowError:
        raise Declined("sigma has a square beyond all floats; give a smaller one") from None


def _floats(asked, image):
    """The image as floats with its channels last, and what this costs."""
    if asked.axis is None:
        image = image[..., np.newaxis]
    elif asked.axis not in _LAST:
        image = xp.moveaxis(image, asked.axis, -1)
    if image.dtype == asked.dtype:
        return xp.ascontiguousarray(image)
    if asked.preserve_range or image.dtype.kind == "f":
        return xp.ascontiguousarray(image).astype(asked.dtype)
    image = xp.ascontiguousarray(image)
    return img_as_float(Array(image.shape, image.dtype)).run(image=image)


def _cost(asked, image, cost):
    """With what it costs to make floats of the image."""
    nbytes, floats = image.size * image.dtype.itemsize, image.size * asked.dtype.itemsize
    parts = [cost]
    if asked.axis not in _LAST:
        parts.append(Cost(1, nbytes, nbytes, nbytes))
    if image.dtype != asked.dtype:
        parts.append(Cost(1, 8 * image.size, floats, floats))
    return added(*parts)


def _moved(asked, made):
    return made if asked.axis in _LAST else xp.moveaxis(made, -1, asked.axis)


def _plan_slow(asked, image):
    is_volume = len(asked.shape) == 4
    margins = (asked.patch if is_volume else 0, asked.patch)
    bordered = _bordered(asked.shape[:-1], asked.patch) * asked.shape[-1] * asked.dtype.itemsize
    floats = image.size * asked.dtype.itemsize
    table = (2 * asked.patch + 1) ** (3 if is_volume else 2) * asked.dtype.itemsize
    cost = Cost(2, floats + bordered + table, floats + bordered, bordered)
    run = functools.partial(_compared, asked, margins)
    cost = _cost(asked, image, cost)
    if 1 in image.shape and not is_volume:  # results lose axes of length 1
        return Plan(run, cost=cost)
    halo = [asked.reach + asked.patch] * image.ndim
    if asked.axis is not None:
        halo[asked.axis] = None
    return Plan(run, Reach(tuple(halo), arrays=3), cost=cost)


def _bordered(shape, border):
    """Elements of an image with a border on all sides."""
    return math.prod(n + 2 * border for n in shape)


def _compared(asked, margins, image):
    image = _floats(asked, image)
    *spatial, channels = image.shape
    planes, rows, columns = spatial if len(spatial) == 3 else (1, *spatial)
    dtype, name = image.dtype, c_name(image.dtype)
    field = np.array([(planes, rows, columns, channels, *margins)], _FIELD)[0]
    size = (planes + 2 * margins[0], rows + 2 * margins[1], columns + 2 * margins[1], channels)
    padded, result = xp.empty(size, dtype), xp.empty(image.shape, dtype)
    launch(_SLOW, f"pad<{name}>", (image, field, padded), work=math.prod(size[:3]), block=_BLOCK)
    weights = xp.asarray(_patch_weights(len(spatial), channels, asked.patch, asked.h, dtype))
    with np.errstate(over="ignore"):
        variance = dtype.type(2 * asked.variance)
    args = (padded, field, weights, np.int32(asked.reach), variance, result)
    kernel = f"compare_patches<{name}, {len(spatial)}, {1 if channels == 1 else 4}>"
    launch(_SLOW, kernel, args, work=planes * rows * columns, block=_BLOCK)
    if len(spatial) == 3:
        return result[..., 0]
    if 1 in asked.shape:
        result = xp.squeeze(result)
    return _moved(asked, result)


def _patch_weights(axes, channels, patch, h, dtype):
    """Weights of the places in a patch, as scikit-image's Cython has them."""
    spread = dtype.type((2 * patch + 1 - 1.0) / 4.0)
    places = np.arange(-patch, patch + 1, dtype=dtype)
    grid = np.meshgrid(*[places] * axes, indexing="ij")
    squares = grid[0] * grid[0]
    for each in grid[1:]:
        squares = squares + each * each
    weights = np.ascontiguousarray(np.exp(-squares / float(dtype.type(2) * spread * spread)))
    total = np.sum(weights)
    return weights * (1.0 / ((channels * total if axes == 2 else total) * h * h))


def _plan_fast(asked, image):
    border = asked.patch + asked.reach + 1
    axes, channels = len(asked.shape) - 1, asked.shape[-1]
    volume = _bordered(asked.shape[:-1], border)
    shifts = (2 * asked.reach + 1) * (asked.reach + 1)
    at_once = max(1, min(shifts, _WORKSPACE // (8 * volume)))
    outer = (2 * asked.reach + 1) ** (axes - 2)
    parts = outer * -(-shifts // at_once)
    floats, padded = image.size * asked.dtype.itemsize, 8 * volume * channels
    images, sums = 8 * volume * at_once, 8 * (channels + 1) * (image.size // channels)
    read = floats + parts * (2 * padded + 2 * images + sums)
    written = padded + parts * (images + sums + floats)
    cost = Cost(1 + 2 * parts, read, written, padded + images + sums)
    run = functools.partial(_summed, asked, border, at_once)
    return Plan(run, cost=_cost(asked, image, cost))


def _summed(asked, border, at_once, image):
    image = _floats(asked, image)
    *spatial, channels = image.shape
    axes, name = len(spatial), c_name(image.dtype)
    lengths = [1] * (4 - axes) + [n + 2 * border for n in spatial]
    field = np.array([(*lengths, channels, border, asked.patch, asked.reach)], _BORDERED)[0]
    volume, side = math.prod(lengths), 2 * asked.patch + 1
    padded, result = xp.empty((channels, volume)), xp.empty(image.shape, image.dtype)
    args = (image, field, np.int32(axes > 3), np.int32(axes > 2), padded)
    launch(_FAST, f"pad<{name}>", args, work=volume, block=_BLOCK)
    images = xp.empty((at_once, volume))
    totals, sums = xp.empty(image.size // channels), xp.empty(image.size)
    noise = np.float64(channels) * np.float64(2 * asked.variance)
    scale = np.float64(channels) * asked.h * asked.h
    for _ in range(axes):
        scale = scale * side
    batches = list(_batches(asked.reach, axes, at_once))
    for number in rounds(len(batches)):
        *outer, first, count = batches[number]
        shifts = (*map(np.int32, outer), first, count)
        args = (padded, field, *shifts, noise, images)
        threads = min(_BLOCK, -(-lengths[2] // 32) * 32)
        kernel = f"integrals<{axes}>"
        launch(_FAST, kernel, args, work=count * threads, block=threads, grid=(count,))
        is_end = number == 0, number == len(batches) - 1
        args = (padded, images, field, *shifts, scale, *is_end, totals, sums, result)
        launch(_FAST, f"add_up<{name}, {axes}>", args, work=volume, block=_BLOCK)
    return _moved(asked, xp.squeeze(result))


def _batches(reach, axes, at_once):
    """Shifts along the first axes, the first of those along the others and how many of them."""
    along = range(-reach, reach + 1)
    shifts = (2 * reach + 1) * (reach + 1)
    for outer in itertools.product(*[(0,)] * (4 - axes), *[along] * (axes - 2)):
        for first in range(0, shifts, at_once):
            yield *outer, first, min(at_once, shifts - first)


def specializations():
    """Every (source, expression) that this room launches."""
    for name in ("float", "double"):
        yield _SLOW, f"pad<{name}>"
        for axes, kept in ((2, 1), (2, 4), (3, 1)):
            yield _SLOW, f"compare_patches<{name}, {axes}, {kept}>"
        yield _FAST, f"pad<{name}>"
        for axes in (2, 3, 4):
            yield _FAST, f"add_up<{name}, {axes}>"
    for axes in (2, 3, 4):
        yield _FAST, f"integrals<{axes}>"
