"""skimage.morphology.medial_axis on the device finds scikit-image's very pixels."""

import numpy as np
import pytest
from skimage import data
from skimage.morphology import disk, medial_axis

import cuda_simulator
from tests.functions.images import DTYPES, meander

RNG = np.random.default_rng(24)
SHAPES = [(1, 1), (1, 40), (40, 1), (2, 2), (23, 35), (70, 66), (3, 200)]
HORSE = ~data.horse()[::4, ::4]


def same(run, image, mask=None, rng=0):
    expected = medial_axis(image, mask, True, rng=rng)
    result = run(medial_axis, image, mask, True, rng=rng)
    assert type(result) is tuple
    for ours, theirs in zip(result, expected, strict=True):
        assert ours.dtype == theirs.dtype
        np.testing.assert_array_equal(ours, theirs)
    return expected[0]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_any_shape(gpu, shape):
    for share in (0, 0.6, 0.95, 1):
        same(gpu, RNG.random(shape) < share, rng=3)


@pytest.mark.thorough
@pytest.mark.parametrize("dtype", DTYPES)
def test_any_dtype_and_layout(gpu_of_each_kind, dtype):
    same(gpu_of_each_kind, HORSE[::2, ::2].astype(dtype))
    same(gpu_of_each_kind, HORSE.astype(dtype).T[::2, ::-3])


@pytest.mark.parametrize(
    "image",
    [
        np.ones((90, 80), bool),  # without background
        np.pad(np.ones((90, 80), bool), 1),
        np.pad(disk(40), 2),
        meander(60, 61),
        np.repeat(np.repeat(meander(20, 21), 5, 0), 4, 1),
        np.arange(90)[:, None] + np.zeros(80) > 0.5 * np.arange(80),
        HORSE,
    ],
    ids=["plateau", "square", "disk", "path", "broad path", "wedge", "horse"],
)
@pytest.mark.thorough
def test_images_on_which_pixels_wait_for_each_other(gpu, image):
    for rng in range(3):
        same(gpu, image, rng=rng)


def test_pixels_outside_of_the_mask_stay_as_they_are(gpu_of_each_kind):
    for image in (HORSE, HORSE * 2.5):
        mask = RNG.random(image.shape) < 0.95
        same(gpu_of_each_kind, image, mask)
        same(gpu_of_each_kind, image, np.asfortranarray(mask))
        same(gpu_of_each_kind, image, np.zeros_like(mask))


def test_without_distances_there_is_one_array(gpu_of_each_kind):
    expected = medial_axis(HORSE, rng=1)
    np.testing.assert_array_equal(gpu_of_each_kind(medial_axis, HORSE, rng=1), expected)


@pytest.mark.parametrize(
    "rng",
    [np.int64(3), True, [1, 2], (3, 4), 2**80, np.random.SeedSequence(5)],
    ids=lambda rng: type(rng).__name__,
)
def test_any_seed(gpu, rng):
    same(gpu, HORSE, rng=rng)


@pytest.mark.parametrize("kind", [np.random.default_rng, np.random.PCG64, np.random.RandomState])
def test_the_callers_generator_goes_on_as_after_scikit_image(gpu, kind):
    ours, theirs = kind(8), kind(8)
    for _ in range(2):
        expected = medial_axis(HORSE, rng=theirs)
        np.testing.assert_array_equal(gpu(medial_axis, HORSE, rng=ours), expected)


def test_a_device_that_fails_leaves_the_generator_alone(gpu, monkeypatch):
    from skimage_gpu_backend.functions.morphology import medial_axis as room

    def fails(source, kernel, *args, **options):
        if kernel == "thin":
            raise RuntimeError

    generator = np.random.default_rng(8)
    monkeypatch.setattr(room, "launch", fails)
    with pytest.raises(RuntimeError):
        gpu(medial_axis, HORSE, rng=generator)
    assert generator.random() == np.random.default_rng(8).random()


def test_what_scikit_image_refuses_it_refuses_itself(gpu):
    for rng in (-1, 2.0, "1"):
        with pytest.raises((TypeError, ValueError)):
            medial_axis(HORSE, rng=rng)
        assert gpu.invalid(medial_axis, HORSE, rng=rng)


def test_what_is_left_to_scikit_image(gpu):
    assert "axes" in gpu.declined(medial_axis, np.ones((4, 5, 6), bool))
    for mask in (HORSE.astype(np.uint8), HORSE[1:], True):
        assert "mask" in gpu.declined(medial_axis, HORSE, mask)
    assert "diagonal" in gpu.declined(medial_axis, np.zeros((2, 50_000), bool))
    assert "no pixels" in gpu.declined(medial_axis, np.zeros((0, 5), bool))


def test_launches_do_not_depend_on_the_image(gpu, counting):
    launches = set()
    for image in (HORSE, np.pad(np.ones((60, 70), bool), 1), meander(50, 61)):
        with counting() as counts:
            gpu(medial_axis, image, rng=0)
        launches.add(counts.launches)
    assert launches == {8}


@pytest.mark.thorough
@pytest.mark.parametrize("order", ["backward", "shuffled"])
def test_no_result_depends_on_the_order_of_threads(gpu, monkeypatch, strict, order):
    monkeypatch.setattr("skimage_gpu_backend.device.kernels.resident_blocks", lambda threads: 2)
    with cuda_simulator.thread_order(order):
        same(gpu, HORSE[::2, ::2])
