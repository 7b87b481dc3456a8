"""match_descriptors on the device: scikit-image's matches."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist, euclidean
from skimage.feature import match_descriptors

import cuda_simulator
import skimage_gpu_backend.functions.feature.match_descriptors as room
from tests.functions.feature.textures import equal, layouts
from tests.functions.images import DTYPES

RNG = np.random.default_rng(31)
METRICS = ["braycurtis", "canberra", "chebyshev", "cityblock", "euclidean", "hamming"]
METRICS += ["sqeuclidean", "Minkowski"]
# around 8 rows, 64 others and 16 features
SHAPES = [(1, 1, 1), (8, 64, 16), (9, 65, 17), (70, 3, 40), (7, 130, 0), (1, 2, 33), (9, 300, 5)]
OPTIONS = [
    {},
    {"cross_check": False},
    {"max_ratio": 0.9},
    {"max_distance": 0.6, "max_ratio": 0.95, "cross_check": False},
    {"max_distance": 0.5},
    {"max_distance": np.nan, "max_ratio": np.nan},
]
metrics = pytest.mark.parametrize("metric", METRICS)


def descriptors(*shape, dtype="float64"):
    values = RNG.random(shape)
    return (values < 0.3) if dtype == "bool" else (5 * values).astype(dtype)


def doubtful(*shape, dtype="float64"):
    """Two sets with rows in common, some of them twice."""
    first, second = (descriptors(count, shape[2], dtype=dtype) for count in shape[:2])
    common = (1 + min(shape[:2])) // 2
    second[-common:], first[:1] = first[:common], first[-1:]
    return first, second


@metrics
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_any_metric_and_shape(gpu_of_each_kind, metric, shape):
    for options in OPTIONS:
        equal(gpu_of_each_kind, match_descriptors, *doubtful(*shape), metric, **options)


@pytest.mark.parametrize("metric", [None, *METRICS])
@pytest.mark.parametrize("dtype", DTYPES)
def test_any_dtype(gpu, dtype, metric):
    pair = doubtful(30, 40, 37, dtype=dtype)
    for options in OPTIONS:
        equal(gpu, match_descriptors, *pair, metric, **options)


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "int16", "uint16"])
def test_angles_between_integers(gpu, dtype):
    """Of others SciPy's compiler chooses the order of additions."""
    low, high = (0, 2) if dtype == "bool" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
    for shape in SHAPES:
        pair = (RNG.integers(low, high, (n, shape[2])).astype(dtype) for n in shape[:2])
        for options in OPTIONS:
            equal(gpu, match_descriptors, *doubtful(*shape, dtype=dtype), "cosine", **options)
        equal(gpu, match_descriptors, *pair, "cos")
    assert "order" in gpu.declined(match_descriptors, *doubtful(3, 4, 5), "cosine")


@pytest.mark.parametrize("second", ["bool", "uint8", "int64", "float32", "float64"])
@pytest.mark.parametrize("first", ["bool", "uint8", "float16", "float32"])
def test_two_dtypes(gpu, first, second):
    pair = descriptors(20, 9, dtype=first), descriptors(30, 9, dtype=second)
    for metric in (None, "cityblock", "hamming"):
        equal(gpu, match_descriptors, *pair, metric)


@layouts
@pytest.mark.parametrize("dtype", ["bool", "uint8", "float64"])
def test_layouts(gpu_of_each_kind, dtype, layout):
    pair = (layout(each) for each in doubtful(40, 50, 60, dtype=dtype))
    equal(gpu_of_each_kind, match_descriptors, *pair)


@metrics
def test_nan_and_infinities(gpu, metric):
    first, second = doubtful(30, 40, 9)
    first[3], first[4, 5], first[7, 2], first[9] = np.nan, np.inf, -np.inf, 0
    second[8, 1], second[9, 5], second[30, 3], second[12] = np.nan, np.inf, np.inf, 0
    for options in OPTIONS:
        equal(gpu, match_descriptors, first, second, metric, **options)
        equal(gpu, match_descriptors, first[4:5], second[9:10], metric, **options)


def test_a_ratio_of_infinities_warns_as_numpy_does(gpu):
    first, second = np.zeros((1, 3)), np.full((1, 3), np.inf)
    for run in (lambda *args: match_descriptors(*args[1:]), gpu):
        with pytest.warns(RuntimeWarning, match="invalid value encountered in divide"):
            found = run(match_descriptors, first, second, None, 2, np.inf, True, 0.5)
        assert found.shape == (0, 2)


