"""TV-L1 optical flow on the device."""

import functools

import numpy as np
import pytest
from skimage import data
from skimage.registration import optical_flow_tvl1

import cuda_simulator
from tests.functions.images import INTEGERS

from .flows import assert_cost_known, pair, planned, same_flow

same = functools.partial(same_flow, optical_flow_tvl1)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("prefilter", [False, True])
@pytest.mark.parametrize(
    "shape", [(40, 50), (33, 150), (16, 17), (2, 9), (18, 19, 20), (34, 35, 33)]
)
def test_planes_and_volumes_of_one_level_and_of_several(gpu_of_each_kind, shape, prefilter, dtype):
    warps = 2 if len(shape) == 3 else 5
    same(gpu_of_each_kind, *pair(shape), dtype, prefilter=prefilter, num_warp=warps)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(
    "options",
    [
        *({"attachment": strength} for strength in (5, 30.5, -1)),
        *({"tightness": strength} for strength in (0.1, 1, True)),
        *({"num_iter": 1, "num_warp": warps} for warps in (1, 3)),
        *({"tol": tol, "prefilter": smooths} for tol in (0, 1e-2, 1) for smooths in (False, True)),
    ],
)
def test_options(gpu, options, dtype):
    same(gpu, *pair((41, 47)), dtype, **options)


@pytest.mark.parametrize("dtype", [*INTEGERS, "float16", "float32", "float64"])
def test_dtypes(gpu, dtype):
    images = pair((40, 44), dtype)
    same(gpu, *images, np.float64)
    same(gpu, images[0], pair((40, 44))[1], np.float64, num_warp=2)


@pytest.mark.parametrize("layout", [np.asfortranarray, lambda a: a[::-2, ::3]])
def test_layouts(gpu_of_each_kind, layout):
    same(gpu_of_each_kind, *map(layout, pair((80, 140))), np.float64)


def test_a_photograph_and_flat_images(gpu):
    image = data.camera()[100:200, 100:230]
    there = data.camera()[101:201, 98:228]
    same(gpu, image, there, np.float64)
    flat = np.zeros((40, 50))
    assert (same(gpu, flat, flat) == 0).all()


def test_arguments_that_are_left_to_others(gpu):
    image, there = pair((20, 30))
    assert gpu.invalid(optical_flow_tvl1, image, there[1:])
    assert gpu.invalid(optical_flow_tvl1, image, there, dtype=np.int32)
    assert gpu.invalid(optical_flow_tvl1, image, there, tightness=0)
    assert "num_warp" in gpu.declined(optical_flow_tvl1, image, there, num_warp=0)
    assert "num_iter" in gpu.declined(optical_flow_tvl1, image, there, num_iter=0)
    assert "tol" in gpu.declined(optical_flow_tvl1, image, there, tol=np.inf)
    assert "attachment" in gpu.declined(optical_flow_tvl1, image, there, attachment=np.float64(3))


def test_launches_and_bytes(gpu, counting):
    def counted(*images, **options):
        gpu(optical_flow_tvl1, *images, **options)
        with counting() as counts:
            gpu(optical_flow_tvl1, *images, **options)
        return counts

    images = pair((128, 128), "float32")
    one = counted(*images, num_warp=1, num_iter=1, tol=0)
    # of three levels: an iteration and what is around it; pyramids, and flows between levels
    assert one.launches == 3 * 5 + 2 * 2 * 2 + 2
    more = counted(*images, num_warp=3, num_iter=4, tol=0)
    assert more.launches == one.launches + 3 * (2 * 2 + 11 * 3)
    moved = more.kernel_bytes_read + more.kernel_bytes_written
    moved -= one.kernel_bytes_read + one.kernel_bytes_written
    assert moved / (33 * images[0].nbytes * 1.3125) <= 60
    assert counted(*images, prefilter=True, tol=1e9).launches <= 3 * 5 * 34 + 10


@pytest.mark.parametrize("prefilter", [False, True])
@pytest.mark.parametrize(("dtype", "value"), [("float32", "float32"), ("uint8", "float64")])
@pytest.mark.parametrize("shape", [(20, 31), (128, 128), (16, 17, 18), (34, 35, 36)])
def test_the_plan_knows_its_cost(counting, shape, dtype, value, prefilter):
    import cupy as cp

    images = [cp.asarray(image) for image in pair(shape, dtype)]
    plan = planned(
        optical_flow_tvl1, *images, num_warp=2, num_iter=3, tol=0, dtype=value, prefilter=prefilter
    )
    assert_cost_known(plan, images, counting)


@pytest.mark.usefixtures("strict")
def test_no_result_depends_on_the_order_of_threads(gpu, monkeypatch):
    monkeypatch.setattr("skimage_gpu_backend.device.kernels.resident_blocks", lambda threads: 2)
    results = set()
    plane, volume = pair((34, 40)), pair((7, 8, 9))
    for order in ("forward", "backward", "shuffled"):
        with cuda_simulator.thread_order(order):
            found = gpu(optical_flow_tvl1, *plane, num_warp=2, num_iter=2).tobytes()
            found += gpu(optical_flow_tvl1, *volume, num_warp=1, num_iter=2).tobytes()
            results.add(found)
    assert len(results) == 1
