"""skimage.segmentation.watershed gives scikit-image's very labels."""

import numpy as np
import pytest
from scipy import ndimage as ndi
from skimage import data, filters, morphology
from skimage.segmentation import watershed

from skimage_gpu_backend.functions.segmentation import watershed as room
from skimage_gpu_backend.primitives import marker_queues, watersheds
from skimage_gpu_backend.trouble import Declined
from tests.functions.images import DTYPES, noise

RNG = np.random.default_rng(33)
SHAPES = [(1,), (2,), (70,), (5000,), (1, 1), (1, 90), (2, 2), (33, 65), (97, 200)]
VOLUMES = [(9, 17, 35), (33, 65, 1), (1, 7, 1, 9), (5, 6, 7, 8), (3, 4, 5, 4, 3)]
COINS = data.coins()


def points(shape, count, dtype=int):
    """Markers of pixels here and there, of `count` labels at most."""
    markers = np.zeros(shape, dtype)
    markers[tuple(RNG.integers(0, n, count) for n in shape)] = np.arange(1, count + 1)
    return markers


def same(run, image, *args, **options):
    expected = watershed(image, *args, **options)
    found = run(watershed, image, *args, **options)
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found, expected)
    return expected


def same_or_tied(run, image, *args, **options):
    """Whether the call is not left to scikit-image."""
    try:
        same(run, image, *args, **options)
    except Declined as reason:
        assert "markers of one value" in str(reason)
        return False
    return True


@pytest.mark.parametrize("shape", SHAPES + VOLUMES, ids=str)
def test_any_shape(gpu, shape):
    for highest in (1, 9, 200):
        image = RNG.integers(0, highest, shape, endpoint=True)
        markers = points(shape, 4)
        image[markers > 0] = -markers[markers > 0]  # no ties
        for connectivity in range(1, len(shape) + 1):
            same(gpu, image, markers, connectivity)
            same(gpu, image, markers, connectivity, mask=RNG.random(shape) < 0.8)
        same(gpu, RNG.random(shape), markers)


@pytest.mark.thorough
@pytest.mark.parametrize("dtype", DTYPES)
def test_any_dtype(gpu_of_each_kind, dtype):
    image = noise(RNG, (41, 70), dtype)
    if dtype[0] in "iu":
        image[3:9, 4:8], image[12:20, :5] = np.iinfo(dtype).max, np.iinfo(dtype).min
    if dtype[0] == "f":
        image[3:9, 4:8], image[12:20, :5], image[30] = np.inf, -np.inf, -0.0
    markers = (points(image.shape, 9) > 0).astype(int)  # of one label there are no ties
    markers[5, 20] = 7
    for view in (image, np.asfortranarray(image), image[::-1][::-1]):
        same_or_tied(gpu_of_each_kind, view, markers, 2)
    if dtype not in ("bool", "float16"):
        smooth = ndi.gaussian_filter(RNG.random((41, 70)), 2) * 900
        same_or_tied(gpu_of_each_kind, smooth.astype(dtype), markers)


@pytest.mark.parametrize("dtype", [dtype for dtype in DTYPES if dtype[0] != "f"])
def test_any_dtype_of_markers(gpu, dtype):
    image = RNG.random((41, 70))
    markers = points(image.shape, 9)
    markers[markers == 3] = -5
    mask = np.arange(70) % 9 > np.zeros((41, 1))
    same(gpu, image, markers.astype(dtype))
    same(gpu, image, np.asfortranarray(markers.astype(dtype)), mask=mask)
    same(gpu, image, markers.astype(dtype)[:, ::-1], mask=mask.astype(float))


@pytest.mark.thorough
def test_any_footprint(gpu):
    footprints = [
        np.ones((3, 3)),
        np.ones((1, 1)),
        np.zeros((3, 3)),
        np.eye(3),
        morphology.disk(2),
        np.ones((7, 3), int),
        [[0, 1, 0], [1, 1, 1], [0, 1, 0]],
    ]
    for footprint in footprints:
        for highest in (5, 9000):
            image = RNG.integers(0, highest, (50, 67))
            markers = points(image.shape, 5)
            image[markers > 0] = -markers[markers > 0]
            same(gpu, image, markers, footprint)
    shifted = np.zeros((4, 5))
    shifted[:3, 1:4] = ndi.generate_binary_structure(2, 1)
    same(gpu, image, markers, shifted, offset=(1, 2))
    same(gpu, image, markers, 2, (1, 1))
    same(gpu, image, markers, None)
    same(gpu, RNG.random((9, 8, 7)), points((9, 8, 7), 5), np.ones((1, 3, 3)))


