"""feature.match_template: Fourier transforms are CuPy's, the rest are five launches."""

import math

import cupy as cp
import numpy as np
from cupyx.scipy.fft import next_fast_len

from ..accept._match_template import PADDING
from ..device import launch
from ..device.dtypes import code
from ..primitives.window_means import windows
from ..trouble import Declined

_SOURCE = "feature/match_template.cu"
_BLOCK = 128
_VOLUME = np.dtype([("size", "i8", 3)])


def specializations():
    """Every (source, expression) that this op launches."""
    for kernel in (
        "template_statistics",
        "two_signals",
        "correlated",
        "window_moments",
        "response<MomentsOfElements>",
        "response<MomentsBefore>",
    ):
        yield _SOURCE, kernel


def match_template(image, template, pad_input=False, mode="constant", constant_values=0):
    """Normalized correlation with a template: `skimage.feature.match_template`.

    4 launches, 1 more for volumes, and two Fourier transforms, one of image and template
    together. The transforms are as large as the image, with `pad_input` as image and
    template, in double: about 12 times 8 bytes an element are read and written. Floating
    images: 8 bytes come to the host, since scikit-image's sums spread NaN and infinities.
    """
    small = (1,) * (3 - image.ndim) + template.shape
    shape = (1,) * (3 - image.ndim) + image.shape
    before = [side // 2 if pad_input else 0 for side in small]
    counts = [n if pad_input else n - side + 1 for n, side in zip(shape, small, strict=True)]
    extended = [count + side - 1 for count, side in zip(counts, small, strict=True)]
    fast = [next_fast_len(n, True) for n in extended]
    image, template = cp.ascontiguousarray(image), cp.ascontiguousarray(template)

    statistics, odd = cp.empty(2), cp.zeros(1)
    pattern = template, code(template.dtype)
    launch(
        _SOURCE,
        "template_statistics",
        (*pattern, template.size, statistics),
        work=_BLOCK,
        block=_BLOCK,
        grid=(1,),
    )
    signals = cp.empty((2, *fast))
    volumes = map(_volume, (fast, shape, small, extended, before))
    beyond = float(constant_values) if mode == "constant" else 0.0
    args = (image, code(image.dtype), *pattern, statistics, *volumes)
    args = (*args, np.int32(PADDING[mode]), beyond, signals)
    launch(_SOURCE, "two_signals", args, work=signals.size // 2)

    axes = tuple(range(4 - image.ndim, 4))
    spectra = cp.ascontiguousarray(cp.fft.rfftn(signals, axes=axes))
    product = spectra[0]
    args = (spectra.view("float64"), product.size, product.view("float64"))
    launch(_SOURCE, "correlated", args, work=product.size)
    lines = tuple(axis - 1 for axis in axes)
    correlation = cp.fft.irfftn(product, s=fast[3 - image.ndim :], axes=lines)

    result = cp.empty(tuple(counts))
    source, planes, kernel = signals[0], fast[0], "response<MomentsOfElements>"
    if image.ndim == 3:
        planes, plane = counts[0], fast[1] * fast[2]
        view = (1, fast[0], 1, plane, 1)
        frame, size, _ = windows(view, (planes, plane), (small[0], 1), (0, 0), 2, 8, sums=True)
        moments = cp.empty((planes, plane, 2))
        launch(_SOURCE, "window_moments", (source, frame, moments, odd), **size)
        source, kernel = moments, "response<MomentsBefore>"
    view = (planes, fast[1], 1, fast[2], 1)
    frame, size, _ = windows(view, counts[1:], small[1:], (0, 0), 2, 8, sums=True)
    args = (source, correlation, statistics, frame, *fast[1:], float(math.prod(small)))
    launch(_SOURCE, kernel, (*args, result, odd), **size)
    if image.dtype.kind == "f" and odd.get()[0]:
        raise Declined("image has NaN, infinities or numbers whose squares are infinite")
    return result.reshape(counts[3 - image.ndim :])


def _volume(sizes):
    return np.array((tuple(sizes),), _VOLUME)[()]
