"""Which calls of threshold_otsu run on the device."""

import numpy as np
import pytest
from skimage.filters import threshold_otsu

IMAGE = np.linspace(0, 1, 30).reshape(5, 6)


@pytest.mark.parametrize("hist", [np.arange(9), (np.arange(9), np.arange(9))])
def test_given_histogram_is_left_to_scikit_image(gpu, hist):
    reason = "a histogram is given: nothing is left to do on a GPU"
    assert gpu.declined(threshold_otsu, IMAGE, hist=hist) == reason


def test_empty_image_is_refused_by_scikit_image(gpu):
    with pytest.raises(IndexError):
        threshold_otsu(IMAGE[:0])
    assert gpu.invalid(threshold_otsu, IMAGE[:0])


@pytest.mark.parametrize("nbins", [0, -3])
def test_no_bins_are_refused_by_scikit_image(gpu, nbins):
    with pytest.raises(ValueError):
        threshold_otsu(IMAGE, nbins)
    assert gpu.invalid(threshold_otsu, IMAGE, nbins)


@pytest.mark.parametrize("nbins", ["auto", [0, 0.5, 1], 2.0])
def test_bins_that_are_no_number_are_left_to_scikit_image(gpu, nbins):
    assert gpu.declined(threshold_otsu, IMAGE, nbins) == "nbins is not an integer"


def test_nbins_is_not_looked_at_for_integers(gpu):
    image = np.arange(30, dtype=np.uint8)
    assert gpu(threshold_otsu, image, None) == threshold_otsu(image, None)
