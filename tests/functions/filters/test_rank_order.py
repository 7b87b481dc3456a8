"""Places of elements among the values of an image on the device are scikit-image's."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from skimage.filters import rank_order

from skimage_gpu_backend.trouble import Declined
from tests.functions.images import DTYPES, images, shapes

RNG = np.random.default_rng(7)


def same(run, image):
    expected, found = rank_order(image), run(rank_order, image)
    for one, other in zip(found, expected, strict=True):
        assert one.dtype == other.dtype
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("dtype", DTYPES)
@settings(max_examples=20)
@given(data=st.data())
def test_any_shape_and_layout(gpu, dtype, data):
    image = data.draw(images(data.draw(shapes), dtype, special=(np.inf,)))
    if image.size and image.ndim:
        same(gpu, image)


@pytest.mark.parametrize("size", [255, 256, 65535, 65536])
def test_ranks_are_as_small_integers_as_hold_the_number_of_elements(gpu_of_each_kind, size):
    same(gpu_of_each_kind, RNG.integers(0, 9, size))
    same(gpu_of_each_kind, np.arange(size)[::-1].reshape(1, -1))


def test_nan_is_left_to_the_host(gpu):
    with pytest.raises(Declined, match="NaN"):
        gpu(rank_order, np.array([[1, np.nan]]))
