"""The entropy of an image on the device is scikit-image's."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from skimage import data
from skimage.measure import shannon_entropy

from skimage_gpu_backend.functions.measure import shannon_entropy as room
from tests.functions.images import DTYPES, FLOATS, layouts, noise

RNG = np.random.default_rng(7)


def same(run, image, *args):
    expected, result = shannon_entropy(image, *args), run(shannon_entropy, image, *args)
    assert type(result) is type(expected)
    np.testing.assert_allclose(result, expected, rtol=1e-12, atol=1e-15)
    return expected


@pytest.mark.parametrize("dtype", DTYPES)
def test_any_dtype_shape_and_base(gpu_of_each_kind, dtype):
    for shape in ((1,), (300,), (45, 71), (5, 6, 7), (2, 3, 4, 5)):
        for base in (2, np.e, 10, 0.5, None):
            same(gpu_of_each_kind, noise(RNG, shape, dtype), base)
    if np.dtype(dtype).kind in "iu":
        limits = np.iinfo(dtype)
        same(gpu_of_each_kind, RNG.integers(limits.min, limits.max, (9, 40), dtype, endpoint=True))


@settings(max_examples=20)
@given(data=st.data())
def test_any_layout(gpu, data):
    for dtype in ("uint8", "int16", "float32"):
        image = data.draw(layouts(noise(RNG, (20, 30), dtype)))
        same(gpu, image)
        same(gpu.cupy, image)


@pytest.mark.parametrize("dtype", FLOATS)
def test_all_nan_are_one_value_and_both_zeros_too(gpu, dtype):
    image = RNG.choice([-0.0, 0.0, 1, np.nan, -np.inf, np.inf], (30, 40)).astype(dtype)
    same(gpu, image)
    same(gpu, np.full((4, 5), np.nan, dtype))
    assert same(gpu, np.zeros((4, 5), dtype)) == 0
    same(gpu, RNG.random((100, 90)).astype(dtype))


@pytest.mark.parametrize("dtype", ["float16", "float32", "int64"])
def test_values_that_are_there_few_and_many_times(gpu, counting, dtype):
    often = [1, 1, 2, 3, 64, 255, 256, 256, 257, 300, 1023, 5000]
    image = RNG.permutation(np.repeat(np.arange(-4, len(often) - 4).astype(dtype), often))
    same(gpu, image)
    with counting() as counts:
        gpu(shannon_entropy, image)
    assert counts.launches <= 2


@pytest.mark.parametrize("dtype", ["float16", "float32", "uint32", "int32"])
def test_a_table_of_values_and_a_sort_tell_the_same(gpu, counting, monkeypatch, dtype):
    images = [RNG.integers(-(2**31), 2**31, (130, 140)), RNG.integers(-90, 90, (130, 140))]
    images += [(RNG.random((130, 140)) - 0.5) * 1e5, np.full((130, 140), -1)]
    for image in images:
        with np.errstate(invalid="ignore", over="ignore"):
            image = image.astype(dtype)
        for most, sorts in ((image.size, 0), (image.size - 1, 1)):
            monkeypatch.setattr(room, "_MOST_IN_TABLE", most)
            with counting() as counts:
                same(gpu, image)
            assert counts.sorts == sorts


def test_a_base_that_is_refused_is_left_to_scikit_image(gpu):
    image = data.coins()
    for base in (0, -2):
        with pytest.raises(ValueError):
            shannon_entropy(image, base)
        assert gpu.invalid(shannon_entropy, image, base)
    assert "base" in gpu.declined(shannon_entropy, image, "2")
    assert "empty" in gpu.declined(shannon_entropy, np.zeros((0, 4)))


def test_bytes_are_read_once(gpu, counting):
    import cupy as cp

    image = cp.asarray(data.camera())
    with counting() as counts:
        gpu(shannon_entropy, image)
    assert counts.launches == 1
    assert counts.kernel_bytes_read == image.nbytes
