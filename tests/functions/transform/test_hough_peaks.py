"""Peaks of Hough transforms on the device: scikit-image's, in its order."""

import numpy as np
import pytest
from skimage.draw import circle_perimeter, line
from skimage.transform import hough_circle, hough_circle_peaks, hough_line, hough_line_peaks

RNG = np.random.default_rng(31)
DTYPES = ["uint8", "int8", "uint16", "int32", "uint32", "int64", "uint64", "float32", "float64"]
SHAPES = [(1, 1), (1, 40), (40, 1), (7, 5), (33, 70), (90, 41)]


def noise(shape, dtype="uint64", levels=12):
    """Votes of few levels: ties, and regions of equal votes, everywhere."""
    return RNG.integers(0, levels, shape).astype(dtype)


def same(run, function, votes, *args, **options):
    expected = function(votes, *args, **options)
    found = run(function, votes, *args, **options)
    assert type(found) is tuple
    for mine, its in zip(found, expected, strict=True):
        assert mine.dtype == its.dtype
        np.testing.assert_array_equal(mine, its)
    return expected


def axes(votes):
    return np.linspace(-1.5, 1.5, votes.shape[1]), np.arange(votes.shape[0]) - 7.5


def picture(count=9):
    image = np.zeros((90, 120), bool)
    for ends in RNG.integers(0, 90, (count, 4)):
        image[line(*ends)] = True
    return image


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("apart", [(9, 10), (0, 0), (1, 0), (0, 2), (2, 1), (40, 80)], ids=str)
def test_peaks_of_lines_of_any_shape(gpu_of_each_kind, shape, apart):
    for levels in (2, 5, 1000):
        votes = noise(shape, levels=levels)
        same(gpu_of_each_kind, hough_line_peaks, votes, *axes(votes), *apart)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("layout", [lambda a: a, np.asfortranarray, lambda a: a[::-2, ::3]])
