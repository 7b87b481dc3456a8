"""skimage.registration: phase_cross_correlation, with the least that Fourier transforms leave.

Cost, for images in single or double precision: 5 launches, 3 of them Fourier transforms (CuPy's,
whose plans CuPy keeps): one of each image, one back, the correlation's spectrum and the power of
both images between them, its largest element behind them. Real images have half a spectrum. Others
than float32 and float64 are made that first, 1 launch each. 6 numbers come to the host. With an
`upsample_factor` an axis more takes 1 launch and 1 matrix product (of few rows), the largest
element 1, and another 6 numbers come to the host. `disambiguate` takes 1 launch for each of the
boxes into which the shift cuts the images, 2 ** axes at most, whose pixels are read once together,
and 1 for each axis of spline coefficients where the shift is between pixels.

The transform of a reference is made anew by each call: an array has nothing that tells whether
somebody, on the host or the device, has written into it since the last one.
"""

import functools
import math
from typing import NamedTuple

import numpy as np

from ...device import c_name, launch, resident_blocks
from ...device.launches import Cost
from ...devices import to_host, xp
from ...plan import Declined, Invalid, Plan
from ...primitives.arguments import real, refuse_but_arrays, truth
from ...primitives.gaussian import working
from . import _disambiguation, _masked
from ._disambiguation import disambiguated
from ._masked import masked

_SOURCE = "registration/cross_correlation.cu"
_BLOCK = 256
_REAL, _COMPLEX, _HALVES = range(3)  # Kind in the kernel
_MOST_REGION, _MOST_MOVED = 1 << 12, 3  # places along an axis between pixels; axes of a spline
_NAN = (
    "NaN values found, please remove NaNs from your "
    "input data or use the `reference_mask`/`moving_mask` "
    "keywords, eg: "
    "phase_cross_correlation(reference_image, moving_image, "
    "reference_mask=~np.isnan(reference_image), "
    "moving_mask=~np.isnan(moving_image))"
)


def phase_cross_correlation(
    reference_image,
    moving_image,
    *,
    upsample_factor=1,
    space="real",
    disambiguate=False,
    reference_mask=None,
    moving_mask=None,
    overlap_ratio=0.3,
    normalization="phase",
):
    """Shift between two images: `skimage.registration.phase_cross_correlation`.

    Notes
    -----
    Images that match equally well at two shifts, as periodic images do, run in scikit-image. The
    phase difference of real images with a negative correlation is pi or -pi; the sign may differ.
    """
    images = {"reference_image": reference_image, "moving_image": moving_image}
    refuse_but_arrays(**images)
    if reference_mask is not None or moving_mask is not None:
        return masked(**images, masks=(reference_mask, moving_mask), overlap_ratio=overlap_ratio)
    shape = reference_image.shape
    if shape != moving_image.shape:
        raise Invalid("moving_image has another shape than reference_image; give one of the same")
    if not isinstance(space, str) or space.lower() not in ("real", "fourier"):
        raise Invalid("space is unknown; give 'real' or 'fourier'")
    if normalization is not None and not (
        isinstance(normalization, str) and normalization == "phase"
    ):
        raise Invalid("normalization is unknown; give 'phase' or None")
    if not reference_image.size or not shape:
        raise Invalid("images have no elements or no axes; give images that have")
    is_real = space.lower() == "real"
    odd = [image.dtype.char for image in images.values() if image.dtype.char not in "fdFD"]
    if odd and not is_real:
        raise Declined(
            "space is 'fourier' and an image is neither float32, float64 nor complex; give "
            "image.astype(complex)"
        )
    disambiguates = truth("disambiguate", disambiguate)
    if disambiguates:
        _refuse_to_disambiguate(images.values(), is_real)
    dtypes = reference_image.dtype, moving_image.dtype
    number = real("upsample_factor", upsample_factor)
    with np.errstate(all="ignore"):
        factor = float(np.result_type(*map(_real_type, dtypes)).type(number))
    if number != 1 and not 0 < factor <= _MOST_REGION / 2:
        raise Declined(
            f"upsample_factor is not above 0, or beyond {_MOST_REGION // 2}; give one, as 100"
        )
    if number != 1 and not is_real and dtypes[0].kind == dtypes[1].kind == "f":
        raise Declined(
            "upsample_factor is given with space='fourier' and real images, of which scikit-image "
            "warns; give image.astype(complex)"
        )
    whole = not is_real or "c" in (dtypes[0].kind, dtypes[1].kind)
    factor = None if number == 1 else factor
    how = _How(is_real, whole, normalization is not None, factor, disambiguates)
    return _planned(shape, *dtypes, how)


