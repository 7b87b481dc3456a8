"""skimage.restoration.estimate_sigma, equal to the last bit."""

import functools
import math

import numpy as np

from ..._warn import warn_caller
from ...device.dtypes import C_NAMES, c_name
from ...device.launches import Array, Cost, Launch, Launches
from ...devices import to_host, xp
from ...plan import Declined, Invalid, Plan
from ...primitives.arguments import integer, truth
from ...primitives.select import elements_at

_SOURCE = "restoration/wavelets.cu"
_WAVELET = "db2"
_MOST_SELECTION = 7  # launches of `elements_at`, each of which reads all
_LENGTHS = "channels", "outer", "rows", "columns"
_STEPS = "channel_step", "outer_step", "row_step", "column_step"
_PLANES = np.dtype([(name, "i8") for name in (*_LENGTHS, *_STEPS)])


def estimate_sigma(image, average_sigmas=False, *, channel_axis=None):
    """Standard deviation of an image's noise: `skimage.restoration.estimate_sigma`.

    1 launch, and for images of n > 2 axes (without that of the channels) n - 1, find the details of
    all channels: the image is read once, and 1 / 2 ** n as many numbers are written (of more than
    two axes half as many first, and so on). Then for each channel those of `elements_at`, as a rule
    3. Where the channels of images of more than two axes are not first, one launch more moves them.
    The host gets the number of details that are 0, and two numbers a channel.
    """
    if image.ndim == 0:
        raise Invalid("image has no axes; give one that has")
    if image.size == 0:
        raise Declined("image is empty; nothing to change")
    average = truth("average_sigmas", average_sigmas)
    axis = None
    if channel_axis is not None:
        axis = integer("channel_axis", channel_axis) % image.ndim
        if image.ndim == 1:
            raise Invalid("image has channels and no other axis; leave out channel_axis")
    return _planned(image.shape, image.dtype, axis, average, _taps())


@functools.cache
def _taps():
    """Filter that leaves the details."""
    try:
        import pywt
    except ImportError:
        raise Invalid("PyWavelets is not installed; install it, as scikit-image says") from None
    return tuple(pywt.Wavelet(_WAVELET).dec_hi)


@functools.lru_cache(maxsize=256)
def _planned(shape, dtype, axis, average, taps):
    lengths = [n for place, n in enumerate(shape) if place != axis]
    moves = axis is not None and axis > 0 and len(lengths) > 2
    if moves:
        shape = (shape[axis], *lengths)
    launches = _launches(shape, dtype, 0 if moves else axis, taps)
    found, _ = launches.result
    channels = found.shape[0]
    image = Array(shape, dtype)
    cost, most = launches.cost, _MOST_SELECTION * channels
    nbytes = image.nbytes * moves
    cost = Cost(
        cost.launches + moves + most,
        cost.read + nbytes + _MOST_SELECTION * found.nbytes,
        cost.written + nbytes + (64 << 10) * most,
        cost.between + nbytes + found.nbytes,
    )
    run = functools.partial(_run, launches, axis, moves, average, lengths[-1])
    return Plan(run, launches=launches, cost=cost)


def _launches(shape, dtype, axis, taps):
    """Those that find absolute details, the channels' one after the other, and which are 0."""
    working = _working(dtype)
    weights = np.array([(taps,)], np.dtype([("at", working, len(taps))]))[0]
    image, steps, shape = Array(shape, dtype, "image"), [], list(shape)
    places = [place for place in range(len(shape)) if place != axis]
    for place in places[:-2]:
        outer, n, inner = math.prod(shape[:place]), shape[place], math.prod(shape[place + 1 :])
        shape[place] = (n + len(taps) - 1) // 2
        made = Array(tuple(shape), working)
        args = (image, outer, n, inner, weights, made)
        kernel = _kernel("axis_details", image.dtype, working)
        steps.append(Launch(_SOURCE, kernel, args, made.size))
        image = made
    planes = _planes(shape, axis, places)
    details = [(shape[place] + len(taps) - 1) // 2 for place in places[-2:]]
    made = Array((int(planes["channels"]), int(planes["outer"]) * math.prod(details)), working)
    zeros = Array((made.shape[0],), np.dtype(np.uint64), zero=True)
    args = (image, planes, weights, made, zeros)
    kernel = _kernel("plane_details", image.dtype, working)
    steps.append(Launch(_SOURCE, kernel, args, made.shape[1]))
    return Launches(steps, (made, zeros))


def _planes(shape, axis, places):
    """The struct Planes for a C-contiguous image."""
    steps = [math.prod(shape[place + 1 :]) for place in range(len(shape))]
    planes = np.zeros((), _PLANES)
    planes["channels"], planes["channel_step"] = (
        (1, 0) if axis is None else (shape[axis], steps[axis])
    )
    planes["columns"], planes["column_step"] = shape[places[-1]], steps[places[-1]]
    if len(places) > 1:
        planes["rows"], planes["row_step"] = shape[places[-2]], steps[places[-2]]
    planes["outer"] = math.prod(shape[place] for place in places[:-2])
    planes["outer_step"] = planes["rows"] * planes["columns"]  # channels are the first axis then
    return planes[()]


def _working(dtype):
    """Type in which PyWavelets computes."""
    return np.dtype(np.float32 if dtype.char in "ef" else np.float64)


def _kernel(name, dtype, working):
    return f"{name}<{c_name(dtype)}, {c_name(working)}>"


def _run(launches, axis, moves, average, last, image):
    if moves:
        image = xp.ascontiguousarray(xp.moveaxis(image, axis, 0))
    details, zeros = launches(image=image)
    sigmas = []
    for found, none in zip(details, to_host(zeros).tolist(), strict=True):
        if last <= 4:
            warn_caller(
                f"image is size {last} on the last axis, but channel_axis is None. If this is a "
                "color image, please set channel_axis=-1 for proper noise estimation.",
                UserWarning,
            )
        sigmas.append(_sigma(found, none))
    if axis is None:
        return sigmas[0]
    return np.mean(sigmas) if average else sigmas


def _sigma(details, zeros):
    """Of the normal distribution with the median of the details that are not 0."""
    count = details.size - zeros
    middle = np.empty(0, details.dtype)
    if count:
        middle = elements_at(details, zeros + np.array([(count - 1) // 2, count // 2]))
    if middle is None:
        middle = np.array([np.nan], details.dtype)
    return np.median(middle) / _upper_quartile()


@functools.cache
def _upper_quartile():
    from scipy import stats

    return stats.norm.ppf(0.75)


def specializations():
    """Every (source, expression) that this room launches."""
    for dtype in map(np.dtype, C_NAMES):
        for kernel in ("axis_details", "plane_details"):
            yield _SOURCE, _kernel(kernel, dtype, _working(dtype))
