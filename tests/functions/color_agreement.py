"""When a colour conversion on the device agrees with scikit-image's."""

import warnings

import numpy as np

SINGLE, DOUBLE = 1e-5, 1e-10


def agree(result, expected, image, *, single=SINGLE, double=DOUBLE):
    """Same type, dtype, shape, NaN and infinities; numbers within the bound.

    The bound is a part of the largest number in the result: `single` where the image is
    float16 or float32, which are computed in float32, else `double`.
    """
    assert type(result) is type(expected)
    assert result.dtype == expected.dtype
    assert result.shape == expected.shape
    bound = single if image.dtype.name in ("float16", "float32") else double
    finite = np.isfinite(expected)
    np.testing.assert_array_equal(np.where(finite, 0, result), np.where(finite, 0, expected))
    if finite.any():
        scale = np.abs(expected[finite]).max()
        worst = np.abs(np.asarray(result)[finite].astype(float) - expected[finite]).max()
        assert worst <= bound * scale


def quietly(function, *args, **kwargs):
    """Result of a call whose warnings are not the point."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function(*args, **kwargs)


def messages(function, *args, **kwargs):
    """Texts and categories of a call's warnings, and files they point to."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        function(*args, **kwargs)
    return [(str(w.message), w.category, w.filename) for w in told]
