"""Unwrapped phases are scikit-image's where the phase defines them, and as smooth elsewhere."""

import itertools

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
TURN = 2 * np.pi
PLANES = [(2, 2), (2, 9), (3, 3), (5, 4), (31, 70), (90, 61)]
VOLUMES = [(2, 2, 2), (3, 3, 3), (4, 5, 6), (9, 20, 17)]
SHAPES = [(1,), (2,), (300,), *PLANES, *VOLUMES]


def turns_of(difference):
    """Multiples of 2 pi, which the difference has to consist of."""
    turns = np.round(difference / TURN)
    np.testing.assert_allclose(difference, TURN * turns, atol=1e-10 * np.ptp(difference) + 1e-12)
    return turns


def unwrapped(run, image, *args, **options):
    """The result, which differs from the image by multiples of 2 pi."""
    found = run(unwrap_phase, image, *args, **options)
    assert found.dtype == np.float64
    assert found.shape == image.shape
    turns_of(found - image)
    return found


def theirs_of(image, *args, **options):
    """scikit-image's result.

    With joined ends it reads memory in front of the image, here zeros; a NaN there makes it hang.
    """
    memory = np.zeros(image.size + 16)
    apart = memory[8:-8].reshape(image.shape)
    apart[...] = image
    return unwrap_phase(apart, *args, **options)


def same(run, image, *args, **options):
    """Scikit-image's result but for one multiple of 2 pi, of an image without residues."""
    assert not residues(image)
    found = unwrapped(run, image, *args, **options)
    turns = turns_of(found - theirs_of(image, *args, **options))
    assert (turns == turns.flat[0]).all()
    return found


def steps(image, axis, joined=False):
    image = np.asarray(image, dtype=float)
    behind = image.take([0], axis) if joined else image.take([], axis)
    return np.diff(image, axis=axis, append=behind)


def residues(image):
    """Number of 2 x 2 loops of neighbours around which phases do not come back to the first one."""
    count = 0
    for a, b in itertools.combinations(range(image.ndim), 2):
        along = [(abs(each) > np.pi) * np.sign(each) for each in (steps(image, a), steps(image, b))]
        around = np.diff(along[0], axis=b) - np.diff(along[1], axis=a)
        count += np.count_nonzero(around)
    return count


def jumps(image, joined):
    """Number of pairs of neighbours that differ by more than half a turn."""
    along = (steps(image, axis, each) for axis, each in enumerate(joined))
    return sum(np.count_nonzero(np.abs(each) > np.pi + 1e-9) for each in along)


def as_smooth(run, images, joined=None):
    """All results together have at most 1.02 times the jumps that scikit-image leaves."""
    ours = theirs = 0
    for image in images:
        ends = joined or (False,) * image.ndim
        args = (ends,) if joined else ()
        ours += jumps(unwrapped(run, image, *args), ends)
        theirs += jumps(theirs_of(image, *args), ends)
    assert theirs > 50
    assert ours <= 1.02 * theirs


def wrapped(image):
    return np.angle(np.exp(1j * image))


def hills(shape, height=30):
    """A phase without a place at which it cannot be unwrapped."""
    axes = np.meshgrid(*(np.linspace(-1, 1.1, n) for n in shape), indexing="ij", sparse=True)
    return height * np.exp(-sum(axis**2 for axis in axes))


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_any_shape(gpu_of_each_kind, shape):
    same(gpu_of_each_kind, wrapped(hills(shape, min(1.2 * min(shape) - 1, 30))))
    unwrapped(gpu_of_each_kind, RNG.normal(0, 5, shape))


@pytest.mark.parametrize("shape", [(31, 70), (90, 61), (9, 20, 17)])
def test_the_pixel_that_keeps_its_phase_is_scikit_images(gpu, shape):
    for height in (10, 15):
        image = wrapped(hills(shape, height))
        expected = unwrap_phase(image)
        np.testing.assert_allclose(
            gpu(unwrap_phase, image), expected, atol=1e-10 * np.ptp(expected)
        )


