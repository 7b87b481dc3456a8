"""Pixels of polygons are scikit-image's: inside, at corners, on edges, beyond the image."""

import numpy as np
import pytest
from skimage.draw import polygon as drawn
from skimage.draw import polygon2mask
from skimage.measure import grid_points_in_poly

import cuda_simulator
from skimage_gpu_backend import use_backends
from skimage_gpu_backend.dispatch.observe import observe
from skimage_gpu_backend.trouble import Declined
from tests.functions.images import DTYPES

RNG = np.random.default_rng(8)
SQUARE = np.array([[1, 1], [1, 5], [5, 5], [5, 1]])
BOW = np.array([[0, 0], [9, 7], [9, 0], [0, 7], [4, 11]])  # crosses itself
TURN = np.linspace(0, 6.2, 700)
POLYGONS = {
    "square": SQUARE,
    "closed": np.vstack([SQUARE, SQUARE[:1]]),
    "bow": BOW,
    "beyond": BOW * 3 - 9,
    "outside": BOW + 90,
    "before": BOW - 90,
    "any": RNG.random((30, 2)) * 40 - 12,
    "slanted": np.array([[2.5, 1.5], [7.5, 6.5], [20.5, 3.5], [3, 11]]),
    "flat": np.array([[2, 2], [2, 9], [2, 4]]),
    "one": SQUARE[:1],
    "nearly corners": SQUARE + np.array([[1e-13, -1e-13], [2e-12, 0], [0, 1e-12], [0, 0]]),
    "no end": np.array([[0, 0], [-np.inf, 3], [4, 5.5], [8, 9], [3, -np.inf]]),
    "many": np.stack([9 + 8 * np.cos(TURN * 9), 8 + 9 * np.sin(TURN * 7)], axis=1),
}


def same(run, function, *args):
    with np.errstate(invalid="ignore"):
        expected = function(*args)
    result = run(function, *args)
    assert type(result) is type(expected)
    for found, wanted in zip(listed(result), listed(expected), strict=True):
        assert found.dtype == wanted.dtype
        np.testing.assert_array_equal(found, wanted)


def listed(result):
    return result if isinstance(result, tuple) else [result]


@pytest.mark.parametrize("polygon", POLYGONS.values(), ids=list(POLYGONS))
def test_pixels_are_those_of_scikit_image(gpu_of_each_kind, polygon):
    for shape in ((13, 15), (30, 3), [1, 200], (0, 7), (7, 0), (4, np.int32(9))):
        same(gpu_of_each_kind, polygon2mask, shape, polygon)
        same(gpu_of_each_kind, drawn, *polygon.T, shape)
    if np.isfinite(polygon).all():
        same(gpu_of_each_kind, drawn, *polygon.T)
        same(gpu_of_each_kind, drawn, *polygon.T + 1e6)  # far from the first pixel


@pytest.mark.parametrize("dtype", DTYPES)
def test_any_dtype_and_layout(gpu, dtype):
    polygon = (RNG.random((12, 2)) * 20 - 5 * (np.dtype(dtype).kind in "if")).astype(dtype)
    for corners in (polygon, polygon[::-2, ::-1], np.asfortranarray(polygon)):
        same(gpu, polygon2mask, (19, 18), corners)
        same(gpu, drawn, *corners.T, (19, 18))
        same(gpu, drawn, corners[:, 0], corners[::-1, 1].astype(float))


def test_what_is_refused_or_left_to_scikit_image(gpu):
    import cupy as cp

    corners = cp.asarray(BOW)
    for shape in ((-1, 5), (5.0, 5), (5,), (2**62, 9), (True, 9)):
        assert gpu.invalid(polygon2mask, shape, corners)
    for wrong in (corners[:, :1], corners[:0]):
        assert gpu.invalid(polygon2mask, (9, 9), wrong)
    for shape, polygon, reason in (
        ((9, 9, 3), corners, "pair"),
        (9, corners, "pair"),
        ((np.uint8(9), 9), corners, "unsigned"),
        ((9, 9), corners[None], "axes"),
    ):
        assert reason in gpu.declined(polygon2mask, shape, polygon)
    for odd in (np.nan, np.inf, 1e19):
        with pytest.raises(Declined, match="finite"):
            gpu.cupy(polygon2mask, (9, 9), np.vstack([BOW, [[odd, 2]]]))
    with pytest.raises(Declined, match="finite"):
        gpu.cupy(polygon2mask, (9, 9), np.array([[2, 2**63 + 1]], np.uint64))


def test_what_draws_no_coordinates_or_is_left_to_scikit_image(gpu):
    r, c = BOW.T
    for shape in ((0, 9), (-3, 9), (9, 9, 3), np.array([9, 9]), (True, 9), [2**80, 9]):
        same(gpu, drawn, r, c, shape)
    same(gpu, drawn, np.array(3.0), np.array(4))
    for wrong in (r[:, None], r[:0]):
        assert gpu.invalid(drawn, wrong, c)
        assert gpu.invalid(drawn, r, wrong)
    for args, reason in (
        ((r[:3], c), "length"),
        ((r, c, (9,)), "two integers"),
        ((r, c, (9.5, 9)), "two integers"),
        ((r, c, 9), "two integers"),
        ((r, c, (np.uint8(9), 9)), "unsigned"),
        ((r, True), "not an array"),
    ):
        assert reason in gpu.declined(drawn, *args)
    with pytest.raises(Declined, match="finite"):
        gpu(drawn, r * np.inf, c)


@pytest.mark.parametrize(
    "call",
    [
        lambda side: polygon2mask((side, side), np.array([[0, 0], [side, 9], [9, side]])),
        lambda side: drawn(np.array([0, side, 9]), np.array([0, 9, side])),
        lambda side: drawn(np.array([0, 1e9, 9]), np.array([0, 9, 1e9]), (side, side)),
        lambda side: grid_points_in_poly((side, side), np.array([[0, 0], [side, 9], [9, side]])),
    ],
    ids=["polygon2mask", "polygon", "polygon in an image", "grid_points_in_poly"],
)
def test_a_few_corners_of_a_large_polygon_are_worth_it(monkeypatch, call):
    monkeypatch.delenv("SKIMAGE_BACKENDS_MIN_SIZE", raising=False)
    for side, backend in ((10, None), (1000, "gpu")):
        with use_backends("gpu"), observe() as calls:
            call(side)
        assert calls[0].backend == backend


def test_launches_and_bytes(gpu, counting):
    import cupy as cp

    for polygon, launches in ((cp.asarray(POLYGONS["many"]), 1), (cp.asarray(BOW), 2)):
        with counting() as counts:
            gpu(polygon2mask, (300, 200), polygon)
        assert (counts.launches, counts.to_host, counts.to_device) == (launches, 1, 0)
        assert counts.kernel_bytes_read <= 2 * polygon.nbytes
        assert counts.kernel_bytes_written <= 300 * 200 + polygon.nbytes
    r, c = map(cp.asarray, (POLYGONS["many"] + [9, 0]).T)
    with counting() as counts:
        gpu(drawn, r, c)
    assert counts.to_host <= 3 and not counts.to_device


def test_no_pixel_depends_on_the_order_of_threads(gpu, monkeypatch, strict):
    monkeypatch.setattr("skimage_gpu_backend.device.kernels.resident_blocks", lambda _: 2)
    for order in ("forward", "backward", "shuffled"):
        with cuda_simulator.thread_order(order):
            for polygon in ("many", "any", "beyond"):
                same(gpu.cupy, polygon2mask, (17, 21), POLYGONS[polygon])
                same(gpu.cupy, drawn, *POLYGONS[polygon].T)
