"""skimage.restoration.denoise_wavelet."""

import functools
import math
from typing import NamedTuple

import numpy as np

from ..._warn import warn_caller
from ...device import c_name, launch
from ...device.launches import Array, Cost
from ...devices import to_host, xp
from ...plan import Declined, Invalid, Plan
from ...primitives.arguments import integer, is_real, truth
from ...primitives.channels import channels_moved, refuse_axis
from ...primitives.pairwise import depth, halves, partial_sums
from ...primitives.select import elements_at
from ...primitives.value_range import value_range
from ...scikit_image import private
from ..color.rgb import rgb2ycbcr, ycbcr2rgb
from ..util.img_as import img_as_float

_denoise = private("restoration._denoise")

_SOURCE = "restoration/dwt.cu"
_METHODS = "BayesShrink", "VisuShrink"
_NONE = 0
_MODES = {"soft": 1, "hard": 2, "greater": 3, "less": 4, "garrote": 5, "garotte": 5}
_WIDENS = _MODES["soft"], _MODES["garrote"]  # where thresholds in double make double of details


@channels_moved()
def denoise_wavelet(
    image,
    sigma=None,
    wavelet="db1",
    mode="soft",
    wavelet_levels=None,
    convert2ycbcr=False,
    method="BayesShrink",
    rescale_sigma=True,
    *,
    channel_axis=None,
):
    """Image without what is small among its wavelets: `skimage.restoration.denoise_wavelet`.

    For each channel and level 2 launches an axis, which read and write what the level has (of a
    plane a quarter of what the level before has), one that copies the approximations, and with
    BayesShrink one for each band of details, which reads it once; their sums come to the host
    together. Without `sigma` the median of the finest details is selected as `elements_at` does.
    Integers take 3 launches more, and 1 that limits the result; `convert2ycbcr` 2 and 4 a channel.
    """
    if image.ndim == 0 or image.size == 0:
        raise Declined("image has no axes or no elements; nothing to change")
    if not isinstance(method, str) or method not in _METHODS:
        raise Invalid("method is no known one; give 'BayesShrink' or 'VisuShrink'")
    if not isinstance(mode, str) or mode not in _MODES:
        raise Declined("mode is no known one; give 'soft' or 'hard'")
    converts = truth("convert2ycbcr", convert2ycbcr)
    if converts and channel_axis is None:
        raise Invalid("convert2ycbcr is given without channel_axis; give channel_axis=-1")
    channels = 1
    lengths = list(image.shape)
    if channel_axis is not None:
        refuse_axis(image, channel_axis)
        if image.ndim == 1:
            raise Invalid("image has channels and no other axis; leave out channel_axis")
        channels = lengths.pop(channel_axis)
        if converts and channels != 3:
            raise Invalid("convert2ycbcr is given, and the image has not three channels")
    filters = _filters(wavelet)
    levels = _levels(wavelet_levels, lengths, filters.length)
    rescales = truth("rescale_sigma", rescale_sigma)
    if rescales and image.dtype.kind == "b":
        raise Invalid("image is of booleans, which NumPy does not subtract")
    asked = _Asked(
        filters,
        _MODES[mode],
        levels,
        method,
        rescales,
        converts,
        _sigmas(sigma, channels, channel_axis),
        channel_axis,
    )
    cost = None if converts else _cost(asked, image, lengths, channels)
    return Plan(functools.partial(_run, asked), cost=cost)


class _Filters(NamedTuple):
    name: str
    length: int
    down: tuple  # low pass, high pass
    up: tuple
    orthogonal: bool


class _Asked(NamedTuple):
    filters: _Filters
    mode: int
    levels: int
    method: str
    rescales: bool
    converts: bool
    sigmas: tuple
    axis: int | None


def _filters(wavelet):
    if not isinstance(wavelet, str):
        raise Declined("wavelet is no name; give one, as 'db1'")
    return _filters_of(wavelet)


@functools.cache
def _filters_of(name):
    try:
        import pywt
    except ImportError:
        raise Invalid("PyWavelets is not installed; install it, as scikit-image says") from None
    try:
        found = pywt.Wavelet(name)
    except ValueError:
        raise Declined("wavelet is no known one; give one, as 'db1'") from None
    if found.dec_len != found.rec_len or found.dec_len % 2:
        raise Declined(
            "wavelet has filters of odd lengths; give another one, which changes the result"
        )
    down, up = (*found.dec_lo, *found.dec_hi), (*found.rec_lo, *found.rec_hi)
    return _Filters(found.name, found.dec_len, down, up, found.orthogonal)


def _most_levels(lengths, length):
    import pywt

    return min(pywt.dwt_max_level(n, length) for n in lengths)