@pytest.mark.parametrize(
    "draw",
    [
        lambda shape: RNG.uniform(-np.pi, np.pi, shape),
        lambda shape: RNG.normal(0, 5, shape),
        lambda shape: RNG.integers(0, 3, shape) * 2.5 - 3,
        lambda shape: RNG.integers(0, 7, shape) * 2.5 - 3,
        lambda shape: RNG.integers(0, 8, shape) * np.pi / 4 - np.pi,
    ],
    ids=["uniform", "normal", "3 values", "7 values", "8 phases"],
)
def test_noise_is_as_smooth_as_scikit_images(gpu, draw):
    for shapes in (PLANES, VOLUMES):
        as_smooth(gpu, [draw(shape) for shape in shapes for _ in range(3)])
    for shape in ((2, 90), (90, 2), (3, 60)):  # most pixels are at an end of an axis
        as_smooth(gpu, [draw(shape) for _ in range(10)])


@pytest.mark.parametrize("shape", [(31, 70), (9, 20, 17)])
def test_ramps(gpu, shape):
    ramp = sum(np.meshgrid(*(np.arange(n) for n in shape), indexing="ij", sparse=True))
    for slope in (0.1, 0.5, 1, np.pi / 2, 3):
        same(gpu, wrapped(slope * ramp))
        same(gpu, (slope * ramp + np.pi) % (2 * np.pi) - np.pi)


@pytest.mark.parametrize("wraps", [(a, b, c) for a in (0, 1) for b in (0, 1) for c in (0, 1)])
def test_joined_ends(gpu, wraps):
    wraps = [bool(each) for each in wraps]
    for shape in [(3, 3, 3), (9, 20, 17), (3, 3), (31, 70)]:
        joined = wraps[-len(shape) :]
        periods = [TURN * each for each in joined]
        axes = (np.linspace(0, p, n, endpoint=False) for p, n in zip(periods, shape, strict=True))
        waves = sum(np.meshgrid(*(np.cos(x) for x in axes), indexing="ij", sparse=True))
        same(gpu, wrapped(waves * 2), joined)  # a phase that has the same value behind its ends
        unwrapped(gpu, RNG.integers(0, 3, shape), tuple(joined))
    for shape in [(31, 70), (9, 20, 17)]:
        joined = tuple(wraps[-len(shape) :])
        as_smooth(gpu, [RNG.uniform(-np.pi, np.pi, shape) for _ in range(3)], joined)


def test_ends_of_all_axes_are_joined_by_one_value(gpu):
    image = RNG.uniform(-np.pi, np.pi, (21, 30))
    np.testing.assert_array_equal(
        gpu(unwrap_phase, image, True), gpu(unwrap_phase, image, (True, True))
    )


@pytest.mark.parametrize("dtype", DTYPES)
def test_every_dtype(gpu_of_each_kind, dtype):
    for shape in [(40,), (20, 33), (5, 6, 7)]:
        image = noise_of(RNG, shape, dtype)
        for given in (image, image.T, image[::-1]):
            unwrapped(gpu_of_each_kind, given)
        line = noise_of(RNG, 40, dtype)
        np.testing.assert_array_equal(gpu_of_each_kind(unwrap_phase, line), unwrap_phase(line))


@pytest.mark.skipif(version() >= (0, 27), reason="0.27 draws by the seed")
@pytest.mark.parametrize("rng", [0, 5, 2**32 - 1, np.int8(3), True])
def test_seeds_change_nothing(gpu, rng):
    unwrapped(gpu, RNG.uniform(-3, 3, (9, 11)), rng=rng)


@pytest.mark.skipif(version() < (0, 27), reason="0.26 does not seed")
@pytest.mark.parametrize("rng", [0, np.random.default_rng(0)])
def test_seeds_are_left_to_scikit_image(gpu, rng):
    assert "rng" in gpu.declined(unwrap_phase, np.zeros((9, 11)), rng=rng)


