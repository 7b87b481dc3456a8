"""slic on the device gives scikit-image's labels, and every k-means sum in its order."""

import warnings

import numpy as np
import pytest
from skimage import data, util
from skimage.segmentation import slic

from skimage_gpu_backend.functions.segmentation import slic as room
from skimage_gpu_backend.plan import Declined
from tests.functions.images import DTYPES, noise

RNG = np.random.default_rng(70)
FACE = data.astronaut()[40:140:2, 150:290:2]
GRAY = {"channel_axis": None, "compactness": 0.1}
RAW = {"enforce_connectivity": False}


def same(run, image, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = slic(image, **options)
        found = run(slic, image, **options)
    assert found.dtype == expected.dtype
    assert found.shape == expected.shape
    np.testing.assert_array_equal(found, expected)
    return expected


def blob(shape):
    mask = np.zeros(shape, bool)
    mask[tuple(slice(n // 5, n - n // 7) for n in shape)] = True
    mask[tuple(slice(n // 3, n // 2) for n in shape)] = False
    return mask


@pytest.mark.parametrize("dtype", DTYPES)
def test_any_dtype(gpu_of_each_kind, dtype):
    image = noise(RNG, (31, 44), dtype)
    assert same(gpu_of_each_kind, image, n_segments=20, **RAW, **GRAY).max() > 3
    same(gpu_of_each_kind, image, n_segments=20, mask=blob(image.shape), **RAW, **GRAY)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("zero", [False, True])
@pytest.mark.parametrize("shape", [(31, 44, 1), (31, 44, 2), (7, 19, 23), (5, 9, 14, 5)], ids=str)
def test_planes_and_volumes(gpu, dtype, zero, shape):
    image = RNG.random(shape).astype(dtype)
    axis = None if shape == (7, 19, 23) else -1
    space = shape if axis is None else shape[:-1]
    for count in (1, 7, 60):
        options = {"n_segments": count, "slic_zero": zero, "channel_axis": axis}
        same(gpu, image, compactness=0.2, **options, **RAW)
        same(gpu, image, compactness=2, start_label=0, **options)
        spacing = (0.5, 2, 1)[-len(space) :]
        same(gpu, image, compactness=0.2, spacing=spacing, sigma=0.8, **options, **RAW)
        same(gpu, image, compactness=0.2, mask=blob(space), **options, **RAW)


@pytest.mark.parametrize("dtype", ["uint8", "float64"])
def test_photographs_in_lab(gpu, dtype):
    image = FACE if dtype == "uint8" else util.img_as_float(FACE)
    for options in ({}, {"sigma": 1}, {"sigma": 7}, {"slic_zero": True}, {"sigma": (1, 2)}):
        assert same(gpu, image, n_segments=50, **options).max() > 3
        same(gpu, image, n_segments=50, mask=blob(image.shape[:2]), **options)
    first = np.moveaxis(image, -1, 0)
    same(gpu, first, n_segments=50, channel_axis=0)
    same(gpu, image, n_segments=50, convert2lab=False, compactness=0.1)


def test_photographs_in_single_precision(gpu):
    """Of the colours, whose roots NumPy takes otherwise on each CPU, few decide a segment."""
    image = util.img_as_float32(FACE)
    expected, found = slic(image, **RAW), gpu(slic, image, **RAW)
    assert (expected != found).mean() < 0.01


@pytest.mark.parametrize("shape", [(1, 1), (1, 70), (70, 1), (2, 90), (1, 1, 30)], ids=str)
def test_thin_images(gpu, shape):
    image = RNG.random(shape)
    for count in (1, 5, 1000):
        same(gpu, image, n_segments=count, **GRAY)


def test_as_many_segments_as_pixels(gpu):
    image = RNG.random((23, 31, 2))
    for count in (23 * 31, 23 * 31 // 2, 10**6):
        for compactness in (0.01, 1):
            same(gpu, image, n_segments=count, compactness=compactness, **RAW)
            same(gpu, image, n_segments=count, compactness=compactness)


@pytest.mark.parametrize("count", [-1, 0, 1, 2, 30])
def test_iterations(gpu, count):
    image = RNG.random((40, 60))
    same(gpu, image, max_num_iter=count, n_segments=30, **GRAY)
    same(gpu, image, max_num_iter=count, n_segments=30, mask=blob(image.shape), **GRAY)


def test_flat_images(gpu):
    """Of equal distances the first segment is taken."""
    for value in (0, 7):
        for shape in ((40, 61), (9, 14, 11)):
            same(gpu, np.full(shape, value, float), n_segments=30, **GRAY)
    same(gpu, np.zeros((40, 61, 3), np.uint8))


def test_segments_that_lose_all_their_pixels(gpu):
    """Their centres are no numbers any more, and no pixel goes there again."""
    image = np.zeros((40, 60))
    image[:, 30:] = 1
    for compactness in (1e-6, 1e-3):
        same(gpu, image, n_segments=400, channel_axis=None, compactness=compactness, **RAW)


def test_sums_in_single_precision_are_rounded_in_scikit_images_order(gpu):
    image = (RNG.random((300, 400)) * 10.0 ** RNG.integers(-3, 1, (300, 400))).astype("f")
    same(gpu, image, n_segments=4, **GRAY, **RAW)


def test_sizes_of_connected_segments(gpu):
    image = RNG.random((50, 61))
    for least, most in ((0, 3), (1, 1), (0.5, 0.9), (3, 100)):
        factors = {"min_size_factor": least, "max_size_factor": most}
        same(gpu, image, n_segments=40, **factors, channel_axis=None, compactness=0.01)


def test_pixels_outside_of_the_mask_may_be_anything(gpu):
    image = RNG.random((40, 50))
    mask = blob(image.shape)
    image[~mask] = np.nan
    same(gpu, image, n_segments=20, mask=mask, **GRAY)
    image[~mask] = np.inf
    same(gpu, image, n_segments=20, mask=mask, **GRAY)


def test_layouts(gpu_of_each_kind):
    image = RNG.random((30, 41, 3))
    for view in (np.asfortranarray(image), image[::-1, ::2], image[..., ::-1]):
        same(gpu_of_each_kind, view, n_segments=20, convert2lab=False, compactness=0.1)
    mask = np.asfortranarray(blob((30, 41))).astype("uint8")
    same(gpu_of_each_kind, image, n_segments=20, convert2lab=False, compactness=0.1, mask=mask)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_values_that_are_not_finite_are_refused_in_scikit_images_words(gpu, value):
    image = RNG.random((20, 30))
    image[3, 4] = value
    with pytest.raises(ValueError, match="unmasked") as expected:
        slic(image, channel_axis=None)
    with pytest.raises(ValueError, match="unmasked") as found:
        gpu(slic, image, channel_axis=None)
    assert str(found.value) == str(expected.value)


@pytest.mark.parametrize(
    "options",
    [
        {"image": RNG.random((5, 6))},
        {"image": RNG.random((5, 6, 2)), "convert2lab": True},
        {"start_label": 2},
        {"mask": np.ones((4, 4), bool)},
        {"spacing": 2.0},
        {"spacing": (1, 1, 1, 1)},
        {"sigma": (1, -1)},
        {"channel_axis": 3},
    ],
    ids=str,
)
def test_what_scikit_image_refuses_it_refuses_itself(gpu, options):
    options = dict(options)
    image = options.pop("image", RNG.random((5, 6, 3)))
    with pytest.raises((ValueError, TypeError)):
        slic(image, **options)
    assert gpu.invalid(slic, image, **options)


def test_what_is_left_to_scikit_image(gpu):
    image = RNG.random((5, 6, 3))
    assert "empty" in gpu.declined(slic, image[:0])
    assert "compactness" in gpu.declined(slic, image, compactness=0)
    assert "compactness" in gpu.declined(slic, image.astype("f"), compactness=np.float64(10))
    assert "max_size_factor" in gpu.declined(slic, image, max_size_factor=0)
    assert "n_segments" in gpu.declined(slic, image, n_segments=0)
    assert "spacing" in gpu.declined(slic, image, spacing=(1, 1, 1))
    assert "sigma" in gpu.declined(slic, image, sigma=(1, 1, 1))
    assert "channel_axis" in gpu.declined(slic, image=image, channel_axis=0)


def test_a_mask_without_pixels_is_left_to_scikit_image(gpu):
    with pytest.raises(Declined, match="mask"):
        gpu(slic, RNG.random((5, 6, 3)), mask=np.zeros((5, 6), bool))


@pytest.mark.parametrize("zero", [False, True])
def test_launches_and_bytes_do_not_depend_on_the_image(gpu, counting, zero):
    rows, columns = 64, 96
    pixels = rows * columns
    for image in (np.zeros((rows, columns, 2)), RNG.random((rows, columns, 2))):
        with counting() as counts:
            gpu.cupy(slic, image, max_num_iter=10, slic_zero=zero, compactness=0.1)
        # range, rescaled, compactness; segments without any; 3 an iteration but for the last's sums
        assert counts.launches <= 3 + 2 + 3 * 10 - 1 + zero * 10
        features = 10 * (pixels * (2 * 8 + 4 + zero * 20) + pixels * 2 * 8)
        assert counts.kernel_bytes_read <= 3 * 16 * pixels + features + 200_000
        assert counts.bytes_to_host <= (4 + 8) * pixels + 24  # the result, too


@pytest.mark.parametrize(
    "shape", [(40, 50, 3), (9, 20, 30, 2), (20, 20, 3), (2, 3, 3), (3, 40, 50)]
)
def test_the_plan_tells_launches_and_bytes(gpu, counting, shape):
    import cupy as cp

    for options in (
        {},
        {"max_num_iter": 1},
        {"max_num_iter": 0},
        {"slic_zero": True, "sigma": 1, "compactness": 1},
        {"n_segments": 4000, "enforce_connectivity": False},
    ):
        image = cp.asarray(RNG.random(shape))
        plan = room.slic(image, channel_axis=0 if shape[0] == 3 else -1, **options)
        with counting() as counts:
            plan.run(image=image)
        assert counts.launches == plan.cost.launches
        assert counts.kernel_bytes_read <= plan.cost.read + 4096
        assert counts.kernel_bytes_written <= plan.cost.written + 4096


def test_an_iteration_does_not_grow_with_the_number_of_segments(gpu, counting):
    image = RNG.random((64, 96))
    read = []
    for count in (10, 1000):
        with counting() as counts:
            gpu.cupy(slic, image, n_segments=count, **GRAY, **RAW)
        read.append(counts.launches)
    assert read[0] == read[1]
