"""Results that must be equal are, also where a compiler fuses products with sums."""

import numpy as np
import pytest
from skimage import data
from skimage.feature import blob_dog, blob_doh, daisy, graycoprops
from skimage.util import compare_images

from tests.functions.filter_agreement import same

RNG = np.random.default_rng(0)
pytestmark = pytest.mark.usefixtures("contracted")


def test_an_image_does_not_differ_from_itself(gpu):
    image = np.arange(256, dtype=np.uint8).reshape(16, 16)
    assert not gpu(compare_images, image, image.copy()).any()


def blobs_are_equal(gpu, function, image, **arguments):
    expected = function(image, **arguments)
    assert len(expected)
    np.testing.assert_array_equal(gpu(function, image, **arguments), expected)


@pytest.mark.thorough
def test_of_two_centres_of_an_even_blob_neither_is_larger(gpu):
    """Both halves of an image that mirrors itself have the same blobs."""
    for _ in range(12):
        half = RNG.integers(0, 256, (40, 20), np.uint8)
        image = np.concatenate([half, half[:, ::-1]], axis=1)
        blobs_are_equal(gpu, blob_dog, image, min_sigma=1, max_sigma=6, threshold=0.02)


@pytest.mark.thorough
def test_boxes_of_integers_are_equal_where_scikit_images_are(gpu):
    image = data.coins()[60:100, 200:250]
    blobs_are_equal(gpu, blob_doh, image, max_sigma=9, num_sigma=12, threshold=1e-4, overlap=0.7)


@pytest.mark.thorough
@pytest.mark.parametrize("level", [49, 255])
def test_a_flat_region_has_no_gradient(gpu, level):
    image = np.full((40, 44), level, np.uint8)
    image[25:, 30:] = 7
    same(gpu, daisy, image, 3, 6)


@pytest.mark.thorough
def test_one_row_of_pairs_correlates_as_in_scikit_image(gpu):
    """Rounding alone tells whether the row's number deviates from its mean."""
    matrices = np.eye(40)[3, :, None, None, None] * np.ones((1, 40, 2, 1)) / 7
    same(gpu, graycoprops, matrices, "correlation")
