"""metrics.structural_similarity: all windowed means of both images in one pass."""

import math
from typing import NamedTuple

import cupy as cp
import numpy as np

from .._warn import warn_caller
from ..accept._similarity import MOST_LEADING, radius, range_of, window_size, without
from ..device import c_name, launch
from ..device.dtypes import C_NAMES
from ..primitives.gaussian import bell, working
from ..primitives.window_means import windows
from ..trouble import Declined

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
    **_,
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
    shape = im1.shape if channel_axis is None else without(im1.shape, channel_axis)
    dtype = working(im1.dtype)
    channels = 1 if channel_axis is None else im1.shape[channel_axis]
    if data_range is None:
        data_range = _range_of_dtype(im1.dtype, im2.dtype, channels)
    window = window_size(win_size, gaussian_weights, sigma)
    count = window ** len(shape)
    covariance = count / (count - 1) if use_sample_covariance else 1.0
    constants = (covariance, float((K1 * data_range) ** 2), float((K2 * data_range) ** 2))

    if im1.dtype != im2.dtype:
        im1, im2 = im1.astype(dtype, copy=False), im2.astype(dtype, copy=False)
    work = _Images(
        cp.ascontiguousarray(im1),
        cp.ascontiguousarray(im2),
        dtype,
        _Filter(window, bool(gaussian_weights), float(sigma)),
        None if channel_axis is None else range(im1.ndim)[channel_axis],
        cp.zeros(channels + 1),
    )
    index = cp.empty(im1.shape, dtype) if full else None
    terms = cp.empty((im1.size, _TERMS), dtype) if gradient else None
    _similarity(work, np.array(constants, _CONSTANTS)[()], index, terms)
    slope = _gradient(work, terms, 2 / math.prod(shape)) if gradient else None

    *means, odd = work.found.get()
    if odd:
        raise Declined("images have NaN, infinities or numbers whose sums are infinite")
    mean = means[0] if channel_axis is None else np.asarray(means).astype(dtype).mean()
    results = [mean, *(array for array in (slope, index) if array is not None)]
    return results[0] if len(results) == 1 else tuple(results)


def _range_of_dtype(first, second, channels):
    data_range = range_of(first)
    for _ in range(channels):  # scikit-image says it of each
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
    return data_range


class _Filter(NamedTuple):
    """Windows: `size` of those that weigh equally, `sigma` of the Gaussian ones."""

    size: int
    is_bell: bool
    sigma: float

    @property
    def reach(self):
        """Elements of a window along an axis."""
        return 2 * radius(self.sigma) + 1 if self.is_bell else self.size

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
        moments = cp.empty((first.size, _MOMENTS), work.dtype)
        if sources[0] is first:
            before = f"moments_images<{c_name(first.dtype)}, {name}>"
        else:
            before = f"filtered<{c_name(work.dtype)}, {_MOMENTS}, {name}>"
        frame, size, _ = _windows(work, _leading_view(first.shape, axis), _MOMENTS, down=True)
        order = (frame, moments, work.odd)
        launch(_SOURCE, before, (*sources, *order), **size)
        sources, kernel = (moments,), f"similarity_means<{c_name(work.dtype)}, {name}>"
    view = _last_view(first.shape, work.axes)
    frame, size, tiles = _windows(work, view, _MOMENTS, down=len(work.axes) > 1, across=True)
    partials, arrived = cp.empty(tiles), cp.zeros(1, "uint32")
    args = (frame, constants, _crop(work), index, terms, partials, arrived, work.found)
    launch(_SOURCE, kernel, (*sources, *args), **size)


def _gradient(work, terms, scale):
    first, name = work.first, work.filter.name
    for axis in work.axes[:-2]:
        into = cp.empty(terms.shape, work.dtype)
        frame, size, _ = _windows(work, _leading_view(first.shape, axis), _TERMS, down=True)
        kernel = f"filtered<{c_name(work.dtype)}, {_TERMS}, {name}>"
        launch(_SOURCE, kernel, (terms, frame, into, work.odd), **size)
        terms = into
    result = cp.empty(first.shape, work.dtype)
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
    """Every (source, expression) that this op launches."""
    for bell_shaped in ("false", "true"):
        for name in C_NAMES.values():
            for kernel in ("similarity_images", "moments_images", "gradient"):
                yield _SOURCE, f"{kernel}<{name}, {bell_shaped}>"
        for name in ("float", "double"):
            yield _SOURCE, f"similarity_means<{name}, {bell_shaped}>"
            for values in (_MOMENTS, _TERMS):
                yield _SOURCE, f"filtered<{name}, {values}, {bell_shaped}>"
