"""Filters of integer and double images equal scikit-image's to the last bit.

Small differences become visible where a program goes on to compare: ties of corners, seeds
of a watershed, the direction of a vanishing gradient.
"""

import numpy as np
import pytest
from skimage import data, feature, filters

from tests.functions.filter_agreement import quietly

FILTERS = [
    filters.sobel,
    filters.scharr,
    filters.prewitt,
    filters.farid,
    filters.laplace,
    filters.gaussian,
]


@pytest.fixture(scope="module", params=["coins", "plane", "volume"])
def image(request):
    if request.param == "coins":
        return data.coins()[:150, :130]
    shape = (70, 90) if request.param == "plane" else (9, 40, 50)
    return np.random.default_rng(0).standard_normal(shape)


@pytest.mark.parametrize("function", FILTERS, ids=lambda f: f.__name__)
def test_results_are_equal(gpu, function, image):
    np.testing.assert_array_equal(gpu(function, image), function(image))


@pytest.mark.parametrize("function", [filters.roberts, filters.sobel_h, filters.farid_v])
def test_results_of_2d_filters_are_equal(gpu, function):
    image = data.coins()[:80, :90]
    np.testing.assert_array_equal(gpu(function, image), function(image))


@pytest.mark.parametrize("sigma", [0.4, 1.7, 4, (3, 0.5)])
@pytest.mark.parametrize("mode", ["nearest", "constant", "wrap"])
def test_gaussian_up_to_radius_16_is_equal(gpu, sigma, mode):
    image = data.coins()[:100, :70]
    expected = filters.gaussian(image, sigma, mode=mode)
    np.testing.assert_array_equal(gpu(filters.gaussian, image, sigma, mode=mode), expected)


def test_constant_image_stays_constant(gpu):
    ones = np.ones((20, 30))
    np.testing.assert_array_equal(gpu(filters.gaussian, ones), ones)


INTEGERS = [bool, np.uint8, np.int16, np.uint16, np.int32, np.uint64]


@pytest.mark.parametrize("dtype", INTEGERS, ids=lambda dtype: np.dtype(dtype).name)
@pytest.mark.parametrize("shape", [(37, 83), (7, 20, 70)], ids=str)
def test_blocks_of_threads_are_equal_for_integers(gpu, strict, dtype, shape):
    values = np.random.default_rng(0).integers(-128, 128, shape)
    image = values.astype(dtype) if np.dtype(dtype).itemsize < 4 else values.astype(dtype) << 20
    calls = [
        *((function, {}) for function in FILTERS),
        (filters.sobel, {"axis": 0, "mode": "constant", "cval": 1e-310}),
        (filters.sobel, {"axis": (0, 1), "mode": "constant", "cval": np.inf}),
        (filters.unsharp_mask, {"radius": 2}),
        (filters.difference_of_gaussians, {"low_sigma": 1}),
    ]
    if len(shape) == 2:
        calls.append((feature.structure_tensor, {"mode": "reflect"}))
        calls.append((feature.hessian_matrix, {"use_gaussian_derivatives": False}))
    for function, options in calls:
        ours = quietly(gpu, function, image, **options)
        theirs = quietly(function, image, **options)
        np.testing.assert_array_equal(np.array(ours), np.array(theirs), str(function))
