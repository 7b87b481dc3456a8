"""Filtered back-projection on the device agrees with scikit-image's."""

from functools import partial

import numpy as np
import pytest
from skimage.transform import iradon, radon

from tests.functions.images import DTYPES, noise

RNG = np.random.default_rng(0)
image = partial(noise, RNG)
FILTERS = ["ramp", "shepp-logan", "cosine", "hamming", "hann", None]
WAYS = ["linear", "nearest", "cubic"]
BOUNDS = {"float32": 2e-6, "float64": 1e-12}


def same(gpu, *args, **kwargs):
    expected = iradon(*args, **kwargs)
    result = gpu(iradon, *args, **kwargs)
    assert result.dtype == expected.dtype
    assert result.shape == expected.shape
    apart = np.abs(result - expected).max()
    assert apart <= BOUNDS[expected.dtype.name] * np.abs(expected).max()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("preserve_range", [True, False])
def test_every_dtype(gpu_of_each_kind, dtype, preserve_range):
    same(gpu_of_each_kind, image((31, 20), dtype), preserve_range=preserve_range)


@pytest.mark.parametrize("filter_name", FILTERS)
@pytest.mark.parametrize("interpolation", WAYS)
@pytest.mark.parametrize("circle", [True, False])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_every_filter_and_interpolation(gpu, filter_name, interpolation, circle, dtype):
    sinogram = image((40, 18), dtype)
    args = None, None, filter_name, interpolation, circle
    same(gpu, sinogram, *args)
    same(gpu, np.asfortranarray(sinogram)[::-1], *args)


@pytest.mark.parametrize("interpolation", WAYS)
@pytest.mark.parametrize("circle", [True, False])
@pytest.mark.parametrize("rows", [2, 3, 4, 5, 6, 7, 32, 33, 100])
def test_any_size(gpu, interpolation, circle, rows):
    for size in (None, 1, 2, 17, np.int64(64)):
        args = image((rows, 5)), None, size, "ramp", interpolation, circle
        if interpolation == "cubic" and rows < (3 if circle else 4):
            assert gpu.invalid(iradon, *args)
        elif size or rows > 1:
            same(gpu, *args)


@pytest.mark.parametrize(
    "theta",
    [
        [0, 90, 180, 270, 33.3],
        (-1, 2, 3, 4.5, 1e-9),
        (390.0, 30.000000000000004, 60, 45, 0),  # sines of a half: pixels halfway between
        range(0, 180, 36),
        np.arange(5, dtype=np.uint8) * 30,
        np.linspace(0, 180, 5, dtype=np.float32),
    ],
)
@pytest.mark.parametrize("interpolation", WAYS)
def test_angles_are_taken_as_they_are_given(gpu, theta, interpolation):
    same(gpu, image((30, 5)), theta, interpolation=interpolation)


def test_an_image_comes_back(gpu):
    from skimage.data import shepp_logan_phantom
    from skimage.transform import rescale

    phantom = rescale(shepp_logan_phantom(), 0.2, mode="reflect")
    theta = np.linspace(0, 180, 60, endpoint=False)
    sinogram = radon(phantom, theta)
    same(gpu, sinogram, theta)
    assert np.abs(gpu(iradon, sinogram, theta) - phantom).mean() < 0.03


@pytest.mark.parametrize("interpolation", WAYS)
def test_what_is_not_finite_spoils_its_projection(gpu, interpolation):
    sinogram = image((16, 4))
    sinogram[3, 2] = np.nan
    args = sinogram, None, None, "ramp", interpolation
    expected, result = iradon(*args), gpu(iradon, *args)
    np.testing.assert_array_equal(np.isnan(result), np.isnan(expected))


@pytest.mark.parametrize(
    ("shape", "changes"),
    [
        ((4, 4, 4), {}),
        ((8, 5), {"theta": [1, 2]}),
        ((8, 5), {"interpolation": "no such"}),
        ((8, 5), {"filter_name": "no such"}),
        ((8, 5), {"output_size": -1}),
        ((2, 5), {"interpolation": "cubic"}),
    ],
)
def test_what_scikit_image_refuses(gpu, shape, changes):
    with pytest.raises(ValueError):
        iradon(np.zeros(shape), **changes)
    assert gpu.invalid(iradon, np.zeros(shape), **changes)


@pytest.mark.parametrize(
    ("shape", "changes", "reason"),
    [
        ((0, 5), {}, "empty"),
        ((8, 5), {"output_size": 2.5}, "integer"),
        ((8, 5), {"output_size": True}, "truth"),
        ((8, 5), {"output_size": 0}, "is 0"),
        ((8, 5), {"theta": [np.inf] * 5}, "finite"),
    ],
)
def test_what_is_left_to_scikit_image(gpu, shape, changes, reason):
    assert reason in gpu.declined(iradon, np.zeros(shape), **changes)


@pytest.mark.parametrize(("interpolation", "launches"), [("linear", 3), ("cubic", 4)])
def test_launches(gpu, counting, interpolation, launches):
    import cupy as cp

    sinogram = cp.asarray(image((40, 90)))
    with counting() as counts:
        gpu.cupy(iradon, sinogram, interpolation=interpolation)
    assert counts.launches == launches + 2  # of the Fourier transforms