def _levels(wavelet_levels, lengths, length):
    if wavelet_levels is None:
        return max(_most_levels(lengths, length) - 3, 1)
    levels = integer("wavelet_levels", wavelet_levels)
    if isinstance(wavelet_levels, bool):
        raise Declined("wavelet_levels is boolean; give an integer, as 1")
    if levels < 1:
        raise Declined("wavelet_levels is below 1; give 1 or more")
    if levels > 60:
        raise Declined("wavelet_levels is above 60; give fewer")
    return levels


def _sigmas(sigma, channels, axis):
    if axis is None or sigma is None or is_real(sigma):
        given = [sigma] * channels
    else:
        try:
            given = list(sigma)
            if len({each is None for each in given}) > 1:
                raise Declined("sigma is None for some channels; give a number for each")
        except TypeError:
            raise Declined("sigma is neither a number nor some; give a number, as 0.1") from None
        if len(given) != channels:
            raise Invalid("sigma has not as many numbers as the image channels")
    for each in given:
        if each is None:
            continue
        if type(each) not in (int, float, np.float64) or not is_real(each):
            raise Declined("sigma is no number of Python's; give one, as 0.1")
        try:
            with np.errstate(over="ignore"):
                float(each**2)
        except OverflowError:
            raise Declined("sigma has a square beyond all floats; give a smaller one") from None
    return tuple(given)


def _cost(asked, image, lengths, channels):
    """At most, of one channel after the other."""
    itemsize = 4 if image.dtype.kind == "f" and image.dtype.itemsize < 8 else 8
    length, axes, lengths = asked.filters.length, len(lengths), list(lengths)
    size, details, launches, read, written = math.prod(lengths), 0, 2, 0, 0
    for _ in range(asked.levels):
        bands, before = 1, math.prod(lengths)
        for axis in range(axes):
            lengths[axis] = (lengths[axis] + length - 1) // 2
            bands *= 2
        each = math.prod(lengths)
        elements = max(before, bands * each)
        details = details or each
        squares = (bands - 1) * (asked.method == "BayesShrink")
        launches += 2 * axes + 1 + squares
        read += itemsize * (axes * elements + squares * each) + 8 * (axes + 1) * elements
        written += itemsize * axes * elements + 8 * (axes + 1) * elements + 4096 * squares
    read, written = read + 16 * size, written + 16 * size
    if None in asked.sigmas:
        launches += 12
        read, written = read + 80 * details, written + 24 * details + 6 * (64 << 10)
    more = 5 * (image.dtype.kind != "f") + 2 + (channels > 1)
    floats = 8 * image.size
    read, written = channels * read + 5 * floats, channels * written + 4 * floats
    return Cost(channels * launches + more, read, written, 5 * floats)


def _run(asked, image):
    sigmas, clips = list(asked.sigmas), None
    if image.dtype.kind != "f":
        sigmas, clips, image = _as_float(asked, sigmas, image)
    elif image.dtype.char == "e":
        image = image.astype(np.float32)
    if asked.converts:
        made = _in_ycbcr(asked, sigmas, xp.moveaxis(image, asked.axis, -1))
        made = xp.moveaxis(made, -1, asked.axis)
    elif asked.axis is None:
        made = _denoised(asked, sigmas[0], image)
    else:
        moved = xp.moveaxis(image, asked.axis, 0)
        made = xp.stack([_denoised(asked, s, each) for s, each in zip(sigmas, moved, strict=True)])
        made = xp.moveaxis(made, 0, asked.axis)
    return made if clips is None else xp.clip(made, *clips)


def _as_float(asked, sigmas, image):
    """The image between -1 and 1, what its sigmas are then, and its limits."""
    image = xp.ascontiguousarray(image)
    floats = img_as_float(Array(image.shape, image.dtype)).run(image=image)
    least, most = to_host(value_range(floats))[:2]
    if asked.rescales:
        before = to_host(value_range(image))
        factor = (most - least) / (before[1] - before[0])
        sigmas = [None if sigma is None else sigma * factor for sigma in sigmas]
    return sigmas, (-1, 1) if least < 0 else (0, 1), floats


def _in_ycbcr(asked, sigmas, image):
    """The image with its channels last, denoised as brightness and colours."""
    if asked.rescales:
        sigmas = _denoise._rescale_sigma_rgb2ycbcr(sigmas)
    image = xp.ascontiguousarray(image)
    made = rgb2ycbcr(Array(image.shape, image.dtype)).run(rgb=image)
    for place in range(3):
        channel, sigma = xp.ascontiguousarray(made[..., place]), sigmas[place]
        least, most = to_host(value_range(channel))[:2]
        scale = most - least
        if scale == 0:
            continue
        channel = (channel - least) / scale
        found = _denoised(asked, None if sigma is None else sigma / scale, channel)
        made[..., place] = found * scale + least
    return ycbcr2rgb(Array(made.shape, made.dtype)).run(ycbcr=made)


