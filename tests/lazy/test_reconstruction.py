"""Reconstructions of Dask arrays are those of the whole image, on ways through all chunks too."""

import functools
import warnings

import numpy as np
import pytest
import skimage as ski

from skimage_gpu_backend import use_backends
from skimage_gpu_backend.dispatch.observe import observe
from skimage_gpu_backend.lazy.spanning import Edges, forest, spread
from tests.lazy.test_components import check
from tests.lazy.test_label import snake, spirals

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")
pytestmark = pytest.mark.thorough
RECONSTRUCT = ski.morphology.reconstruction
HEIGHTS = [ski.morphology.h_maxima, ski.morphology.h_minima]
SHAPES = [(150,), (41, 37), (13, 9, 14), (25, 3), (4, 4, 5, 4), (2, 60)]


def landscape(shape, dtype, rng):
    """Noise, or hills."""
    image = rng.random(shape)
    if rng.random() < 0.5:
        image = ski.filters.gaussian(image, 2)
        image = (image - image.min()) / np.ptp(image)
    return (image * rng.choice([3, 100, 1000])).astype(dtype) if dtype != "?" else image > 0.5


def symmetric(ndim, rng):
    """A footprint that is symmetric about its middle, up to two pixels wide on each side."""
    footprint = rng.random([2 * rng.integers(0, 3) + 1 for _ in range(ndim)]) < 0.4
    return footprint | footprint[(slice(None, None, -1),) * ndim]


@pytest.mark.parametrize("method", ["dilation", "erosion"])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("seed", range(3))
def test_any_image_in_any_chunks(on_host, shape, seed, method):
    rng = np.random.default_rng(seed)
    mask = landscape(shape, rng.choice(list("?BHhiqQefd")), rng)
    rest = mask.min() if method == "dilation" else mask.max()
    marker = np.where(rng.random(shape) < rng.choice([0.01, 0.3]), mask, rest)
    footprint = symmetric(mask.ndim, rng) if seed % 2 else None
    check(functools.partial(RECONSTRUCT, method=method, footprint=footprint), marker, mask)


@pytest.mark.parametrize(
    "mask",
    [spirals(61) * 5.0, snake((9, 13, 11)) * np.int16(5)],
    ids=["spirals", "snake"],
)
def test_one_seed_goes_through_all_chunks(place, mask):
    """Along a way that sinks from its one end to the other."""
    path = ski.segmentation.flood(mask, tuple(np.argwhere(mask)[0]), connectivity=1)
    mask = np.where(path, mask + np.linspace(50, 0, mask.size).reshape(mask.shape), mask)
    mask = mask.astype(np.float32)
    marker = np.zeros_like(mask)
    for end in (0, -1):
        marker[:] = 0
        marker[tuple(np.argwhere(path)[end])] = 4
        check(RECONSTRUCT, marker, mask)
        check(functools.partial(RECONSTRUCT, method="erosion"), -marker, -mask)


@pytest.mark.parametrize(
    "dtypes", [("B", "f"), ("d", "f"), ("e", "d"), ("b", "B"), ("f", "e"), ("?", "B")]
)
def test_a_seed_of_another_type(on_host, dtypes):
    rng = np.random.default_rng(0)
    mask = (rng.random((41, 37)) * 100).astype(dtypes[1])
    marker = np.minimum(mask, rng.random((41, 37)) * 60).astype(dtypes[0])
    marker[marker > mask] = 0
    check(RECONSTRUCT, marker, mask)


@pytest.mark.parametrize("offset", [[1], [0]])
def test_an_offset(on_host, offset):
    mask = np.random.default_rng(0).random(90)
    footprint = np.array([1, 1, 1, 0]) if offset == [1] else np.array([1])
    arguments = {"footprint": footprint, "offset": np.array(offset)}
    check(functools.partial(RECONSTRUCT, **arguments), np.where(mask > 0.9, mask, 0), mask)


def test_neighbours_of_the_same_row_only(on_host):
    mask = np.random.default_rng(0).random((30, 31))
    call = functools.partial(RECONSTRUCT, footprint=np.ones((1, 3)))
    check(call, mask**2, mask)
    with use_backends("gpu"):  # chunks of whole rows tell each other nothing
        rows = call(da.from_array(mask**2, (4, -1)), da.from_array(mask, (4, -1)))
    assert len(dict(dask.optimize(rows)[0].__dask_graph__())) <= 3 * 8
    np.testing.assert_array_equal(rows.compute(scheduler="synchronous"), call(mask**2, mask))


@pytest.mark.parametrize("function", HEIGHTS)
@pytest.mark.parametrize("dtype", "BHhbiqfd")
def test_extrema_of_a_height(on_host, function, dtype):
    rng = np.random.default_rng(ord(dtype))
    image = landscape((41, 37), dtype, rng)
    kind = np.dtype(dtype).type
    for h in (2.0, 0.4, kind(2), 10**6):
        check(functools.partial(function, h=h), image)
    check(functools.partial(function, h=1, footprint=np.ones((1, 5))), image)
    volume = landscape((11, 9, 12), dtype, rng)
    check(functools.partial(function, h=3), volume, seed=1)


