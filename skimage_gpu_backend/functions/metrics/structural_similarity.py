"""skimage.metrics.structural_similarity: all windowed means of both images in one pass."""

import functools
import math
from typing import NamedTuple

import numpy as np

from ..._warn import warn_caller
from ...device import c_name, launch
from ...device.dtypes import C_NAMES
from ...device.launches import Cost
from ...devices import to_host, xp
from ...plan import Declined, Invalid, Plan
from ...primitives.arguments import integer, truth
from ...primitives.gaussian import bell, working
from ...primitives.window_means import windows
from ...scikit_image import private, version
from ._pairs import refuse_unlike

# Elements of a window along an axis whose means fit into shared memory; leading axes.
MOST_WINDOW = 401
MOST_LEADING = 6
# Most of what is made of sums over windows of integers, 2 (count * value)^2, so that it is exact.
_MOST_EXACT = 2**47
_SOURCE = "metrics/similarity.cu"
_MOMENTS, _TERMS = 5, 3
_CONSTANTS = np.dtype([("covariance", "f8"), ("c1", "f8"), ("c2", "f8")])
_CROP = np.dtype(
    [(name, "i8") for name in ("pad", "pad_rows", "channels", "step")]
    + [("size", "i8", MOST_LEADING), ("border", "i8", MOST_LEADING), ("count", "f8")]
)


def structural_similarity(
    im1,
    im2,
    *,
    win_size=None,
    gradient=False,
    data_range=None,
    channel_axis=None,
    gaussian_weights=False,
    full=False,
    K1=0.01,  # scikit-image's names
    K2=0.03,
    sigma=1.5,
    use_sample_covariance=True,
    **unknown,
):
    """Mean structural similarity: `skimage.metrics.structural_similarity`.

    Images of up to two axes, and any channels: 1 launch; both images are read once, and
    `full` writes its image. Each further axis takes 1 launch more, which writes five numbers
    an element that the next one reads. `gradient` takes as many launches again: three numbers
    an element pass from the first to the second, which reads the images once more. Images of
    two dtypes, or strided ones, are copied first (1 launch each). The means of the channels
    come to the host, and whether a sum was infinite: scikit-image's running sums spread NaN
    and infinities to the end of a line.
    """
    refuse_unlike(im1, im2)
    axis = None if channel_axis is None else _axis(channel_axis, im1)
    shape = tuple(size for a, size in enumerate(im1.shape) if a != axis)
    if not shape or len(shape) > MOST_LEADING + 1:
        raise Declined(
            f"images have {len(shape)} axes beside channels; give 1 to {MOST_LEADING + 1}"
        )
    if unknown and version() >= (0, 27):
        raise Invalid(f"{min(unknown)} is not a parameter of the function")
    is_bell = truth("gaussian_weights", gaussian_weights)
    ignored = ignores(win_size, is_bell)
    filtered = _filter(None if ignored else win_size, is_bell, sigma)
    if filtered.size % 2 != 1 or any(size < filtered.size for size in shape):
        raise Invalid("win_size is even or exceeds the image")
    covariance = 1.0
    if truth("use_sample_covariance", use_sample_covariance):
        count = filtered.size ** len(shape)
        if count == 1:
            raise Invalid("a window of one element has no sample covariance")
        covariance = count / (count - 1)
    if not 0 < filtered.reach <= MOST_WINDOW:
        raise Declined(
            f"win_size, or sigma, makes windows of {filtered.reach} pixels; give one that "
            f"makes at most {MOST_WINDOW}"
        )
    is_told = data_range is None
    if is_told:
        data_range = _range_of(im1.dtype, im2.dtype)
    squares = (_squared(factor, data_range, im1.dtype) for factor in (K1, K2))
    constants = np.array((covariance, *squares), _CONSTANTS)[()]
    asked = truth("gradient", gradient), truth("full", full)
    heard = functools.partial(warn_of_arguments, data_range if is_told else None, ignored)
    run = functools.partial(_similarities, filtered, axis, constants, *asked, heard)
    return Plan(run, cost=_cost(im1, im2, len(shape), *asked))


class _Integers(NamedTuple):
    """Images whose windows are summed in integers: their largest magnitude, type of the sums."""

    largest: int
    sum: np.dtype


