"""Values by a table on the device are scikit-image's to the last bit."""

import numpy as np
import pytest
from skimage import util

import cuda_simulator
from skimage_gpu_backend.primitives.lookup import MOST_LISTED
from tests.functions.images import INTEGERS

from .agreement import same

RNG = np.random.default_rng(8)
KEYS = {
    "close": np.array([3, 1, 4, 1, 5, 9, 2, 6, 120, 7, -4, 0]),
    "far": np.array([2**31 - 1, -(2**31), 7, 0, -1, 7, 1000, 2**20]),
    "many": RNG.permutation(50_000)[:5000],
    "none": np.array([], int),
}


@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize("kind", KEYS)
@pytest.mark.parametrize("to", ["bool", "uint16", "float32", "uint64"])
def test_values_are_mapped_as_scikit_image_does(gpu, dtype, kind, to):
    keys = KEYS[kind]
    others = RNG.integers(-50, 60, 500)
    image = RNG.permutation(np.concatenate([keys, keys, others]))[: keys.size * 2 + 400]
    image = image.astype(dtype).reshape(-1, 4).T
    values = RNG.integers(0, 100, keys.size).astype(to)
    same(gpu, util.map_array, image, keys, values)


@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize("kind", [*KEYS, "most", "alike"])
@pytest.mark.parametrize("to", ["bool", "uint16", "float32", "uint64"])
def test_lists_may_lie_on_the_device(gpu, dtype, kind, to):
    import cupy as cp

    more = {"most": RNG.permutation(MOST_LISTED), "alike": np.full(600, 7)}
    keys = (KEYS | more)[kind].astype(dtype)
    values = RNG.integers(0, 100, keys.size).astype(to)
    image = np.concatenate([keys[-90:], RNG.integers(0, 100, 210).astype(dtype)])
    image = image[: image.size // 2 * 2].reshape(-1, 2)
    out = np.ones(image.shape)
    found = gpu(util.map_array, cp.asarray(image), cp.asarray(keys), cp.asarray(values))
    gpu(util.map_array, *map(cp.asarray, (image, keys, values)), out=(into := cp.asarray(out)))
    expected = util.map_array(image, keys, values)
    np.testing.assert_array_equal(found.get(), expected, strict=True)
    np.testing.assert_array_equal(into.get(), util.map_array(image, keys, values, out=out))


@pytest.mark.parametrize("to", ["int8", "int64"])
def test_lists_on_the_device_may_have_other_dtypes(gpu, to):
    import cupy as cp

    image, keys = RNG.integers(0, 99, (30, 41), np.int32), np.arange(99)[::-1].astype(to)
    given = cp.asarray(image), cp.asarray(keys)[::2], cp.asarray(keys)[::-2]
    found = gpu(util.map_array, *given)
    np.testing.assert_array_equal(found.get(), util.map_array(image, keys[::2], keys[::-2]))


def test_short_lists_on_the_device_stay_there(gpu, counting):
    import cupy as cp

    image, keys, values = (cp.arange(n, dtype=np.int32) for n in (500, 90, 90))
    gpu(util.map_array, image, keys, values)
    with counting() as counts:
        gpu(util.map_array, image, keys, values)
    assert (counts.launches, counts.to_host) == (1, 0)


def test_mapped_values_go_where_the_caller_says(gpu_of_each_kind):
    image = RNG.integers(0, 9, (30, 41))
    keys, values = np.arange(7), np.arange(7) * 1.5
    for out in (np.ones(image.shape), np.ones(image.shape, np.int16)):
        expected = out.copy()
        util.map_array(image, keys, values, out=expected)
        given = out.copy()
        result = gpu_of_each_kind(util.map_array, image, keys, values, out=given)
        np.testing.assert_array_equal(result, expected)


def test_values_are_mapped_in_place(gpu):
    import cupy as cp

    image = RNG.integers(0, 9, (30, 41))
    keys, values = np.arange(7), np.arange(7)[::-1]
    on_device = cp.asarray(image)
    gpu(util.map_array, on_device, keys, values, out=on_device)
    np.testing.assert_array_equal(on_device.get(), util.map_array(image, keys, values))


def test_out_that_is_strided(gpu):
    import cupy as cp

    image = RNG.integers(0, 9, 41)
    keys, values = np.arange(7), np.arange(7)[::-1]
    out = cp.ones(82, int)
    gpu(util.map_array, cp.asarray(image), keys, values, out=out[::2])
    np.testing.assert_array_equal(out.get()[::2], util.map_array(image, keys, values))
    assert (out.get()[1::2] == 1).all()


def test_tables_are_read_once(gpu, counting):
    import cupy as cp

    image = cp.asarray(RNG.integers(0, 500, (64, 100)).astype(np.int32))
    keys, values = np.arange(500), np.arange(500.0)
    gpu(util.map_array, image, keys, values)
    with counting() as counts:
        result = gpu(util.map_array, image, keys, values)
    assert counts.launches == 1
    assert counts.kernel_bytes_read == image.nbytes + values.nbytes
    assert counts.kernel_bytes_written == result.nbytes + 4  # and a flag


@pytest.mark.parametrize("order", ["forward", "backward", "shuffled"])
def test_real_blocks_give_the_same(gpu, monkeypatch, strict, order):
    import cupy as cp

    monkeypatch.setattr("skimage_gpu_backend.device.kernels.resident_blocks", lambda _: 2)
    image = RNG.integers(-3000, 3000, (33, 301)).astype(np.int16)
    with cuda_simulator.thread_order(order):
        same(gpu, util.map_array, image, np.arange(900), np.arange(900.0))
        same(gpu, util.map_array, image.astype(int), np.arange(9) ** 5, np.arange(9))
        lists = np.arange(900, dtype=np.int16) % 800, np.arange(900.0)
        found = gpu(util.map_array, *map(cp.asarray, (image, *lists)))
        np.testing.assert_array_equal(found.get(), util.map_array(image, *lists))
