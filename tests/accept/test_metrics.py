"""Which calls of skimage.metrics run on the device."""

import numpy as np
import pytest
from skimage import metrics

IMAGE = np.ones((8, 9), np.float32)
ALL = [
    metrics.mean_squared_error,
    metrics.normalized_root_mse,
    metrics.peak_signal_noise_ratio,
]


@pytest.mark.parametrize("function", ALL)
def test_different_shapes_are_refused_by_scikit_image(gpu, function):
    with pytest.raises(ValueError):
        function(IMAGE, IMAGE[:7])
    assert gpu.invalid(function, IMAGE, IMAGE[:7])


@pytest.mark.parametrize("function", ALL)
def test_empty_images_are_declined(gpu, function):
    assert gpu.declined(function, IMAGE[:0], IMAGE[:0]) == "images are empty"


def test_unknown_normalization_is_refused_by_scikit_image(gpu):
    with pytest.raises(ValueError):
        metrics.normalized_root_mse(IMAGE, IMAGE, normalization="median")
    assert gpu.invalid(metrics.normalized_root_mse, IMAGE, IMAGE, normalization="median")


@pytest.mark.parametrize("normalization", [None, 3])
def test_normalization_that_is_no_string_is_refused_by_scikit_image(gpu, normalization):
    with pytest.raises(AttributeError):
        metrics.normalized_root_mse(IMAGE, IMAGE, normalization=normalization)
    assert gpu.invalid(metrics.normalized_root_mse, IMAGE, IMAGE, normalization=normalization)


def test_complex_images_are_refused_by_scikit_image(gpu):
    image = IMAGE.astype(complex)
    with pytest.raises(ValueError):
        metrics.mean_squared_error(image, image)
    assert gpu.invalid(metrics.mean_squared_error, image, image)


@pytest.mark.parametrize("data_range", ["255", [1], 1j])
def test_data_range_that_is_no_number_is_declined(gpu, data_range):
    reason = gpu.declined(metrics.peak_signal_noise_ratio, IMAGE, IMAGE + 1, data_range=data_range)
    assert reason == "data_range is not a number"


@pytest.mark.parametrize("data_range", [2, 2.0, np.float32(2), np.uint8(2), np.array(2.0), True])
def test_data_range_may_be_any_number(gpu, data_range):
    result = gpu(metrics.peak_signal_noise_ratio, IMAGE, IMAGE + 1, data_range=data_range)
    expected = metrics.peak_signal_noise_ratio(IMAGE, IMAGE + 1, data_range=data_range)
    np.testing.assert_allclose(result, expected, rtol=1e-6)