_INTEGERS = {
    "?": _Integers(1, np.dtype(np.int32)),
    "b": _Integers(128, np.dtype(np.int32)),
    "B": _Integers(255, np.dtype(np.int32)),
    "h": _Integers(32768, np.dtype(np.int64)),
    "H": _Integers(65535, np.dtype(np.int64)),
}


def _axis(channel_axis, image):
    """Axis of the channels, counted from the front."""
    axis = integer("channel_axis", channel_axis)
    if not -image.ndim <= axis < image.ndim:
        raise Invalid("channel_axis is out of range")
    if not image.shape[axis]:
        raise Declined("images have no channels; nothing to change")
    return axis % image.ndim


def ignores(win_size, is_bell):
    """Whether the window is given and yet that of sigma, as in scikit-image from 0.27 on."""
    return is_bell and win_size is not None and version() >= (0, 27)


def _filter(win_size, is_bell, sigma):
    """The windows, by scikit-image's defaults."""
    if type(sigma) not in (int, float) or not sigma >= 0:
        raise Declined("sigma is negative or no plain number; give one of Python's, as 1.5")
    if is_bell and sigma > 1e9:
        raise Invalid("sigma is larger than any image")
    if win_size is None:
        win_size = 2 * _radius(sigma) + 1 if is_bell else 7
    if type(win_size) is not int:
        raise Declined("win_size is no plain integer; give an odd one of Python's, as 7")
    return _Filter(win_size, is_bell, float(sigma) if is_bell else 0.0)


def _radius(sigma):
    """Elements on either side of the centre that scikit-image's Gaussian reaches."""
    return int(3.5 * sigma + 0.5)


def _range_of(first, second):
    """Range of values that the integer dtype of the first image stands for."""
    if first.kind == "f" or second.kind == "f":
        raise Invalid("data_range is not given")
    low, high = private("util.dtype").dtype_range[first.type]
    return high - low


def _squared(factor, data_range, dtype):
    """The constant that K1 or K2 and the range of values make."""
    for number in (data_range, factor):
        if not isinstance(number, int | float | np.integer | np.floating):
            raise Declined("data_range, K1 or K2 is no number; give numbers, as 255, 0.01 and 0.03")
    if factor < 0:
        raise Invalid("K1 or K2 is negative")
    try:
        with np.errstate(all="ignore"):
            constant = (factor * data_range) ** 2
        square = float(constant)
    except OverflowError:
        raise Invalid("data_range, K1 or K2 is too large") from None
    if not math.isfinite(square):
        raise Declined(
            "data_range, K1 or K2 is so large that its square is not finite; give smaller numbers"
        )
    kind = working(dtype)
    if type(constant) not in (int, float) and np.result_type(kind, constant.dtype) != kind:
        raise Declined(
            f"data_range, K1 or K2 is {constant.dtype}, which makes the result wider than "
            "the image; give Python's numbers"
        )
    return square


def _cost(im1, im2, axes, gradient, full):
    dtype, further = working(im1.dtype), max(0, axes - 2)
    number = im1.size * dtype.itemsize
    casts = [im for im in (im1, im2) if im1.dtype != im2.dtype and im.dtype != dtype]
    both = im1.nbytes + im2.nbytes if im1.dtype == im2.dtype else 2 * number
    moments, terms = further * _MOMENTS * number, (1 + further) * _TERMS * number
    return Cost(
        len(casts) + (1 + further) * (1 + gradient),
        sum(im.nbytes for im in casts) + both + moments + gradient * (both + terms),
        len(casts) * number + full * number + moments + gradient * (number + terms),
        len(casts) * number + moments + gradient * terms,
    )


