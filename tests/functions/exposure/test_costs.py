"""Launches, passes over the image and copies of point functions, and their real blocks."""

import numpy as np
import pytest
from skimage import exposure, util

import cuda_simulator

from .points import ADJUST, agree, photograph


@pytest.mark.parametrize(
    ("function", "dtype", "launches", "reads", "to_host"),
    [
        (exposure.adjust_gamma, "uint8", 1, 1, 0),
        (exposure.adjust_gamma, "float32", 1, 1, 1),
        (exposure.adjust_sigmoid, "float64", 1, 1, 1),
        (exposure.adjust_log, "uint16", 1, 1, 0),
        (exposure.rescale_intensity, "uint8", 2, 2, 0),
        (exposure.rescale_intensity, "uint16", 2, 2, 0),
        (exposure.rescale_intensity, "float32", 2, 2, 1),
        (exposure.is_low_contrast, "uint8", 1, 1, 1),
        (exposure.is_low_contrast, "uint16", 2, 2, 2),
        (exposure.is_low_contrast, "float16", 2, 2, 1),
        (exposure.is_low_contrast, "float32", 2, 2, 2),
    ],
)
def test_launches_and_passes_over_the_image(
    gpu, counting, function, dtype, launches, reads, to_host
):
    import cupy as cp

    image = cp.asarray(photograph(dtype))
    gpu(function, image)
    with counting() as counts:
        gpu(function, image)
    assert counts.launches == launches
    assert counts.to_host == to_host
    tables = 65536 * 2 if dtype == "uint16" and function in ADJUST else 300
    assert counts.kernel_bytes_read <= reads * image.nbytes + tables


@pytest.mark.parametrize(
    ("dtype", "side", "launches"),
    [
        ("float16", 300, 2),
        ("float32", 300, 3),
        ("float32", 1100, 3),
        ("float64", 300, 3),
        ("float64", 1100, 4),
    ],
)
def test_larger_images_are_judged_by_one_copy(gpu, counting, dtype, side, launches):
    import cupy as cp

    image = cp.asarray(np.random.default_rng(2).random((side, side)).astype(dtype))
    with counting() as counts:
        gpu(exposure.is_low_contrast, image)
    assert (counts.launches, counts.to_host) == (launches, 1)
    assert counts.bytes_to_host < 33_000


@pytest.mark.parametrize(
    ("function", "dtype", "arguments"),
    [
        (exposure.adjust_gamma, "uint8", (2.2,)),
        (exposure.adjust_log, "float32", ()),
        (exposure.rescale_intensity, "float32", ((0.1, 0.9),)),
        (util.img_as_ubyte, "float32", ()),
        (util.img_as_float32, "int16", ()),
    ],
)
def test_transposed_images_are_not_copied(gpu, counting, function, dtype, arguments):
    import cupy as cp

    image = photograph(dtype)
    transposed = cp.asarray(image).T
    with counting() as counts:
        result = gpu(function, transposed, *arguments)
    assert counts.launches == 1
    expected = function(image.T, *arguments)
    assert result.strides == expected.strides
    np.testing.assert_allclose(result.get(), expected, rtol=1e-5)


def test_given_ranges_take_one_launch(gpu, counting):
    import cupy as cp

    image = cp.asarray(photograph("float32"))
    with counting() as counts:
        gpu(exposure.rescale_intensity, image, (0.1, 0.9), (0, 1))
    assert counts.launches == 1
    assert counts.to_host == 0


@pytest.mark.parametrize("order", ["forward", "backward", "shuffled"])
def test_real_blocks_give_the_same(gpu, monkeypatch, strict, order):
    for module in ("points", "reduce"):
        monkeypatch.setattr(f"skimage_gpu_backend.primitives.{module}.resident_blocks", lambda _: 2)
    with cuda_simulator.thread_order(order):
        for dtype in ("uint8", "int16", "float32"):
            image = photograph(dtype)
            agree(gpu, exposure.adjust_gamma, image, 2.2)
            agree(gpu, exposure.rescale_intensity, image)
            agree(gpu, exposure.rescale_intensity, image, (0, 100), (0, 1))
            for fraction in (0.3, 0.4, 0.5):
                expected = exposure.is_low_contrast(image, fraction)
                assert gpu(exposure.is_low_contrast, image, fraction) == expected
