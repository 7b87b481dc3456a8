"""Unwrapped phases are scikit-image's to the last bit."""

import ctypes

import numpy as np
import pytest
from skimage import data
from skimage.restoration import unwrap_phase

import cuda_simulator
from skimage_gpu_backend.scikit_image import version
from skimage_gpu_backend.trouble import Declined
from tests.functions.images import DTYPES
from tests.functions.images import noise as noise_of

RNG = np.random.default_rng(47)
PLANES = [(2, 2), (2, 9), (3, 3), (5, 4), (31, 70), (90, 61)]
VOLUMES = [(2, 2, 2), (3, 3, 3), (4, 5, 6), (9, 20, 17)]
SHAPES = [(1,), (2,), (300,), *PLANES, *VOLUMES]
pytestmark = pytest.mark.skipif(version() >= (0, 27), reason="0.27 draws from another generator")


def same(run, image, *args, **options):
    ctypes.CDLL(None).srand(0)  # a seed that is given leaves C's numbers as they are
    expected = unwrap_phase(image, *args, **options)
    found = run(unwrap_phase, image, *args, **options)
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found, expected)
    return found


def wrapped(image):
    return np.angle(np.exp(1j * image))


def hills(shape, height=30):
    """A phase without a place at which it cannot be unwrapped."""
    axes = np.meshgrid(*(np.linspace(-1, 1.1, n) for n in shape), indexing="ij", sparse=True)
    return height * np.exp(-sum(axis**2 for axis in axes))


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_any_shape(gpu_of_each_kind, shape):
    same(gpu_of_each_kind, wrapped(hills(shape)))
    same(gpu_of_each_kind, RNG.uniform(-np.pi, np.pi, shape))
    same(gpu_of_each_kind, RNG.normal(0, 5, shape))


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("values", [1, 2, 3, 7])
def test_edges_of_equal_reliability(gpu, shape, values):
    """Their order is that of a sort that is not stable."""
    same(gpu, RNG.integers(0, values, shape) * 2.5 - 3)


@pytest.mark.parametrize("shape", [(31, 70), (9, 20, 17)])
def test_ramps(gpu, shape):
    ramp = sum(np.meshgrid(*(np.arange(n) for n in shape), indexing="ij", sparse=True))
    for slope in (0.1, 0.5, 1, np.pi / 2, 3):
        same(gpu, wrapped(slope * ramp))
        same(gpu, (slope * ramp + np.pi) % (2 * np.pi) - np.pi)


@pytest.mark.parametrize("wraps", [(a, b, c) for a in (0, 1) for b in (0, 1) for c in (0, 1)])
def test_joined_ends(gpu, wraps):
    wraps = [bool(each) for each in wraps]
    for shape in [(3, 3, 3), (4, 5, 6), (9, 20, 17)]:
        same(gpu, RNG.uniform(-np.pi, np.pi, shape), wraps)
        same(gpu, RNG.integers(0, 3, shape), tuple(wraps))
        same(gpu, wrapped(hills(shape)), wraps)
    for shape in [(3, 3), (5, 4), (31, 70)]:
        same(gpu, RNG.uniform(-np.pi, np.pi, shape), [wraps[0], False])
        same(gpu, RNG.integers(0, 3, shape), [wraps[0], False])


@pytest.mark.parametrize("dtype", DTYPES)
def test_every_dtype(gpu_of_each_kind, dtype):
    for shape in [(40,), (20, 33), (5, 6, 7)]:
        image = noise_of(RNG, shape, dtype)
        for given in (image, image.T, image[::-1]):
            same(gpu_of_each_kind, given)


@pytest.mark.parametrize("rng", [0, 5, 2**32 - 1, np.int8(3), True])
def test_seeds_change_nothing(gpu, rng):
    same(gpu, RNG.uniform(-3, 3, (9, 11)), rng=rng)


def test_photographs(gpu):
    same(gpu, wrapped(data.camera()[::4, ::4] / 10))
    same(gpu, data.coins()[::3, ::3])