@pytest.mark.thorough
@pytest.mark.parametrize("levels", [2, 4, 10, 50, 1000])
def test_ties_are_told_apart_or_left_to_scikit_image(gpu, levels):
    taken = 0
    for turn in range(60):
        shape = tuple(RNG.integers(1, 30, 2)) if turn % 2 else tuple(RNG.integers(1, 12, 3))
        image = RNG.integers(0, levels, shape)
        if turn % 3:
            image = (ndi.gaussian_filter(RNG.random(shape), 1.5) * levels * 4).astype(int)
        markers = points(shape, 7)
        if turn % 4:
            image[markers > 0] -= markers[markers > 0]
        mask = RNG.random(shape) < 0.8 if turn % 5 == 0 else None
        taken += same_or_tied(gpu, image, markers, 1 + turn % len(shape), mask=mask)
    assert taken > 25


@pytest.mark.parametrize("turn", range(12))
def test_the_lowest_markers_take_their_turns_as_in_the_queue(gpu, turn):
    """On a flat image the queue's own order decides, which the host finds from the markers."""
    shape = [(201,), (41, 50), (9, 13, 14)][turn % 3]
    image = np.zeros(shape, int)
    if turn % 2:
        image[RNG.random(shape) < 0.3] = 5
    markers = points(shape, 3 + 4 * turn)
    markers[image > 0] = 0
    if turn > 5:
        markers[RNG.random(shape) < 0.1] = 3
        image[RNG.random(shape) < 0.05] = 7  # markers above the lowest ones
        markers[image > 5] = 3
    mask = RNG.random(shape) < 0.9 if turn % 5 == 0 else None
    for connectivity in range(1, len(shape) + 1):
        same_or_tied(gpu, image, markers, connectivity, mask=mask)
        assert same_or_tied(gpu, image * 0, markers, connectivity, mask=mask)


def test_turns_of_many_markers_are_left_to_the_queue(gpu, monkeypatch):
    image, markers = np.zeros((40, 50)), points((40, 50), 30)
    assert same_or_tied(gpu, image, markers)
    monkeypatch.setattr(marker_queues, "_MOST", 20)
    assert not same_or_tied(gpu, image, markers)


def test_ties_are_found_before_passes(gpu, counting):
    """Peaks of exact distances touch each other."""
    blobs = data.binary_blobs(128, rng=1)
    distance = ndi.distance_transform_edt(blobs).astype("f4")
    markers = ndi.label(morphology.local_maxima(distance, connectivity=1))[0]
    with counting() as counts:
        assert not same_or_tied(gpu, -distance, markers, 2, mask=blobs)
    assert counts.launches <= 14


def test_ties_that_are_found_early_are_ties_in_the_end(gpu, monkeypatch):
    early = []
    for turn in range(40):
        shape = tuple(RNG.integers(2, 40, 2))
        image = (ndi.gaussian_filter(RNG.random(shape), 1.5) * 30).astype(int)
        markers = points(shape, 20)
        if not same_or_tied(gpu, image, markers, 1 + turn % 2):
            early.append((image, markers, 1 + turn % 2))
    assert len(early) > 10
    monkeypatch.setattr(watersheds, "_IS_TIED", 0)
    assert not any(same_or_tied(gpu, *each) for each in early)


def test_a_flood_that_came_first_goes_on_first(gpu):
    """Of pixels at one level, those go on first whose level was reached from a lower one."""
    image = np.array([[5, 5, 5, 5, 5, 5, 5, 5, 5], [1, 9, 9, 9, 9, 9, 9, 9, 2]])
    markers = np.zeros_like(image)
    for first, last in ((1, 2), (2, 1)):
        image[1, 0], image[1, -1] = first, last
        markers[1, 0], markers[1, -1] = 1, 2
        assert same(gpu, image, markers)[0, 4] == (1 if first < last else 2)
    assert same(gpu, np.array([2, 3, 3, 3]), np.array([1, 0, 0, 2])).tolist() == [1, 1, 2, 2]
    assert same(gpu, np.array([2, 3, 1, 2, 3]), np.array([2, 0, 0, 0, 1])).tolist() == [
        2,
        2,
        2,
        1,
        1,
    ]


