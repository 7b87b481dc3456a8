"""Optical flow by local equations, on the device."""

import functools

import numpy as np
import pytest
from scipy import ndimage as ndi
from skimage import data
from skimage.registration import optical_flow_ilk
from skimage.transform import warp

import cuda_simulator
from skimage_gpu_backend.trouble import Declined
from tests.functions.images import INTEGERS

from .flows import assert_cost_known, pair, planned, same_flow

same = functools.partial(same_flow, optical_flow_ilk)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("gaussian", [False, True])
@pytest.mark.parametrize(
    "shape", [(40, 50), (33, 150), (16, 17), (70, 67), (18, 19, 20), (34, 35, 33), (12, 40, 15)]
)
def test_planes_and_volumes_of_one_level_and_of_several(gpu_of_each_kind, shape, gaussian, dtype):
    warps = 3 if len(shape) == 3 else 10
    same(gpu_of_each_kind, *pair(shape), dtype, gaussian=gaussian, num_warp=warps)


@pytest.mark.parametrize("radius", [2, 3, 7, 20, 40])
@pytest.mark.parametrize("gaussian", [False, True])
def test_windows_of_any_size(gpu, radius, gaussian):
    same(gpu, *pair((41, 47)), np.float64, radius=radius, gaussian=gaussian, num_warp=4)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", [(45, 50), (17, 18, 19)])
def test_medians_before_each_warp(gpu_of_each_kind, shape, dtype):
    same(gpu_of_each_kind, *pair(shape), dtype, prefilter=True, num_warp=3)


@pytest.mark.parametrize("dtype", [*INTEGERS, "float16", "float32", "float64"])
def test_dtypes(gpu, dtype):
    images = pair((40, 44), dtype)
    same(gpu, *images, np.float64)
    if not dtype.startswith(("int8", "uint8", "float16")):  # steps where rounding decides
        same(gpu, *images, np.float32)
    same(gpu, images[0], pair((40, 44))[1], np.float64, num_warp=2)


@pytest.mark.parametrize("layout", [np.asfortranarray, lambda a: a[::-2, ::3]])
def test_layouts(gpu_of_each_kind, layout):
    same(gpu_of_each_kind, *map(layout, pair((80, 140))), np.float64)


def test_flat_parts_stay_where_they_are(gpu):
    image, there = np.zeros((2, 60, 70))
    image[20:30, 20:34] = there[21:31, 22:36] = 1
    result = gpu(optical_flow_ilk, image, there, dtype=np.float64, num_warp=3)
    assert (result[:, :8, :8] == 0).all()
    # at corners that a window just reaches rounding is magnified
    expected = optical_flow_ilk(image, there, dtype=np.float64, num_warp=3)
    np.testing.assert_allclose(result, expected, atol=1e-5)
    assert (same(gpu, image * 0, image * 0) == 0).all()


@pytest.mark.parametrize("value", [np.nan, np.inf])
@pytest.mark.parametrize("gaussian", [False, True])
def test_what_spreads_is_left_to_others(gpu, value, gaussian):
    image, there = pair((40, 50))
    there[3, 4] = value
    with pytest.raises(Declined, match="infinit"):
        gpu(optical_flow_ilk, image, there, gaussian=gaussian, num_warp=2)


def test_the_flow_brings_a_photograph_back(gpu):
    image = data.camera()[100:228, 100:228] / 255
    there = ndi.shift(image, (1.5, -2), mode="nearest", order=1)
    flow = same(gpu, image, there, np.float64)
    places = np.meshgrid(*map(np.arange, image.shape), indexing="ij")
    back = warp(there, np.array(places) + flow, mode="edge")
    assert np.abs(back - image).mean() < np.abs(there - image).mean() / 5


def test_arguments_that_are_left_to_others(gpu):
    image, there = pair((20, 30))
    assert gpu.invalid(optical_flow_ilk, image, there[1:])
    assert gpu.invalid(optical_flow_ilk, image, there, dtype=np.int32)
    assert gpu.invalid(optical_flow_ilk, image, there, dtype="float16")
    assert gpu.invalid(optical_flow_ilk, image[:1], there[:1])
    assert "num_warp" in gpu.declined(optical_flow_ilk, image, there, num_warp=0)
    assert "radius" in gpu.declined(optical_flow_ilk, image, there, radius=-1)
    assert "radius" in gpu.declined(optical_flow_ilk, image, there, radius=2000)
    assert "volume" in gpu.declined(optical_flow_ilk, image[0], there[0])


def test_launches_and_bytes(gpu, counting):
    def counted(*images, **options):
        gpu(optical_flow_ilk, *images, **options)
        with counting() as counts:
            gpu(optical_flow_ilk, *images, **options)
        return counts

    images = pair((128, 128), "float32")
    one, ten = (counted(*images, num_warp=warps) for warps in (1, 10))
    # of three levels: two launches a warp; pyramids of two launches a level, flows between levels
    assert one.launches == 3 * 2 + 2 * 2 * 2 + 2
    assert ten.launches == one.launches + 9 * 3 * 2
    moved = ten.kernel_bytes_read + ten.kernel_bytes_written
    moved -= one.kernel_bytes_read + one.kernel_bytes_written
    # of each warp: slopes and error twice, what the moved image is made of at five places
    assert moved / (9 * images[0].nbytes * 1.3125) <= 60
    volume = counted(*pair((16, 17, 18), "float32"), num_warp=2)
    assert volume.launches == 6


@pytest.mark.parametrize("prefilter", [False, True])
@pytest.mark.parametrize(("dtype", "value"), [("float32", "float32"), ("uint8", "float64")])
@pytest.mark.parametrize("shape", [(20, 31), (128, 128), (16, 17, 18), (34, 35, 36)])
def test_the_plan_knows_its_cost(counting, shape, dtype, value, prefilter):
    import cupy as cp

    images = [cp.asarray(image) for image in pair(shape, dtype)]
    plan = planned(optical_flow_ilk, *images, num_warp=2, dtype=value, prefilter=prefilter)
    assert_cost_known(plan, images, counting)


@pytest.mark.usefixtures("strict")
def test_no_result_depends_on_the_order_of_threads(gpu, monkeypatch):
    monkeypatch.setattr("skimage_gpu_backend.device.kernels.resident_blocks", lambda threads: 2)
    results = set()
    plane, volume = pair((34, 40)), pair((7, 8, 9))
    for order in ("forward", "backward", "shuffled"):
        with cuda_simulator.thread_order(order):
            found = gpu(optical_flow_ilk, *plane, num_warp=2, radius=3).tobytes()
            results.add(found + gpu(optical_flow_ilk, *volume, num_warp=1, radius=2).tobytes())
    assert len(results) == 1
