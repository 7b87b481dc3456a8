"""Histograms with real blocks: no result depends on the order of the threads."""

import numpy as np
import pytest
from skimage.filters import threshold_otsu

import cuda_simulator

RNG = np.random.default_rng(4)
SHAPES = [(1,), (3, 5), (1024,), (173, 301)]


@pytest.fixture(params=[1, 3])
def blocks(request, monkeypatch, strict):
    """Real blocks, few of them, so that the last one has partial results to combine."""
    monkeypatch.setattr(
        "skimage_gpu_backend.primitives.reduce.resident_blocks", lambda _: request.param
    )


def results(gpu, function, *args, **kwargs):
    for order in ("forward", "backward", "shuffled"):
        with cuda_simulator.thread_order(order):
            yield gpu(function, *args, **kwargs)


@pytest.mark.usefixtures("blocks")
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16", "float16", "float64"])
@pytest.mark.filterwarnings("ignore:Converting input from bool")
def test_thresholds_are_the_same(gpu, shape, dtype):
    image = (2 * RNG.random(shape) if dtype == "bool" else 100 * RNG.random(shape)).astype(dtype)
    assert set(results(gpu, threshold_otsu, image, 50)) == {threshold_otsu(image, 50)}
