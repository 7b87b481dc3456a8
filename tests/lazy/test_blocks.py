"""Dask arrays that are reduced block by block give what the whole image gives."""

import functools

import numpy as np
import pytest
import skimage as ski

from skimage_gpu_backend import use_backends
from skimage_gpu_backend.dispatch.observe import observe
from tests.lazy.test_components import check

da = pytest.importorskip("dask.array")
pytestmark = pytest.mark.thorough
REDUCE, MEANS = ski.measure.block_reduce, ski.transform.downscale_local_mean
RANDOM = np.random.default_rng(0)
FUNCTIONS = (np.sum, np.mean, np.max, np.min, np.median, np.std, np.any, np.prod)
SHAPES = {(200,): (3,), (83, 97): (3, 4), (97, 83): (1, 20), (23, 25, 27): (2, 3, 9)}


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("dtype", [np.uint8, np.float32, np.float64])
def test_any_chunks(on_host, function, dtype):
    for seed, (shape, sides) in enumerate(SHAPES.items()):
        image = (RANDOM.random(shape) * 9).astype(dtype)
        check(functools.partial(REDUCE, block_size=sides, func=function), image, seed=seed)


def test_other_arguments(on_host):
    image = RANDOM.random((83, 97)).astype(np.float32)
    check(functools.partial(REDUCE, block_size=5, cval=3.5), image)
    check(functools.partial(REDUCE, block_size=5, func_kwargs={"dtype": np.float64}), image)
    check(functools.partial(REDUCE, block_size=(83, 97)), image)
    check(functools.partial(REDUCE, block_size=(200, 1), func=np.mean), image)
    check(functools.partial(MEANS, factors=(3, 7)), image)
    check(functools.partial(MEANS, factors=4, cval=2), image)


def test_chunks_of_the_device_stay_there(however_small):
    import cupy as cp

    image = RANDOM.integers(0, 99, (50, 41))
    lazy = da.from_array(image, 17).map_blocks(cp.asarray, meta=cp.empty((0, 0), int))
    with use_backends("gpu"), observe() as calls:
        result = REDUCE(lazy, (4, 3))
        assert result.shape == (13, 14)
        found = result.compute(scheduler="synchronous")
    assert {call.source for call in calls} == {"dask", "kernel"}
    assert isinstance(found, cp.ndarray)
    np.testing.assert_array_equal(found.get(), REDUCE(image, (4, 3)))
