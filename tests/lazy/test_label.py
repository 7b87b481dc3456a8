"""Labels of Dask arrays are those of the whole image, numbers included."""

import numpy as np
import pytest
import skimage as ski

from skimage_gpu_backend import use_backends
from skimage_gpu_backend.dispatch.observe import observe

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")
pytestmark = pytest.mark.thorough


def uneven(shape, rng, most=12):
    """Chunks of random lengths, of which some are one."""
    return tuple(tuple(_lengths(n, rng, most)) for n in shape)


def _lengths(rest, rng, most):
    while rest:
        length = min(rest, int(rng.integers(1, most)))
        yield length
        rest -= length


def spirals(side):
    """Two arms that go round each other from the center to the border."""
    y, x = np.mgrid[:side, :side] - side // 2
    turns = np.hypot(x, y) / 12 - np.arctan2(y, x) / np.pi
    return turns % 1 < 0.6


def snake(shape):
    """One line that fills a volume row by row, so that each chunk has many pieces of it."""
    image = np.zeros(shape, bool)
    image[::2, ::2] = True
    image[::2, 1::4, -1] = image[::2, 3::4, 0] = True
    image[1::4, (shape[1] - 1) // 2 * 2, -1] = image[3::4, 0, 0] = True
    return image


def check(image, chunks, **options):
    expected, number = ski.measure.label(image, return_num=True, **options)
    with use_backends("gpu"):
        lazy = da.from_array(image, chunks)
        labels, count = ski.measure.label(lazy, return_num=True, **options)
    assert isinstance(labels, da.Array)
    assert labels.dtype == expected.dtype
    assert labels.shape == expected.shape
    found, counted = dask.compute(labels, count, scheduler="synchronous")
    np.testing.assert_array_equal(found, expected)
    assert found.dtype == expected.dtype
    assert counted == number
    assert type(counted) is int


@pytest.mark.parametrize(
    "image",
    [spirals(61), ~spirals(61), snake((9, 13, 11)), ~snake((9, 13, 11))],
    ids=["spirals", "between", "snake", "around"],
)
def test_regions_that_wind_through_all_chunks(place, image):
    for connectivity in range(1, image.ndim + 1):
        check(image, 7 if image.ndim == 2 else 4, connectivity=connectivity)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("shape", [(150,), (41, 37), (13, 9, 14), (5, 4, 6, 5), (25, 31, 1)])
def test_any_image_in_any_chunks(on_host, shape, seed):
    rng = np.random.default_rng(seed)
    kind = "?" if len(shape) > 3 else "?Bqfd"[seed % 5]
    image = rng.random(shape)
    image = image < 0.55 if kind == "?" else (image * 3 - (kind == "d")).astype(kind)
    connectivity = [None, *range(1, image.ndim + 1)][seed % (image.ndim + 1)]
    check(image, uneven(shape, rng), connectivity=connectivity, background=[None, 0, 1][seed % 3])


def test_chunks_stay_where_they_are_and_each_is_labelled_once(however_small):
    import cupy as cp

    image = np.random.default_rng(0).random((30, 40)) < 0.6
    with use_backends("gpu"), observe() as calls:
        lazy = da.from_array(image, 16).map_blocks(cp.asarray, meta=cp.empty((0, 0)))
        labels = ski.measure.label(lazy)
        assert [call.source for call in calls] == ["dask"]
        blocks = dask.compute(*labels.to_delayed().ravel(), scheduler="synchronous")
    assert [call.source for call in calls[1:]] == ["kernel"] * 6
    assert isinstance(labels._meta, cp.ndarray)
    assert {type(block) for block in blocks} == {cp.ndarray}


def test_chunks_without_elements_and_one_chunk(however_small):
    image = np.random.default_rng(0).random((20, 30)) < 0.6
    check(image, ((0, 5, 0, 15), (30, 0)))
    check(image, -1)


def test_a_chunk_has_few_tasks(however_small):
    with use_backends("gpu"):
        labels = ski.measure.label(da.zeros((64, 64), chunks=8, dtype=bool))
    (graph,) = dask.optimize(labels)
    assert len(dict(graph.__dask_graph__())) <= 5.4 * 64


def test_only_faces_and_tables_are_joined(however_small):
    """What is put together in the tree is in proportion to the sides of chunks, not to pixels."""
    from dask.sizeof import sizeof

    from skimage_gpu_backend.lazy.faces import Box

    def largest(side):
        image = da.ones((4 * side, 4 * side), chunks=side, dtype=bool)
        with use_backends("gpu"):
            (graph,) = dask.optimize(ski.measure.label(image))
        tasks = dict(graph.__dask_graph__())
        keys = [k for k in tasks if "joined" in k[0] and "aggregate" not in k[0]]
        boxes = dask.get(tasks, keys)
        assert all(isinstance(box, Box) for box in boxes)
        return max(map(sizeof, boxes))

    assert largest(120) < 2.5 * largest(60)
