"""skimage.morphology.reconstruction, h_maxima and h_minima give scikit-image's very numbers."""

import itertools

import numpy as np
import pytest
from skimage import data
from skimage.morphology import h_maxima, h_minima, reconstruction

from skimage_gpu_backend.functions.morphology import reconstruction as room
from skimage_gpu_backend.trouble import Declined
from tests.functions.images import DTYPES, noise

RNG = np.random.default_rng(20)
SHAPES = [(1,), (2,), (70,), (5000,), (1, 1), (1, 90), (2, 2), (33, 65), (97, 200)]
VOLUMES = [(9, 17, 35), (33, 65, 1), (1, 7, 1, 9), (5, 6, 7, 8), (3, 4, 5, 4, 3)]
METHODS = "dilation", "erosion"
HEIGHTS = h_maxima, h_minima


def pair(image, method, share=0.97):
    """A seed that is `image` at a few pixels, else as far from it as can be; and `image`."""
    end = image.min() if method == "dilation" else image.max()
    return np.where(RNG.random(image.shape) < share, end, image), image


def same(run, *args, function=reconstruction, **options):
    expected = function(*args, **options)
    found = run(function, *args, **options)
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found, expected)
    return expected


@pytest.mark.parametrize("shape", SHAPES + VOLUMES, ids=str)
def test_any_shape(gpu, shape):
    for method, highest in itertools.product(METHODS, (1, 9)):
        image = RNG.integers(0, highest, shape, np.uint8, endpoint=True)
        same(gpu, *pair(image, method), method)
    for function in HEIGHTS:
        same(gpu, image, 2, function=function)


