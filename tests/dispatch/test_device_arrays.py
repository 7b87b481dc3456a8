"""CuPy arrays through functions that the GPU backend has and that it lacks."""

import warnings

import cupy as cp
import numpy as np
import pytest
import skimage as ski
from skimage.util._backends import DispatchNotification

from skimage_gpu_backend import use_backends

pytestmark = pytest.mark.usefixtures("enabled")
IMAGE = np.random.default_rng(0).random((20, 30))
ON_HOST = "Its device arrays are copied to the host and back"


def test_they_are_taken_with_nothing_selected():
    result = ski.metrics.mean_squared_error(cp.asarray(IMAGE), cp.asarray(IMAGE / 2))
    np.testing.assert_allclose(float(result), ski.metrics.mean_squared_error(IMAGE, IMAGE / 2))


def test_they_are_taken_where_another_backend_is_selected(install):
    install("zebra", ["skimage.filters:sobel"])
    with use_backends("zebra"), pytest.warns(DispatchNotification, match="zebra: does not"):
        ski.metrics.mean_squared_error(cp.asarray(IMAGE), cp.asarray(IMAGE))


def test_a_function_without_gpu_version_runs_on_the_host_and_says_so():
    expected = ski.draw.polygon2mask((20, 30), [(1, 1), (2, 20), (15, 8)])
    corners = cp.asarray([(1, 1), (2, 20), (15, 8)])
    with pytest.warns(DispatchNotification, match=ON_HOST) as told:
        result = ski.draw.polygon2mask((20, 30), corners)
    assert isinstance(result, cp.ndarray)
    np.testing.assert_array_equal(result.get(), expected)
    assert [w.filename for w in told] == [__file__]


def test_warnings_of_a_function_that_runs_on_the_host_point_at_the_user_s_line(monkeypatch):
    monkeypatch.setenv("SKIMAGE_GPU_NOTIFY", "none")
    with pytest.warns(UserWarning, match="empty") as told:
        ski.metrics.hausdorff_pair(cp.zeros((5, 5), bool), cp.ones((5, 5), bool))
    assert [w.filename for w in told] == [__file__]


def test_scikit_image_s_error_comes_before_any_data_moves(counting):
    image = cp.asarray(IMAGE)
    with (
        counting() as counted,
        warnings.catch_warnings(),
        pytest.raises(ValueError, match="same dimensions"),
    ):
        warnings.simplefilter("error")
        ski.metrics.mean_squared_error(image, image[:5])
    assert counted.to_host == counted.to_device == counted.launches == 0


def test_switched_off_means_scikit_image_s_own_error(monkeypatch):
    monkeypatch.setenv("SKIMAGE_NO_DISPATCHING", "1")
    with pytest.raises(TypeError):
        ski.filters.sobel(cp.asarray(IMAGE))
