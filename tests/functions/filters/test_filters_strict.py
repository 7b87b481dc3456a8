"""The filters' kernels with real blocks: no result depends on the order of the threads."""

import numpy as np
import pytest
from skimage import filters

import cuda_simulator
from tests.functions.filter_agreement import agree

RNG = np.random.default_rng(0)
PLANE = RNG.random((45, 140), np.float32)
VOLUME = RNG.integers(0, 255, (21, 13, 70), np.uint8)
MASK = RNG.random(PLANE.shape) < 0.97
CALLS = {
    "fused": (filters.gaussian, (PLANE, 2)),
    "fused, double": (filters.gaussian, (PLANE.astype(float), (4, 1))),
    "fused, channels": (filters.gaussian, (VOLUME.transpose(1, 2, 0)[..., :3], (1, 3, 0))),
    "columns": (filters.gaussian, (PLANE, (9, 0))),
    "rows": (filters.gaussian, (PLANE, (0, 40))),
    "volume": (filters.gaussian, (VOLUME, 5)),
    "3 x 3": (filters.sobel, (PLANE, MASK)),
    "5 x 5": (filters.farid, (PLANE,)),
    "roberts": (filters.roberts, (PLANE, MASK)),
    "3 x 3 x 3": (filters.scharr, (VOLUME,)),
    "5 x 5 x 5": (filters.farid, (VOLUME, VOLUME > 3)),
    "laplace of a volume": (filters.laplace, (VOLUME,)),
    "four axes": (filters.prewitt, (VOLUME[:8].reshape(2, 4, 13, 70)[..., :15],)),
}


@pytest.fixture
def strict(monkeypatch, strict):
    # few blocks: each has several tiles to do, one after the other in the same shared memory
    monkeypatch.setattr("skimage_gpu_backend.device.kernels.resident_blocks", lambda threads: 2)


@pytest.mark.usefixtures("strict")
@pytest.mark.parametrize(("function", "arguments"), CALLS.values(), ids=CALLS)
def test_no_result_depends_on_the_order_of_threads(gpu, function, arguments):
    expected = function(*arguments)
    for order in ("forward", "backward", "shuffled"):
        with cuda_simulator.thread_order(order):
            agree(gpu(function, *arguments), expected)
