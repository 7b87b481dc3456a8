"""Numbers of points at their places, on the device."""

import numpy as np
import pytest
from skimage import util

import cuda_simulator
from skimage_gpu_backend.trouble import Declined
from tests.functions.images import FLOATS, INTEGERS

from .agreement import same

RNG = np.random.default_rng(8)


@pytest.mark.parametrize("dtype", [*INTEGERS, *FLOATS])
def test_points_are_labelled_as_scikit_image_does(gpu, dtype):
    coords = (RNG.random((400, 3)) * (11, 20, 30)).astype(dtype)  # some at one place
    if np.dtype(dtype).kind == "f":
        coords[:6] = [[0.5, 1.5, 2.5]] * 6
    expected = util.label_points(coords, (12, 21, 31))
    result = gpu.cupy(util.label_points, coords, (12, 21, 31))
    assert result.dtype == expected.dtype
    np.testing.assert_array_equal(result, expected)


@pytest.mark.parametrize("coordinate", [-1, -0.2, 5, 1e30, np.nan])
def test_points_outside_are_left_to_scikit_image(gpu, coordinate):
    with pytest.raises(Declined, match="outside"):
        gpu.cupy(util.label_points, np.array([[1.0, 2], [coordinate, 3]]), (5, 6))


def test_points_take_one_launch(gpu, counting):
    import cupy as cp

    coords = cp.asarray(np.array([[1, 2], [3, 4]]))
    with counting() as counts:
        gpu(util.label_points, coords, (50, 60))
    assert counts.launches == 1


@pytest.mark.parametrize("order", ["forward", "backward", "shuffled"])
def test_real_blocks_give_the_same(gpu, monkeypatch, strict, order):
    monkeypatch.setattr("skimage_gpu_backend.device.kernels.resident_blocks", lambda _: 2)
    coords = (RNG.random((300, 2)) * 8).round()
    with cuda_simulator.thread_order(order):
        same(gpu.cupy, util.label_points, coords, (9, 9))
