"""metrics of one image against another: mean squared error and what is made of it.

One launch gathers all that a metric needs of its two images; the last block combines.
"""

import cupy as cp
import numpy as np
from skimage.util.dtype import dtype_range

from .._warn import warn_caller
from ..device import c_name, launch
from ..device.dtypes import C_NAMES, code
from ..primitives.reduce import BLOCK, blocks_for, in_memory_order, parts_of, scratch

_SOURCE = "metrics/errors.cu"
# what the kernel finds of the first image besides the error -> numbers in its result
_NUMBERS = {"NONE": 1, "SQUARES": 2, "MEAN": 2, "RANGE": 3}
_NORMALIZATIONS = {"euclidean": "SQUARES", "min-max": "RANGE", "mean": "MEAN"}


def specializations():
    """Every (source, expression) that the ops of this module launch."""
    for statistic in _NUMBERS:
        for name in C_NAMES.values():
            yield _SOURCE, f"errors<{name}, {statistic}>"
        for name in ("float", "double"):
            yield _SOURCE, f"errors_mixed<{name}, {statistic}>"


def mean_squared_error(image0, image1):
    """Mean of squared differences, as `skimage.metrics.mean_squared_error`.

    1 launch; each image is read once.
    """
    return _errors(image0, image1).reshape(())


def normalized_root_mse(image_true, image_test, *, normalization="euclidean"):
    """Root of the mean squared error in units of the first image.

    As `skimage.metrics.normalized_root_mse`. 1 launch; each image is read once; two or
    three numbers come to the host.
    """
    statistic = _NORMALIZATIONS[normalization.lower()]
    error, *found = _errors(image_true, image_test, statistic).get()
    float_type = _float_type(image_true, image_test)
    if statistic == "SQUARES":
        denominator = np.sqrt(found[0])
    elif statistic == "RANGE":
        denominator = float_type(found[1]) - float_type(found[0])
    else:
        denominator = float_type(found[0])
    return np.sqrt(error) / denominator


def peak_signal_noise_ratio(image_true, image_test, *, data_range=None):
    """Ratio of the data range to the error in decibels.

    As `skimage.metrics.peak_signal_noise_ratio`. 1 launch; each image is read once; one to
    three numbers come to the host.
    """
    if data_range is None:
        error, data_range = _error_and_data_range(image_true, image_test)
    else:
        error = _errors(image_true, image_test).get()[0]
    return 10 * np.log10((float(data_range) ** 2) / error)


def _error_and_data_range(image_true, image_test):
    """Mean squared error, and the range of values that the first image's dtype stands for."""
    if image_true.dtype != image_test.dtype:
        warn_caller(
            "Inputs have mismatched dtype.  Setting data_range based on image_true.", UserWarning
        )
    dmin, dmax = dtype_range[image_true.dtype.type]
    if image_true.dtype.kind in "bu":  # no value lies outside
        return _errors(image_true, image_test).get()[0], dmax
    error, low, high = _errors(image_true, image_test, "RANGE").get()
    if image_true.dtype.kind == "f" and (high > dmax or low < dmin):
        raise ValueError(
            "image_true has intensity values outside the range expected "
            "for its data type. Please manually specify the data_range."
        )
    return error, dmax if low >= 0 else dmax - dmin


def _float_type(image0, image1):
    """Type in which scikit-image takes the differences."""
    single = image0.dtype.char in "ef" and image1.dtype.char in "ef"
    return np.float32 if single else np.float64


def _errors(image0, image1, statistic="NONE"):
    """Mean squared error and a statistic of `image0`, on the device.

    Of images in pieces (`parts_of`), which are cut at the same places, the pieces' are put
    together; then the order of sums of floating images is another one.
    """
    pairs = zip(parts_of(image0), parts_of(image1), strict=True)
    found = [(one.size / image0.size, _errors_of_parts(one, two, statistic)) for one, two in pairs]
    if len(found) == 1:
        return found[0][1]
    shares, table = cp.asarray([share for share, _ in found]), cp.stack([part for _, part in found])
    means = shares @ table
    if statistic == "RANGE":
        means[1], means[2] = table[:, 1].min(), table[:, 2].max()
    return means


def _errors_of_parts(image0, image1, statistic):
    float_type = _float_type(image0, image1)
    image0, image1 = in_memory_order(image0, image1)
    blocks = blocks_for(max(image0, image1, key=lambda image: image.dtype.itemsize))
    partials, arrived = scratch(blocks, 3, "float64")
    result = cp.empty(_NUMBERS[statistic], "float64")
    if image0.dtype == image1.dtype:
        expression = f"errors<{c_name(image0.dtype)}, {statistic}>"
        images = image0, image1
    else:
        expression = f"errors_mixed<{c_name(np.dtype(float_type))}, {statistic}>"
        images = image0, code(image0.dtype), image1, code(image1.dtype)
    args = (*images, image0.size, partials, arrived, result)
    launch(_SOURCE, expression, args, work=image0.size, block=BLOCK, grid=(blocks,))
    return result
