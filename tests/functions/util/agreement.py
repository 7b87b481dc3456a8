"""What tests of skimage.util share: equality with scikit-image, values of a whole dtype."""

import warnings

import numpy as np
import pytest

from tests.warned import own


def same(gpu, function, *args, **kwargs):
    """Equal to scikit-image's result, warnings or error, where the call is taken."""
    with warnings.catch_warnings(record=True) as expected_warnings:
        warnings.simplefilter("always")
        try:
            expected = function(*args, **kwargs)
        except Exception as error:
            with pytest.raises(type(error), match=str(error)):
                gpu(function, *args, **kwargs)
            return
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        result = gpu(function, *args, **kwargs)
    assert [str(w.message) for w in told] == [str(w.message) for w in own(expected_warnings)]
    assert type(result) is type(expected)
    assert result.dtype == expected.dtype
    np.testing.assert_array_equal(result, expected)


def whole_range(rng, dtype, size=70_000):
    """Every value of a small dtype; of a large one its ends and values between."""
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return np.arange(40) % 3 == 0
    if dtype.kind == "f":
        halves = np.arange(-(1 << 12), (1 << 12) + 1) / (1 << 12)
        ties = (np.arange(256) + 0.5) / 255
        return np.concatenate([halves, ties[:-1], rng.uniform(-1, 1, size)]).astype(dtype)
    limits = np.iinfo(dtype)
    if dtype.itemsize < 4:
        return np.arange(limits.min, limits.max + 1, dtype=dtype)
    ends = np.array([limits.min, limits.min + 1, 0, 1, limits.max - 1, limits.max], dtype)
    return np.concatenate([ends, rng.integers(limits.min, limits.max, size, dtype)])
