"""skimage.transform: pyramid_reduce, pyramid_expand, and the pyramids that are made of them."""

import functools
import math

import numpy as np

from ...adapt.written import Level
from ...device.dtypes import C_NAMES, c_name
from ...device.launches import Array, Launch, Launches
from ...device.shared import most_dynamic
from ...devices import xp
from ...plan import Declined, Invalid, Plan
from ...primitives.arguments import is_finite, truth
from ...primitives.gaussian import DOUBLE, in_double, launches_of, modes_of, working
from ...primitives.gaussian import planned as gaussians
from ...primitives.stencils import BOUNDARY, LEAST_SIGMA, radius
from ..filters.gaussian import MOST_RADIUS, gaussian
from ._doubling import doubled
from ._interpolation import MODES, Sampling, chained, checked, refuse_infinite
from ._resampling import MOST_RESIZED, NDIMAGE, TRUNCATE, resampled

_LAPLACIAN = "transform/laplacian.cu"
_BEFORE = [("a_size", "i8"), ("b_size", "i8"), ("a_zoom", "f8"), ("b_zoom", "f8"), ("mode", "i4")]
_BEFORE = np.dtype(_BEFORE, align=True)  # the struct Before there
_TAPS = 56  # bytes of what is known of a row there


def pyramid_reduce(
    image,
    downscale=2,
    sigma=None,
    order=1,
    mode="reflect",
    cval=0,
    preserve_range=False,
    *,
    channel_axis=None,
):
    """Smooth and make an image smaller: `skimage.transform.pyramid_reduce`.

    Order 1: 1 launch for both axes of a plane, with or without channels, unless a constant stands
    beyond the border; else 1 launch an axis, which smooths it and makes it shorter at once; each
    reads what the one before has written. Other orders: the launches and bytes of `gaussian` and
    of `resize` without smoothing.
    """
    layer = _Layer(image, downscale, sigma, order, mode, cval, preserve_range, channel_axis)
    return layer.reduced(image.shape, image.dtype)


def pyramid_expand(
    image,
    upscale=2,
    sigma=None,
    order=1,
    mode="reflect",
    cval=0,
    preserve_range=False,
    *,
    channel_axis=None,
):
    """Make an image larger and smooth it: `skimage.transform.pyramid_expand`.

    Planes, with channels or without, that become twice as large: 1 launch; the image is read once
    and the result written once (see `doubled`). Else launches and bytes of `resize` without
    smoothing, and those of `gaussian`: 1 and 1 for a plane. All round as SciPy does. Boolean
    images, and others than float32 and float64 at order 0, are made floating first there (1
    launch).
    """
    layer = _Layer(image, upscale, sigma, order, mode, cval, preserve_range, channel_axis)
    shape = layer.scaled(image.shape, lambda size: upscale * size)
    args = image.shape, image.dtype, shape, *layer.sampled, layer.preserve_range
    return _expanded(*args, *layer.sigmas)


def pyramid_gaussian(
    image,
    max_layer=-1,
    downscale=2,
    sigma=None,
    order=1,
    mode="reflect",
    cval=0,
    preserve_range=False,
    *,
    channel_axis=None,
):
    """Images of a Gaussian pyramid, one after the other: `skimage.transform.pyramid_gaussian`.

    Each takes the launches and bytes of `pyramid_reduce` for the one before. The first is
    the image, which is made floating where it is not (1 launch).
    """
    most = _most_layers(max_layer)
    layer = _layer_in_turn(
        most, image, downscale, sigma, order, mode, cval, preserve_range, channel_axis
    )
    first = _floating(image.shape, image.dtype, layer.preserve_range)
    layer.reduced(image.shape, working(image.dtype))  # may be declined
    # the first result is the caller's own image where that is floating
    stay = () if first else ("image",)
    return Plan(functools.partial(_smaller_and_smaller, layer, first, most), stay=stay)


