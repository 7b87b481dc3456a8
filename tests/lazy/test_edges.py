"""Edges and integral images of Dask arrays are those of the whole image."""

import functools

import numpy as np
import pytest
import skimage as ski

from skimage_gpu_backend import use_backends
from skimage_gpu_backend.lazy import order, reduced
from tests.lazy.test_components import check

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")
pytestmark = pytest.mark.thorough
rng = np.random.default_rng(0)
IMAGE = ski.filters.gaussian(rng.random((90, 83)), 2)
IMAGE = (IMAGE - IMAGE.min()) / (IMAGE.max() - IMAGE.min())
INTEGRAL = ski.transform.integral_image


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"low_threshold": 0.02, "high_threshold": 0.45},
        {"sigma": 0, "low_threshold": 0.1, "high_threshold": 0.6},
        {"sigma": (1, 2.5), "mode": "reflect", "low_threshold": 0.05, "high_threshold": 0.1},
        {"low_threshold": 0, "high_threshold": 0, "mode": "nearest"},
    ],
)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_edges_follow_through_chunks(place, dtype, options):
    image = IMAGE.astype(dtype)
    assert ski.feature.canny(image, **options).any()
    check(functools.partial(ski.feature.canny, **options), image)


@pytest.mark.parametrize("dtype", [np.uint8, np.int16, np.uint16, bool])
def test_thresholds_of_integers(place, dtype):
    image = IMAGE > 0.5 if dtype is bool else (IMAGE * np.iinfo(dtype).max).astype(dtype)
    check(ski.feature.canny, image)
    most = 1 if dtype is bool else np.iinfo(dtype).max
    check(lambda i: ski.feature.canny(i, 1, most * 0.02, most * 0.5), image)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"low_threshold": 0.3, "high_threshold": 0.9},
        {"low_threshold": 0, "high_threshold": 1, "sigma": 0, "mode": "reflect"},
    ],
)
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.uint8, bool])
def test_quantiles_are_those_of_the_whole_image(place, dtype, options):
    image = IMAGE > 0.5 if dtype is bool else (IMAGE * (255 if dtype is np.uint8 else 1))
    canny = functools.partial(ski.feature.canny, use_quantiles=True, **options)
    check(canny, image.astype(dtype))


def test_quantiles_with_a_mask_and_without_a_number(place):
    mask = rng.random(IMAGE.shape) < 0.995
    check(lambda i, m: ski.feature.canny(i, 2, mask=m, use_quantiles=True), IMAGE, mask)
    nowhere = np.where(IMAGE > 0.99, np.nan, IMAGE)
    with np.errstate(invalid="ignore"):
        check(lambda i: ski.feature.canny(i, use_quantiles=True), nowhere)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_elements_are_found_by_their_bits(enabled, dtype):
    tiny = np.nextafter(dtype(1), dtype(2))
    values = np.array([3, -np.inf, 0, 1, tiny, -tiny, -1, 1, np.inf, np.nan, -2, 1e-7], dtype)
    image = da.from_array(np.tile(values, 5).reshape(6, 10), (4, 3))
    call = reduced.Call("skimage.feature:canny", [image], {}, None)
    found = order.elements_at(call, image, np.arange(60)).compute(scheduler="synchronous")
    assert found.dtype == dtype
    np.testing.assert_array_equal(found, np.sort(np.tile(values, 5)))


def test_edges_with_a_mask(place):
    mask = rng.random(IMAGE.shape) < 0.995
    check(lambda i, m: ski.feature.canny(i, 1, 0.02, 0.3, mask=m), IMAGE, mask)


@pytest.mark.parametrize("shape", [(31, 40), (9, 13, 11), (4, 5, 3, 6)])
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.uint8, np.int64, np.uint64, bool])
def test_sums_are_carried_from_chunk_to_chunk(place, shape, dtype):
    image = (np.random.default_rng(0).random(shape) * 200).astype(dtype)
    check(INTEGRAL, image)
    if dtype is np.uint8:
        check(functools.partial(INTEGRAL, dtype=float), image)


def test_chunks_of_the_device_stay_there(however_small):
    import cupy as cp

    on_device = da.from_array(IMAGE, 40).map_blocks(cp.asarray, meta=cp.empty((0, 0)))
    for call in (INTEGRAL, functools.partial(ski.feature.canny, high_threshold=0.3)):
        with use_backends("gpu"):
            lazy = call(on_device)
        assert isinstance(lazy._meta, cp.ndarray)
        found = lazy.compute(scheduler="synchronous")
        assert type(found) is cp.ndarray
        np.testing.assert_array_equal(cp.asnumpy(found), call(IMAGE))
