"""Curves of skimage.exposure on the device give scikit-image's numbers."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from skimage import exposure

from .points import ADJUST, SMALL, agree, any_image, photograph

RNG = np.random.default_rng(6)


CURVES = [
    (exposure.adjust_gamma, {}),
    (exposure.adjust_gamma, {"gamma": 2.2, "gain": 0.7}),
    (exposure.adjust_gamma, {"gamma": 0}),
    (exposure.adjust_log, {}),
    (exposure.adjust_log, {"gain": 0.4, "inv": True}),
    (exposure.adjust_sigmoid, {}),
    (exposure.adjust_sigmoid, {"cutoff": 0.2, "gain": 4, "inv": True}),
]


@pytest.mark.parametrize("dtype", SMALL)
@pytest.mark.parametrize(("function", "parameters"), CURVES)
def test_photograph_through_each_curve(gpu_of_each_kind, function, parameters, dtype):
    agree(gpu_of_each_kind, function, photograph(dtype), **parameters)


@given(any_image(SMALL, special=(np.nan, np.inf, -0.0)), st.sampled_from(CURVES))
@settings(max_examples=60)
def test_any_image_through_a_curve(gpu, image, call):
    function, parameters = call
    agree(gpu, function, image, **parameters)


@pytest.mark.parametrize("function", ADJUST)
@pytest.mark.parametrize("dtype", ["int8", "int16", "float16", "float32", "float64"])
def test_one_negative_pixel_is_refused(gpu_of_each_kind, function, dtype):
    image = np.abs(photograph(dtype))
    image[-1, -1] = -1 if image.dtype.kind == "i" else -1e-5
    with pytest.raises(ValueError, match="only on images with non-negative values"):
        gpu_of_each_kind(function, image)


@pytest.mark.parametrize("function", ADJUST)
def test_wide_integers_are_declined(gpu, function):
    assert "rounded" in gpu.declined(function, np.ones((3, 4), np.uint32))
    assert gpu.declined(function, np.ones((3, 4)), np.ones(4)).endswith("give a number, as 2.5")


def test_negative_gamma_is_refused_by_scikit_image(gpu):
    assert gpu.invalid(exposure.adjust_gamma, np.ones((3, 4)), -1)


def test_tables_follow_the_type_of_a_parameter(gpu):
    """scikit-image computes float16 in float where gamma is a NumPy scalar."""
    image = photograph("float16")
    for gamma in (0.3, np.float32(0.3), np.float64(0.3), 1, True, 1.0):
        agree(gpu, exposure.adjust_gamma, image, gamma)
