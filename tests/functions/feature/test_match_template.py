"""Matching of templates on the device."""

from functools import partial

import numpy as np
import pytest
from skimage import data
from skimage.feature import match_template

import cuda_simulator
from skimage_gpu_backend.primitives.transforms import fast_length
from skimage_gpu_backend.trouble import Declined
from tests.functions.images import INTEGERS, noise

RNG = np.random.default_rng(0)
image = partial(noise, RNG)
# even, odd, single and full windows; around strips of 128 columns and chunks of rows
SIZES = [
    ((41, 53), (9, 7)),
    ((41, 53), (8, 6)),
    ((41, 53), (1, 7)),
    ((41, 53), (41, 53)),
    ((140, 300), (31, 64)),
    ((9, 20, 30), (3, 4, 5)),
    ((9, 20, 30), (1, 4, 1)),
    ((9, 20, 30), (9, 20, 30)),
]
MODES = ("constant", "reflect", "wrap", "edge", "symmetric")


def same(gpu, *args, **kwargs):
    expected = match_template(*args, **kwargs)
    result = gpu(match_template, *args, **kwargs)
    assert result.dtype == expected.dtype
    assert result.shape == expected.shape
    # windows of few, nearly equal elements magnify the rounding of scikit-image's sums
    np.testing.assert_allclose(result, expected, rtol=0, atol=1e-8)
    assert np.median(np.abs(result - expected)) < 1e-13


@pytest.mark.parametrize(("shape", "template"), SIZES)
@pytest.mark.parametrize("pad_input", [False, True])
def test_windows_of_any_size(gpu_of_each_kind, shape, template, pad_input):
    same(gpu_of_each_kind, image(shape), image(template), pad_input)


@pytest.mark.parametrize("dtype", ["bool", *INTEGERS, "float64"])
def test_dtypes(gpu, dtype):
    for other in (dtype, "uint8", "float64"):
        same(gpu, image((41, 53), dtype), image((6, 7), other))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("shape", "template"), SIZES[1:])
def test_what_lies_beyond_the_border(gpu, mode, shape, template):
    extension = {"constant_values": 7.5} if mode == "constant" else {}
    same(gpu, image(shape), image(template), pad_input=True, mode=mode, **extension)
    same(gpu, image(shape), image(template), mode=mode)


def test_the_place_a_template_was_cut_from(gpu):
    coins = data.coins()
    result = gpu(match_template, coins, coins[170:220, 75:130])
    assert np.unravel_index(result.argmax(), result.shape) == (170, 75)
    assert result.max() == pytest.approx(1, abs=1e-12)


def test_flat_images_and_templates_match_nothing(gpu):
    whole = data.coins()[::4, ::4].copy()
    whole[20:50, 10:60] = 77
    same(gpu, whole, whole[30:37, 20:29])  # flat
    same(gpu, whole, whole[:7, :9])
    same(gpu, np.full((20, 30), 3), whole[:7, :9])


@pytest.mark.parametrize("layout", [np.asfortranarray, lambda a: a[::-2, ::3]])
def test_layouts(gpu_of_each_kind, layout):
    same(gpu_of_each_kind, layout(image((60, 70))), layout(image((20, 15))))


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_what_sums_spread_is_left_to_others(gpu, value):
    whole = image((20, 30))
    whole[10, 4] = value
    with pytest.raises(Declined, match="infinit"):
        gpu(match_template, whole, whole[:5, 10:15])


def test_arguments_that_are_left_to_others(gpu):
    whole = image((20, 30))
    assert gpu.invalid(match_template, whole[0], whole[0])
    assert gpu.invalid(match_template, whole, whole[None])
    assert gpu.invalid(match_template, whole, image((21, 5)))
    assert gpu.invalid(match_template, whole, whole[:5, :5], mode="no such")
    assert "mean" in gpu.declined(match_template, whole, whole[:5, :5], mode="mean")
    assert "single" in gpu.declined(match_template, whole.astype("f4"), whole[:5, :5])
    wide = np.zeros((2, 3000))
    assert "at most 1024" in gpu.declined(match_template, wide, wide[:, :1025])


def test_launches_and_bytes(gpu, counting):
    whole = image((200, 300), "uint8")
    gpu(match_template, whole, whole[:20, :30])
    with counting() as counted:
        gpu(match_template, whole, whole[:20, :30])
    assert counted.launches == 6  # two of them are Fourier transforms
    assert counted.kernel_bytes_read + counted.kernel_bytes_written <= 16 * 9 * whole.size
    volume = whole.reshape(20, 30, 100)
    with counting() as counted:
        gpu(match_template, volume, volume[:3, :4, :5])
    assert counted.launches == 7


def test_transforms_have_lengths_that_are_quick():
    from cupyx.scipy.fft import next_fast_len

    for length in (*range(1, 3000), 7**5 + 1, 2**14 - 1, 50_001):
        assert fast_length(length) == next_fast_len(length, True)


@pytest.mark.usefixtures("strict")
def test_no_result_depends_on_the_order_of_threads(gpu, monkeypatch):
    monkeypatch.setattr("skimage_gpu_backend.device.kernels.resident_blocks", lambda threads: 2)
    whole, results = image((40, 140)), set()
    for order in ("forward", "backward", "shuffled"):
        with cuda_simulator.thread_order(order):
            same(gpu, whole, whole[:9, :8], pad_input=True)
            volume = whole.reshape(8, 10, 70)
            results.add(gpu(match_template, volume, volume[:2, :3, :4]).tobytes())
    assert len(results) == 1