@pytest.mark.thorough
@pytest.mark.parametrize("dtype", DTYPES)
def test_any_dtype(gpu_of_each_kind, dtype):
    image = noise(RNG, (41, 70), dtype)
    if dtype[0] in "iu":
        image[3:9, 4:8], image[12:20, :5] = np.iinfo(dtype).max, np.iinfo(dtype).min
    for method in METHODS:
        same(gpu_of_each_kind, *pair(image, method), method)
        seed, mask = pair(image, method)
        same(gpu_of_each_kind, np.asfortranarray(seed), mask[::-1][::-1], method)
    if dtype not in ("bool", "float16"):
        for function, h in itertools.product(HEIGHTS, (1, 0.1, 2.0, 17, 30.5, 1e30)):
            if dtype[0] in "iu" and h % 1:
                with pytest.warns(UserWarning, match="precision loss") as told:
                    expected = function(image // 3, h)
                    found = gpu_of_each_kind(function, image // 3, h)
                assert len(told) == 2
                np.testing.assert_array_equal(found, expected)
            else:
                same(gpu_of_each_kind, image, h, function=function)


@pytest.mark.thorough
@pytest.mark.parametrize(
    "two", [*itertools.product(["bool", "u1", "i2", "i4", "f2", "f4", "f8"], repeat=2)]
)
def test_seeds_and_masks_of_two_dtypes(gpu, two):
    image = RNG.integers(0, 2, (20, 30))
    for method in METHODS:
        seed, mask = pair(image, method)
        same(gpu, seed.astype(two[0]), mask.astype(two[1]), method)


@pytest.mark.thorough
def test_any_footprint(gpu):
    footprints = [
        np.zeros((3, 3)),
        np.eye(3),
        np.triu(np.ones((3, 3))),
        np.array([[0, 0, 0], [0, 0, 1], [0, 0, 0]]),
        np.array([[0, 0, 0, 0, 1]]),
        np.ones((1, 1)),
        np.ones((7, 5), int),
        np.tri(71),
        RNG.random((5, 9)) < 0.1,
    ]
    for footprint, method in itertools.product(footprints, METHODS):
        image = RNG.integers(0, 9, (50, 67))
        same(gpu, *pair(image, method), method, footprint)
        function = HEIGHTS[METHODS.index(method)]
        same(gpu, image, 2, footprint, function=function)
    volume = RNG.integers(0, 9, (4, 5, 6, 5))
    same(gpu, *pair(volume, "dilation", 0.8), "dilation", RNG.random((3, 5, 1, 3)) < 0.2)


def test_offsets_are_of_lines(gpu):
    for length, method in itertools.product((1, 2, 3, 4, 40), METHODS):
        for offset in (0, length // 2, length - 1):
            two = pair(RNG.integers(0, 9, 33), method, 0.9)
            same(gpu, *two, method, RNG.random(length) < 0.7, np.array([offset]))


@pytest.mark.thorough
@pytest.mark.parametrize("walls", [0, 1])
def test_worst_paths_end_after_few_visits_of_boxes(gpu, walls):
    spiral = np.zeros((256, 256), np.uint8)
    rows, columns, step = 0, 0, (0, 1)
    spiral[0, 0] = 200
    while True:  # ahead, until the wall or the path itself is two pixels away
        ahead, next_to = ((rows + k * step[0], columns + k * step[1]) for k in (1, 2))
        free = all(0 <= each < 256 for each in ahead)
        if not free or (all(0 <= each < 256 for each in next_to) and spiral[next_to]):
            step = (step[1], -step[0])
            ahead = rows + step[0], columns + step[1]
            beyond = rows + 2 * step[0], columns + 2 * step[1]
            if spiral[ahead] or (all(0 <= each < 256 for each in beyond) and spiral[beyond]):
                break
            continue
        rows, columns = ahead
        spiral[ahead] = 200
    comb = np.zeros((256, 256), np.uint8)
    comb[:, ::2] = comb[0] = 200
    cross = np.array([[0, 1, 0], [1, 1, 1], [0, 1, 0]])
    ramp = np.indices((256, 256)).sum(axis=0) // 3
    for image in (spiral, spiral.T, comb, comb[::-1], np.full((256, 256), 9), ramp, ramp[::-1]):
        image = image + walls * (image == 0)
        for at in ((0, 0), (255, 255), (128, 128)):
            seed = np.zeros_like(image)
            seed[at] = image[at]
            expected = same(gpu, seed, image, "dilation", cross)
            assert expected.max() == image[at]
            visits = rounds(seed, image, cross)
            assert visits <= 64 * 64


def rounds(seed, mask, footprint):
    """How often boxes were done."""
    import cupy as cp

    launches = room.reconstruction(seed, mask, footprint=footprint).launches
    return int(launches(seed=cp.asarray(seed), mask=cp.asarray(mask))[2][1])


@pytest.mark.thorough
def test_photograph_and_infinities(gpu_of_each_kind):
    photo = data.camera()[:200, :300]
    same(gpu_of_each_kind, np.where(photo > 40, photo - 40, 0), photo)
    image = photo / 255
    image[3, 4], image[9, 9:12], image[:2] = np.inf, -np.inf, -0.0
    for method, sign in zip(METHODS, (-1, 1), strict=True):
        same(gpu_of_each_kind, image + sign * 0.2, image, method)
    for function in HEIGHTS:
        same(gpu_of_each_kind, photo[::-2, ::3], 30, function=function)
        same(gpu_of_each_kind, (photo / 255).astype("f4"), np.float32(0.1), function=function)


@pytest.mark.parametrize("method", METHODS)
def test_seeds_beyond_the_mask_are_refused_in_scikit_images_words(gpu, method):
    seed, mask = pair(RNG.integers(0, 9, (20, 30)), method)
    seed[3, 4] = 20 if method == "dilation" else -20
    told = []
    for run in (lambda function, *args: function(*args), gpu):
        with pytest.raises(ValueError) as error:
            run(reconstruction, seed, mask, method)
        told.append(str(error.value))
    assert told[0] == told[1]


@pytest.mark.parametrize(
    "options",
    [
        {"method": "closing"},
        {"footprint": np.ones((3, 4))},
        {"footprint": np.ones(3)},
        {"footprint": np.ones((3, 3, 3))},
        {"footprint": np.ones((3, 3)), "offset": np.array([1, 1])},
        {"footprint": np.ones((3, 3)), "offset": np.array([[1], [1]])},
        {"mask": np.ones((5, 6))},
        {"seed": None},
        {"mask": 3},
        {"seed": np.ones((0, 5)), "mask": np.ones((0, 5))},
        {"seed": np.ones(5), "mask": np.ones(5), "offset": np.array([3])},
        {"seed": np.ones(5), "mask": np.ones(5), "offset": np.array([-1])},
    ],
    ids=str,
)
def test_what_scikit_image_refuses_it_refuses_itself(gpu, options):
    options = {"seed": np.ones((5, 5)), "mask": np.ones((5, 5)), **options}
    with pytest.raises((ValueError, TypeError, AssertionError, AttributeError)):
        reconstruction(**options)
    assert gpu.invalid(reconstruction, **options)


def test_what_is_left_to_scikit_image(gpu):
    image = RNG.random((20, 30))
    for h in (0, -0.1, np.inf, np.nan):
        assert "positive" in gpu.declined(h_maxima, image, h)
    assert "float16" in gpu.declined(h_minima, image.astype("f2"), 0.2)
    for dtype in ("f4", "f8"):
        assert "float(h)" in gpu.declined(h_minima, image.astype(dtype), np.longdouble(0.2))
    widest = np.array([[-3e38, 3e38]], "f4")
    with pytest.raises(Declined, match="largest number"), np.errstate(over="ignore"):
        gpu(h_maxima, widest, np.float64(5e38))
    image[3, 4] = np.nan
    with pytest.raises(Declined, match="nan_to_num"):
        gpu(reconstruction, image - 1, image)
    for function in HEIGHTS:
        with pytest.raises(Declined, match="nan_to_num"):
            gpu(function, image, 0.1)


@pytest.mark.parametrize("kind", [float, np.float16, np.float32, np.float64])
def test_heights_of_each_precision(gpu_of_each_kind, kind):
    """Images of single precision less a height of double precision are doubles, as NumPy has it.

    Plateaus are as high as h in one precision and not in the other.
    """
    steps = RNG.integers(0, 12, (40, 50)) * 0.1
    differ = 0
    for image, h in itertools.product((steps, RNG.random((40, 50)), -steps), (0.1, 0.3, 0.7, 1.05)):
        image = image.astype("f4")
        for function in HEIGHTS:
            expected = same(gpu_of_each_kind, image, kind(h), function=function)
            differ += not np.array_equal(expected, function(image, float(h)))
    assert (differ > 0) == (kind in (np.float16, np.float64))
    high = np.float32(RNG.choice([-1e38, 3e37, 1e38], (20, 30)))
    same(gpu_of_each_kind, high, kind(1e4) if kind is np.float16 else kind(1e38), function=h_maxima)


def test_launches_and_bytes_do_not_depend_on_the_image(gpu, counting):
    stripes = np.indices((256, 320)).sum(axis=0) % 2
    for content in (RNG.random((256, 320)), np.zeros((256, 320)), stripes, np.eye(256, 320)):
        image = (content * 200).astype(np.uint8)
        with counting() as counts:
            gpu(reconstruction, image // 2, image)
        assert counts.launches == 3
        assert counts.kernel_bytes_read + counts.kernel_bytes_written <= 17 * image.nbytes
        with counting() as counts:
            gpu(h_maxima, image, 3)
        assert counts.launches <= 4


@pytest.mark.exhaustive
def test_a_large_volume(gpu):
    volume = RNG.integers(0, 255, (256, 256, 256), np.uint8)
    lowered = np.where(volume > 60, volume - 60, 0).astype(np.uint8)
    same(gpu, lowered, volume)
    for function in HEIGHTS:
        same(gpu, volume, 200, function=function)
