"""Images of more than 2^31 elements, for the tests of wide indices.

They are 0 but for a few bands of rows, the last of which lie beyond element 2^31.
"""

from functools import partial

import numpy as np
import pytest

ROWS, COLUMNS = 46_350, 46_400
BAND = 24
BANDS = [slice(first, first + BAND) for first in (0, 2**31 // COLUMNS - 11, ROWS - BAND)]
COLOR = (ROWS, -(-COLUMNS // 3), 3)


def fits(needed):
    """Skip where the device's memory does not allow the test."""
    import cupy as cp

    available = cp.cuda.Device().mem_info[0]
    if available < needed + 2e9:  # other programs need memory too
        pytest.skip(f"takes {needed / 1e9:.1f} GB, of which {available / 1e9:.1f} are there")


def large(shape, dtype, result_bytes):
    """The image on the device, and its bands on the host.

    `result_bytes` are those of all other arrays of the call, for each element.
    """
    import cupy as cp

    size = int(np.prod(shape))
    assert size > 2**31
    fits(size * (np.dtype(dtype).itemsize + result_bytes))
    rng = np.random.default_rng(3)
    image = cp.zeros(shape, dtype)
    bands = []
    for rows in BANDS:
        band = rng.integers(0, 256, (BAND, *shape[1:]))
        band.flat[:2] = 0, 255  # all bands have the range of the image
        bands.append(band.astype(dtype))
        image[rows] = cp.asarray(bands[-1])
    return image, bands


def rows_of(bands, first):
    """The image's rows from `first` to its end, on the host."""
    rows = np.zeros((ROWS - first, *bands[0].shape[1:]), bands[0].dtype)
    for place, band in zip(BANDS, bands, strict=True):
        if place.start >= first:
            rows[place.start - first : place.stop - first] = band
    return rows


def run(gpu, function, image):
    if isinstance(function, partial):
        return gpu(function.func, image, **function.keywords)
    return gpu(function, image)
