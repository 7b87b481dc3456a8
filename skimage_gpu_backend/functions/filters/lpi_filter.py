"""skimage.filters: images filtered by a response of the user's own. Fourier transforms are CuPy's.

Cost: a transform there and back of the image among zeros, about four times its elements, and some
launches between; `filter_inverse` and `wiener` take 2 kernels, and 40 bytes come to the host. The
filter's response is transformed on the host, once for a filter and a shape, and kept in the object
as scikit-image keeps it, for which the user's function is called, once; it goes to the device in
each call, 64 bytes a pixel (32 in single precision).

Where that transform, which is scikit-image's to the last bit, makes more of the rounding errors of
the others than results may differ, scikit-image goes on from it on the host.
"""

import functools
import math

import numpy as np
from scipy import fft
from skimage import filters
from skimage.filters import LPIFilter2D

from ... import notify
from ...device import c_name, launch, resident_blocks
from ...device.launches import Cost
from ...devices import to_host, xp
from ...plan import Declined, Invalid, Plan
from ...primitives.arguments import real, refuse_wider, small_array
from ...primitives.gaussian import working
from ...primitives.reduce import BLOCK

_SOURCE = "filters/lpi_filter.cu"
_NOT_FINITE = 2  # a flag of the kernel
# The largest gain times the root mean square of the image among zeros, as a share of the largest
# result: rounding errors were up to 70 of the type's, of this.
_MAGNIFIED = {"f": 4, "d": 1000}
_MAGNIFIES = "the filter makes much of rounding errors; give a smaller max_gain, or a larger K"
_WIDER = "the response has another precision than the image; give impulse_response one of its dtype"


def filter_forward(data, impulse_response=None, filter_params=None, predefined_filter=None):
    """Convolution with a response: `skimage.filters.filter_forward`."""
    _refuse_image(data)
    lpi = _filter_of(impulse_response, filter_params, predefined_filter)
    if not isinstance(lpi, LPIFilter2D) or type(lpi).__call__ is not LPIFilter2D.__call__:
        raise Declined("predefined_filter is of a class with another __call__; give an LPIFilter2D")
    return _convolved(data, lpi, "filter_forward", "predefined_filter")


def filter_inverse(
    data, impulse_response=None, filter_params=None, max_gain=2, predefined_filter=None
):
    """Division by a response's spectrum: `skimage.filters.filter_inverse`.

    Notes
    -----
    Division by the response amplifies rounding errors of the Fourier transform: results in single
    precision may differ by 1e-4 of their range.
    """
    _refuse_image(data)
    lpi = _filter_of(impulse_response, filter_params, predefined_filter)
    options, limit = {"max_gain": max_gain}, real("max_gain", max_gain)
    is_kept = predefined_filter is not None
    return _divided(data, lpi, is_kept, "filter_inverse", options, limit, None)


def wiener(data, impulse_response=None, filter_params=None, K=0.25, predefined_filter=None):
    """Wiener's inverse of a response: `skimage.filters.wiener`.

    Notes
    -----
    Division by the response amplifies rounding errors of the Fourier transform: results in single
    precision may differ by 1e-4 of their range.
    """
    _refuse_image(data)
    ratios = _ratios(K, data)
    lpi = _filter_of(impulse_response, filter_params, predefined_filter)
    is_kept = predefined_filter is not None
    return _divided(data, lpi, is_kept, "wiener", {"K": K}, 0.0, ratios)


def _lpi_filter(data, lpi):
    """`LPIFilter2D.__call__` of the filter `lpi`."""
    _refuse_image(data)
    return _convolved(data, lpi, "LPIFilter2D.__call__", "lpi")