def test_sums_are_added_up_in_the_order_of_features(gpu):
    """The same numbers in another order: only rounding decides which is the nearest."""
    first = np.full((3, 100), [[0.1], [0.7], [2]])
    second = RNG.permuted(np.tile(RNG.random(100), (200, 1)), axis=1)
    assert 1e-12 > np.ptp(cdist(first, second), axis=1).min() > 0
    for metric in ("euclidean", "cityblock", "sqeuclidean", "canberra", "braycurtis"):
        equal(gpu, match_descriptors, first, second, metric, cross_check=False)
        equal(gpu, match_descriptors, second, first, metric)


@pytest.mark.parametrize("p", [1, 2, np.inf, -np.inf, np.float32(2), True])
def test_powers(gpu, p):
    equal(gpu, match_descriptors, *doubtful(20, 30, 9), "minkowski", p)
    equal(gpu, match_descriptors, *doubtful(20, 30, 9), "pnorm", p)  # p counts with one name alone


def test_long_descriptors_of_bytes(gpu, monkeypatch):
    first, second = (RNG.integers(0, 256, (n, 300), np.uint8) for n in (20, 30))
    second[:5] = 255 - first[:5] // 128 * 255
    for most in (32_768, 299):
        monkeypatch.setattr(room, "_MOST_OF_BYTES", most)
        room._planned.cache_clear()
        equal(gpu, match_descriptors, first, second)
    room._planned.cache_clear()


def test_more_descriptors_than_a_round_of_the_last_launch(gpu):
    first, second = descriptors(2100, 3), descriptors(1100, 3)
    equal(gpu, match_descriptors, first, second)
    equal(gpu, match_descriptors, first, second, max_ratio=0.8, cross_check=False)


def test_what_scikit_image_refuses_it_refuses_itself(gpu):
    first, second = descriptors(5, 6), descriptors(7, 6)
    assert gpu.invalid(match_descriptors, first, second[:, 1:])
    assert gpu.invalid(match_descriptors, first[0], second[0])
    assert gpu.invalid(match_descriptors, first[None], second[None])
    assert gpu.invalid(match_descriptors, first, second[:0])
    assert gpu.invalid(match_descriptors, first[:0], second)
    assert gpu.invalid(match_descriptors, first, second, 3)
    equal(gpu, match_descriptors, first[:0], second, cross_check=False)


def test_what_is_left_to_scikit_image(gpu):
    pair = descriptors(5, 6), descriptors(7, 6)
    assert "metric" in gpu.declined(match_descriptors, *pair, euclidean)
    assert "metric" in gpu.declined(match_descriptors, *pair, "mahalanobis")
    assert "power" in gpu.declined(match_descriptors, *pair, "minkowski", 3)
    assert "max_ratio" in gpu.declined(match_descriptors, *pair, max_ratio="0.8")


@pytest.mark.parametrize("dtype", ["bool", "uint8", "float32"])
@pytest.mark.parametrize("checked", [True, False])
def test_launches_and_bytes(gpu, counting, dtype, checked):
    """Of 33 and 50 descriptors there are 5 and 7 blocks, each of which reads all others."""
    first, second = descriptors(33, 64, dtype=dtype), descriptors(50, 64, dtype=dtype)
    with counting() as counts:
        gpu(match_descriptors, first, second, cross_check=checked)
    are_bits = 2 * (dtype == "bool")
    assert counts.launches == 2 + checked + are_bits
    pair = first.nbytes + second.nbytes
    read = pair * (1 + checked) / (8 if are_bits else 1) + pair * bool(are_bits)
    written = 24 * (33 + 50 * checked) + pair // 8 * bool(are_bits)
    between = 24 * 33 + 8 * 50 * checked
    assert counts.kernel_bytes_read <= read + between + 8 * 33
    assert counts.kernel_bytes_written <= written + 16 * 33 + 16


@pytest.mark.parametrize("dtype", ["bool", "float32"])
def test_no_match_depends_on_the_order_of_threads(gpu, monkeypatch, strict, dtype):
    monkeypatch.setattr("skimage_gpu_backend.device.kernels.resident_blocks", lambda _: 2)
    pair = doubtful(40, 70, 35, dtype=dtype)
    for order in ("forward", "backward", "shuffled"):
        with cuda_simulator.thread_order(order):
            for options in OPTIONS[:3]:
                equal(gpu, match_descriptors, *pair, **options)
