"""Maxima and minima of Dask arrays are those of the whole image, plateaus across chunks too."""

import functools

import numpy as np
import pytest
import skimage as ski

from skimage_gpu_backend import use_backends
from tests.lazy.test_components import check
from tests.lazy.test_label import spirals

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")
pytestmark = pytest.mark.thorough
EXTREMA = [ski.morphology.local_maxima, ski.morphology.local_minima]


@pytest.mark.parametrize("function", EXTREMA)
@pytest.mark.parametrize("shape", [(120,), (41, 37), (11, 9, 12), (2, 30), (30, 1)])
@pytest.mark.parametrize("dtype", [np.uint8, np.float64, bool])
def test_extrema_of_few_values(on_host, function, shape, dtype):
    rng = np.random.default_rng(0)
    for seed, values in enumerate((2, 1000)):
        image = rng.integers(0, values, shape).astype(dtype)
        for connectivity in (None, 1):
            check(functools.partial(function, connectivity=connectivity), image, seed=seed)
        check(functools.partial(function, allow_borders=False), image, seed=seed)


@pytest.mark.parametrize("function", EXTREMA)
@pytest.mark.parametrize("spoiled", [False, True])
def test_a_plateau_through_all_chunks(place, function, spoiled):
    image = spirals(41).astype(np.int32)
    if function is ski.morphology.local_minima:
        image = 1 - image
    if spoiled:  # one pixel beside its far end decides of all of it
        at = tuple(np.argwhere(image == image[20, 21])[-1])
        image[at] += 1 if function is ski.morphology.local_maxima else -1
    check(function, image)
    check(functools.partial(function, connectivity=1, allow_borders=False), image)


def test_an_image_of_one_value_has_none(on_host):
    for function in EXTREMA:
        check(function, np.ones((20, 30)))
        check(function, np.ones((1, 1)))


def test_what_is_not_lazy(enabled, monkeypatch):
    monkeypatch.setenv("SKIMAGE_BACKENDS_NOTIFY", "all")
    image = da.ones((30, 30), chunks=10)
    for options in ({"indices": True}, {"footprint": np.eye(3)}):
        with use_backends("gpu"), pytest.warns(match="leave it out|no connectivity"):
            assert not isinstance(EXTREMA[0](image, **options), da.Array)


def test_nan_is_told_when_it_is_computed(on_host):
    image = np.ones((30, 30))
    image[3, 4] = np.nan
    with use_backends("gpu"):
        lazy = EXTREMA[0](da.from_array(image, 20))
    with pytest.raises(ValueError, match="image has NaN"):
        lazy.compute(scheduler="synchronous")
