"""A flood of a Dask array is that of the whole image, through all chunks."""

import functools

import numpy as np
import pytest
import skimage as ski

from skimage_gpu_backend import use_backends
from tests.lazy.test_components import check
from tests.lazy.test_label import snake, spirals

da = pytest.importorskip("dask.array")
pytestmark = pytest.mark.thorough
FLOOD, FILL = ski.morphology.flood, ski.morphology.flood_fill
NOISE = np.random.default_rng(0).random((43, 38))


@pytest.mark.parametrize("image", [spirals(31), snake((7, 9, 11)) * 3], ids=["spirals", "snake"])
def test_a_flood_goes_through_all_chunks(place, image):
    end = tuple(map(int, np.argwhere(image)[-1]))
    for connectivity in (None, 1):
        check(functools.partial(FLOOD, seed_point=end, connectivity=connectivity), image)
        flooded = functools.partial(FILL, seed_point=end, new_value=2, connectivity=connectivity)
        check(flooded, image.astype(np.uint8))


@pytest.mark.parametrize("dtype", "?bBhHiqQfd")
def test_a_tolerance(on_host, dtype):
    low = -100 if np.dtype(dtype).kind in "if" else 0
    image = (NOISE * 200 + low).astype(dtype) if dtype != "?" else NOISE > 0.4
    for seed in ((3, 4), (-1, 30)):
        for tolerance in (None, 0, 40, -90, 55.5, 1e30):
            check(functools.partial(FLOOD, seed_point=seed, tolerance=tolerance), image)
        call = functools.partial(FILL, seed_point=seed, new_value=1, tolerance=70, connectivity=1)
        check(call, image)


def test_numbers_that_are_none(on_host):
    image = np.where(NOISE > 0.8, np.nan, np.where(NOISE < 0.1, -np.inf, NOISE))
    for seed in (np.argwhere(np.isnan(image))[5], np.argwhere(np.isinf(image))[7]):
        for tolerance in (None, 0.4):
            call = functools.partial(
                FLOOD, seed_point=tuple(map(int, seed)), tolerance=tolerance, connectivity=1
            )
            check(call, image)


def test_a_line_takes_one_number_for_a_seed(on_host):
    check(functools.partial(FLOOD, seed_point=20), (NOISE.ravel() * 1.3).astype(int))


def test_images_larger_than_any_device(on_host):
    huge = da.zeros((2**16, 2**16), chunks=2**12)
    with use_backends("gpu"):
        assert isinstance(FLOOD(huge, (5, 5)), da.Array)


def test_what_is_not_lazy(enabled, monkeypatch):
    monkeypatch.setenv("SKIMAGE_BACKENDS_NOTIFY", "all")
    image = da.ones((30, 30), chunks=10)
    with use_backends("gpu"), pytest.warns(match="no connectivity"):
        assert not isinstance(FLOOD(image, (1, 1), footprint=np.eye(3)), da.Array)
