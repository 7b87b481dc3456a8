"""skimage.metrics on the device: errors of one image against another.

One launch gathers all that a metric needs of its two images; the last block combines.
"""

import cupy as cp
import numpy as np
from skimage.util.dtype import dtype_range

from .._warn import warn_caller
from ..device import c_name, launch
from ..device.dtypes import C_NAMES
from ._reduce import BLOCK, blocks_for, in_memory_order, scratch

_SOURCE = "metrics/errors.cu"


def specializations():
    """Every (source, expression) that the ops of this module launch."""
    for statistics in ("false", "true"):
        for name in C_NAMES.values():
            yield _SOURCE, f"errors<{name}, {statistics}>"
        for name in ("float", "double"):
            yield _SOURCE, f"errors_mixed<{name}, {statistics}>"


def mean_squared_error(image0, image1):
    """Mean of squared differences, as `skimage.metrics.mean_squared_error`.

    1 launch; each image is read once.
    """
    return _errors(image0, image1, statistics=False)


def normalized_root_mse(image_true, image_test, *, normalization="euclidean"):
    """Root of the mean squared error in units of the first image.

    As `skimage.metrics.normalized_root_mse`. 1 launch; each image is read once; five
    numbers come to the host.
    """
    error, squares, mean, low, high = _errors(image_true, image_test, statistics=True).get()
    normalization = normalization.lower()
    float_type = _float_type(image_true, image_test)
    if normalization == "euclidean":
        denominator = np.sqrt(squares)
    elif normalization == "min-max":
        denominator = float_type(high) - float_type(low)
    else:
        denominator = float_type(mean)
    return np.sqrt(error) / denominator


def peak_signal_noise_ratio(image_true, image_test, *, data_range=None):
    """Ratio of the data range to the error in decibels.

    As `skimage.metrics.peak_signal_noise_ratio`. 1 launch; each image is read once; up to
    five numbers come to the host.
    """
    if data_range is None:
        error, data_range = _error_and_data_range(image_true, image_test)
    else:
        error = _errors(image_true, image_test, statistics=False).get()[()]
    return 10 * np.log10((float(data_range) ** 2) / error)


def _error_and_data_range(image_true, image_test):
    """Mean squared error, and the range of values that the first image's dtype stands for."""
    if image_true.dtype != image_test.dtype:
        warn_caller(
            "Inputs have mismatched dtype.  Setting data_range based on image_true.", UserWarning
        )
    dmin, dmax = dtype_range[image_true.dtype.type]
    if image_true.dtype.kind in "bu":  # no value lies outside
        return _errors(image_true, image_test, statistics=False).get()[()], dmax
    error, _, _, low, high = _errors(image_true, image_test, statistics=True).get()
    if image_true.dtype.kind == "f" and (high > dmax or low < dmin):
        raise ValueError(
            "image_true has intensity values outside the range expected "
            "for its data type. Please manually specify the data_range."
        )
    return error, dmax if low >= 0 else dmax - dmin


def _code(image):
    """The kernel's number for the dtype."""
    return np.int32(list(C_NAMES).index(image.dtype.name))


def _float_type(image0, image1):
    """Type in which scikit-image takes the differences."""
    single = {image0.dtype.name, image1.dtype.name} <= {"float16", "float32"}
    return np.float32 if single else np.float64


def _errors(image0, image1, *, statistics):
    """Mean squared error, 0-d, or with statistics of `image0` after it, on the device."""
    float_type = _float_type(image0, image1)
    image0, image1 = in_memory_order(image0, image1)
    blocks = blocks_for(max(image0, image1, key=lambda image: image.dtype.itemsize))
    partials, arrived = scratch(blocks, 5, "float64")
    result = cp.empty(5 if statistics else (), "float64")
    flag = "true" if statistics else "false"
    if image0.dtype == image1.dtype:
        expression = f"errors<{c_name(image0.dtype)}, {flag}>"
        images = image0, image1
    else:
        expression = f"errors_mixed<{c_name(np.dtype(float_type))}, {flag}>"
        images = image0, _code(image0), image1, _code(image1)
    args = (*images, image0.size, partials, arrived, result)
    launch(_SOURCE, expression, args, work=image0.size, block=BLOCK, grid=(blocks,))
    return result