def _convolved(data, lpi, name, parameter):
    """Plan of the function `name`, whose filter is its argument `parameter`."""
    _refuse_other(lpi, parameter)
    shape, dtype = data.shape, working(data.dtype)
    whole = _whole(shape)
    middle = tuple(slice(n, n + m) for n, m in zip(_first(shape), shape, strict=True))

    def run(data):
        response = _response(lpi, shape, whole, dtype)
        if response.dtype.char not in "FD" or response.itemsize > _complex(dtype).itemsize:
            return _on_host(name, _WIDER, lpi, data)
        spectrum = xp.fft.fftn(data.astype(dtype, copy=False), s=whole)
        return xp.abs(xp.fft.ifftn(xp.asarray(response) * spectrum)[middle])

    return Plan(run)


def _divided(data, lpi, is_kept, name, options, limit, ratios):
    """Plan of the function `name`: of a filter, which the caller may keep, its bound or ratios."""
    _refuse_other(lpi, "predefined_filter")
    shape, dtype = data.shape, working(data.dtype)
    whole = _whole(shape)
    theirs = functools.partial(getattr(filters, name), predefined_filter=lpi, **options)

    def run(data):
        response = _response(lpi, shape, whole, dtype)
        if response.dtype != _complex(dtype):
            return _on_host(name, _WIDER, theirs, data)
        least, bound = np.finfo(dtype).eps, (limit, 0) if ratios is None else (0, ratios)
        if any(_overflows(numbers, dtype) for numbers in bound):
            return _on_host(name, _MAGNIFIES, theirs, data)
        spectrum = xp.fft.fftn(data.astype(dtype, copy=False), s=whole)
        spectrum, seen = xp.ascontiguousarray(spectrum), xp.zeros(5)
        _filter(xp.asarray(np.ascontiguousarray(response)), spectrum, least, limit, ratios, seen)
        result = _magnitudes(xp.fft.ifftn(spectrum), shape, seen)
        gain, power, flags, largest, _ = to_host(seen)
        errors = gain * math.sqrt(power) / spectrum.size
        if flags >= _NOT_FINITE or not errors <= _MAGNIFIED[dtype.char] * largest < math.inf:
            return _on_host(name, _MAGNIFIES, theirs, data)
        if flags and is_kept:
            _min_limit(response, least)
        return result

    complexes = _complex(dtype).itemsize * math.prod(whole)
    few = 8 * data.size + (1 << 18)
    return Plan(run, cost=Cost(8, 7 * complexes + few, 5 * complexes + few, 6 * complexes + few))


