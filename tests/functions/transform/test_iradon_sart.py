"""SART on the device: scikit-image's sums, to the last bit but for those of CUDA's cosine."""

from functools import partial

import numpy as np
import pytest
from skimage.transform import iradon_sart

import cuda_simulator
from skimage_gpu_backend import use_backends
from tests.functions.images import DTYPES, noise

RNG = np.random.default_rng(0)
image = partial(noise, RNG)
FLOATING = ["float32", "float64"]
CAST = pytest.mark.filterwarnings("ignore:Only floating point:UserWarning")


def assert_equal_but_for_cosines(result, expected):
    """The window is of cosines, which the C library and CUDA round otherwise."""
    if cuda_simulator.active():
        np.testing.assert_array_equal(result, expected)
    bound = 500 * np.finfo(expected.dtype).eps * np.abs(expected).max(initial=0)
    np.testing.assert_allclose(result, expected, rtol=0, atol=bound)


def same(gpu, *args, image=None, **kwargs):
    copies = [None if image is None else image.copy(order="K") for _ in range(2)]
    expected = iradon_sart(*args, image=copies[0], **kwargs)
    result = gpu(iradon_sart, *args, image=copies[1], **kwargs)
    assert result.dtype == expected.dtype
    assert_equal_but_for_cosines(result, expected)
    if image is not None and hasattr(gpu, "declined"):
        np.testing.assert_array_equal(copies[1], copies[0])
        assert (result is copies[1]) == (expected is copies[0])
    return result


@CAST
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("into", [None, "float32", np.float64])
def test_every_dtype(gpu_of_each_kind, dtype, into):
    same(gpu_of_each_kind, image((21, 14), dtype), dtype=into)


@pytest.mark.parametrize("dtype", FLOATING)
@pytest.mark.parametrize("rows", [2, 3, 4, 5, 6, 7, 32, 33, 90])
def test_any_size_and_layout(gpu, rows, dtype):
    sinogram = image((rows, 9), dtype)
    for each in (sinogram, np.asfortranarray(sinogram), sinogram[::-1, ::-1]):
        same(gpu, each)


@pytest.mark.parametrize("dtype", FLOATING)
@pytest.mark.parametrize(
    "theta",
    [
        [0, 90, 180, 270, 33.3],
        (-1, 2, 2, 4.5, 1e-9),
        range(0, 180, 36),
        np.arange(5, dtype=np.uint8) * 30,
        np.linspace(0, 180, 5, dtype=np.float32),
    ],
)
def test_angles_are_taken_as_they_are_given(gpu, theta, dtype):
    same(gpu, image((30, 5), dtype), theta)


@pytest.mark.parametrize("dtype", FLOATING)
@pytest.mark.parametrize(
    "options",
    [
        {"projection_shifts": np.linspace(-2, 3.3, 12)},
        {"projection_shifts": [1, 1, 0, 0, 0, -1, 2, 50, -60, 0, 0, 7]},
        {"clip": (0, 1)},
        {"clip": [0.5, np.inf]},
        {"clip": (1, 0)},
        {"relaxation": 0.3},
        {"relaxation": 1},
        {"relaxation": np.float32(-2)},
        {"clip": (0, 1), "relaxation": 0.5, "projection_shifts": np.full(12, 1.7)},
    ],
)
def test_options(gpu, options, dtype):
    same(gpu, image((34, 12), dtype), **options)


@pytest.mark.parametrize("dtype", FLOATING)
@pytest.mark.parametrize("order", ["C", "F"])
def test_a_first_estimate_is_written_as_scikit_image_writes_it(gpu_of_each_kind, dtype, order):
    sinogram = image((27, 11), dtype)
    first = np.asarray(image((27, 27), dtype) / 100, dtype, order=order)
    same(gpu_of_each_kind, sinogram, image=first)
    same(gpu_of_each_kind, sinogram, image=first, clip=(0, 1))
    same(gpu_of_each_kind, sinogram, image=first[::-1, ::-1])


@pytest.mark.parametrize("clip", [None, (0, 1)])
def test_a_device_array_is_written_too(gpu, clip):
    import cupy as cp

    sinogram, first = image((27, 11)), image((27, 27)) / 100
    there = cp.asarray(first)
    result = gpu(iradon_sart, cp.asarray(sinogram), image=there, clip=clip)
    expected = iradon_sart(sinogram, image=first, clip=clip)
    assert_equal_but_for_cosines(there.get(), first)
    assert_equal_but_for_cosines(result.get(), expected)
    assert (result is there) == (expected is first)


