"""`skimage.metrics` on the device, in scikit-image's precision.

cuCIM compares small integers in single precision, scikit-image in double.
"""

import cupy as cp
import numpy as np
from cupyx.scipy.stats import entropy

from .._warn import warn_caller
from ..device.dtypes import float_type
from ..scikit_image import private
from ._results import host_extremes


def _in_precision(dtype, *images):
    """The images in a floating-point dtype."""
    return [image.astype(dtype, copy=False) for image in images]


def mean_squared_error(theirs, image0, image1):
    """As `skimage.metrics.mean_squared_error`."""
    image0, image1 = _in_precision(float_type(image0.dtype, image1.dtype), image0, image1)
    return theirs(image0=image0, image1=image1)


def normalized_root_mse(theirs, image_true, image_test, **normalization):
    """As `skimage.metrics.normalized_root_mse`."""
    dtype = float_type(image_true.dtype, image_test.dtype)
    image_true, image_test = _in_precision(dtype, image_true, image_test)
    return theirs(image_true=image_true, image_test=image_test, **normalization)


def peak_signal_noise_ratio(theirs, image_true, image_test, data_range=None):
    """As `skimage.metrics.peak_signal_noise_ratio`."""
    if data_range is None:
        data_range = _data_range(image_true, image_test)
    dtype = float_type(image_true.dtype, image_test.dtype)
    image_true, image_test = _in_precision(dtype, image_true, image_test)
    return theirs(image_true=image_true, image_test=image_test, data_range=float(data_range))


def _data_range(image_true, image_test):
    if image_true.dtype != image_test.dtype:
        warn_caller(
            "Inputs have mismatched dtype.  Setting data_range based on image_true.", UserWarning
        )
    dmin, dmax = private("util.dtype").dtype_range[image_true.dtype.type]
    low, high = host_extremes(image_true)
    if low < dmin or high > dmax:
        raise ValueError("image_true has intensity values outside the range of its data type")
    return dmax if low >= 0 else dmax - dmin


def structural_similarity(theirs, im1, im2, data_range=None, **parameters):
    """As `skimage.metrics.structural_similarity`."""
    if data_range is None and im1.dtype.kind != "f" and im2.dtype.kind != "f":
        axis = parameters.get("channel_axis")
        for _ in range(1 if axis is None else im1.shape[axis]):  # scikit-image says it of each
            data_range = _range_of_dtype(im1, im2)
    if data_range is not None:  # else cuCIM says what is wrong
        im1, im2 = _in_precision(float_type(im1.dtype), im1, im2)
        data_range = float(data_range)
    return theirs(im1=im1, im2=im2, data_range=data_range, **parameters)


def _range_of_dtype(im1, im2):
    if im1.dtype != im2.dtype:
        warn_caller(
            "Inputs have mismatched dtypes. Setting data_range based on im1.dtype.", UserWarning
        )
    dmin, dmax = private("util.dtype").dtype_range[im1.dtype.type]
    data_range = dmax - dmin
    if im1.dtype.kind in "iu" and im1.dtype != np.uint8:
        warn_caller(
            f"Setting data_range based on im1.dtype. data_range = {data_range:.0f}. "
            "Please specify data_range explicitly to avoid mistakes.",
            UserWarning,
        )
    return data_range


def normalized_mutual_information(theirs, image0, image1, bins=100):
    """As `skimage.metrics.normalized_mutual_information`, with NumPy's edges of bins.

    On a GPU, those that CuPy makes are rounded once, and integers may lie on an edge.
    """
    if image0.ndim != image1.ndim:
        raise ValueError("images differ in their number of dimensions")
    shape = tuple(map(max, image0.shape, image1.shape))
    dtype = np.result_type(image0, image1)
    samples = [_padded(image, shape).ravel().astype(dtype) for image in (image0, image1)]
    _, edges = np.histogramdd([host_extremes(sample) for sample in samples], bins)
    place = cp.zeros(samples[0].shape, np.intp)
    for sample, borders in zip(samples, edges, strict=True):
        values = sample.view(cp.uint8) if dtype.kind == "b" else sample
        found = cp.searchsorted(cp.asarray(borders), values, side="right") - 1
        # the last bin has its upper edge
        place = place * (borders.size - 1) + cp.minimum(found, borders.size - 2)
    counts = [borders.size - 1 for borders in edges]
    histogram = cp.bincount(place, minlength=counts[0] * counts[1]).astype(float)
    table = histogram.reshape(counts)
    return (entropy(table.sum(axis=0)) + entropy(table.sum(axis=1))) / entropy(histogram)


def _padded(image, shape):
    if image.shape == shape:
        return image
    padded = cp.zeros(shape, image.dtype)
    padded[tuple(map(slice, image.shape))] = image
    return padded
