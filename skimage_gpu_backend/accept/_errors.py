"""Calls that the ops of the errors take: mean squared error and what is made of it."""

from ._verdict import Invalid


def mean_squared_error(image0, image1):
    if image0.shape != image1.shape:
        return Invalid("images differ in shape")
    if image0.size == 0:
        return "images are empty"
    return None


def normalized_root_mse(image_true, image_test, *, normalization="euclidean"):
    if normalization.lower() not in ("euclidean", "min-max", "mean"):
        return Invalid(f"there is no normalization {normalization!r}")
    return mean_squared_error(image_true, image_test)


def peak_signal_noise_ratio(image_true, image_test, *, data_range=None):
    if data_range is not None and not _is_number(data_range):
        return "data_range is not a number"
    return mean_squared_error(image_true, image_test)


def _is_number(value):
    if isinstance(value, int | float):
        return True
    return getattr(value, "ndim", None) == 0 and value.dtype.kind in "biuf"
