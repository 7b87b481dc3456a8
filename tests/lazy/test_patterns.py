"""Local binary patterns of Dask arrays are those of the whole image, wherever chunks begin."""

import numpy as np
import pytest
import skimage as ski

from skimage_gpu_backend import use_backends
from skimage_gpu_backend.dispatch.observe import observe
from tests.lazy.test_label import uneven

da = pytest.importorskip("dask.array")
pytestmark = pytest.mark.thorough
patterns = ski.feature.local_binary_pattern
rng = np.random.default_rng(0)
FLAT = np.kron(rng.integers(0, 5, (43, 12)), np.ones((7, 6))).astype(np.uint8)
NOISE = rng.normal(size=(70, 55))


@pytest.mark.parametrize("method", ["default", "ror", "uniform", "nri_uniform", "var"])
@pytest.mark.parametrize(("points", "radius"), [(8, 1), (12, 1.5), (24, 3), (4, 0), (7, -2.3)])
@pytest.mark.filterwarnings("ignore:Applying")
def test_numbers_are_those_of_the_whole_image(place, method, points, radius):
    for seed, image in enumerate((FLAT, NOISE, np.where(NOISE > 2, np.nan, NOISE))):
        lazy = da.from_array(image, uneven(image.shape, np.random.default_rng(seed), 50))
        with use_backends("gpu"), observe() as calls:
            result = patterns(lazy, points, radius, method)
        assert calls[0].source == "dask"
        expected = patterns(image, points, radius, method)
        assert (result.dtype, result.shape) == (expected.dtype, expected.shape)
        np.testing.assert_array_equal(result.compute(scheduler="synchronous"), expected)


def test_rounding_depends_on_the_place():
    """Why chunks are told theirs: near the first row the same pixels have other patterns."""
    assert (patterns(FLAT[150:], 24, 3)[5:-5] != patterns(FLAT, 24, 3)[155:-5]).any()


def test_more_points_than_bits(place):
    lazy = da.from_array(FLAT, 40)
    with use_backends("gpu"):
        found = patterns(lazy, 35, 2.5).compute(scheduler="synchronous")
    np.testing.assert_array_equal(found, patterns(FLAT, 35, 2.5))


def test_floats_are_warned_of_once_and_at_once(place):
    with use_backends("gpu"), pytest.warns(UserWarning, match="Applying") as told:
        result = patterns(da.from_array(NOISE, 30), 8, 1)
        assert len(told) == 1
        result.compute(scheduler="synchronous")
    assert len(told) == 1
    assert told[0].filename == __file__
