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
    expected = ski.segmentation.felzenszwalb(IMAGE)
    with pytest.warns(DispatchNotification, match=ON_HOST) as told:
        result = ski.segmentation.felzenszwalb(cp.asarray(IMAGE))
    assert isinstance(result, cp.ndarray)
    np.testing.assert_array_equal(result.get(), expected)
    assert [w.filename for w in told] == [__file__]


def test_warnings_of_a_function_that_runs_on_the_host_point_at_the_user_s_line(monkeypatch):
    monkeypatch.setenv("SKIMAGE_BACKENDS_NOTIFY", "none")
    with pytest.warns(UserWarning, match="empty") as told:
        ski.metrics.hausdorff_pair(cp.zeros((5, 5), bool), cp.ones((5, 5), bool))
    assert [w.filename for w in told] == [__file__]


def test_scikit_image_s_error_comes_alone_and_nothing_is_launched(counting):
    image = cp.asarray(IMAGE)
    with (
        counting() as counted,
        warnings.catch_warnings(),
        pytest.raises(ValueError, match="same dimensions"),
    ):
        warnings.simplefilter("error", DispatchNotification)
        ski.metrics.mean_squared_error(image, image[:5])
    assert counted.to_device == counted.launches == 0


def test_scikit_image_warns_before_its_error_as_of_numpy_arrays():
    """Of floats that it makes integers of, at the line of the call, before the footprint's axes."""

    def warned(image):
        with warnings.catch_warnings(record=True) as told, pytest.raises(ValueError, match="match"):
            warnings.simplefilter("always")
            ski.filters.rank.mean(image, np.ones((3, 3, 3)))
        return [(w.category, str(w.message), w.filename) for w in told]

    assert warned(IMAGE)[0][1].startswith("Possible precision loss")
    assert warned(cp.asarray(IMAGE)) == warned(IMAGE)


@pytest.mark.parametrize(
    "odd",
    [
        {"mask": np.full(IMAGE.shape, 3.0), "shift_x": 9},  # a mask out of range is seen first
        {"out": np.zeros(IMAGE.shape, np.uint8, order="F")},
        {"out": np.zeros((40, 60), np.uint8)[::2, ::2]},
        {"out": np.zeros(IMAGE.shape, np.uint8)},
        {"out": np.zeros(IMAGE.shape, np.float32)},
    ],
    ids=["values", "fortran", "strided", "right", "dtype"],
)
def test_values_and_layouts_meet_scikit_image_s_own_checks(odd, monkeypatch):
    monkeypatch.setenv("SKIMAGE_BACKENDS_NOTIFY", "none")
    image, footprint = (255 * IMAGE).astype(np.uint8), np.ones((3, 3))

    def outcome(moved):
        arguments = {k: moved(v) if isinstance(v, np.ndarray) else v for k, v in odd.items()}
        try:
            result = ski.filters.rank.mean(moved(image), footprint, **arguments)
        except Exception as error:
            return type(error), str(error)
        return cp.asnumpy(result).tolist()

    def laid_out(array):
        if array.flags.forc:
            return cp.asarray(array, order="K")
        return cp.empty((40, 60), array.dtype)[::2, ::2]

    assert outcome(laid_out) == outcome(np.asarray)


def test_switched_off_means_scikit_image_s_own_error(monkeypatch):
    monkeypatch.setenv("SKIMAGE_NO_DISPATCHING", "1")
    with pytest.raises(TypeError):
        ski.filters.sobel(cp.asarray(IMAGE))