@pytest.mark.parametrize("clip", [None, (0, 0.01)])
@pytest.mark.parametrize("output", ["resident", "cupy"])
def test_an_estimate_that_stays_on_the_device_is_written_too(however_small, output, clip):
    import cupy as cp

    sinogram = image((20, 9))
    first = iradon_sart(sinogram)
    second = iradon_sart(sinogram, image=first, clip=clip)
    with use_backends("gpu", output=output):
        once = iradon_sart(sinogram)
        twice = iradon_sart(sinogram, image=once, clip=clip)
    assert (once is twice) == (first is second)
    for result, expected in ((once, first), (twice, second)):
        assert_equal_but_for_cosines(cp.asnumpy(result), expected)


def test_a_read_only_estimate_is_refused(gpu):
    first = np.zeros((10, 10))
    first.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        iradon_sart(image((10, 5)), image=first)
    assert gpu.invalid(iradon_sart, image((10, 5)), image=first)
    square = image((10, 10))
    assert "copy" in gpu.declined(iradon_sart, square, image=square)


def test_an_image_comes_back(gpu):
    from skimage.data import shepp_logan_phantom
    from skimage.transform import radon, rescale

    phantom = rescale(shepp_logan_phantom(), 0.1, mode="reflect")
    theta = np.linspace(0, 180, 40, endpoint=False)
    sinogram = radon(phantom, theta)
    once = same(gpu, sinogram, theta)
    # of the same dtype object: of an equal one NumPy gives scikit-image a view of the image
    twice = same(gpu, sinogram, theta, image=once.view(sinogram.dtype))
    error = [np.sqrt(((made - phantom) ** 2).mean()) for made in (once, twice)]
    assert error[1] < error[0] < 0.1


def test_warnings(gpu):
    with pytest.warns(UserWarning, match="Only floating point data type"):
        gpu(iradon_sart, image((10, 5), "uint8"))
    first = np.zeros((10, 10), "float32")
    with pytest.warns(UserWarning, match="image is cast to float64"):
        gpu(iradon_sart, image((10, 5)), image=first)


def test_what_is_not_finite_spreads_as_in_scikit_image(gpu):
    sinogram = image((16, 4))
    sinogram[7, 2] = np.nan
    expected = iradon_sart(sinogram)
    assert_equal_but_for_cosines(gpu(iradon_sart, sinogram), expected)


@pytest.mark.parametrize(
    ("shape", "changes"),
    [
        ((4, 4, 4), {}),
        ((8, 5), {"theta": [1, 2]}),
        ((8, 5), {"dtype": int}),
        ((8, 5), {"image": np.zeros((5, 5))}),
        ((8, 5), {"projection_shifts": [1, 2]}),
        ((8, 5), {"clip": (0, 1, 2)}),
    ],
)
def test_what_scikit_image_refuses(gpu, shape, changes):
    with pytest.raises(ValueError):
        iradon_sart(np.zeros(shape), **changes)
    assert gpu.invalid(iradon_sart, np.zeros(shape), **changes)


@pytest.mark.parametrize(
    ("shape", "changes", "reason"),
    [
        ((1, 5), {}, "fewer than two rows"),
        ((8, 0), {}, "no columns"),
        ((8, 5), {"theta": [np.inf] * 5}, "finite"),
        ((8, 5), {"projection_shifts": [np.nan] * 5}, "finite"),
        ((8, 5), {"clip": (0, None)}, "plain numbers"),
        ((8, 5), {"relaxation": np.inf}, "finite"),
        ((8, 5), {"dtype": ">f8"}, "byte order"),
        ((8, 5), {"image": np.zeros((8, 8), np.longdouble)}, "64 bits"),
        ((8, 5), {"relaxation": np.float64(0.2), "dtype": "float32"}, "wider"),
    ],
)
def test_what_is_left_to_scikit_image(gpu, shape, changes, reason):
    assert reason in gpu.declined(iradon_sart, np.zeros(shape), **changes)


def test_two_launches_an_angle(gpu, counting):
    import cupy as cp

    sinogram = cp.asarray(image((24, 10)))
    shifts = np.arange(10.0)
    with counting() as counts:
        gpu.cupy(iradon_sart, sinogram)
    assert counts.launches == 2 * 10 + 1
    with counting() as counts:
        gpu.cupy(iradon_sart, sinogram, projection_shifts=shifts)
    assert counts.launches == 3 * 10