def pyramid_laplacian(
    image,
    max_layer=-1,
    downscale=2,
    sigma=None,
    order=1,
    mode="reflect",
    cval=0,
    preserve_range=False,
    *,
    channel_axis=None,
):
    """Images of a Laplacian pyramid, one after the other: `skimage.transform.pyramid_laplacian`.

    Order 1, planes with or without channels: 1 launch for each image, which writes it and the
    smoothed image from which the next is made; 2, of which one is that of `resize`, where a
    constant stands beyond the border or one axis keeps its length. Other calls: launches and bytes
    of `resize` and `gaussian`, and 1 launch that subtracts.
    """
    most = _most_layers(max_layer)
    most = most if most >= -1 else 0  # scikit-image makes none
    layer = _layer_in_turn(
        most, image, downscale, sigma, order, mode, cval, preserve_range, channel_axis
    )
    if most == -1:
        sizes = [size for axis, size in enumerate(image.shape) if axis != layer.channels]
        if not sizes:
            raise Invalid("image has no axes but that of the channels")
        most = math.ceil(math.log(max(sizes), downscale))
    first = layer.split(image.shape, image.dtype, layer.preserve_range)
    return Plan(functools.partial(_finer_and_coarser, layer, first, most))


def _smaller_and_smaller(layer, first, most, image):
    level = Level(first.run(image=image) if first else image)
    yield level
    made = 0
    while made != most:
        made += 1
        before = level.current()
        level = Level(layer.reduced(before.shape, before.dtype).run(image=before))
        if level.array.shape == before.shape:
            break
        del before
        yield level


def _finer_and_coarser(layer, first, most, image):
    smooth, detail = first.run(image=image)
    yield detail
    for _ in range(most):
        smooth, detail = layer.next(smooth.shape, smooth.dtype).run(image=smooth)
        yield detail


def _layer_in_turn(most, image, *arguments):
    """`_Layer` of a generator: what is refused where a layer is made is not where none is."""
    try:
        return _Layer(image, *arguments)
    except Invalid as invalid:
        # one long axis may be that of the channels, which stays as it is
        if most == 0 or sum(size > 1 for size in image.shape) < 2:
            raise Declined(invalid.reason) from None
        raise


class _Layer:
    """How a layer is made of the one before.

    Attributes
    ----------
    channels : int or None
        Their axis.
    sampled : tuple
        Order, mode and constant.
    preserve_range : bool
    sigmas : tuple
        One for each axis, in the user's types: a float32 one gives SciPy other weights.
    """

    def __init__(self, image, factor, sigma, order, mode, cval, preserve_range, channel_axis):
        if image.size == 0 or image.ndim == 0:
            raise Declined("image is empty or has no axes; nothing to change")
        if not is_finite(factor):
            raise Declined("downscale or upscale is no finite number; give one, as 2")
        if float(factor) <= 1:
            raise Invalid("the scale factor is not above 1")
        # scikit-image makes every image floating first
        order, mode, cval = self.sampled = checked(DOUBLE, order, mode, cval)
        if channel_axis is not None and not isinstance(channel_axis, int | np.integer):
            raise Declined("channel_axis is not an integer; give one, as -1")
        if image.ndim - (channel_axis is not None) > MOST_RESIZED:
            raise Declined(
                f"image has more than {MOST_RESIZED} axes that change their length; give one "
                "of fewer axes"
            )
        self.channels = None if channel_axis is None else int(channel_axis) % image.ndim
        self.factor = factor
        self.sigmas = self._sigmas(sigma, image.ndim)
        if max(self.sigmas) > LEAST_SIGMA and mode not in BOUNDARY:
            raise Invalid("mode is unknown to the Gaussian filter")
        if max(radius(s, TRUNCATE) for s in self.sigmas) > MOST_RADIUS:
            raise Declined(
                f"sigma makes a Gaussian that reaches farther than {MOST_RADIUS} pixels; give "
                "a smaller one"
            )
        if mode == "symmetric" and order > 1:
            raise Declined(
                "mode is 'symmetric' and order above 1, where SciPy's spline changes short axes; "
                "give order 0 or 1, which changes the result"
            )
        if mode == "constant":
            refuse_infinite(cval)
        self.preserve_range = truth("preserve_range", preserve_range)

    def _sigmas(self, sigma, ndim):
        """One sigma for each axis; by itself one that covers more than 99 % of a Gaussian."""
        if sigma is None:
            sigma = 2.0 * self.factor / 6.0
        if not isinstance(sigma, list | tuple):
            sigma = [0 if axis == self.channels else sigma for axis in range(ndim)]
        elif self.channels is not None or len(sigma) != ndim:
            # without another axis than the channels' it is not looked at
            raise (Declined if self.channels is not None and ndim == 1 else Invalid)(
                "sigma has another length than the image has axes; give one number, or one "
                "for each axis"
            )
        if not all(is_finite(s) for s in sigma):
            raise Declined(
                "sigma is neither a finite number nor a sequence of such; give a number, as "
                "2.5, or one for each axis"
            )
        if min(sigma) < 0:
            raise Invalid("sigma is negative; give a number from 0 on")
        return tuple(sigma)

    def scaled(self, shape, scale):
        """`shape`, with each length but that of the channels rounded up after `scale`."""
        try:
            with np.errstate(over="ignore"):
                sizes = [n if a == self.channels else scale(n) for a, n in enumerate(shape)]
        except OverflowError:
            raise Invalid("the scale factor's type has no room for the new size") from None
        if not all(is_finite(size) and size > 0 for size in sizes):
            raise Declined(
                "downscale or upscale makes an image larger than any memory; give a smaller one"
            )
        return tuple(map(math.ceil, sizes))

    def smaller(self, shape):
        return self.scaled(shape, lambda size: size / float(self.factor))

    def reduced(self, shape, dtype):
        """Plan of a smoothed, smaller image."""
        args = shape, dtype, self.smaller(shape), *self.sampled, self.preserve_range
        return _reduced(*args, *self.sigmas)

    def next(self, shape, dtype):
        """Plan of a smaller image's `split`."""
        return _next(shape, dtype, self.smaller(shape), *self.sampled, *self.sigmas)

    def split(self, shape, dtype, preserve_range):
        """Plan of the smoothed image, and of the image minus that."""
        _, mode, cval = self.sampled
        return _split(shape, dtype, mode, cval, preserve_range, *self.sigmas)


