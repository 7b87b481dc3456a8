"""Peaks on the device: scikit-image's coordinates, in its order."""

import warnings

import numpy as np
import pytest
from skimage import data
from skimage.feature import corner_peaks, peak_local_max

import cuda_simulator
from skimage_gpu_backend import functions
from skimage_gpu_backend.trouble import Declined

RNG = np.random.default_rng(0)
# around the tiles of 32 x 64 and the words of 32 marks
SHAPES = [(1,), (70,), (1, 1), (1, 65), (65, 1), (31, 63), (32, 64), (33, 97), (70, 130)]
VOLUMES = [(9, 20, 33), (3, 5, 7, 11), (2, 3, 1, 4, 9)]
DTYPES = ["uint8", "int8", "uint16", "int32", "uint32", "int64", "uint64", "float32", "float64"]
LABELS = np.array([[1, 1, 1, 0, 2, 2], [1, 1, 1, 0, 2, 2], [1, 1, 1, 0, 0, 7], [0, 3, 0, 0, 7, 7]])


def noise(shape, dtype="float64", levels=50):
    """Values of few levels: ties everywhere."""
    return (RNG.integers(0, levels, shape) - (levels // 2 if dtype[0] in "if" else 0)).astype(dtype)


def equal(gpu, function, *args, **kwargs):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = function(*args, **kwargs)
        result = gpu(function, *args, **kwargs)
    assert result.dtype == expected.dtype
    assert result.shape == expected.shape
    np.testing.assert_array_equal(result, expected)


@pytest.mark.parametrize("shape", [*SHAPES, *VOLUMES])
@pytest.mark.parametrize("distance", [0, 1, 2, 6, 80])
def test_peaks_of_every_shape(gpu_of_each_kind, shape, distance):
    distance = min(distance, 9) if len(shape) > 3 else distance
    for border in (True, False):
        equal(gpu_of_each_kind, peak_local_max, noise(shape), distance, exclude_border=border)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("layout", [lambda a: a, np.asfortranarray, lambda a: a[::-2, ::3]])
def test_peaks_of_every_type_and_layout(gpu_of_each_kind, dtype, layout):
    image = layout(noise((60, 90), dtype))
    for distance in (1, 3, 20):
        equal(gpu_of_each_kind, peak_local_max, image, distance)
        equal(gpu_of_each_kind, corner_peaks, image, distance)


@pytest.mark.parametrize("dtype", ["uint8", "int16", "float32", "float64"])
@pytest.mark.parametrize(
    "threshold", [0, 3, -7, 4.5, 300, -1000, np.float64(4.5), np.float32(0.1), np.int64(3), np.inf]
)
def test_thresholds_are_compared_as_numpy_does(gpu, dtype, threshold):
    image = noise((40, 70), dtype) / dtype_scale(dtype)
    image = image.astype(dtype)
    equal(gpu, peak_local_max, image, threshold_abs=threshold)
    equal(gpu, peak_local_max, image, threshold_abs=threshold, threshold_rel=0.3)
    if type(threshold) is not int:
        equal(gpu, peak_local_max, image, threshold_rel=threshold)


def dtype_scale(dtype):
    return 1 if dtype[0] in "iu" else 10


@pytest.mark.parametrize(
    "footprint",
    [
        np.ones((3, 5)),
        np.ones((4, 2)),
        np.eye(5),
        np.array([[1, 0, 0]]),
        np.array([[1, 0], [1, 1], [0, 0]], bool),
        np.ones((1, 1)),
        np.ones((1, 200)),
        np.ones((90, 1), "uint8"),
    ],
    ids=lambda footprint: f"{footprint.shape}-{int(footprint.sum())}",
)
def test_footprints(gpu_of_each_kind, footprint):
    for distance in (1, 4):
        equal(gpu_of_each_kind, peak_local_max, noise((45, 80)), distance, footprint=footprint)


@pytest.mark.parametrize("shape", [(10, 10), (10, 11), (11, 9), (2, 31), (40, 2)])
@pytest.mark.parametrize("dtype", ["float64", "uint64", "float32"])
def test_boxes_whose_tiles_take_all_shared_memory(gpu, dtype, shape):
    equal(gpu, peak_local_max, noise((45, 80), dtype), footprint=np.ones(shape, bool))


@pytest.mark.parametrize("number", [0, 1, 5, 10**6, np.inf])
@pytest.mark.parametrize("p_norm", [1, 2, np.inf])
def test_few_peaks(gpu, number, p_norm):
    image = noise((60, 80), levels=400)
    arguments = {"num_peaks": number, "p_norm": p_norm, "exclude_border": 1}
    equal(gpu, peak_local_max, image, 3, **arguments)
    equal(gpu, corner_peaks, image, 3, **arguments)
    equal(gpu, corner_peaks, image, 3, indices=False, **arguments)


@pytest.mark.parametrize("dtype", ["uint8", "int32", "int64", "bool"])
@pytest.mark.parametrize("distance", [0, 1, 3])
def test_labels(gpu_of_each_kind, dtype, distance):
    for shape, levels in (((40, 70), 200), ((40, 70), 3), ((9, 14, 15), 200)):
        blocks = np.indices(shape) // 7
        labels = (blocks.sum(axis=0) * 5 % 9 * (noise(shape, "uint8") > 1)).astype(dtype)
        for more in ({}, {"num_peaks": 5}, {"num_peaks_per_label": 1, "exclude_border": False}):
            image = noise(shape, levels=levels)
            equal(gpu_of_each_kind, peak_local_max, image, distance, labels=labels, **more)


@pytest.mark.parametrize("shape", [(4, 6), (4, 1, 6)])
def test_labels_of_which_all_pixels_are_equal(gpu, shape):
    """Isolated pixels of them are peaks; background that is all there is gives no rows."""
    labels = LABELS.reshape(shape)
    for border in (0, 1, 5):
        arguments = {"labels": labels, "exclude_border": border, "threshold_abs": 0}
        equal(gpu, peak_local_max, np.ones(shape), **arguments)
        equal(gpu, peak_local_max, labels + 1.0, **arguments)
    equal(gpu, peak_local_max, np.ones(shape), labels=0 * labels)


@pytest.mark.parametrize("distance", [1, 5, 25])
def test_a_photograph(gpu, distance):
    image = data.camera()
    equal(gpu, peak_local_max, image, distance)
    equal(gpu, corner_peaks, image / 255, distance)


def test_plateaus_give_more_peaks_than_the_list_was_made_for(gpu):
    image = np.zeros((300, 600))
    image[0, 0] = -1
    equal(gpu, peak_local_max, image)


@pytest.mark.parametrize("image", [np.zeros((5, 6)), np.full((40, 70), 3, "uint8")])
def test_an_even_image_has_no_peak(gpu, image):
    equal(gpu, peak_local_max, image)


def test_values_that_scipy_has_its_own_way_with_are_left_to_it(gpu):
    image = noise((8, 9))
    image[3, 4] = np.nan
    with pytest.raises(Declined, match="NaN"):
        gpu(peak_local_max, image)
    with pytest.raises(Declined, match="tell apart"):
        gpu(peak_local_max, np.array([[1, 2**60]]))
    reason = gpu.declined(peak_local_max, LABELS / 2, footprint=np.eye(3), labels=LABELS)
    assert "not all ones" in reason  # before any data moves
    with pytest.raises(Declined, match="below all"):
        gpu(peak_local_max, LABELS, threshold_abs=-np.inf, labels=LABELS)


def test_arguments_that_are_left_to_scikit_image(gpu):
    image = noise((8, 9))
    for border in (-1, 2.5, (1,), (1, 2.5), (1, -1), np.int64(3)):
        assert gpu.invalid(peak_local_max, image, exclude_border=border)
    assert gpu.invalid(peak_local_max, image > 0)
    assert "float32" in gpu.declined(peak_local_max, image.astype("f2"))
    assert gpu.invalid(peak_local_max, image[:0])
    assert gpu.invalid(peak_local_max, image, labels=image)
    assert gpu.declined(corner_peaks, image, footprint=np.ones(3))
    assert "integer" in gpu.declined(peak_local_max, image, 1.5)


def test_how_many_corners_there_are_is_an_integer_or_infinite(gpu):
    image = noise((20, 30))
    for most in (2.5, 5.0, np.nan):
        assert "integer" in gpu.declined(corner_peaks, image, num_peaks=most)
    for most in (np.int8(3), -2, np.float32(np.inf)):
        equal(gpu, corner_peaks, image, num_peaks=most)


def test_no_window_warns_as_scikit_image_does(gpu):
    with pytest.warns(RuntimeWarning, match="min_distance < 1"):
        gpu(peak_local_max, noise((5, 6)), 0)


@pytest.mark.parametrize("dtype", ["uint8", "float32", "float64"])
def test_launches_and_bytes(gpu, counting, dtype):
    image = data.camera().astype(dtype)
    for side, lines in ((3, 0), (9, 0), (19, 1 if dtype == "float64" else 0)):
        with counting() as counts:
            peaks = gpu(peak_local_max, image, footprint=np.ones((side, side)), threshold_abs=200)
        assert counts.launches == 7 + lines
        ranks, of_peaks = image.size * (1 / 8 + 1 / 4) + 5000, 60 * len(peaks)
        assert counts.kernel_bytes_read <= (3 + 2 * lines) * image.nbytes + 2 * ranks + of_peaks
        assert counts.kernel_bytes_written <= lines * image.nbytes + ranks + of_peaks
        assert counts.to_host <= 3
        assert counts.bytes_to_host <= peaks.nbytes + 100


@pytest.mark.parametrize("function", [peak_local_max, corner_peaks])
def test_peaks_that_keep_their_distance_are_found_on_the_device(gpu, counting, function):
    image = data.camera() + RNG.random((512, 512))
    for distance in (1, 4, 9):
        with counting() as counts:
            peaks = gpu(function, image, distance)
        spacings = (function is corner_peaks) + (distance > 1)
        # coordinates, two rounds, and CuPy's that take what stays
        assert counts.launches <= 8 + 6 * spacings
        assert counts.to_host <= 3 + 2 * spacings
        assert counts.bytes_to_host <= peaks.nbytes + 100


@pytest.mark.parametrize("options", [{}, {"footprint": np.eye(3)}, {"footprint": np.ones((3, 1))}])
def test_nothing_takes_more_than_the_plan_says(gpu, counting, options):
    plateaus = np.zeros((90, 100))  # of which most pixels are peaks
    plateaus[::2, 0] = -1
    for image in (plateaus, noise((60, 150), "float32", 9999)):
        cost = functions.plan("skimage.feature:peak_local_max", (image,), options).cost
        with counting() as counts:
            gpu(peak_local_max, image, **options, exclude_border=False, num_peaks=5)
        assert counts.launches <= cost.launches
        assert counts.kernel_bytes_read <= cost.read + 500
        assert counts.kernel_bytes_written <= cost.written + 500
        assert cost.launches <= 8


def test_launches_of_volumes_and_labels(gpu, counting):
    volume = noise((20, 30, 40), levels=9999)
    with counting() as counts:
        gpu(peak_local_max, volume)
    assert counts.launches == 8
    with counting() as counts:
        gpu(peak_local_max, volume, labels=np.ones(volume.shape, int))
    assert counts.launches <= 12


SPACINGS = [
    # many peaks that are near others of all heights
    *(((90, 150), "float32", 5000, d, p, (1, 1)) for d in (2, 3, 7) for p in (1, 2, 3, np.inf)),
    *(((90, 150), "uint8", 4, d, p, (3, 3)) for d in (2, 5, 60, 10**5) for p in (2, np.inf)),
    ((7000,), "uint8", 9, 4, np.inf, (1,)),
    ((20, 20, 21), "float64", 999, 3, 2, (1, 1, 1)),
    ((20, 20, 21), "float64", 999, 6, 3, (1, 1, 1)),  # 3, 4 and 5 are 6 apart
    ((5, 9, 12, 13), "int16", 99, 2, 1, (1, 1, 3, 1)),
]


@pytest.mark.parametrize("shape, dtype, levels, distance, p_norm, footprint", SPACINGS)
@pytest.mark.parametrize("number", [np.inf, 30])
def test_of_near_peaks_the_highest_stay(
    gpu, shape, dtype, levels, distance, p_norm, footprint, number
):
    image = noise(shape, dtype, levels)
    chosen = {"footprint": np.ones(footprint), "num_peaks": number, "exclude_border": False}
    equal(gpu, peak_local_max, image, distance, **chosen, p_norm=p_norm)
    equal(gpu, corner_peaks, image, min(distance, 99), **chosen, p_norm=p_norm)


def test_peaks_of_a_plateau_decide_one_after_the_other(gpu):
    image = np.zeros((100, 200), "uint8")
    image[10:80, 20:190] = 200
    for function in (peak_local_max, corner_peaks):
        equal(gpu, function, image, 4, threshold_abs=100)


@pytest.mark.parametrize("p_norm", [0.5, 1.5, 60, 1e300])
def test_norms_with_which_rounding_decides_are_left_to_scipy(gpu, p_norm):
    image = noise((30, 40))
    assert "rounding decides" in gpu.declined(peak_local_max, image, 3, p_norm=p_norm)
    assert "rounding decides" in gpu.declined(corner_peaks, image, 2, p_norm=p_norm)
    equal(gpu, peak_local_max, image, 1, p_norm=p_norm)


@pytest.mark.parametrize("dtype", ["uint8", "int8", "int32", "float32", "float64"])
def test_peaks_of_equal_and_of_odd_values_are_in_numpys_order(gpu, dtype):
    """The negative of 0, and of the least integer, is not above the others'."""
    image = noise((50, 70), dtype, 3)
    image[::4, ::3] = np.iinfo(dtype).min if dtype[0] in "iu" else -0.0
    image[1::4, ::2] = 7
    lowest = {"threshold_abs": -1e9, "exclude_border": False, "footprint": np.ones((1, 1))}
    equal(gpu, peak_local_max, image, **lowest)
    equal(gpu, peak_local_max, image, 2, **lowest)


def test_no_result_depends_on_the_order_of_threads(gpu, monkeypatch, strict):
    monkeypatch.setattr("skimage_gpu_backend.device.kernels.resident_blocks", lambda threads: 2)
    image = noise((70, 140))
    labels = (np.indices(image.shape) // 20).sum(axis=0)
    for order in ("forward", "backward", "shuffled"):
        with cuda_simulator.thread_order(order):
            equal(gpu, peak_local_max, image, 2)
            equal(gpu, peak_local_max, image, footprint=np.eye(5))
            equal(gpu, peak_local_max, image, 2, labels=labels)
            for shape in ((70, 140), (9, 10)):  # by windows, and by pairs
                options = {"footprint": np.ones((1, 1)), "exclude_border": False}
                equal(gpu, peak_local_max, noise(shape), 3, **options)
