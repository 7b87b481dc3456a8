"""What tests of textures share: images in three layouts, and results that must be equal."""

import warnings

import numpy as np
import pytest

LAYOUTS = {"C": lambda a: a, "F": np.asfortranarray, "sliced": lambda a: a[::-2, ::3]}
layouts = pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)


def equal(gpu, function, *args, **kwargs):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = function(*args, **kwargs)
        result = gpu(function, *args, **kwargs)
    assert type(result) is type(expected)
    np.testing.assert_array_equal(result, expected, strict=isinstance(expected, np.ndarray))