@pytest.mark.parametrize("function", HEIGHTS)
def test_heights_beyond_what_the_image_has(on_host, function):
    check(functools.partial(function, h=200), np.array([[-128, 127] * 20], np.int8))
    check(functools.partial(function, h=3), np.array([[-128, 127] * 20], np.int8))
    check(functools.partial(function, h=0.5), np.ones((20, 20)))
    check(functools.partial(function, h=np.float64(0.1)), np.eye(20, dtype=np.float32))


def test_chunks_of_the_device_stay_there(however_small):
    import cupy as cp

    mask = np.random.default_rng(0).random((50, 40)).astype(np.float32)
    lazy = da.from_array(mask, 20).map_blocks(cp.asarray, meta=cp.empty((0, 0), np.float32))
    with use_backends("gpu"), observe() as calls:
        results = [RECONSTRUCT(lazy * lazy, lazy), HEIGHTS[0](lazy, 0.2)]
        found = dask.compute(*results, scheduler="synchronous")
    assert {call.source for call in calls} == {"dask", "kernel"}
    assert {type(each) for each in found} == {cp.ndarray}
    np.testing.assert_array_equal(found[0].get(), RECONSTRUCT(mask * mask, mask))
    np.testing.assert_array_equal(found[1].get(), HEIGHTS[0](mask, 0.2))


@pytest.mark.parametrize(
    ("marker", "words"),
    [(2.0, "must be less than"), (np.nan, "has NaN"), (-np.inf, None)],
)
def test_what_is_refused_when_it_is_computed(on_host, marker, words):
    mask = np.ones((30, 30))
    seed = np.zeros((30, 30))
    seed[20, 5] = marker
    with use_backends("gpu"):
        lazy = RECONSTRUCT(da.from_array(seed, 12), da.from_array(mask, 12))
    if words is None:
        assert lazy.compute(scheduler="synchronous").max() == 0
        return
    with pytest.raises(ValueError, match=words):
        lazy.compute(scheduler="synchronous")


def test_infinite_heights_are_refused_when_they_are_computed(on_host):
    with use_backends("gpu"):
        lazy = HEIGHTS[0](da.from_array(np.array([[1, np.inf], [0, 2]]), 1), 0.5)
    with pytest.raises(ValueError, match="image has NaN or infinities"):
        lazy.compute(scheduler="synchronous")


def test_footprints_of_one_way_are_declined(enabled, monkeypatch):
    monkeypatch.setenv("SKIMAGE_BACKENDS_NOTIFY", "all")
    image = da.ones((30, 30), chunks=10)
    with use_backends("gpu"), pytest.warns(match="footprint is not symmetric"):
        assert not isinstance(RECONSTRUCT(image, image, footprint=np.eye(3)[:2][:1]), da.Array)


def test_a_chunk_has_few_tasks_and_images_are_larger_than_any_device(on_host):
    huge = da.zeros((2**16, 2**16), chunks=2**12)
    with use_backends("gpu"):
        result = RECONSTRUCT(huge, huge)
        assert isinstance(HEIGHTS[0](huge, 1), da.Array)
    (graph,) = dask.optimize(result)
    assert len(dict(graph.__dask_graph__())) <= 6 * 256


def test_levels_spread_as_far_as_edges_are_wide():
    for seed in range(200):
        rng = np.random.default_rng(seed)
        count = int(rng.integers(1, 20))
        ends = rng.integers(0, count, (2, rng.integers(0, 3 * count)))
        ends = ends[:, ends[0] != ends[1]]
        edges = Edges(ends, rng.integers(0, 9, ends.shape[1]).astype(float))
        levels = rng.integers(0, 9, count).astype(float)
        expected = levels.copy()
        for _ in range(count):
            for (one, other), width in zip(ends.T, edges.widths, strict=True):
                expected[one] = max(expected[one], min(width, expected[other]))
                expected[other] = max(expected[other], min(width, expected[one]))
        for graph in (edges, forest(edges, count)):
            found, nearest = spread(graph, levels)
            np.testing.assert_array_equal(found, expected)
            assert (levels[nearest] >= found).all()
        assert forest(edges, count).widths.size < count


def test_chunks_of_one_pixel(on_host):
    mask = np.random.default_rng(0).random((6, 7))
    with use_backends("gpu"), warnings.catch_warnings():
        warnings.simplefilter("error")
        lazy = RECONSTRUCT(da.from_array(mask**2, 1), da.from_array(mask, 1))
        found = lazy.compute(scheduler="synchronous")
    np.testing.assert_array_equal(found, RECONSTRUCT(mask**2, mask))
