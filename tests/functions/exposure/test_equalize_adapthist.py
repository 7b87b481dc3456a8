"""skimage.exposure.equalize_adapthist on the device: grey levels are scikit-image's own."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from skimage import data
from skimage.exposure import equalize_adapthist

import cuda_simulator
from skimage_gpu_backend.trouble import Declined

GRAY = ("bool", "uint8", "int8", "uint16", "int16", "float32", "float64")
RNG = np.random.default_rng(8)


def same(gpu, *args, bound=0.0, **kwargs):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = equalize_adapthist(*args, **kwargs)
        result = gpu(equalize_adapthist, *args, **kwargs)
    assert result.dtype == expected.dtype
    assert result.shape == expected.shape
    np.testing.assert_allclose(result, expected, rtol=0, atol=bound)


def photograph(dtype, crop=np.s_[100:223, 150:301]):
    image = data.camera()[crop]
    if dtype == "bool":
        return image > 60
    if dtype.startswith("float"):
        return (image / 128 - 1).astype(dtype)
    image = image.astype(np.int64) * (1 if dtype.endswith("8") else 100)
    return (image // (2 if dtype == "int8" else 1)).astype(dtype)


def astronaut(dtype, channels=3):
    image = data.astronaut()[100:190, 200:301]
    image = np.dstack([image, image[..., :1]])[..., :channels]
    if dtype.startswith("float"):
        return (image / 255).astype(dtype)
    return (image > 100) if dtype == "bool" else (image // 2).astype(dtype)


@pytest.mark.parametrize("dtype", GRAY)
def test_gray_photograph(gpu_of_each_kind, dtype):
    image = photograph(dtype)
    same(gpu_of_each_kind, image)
    same(gpu_of_each_kind, image[::-2, 1::3], kernel_size=(11, 7), clip_limit=0.03, nbins=100)


@pytest.mark.parametrize("dtype", [*GRAY, "float16"])
@pytest.mark.parametrize("channels", [3, 4])
def test_color_photograph(gpu_of_each_kind, dtype, channels):
    bound = 1e-5 if dtype in ("float16", "float32") else 1e-12
    same(gpu_of_each_kind, astronaut(dtype, channels), bound=bound)


@given(
    st.lists(st.integers(1, 40), min_size=1, max_size=4).filter(lambda s: np.prod(s) < 3000),
    st.data(),
)
@settings(max_examples=60)
def test_any_shape_of_image_and_tiles(gpu, shape, drawn):
    if len(shape) == 3 and shape[-1] in (3, 4):
        shape = (*shape, 1)
    longest = 50 if len(shape) < 3 else 9
    image = RNG.integers(0, 256, shape, np.uint8) // drawn.draw(st.sampled_from([1, 30, 255]))
    size = tuple(drawn.draw(st.integers(1, longest)) for _ in shape)
    limit = drawn.draw(st.sampled_from([0, 0.001, 0.01, 0.2, 1, 3, -1]))
    nbins = drawn.draw(st.sampled_from([1, 2, 16, 255, 256, 3000]))
    same(gpu, image, size, limit, nbins)


@pytest.mark.parametrize("limit", [0.001, 0.005, 0.01, 0.02, 0.05, 0.3])
@pytest.mark.parametrize("nbins", [64, 256, 1000])
def test_what_is_cut_off_a_histogram_is_spread_as_there(gpu, limit, nbins):
    image = RNG.normal(size=(120, 90)) ** 3
    same(gpu, image / np.abs(image).max(), (60, 45), limit, nbins)
    same(gpu, np.round(image / np.abs(image).max(), 1), (60, 45), limit, nbins)


@pytest.mark.parametrize("values", [(0, 3), (7, 7 + 2 * 17), (100, 65535), (5, 5 + 32766)])
def test_levels_halfway_between_two(gpu, values):
    """The 14-bit levels of a ramp: ties are rounded as in double precision."""
    ramp = np.arange(values[0], values[1] + 1).astype(np.uint16).reshape(1, -1)
    same(gpu, ramp, (1, ramp.size // 2 + 1), 0, 8192)


def test_image_of_one_value(gpu):
    for value in (0, 1, 70, 255):
        same(gpu, np.full((20, 31), value, np.uint8))
    same(gpu, np.full((20, 31), -0.5))


def test_several_blocks_for_one_tile(gpu):
    image = data.camera()
    same(gpu, image, (200, 300))
    same(gpu, image.astype(np.float32) / 255, 512, 0.003)


@pytest.mark.thorough
def test_most_bins_that_a_block_has_room_for(gpu):
    """Beside what its kernel has in shared memory itself."""
    for image in (data.camera()[:130, :130], data.astronaut()[:130, :130]):
        same(gpu, image, 130, nbins=12_028)
        assert "nbins" in gpu.declined(equalize_adapthist, image, 130, nbins=12_029)


def test_arguments_that_scikit_image_takes_too(gpu):
    image = photograph("uint8")
    for arguments in ({"kernel_size": 20.7}, {"kernel_size": np.array([9, 20])}):
        same(gpu, image, **arguments)
    same(gpu, image, kernel_size=[5.5, 9], clip_limit=np.float32(0.25))


def test_calls_that_are_left_to_others(gpu):
    image = photograph("uint8")
    assert "overflow" in gpu.declined(equalize_adapthist, photograph("float16"))
    assert "16 bits" in gpu.declined(equalize_adapthist, image.astype(np.int32))
    assert "less than 1" in gpu.declined(equalize_adapthist, image, 0)
    assert "memory" in gpu.declined(equalize_adapthist, data.camera(), 1, 0.01, 1000)
    assert "nbins" in gpu.declined(equalize_adapthist, image, nbins=16384)
    assert "nbins" in gpu.declined(equalize_adapthist, image, nbins=np.int64(70))
    assert gpu.invalid(equalize_adapthist, image, (3,))
    assert gpu.invalid(equalize_adapthist, image[:0])
    for limit in (np.uint8(3), np.float16(50)):  # beyond their types, times a tile's pixels
        with pytest.raises(OverflowError):
            equalize_adapthist(image, 40, limit)
        assert gpu.invalid(equalize_adapthist, image, 40, limit)
    with pytest.raises(ValueError, match="between -1 and 1"):
        gpu(equalize_adapthist, 2 * photograph("float32"))
    with pytest.raises(Declined, match="NaN"):
        gpu(equalize_adapthist, np.array([[0.5, np.nan]]))


def test_image_stays_as_it_was(gpu):
    image = photograph("uint16")
    before = image.copy()
    gpu.cupy(equalize_adapthist, image)
    np.testing.assert_array_equal(image, before)


@pytest.mark.parametrize("dtype", ["uint8", "float32"])
def test_gray_image_takes_four_launches(gpu, counting, dtype):
    image = data.camera() if dtype == "uint8" else (data.camera() / 255).astype(dtype)
    with counting() as counts:
        result = gpu(equalize_adapthist, image)
    assert counts.launches == 4
    levels, maps = 2 * image.size, 64 * 256
    assert counts.kernel_bytes_read <= 2 * image.nbytes + levels + 2 * maps + 9 * 64 * 8
    assert counts.kernel_bytes_written <= result.nbytes + 2 * levels + 6 * maps + 9_000


def test_color_image_takes_four_launches(gpu, counting):
    image = data.astronaut()
    with counting() as counts:
        result = gpu(equalize_adapthist, image)
    assert counts.launches == 4
    levels = 2 * image.size // 3
    assert counts.kernel_bytes_read <= 3 * image.nbytes + levels + 50_000
    assert counts.kernel_bytes_written <= result.nbytes + 2 * levels + 120_000


@pytest.mark.parametrize(("blocks", "order"), [(1, "forward"), (3, "backward"), (9, "shuffled")])
def test_real_blocks_in_any_order(gpu, monkeypatch, strict, blocks, order):
    room = "functions.exposure.equalize_adapthist"
    for module in ("primitives.reduce", "primitives.points", room):
        monkeypatch.setattr(f"skimage_gpu_backend.{module}.resident_blocks", lambda _: blocks)
    monkeypatch.setattr(f"skimage_gpu_backend.{room}._LEAST_PART", 300)
    with cuda_simulator.thread_order(order):
        same(gpu, photograph("uint8")[:61, :47], (40, 30), nbins=300)
        same(gpu, astronaut("float64")[:31, :29], bound=1e-12)