@pytest.mark.parametrize("shape", [(1, 1), (1, 9), (9, 1), (1, 1, 1), (5, 1, 7), (1, 6, 1)])
def test_axes_of_one_pixel_are_warned_of(gpu_of_each_kind, shape):
    with pytest.warns(UserWarning, match="length 1 dimension"):
        same(gpu_of_each_kind, RNG.uniform(-np.pi, np.pi, shape))


@pytest.mark.parametrize("count", [2**12, 2**12 + 1, 8131, 8132, 40000])
def test_random_numbers_are_those_of_c(gpu, count):
    """Of a plane of two rows all pixels have drawn reliabilities."""
    assert same(gpu, RNG.uniform(-np.pi, np.pi, (2, -(-count // 2)))).size >= count


def test_steps_of_exactly_half_a_turn(gpu):
    image = RNG.choice([0, np.pi, np.nextafter(np.pi, 4), 2 * np.pi], (30, 40))
    for given in (image, -image, image.reshape(10, 12, 10), image.ravel()):
        same(gpu, given)


def test_long_chains_of_groups(gpu):
    """Reliabilities that fall along a snake hang each group below the next one."""
    image = np.cumsum(np.linspace(0, 1, 3 * 700)).reshape(3, 700) % 6 - 3
    same(gpu, image)
    same(gpu, np.zeros((200, 210)))
    same(gpu, np.tile([0.0, 4.0], (200, 100)))


def test_lines_are_of_any_values(gpu):
    image = RNG.normal(0, 4, 50)
    image[[3, 20, 21]] = np.nan, np.inf, -np.inf
    same(gpu, image)


def test_arguments_that_are_left_to_others(gpu):
    image = RNG.uniform(-3, 3, (6, 7))
    assert gpu.invalid(unwrap_phase, image[0], True)
    assert gpu.invalid(unwrap_phase, image[None, None])
    assert gpu.invalid(unwrap_phase, image, [True])
    for given in (True, [False, True], (1, 1)):
        assert "rows" in gpu.declined(unwrap_phase, image, given)
    assert "two pixels" in gpu.declined(unwrap_phase, image[:2], (True, False))
    assert "wrap_around" in gpu.declined(unwrap_phase, image, np.array([True, False]))
    for rng in (-1, 2**32, 0.5, np.random.default_rng(0)):
        assert "rng" in gpu.declined(unwrap_phase, image, rng=rng)
    for odd in (np.nan, np.inf, 1e200):
        broken = image.copy()
        broken[3, 3] = odd
        with pytest.raises(Declined, match="finite"):
            gpu(unwrap_phase, broken)
    assert "elements" in gpu.declined(unwrap_phase, image[:0])


@pytest.mark.parametrize(
    ("image", "launches", "times"),
    [
        (np.zeros((128, 128)), 232, 1000),
        (wrapped(hills((128, 128))), 280, 1300),
        (np.random.default_rng(1).uniform(-np.pi, np.pi, (128, 128)), 332, 1510),
    ],
    ids=["flat", "hills", "noise"],
)
def test_launches_and_bytes_are_those_of_rounds(gpu, counting, image, launches, times):
    """Of what the host asks for together: 5 launches a depth, 7 a round, 5 of the tree of joins."""
    gpu(unwrap_phase, image)
    with counting() as counts:
        gpu(unwrap_phase, image)
    assert counts.launches <= launches
    moved = counts.kernel_bytes_read + counts.kernel_bytes_written
    assert moved <= times * image.nbytes
    assert counts.bytes_to_host <= image.nbytes + 4 * 16


def test_lines_take_three_launches(gpu, counting):
    image = np.linspace(-3, 3, 5000)
    gpu(unwrap_phase, image)
    with counting() as counts:
        gpu(unwrap_phase, image)
    assert counts.launches == 3


@pytest.mark.usefixtures("strict")
def test_no_result_depends_on_the_order_of_threads(gpu, monkeypatch):
    monkeypatch.setattr("skimage_gpu_backend.device.kernels.resident_blocks", lambda threads: 2)
    images = RNG.uniform(-np.pi, np.pi, (30, 40)), RNG.integers(0, 2, (5, 6, 7)) * 4
    for order in ("forward", "backward", "shuffled"):
        with cuda_simulator.thread_order(order):
            for image in images:
                same(gpu, image)
