"""When a filter's result on the device agrees with scikit-image's."""

import warnings

import numpy as np

SINGLE, DOUBLE = 1e-5, 1e-10

MODES = (
    "reflect",
    "constant",
    "nearest",
    "mirror",
    "wrap",
    "grid-mirror",
    "grid-constant",
    "grid-wrap",
)

# Lengths of an axis at which tiles (8, 16, 32, 64, 128 elements), runs of planes (16) and
# the lanes of the simulator (16) end, and where they just do not.
BORDERS = (1, 2, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129)


def agree(result, expected):
    """Same type, dtype and shape, same NaN and infinities, numbers within the bound.

    The bound is a part of the largest number in the result: 1e-5 in float32, 1e-10 in
    float64. Where a filter cancels everything, SciPy leaves rounding errors, which nobody
    can reproduce: below 1e-15 for an image whose numbers are about 1. Of several arrays, in a
    list or a tuple, each one agrees.
    """
    assert type(result) is type(expected)
    if isinstance(expected, list | tuple):
        for ours, theirs in zip(result, expected, strict=True):
            agree(ours, theirs)
        return
    assert result.dtype == expected.dtype
    assert result.shape == expected.shape
    bound = SINGLE if expected.dtype == np.float32 else DOUBLE
    finite = np.isfinite(expected)
    np.testing.assert_array_equal(np.where(finite, 0, result), np.where(finite, 0, expected))
    if finite.any():
        largest = float(np.abs(expected[finite]).max())
        worst = np.abs(result[finite].astype(float) - expected[finite]).max()
        assert worst <= max(bound * largest, 1e-15)


def quietly(function, *args, **kwargs):
    """Result of a call whose warnings (of infinities) are not the point."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return function(*args, **kwargs)


def same(gpu, function, *args, **kwargs):
    """The device's result agrees with scikit-image's; inputs are as they were."""
    arrays = [value for value in (*args, *kwargs.values()) if isinstance(value, np.ndarray)]
    before = [array.copy() for array in arrays]
    result = quietly(gpu, function, *args, **kwargs)
    for array, copy in zip(arrays, before, strict=True):
        np.testing.assert_array_equal(array, copy)
    agree(result, quietly(function, *args, **kwargs))
