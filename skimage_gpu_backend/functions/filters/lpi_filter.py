"""skimage.filters: an image filtered by `LPIFilter2D`. Fourier transforms are CuPy's.

Cost: a transform there and back of the image among zeros, about four times its elements, and some
launches between. The filter's response is transformed on the host, once for a filter and a shape,
and kept in the object as scikit-image keeps it, for which the user's function is called; it goes to
the device in each call, 64 bytes a pixel (32 in single precision).
"""

import numpy as np
from scipy import fft
from skimage.filters import LPIFilter2D

from ...device.lazy import cp
from ...plan import Declined, Invalid, Plan
from ...primitives.gaussian import working


def _lpi_filter(data, lpi):
    """`LPIFilter2D.__call__` of the filter `lpi`."""
    if data.ndim != 2 or data.size == 0:
        raise Invalid("data is no plane, or is empty; give an image of two axes")
    if type(lpi)._prepare is not LPIFilter2D._prepare:
        raise Declined("lpi is of a class with another _prepare; give an LPIFilter2D")
    shape, dtype = data.shape, working(data.dtype)
    whole = tuple(2 * length - 1 for length in shape)
    middle = tuple(slice((m - n) // 2, (m - n) // 2 + n) for m, n in zip(whole, shape, strict=True))

    def run(data):
        response = _response(lpi, shape, whole, dtype)
        spectrum = cp.fft.fftn(data.astype(dtype, copy=False), s=whole)
        return cp.abs(cp.fft.ifftn(cp.asarray(response) * spectrum)[middle])

    return Plan(run)


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
    return lpi._cache
