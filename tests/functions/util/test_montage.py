"""Montages made on the device are scikit-image's."""

import numpy as np
import pytest
from skimage.util import montage

from tests.functions.images import DTYPES

from .agreement import same

RNG = np.random.default_rng(6)
TILES = RNG.integers(0, 100, (5, 7, 9))
COLOURS = RNG.integers(0, 100, (5, 7, 9, 3))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("fill", [3, 7.9, [2], np.array([5.5])])
def test_every_dtype_and_fill(gpu_of_each_kind, dtype, fill):
    same(gpu_of_each_kind, montage, TILES.astype(dtype), fill, padding_width=2)


@pytest.mark.parametrize("dtype", [d for d in DTYPES if np.dtype(d).kind != "f"])
@pytest.mark.parametrize("channel_axis", [None, -1])
def test_the_mean_of_all_images_is_cut_to_integers(gpu_of_each_kind, dtype, channel_axis):
    tiles = (TILES if channel_axis is None else COLOURS).astype(dtype)
    same(gpu_of_each_kind, montage, tiles, channel_axis=channel_axis)


@pytest.mark.parametrize("count", [1, 2, 4, 5, 7])
@pytest.mark.parametrize("grid_shape", [None, (1, 7), (7, 1), (3, 4), [2.0, 4.0]])
@pytest.mark.parametrize("padding_width", [0, 1, 3])
def test_every_grid_and_margin(gpu, count, grid_shape, padding_width):
    tiles = RNG.integers(0, 100, (count, 4, 5))
    same(gpu.cupy, montage, tiles, 7, False, grid_shape, padding_width)


@pytest.mark.parametrize("axis", [0, 1, 2, 3, -1, -2])
def test_every_axis_of_channels_and_layout(gpu_of_each_kind, axis):
    tiles = np.moveaxis(COLOURS, -1, axis)
    for given in (tiles, np.asfortranarray(tiles), np.ascontiguousarray(tiles)[:, ::-1]):
        same(gpu_of_each_kind, montage, given, (1, 2, 3), padding_width=1, channel_axis=axis)


@pytest.mark.parametrize("options", [{}, {"rescale_intensity": True}, {"fill": 0}])
def test_lists_of_images_stay_as_they_are(gpu, options):
    import cupy as cp

    images = [RNG.random((6, 8)) * 9 for _ in range(3)]
    before = [image.copy() for image in images]
    expected = montage(images, **options)
    np.testing.assert_allclose(gpu(montage, images, **options), expected, rtol=1e-14)
    found = gpu(montage, list(map(cp.asarray, images)), **options)
    np.testing.assert_allclose(found.get(), expected, rtol=1e-14)
    np.testing.assert_array_equal(images, before)


@pytest.mark.parametrize(
    ("args", "options"),
    [
        ((TILES[0],), {}),
        ((COLOURS,), {}),
        ((TILES,), {"grid_shape": (1, 2)}),
        ((TILES,), {"grid_shape": (0, 5)}),
        ((TILES,), {"grid_shape": "ab"}),
        ((TILES,), {"fill": np.array([1, 2])}),
        ((COLOURS,), {"channel_axis": 9}),
        ((COLOURS,), {"channel_axis": -1, "fill": 0.5}),
        (([TILES[0], TILES[0].T],), {}),
    ],
)
def test_what_scikit_image_refuses(gpu, args, options):
    assert gpu.invalid(montage, *args, **options)


def test_images_are_copied_once(gpu, counting):
    import cupy as cp

    tiles = cp.asarray(TILES)
    with counting() as counts:
        gpu(montage, tiles, fill=0)
    assert counts.launches <= 3
    assert counts.kernel_bytes_read <= tiles.nbytes + 4096


def test_rescaling_would_write_into_the_callers_array(gpu):
    assert "leave it out" in gpu.declined(montage, TILES, rescale_intensity=True)
