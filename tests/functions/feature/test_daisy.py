"""DAISY descriptors on the device: every grid of descriptors, every ring, every radius."""

import numpy as np
import pytest
from skimage import data
from skimage.feature import daisy

import cuda_simulator
from tests.functions.filter_agreement import same
from tests.functions.images import DTYPES

RNG = np.random.default_rng(0)
PHOTO = data.camera()[100:170, 200:290]


@pytest.mark.parametrize("dtype", [dtype for dtype in DTYPES if dtype != "float16"])
@pytest.mark.parametrize(
    "layout",
    [lambda a: a, np.asfortranarray, lambda a: a[::-1, ::2]],
    ids=["C", "Fortran", "strided"],
)
def test_every_type_and_layout(gpu_of_each_kind, dtype, layout):
    image = PHOTO > 99 if dtype == "bool" else (PHOTO // 3).astype(dtype)
    same(gpu_of_each_kind, daisy, layout(image), step=7, radius=9)


# around the 16 descriptors that a block takes at a time; descriptors that touch all borders
@pytest.mark.parametrize("across", [0, 1, 15, 16, 17, 33])
@pytest.mark.parametrize("down", [0, 1, 3])
def test_grids_of_descriptors(gpu, across, down):
    image = RNG.random((10 + down, 10 + across))
    same(gpu, daisy, image, 1, 5)
    same(gpu, daisy, image, 3, 5)


@pytest.mark.parametrize("normalization", ["l1", "l2", "daisy", "off"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_norms(gpu, normalization, dtype):
    image = np.zeros((40, 40), dtype)
    image[20:, 10:30] = RNG.random((20, 20))
    same(gpu, daisy, image, 2, 6, normalization=normalization)


@pytest.mark.parametrize(
    "arguments",
    [
        {"rings": 1, "histograms": 1, "orientations": 1},
        {"rings": 8, "histograms": 15, "orientations": 3},
        {"rings": 2, "histograms": 5, "orientations": 40},
        {"sigmas": [0, 9, 0.3]},
        {"sigmas": [40, 1e-20, 17, 3]},
        {"sigmas": [3]},
        {"ring_radii": [2, 2.5, 7.4, 9]},
        {"sigmas": [np.float32(1.3), 2, 4], "ring_radii": (3, 9)},
    ],
    ids=lambda arguments: "-".join(f"{name}={value}" for name, value in arguments.items()),
)
def test_rings(gpu, arguments):
    same(gpu, daisy, PHOTO[:40, :50], 5, 9, **arguments)


@pytest.mark.parametrize("value", [np.nan, np.inf, 1e200])
def test_odd_values(gpu, value):
    image = RNG.random((40, 50))
    image[7, 20] = value
    same(gpu, daisy, image, 3, 6)


def test_calls_that_are_not_taken(gpu):
    image = np.zeros((30, 40))
    assert gpu.invalid(daisy, image[:29])
    assert gpu.invalid(daisy, image, normalization="no such")
    assert gpu.invalid(daisy, image[None])
    assert "visualize=True" in gpu.declined(daisy, image, visualize=True)
    assert "float16" in gpu.declined(daisy, image.astype("f2"))
    assert "list" in gpu.declined(daisy, image, sigmas=(1, 2, 3))
    assert "integer" in gpu.declined(daisy, image, ring_radii=[2, 4.5])
    assert "growing numbers" in gpu.declined(daisy, image, ring_radii=[9, 4])
    assert "rings" in gpu.declined(daisy, image, rings=9)
    assert "values" in gpu.declined(daisy, image, rings=8, orientations=80)
    assert "reach" in gpu.declined(daisy, image, sigmas=[400, 3])


@pytest.mark.parametrize("dtype", ["uint8", "float32"])
def test_launches_and_bytes(gpu, counting, dtype):
    image = data.camera()[:256, :256].astype(dtype)
    with counting() as counts:
        result = gpu(daisy, image)
    assert counts.launches == 3
    maps = 8 * image.size * result.itemsize
    assert counts.kernel_bytes_read == image.nbytes + (1 + 3) * maps
    assert counts.kernel_bytes_written == (1 + 3) * maps + result.nbytes
    assert counts.to_host == 1


def test_no_result_depends_on_the_order_of_threads(gpu, monkeypatch, strict):
    for name in ("device.kernels", "functions.feature.daisy"):
        monkeypatch.setattr(f"skimage_gpu_backend.{name}.resident_blocks", lambda threads: 2)
    for order in ("forward", "backward", "shuffled"):
        with cuda_simulator.thread_order(order):
            same(gpu, daisy, PHOTO[:, :50], 3, 6, rings=2, histograms=3, orientations=3)
