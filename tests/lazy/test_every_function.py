"""Every function with a halo: Dask arrays in uneven chunks give what the whole image gives."""

import numpy as np
import pytest

from skimage_gpu_backend import use_backends
from skimage_gpu_backend.adapt.values import replace
from skimage_gpu_backend.catalog import CATALOG
from skimage_gpu_backend.plan import Passes, Reach
from skimage_gpu_backend.scikit_image import function_called
from tests.differential.check import array, by_position
from tests.differential.inputs import Input
from tests.tiles.cases import cases, is_cut, reach_of

da = pytest.importorskip("dask.array")
pytestmark = pytest.mark.thorough
SIDE = 150
# Products with matrices on the host: BLAS rounds those of few rows otherwise than those of many.
PRODUCTS = "skimage.color:"


def chunks_of(shape):
    """Uneven ones, the last of one element."""
    return tuple((n // 3, n - n // 3 - 1, 1) if n > 60 else (n,) for n in shape)


def _calls():
    for case in cases():
        if is_cut(case) and isinstance(reach_of(case), Reach | Passes):
            yield pytest.param(case, id=case.sweep.name)


@pytest.fixture
def place(place, monkeypatch):
    monkeypatch.setenv("CUDA_SIMULATOR_MODE", "strict")
    return place


@pytest.mark.parametrize("case", list(_calls()))
def test_chunks_give_what_the_whole_image_gives(enabled, place, case):
    name = case.sweep.name
    images = CATALOG[name].images + CATALOG[name].beside

    def sized(value):
        return array(value.sized(SIDE)) if isinstance(value, Input) else value

    whole = {k: replace(v, sized if k in images else array) for k, v in case.arguments.items()}
    lazy = {
        k: da.from_array(v, chunks_of(v.shape)) if k in images and isinstance(v, np.ndarray) else v
        for k, v in whole.items()
    }
    args, kwargs = by_position(name, whole)
    with use_backends(*("gpu",) * (place == "device")):
        expected = function_called(name)(*args, **kwargs)
    with use_backends("gpu"):
        args, kwargs = by_position(name, lazy)
        results = function_called(name)(*args, **kwargs)
    assert type(results) is (da.Array if isinstance(expected, np.ndarray) else type(expected))
    pairs = (
        [(results, expected)]
        if isinstance(results, da.Array)
        else zip(results, expected, strict=True)
    )
    for result, wanted in pairs:
        assert isinstance(result, da.Array)
        found = result.compute(scheduler="synchronous")
        assert (result.shape, result.dtype) == (wanted.shape, wanted.dtype)
        assert found.dtype == wanted.dtype
        if place == "host" and name.startswith(PRODUCTS):
            np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-13 * np.abs(wanted).max())
        else:
            np.testing.assert_array_equal(found, wanted)
