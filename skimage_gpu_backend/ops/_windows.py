"""Thresholds that each element's window gives: local, Niblack's and Sauvola's."""

import math

import cupy as cp
import numpy as np

from ..accept._windows import gaussian_sigma
from ..device import c_name, launch
from ..device.dtypes import C_NAMES
from ..functions.filters.gaussian import gaussian
from ..primitives.gaussian import working
from ..primitives.stencils import BOUNDARY
from ..trouble import Declined
from ._median import median

_SOURCE = "filters/windows.cu"
_THRESHOLD = np.dtype(
    [("count", "f8"), ("weight", "f8"), ("range", "f8"), ("sauvola", "i4")], align=True
)


def threshold_niblack(image, window_size=15, k=0.2):
    """Mean minus `k` standard deviations of a window: `skimage.filters.threshold_niblack`.

    2-D: 1 launch; image read once, result written once. Each further axis takes 1 launch
    more, from sums to sums, which are 16 bytes an element. Floating images: 4 bytes come to
    the host, since scikit-image's integral images spread NaN and infinities without end.
    """
    return _threshold(image, window_size, k)


def threshold_sauvola(image, window_size=15, k=0.2, r=None):
    """Sauvola's threshold of a window: `skimage.filters.threshold_sauvola`.

    Launches and bytes are those of `threshold_niblack`.
    """
    if r is None:
        r = _half_range(image.dtype)
    return _threshold(image, window_size, k, r, sauvola=True)


def _threshold(image, window_size, k, r=1.0, *, sauvola=False):
    window = (window_size,) * image.ndim if np.ndim(window_size) == 0 else window_size
    return _of_windows(image, window, 2, "mirror", 0.0, float(k), float(r), sauvola)


def threshold_local(
    image, block_size=3, method="gaussian", offset=0, mode="reflect", param=None, cval=0
):
    """Weighted mean of a block minus `offset`: `skimage.filters.threshold_local`.

    The method "mean", 2-D: 1 launch; image read once, result written once. Each further
    axis takes 1 launch more, from sums to sums, which are 8 bytes an element. Floating
    images: 4 bytes come to the host, since SciPy's running sums spread NaN and infinities
    to the end of a line.

    The methods "gaussian" and "median": launches and bytes of `gaussian` and `median` (and
    1 launch that makes medians of integers floating), and 1 launch that changes the result
    where `offset` is not 0.
    """
    block = (block_size,) * image.ndim if np.isscalar(block_size) else block_size
    if method == "mean":
        return _of_windows(image, block, 1, mode, float(cval), float(offset))
    if method == "median":
        result = median(image, np.ones(block, bool), mode=mode, cval=cval)
        result = result.astype(working(image.dtype), copy=False)
    else:
        sigma = gaussian_sigma(block, param)
        smoothing = gaussian(image, sigma, mode=mode, cval=cval, preserve_range=True)
        result = smoothing.run(image=image)
    if offset:
        result -= result.dtype.type(offset)
    return result


def _of_windows(image, window, moments, mode, cval, weight, r=1.0, sauvola=False):
    window = [int(size) for size in window]
    result = cp.empty(image.shape, working(image.dtype))
    if not image.size:
        return result
    threshold = np.array((math.prod(window), weight, r, sauvola), _THRESHOLD)[()]
    odd = cp.zeros(1, "uint32")
    source, kind = cp.ascontiguousarray(image), c_name(image.dtype)
    passes = _passes(image.shape, window)
    sums, boundary = f"Sums<{moments}>", np.int32(BOUNDARY[mode])
    for left, (*view, down, across) in zip(range(len(passes))[::-1], passes, strict=True):
        into = cp.empty((image.size, moments)) if left else result
        made = sums if left else c_name(result.dtype)
        group = np.int32(_group(across, moments))
        chunk = max(64, 2 * down)
        launch(
            _SOURCE,
            f"window_sums<{kind}, {made}, {moments}>",
            (source, into, odd, *view, down, across, boundary, cval, chunk, group, threshold),
            work=view[0] * -(-view[1] // chunk) * -(-view[2] // 128) * 128,
            block=128,
            shared=_shared(across, moments, int(group)),
        )
        source, kind = into, sums
        cval *= down * across  # what the sums of elements beyond the border are
    if image.dtype.kind == "f" and odd.get()[0]:
        raise Declined("image has NaN, infinities or numbers whose sums are infinite")
    return result


def _passes(shape, window):
    """View (outer, rows, columns) and window of each launch: two axes first, then single ones."""
    if len(shape) == 1:
        return [(1, 1, *shape, 1, *window)]
    passes = [(math.prod(shape[:-2]), *shape[-2:], *window[-2:])]
    for axis in range(len(shape) - 2):
        if window[axis] > 1:
            view = (math.prod(shape[:axis]), shape[axis], math.prod(shape[axis + 1 :]))
            passes.append((*view, window[axis], 1))
    return passes


def _group(across, moments):
    """Rows of column sums that fit into shared memory at a time."""
    fitting = (rows for rows in (8, 4, 2) if _shared(across, moments, rows) <= 48 * 1024)
    return next(fitting, 1)


def _shared(across, moments, group):
    """Bytes of shared memory, as window_sums divides it."""
    pitch = (128 + across - 1) | 1
    return pitch * (8 * moments * (group + 1) + 8)


def _half_range(dtype):
    """Half of what `skimage.util.dtype_limits` spans."""
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        return 0.5 * (int(limits.max) - int(limits.min))
    return 0.5 if dtype.kind == "b" else 1.0


def specializations():
    """Every specialization that these ops can ask for, as (source, expression)."""
    for moments in (1, 2):
        sums = f"Sums<{moments}>"
        for dtype, image in C_NAMES.items():
            result = "float" if dtype in ("float16", "float32") else "double"
            for made in (result, sums):
                yield _SOURCE, f"window_sums<{image}, {made}, {moments}>"
        for made in ("float", "double", sums):
            yield _SOURCE, f"window_sums<{sums}, {made}, {moments}>"