def _most_layers(max_layer):
    if not isinstance(max_layer, int | np.integer):
        raise Declined("max_layer is no integer; give one, as 4")
    return int(max_layer)


# Typed: a float32 sigma gives SciPy other weights than a Python float does.
_cached = functools.lru_cache(maxsize=256, typed=True)


@_cached
def _reduced(shape, dtype, made, order, mode, cval, preserve_range, *sigmas):
    if order == 1:
        # nothing is sampled beyond the border, and nothing leaves the smoothed image's range
        sampling = Sampling.of(dtype, 1, mode, cval, False, preserve_range)
        return resampled(Array(shape, dtype, "image"), made, sampling, sigmas, mode)
    image = Array(shape, dtype)
    smooth = gaussian(image, sigmas, mode=mode, cval=cval, preserve_range=preserve_range)
    return chained(smooth, _resized(shape, working(dtype), made, order, mode, cval))


@_cached
def _expanded(shape, dtype, made, order, mode, cval, preserve_range, *sigmas):
    if order == 1 and mode == "reflect":
        sampling = Sampling.of(dtype, order, mode, cval, True, preserve_range)
        launches = doubled(Array(shape, dtype, "image"), made, sampling, sigmas)
        if launches:
            return Plan(launches)
    plans = []
    into = working(dtype)
    if (dtype.kind == "b" or order == 0) and dtype != into:
        plans.append(_floating(shape, dtype, preserve_range))
        dtype = into
    resized = _resized(shape, dtype, made, order, mode, cval, preserve_range)
    if resized.launches:  # else a copy, for what comes next
        plans.append(resized)
    smoothed = made, into, into, True, TRUNCATE, modes_of(mode, sigmas), *sigmas
    plans.append(Plan(launches_of(*smoothed, cval=float(cval), sums=DOUBLE)))
    return functools.reduce(chained, plans)


@_cached
def _resized(shape, dtype, made, order, mode, cval, preserve_range=True):
    """Resized without smoothing."""
    sampling = Sampling.of(dtype, order, mode, cval, True, preserve_range).of_zoom(shape, made)
    image = Array(shape, dtype, "image")
    return resampled(image, made, sampling, (0.0,) * len(shape), NDIMAGE[mode])


