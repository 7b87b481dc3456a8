"""What tests of thresholds share: photographs, and numbers that must be the same."""

import warnings

import numpy as np
from skimage import data

DTYPES = ("uint8", "int8", "uint16", "int16", "int32", "float16", "float32", "float64")


def both(gpu, function, *args, **kwargs):
    """What the device gives and what scikit-image does, of one type."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = function(*args, **kwargs)
        result = gpu(function, *args, **kwargs)
    assert type(result) is type(expected)
    return result, expected


def same(gpu, function, *args, **kwargs):
    """The device gives the same number of the same type."""
    np.testing.assert_array_equal(*both(gpu, function, *args, **kwargs), strict=True)


def photograph(dtype, crop=np.s_[:]):
    image = (data.camera() // 2)[crop]
    return (image / 128).astype(dtype) if dtype.startswith("float") else image.astype(dtype)