def test_markers_are_made_on_the_device(gpu_of_each_kind):
    smooth = filters.gaussian(COINS[::2, ::2], 2)
    mask = smooth > 0.2
    same(gpu_of_each_kind, smooth)
    same(gpu_of_each_kind, smooth, connectivity=2, mask=mask)
    for number in (9, np.int64(40), 70.5, True, 10**6):
        same(gpu_of_each_kind, smooth, number)
        same(gpu_of_each_kind, smooth, number, mask=mask)


def test_photographs(gpu_of_each_kind):
    edges = filters.sobel(COINS)
    markers = (COINS < 30) + 2 * (COINS > 150)
    assert same(gpu_of_each_kind, edges, markers).max() == 2
    same(gpu_of_each_kind, edges.astype("f4"), markers.astype("i4"), mask=COINS > 20)


def meander(side):
    """A way of one pixel's width, along each row and back."""
    image = np.zeros((side, side))
    image[1::2] = 1
    image[1::4, -1] = image[3::4, 0] = 0
    return image


@pytest.mark.parametrize("side", [101, 257])
def test_worst_ways_end_after_few_visits_of_boxes(gpu, side):
    import cupy as cp

    way = meander(side)
    markers = np.zeros(way.shape, int)
    markers[0, 0], markers[-1, side // 2] = 1, 2
    way[0, 0] = -1
    for image in (way, way.T, way + RNG.random(way.shape) / 9):
        marked = markers.T if image is way.T else markers
        same(gpu, image, marked, mask=image < 0.9)
        args = image.shape, image.dtype, marked.dtype, False
        footprint = ndi.generate_binary_structure(2, 1)
        floods = watersheds.Watershed(*args, footprint, (1, 1))
        _, passes, visits = floods(cp.asarray(image), cp.asarray(marked))
        assert passes <= 2
        assert visits <= 200 * (side // 32 + 1) ** 2


def test_rounds_are_bounded(gpu, monkeypatch):
    monkeypatch.setattr(watersheds, "_MOST_VISITS", 2)
    room._floods.cache_clear()
    image = meander(151)
    markers = np.zeros(image.shape, int)
    markers[0, 0] = 1
    with pytest.raises(Declined, match="more rounds"):
        gpu(watershed, image, markers)
    room._floods.cache_clear()


def test_what_is_left_to_scikit_image(gpu):
    image, markers = RNG.random((20, 30)), points((20, 30), 4)
    mask = np.ones(image.shape, bool)
    for options, word in {
        "compactness": (0.1, "compactness"),
        "watershed_line": (True, "find_boundaries"),
        "connectivity": (np.tri(3), "symmetric"),
        "offset": ((0, 0), "symmetric"),
    }.items():
        assert word[1] in gpu.declined(watershed, image, markers, **{options: word[0]})
    assert "dtype" in gpu.declined(watershed, image, markers, mask=mask.astype("longdouble"))
    turned = np.asfortranarray(markers)
    assert "Fortran" in gpu.declined(watershed, image, turned, mask=np.asfortranarray(mask))
    image[3, 4] = np.nan
    with pytest.raises(Declined, match="nan_to_num"):
        gpu(watershed, image, markers)
    mask[3, 4] = False
    same(gpu, image, markers, mask=mask)
    with pytest.raises(Declined, match="markers of one value"):
        gpu(watershed, -np.eye(1, 9, 1), np.arange(9)[None] % 4)


@pytest.mark.parametrize(
    "options",
    [
        {"markers": np.ones((5, 6), int)},
        {"markers": np.ones((5, 5))},
        {"mask": np.ones((5, 6), bool)},
        {"connectivity": np.ones((3, 4))},
        {"connectivity": np.ones(3)},
    ],
    ids=str,
)
def test_what_scikit_image_refuses_it_refuses_itself(gpu, options):
    options = {"image": np.ones((5, 5)), "markers": np.eye(5, dtype=int), **options}
    with pytest.raises((ValueError, TypeError, RuntimeError)):
        watershed(**options)
    assert gpu.invalid(watershed, **options)


def test_launches_and_bytes(gpu, counting):
    image, markers = RNG.random((256, 320)).astype("f4"), points((256, 320), 50)
    with counting() as counts:
        gpu(watershed, image, markers)
    assert counts.launches <= 12
    assert counts.kernel_bytes_read + counts.kernel_bytes_written <= 140 * image.size


@pytest.mark.exhaustive
def test_a_large_volume(gpu):
    volume = RNG.random((128, 128, 128)).astype("f4")
    same(gpu, volume, points(volume.shape, 1000))
