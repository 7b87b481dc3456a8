"""Inverted images on the device are scikit-image's to the last bit."""

import functools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from skimage import util

from tests.functions.images import DTYPES, FLOATS, images, shapes

from . import agreement
from .agreement import same

RNG = np.random.default_rng(8)
whole_range = functools.partial(agreement.whole_range, RNG)


def bits(image):
    return np.ascontiguousarray(image).view(f"u{image.dtype.itemsize}")


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("signed_float", [False, True, 0, np.bool_(True)])
def test_every_value_is_inverted_as_scikit_image_does(gpu, dtype, signed_float):
    image = whole_range(dtype)
    same(gpu, util.invert, image, signed_float)
    same(gpu.cupy, util.invert, image[: image.size // 2 * 2].reshape(2, -1).T, signed_float)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("signed_float", [False, True])
def test_signs_of_zeros_infinities_and_values_beyond_one(gpu, dtype, signed_float):
    limits = np.finfo(dtype)
    values = [0.0, 1.0, 2.0, np.inf, limits.tiny, limits.smallest_subnormal, limits.max, limits.eps]
    image = np.array([values, np.negative(values)], dtype)
    expected = util.invert(image, signed_float=signed_float)
    np.testing.assert_array_equal(
        bits(gpu(util.invert, image, signed_float=signed_float)), bits(expected)
    )
    same(gpu, util.invert, np.array([[np.nan, 0.5]], dtype), signed_float=signed_float)


@pytest.mark.parametrize("dtype", DTYPES)
@given(data=st.data())
def test_any_shape_and_layout(gpu, dtype, data):
    image = data.draw(images(data.draw(shapes), dtype, special=(np.nan, np.inf)))
    if image.ndim:
        same(gpu, util.invert, image, data.draw(st.booleans()))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(1,), (1, 1), (33, 47), (7, 8, 9), (0, 3)])
def test_one_launch_reads_the_image_once(gpu, counting, dtype, shape):
    import cupy as cp

    image = RNG.choice(whole_range(dtype), shape)
    for given_image in (image, np.asfortranarray(image)):
        on_device = cp.asarray(given_image)
        with counting() as counts:
            found = gpu(util.invert, on_device)
        assert counts.launches == bool(image.size)
        assert counts.kernel_bytes_read == counts.kernel_bytes_written == image.nbytes
        assert found.flags.f_contiguous == given_image.flags.f_contiguous
        np.testing.assert_array_equal(cp.asnumpy(found), util.invert(image))


def test_a_flag_that_is_neither_true_nor_false_is_declined_for_floats_alone(gpu):
    flag = np.array([True, False])
    same(gpu, util.invert, np.ones((3, 4), np.uint8), signed_float=flag)
    reason = gpu.declined(util.invert, np.ones((3, 4), np.float32), signed_float=flag)
    assert reason.endswith("is neither True nor False; give one of them")


def test_a_single_number_is_left_to_scikit_image(gpu):
    assert gpu.declined(util.invert, np.array(3)) == "image has no axes; nothing to change"