def _similarities(filtered, channel_axis, constants, gradient, full, warn, im1, im2):
    dtype = working(im1.dtype)
    channels = 1 if channel_axis is None else im1.shape[channel_axis]
    warn(im1.dtype, im2.dtype, channels)
    if version() >= (0, 27) and im1.dtype != im2.dtype:  # of all channels, then of each
        for _ in range(1 if channel_axis is None else 1 + channels):
            warn_caller("Inputs have mismatched dtypes", UserWarning)
    if im1.dtype != im2.dtype:
        im1, im2 = im1.astype(dtype, copy=False), im2.astype(dtype, copy=False)
    im1, im2 = xp.ascontiguousarray(im1), xp.ascontiguousarray(im2)
    work = _Images(im1, im2, dtype, filtered, channel_axis, xp.zeros(channels + 1))
    index = xp.empty(im1.shape, dtype) if full else None
    terms = xp.empty((im1.size, _TERMS), dtype) if gradient else None
    _similarity(work, constants, index, terms)
    scale = 2 / (im1.size // channels)
    slope = _gradient(work, terms, scale) if gradient else None

    *means, odd = to_host(work.found)
    if odd:
        raise Declined(
            "images have NaN, infinities or numbers whose sums are infinite; give finite numbers, "
            "as numpy.nan_to_num(image), which changes the result"
        )
    mean = means[0] if channel_axis is None else np.asarray(means).astype(dtype).mean()
    results = [mean, *(array for array in (slope, index) if array is not None)]
    return results[0] if len(results) == 1 else tuple(results)


_IGNORED = (
    "Passing win_size with gaussian_weights=True is deprecated and will raise an error in a future "
    "version. The window size is determined by sigma; use sigma to control the effective window "
    "size."
)


def warn_of_arguments(data_range, ignores_size, first, second, channels):
    """Warn as scikit-image does of its own `data_range` (None: given) and of `win_size`."""
    if data_range is not None:
        for _ in range(1 if version() >= (0, 27) else channels):
            if first != second:
                warn_caller(
                    "Inputs have mismatched dtypes. Setting data_range based on im1.dtype.",
                    UserWarning,
                )
            if first.kind in "iu" and first != np.uint8:
                warn_caller(
                    f"Setting data_range based on im1.dtype. data_range = {data_range:.0f}. "
                    "Please specify data_range explicitly to avoid mistakes.",
                    UserWarning,
                )
    if ignores_size:
        warn_caller(_IGNORED, FutureWarning)


class _Filter(NamedTuple):
    """Windows: `size` of those that weigh equally, `sigma` of the Gaussian ones."""

    size: int
    is_bell: bool
    sigma: float

    @property
    def reach(self):
        """Elements of a window along an axis."""
        return 2 * _radius(self.sigma) + 1 if self.is_bell else self.size

    @property
    def name(self):
        return str(self.is_bell).lower()


class _Images(NamedTuple):
    """Both images, what they are filtered by, and where the host finds the results."""

    first: object
    second: object
    dtype: np.dtype
    filter: _Filter
    channel_axis: int | None
    found: object  # mean of each channel, and whether a sum was not finite

    @property
    def axes(self):
        """Axes that windows extend along."""
        return [axis for axis in range(self.first.ndim) if axis != self.channel_axis]

    @property
    def odd(self):
        return self.found[-1:]


def _similarity(work, constants, index, terms):
    first, name = work.first, work.filter.name
    sources, kernel = (work.first, work.second), f"similarity_images<{c_name(first.dtype)}, {name}>"
    for axis in work.axes[:-2]:
        moments = xp.empty((first.size, _MOMENTS), work.dtype)
        if sources[0] is first:
            before = f"moments_images<{c_name(first.dtype)}, {name}>"
        else:
            before = f"filtered<{c_name(work.dtype)}, {_MOMENTS}, {name}>"
        frame, size, _ = _windows(work, _leading_view(first.shape, axis), _MOMENTS, down=True)
        order = (frame, moments, work.odd)
        launch(_SOURCE, before, (*sources, *order), **size)
        sources, kernel = (moments,), f"similarity_means<{c_name(work.dtype)}, {name}>"
    view, written = _last_view(first.shape, work.axes), (index, terms)
    if terms is None and _is_exact(work, constants):
        work = work._replace(dtype=_INTEGERS[first.dtype.char].sum)
        kernel, written = f"similarity_integers<{c_name(first.dtype)}>", (index,)
    frame, size, tiles = _windows(work, view, _MOMENTS, down=len(work.axes) > 1, across=True)
    partials, arrived = xp.empty(tiles), xp.zeros(1, "uint32")
    args = (frame, constants, _crop(work), *written, partials, arrived, work.found)
    launch(_SOURCE, kernel, (*sources, *args), **size)


def _is_exact(work, constants):
    """Whether sums over windows are integers that are exact, as what is made of them."""
    count = work.filter.size ** len(work.axes)
    kind = _INTEGERS.get(work.first.dtype.char)
    return (
        kind is not None
        and len(work.axes) <= 2
        and not work.filter.is_bell
        and 2 * (count * kind.largest) ** 2 < _MOST_EXACT
        and all(c == 0 or 2**-40 < c < 2**56 / count**2 for c in (constants["c1"], constants["c2"]))
    )


def _gradient(work, terms, scale):
    first, name = work.first, work.filter.name
    for axis in work.axes[:-2]:
        into = xp.empty(terms.shape, work.dtype)
        frame, size, _ = _windows(work, _leading_view(first.shape, axis), _TERMS, down=True)
        kernel = f"filtered<{c_name(work.dtype)}, {_TERMS}, {name}>"
        launch(_SOURCE, kernel, (terms, frame, into, work.odd), **size)
        terms = into
    result = xp.empty(first.shape, work.dtype)
    view = _last_view(first.shape, work.axes)
    frame, size, _ = _windows(work, view, _TERMS, down=len(work.axes) > 1, across=True)
    args = (terms, first, work.second, frame, float(scale), result, work.odd)
    launch(_SOURCE, f"gradient<{c_name(first.dtype)}, {name}>", args, **size)
    return result


def _leading_view(shape, axis):
    return math.prod(shape[:axis]), shape[axis], 1, math.prod(shape[axis + 1 :]), 1


def _last_view(shape, axes):
    *_, last = axes
    if len(axes) == 1:
        return math.prod(shape[:last]), 1, 1, shape[last], math.prod(shape[last + 1 :])
    down = axes[-2]
    between = math.prod(shape[down + 1 : last])
    return math.prod(shape[:down]), shape[down], between, shape[last], math.prod(shape[last + 1 :])


def _windows(work, view, values, *, down=False, across=False):
    """The struct Windows, the launch's size, and the number of its tiles."""
    reach = work.filter.reach
    sides = [reach if is_filtered else 1 for is_filtered in (down, across)]
    weights = None
    if work.filter.is_bell:
        weights = bell(work.filter.sigma, 3.5)[1:] if reach > 1 else (0.0, 1.0)
    before = [side // 2 for side in sides]
    return windows(view, (view[1], view[3]), sides, before, values, work.dtype.itemsize, weights)


def _crop(work):
    """The struct Crop: what the mean is over."""
    shape, axes, channel_axis = work.first.shape, work.axes, work.channel_axis
    pad = (work.filter.size - 1) // 2
    leading = range(axes[-2] if len(axes) > 1 else axes[-1])
    size, border = [1] * MOST_LEADING, [0] * MOST_LEADING
    for axis in leading:
        place = MOST_LEADING - len(leading) + axis
        size[place], border[place] = shape[axis], 0 if axis == channel_axis else pad
    channels = step = 1
    if channel_axis is not None:
        channels = shape[channel_axis]
        if channel_axis in leading:
            step = math.prod(shape[channel_axis + 1 : leading.stop])
    count = math.prod(shape[axis] - 2 * pad for axis in axes)
    pad_rows = pad if len(axes) > 1 else 0
    return np.array((pad, pad_rows, channels, step, size, border, count), _CROP)[()]


def specializations():
    """Every (source, expression) that this function launches."""
    for bell_shaped in ("false", "true"):
        for name in C_NAMES.values():
            for kernel in ("similarity_images", "moments_images", "gradient"):
                yield _SOURCE, f"{kernel}<{name}, {bell_shaped}>"
        for name in ("float", "double"):
            yield _SOURCE, f"similarity_means<{name}, {bell_shaped}>"
            for values in (_MOMENTS, _TERMS):
                yield _SOURCE, f"filtered<{name}, {values}, {bell_shaped}>"
    for dtype in _INTEGERS:
        yield _SOURCE, f"similarity_integers<{c_name(np.dtype(dtype))}>"
