"""skimage.filters.median on the device: the medians of given footprints are scikit-image's."""

import warnings

import numpy as np
import pytest
from skimage.filters import median
from skimage.morphology import ball, disk

import cuda_simulator
from tests.functions.filter_agreement import BORDERS, MODES
from tests.functions.images import DTYPES

RNG = np.random.default_rng(11)
PLANE = RNG.integers(-1000, 1000, (45, 71))
DISK = disk(3)


def same(run, image, *args, **kwargs):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = median(image, *args, **kwargs)
        result = run(median, image, *args, **kwargs)
    assert result.dtype == expected.dtype
    np.testing.assert_array_equal(result, expected)


@pytest.mark.parametrize("dtype", [d for d in DTYPES if d != "float16"])
@pytest.mark.parametrize(
    "footprint",
    [np.ones((3, 3)), np.ones((1, 9)), np.ones((5, 5)), np.ones((2, 5)), disk(5)],
    ids=["squares of 3 x 3", "network of 9", "network of 25", "pairs", "bits"],
)
def test_any_dtype(gpu_of_each_kind, dtype, footprint):
    """Integers over their whole range, floats of every magnitude and of both signs."""
    if dtype == "bool":
        image = PLANE > 0
    elif np.dtype(dtype).kind == "f":
        image = (PLANE * 10.0 ** RNG.integers(-30, 30, PLANE.shape)).astype(dtype)
        image[::7, ::5] = np.inf
        image[::5, ::7] = -np.inf
        image[::4, ::4] = -0.0
    else:
        limits = np.iinfo(dtype)
        image = RNG.integers(limits.min, limits.max, PLANE.shape, dtype, endpoint=True)
    same(gpu_of_each_kind, image, footprint)


@pytest.mark.parametrize("mode", MODES)
def test_without_a_footprint(gpu_of_each_kind, mode):
    for shape in [(40, 70), (1, 1), (50,), (9, 8, 7)]:
        same(gpu_of_each_kind, RNG.random(shape), mode=mode, cval=0.3)
        same(gpu_of_each_kind, RNG.integers(0, 255, shape, np.uint8), mode=mode)


@pytest.mark.parametrize("mode", MODES)
def test_borders(gpu, mode):
    for shape in [(40, 70), (2, 3), (1, 1), (33, 1)]:
        image = RNG.random(shape)
        same(gpu, image, np.ones((9, 4)), mode=mode, cval=0.3)
        same(gpu, image, mode=mode, cval=0.3)
        same(gpu, (image * 255).astype(np.uint8), np.eye(7), mode=mode, cval=250)


@pytest.mark.parametrize("length", BORDERS)
def test_where_tiles_end(gpu, length):
    for footprint in (DISK, None):
        same(gpu, PLANE[:3].repeat(2, 1)[:, :length], footprint)
        same(gpu, PLANE[:3].repeat(2, 1)[:, :length].T, footprint)


def test_lines_and_volumes(gpu_of_each_kind):
    same(gpu_of_each_kind, PLANE.ravel().astype(np.float32), np.ones(41))
    volume = RNG.integers(0, 9, (11, 13, 40), np.uint8)
    same(gpu_of_each_kind, volume, ball(2))
    same(gpu_of_each_kind, volume, np.ones((2, 5, 4)), mode="reflect")


@pytest.mark.parametrize("image", [PLANE.T, PLANE[::-1, ::-1], PLANE[::2, ::3]])
def test_strided_images(gpu_of_each_kind, image):
    same(gpu_of_each_kind, image, DISK)


def test_result_is_written_into_out(gpu_of_each_kind):
    image = PLANE.astype(np.int16)
    wide = np.zeros((45, 142), np.int16)
    for out in (np.zeros_like(image), wide[:, ::2]):
        same(gpu_of_each_kind, image, DISK, out=out)


def test_ranks_count_no_pixels_beyond_the_border(gpu_of_each_kind):
    same(gpu_of_each_kind, PLANE.astype(np.uint8), DISK, behavior="rank")
    same(gpu_of_each_kind, PLANE.astype(np.uint8), behavior="rank")


def test_what_is_left_to_others(gpu):
    image = PLANE.astype(np.uint8)
    assert gpu.declined(median, image, DISK, mode="constant", cval=300)
    assert gpu.declined(median, image, np.ones((301, 301)))
    assert gpu.declined(median, image, DISK, mode="wrap", behavior="rank")
    assert gpu.invalid(median, image, DISK[0])
    assert gpu.invalid(median, image.astype(np.float16), DISK)
    assert gpu.invalid(median, image, DISK, mode="no such")
    assert gpu.invalid(median, image, np.zeros((3, 3)))
    assert gpu.declined(median, image, DISK, cval=10**400)
    assert gpu.declined(median, image, DISK, behavior="rank", mode=np.ones(3))


@pytest.mark.parametrize("dtype", ["uint8", "uint16", "float32"])
@pytest.mark.parametrize("footprint", [np.ones((3, 3)), disk(4), np.ones((17, 17))])
def test_one_launch_and_each_byte_once(gpu, counting, dtype, footprint):
    image = (RNG.random((128, 128)) * 255).astype(dtype)
    with counting() as counts:
        gpu(median, image, footprint)
    assert counts.launches == 1
    places = 0 if footprint.shape == (3, 3) else 4 * np.count_nonzero(footprint)
    assert counts.kernel_bytes_read - image.nbytes == places
    assert counts.kernel_bytes_written == image.nbytes


@pytest.mark.parametrize("order", ["forward", "backward", "shuffled"])
def test_no_result_depends_on_the_order_of_threads(gpu, monkeypatch, strict, order):
    # few blocks: each has several tiles to do, one after the other in the same shared memory
    monkeypatch.setattr("skimage_gpu_backend.device.kernels.resident_blocks", lambda threads: 2)
    with cuda_simulator.thread_order(order):
        same(gpu, PLANE.astype(np.uint8), disk(2))
        same(gpu, PLANE.astype(np.float32), np.ones((2, 3)), mode="constant", cval=9)