def _denoised(asked, sigma, image):
    """One channel."""
    filters, axes, dtype = asked.filters, image.ndim, image.dtype
    if not filters.orthogonal:
        warn_caller(
            "Wavelet thresholding was designed for use with orthogonal wavelets. For "
            f"nonorthogonal wavelets such as {filters.name},results are likely to be suboptimal.",
            UserWarning,
        )
    if asked.levels > _most_levels(image.shape, filters.length):
        warn_caller(
            f"Level value of {asked.levels} is too high: all coefficients will experience "
            "boundary effects.",
            UserWarning,
        )
    down = xp.asarray(np.array(filters.down, dtype))
    levels, bands = [], xp.ascontiguousarray(image)[None]
    for _ in range(asked.levels):
        bands = bands[:1]
        for axis in range(axes):
            bands = _split(bands, axis, filters.length, down)
        levels.append(bands)
    if sigma is None:
        sigma = _noise(levels[0][-1])
    thresholds = _thresholds(asked, sigma, image, levels)
    if asked.mode in _WIDENS and any(type(each[1]) is np.float64 for each in thresholds):
        dtype = np.dtype(np.float64)
    up = xp.asarray(np.array(filters.up, dtype))
    approximations = levels[-1][0]
    for bands, own in zip(reversed(levels), reversed(thresholds), strict=True):
        first = approximations[tuple(slice(n) for n in bands.shape[1:])]
        first, mode = xp.ascontiguousarray(first, dtype=dtype), asked.mode
        own = xp.asarray(np.array(own, np.float64))
        for axis in range(axes - 1, -1, -1):
            bands = _joined(bands, first, axis, filters.length, up, own, mode)
            first, mode = bands, _NONE
        approximations = bands[0]
    return approximations[tuple(slice(n) for n in image.shape)].astype(image.dtype)


def _split(bands, axis, length, taps):
    count, *shape = bands.shape
    outer, n, inner = math.prod(shape[:axis]), shape[axis], math.prod(shape[axis + 1 :])
    shape[axis] = (n + length - 1) // 2
    made = xp.empty((2 * count, *shape), bands.dtype)
    args = (bands, count, outer, n, inner, taps, np.int32(length), made)
    launch(_SOURCE, f"split<{c_name(bands.dtype)}>", args, work=made.size // 2)
    return made


def _joined(bands, first, axis, length, taps, thresholds, mode):
    count, *shape = bands.shape
    outer, n, inner = math.prod(shape[:axis]), shape[axis], math.prod(shape[axis + 1 :])
    shape[axis] = 2 * n - length + 2
    made = xp.empty((count // 2, *shape), first.dtype)
    args = (bands, first, count // 2, outer, n, inner, taps, np.int32(length), thresholds)
    kernel = f"joined<{c_name(bands.dtype)}, {c_name(first.dtype)}>"
    launch(_SOURCE, kernel, (*args, np.int32(mode), made), work=made.size)
    return made


def _thresholds(asked, sigma, image, levels):
    """Of each level those of its bands, of NumPy's type for them; the first is not looked at."""
    dtype = image.dtype
    if asked.method == "VisuShrink":
        value = sigma * np.sqrt(2 * np.log(image.size))
        return [[value] * len(bands) for bands in levels]
    sums = xp.zeros(sum(map(len, levels)), dtype)
    place = 0
    for bands in levels:
        for number in range(1, len(bands)):
            _add_squares(bands[number], sums[place + number : place + number + 1])
        place += len(bands)
    sums, var, eps = to_host(sums), sigma**2, np.finfo(dtype).eps
    found, place = [], 0
    for bands in levels:
        own = [dtype.type(each / bands[0].size) for each in sums[place + 1 : place + len(bands)]]
        found.append([0.0, *(var / np.sqrt(max(mean - var, eps)) for mean in own)])
        place += len(bands)
    return found


def _add_squares(band, total):
    size = band.size
    sums = partial_sums(size)
    partials, arrived = xp.empty(sums, band.dtype), xp.zeros(1, "uint32")
    args = (band, size, np.int32(depth(size)), np.int32(halves(size)), partials, arrived, total)
    launch(_SOURCE, f"squares<{c_name(band.dtype)}>", args, work=sums * 256, block=256)


def _noise(details):
    """As `_sigma_est_dwt`."""
    from scipy import stats

    details = xp.abs(details).ravel()
    zeros = int((details == 0).sum())
    count, middle = details.size - zeros, np.empty(0, details.dtype)
    if count:
        middle = elements_at(details, zeros + np.array([(count - 1) // 2, count // 2]))
    if middle is None:
        middle = np.array([np.nan], details.dtype)
    return np.median(middle) / stats.norm.ppf(0.75)


def specializations():
    """Every (source, expression) that this room launches."""
    for name in ("float", "double"):
        for kernel in ("split", "squares"):
            yield _SOURCE, f"{kernel}<{name}>"
    for types in ("float, float", "float, double", "double, double"):
        yield _SOURCE, f"joined<{types}>"
