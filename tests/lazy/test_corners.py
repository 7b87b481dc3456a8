"""Euler numbers and perimeters of Dask arrays are those of the whole image."""

import functools

import numpy as np
import pytest
import skimage as ski

from skimage_gpu_backend import use_backends
from skimage_gpu_backend.dispatch.observe import observe
from tests.lazy.test_label import spirals, uneven

da = pytest.importorskip("dask.array")
pytestmark = pytest.mark.thorough
EULER, CROFTON = ski.measure.euler_number, ski.measure.perimeter_crofton
RANDOM = np.random.default_rng(0)
IMAGES = {
    "noise": RANDOM.random((43, 38)) < 0.5,
    "full": np.ones((30, 31), bool),
    "labels": RANDOM.integers(-1, 3, (43, 38)),
    "spirals": spirals(41),
    "line": RANDOM.random((1, 60)) < 0.5,
    "volume": RANDOM.random((13, 9, 14)) < 0.5,
}


def found(function, image, seed):
    lazy = da.from_array(image, uneven(image.shape, np.random.default_rng(seed), 14))
    with use_backends("gpu"), observe() as calls:
        result = function(lazy)
    assert calls[0].source == "dask"
    return result.compute(scheduler="synchronous")


@pytest.mark.parametrize("name", IMAGES)
def test_objects_and_holes(place, name):
    image = IMAGES[name]
    for seed, connectivity in enumerate((None, 1, image.ndim)):
        function = functools.partial(EULER, connectivity=connectivity)
        counted, expected = found(function, image, seed), function(image)
        assert counted == expected
        assert type(counted) is type(expected)


@pytest.mark.parametrize("name", [name for name, image in IMAGES.items() if image.ndim == 2])
@pytest.mark.parametrize("directions", [2, 4])
def test_lengths(place, name, directions):
    function = functools.partial(CROFTON, directions=directions)
    expected = function(IMAGES[name])
    np.testing.assert_allclose(found(function, IMAGES[name], directions), expected, 1e-11, 1e-9)


@pytest.mark.parametrize("name", [name for name, image in IMAGES.items() if image.ndim == 2])
@pytest.mark.parametrize("neighborhood", [4, 8])
def test_borders(place, name, neighborhood):
    function = functools.partial(ski.measure.perimeter, neighborhood=neighborhood)
    for image in (IMAGES[name] > 0, (IMAGES[name] > 0).astype(float)):
        length, expected = found(function, image, neighborhood), function(image)
        assert length == expected
        assert type(length) is type(expected)


def test_borders_of_values_that_are_no_mask(place):
    image = np.full((40, 40), 3, np.uint8)
    with pytest.raises(ValueError, match="mismatch"):
        ski.measure.perimeter(image)
    with pytest.raises(ValueError, match="mismatch"):
        found(ski.measure.perimeter, image, 0)
