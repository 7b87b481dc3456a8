"""Images for tests of point functions, and when results agree."""

import warnings

import numpy as np
import pytest
from hypothesis import strategies as st
from skimage import data, exposure

from tests.functions.images import images, shapes

SMALL = ("bool", "int8", "uint8", "int16", "uint16", "float16", "float32", "float64")


ADJUST = [exposure.adjust_gamma, exposure.adjust_log, exposure.adjust_sigmoid]


def agree(gpu, function, image, *args, **kwargs):
    """scikit-image's result, equal but for the last bits of float and double."""
    with warnings.catch_warnings(record=True) as expected_warnings:
        warnings.simplefilter("always")
        try:
            expected = function(image, *args, **kwargs)
        except ValueError as error:
            with pytest.raises(ValueError, match=str(error)):
                gpu(function, image, *args, **kwargs)
            return
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        result = gpu(function, image, *args, **kwargs)
    users = [
        [str(w.message) for w in given if w.category is UserWarning]
        for given in (told, expected_warnings)
    ]
    assert users[0] == users[1]
    assert type(result) is type(expected)
    assert result.dtype == expected.dtype
    if result.dtype.kind != "f" or image.dtype.char == "e" or not result.size:
        np.testing.assert_array_equal(result, expected)
        return
    finite = np.asarray(expected)[np.isfinite(expected)]
    span = np.ptp(finite) or abs(finite[0]) if finite.size else 0
    bound = (1e-5 if result.dtype == np.float32 else 1e-10) * span
    np.testing.assert_allclose(result, expected, rtol=0, atol=bound)


def photograph(dtype):
    image = data.camera()[:181, :203]
    if dtype == "bool":
        return image > 90
    if np.dtype(dtype).kind == "f":
        return (image / 255).astype(dtype)
    return (image.astype(int) * (np.iinfo(dtype).max // 255) // 2).astype(dtype)


@st.composite
def any_image(draw, dtypes, special=()):
    return draw(images(draw(shapes), draw(st.sampled_from(dtypes)), special=special))
