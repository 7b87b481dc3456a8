"""feature.canny on the device: edges in four launches."""

import cupy as cp
import numpy as np

from ..accept._canny import both_thresholds
from ..device import c_name, launch
from ..device.dtypes import C_NAMES
from ..device.launches import Array
from ..primitives.components import connected
from ..primitives.gaussian import working
from ..primitives.smooth_tile import smooth_tiles
from ..primitives.stencils import BOUNDARY, sigma_per_axis
from ._contrast import percentiles_of

_SOURCE = "feature/canny.cu"
_MARGIN = 2  # neighbours on each side of which a magnitude beside is made
_SMOOTHING = np.dtype(
    [(name, "i4") for name in ("height", "width", "margin", "divides")]
)  # with SmoothSize


def canny(
    image,
    sigma=1.0,
    low_threshold=None,
    high_threshold=None,
    mask=None,
    use_quantiles=False,
    *,
    mode="constant",
    cval=0.0,
):
    """Canny's edges: `skimage.feature.canny`.

    4 launches, whatever the image shows: the first reads image and mask and writes 1 byte a
    pixel, above which threshold it lies, if it is on a ridge at all; those of
    `apply_hysteresis_threshold` read this byte, write 4 bytes a pixel, join and read them and
    write the result. Quantiles as thresholds: 1 launch more, which reads image and mask and
    writes magnitudes, and those of `elements_at`.
    """
    image = cp.ascontiguousarray(image)
    if mask is not None:
        mask = mask if mask.dtype.itemsize == 1 else mask.astype(bool)
        mask = cp.ascontiguousarray(mask)
    divides = mask is not None or mode == "constant"
    dtype = working(image.dtype)
    sigmas = sigma_per_axis(sigma, 2, None)
    size, taps, grid = smooth_tiles(image.shape, dtype, _MARGIN, int(divides), *sigmas)
    smoothing = np.array((*size.item(), divides), _SMOOTHING)[()]
    mode = np.int32(BOUNDARY.get(mode, 0))  # any, where nothing is smoothed
    way = (*image.shape, mode, float(cval), smoothing, taps)

    low, high = both_thresholds(image.dtype, low_threshold, high_threshold, use_quantiles)
    if use_quantiles:
        magnitude = cp.empty(image.shape, dtype)
        kernel = f"canny_magnitude<{c_name(image.dtype)}>"
        launch(_SOURCE, kernel, (image, mask, magnitude, *way), **grid)
        low, high = percentiles_of(magnitude, [100.0 * low, 100.0 * high])
    classes = cp.empty(image.shape, "uint8")
    limits = (_lower(low), _upper(high, dtype))
    kernel = f"canny_classes<{c_name(image.dtype)}>"
    launch(_SOURCE, kernel, (image, mask, classes, *way, *limits), **grid)
    classified = Array.given("classes", classes)
    return connected(classified, 0.5, 1.5, diagonal=True)(classes=classes)


def _lower(low):
    """As scikit-image's compiled part takes it: single precision, and never zero."""
    low = np.float32(low)
    return float(low if low != 0 else np.float32(1e-14))


def _upper(high, dtype):
    """As NumPy compares an array of `dtype` with it: Python's numbers take the array's type."""
    return float(high if isinstance(high, np.generic) else dtype.type(high))


def specializations():
    """Every specialization that `canny` can ask for, as (source, expression)."""
    for dtype, image in C_NAMES.items():
        if dtype not in ("int64", "uint64"):
            yield _SOURCE, f"canny_magnitude<{image}>"
            yield _SOURCE, f"canny_classes<{image}>"