def _filter(response, spectrum, least, limit, ratios, seen):
    """The kernel `filtered`, in place; what it finds becomes the first numbers of `seen`."""
    dtype = spectrum.real.dtype
    kind = "false" if ratios is None else "true"
    ratios = xp.asarray(np.ascontiguousarray(0 if ratios is None else ratios, dtype))
    blocks = min(-(-spectrum.size // BLOCK), resident_blocks(BLOCK))
    numbers, partials = spectrum.view(dtype), xp.empty((blocks, 3), dtype)
    args = (response.view(dtype), numbers, dtype.type(least), dtype.type(limit), ratios)
    args = (*args, int(ratios.size > 1), spectrum.size, numbers, partials)
    args = (*args, seen[4:].view("uint32"), seen)
    launch(_SOURCE, f"filtered<{c_name(dtype)}, {kind}>", args, work=blocks * BLOCK, block=BLOCK)


def _magnitudes(values, shape, seen):
    """Those of the middle of `values`, by the kernel; the largest goes into `seen`."""
    values = xp.ascontiguousarray(values)
    dtype, size = values.real.dtype, math.prod(shape)
    row, column = (
        (first + m // 2) % m for first, m in zip(_first(shape), values.shape, strict=True)
    )
    blocks = min(-(-size // BLOCK), resident_blocks(BLOCK))
    result, partials = xp.empty(shape, dtype), xp.empty(blocks, dtype)
    args = (values.view(dtype), *values.shape, row, column, shape[1], size, result, partials)
    args = (*args, seen[4:].view("uint32")[1:], seen[3:])
    launch(_SOURCE, f"magnitudes<{c_name(dtype)}>", args, work=blocks * BLOCK, block=BLOCK)
    return result


def _on_host(name, reason, function, data):
    """What scikit-image's `function` makes of the image, with the response that is there."""
    notify.partly(f"skimage.filters:{name}", {reason: "what comes after the response"})
    return xp.asarray(function(to_host(data)))


def _refuse_image(data):
    if data.ndim != 2 or data.size == 0:
        raise Invalid("data is no plane, or is empty; give an image of two axes")


def _filter_of(impulse_response, filter_params, predefined_filter):
    if predefined_filter is not None:
        return predefined_filter
    try:
        return LPIFilter2D(impulse_response, **({} if filter_params is None else filter_params))
    except (TypeError, ValueError):
        raise Invalid(
            "impulse_response is no function, or filter_params are no keywords; give a function"
        ) from None


def _refuse_other(lpi, parameter):
    """Refuse filters that are none of scikit-image's own, whose steps are known."""
    own = getattr(getattr(lpi, "_prepare", None), "__func__", None) is LPIFilter2D._prepare
    if not own or type(lpi._cache) not in (np.ndarray, type(None)):
        raise Declined(f"{parameter} is of a class with another _prepare; give an LPIFilter2D")


def _ratios(K, data):
    """`K` as a number or an array that is as large as the spectrum."""
    dtype, whole = working(data.dtype), _whole(data.shape)
    if isinstance(K, float):
        refuse_wider("K", K, dtype)
    else:
        K = small_array("K", K) if hasattr(K, "__len__") else np.asarray(K)
        if K.ndim != 2 or K.size == 0:
            raise Invalid("K is neither a float nor a plane; give a float")
        if K.dtype.kind not in "biuf" or np.result_type(K.dtype, dtype) != dtype:
            raise Declined(
                "K is of a dtype that makes the result wider than the image; give a float"
            )
        try:
            K = np.broadcast_to(K, whole)
        except ValueError:
            raise Declined("K has another shape than the spectrum; give a float") from None
    if np.any(np.less(K, 0)):
        raise Declined("K is negative, so that the result may be infinite; give a number from 0 on")
    return K


def _overflows(numbers, dtype):
    """Whether finite numbers are infinite in `dtype`, of which NumPy warns."""
    with np.errstate(over="ignore"):
        return bool(np.any(np.isfinite(numbers) & ~np.isfinite(np.asarray(numbers, dtype))))


def _min_limit(response, least):
    """As scikit-image leaves the response in its filter."""
    small = np.abs(response) < least
    response[small] = np.sign(response[small]) * least


def _whole(shape):
    return tuple(2 * length - 1 for length in shape)


def _first(shape):
    """Where the middle of that shape begins among zeros."""
    return tuple((length - 1) // 2 for length in shape)


def _complex(dtype):
    return np.result_type(dtype, np.complex64)


def _response(lpi, shape, whole, dtype):
    """Transform of a filter's response, made and kept as `LPIFilter2D._prepare` does it."""
    if lpi._cache is None or lpi._cache.shape != whole:
        odd = [length + (length % 2 == 0) for length in shape]
        axes = [
            np.arange(n, dtype=float) + (n != m) - (n - 1) / 2
            for n, m in zip(odd, shape, strict=True)
        ]
        places = np.stack(np.meshgrid(*axes, indexing="ij")).reshape(2, -1).T
        places = places.astype(dtype, copy=False)
        values = lpi.impulse_response(places[:, 0], places[:, 1], **lpi.filter_params)
        values = values.reshape(odd)
        padded = np.zeros(whole, values.dtype)
        padded[tuple(map(slice, odd))] = values
        lpi._cache = fft.fftn(padded)
    if lpi._cache.dtype.char == "G":  # nor does a device hold the result
        raise Declined(_WIDER)
    return lpi._cache


def specializations():
    """Every (source, expression) that these functions launch."""
    for name in ("float", "double"):
        yield _SOURCE, f"magnitudes<{name}>"
        for of_wiener in ("false", "true"):
            yield _SOURCE, f"filtered<{name}, {of_wiener}>"
