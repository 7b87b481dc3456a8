"""Levels of one Dask array in another's histogram, and distances of the pixels of two."""

import numpy as np
import pytest
import skimage as ski

from skimage_gpu_backend import use_backends
from skimage_gpu_backend.dispatch.observe import observe
from tests.lazy.test_label import spirals, uneven

da = pytest.importorskip("dask.array")
pytestmark = pytest.mark.thorough
match, distance = ski.exposure.match_histograms, ski.metrics.hausdorff_distance
rng = np.random.default_rng(0)
BYTES = rng.integers(7, 90, (43, 38)).astype(np.uint8)
WORDS = rng.integers(-900, 300, (31, 52)).astype(np.int16)
COLORS = rng.integers(0, 200, (2, 20, 21, 3)).astype(np.uint8)
COLORS[0, ..., 1] += 50
POINTS = rng.random((43, 38)) < 0.003
BLOCKS = np.kron(rng.random((15, 13)) < 0.6, np.ones((3, 3)))[:43, :38]
VOLUME = rng.random((2, 13, 9, 14)) < 0.02
NOTHING = POINTS & False


def lazy(image, seed=0):
    return da.from_array(image, uneven(image.shape, np.random.default_rng(seed), 14))


@pytest.mark.parametrize(
    ("image", "reference", "axis"),
    [
        (BYTES, BYTES.T // 3, None),
        (WORDS, WORDS[:9] * 2, None),
        (WORDS, BYTES, None),
        (BYTES > 40, BYTES > 70, None),
        (COLORS[0], COLORS[1, :9], -1),
        (COLORS[0], COLORS[1, :, :, ::-1], 2),
    ],
)
def test_levels_are_those_of_whole_images(place, image, reference, axis):
    expected = match(image, reference, channel_axis=axis)
    with use_backends("gpu"), observe() as calls:
        result = match(lazy(image), lazy(reference, 1), channel_axis=axis)
    assert calls[0].source == "dask"
    assert (result.dtype, result.shape) == (expected.dtype, expected.shape)
    found = result.compute(scheduler="synchronous")
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("method", ["standard", "modified"])
@pytest.mark.parametrize(
    ("image", "other"),
    [
        (POINTS, POINTS[::-1]),
        (BLOCKS, POINTS),
        (BLOCKS, np.ones_like(BLOCKS)),
        (POINTS, NOTHING),
        (NOTHING, POINTS),
        (NOTHING, NOTHING),
        (VOLUME[0], VOLUME[1]),
        (spirals(41), spirals(41).T),
    ],
)
def test_distances_are_those_of_whole_images(place, method, image, other):
    expected = distance(image, other, method=method)
    with use_backends("gpu"), observe() as calls:
        result = distance(lazy(image), lazy(other, 1), method=method)
    assert calls[0].source == "dask"
    found = result.compute(scheduler="synchronous")
    assert type(found) is type(expected)
    np.testing.assert_allclose(found, expected, 1e-12 if method == "modified" else 0)


def test_nothing_is_computed_early_and_chunks_stay_on_the_device(however_small):
    import cupy as cp

    built = []

    def on_device(block):
        assert built, "computed before somebody asked for it"
        return cp.asarray(block)

    image = lazy(BYTES).map_blocks(on_device, meta=cp.empty((0, 0), np.uint8))
    with use_backends("gpu"):
        results = match(image, lazy(WORDS).astype(np.uint8)), distance(image, image > 50)
        built.append(True)
        found, far = (result.compute(scheduler="synchronous") for result in results)
    assert isinstance(found, cp.ndarray)
    np.testing.assert_array_equal(found.get(), match(BYTES, WORDS.astype(np.uint8)))
    assert far == distance(BYTES, BYTES > 50)


@pytest.mark.parametrize("image", [BYTES / 3, BYTES.astype(np.int64)])
def test_too_many_values_are_told_of(enabled, image):
    with use_backends("gpu"), pytest.warns(match="too many values"):
        match(lazy(image), lazy(image))