def _refuse_to_disambiguate(images, is_real):
    for image in images:
        if image.dtype.kind == "c" or not is_real:
            raise Declined("disambiguate is True and images are complex; give real images")
        if image.dtype.char == "e":
            raise Declined(
                "disambiguate is True and an image is float16, which SciPy does not shift; give "
                "image.astype(numpy.float32)"
            )
        if image.ndim > _MOST_MOVED:
            raise Declined(
                f"disambiguate is True and images have more than {_MOST_MOVED} axes; give images "
                "of fewer, or leave it out, which changes the result"
            )


class _How(NamedTuple):
    is_real: bool  # space
    whole: bool  # spectra have all frequencies
    phase: bool
    factor: float | None  # of the places between elements, if there are any
    disambiguates: bool


def _real_type(dtype):
    """Type of the parts of the transform of an image."""
    return np.dtype(dtype.char.lower()) if dtype.kind == "c" else working(dtype)


def _complex_type(value):
    return np.result_type(value, np.complex64)


@functools.lru_cache(maxsize=256)
def _planned(shape, reference, moving, how):
    run = functools.partial(_found, how)
    if how.disambiguates:
        return Plan(run)
    value = np.result_type(_real_type(reference), _real_type(moving))
    size, columns = math.prod(shape), shape[-1] if how.whole else shape[-1] // 2 + 1
    spectrum = 2 * value.itemsize * (size // shape[-1] * columns)
    plane = (2 if how.whole else 1) * value.itemsize * size
    read = size * (reference.itemsize + moving.itemsize) + 4 * plane + 5 * spectrum + (1 << 18)
    written = 3 * plane + 5 * spectrum + (1 << 18)
    launches = 9
    if how.factor is not None:
        launches += 1 + 5 * len(shape)
        places = [(1 + (not how.whole)) * 2 * value.itemsize * math.ceil(how.factor * 1.5)]
        made, rest = 0, math.prod(shape[:-1]) * columns
        for length in shape[::-1]:
            matrix, rest = places[0] * length, rest // length * places[0]
            made += matrix + rest
        read, written = read + spectrum + 4 * made, written + 4 * made
    return Plan(run, cost=Cost(launches, read, written, 3 * plane + 3 * spectrum))


def _found(how, reference_image, moving_image):
    images = [xp.ascontiguousarray(image) for image in (reference_image, moving_image)]
    shape = images[0].shape
    spectra = [_spectrum(image, how) for image in images]
    values = [_real_type(image.dtype) for image in images]
    value = np.result_type(*values)
    first, second = (xp.ascontiguousarray(s, _complex_type(value)) for s in spectra)
    found = xp.empty(6)
    is_ours = how.is_real or first is not spectra[0]  # to be written into
    product = first if is_ours else xp.empty(first.shape, first.dtype)
    least = 100 * float(np.finfo(value).eps) if how.phase else -1.0
    args = first.view(value), second.view(value), first.size, first.shape[-1]
    args += 0 if how.whole else shape[-1], least, product.view(value), found
    _reduced(f"cross_power<{c_name(value)}>", args, first.size, 2)
    if how.whole:
        correlation, kind = xp.fft.ifftn(product, norm="forward"), _COMPLEX
    else:
        axes = tuple(range(len(shape)))
        correlation, kind = xp.fft.irfftn(product, s=shape, axes=axes, norm="forward"), _REAL
    _to_peak(xp.ascontiguousarray(correlation), value, kind, math.prod(shape), found)

    told = to_host(found)
    powers = [of.type(power) for of, power in zip(values, told, strict=False)]
    place, highest = _peak(told, value)
    if told[-1] > abs(highest) * (1 - 64 * float(np.finfo(value).eps)):
        raise Declined(
            "reference_image and moving_image are as alike with two shifts, but for rounding; "
            "nothing to change"
        )
    maxima = np.unravel_index(place, shape)
    midpoint = np.array([np.trunc(length / 2) for length in shape])
    shift = np.stack(maxima).astype(value, copy=False)
    shift[shift > midpoint] -= np.array(shape)[shift > midpoint]
    if how.factor is None:
        powers = [power / math.prod(shape) for power in powers]
    else:
        shift, highest = _refined(product, shape, value, how, shift, found)
    for axis, length in enumerate(shape):
        if length == 1:
            shift[axis] = 0
    if np.isnan(highest) or np.isnan(powers).any():
        if how.disambiguates:  # scikit-image warns before
            raise Declined("reference_image or moving_image has NaN; give finite numbers")
        raise ValueError(_NAN)
    if how.disambiguates:
        shift = disambiguated(*images, shift)
    error = _error(highest, *powers)
    return xp.asarray(shift), error, np.arctan2(highest.imag, highest.real)


def _spectrum(image, how):
    """All frequencies of an image, or those of the first half of its last axis."""
    into = _real_type(image.dtype)
    if image.dtype.kind == "c" or not how.is_real:
        image = xp.ascontiguousarray(image, _complex_type(into))
        return xp.fft.fftn(image) if how.is_real else image
    image = xp.ascontiguousarray(image, into)
    return xp.fft.fftn(image) if how.whole else xp.fft.rfftn(image)


def _reduced(kernel, args, work, numbers):
    """Launch of a kernel that ends in one sum of `numbers` doubles."""
    blocks = min(-(-work // _BLOCK), resident_blocks(_BLOCK))
    partials, arrived = xp.empty(blocks * numbers), xp.zeros(1, "uint32")
    size = {"work": work, "block": _BLOCK, "grid": (blocks,)}
    launch(_SOURCE, kernel, (*args, partials, arrived), **size)


def _to_peak(correlation, value, kind, count, found):
    scale = 1.0 if kind == _HALVES or found.size == 4 else 1 / count
    args = correlation.view(value), count, scale, found[-4:]
    _reduced(f"peak<{c_name(value)}, {kind}>", args, count, 3)


def _peak(told, value):
    """Place and number of the largest element of a correlation."""
    place, *parts = told[-4:-1]
    return int(place), _complex_type(value).type(complex(*parts))


def _refined(product, shape, value, how, shift, found):
    """The shift between pixels near one, and the correlation there.

    The correlation of `shape` is computed at places between its elements, along one axis after the
    other, the last one first.
    """
    factor = np.array(how.factor, value)
    shift = np.round(shift * factor) / factor
    region = np.ceil(factor * 1.5)
    middle = np.trunc(region / 2.0)
    offsets = middle - shift * factor
    count, halves, last = len(np.arange(region)), 1 if how.whole else 2, len(shape) - 1
    made = product
    for axis in range(last, -1, -1):
        length, items = shape[axis], product.shape[axis]
        places = xp.asarray((np.arange(region) - offsets[axis]).astype(float))
        frequency = float(1.0 / (length * factor))
        turned, before = axis == last, math.prod(shape[:axis])
        matrix = xp.empty(
            (halves, items, count) if turned else (halves, 1, count, items), made.dtype
        )
        args = places, count, items, length, frequency, np.int32(halves), turned, matrix.view(value)
        launch(_SOURCE, f"dft_matrix<{c_name(value)}>", args, work=matrix.size)
        if turned:
            made = xp.matmul(made.reshape(1, before, items), matrix)
        else:
            made = xp.matmul(matrix, made.reshape(halves, before, items, -1))
    found, number = xp.empty(4), count ** len(shape)
    kind = _COMPLEX if how.whole else _HALVES
    _to_peak(xp.ascontiguousarray(made), value, kind, number, found)
    place, highest = _peak(to_host(found), value)
    maxima = np.stack(np.unravel_index(place, (count,) * len(shape))).astype(value, copy=False)
    return shift + (maxima - middle) / factor, highest


def _error(highest, *powers):
    """As _compute_error of scikit-image."""
    power = powers[0] * powers[1]
    if power == 0:  # scikit-image warns, and tells the other's power to the last digit
        raise Declined("reference_image or moving_image is 0 everywhere; nothing to change")
    with np.errstate(invalid="ignore"):
        return np.sqrt(np.abs(1.0 - highest * highest.conj() / power))


def specializations():
    """Every (source, expression) that the function launches."""
    for value in ("float", "double"):
        yield _SOURCE, f"cross_power<{value}>"
        yield _SOURCE, f"dft_matrix<{value}>"
        for kind in (_REAL, _COMPLEX, _HALVES):
            yield _SOURCE, f"peak<{value}, {kind}>"
    yield from _disambiguation.specializations()
    yield from _masked.specializations()
