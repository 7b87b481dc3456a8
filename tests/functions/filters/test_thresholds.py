"""Thresholds of a histogram, besides Otsu's, are scikit-image's very numbers."""

import numpy as np
import pytest
from skimage import color, data, filters

from skimage_gpu_backend.trouble import Declined
from tests.functions.filters.thresholds import DTYPES, photograph, same

OF_HISTOGRAM = (
    filters.threshold_yen,
    filters.threshold_isodata,
    filters.threshold_triangle,
    filters.threshold_minimum,
)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("function", OF_HISTOGRAM)
def test_photograph_in_any_dtype(gpu_of_each_kind, function, dtype):
    same(gpu_of_each_kind, function, photograph(dtype))
    same(gpu_of_each_kind, function, photograph(dtype, np.s_[300:40:-3, ::2]), nbins=100)


@pytest.mark.parametrize("dtype", ["uint8", "float32", "float64"])
def test_several_thresholds_come_as_an_array_of_the_callers_kind(gpu_of_each_kind, dtype):
    image = photograph(dtype)
    same(gpu_of_each_kind, filters.threshold_isodata, image, return_all=True)
    same(gpu_of_each_kind, filters.threshold_multiotsu, image, classes=3, nbins=60)


@pytest.mark.parametrize("function", [*OF_HISTOGRAM[:3], filters.threshold_multiotsu])
def test_boolean_image(gpu_of_each_kind, function):
    arguments = {"classes": 2} if function is filters.threshold_multiotsu else {}
    same(gpu_of_each_kind, function, photograph("uint8") > 40, **arguments)


@pytest.mark.parametrize("function", OF_HISTOGRAM[:3])
def test_integers_of_one_value_are_their_own_threshold(gpu_of_each_kind, function):
    same(gpu_of_each_kind, function, np.full((5, 70), -3, np.int16))


@pytest.mark.parametrize("function", [filters.threshold_yen, filters.threshold_isodata])
def test_floats_of_one_value_are_left_to_scikit_image(gpu, function):
    with pytest.raises(Declined, match="one value"):
        gpu(function, np.full((5, 7), 0.25))


def test_triangle_of_one_value_and_of_one_bin(gpu):
    same(gpu, filters.threshold_triangle, np.full((5, 7), 0.25, np.float32))
    with pytest.raises(Declined, match="one bin"):
        gpu(filters.threshold_triangle, np.array([0.25, 0.5]), 1)


@pytest.mark.parametrize("share", [0.2, 0.8])
def test_triangle_on_either_side_of_the_peak(gpu, share):
    rng = np.random.default_rng(3)
    image = np.where(rng.random((90, 70)) < share, 0.8, 0.2) + 0.1 * rng.normal(size=(90, 70))
    same(gpu, filters.threshold_triangle, image)
    same(gpu, filters.threshold_triangle, (image * 100 + 40).astype(np.uint8))


@pytest.mark.parametrize("function", [*OF_HISTOGRAM, filters.threshold_multiotsu])
def test_empty_image_and_given_histogram_are_left_to_scikit_image(gpu, function):
    assert gpu.declined(function, np.zeros((0, 4))) == "image is empty; nothing to change"
    if function is not filters.threshold_triangle:
        assert "hist is given" in gpu.declined(function, np.eye(3), hist=np.arange(1, 9))


def test_multiotsu_refuses_more_classes_than_values_and_warns_of_color(gpu):
    with pytest.raises(ValueError, match="only 2 different values"):
        gpu(filters.threshold_multiotsu, np.array([[1, 2]], np.uint8))
    with pytest.warns(UserWarning, match="threshold_multiotsu is expected"):
        gpu(filters.threshold_multiotsu, data.astronaut()[::4], classes=2)
    gray = color.rgb2gray(data.astronaut()).astype(np.float32)
    same(gpu, filters.threshold_multiotsu, gray, classes=3, nbins=50)


@pytest.mark.parametrize("function", [*OF_HISTOGRAM, filters.threshold_multiotsu])
@pytest.mark.parametrize(("dtype", "launches"), [("uint8", 1), ("uint16", 2), ("float32", 2)])
def test_launches_and_passes_over_the_image(gpu, counting, function, dtype, launches):
    image = photograph(dtype)
    with counting() as counts:
        gpu(function, image)
    assert counts.launches == launches
    ends = 3 * 4 if dtype == "float32" else 0
    assert counts.kernel_bytes_read == launches * image.nbytes + ends
    of_several = function is filters.threshold_multiotsu  # which are an array that is copied, too
    assert counts.to_host == (2 if dtype == "uint16" else 1) + of_several
    assert counts.bytes_to_host <= 256 * 8 + 3 * image.itemsize + 2 * 8
