"""Normalized mutual information on the device: equal to scikit-image's to the last bit."""

import numpy as np
import pytest
from skimage.metrics import normalized_mutual_information

import cuda_simulator
from tests.functions.images import DTYPES, noise

RNG = np.random.default_rng(0)


def image(dtype, shape=(37, 41)):
    return noise(RNG, shape, dtype)


def equal(gpu, *args, **kwargs):
    expected = normalized_mutual_information(*args, **kwargs)
    result = gpu(normalized_mutual_information, *args, **kwargs)
    assert type(result) is type(expected)
    assert result == expected or (np.isnan(expected) and np.isnan(result))


@pytest.mark.parametrize("first", DTYPES)
@pytest.mark.parametrize("second", DTYPES)
def test_images_of_all_dtypes(gpu, first, second):
    equal(gpu, image(first), image(second), bins=17)


@pytest.mark.parametrize("bins", [1, 2, 100, (5, 7), [200, 3], 150, 300])
@pytest.mark.parametrize("dtype", ["uint8", "float32"])
@pytest.mark.filterwarnings("ignore:invalid value")
def test_numbers_of_bins(gpu_of_each_kind, bins, dtype):
    first = image(dtype)
    equal(gpu_of_each_kind, first, first + image(dtype), bins=bins)


def test_values_on_edges_count_as_numpy_counts_them(gpu):
    for bins in (3, 7, 10, 49, 110):
        edges = np.linspace(-0.7, 1.3, bins + 1)
        around = np.concatenate([edges, np.nextafter(edges, -9)[1:], np.nextafter(edges, 9)[:-1]])
        equal(gpu, around, around[::-1].copy(), bins=bins)
        integers = np.arange(-100, 100, dtype=np.int64) * (1 << 54)
        equal(gpu, integers, RNG.permutation(integers), bins=bins)


@pytest.mark.parametrize("ends", [(-0.71, 1.3), (1000, 1001), (1e-30, 1e-29), (-1e38, 1.1e38)])
def test_values_of_single_precision_on_edges(gpu, ends):
    ends = np.array(ends, np.float32)
    for bins in (1, 2, 7, 100, 300):
        edges = np.linspace(*ends, bins + 1, dtype=np.float32)
        below, above = (np.nextafter(edges, np.float32(end)) for end in (-np.inf, np.inf))
        around = np.concatenate([edges, below[1:], above[:-1]])
        equal(gpu, around, around[::-1].copy(), bins=bins)
        equal(gpu, around, RNG.integers(0, 256, around.size, "uint8"), bins=bins)


@pytest.mark.filterwarnings("ignore:invalid value", "ignore:divide by zero")
def test_images_without_a_range(gpu):
    flat = np.full((9, 10), 3.5)
    equal(gpu, flat, image("float64", (9, 10)))
    equal(gpu, flat, flat)
    tiny = np.where(image("bool"), 1, np.nextafter(1, 2))
    equal(gpu, tiny, image("float64"))


@pytest.mark.parametrize("shape", [(1,), (5,), (3, 5, 7), (4, 3, 2, 6)])
@pytest.mark.filterwarnings("ignore:invalid value")
def test_any_number_of_axes(gpu, shape):
    equal(gpu, image("float32", shape), image("uint8", shape))


def test_layouts_and_shapes(gpu_of_each_kind):
    first, second = image("uint16"), image("uint16")
    equal(gpu_of_each_kind, np.asfortranarray(first), np.asfortranarray(second))
    equal(gpu_of_each_kind, np.asfortranarray(first), second)
    equal(gpu_of_each_kind, first[::-2, 1::3], second[::2, 1::3])
    equal(gpu_of_each_kind, first, second[:-3, 4:])


def test_nan_is_refused_as_by_numpy(gpu):
    first = image("float32")
    first[3, 4] = np.nan
    with pytest.raises(ValueError, match="is not finite"):
        gpu(normalized_mutual_information, first, image("uint8"))


def test_arguments_that_are_left_to_others(gpu):
    first = image("uint8")
    for bins in (0, -1, [3, 4, 5], (5, 0)):
        assert gpu.invalid(normalized_mutual_information, first, first, bins=bins)
    assert gpu.invalid(normalized_mutual_information, first, first[None])
    declined = gpu.declined(normalized_mutual_information, first, first, bins=(np.arange(9), 5))
    assert "not of integers" in declined
    assert "empty" in gpu.declined(normalized_mutual_information, first[:0], first[:0])


def test_three_launches(gpu, counting):
    first, second = image("uint8", (200, 300)), image("float32", (200, 300))
    gpu(normalized_mutual_information, first, second)
    with counting() as counted:
        gpu(normalized_mutual_information, first, second)
    assert counted.launches == 3
    assert counted.kernel_bytes_read <= 2 * (first.nbytes + second.nbytes) + 4000


@pytest.mark.usefixtures("strict")
@pytest.mark.parametrize("bins", [20, 150])
def test_no_count_depends_on_the_order_of_threads(gpu, monkeypatch, bins):
    monkeypatch.setattr("skimage_gpu_backend.primitives.reduce.resident_blocks", lambda _: 3)
    first, second = image("uint8"), image("float32")
    for order in ("forward", "backward", "shuffled"):
        with cuda_simulator.thread_order(order):
            equal(gpu, first, second, bins=bins)
