"""Histograms of oriented gradients on the device: equal votes, whatever the cells."""

import numpy as np
import pytest
from skimage import data
from skimage.feature import hog

import cuda_simulator
from tests.functions.filter_agreement import agree, same
from tests.functions.images import DTYPES

RNG = np.random.default_rng(0)
PHOTO = data.astronaut()[:150:2, 100:300:2]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    "layout",
    [lambda a: a, np.asfortranarray, lambda a: a[::-2, ::3]],
    ids=["C", "Fortran", "strided"],
)
def test_every_type_and_layout(gpu_of_each_kind, dtype, layout):
    image = PHOTO > 99 if dtype == "bool" else (PHOTO // 3).astype(dtype)
    same(gpu_of_each_kind, hog, layout(image), pixels_per_cell=(4, 4), channel_axis=-1)
    same(gpu_of_each_kind, hog, layout(image[..., 0]), pixels_per_cell=(4, 4))


# cells below, at and above the 1024 pixels that a block takes at a time; blocks of 32
@pytest.mark.parametrize("cell", [(1, 1), (1, 40), (31, 33), (32, 32), (33, 32), (70, 99)])
@pytest.mark.parametrize("orientations", [1, 9, 300])
def test_cells_of_every_size(gpu, cell, orientations):
    same(gpu, hog, PHOTO[:72, :, 1], orientations, cell, (1, 1))


@pytest.mark.parametrize("cells", [31, 32, 33, 65])
@pytest.mark.parametrize("norm", ["L1", "L1-sqrt", "L2", "L2-Hys"])
def test_blocks_in_a_row(gpu, cells, norm):
    image = RNG.random((9, 2 * (cells + 2) + 1))
    for dtype in (np.float32, np.float64):
        same(gpu, hog, image.astype(dtype), 5, (2, 2), (2, 3), norm, feature_vector=False)


# in 140, 474 and 948 bins 135, 90 and 45 degrees divided by a bin's are less than a whole number,
# though a whole number of bins is just 135, 90 and 45 degrees
@pytest.mark.parametrize("orientations", [2, 4, 8, 9, 12, 140, 474, 948])
def test_gradients_on_the_edge_of_two_bins(gpu, orientations):
    image = RNG.integers(0, 3, (30, 30), np.uint8)
    same(gpu, hog, image, orientations, (3, 3), (1, 1), "L1")


@pytest.mark.parametrize("orientations", [4, 9, 100])
def test_gradients_near_the_edge_of_two_bins(gpu, orientations):
    """As near as single precision does not see, and somewhat farther."""
    edges = np.arange(1, orientations) * np.pi / orientations
    apart = 10.0 ** np.arange(-13, -1)  # arc tangents of two libraries differ by less
    angles = np.add.outer(np.concatenate([-apart, apart]), edges)
    for length in (1, 1e-35, 1e35):
        image = np.zeros((*angles.shape, 3, 3))
        image[..., 2, 1], image[..., 1, 2] = length * np.sin(angles), length * np.cos(angles)
        image = image.swapaxes(1, 2).reshape(3 * len(angles), -1)
        same(gpu, hog, image, orientations, (1, 1), (1, 1), "L1")


@pytest.mark.parametrize("orientations", [9, 237, 255])
def test_a_tiny_negative_angle_is_180_degrees(gpu, orientations):
    image = np.zeros((30, 30))
    image[:, 1::3] = np.arange(30, 0, -1)[:, None] * 1e-20
    image[:, 2::3] = 1
    same(gpu, hog, image, orientations, (3, 3), (1, 1), "L1")


@pytest.mark.parametrize("dtype", ["uint8", "float32", "float64"])
def test_of_channels_with_equally_long_gradients_the_first_is_taken(gpu, dtype):
    image = RNG.integers(0, 9, (60, 60, 4)).astype(dtype)
    for scaled in (image, image / image.dtype.type(9)):
        same(gpu, hog, scaled, 9, (1, 1), (1, 1), "L1", channel_axis=-1)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 1e200, 1e-200])
def test_odd_values(gpu, value):
    image = RNG.random((40, 48, 3))
    image[::7, ::5, 0] = value
    image[::9, ::4, 2] = value
    same(gpu, hog, image, channel_axis=-1)
    same(gpu, hog, image[..., 0])
    same(gpu, hog, np.full((30, 30), value))


def test_roots_of_negative_numbers_are_nan(gpu):
    same(gpu, hog, RNG.random((40, 48)) - 0.1, transform_sqrt=True)


@pytest.mark.parametrize("dtype", ["uint8", "float32"])
@pytest.mark.parametrize("cell", [(2, 2), (3, 8), (16, 5), (21, 20)])
@pytest.mark.parametrize("orientations", [1, 6, 9, 64])
def test_picture(gpu, dtype, cell, orientations):
    image = PHOTO[:40, :50, 1].astype(dtype)
    arguments = {"pixels_per_cell": cell, "cells_per_block": (1, 1), "visualize": True}
    _, picture = gpu(hog, image, orientations, **arguments)
    agree(picture, hog(image, orientations, **arguments)[1])


def test_calls_that_are_not_taken(gpu):
    image = np.zeros((30, 30))
    assert gpu.invalid(hog, image, block_norm="no such")
    assert gpu.invalid(hog, image[:23])
    assert gpu.invalid(hog, image[..., None])
    assert gpu.invalid(hog, image, channel_axis=0)
    assert "integer" in gpu.declined(hog, image, 2.5)
    assert "visualize=True" in gpu.declined(hog, image, 65, visualize=True)
    assert "orientations" in gpu.declined(hog, image, 4097)


@pytest.mark.parametrize("dtype", ["uint8", "float32"])
@pytest.mark.parametrize("channels", [0, 3])
def test_launches_and_bytes(gpu, counting, dtype, channels):
    image = data.astronaut().astype(dtype)[..., : channels or 1]
    image = np.ascontiguousarray(image if channels else image[..., 0])
    axis = -1 if channels else None
    with counting() as counts:
        result = gpu(hog, image, channel_axis=axis)
    cells = 64 * 64 * 9 * 4
    assert counts.launches == 2
    assert counts.kernel_bytes_read == image.nbytes + cells
    assert counts.kernel_bytes_written == cells + result.nbytes
    assert counts.to_host == 1
    with counting() as counts:
        gpu(hog, image, channel_axis=axis, visualize=True)
    assert counts.launches <= 4  # and the zeros of the picture


def test_no_result_depends_on_the_order_of_threads(gpu, monkeypatch, strict):
    monkeypatch.setattr("skimage_gpu_backend.device.kernels.resident_blocks", lambda threads: 2)
    for order in ("forward", "backward", "shuffled"):
        with cuda_simulator.thread_order(order):
            same(gpu, hog, PHOTO[:40], 9, (3, 3), channel_axis=-1)
            same(gpu, hog, PHOTO[..., 0], 9, (36, 36), (2, 1))
            gpu(hog, PHOTO[..., 0], visualize=True)
