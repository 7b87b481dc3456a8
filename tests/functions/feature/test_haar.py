"""Haar-like features on the device: scikit-image's numbers, in its order."""

import numpy as np
import pytest
from skimage.feature import haar_like_feature, haar_like_feature_coord
from skimage.transform import integral_image

from tests.functions.feature.textures import equal, layouts
from tests.functions.images import FLOATS, INTEGERS

RNG = np.random.default_rng(5)
TYPES = ["type-2-x", "type-2-y", "type-3-x", "type-3-y", "type-4"]
REAL = (*INTEGERS, *FLOATS[1:])
SUMS = integral_image(RNG.integers(0, 256, (30, 40)))


@pytest.mark.parametrize("kind", [None, *TYPES, TYPES[:0:-1], ("type-4", "type-4")])
@pytest.mark.parametrize("size", [(3, 3), (12, 7), (5, 12), (6, 6)])
def test_any_type_and_size(gpu_of_each_kind, kind, size):
    for place in ((0, 0), (3, 5), (30 - size[1], 40 - size[0])):
        equal(gpu_of_each_kind, haar_like_feature, SUMS, *place, *size, kind)


@pytest.mark.parametrize("size", [(2, 2), (3, 1), (1, 4), (1, 2)])
def test_small_windows_that_lack_some_types(gpu, size):
    for kind in (None, *TYPES):
        if len(haar_like_feature_coord(*size, kind)[0]):
            equal(gpu, haar_like_feature, SUMS, 4, 5, *size, kind)
        else:
            assert gpu.invalid(haar_like_feature, SUMS, 4, 5, *size, kind)


@pytest.mark.parametrize("dtype", REAL)
@layouts
def test_any_dtype_and_layout(gpu, dtype, layout):
    """Integers of few bits wrap around, as scikit-image's do; floats are rounded as there."""
    sums = 7 * SUMS if dtype[0] != "f" else integral_image(RNG.random(SUMS.shape))
    sums = layout(sums.repeat(2, 0).repeat(3, 1).astype(dtype))
    equal(gpu, haar_like_feature, sums, 3, 2, 9, 7)


def test_nan_and_infinities(gpu):
    sums = integral_image(RNG.random((12, 13)))
    sums[3, 4], sums[8, 9], sums[6, 2] = np.nan, np.inf, -np.inf
    equal(gpu, haar_like_feature, sums, 0, 0, 13, 12)


def test_places_of_any_integer_type(gpu):
    equal(gpu, haar_like_feature, SUMS, np.int64(3), np.uint8(4), np.int16(5), 6, "type-4")


def test_what_scikit_image_refuses_it_refuses_itself(gpu):
    assert gpu.invalid(haar_like_feature, SUMS, 0, 0, 4, 4, "type-5")
    assert gpu.invalid(haar_like_feature, SUMS, 0, 0, 4, 4, [])
    assert gpu.invalid(haar_like_feature, SUMS, 0, 0, 1, 1)
    assert gpu.invalid(haar_like_feature, SUMS[0], 0, 0, 4, 4)
    assert gpu.invalid(haar_like_feature, SUMS[None], 0, 0, 4, 4)
    assert gpu.invalid(haar_like_feature, (SUMS % 9).astype(np.float16), 0, 0, 4, 4)


def test_what_is_left_to_scikit_image(gpu):
    coord, kinds = haar_like_feature_coord(4, 4)
    assert "tuples" in gpu.declined(haar_like_feature, SUMS, 0, 0, 4, 4, kinds, coord)
    for place in ((-1, 0, 4, 4), (0, 0, 41, 4), (27, 0, 4, 4), (0, 0, 0, 4), (0, 0, 4, -4)):
        assert "within" in gpu.declined(haar_like_feature, SUMS, *place)
    assert "boolean" in gpu.declined(haar_like_feature, SUMS > 4, 0, 0, 4, 4)
    assert "integer" in gpu.declined(haar_like_feature, SUMS, 0, 0, 4.0, 4)
    assert "names" in gpu.declined(haar_like_feature, SUMS, 0, 0, 4, 4, np.array(TYPES))


@pytest.mark.parametrize("dtype", ["int64", "float32"])
def test_launches_and_bytes(gpu, counting, dtype):
    sums = SUMS.astype(dtype)
    with counting() as counts:
        result = gpu(haar_like_feature, sums, 2, 3, 14, 15)
    assert counts.launches == 1
    assert counts.kernel_bytes_written == result.nbytes
    assert counts.kernel_bytes_read <= sums.nbytes + 5 * 8 * (14 + 15 + 2 + 3)