def test_photographs(gpu):
    as_smooth(gpu, [wrapped(data.camera()[::4, ::4] / 10), data.coins()[::3, ::3]])


@pytest.mark.parametrize("shape", [(1, 1), (1, 9), (9, 1), (1, 1, 1), (5, 1, 7), (1, 6, 1)])
def test_axes_of_one_pixel_are_warned_of(gpu_of_each_kind, shape):
    with pytest.warns(UserWarning, match="length 1 dimension"):
        unwrapped(gpu_of_each_kind, RNG.uniform(-np.pi, np.pi, shape))


def test_steps_of_exactly_half_a_turn(gpu):
    turns = [0, np.pi, np.nextafter(np.pi, 4), 2 * np.pi]
    images = [RNG.choice(turns, (120, 100)) for _ in range(6)]
    as_smooth(gpu, [*images[:3], *(-image for image in images[3:])])
    as_smooth(gpu, [image.reshape(10, 30, 40) for image in images])
    same(gpu, images[0].ravel())


def test_long_chains_of_groups(gpu):
    """Reliabilities that fall along a snake hang each group below the next one."""
    image = np.cumsum(np.linspace(0, 1, 3 * 700)).reshape(3, 700) % 6 - 3
    as_smooth(gpu, [image])
    same(gpu, np.zeros((200, 210)))
    same(gpu, np.tile([0.0, 4.0], (200, 100)))


def test_lines_are_of_any_values(gpu):
    image = RNG.normal(0, 4, 50)
    image[[3, 20, 21]] = np.nan, np.inf, -np.inf
    np.testing.assert_array_equal(gpu(unwrap_phase, image), unwrap_phase(image))


def test_arguments_that_are_left_to_others(gpu):
    image = RNG.uniform(-3, 3, (6, 7))
    assert gpu.invalid(unwrap_phase, image[0], True)
    assert gpu.invalid(unwrap_phase, image[None, None])
    assert gpu.invalid(unwrap_phase, image, [True])
    assert "two pixels" in gpu.declined(unwrap_phase, image[:2], (True, False))
    assert "wrap_around" in gpu.declined(unwrap_phase, image, np.array([True, False]))
    assert "masked" in gpu.declined(unwrap_phase, np.ma.array(image, mask=image > 2))
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
        (np.zeros((128, 128)), 70, 212),
        (wrapped(hills((128, 128))), 70, 212),
        (np.random.default_rng(1).uniform(-np.pi, np.pi, (128, 128)), 128, 430),
    ],
    ids=["flat", "hills", "noise"],
)
def test_launches_and_bytes_are_those_of_rounds(gpu, counting, image, launches, times):
    """Of what the host asks for together: 7 launches a round, 5 of the tree of joins."""
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
    for image in (RNG.uniform(-np.pi, np.pi, (30, 40)), RNG.integers(0, 2, (5, 6, 7)) * 4):
        found = []
        for order in ("forward", "backward", "shuffled"):
            with cuda_simulator.thread_order(order):
                found.append(unwrapped(gpu, image))
        np.testing.assert_array_equal(found[0], found[1])
        np.testing.assert_array_equal(found[0], found[2])


@pytest.mark.parametrize("shape", [(100, 1), (1, 100), (100, 1, 1), (1, 100, 1), (1, 1, 100)])
@pytest.mark.filterwarnings("ignore:Image has a length 1 dimension")
def test_ends_that_are_joined_meet(gpu, shape):
    """As scikit-image's own test has it: a ramp whose last pixel is its first one."""
    ramp = np.linspace(0, 12 * np.pi, 100)
    ramp[-1] = ramp[0]
    image = np.angle(np.exp(1j * ramp)).reshape(shape)
    joined = gpu(unwrap_phase, image, tuple(length > 1 for length in shape)).ravel()
    assert joined[0] == pytest.approx(joined[-1], abs=1e-9)
    apart = gpu(unwrap_phase, image).ravel()
    assert abs(apart[0] - apart[-1]) > np.pi