def _floating(shape, dtype, preserve_range):
    """Plan of scikit-image's `convert_to_float`; None where nothing is to be done."""
    if dtype.char in "fd":
        return None
    return gaussian(Array(shape, dtype), 0, preserve_range=preserve_range)


@_cached
def _split(shape, dtype, mode, cval, preserve_range, *sigmas):
    gaussian_pair = _gaussian_pair(shape, dtype, mode, preserve_range, sigmas)
    if not gaussian_pair:
        floating = _floating(shape, dtype, preserve_range)
        return Plan(functools.partial(_smooth_and_rest, floating, sigmas, mode, cval))
    before, after, size = gaussian_pair
    result = tuple(Array(shape, working(dtype)) for _ in range(2))
    args = (Array(shape, dtype, "image"), *result, *before, cval, *after)
    step = Launch(_LAPLACIAN, f"smooth_and_subtract<{c_name(dtype)}>", args, **size)
    return Plan(Launches([step], result))


@_cached
def _next(shape, dtype, made, order, mode, cval, *sigmas):
    """`_split` of a floating image that is brought to the shape `made`."""
    smoothed = [axis for axis, sigma in enumerate(sigmas) if sigma > LEAST_SIGMA]
    resized = [axis for axis, size in enumerate(shape) if made[axis] != size]
    gaussian_pair = _gaussian_pair(made, dtype, mode, False, sigmas)
    if order == 1 and mode != "constant" and len(smoothed) == 2 and resized == smoothed:
        launches = gaussian_pair and _sampled_and_split(shape, dtype, made, mode, gaussian_pair)
        if launches:
            return Plan(launches)
    resized = _resized(shape, dtype, made, order, mode, cval)
    split = _split(made, dtype, mode, cval, False, *sigmas)
    return Plan(lambda image: split.run(image=resized.run(image=image)))


def _sampled_and_split(shape, dtype, made, mode, gaussian_pair):
    """Launches of both, or None where they do not fit on the chip together."""
    before, after, size = gaussian_pair
    *_, tiling, taps = after
    shared = size["shared"] + _TAPS * (int(tiling["rows"]) + 2 * int(taps["radius_a"]))
    if shared > most_dynamic("sample_and_subtract"):
        return None
    a, b = (axis for axis, length in enumerate(shape) if made[axis] != length)
    zooms = (shape[axis] / made[axis] for axis in (a, b))
    level = np.array((shape[a], shape[b], *zooms, MODES[mode]), _BEFORE)[()]
    result = tuple(Array(made, dtype) for _ in range(2))
    args = (Array(shape, dtype, "image"), *result, *before, level, *after)
    step = Launch(
        _LAPLACIAN, f"sample_and_subtract<{c_name(dtype)}>", args, **{**size, "shared": shared}
    )
    return Launches([step], result)


def _gaussian_pair(shape, dtype, mode, preserve_range, sigmas):
    """Its arguments before and behind the constant, and its size; None for other kernels."""
    args = bool(preserve_range), TRUNCATE, modes_of(mode, sigmas)
    into = working(dtype)
    ((source, _), *launch), *more = gaussians(shape, dtype, into, *args, *sigmas, sums=DOUBLE)
    return None if more or source != "filters/gaussian.cu" else launch


def _smooth_and_rest(floating, sigmas, mode, cval, image):
    image = floating.run(image=image) if floating else xp.ascontiguousarray(image)
    smooth = in_double(image, sigmas, mode, cval)
    return smooth, image - smooth


def samples():
    """Plans that together ask for every kernel of this room."""
    for name in C_NAMES:
        dtype = np.dtype(name)
        yield _split((4, 4), dtype, "reflect", 0.0, False, 0.5, 0.5)
        if dtype.char in "fd":
            yield _next((4, 4), dtype, (2, 2), 1, "reflect", 0.0, 0.5, 0.5)
        for ndim in (1, 2, 3):
            image = Array((4,) * ndim, dtype)
            yield from (pyramid_reduce(image), pyramid_expand(image))
