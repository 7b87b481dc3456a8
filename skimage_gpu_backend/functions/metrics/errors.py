"""skimage.metrics: mean squared error and what is made of it.

Cost of every function here: 1 launch, which gathers all that a metric needs of its two images,
and whose last block combines; each image is read once. Strided images are copied first (1
launch each), unless both are Fortran-contiguous.
"""

import functools

import numpy as np

from ..._warn import warn_caller
from ...device import c_name, launch
from ...device.dtypes import C_NAMES, code
from ...device.launches import Cost
from ...devices import to_host, xp
from ...plan import Declined, Invalid, Plan, Sums
from ...primitives.reduce import BLOCK, blocks_for, in_memory_order, parts_of, scratch
from ...scikit_image import private
from ._pairs import refuse_unlike

_SOURCE = "metrics/errors.cu"
# what the kernel finds of the first image besides the error -> numbers in its result
_NUMBERS = {"NONE": 1, "SQUARES": 2, "MEAN": 2, "RANGE": 3}
_NORMALIZATIONS = {"euclidean": "SQUARES", "min-max": "RANGE", "mean": "MEAN"}


def mean_squared_error(image0, image1):
    """Mean of squared differences: `skimage.metrics.mean_squared_error`."""
    return _planned(_mean_squared_error, image0, image1)


def _mean_squared_error(image0, image1):
    return _errors(image0, image1).reshape(())


def normalized_root_mse(image_true, image_test, *, normalization="euclidean"):
    """Root of the mean squared error in units of the first image.

    `skimage.metrics.normalized_root_mse`. Two or three numbers come to the host.
    """
    name = normalization.lower() if isinstance(normalization, str) else None
    if name not in _NORMALIZATIONS:
        raise Invalid(f"there is no normalization {normalization!r}")
    run = functools.partial(_normalized_root_mse, _NORMALIZATIONS[name])
    return _planned(run, image_true, image_test)


def _normalized_root_mse(statistic, image_true, image_test):
    error, *found = to_host(_errors(image_true, image_test, statistic))
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

    `skimage.metrics.peak_signal_noise_ratio`. One to three numbers come to the host.
    """
    if data_range is not None:
        data_range = _number(data_range)
    run = functools.partial(_peak_signal_noise_ratio, data_range)
    return _planned(run, image_true, image_test)


def _peak_signal_noise_ratio(data_range, image_true, image_test):
    if data_range is None:
        error, data_range = _error_and_data_range(image_true, image_test)
    else:
        error = to_host(_errors(image_true, image_test))[0]
    return 10 * np.log10((float(data_range) ** 2) / error)


def _number(data_range):
    """`data_range` as a float, of a number or an array without axes."""
    is_array = getattr(data_range, "ndim", None) == 0
    if not isinstance(data_range, int | float) and not (
        is_array and getattr(getattr(data_range, "dtype", None), "kind", "O") in "biuf"
    ):
        raise Declined("data_range is not a number; give one, as 255")
    try:
        return float(data_range)
    except OverflowError:
        raise Invalid("data_range is larger than any float") from None


def _planned(run, image0, image1):
    refuse_unlike(image0, image1)
    if image0.size == 0:
        raise Declined("images are empty; nothing to change")
    return Plan(run, Sums, cost=Cost(1, image0.nbytes + image1.nbytes, 8 * max(_NUMBERS.values())))


def _error_and_data_range(image_true, image_test):
    """Mean squared error, and the range of values that the first image's dtype stands for."""
    if image_true.dtype != image_test.dtype:
        warn_caller(
            "Inputs have mismatched dtype.  Setting data_range based on image_true.", UserWarning
        )
    dmin, dmax = private("util.dtype").dtype_range[image_true.dtype.type]
    if image_true.dtype.kind in "bu":  # no value lies outside
        return to_host(_errors(image_true, image_test))[0], dmax
    error, low, high = to_host(_errors(image_true, image_test, "RANGE"))
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
    shares, table = xp.asarray([share for share, _ in found]), xp.stack([part for _, part in found])
    means = shares @ table
    if statistic == "RANGE":
        means[1], means[2] = table[:, 1].min(), table[:, 2].max()
    return means


def _errors_of_parts(image0, image1, statistic):
    float_type = _float_type(image0, image1)
    image0, image1 = in_memory_order(image0, image1)
    blocks = blocks_for(max(image0, image1, key=lambda image: image.dtype.itemsize))
    partials, arrived = scratch(blocks, 3, "float64")
    result = xp.empty(_NUMBERS[statistic], "float64")
    if image0.dtype == image1.dtype:
        expression = f"errors<{c_name(image0.dtype)}, {statistic}>"
        images = image0, image1
    else:
        expression = f"errors_mixed<{c_name(np.dtype(float_type))}, {statistic}>"
        images = image0, code(image0.dtype), image1, code(image1.dtype)
    args = (*images, image0.size, partials, arrived, result)
    launch(_SOURCE, expression, args, work=image0.size, block=BLOCK, grid=(blocks,))
    return result


def specializations():
    """Every (source, expression) that these functions launch."""
    for statistic in _NUMBERS:
        for name in C_NAMES.values():
            yield _SOURCE, f"errors<{name}, {statistic}>"
        for name in ("float", "double"):
            yield _SOURCE, f"errors_mixed<{name}, {statistic}>"
