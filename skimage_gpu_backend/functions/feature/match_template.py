"""skimage.feature.match_template: Fourier transforms are CuPy's, the rest are five launches."""

import functools
import math
from typing import NamedTuple

import numpy as np

from ...device import launch
from ...device.dtypes import code
from ...device.launches import Cost
from ...devices import to_host, xp
from ...plan import Declined, Invalid, Plan
from ...primitives.arguments import real, refuse_but_arrays, truth
from ...primitives.transforms import fast_length
from ...primitives.window_means import windows

_SOURCE = "feature/match_template.cu"
_BLOCK = 128
_VOLUME = np.dtype([("size", "i8", 3)])
# numpy.pad's modes as numbers of kernels/common/boundary.cuh.
_PADDING = {"edge": 0, "wrap": 1, "symmetric": 2, "reflect": 3, "constant": 4}
_OTHERS = ("empty", "linear_ramp", "maximum", "mean", "median", "minimum")
# Elements of a template along the last axis whose windows' sums fit into shared memory.
_MOST_ACROSS = 1024


def match_template(image, template, pad_input=False, mode="constant", constant_values=0):
    """Normalized correlation with a template: `skimage.feature.match_template`.

    4 launches, 1 more for volumes, and two Fourier transforms, one of image and template
    together. The transforms are as large as the image, with `pad_input` as image and
    template, in double: about 12 times 8 bytes an element are read and written. Floating
    images: 8 bytes come to the host, since scikit-image's sums spread NaN and infinities.
    One more launch each makes a strided image or template contiguous.
    """
    refuse_but_arrays(image=image, template=template)
    if image.ndim not in (2, 3):
        raise Invalid("image has neither two nor three axes")
    if template.ndim != image.ndim:
        raise Invalid("template has other axes than the image")
    if any(large < small for large, small in zip(image.shape, template.shape, strict=True)):
        raise Invalid("template is larger than the image")
    if not template.size:
        raise Declined("template is empty; nothing to change")
    if image.dtype.char in "ef" or template.dtype.char in "ef":
        raise Declined(
            "image or template is in single precision, whose sums lose most digits; give "
            "image.astype(float)"
        )
    if template.shape[-1] > _MOST_ACROSS:
        raise Declined(
            f"template has {template.shape[-1]} pixels along the last axis; give one of "
            f"at most {_MOST_ACROSS}"
        )
    beyond = _beyond(mode, constant_values)
    numbers = truth("pad_input", pad_input), _PADDING[mode], beyond
    return _planned(image.shape, image.dtype, template.shape, template.dtype, *numbers)


def _beyond(mode, constant_values):
    """What lies beyond the border, where the mode is one that a kernel has."""
    if callable(mode):
        raise Declined(
            "mode is a Python function, which no kernel calls; give a name, as 'reflect', which "
            "changes the result"
        )
    if not isinstance(mode, str) or mode not in (*_PADDING, *_OTHERS):
        raise Invalid("mode is unknown")
    if mode in _OTHERS:
        raise Declined(
            f"mode is {mode!r}; give 'constant', 'edge', 'reflect', 'symmetric' or 'wrap', which "
            "changes the result"
        )
    if mode != "constant":
        return 0.0
    beyond = real("constant_values", constant_values)
    if not math.isfinite(beyond):
        raise Declined(
            "constant_values is not finite, which spreads through a Fourier transform; "
            "give a finite number, as 0"
        )
    return beyond


class _Sizes(NamedTuple):
    """Of volumes: a plane is one of 1."""

    template: tuple
    before: tuple  # elements of a window before its place
    counts: tuple  # of the result
    extended: tuple  # image with what lies beyond its border
    fast: tuple  # of the Fourier transforms


