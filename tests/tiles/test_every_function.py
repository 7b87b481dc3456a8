"""Every function with as much device memory as its images take: no result fits beside them."""

import numpy as np
import pytest

from skimage_gpu_backend import interface
from skimage_gpu_backend.adapt.values import replace
from skimage_gpu_backend.catalog import CATALOG
from skimage_gpu_backend.trouble import DeviceTrouble
from tests.differential.check import array, by_position, inside, listed
from tests.differential.inputs import Input
from tests.differential.sweeps import SWEEPS

from .cases import cases, has_reach, is_cut
from .device import MEGABYTE, on_the_simulator
from .test_reach import LOGARITHMS, SUMS_OF_FLOATS, assert_equal

pytestmark = [on_the_simulator, pytest.mark.thorough]
SIDE = 501
SMALLER = {
    "skimage.filters.rank:windowed_histogram": 150,  # whose result is 256 times as large
    "skimage.registration:optical_flow_tvl1": 250,  # which takes hundreds of iterations
    "skimage.segmentation:random_walker": 50,  # which does so, too
    "skimage.restoration:denoise_nl_means": 60,  # which compares tens of patches for each pixel
    "skimage.transform:iradon_sart": 60,  # which goes from angle to angle
}
# Megabytes, where half of one is too little. Halos of their widest Gaussians, and their many
# arrays, make even one row of tiles large.
NEEDS = {"skimage.filters:sato": 40, "skimage.filters:hessian": 40, "skimage.filters:frangi": 40}
NEEDS |= {"skimage.filters:threshold_niblack": 3, "skimage.filters:threshold_sauvola": 3}
NEEDS |= {"skimage.filters:threshold_li": 1}  # the least of its pieces
NEEDS |= {"skimage.transform:hough_line": 4}  # whose votes take 3 MB, and a list as much again


def _standard():
    found = {case.sweep.name: case for case in cases() if is_cut(case)}
    for sweep in SWEEPS:
        case = found.get(sweep.name) or next(sweep.cases())
        yield pytest.param(case, id=sweep.name)


@pytest.fixture(autouse=True)
def selected(monkeypatch):
    monkeypatch.setenv("SKIMAGE_BACKENDS", "gpu")
    monkeypatch.setenv("SKIMAGE_BACKENDS_MIN_SIZE", "0")


@pytest.mark.parametrize("case", list(_standard()))
def test_with_memory_for_little_more_than_its_images_a_call_is_equal_or_falls_back(
    memory, monkeypatch, case
):
    name = case.sweep.name
    if name.startswith(LOGARITHMS):
        monkeypatch.setenv("CUDA_SIMULATOR_OPTIMIZE", "0")
    if name.startswith(SUMS_OF_FLOATS):
        monkeypatch.setenv("CUDA_SIMULATOR_MODE", "strict")
    side = SMALLER.get(name, SIDE)
    arguments = {}
    for key, value in case.arguments.items():
        is_image = key in CATALOG[name].arrays  # and no footprint

        def made(v, is_image=is_image):
            if not isinstance(v, Input):
                return v
            return array(v.sized(side) if is_image else v)

        arguments[key] = replace(value, made)
    args, kwargs = by_position(name, arguments)
    decision = interface.gpu.decide(name, args, kwargs)
    if not decision:
        pytest.skip("declined")
    try:
        whole = listed(decision.run())
    except Exception as error:
        pytest.skip(f"{type(error).__name__} without tiles")
    images = [arguments[key] for key in CATALOG[name].images if key in arguments]
    nbytes = sum(image.nbytes for image in inside(images, np.ndarray))
    with memory(max(int(NEEDS.get(name, 0.5) * MEGABYTE), nbytes)):
        try:
            tiled = listed(interface.gpu.decide(name, args, kwargs).run())
        except DeviceTrouble as trouble:
            assert "not enough device memory" in trouble.reason
            assert not has_reach(name)
            return
    if name.startswith(SUMS_OF_FLOATS) and has_reach(name):
        np.testing.assert_allclose(tiled, whole, rtol=1e-15)
    else:
        assert_equal(whole, tiled)