def test_peaks_of_any_type_and_layout(gpu_of_each_kind, dtype, layout):
    votes = layout(noise((60, 90), dtype, 100))
    same(gpu_of_each_kind, hough_line_peaks, votes, *axes(votes), 3, 2)
    planes = np.stack([votes, votes // 2, votes[::-1]])
    same(gpu_of_each_kind, hough_circle_peaks, planes, [3, 4, 5], 2, 3, num_peaks=4)


@pytest.mark.parametrize("dtype", ["uint64", "float32", "float64"])
@pytest.mark.parametrize(
    "threshold", [0, 3, 4.5, 1e9, np.float64(4.5), np.float32(0.1), np.int64(3), np.nan, np.inf]
)
def test_thresholds_are_compared_as_numpy_does(gpu, dtype, threshold):
    votes = noise((40, 70), dtype) / (10 if dtype[0] == "f" else 1)
    votes = votes.astype(dtype)
    same(gpu, hough_line_peaks, votes, *axes(votes), 2, 2, threshold=threshold)
    same(gpu, hough_circle_peaks, votes[None], [7], 2, 2, threshold=threshold)


@pytest.mark.parametrize("number", [0, 1, 2, 5, -1, 1000, np.inf, np.int64(3)])
def test_as_many_peaks_as_are_wanted(gpu, number):
    votes = noise((50, 64))
    same(gpu, hough_line_peaks, votes, *axes(votes), 1, 2, num_peaks=number)
    planes = noise((4, 30, 40), "float64")
    for options in ({"num_peaks": number}, {"total_num_peaks": number}, {"normalize": True}):
        same(gpu, hough_circle_peaks, planes, [2, 3, 4, 5], 3, 2, **options)
        same(gpu, hough_circle_peaks, planes, np.array([5, 3]), **options)


def test_lines_in_a_picture(gpu_of_each_kind):
    for count in (1, 4, 12):
        votes, angles, dists = hough_line(picture(count))
        assert len(same(gpu_of_each_kind, hough_line_peaks, votes, angles, dists)[0])
        same(gpu_of_each_kind, hough_line_peaks, votes, angles, dists, 0, 0, num_peaks=3)


def test_circles_in_a_picture(gpu_of_each_kind):
    image = np.zeros((80, 100), bool)
    for y, x, radius in ((30, 40, 12), (50, 60, 15), (33, 44, 12), (40, 70, 9)):
        image[circle_perimeter(y, x, radius, shape=image.shape)] = True
    radii = np.arange(8, 18)
    votes = hough_circle(image, radii)
    for apart in ((1, 1), (5, 5), (20, 10)):
        assert len(same(gpu_of_each_kind, hough_circle_peaks, votes, radii, *apart)[0])
        same(gpu_of_each_kind, hough_circle_peaks, votes, radii, *apart, total_num_peaks=3)


def test_votes_that_are_equal_in_large_regions(gpu):
    """Rings, whose centers are no peaks, and what lies at the borders and at the first row."""
    votes = np.zeros((60, 80), "uint64")
    ring = np.hypot(*np.mgrid[-20:20, -20:20])
    votes[10:50, 10:50][(ring > 12) & (ring < 14)] = 9
    votes[30, 60:78] = votes[0, ::9] = votes[::7, 0] = votes[5::11, -1] = 7
    votes[29, 29] = 5
    for apart in ((0, 0), (1, 1), (2, 3), (9, 10)):
        same(gpu, hough_line_peaks, votes, *axes(votes), *apart, threshold=1)
        same(
            gpu,
            hough_circle_peaks,
            np.stack([votes, votes.T[:60, :60].repeat(2, 1)[:, :80]]),
            [4, 5],
            *apart,
            threshold=1,
        )
    for value in (0, 3):
        flat = np.full((9, 12), value, "uint64")
        same(gpu, hough_line_peaks, flat, *axes(flat))
        same(gpu, hough_circle_peaks, np.stack([flat, flat * 0, flat * 2]) * 1.0, [1, 2, 3], 2, 2)


def test_what_scikit_image_refuses_it_refuses_itself(gpu):
    votes = noise((9, 8))
    for options in ({"min_distance": -1}, {"min_angle": -2}):
        with pytest.raises((ValueError, RuntimeError)):
            hough_line_peaks(votes, *axes(votes), **options)
        assert gpu.invalid(hough_line_peaks, votes, *axes(votes), **options)
    assert gpu.invalid(hough_line_peaks, votes[None], *axes(votes))
    assert gpu.invalid(hough_line_peaks, votes.astype("float16"), *axes(votes))
    assert gpu.invalid(hough_circle_peaks, votes, [1, 2])


def test_what_is_left_to_scikit_image(gpu):
    votes = noise((9, 8))
    lines, planes = axes(votes), votes[None]
    assert "threshold" in gpu.declined(hough_line_peaks, votes, *lines, threshold=-1)
    assert "angles" in gpu.declined(hough_line_peaks, votes, lines[0][:4], lines[1])
    assert "dists" in gpu.declined(hough_line_peaks, votes, lines[0], list(lines[1]))
    assert "num_peaks" in gpu.declined(hough_line_peaks, votes, *lines, num_peaks=2.5)
    assert "min_xdistance" in gpu.declined(hough_circle_peaks, planes, [3], 9)
    assert "normalize" in gpu.declined(hough_circle_peaks, planes, [0], normalize=True)
    assert "radii" in gpu.declined(hough_circle_peaks, planes, 3)
    assert "empty" in gpu.declined(hough_circle_peaks, planes, [])


@pytest.mark.parametrize(
    ("value", "reason"), [(-1, "negative"), (np.nan, "NaN"), (2**60, "2\\*\\*53")], ids=str
)
def test_what_only_the_data_shows(gpu, value, reason):
    from skimage_gpu_backend.trouble import Declined

    votes = noise((9, 8), "int64" if isinstance(value, int) else "float64")
    votes[3, 4] = value
    with pytest.raises(Declined, match=reason):
        gpu(hough_line_peaks, votes, *axes(votes))


def test_launches_and_bytes(gpu, counting):
    votes, angles, dists = hough_line(picture(5))
    marks = 4 * len(votes) * -(-votes.shape[1] // 32)
    with counting() as counts:
        gpu.cupy(hough_line_peaks, votes, angles, dists)
    assert counts.launches == 4  # along the distances, whose window no tile has; count and list
    # what is marked is read twice, which the counters take for all votes
    assert counts.kernel_bytes_read <= 5 * votes.nbytes + 3 * marks + 5000
    planes = RNG.permutation(7 * 40 * 50).reshape(7, 40, 50) * 1.0
    with counting() as counts:
        gpu.cupy(hough_circle_peaks, planes, np.arange(5, 12), 3, 3)
    assert counts.launches == 4  # for all radii