@functools.lru_cache(maxsize=256)
def _planned(shape, dtype, small, pattern, pad_input, mode, beyond):
    leading = (1,) * (3 - len(shape))
    template, image = leading + small, leading + shape
    before = tuple(side // 2 if pad_input else 0 for side in template)
    counts = tuple(
        n if pad_input else n - side + 1 for n, side in zip(image, template, strict=True)
    )
    extended = tuple(count + side - 1 for count, side in zip(counts, template, strict=True))
    sizes = _Sizes(template, before, counts, extended, tuple(map(fast_length, extended)))
    given = math.prod(image) * dtype.itemsize, math.prod(template) * pattern.itemsize
    cost = _cost(sizes, len(shape), given)
    return Plan(functools.partial(_matched, sizes, mode, beyond), cost=cost)


def _cost(sizes, axes, given):
    """What each launch reads and writes, in their order; of images of `given` bytes."""
    image, template = given
    planes, rows, columns = sizes.fast
    signal, spectrum = 8 * planes * rows * columns, 16 * planes * rows * (columns // 2 + 1)
    result, moments = 8 * math.prod(sizes.counts), 0
    if axes == 3:
        moments = 16 * sizes.counts[0] * rows * columns
    read = template + (image + template) + 2 * signal + 2 * spectrum + spectrum
    written = 2 * signal + 2 * spectrum + spectrum + signal
    return Cost(
        7 if moments else 6,
        read + 2 * signal + moments,
        written + moments + result,
        3 * signal + 2 * spectrum + moments,
    )


def _matched(sizes, mode, beyond, image, template):
    small, before, counts, extended, fast = sizes
    shape = (1,) * (3 - image.ndim) + image.shape
    image, template = xp.ascontiguousarray(image), xp.ascontiguousarray(template)

    statistics, odd = xp.empty(2), xp.zeros(1)
    pattern = template, code(template.dtype)
    launch(
        _SOURCE,
        "template_statistics",
        (*pattern, template.size, statistics),
        work=_BLOCK,
        block=_BLOCK,
        grid=(1,),
    )
    signals = xp.empty((2, *fast))
    volumes = map(_volume, (fast, shape, small, extended, before))
    args = (image, code(image.dtype), *pattern, statistics, *volumes)
    args = (*args, np.int32(mode), beyond, signals)
    launch(_SOURCE, "two_signals", args, work=signals.size // 2)

    axes = tuple(range(4 - image.ndim, 4))
    spectra = xp.ascontiguousarray(xp.fft.rfftn(signals, axes=axes))
    product = spectra[0]
    args = (spectra.view("float64"), product.size, product.view("float64"))
    launch(_SOURCE, "correlated", args, work=product.size)
    lines = tuple(axis - 1 for axis in axes)
    correlation = xp.fft.irfftn(product, s=fast[3 - image.ndim :], axes=lines)

    result = xp.empty(counts)
    source, planes, kernel = signals[0], fast[0], "response<MomentsOfElements>"
    if image.ndim == 3:
        planes, plane = counts[0], fast[1] * fast[2]
        view = (1, fast[0], 1, plane, 1)
        frame, size, _ = windows(view, (planes, plane), (small[0], 1), (0, 0), 2, 8, sums=True)
        moments = xp.empty((planes, plane, 2))
        launch(_SOURCE, "window_moments", (source, frame, moments, odd), **size)
        source, kernel = moments, "response<MomentsBefore>"
    view = (planes, fast[1], 1, fast[2], 1)
    frame, size, _ = windows(view, counts[1:], small[1:], (0, 0), 2, 8, sums=True)
    args = (source, correlation, statistics, frame, *fast[1:], float(math.prod(small)))
    launch(_SOURCE, kernel, (*args, result, odd), **size)
    if image.dtype.kind == "f" and to_host(odd)[0]:
        raise Declined(
            "image or template has NaN, infinities or numbers whose squares are infinite; give "
            "finite numbers, as numpy.nan_to_num(image), which changes the result"
        )
    return result.reshape(counts[3 - image.ndim :])


def _volume(sizes):
    return np.array((tuple(sizes),), _VOLUME)[()]


def specializations():
    """Every (source, expression) that this room launches."""
    for kernel in (
        "template_statistics",
        "two_signals",
        "correlated",
        "window_moments",
        "response<MomentsOfElements>",
        "response<MomentsBefore>",
    ):
        yield _SOURCE, kernel
