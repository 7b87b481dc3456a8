"""skimage.segmentation.expand_labels on the device grows scikit-image's very labels."""

import numpy as np
import pytest
from skimage import data, measure
from skimage.segmentation import expand_labels

import cuda_simulator
from tests.functions.images import DTYPES

RNG = np.random.default_rng(22)
SHAPES = [(1,), (70,), (5000,), (1, 40), (40, 1), (23, 35), (4500, 3), (6, 7, 9), (3, 1, 5, 4)]
SHAPES += [(3, 400), (130, 150), (70, 3, 130)]  # of which lines are done in parts
# squares of the first are integers, of the others rounded: exact ties are, or are not, equal there
SPACINGS = (1, None, 0.5, 0.1, 7e-3, 1e70)
COINS = measure.label(data.coins()[40:100, 20:90] > 120)


def same(run, labels, *args, **options):
    expected = expand_labels(labels, *args, **options)
    result = run(expand_labels, labels, *args, **options)
    assert result.dtype == expected.dtype
    np.testing.assert_array_equal(result, expected)
    return expected


def sparse(shape, share=0.05):
    """Points of a label each."""
    labels = np.where(RNG.random(shape) < share, RNG.integers(1, 1000, shape), 0)
    labels[(0,) * len(shape)] = 1000
    return labels


@pytest.mark.parametrize("distance", [0, 1, 2**0.5, 3, 5, 100, np.inf])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_any_shape_and_distance(gpu, shape, distance):
    same(gpu, sparse(shape), distance)
    same(gpu, sparse(shape, 0), distance)


@pytest.mark.parametrize("spacing", [*SPACINGS, "by axis"])
def test_of_equally_near_labels_the_one_that_scipy_takes(gpu, spacing):
    """On small lattices many are equally near, whole planes of them."""
    for ndim, length in ((1, 40), (2, 13), (3, 6), (4, 4)):
        for share in (0.02, 0.1, 0.3):
            labels = sparse((length,) * ndim, share)
            axes = (
                RNG.choice([0.1, 0.26, 0.3, 1, 1.5, 2], ndim) if spacing == "by axis" else spacing
            )
            for distance in (1, 3, 4e70):
                same(gpu, labels, distance, axes)


@pytest.mark.thorough
@pytest.mark.parametrize("seed", range(2))
def test_thousands_of_ties(gpu, seed):
    rng = np.random.default_rng(seed)
    for _ in range(500):
        ndim = rng.integers(2, 4)
        labels = np.where(rng.random(shape := (9,) * ndim) < 0.05, rng.integers(1, 99, shape), 0)
        spacing = rng.choice([0.1, 0.26, 0.3, 1, 2], ndim)
        same(gpu, labels, rng.choice([0.3, 1, 5]), list(spacing))


@pytest.mark.thorough
@pytest.mark.parametrize("dtype", DTYPES)
def test_any_dtype(gpu_of_each_kind, dtype):
    for spacing in (1, 0.3):
        assert same(gpu_of_each_kind, COINS.astype(dtype), 4, spacing).any()


def test_any_layout(gpu):
    for labels in (COINS.T, COINS[::-1, ::2], np.asfortranarray(COINS)):
        same(gpu, labels, 3)
        same(gpu, labels, 3, (1, 2))


def test_floats_that_are_not_finite_are_labels_and_minus_zero_is_none(gpu):
    labels = np.zeros((9, 20))
    labels[2, 3], labels[7, 7], labels[3, 15], labels[5, 15] = np.nan, -np.inf, -0.0, 0.5
    for distance in (2, 50):
        same(gpu, labels, distance)


@pytest.mark.parametrize("shape", [(20,), (9, 40), (5, 6, 7)], ids=str)
def test_without_labels_there_is_nothing_to_expand(gpu, shape):
    for spacing in (1, 0.3):
        for distance in (3, 100, np.inf):
            assert not same(gpu, np.zeros(shape, int), distance, spacing).any()
            same(gpu, np.ones(shape, int), distance, spacing)


@pytest.mark.parametrize(
    "distance", [-1, -1e-300, np.nan, True, np.float32(1.4), np.int8(3), 1e-200]
)
def test_any_number_as_distance(gpu, distance):
    for spacing in (1, 0.25, 0.3):
        same(gpu, COINS, distance, spacing)


@pytest.mark.parametrize("spacing", [0.3, 0.25, (0.29, 0.26), (1.0, 2.0), (3, 4)])
def test_distances_that_pixels_just_have(gpu, spacing):
    labels = np.zeros((12, 15), int)
    labels[0, 0] = 1
    axes = np.broadcast_to(spacing, 2)
    for step in [(1, 0), (0, 1), (1, 1), (3, 4), (2, 3), (7, 1)]:
        distance = float(np.sqrt(((step * axes) ** 2).sum()))
        for near in (distance, np.nextafter(distance, 0), np.nextafter(distance, 9)):
            same(gpu, labels, near, spacing)


def test_squares_that_do_not_fit_into_integers(gpu):
    shapes = [((60, 9), (1501, 1)), ((60, 9), (1, 7001)), ((40,), 65537.5), ((50_000,), 1)]
    for shape, spacing in [*shapes, ((50_000, 2), 1), ((2, 50_000), (3, 1))]:
        for distance in (9, 2000.0, 40_000, 49_000.5, np.inf):
            same(gpu, sparse(shape, 0), distance, spacing)


def test_images_without_elements(gpu):
    for shape in ((0,), (0, 4), (4, 0), (3, 0, 2)):
        same(gpu, np.zeros(shape, np.int16), 2)
        same(gpu, np.zeros(shape, np.int16), 2, 0.3)


@pytest.mark.parametrize("options", [{"spacing": (1,)}, {"spacing": (1, 2, 3)}])
def test_what_scikit_image_refuses_it_refuses_itself(gpu, options):
    with pytest.raises(RuntimeError):
        expand_labels(COINS, **options)
    assert gpu.invalid(expand_labels, COINS, **options)


def test_an_image_without_axes_is_refused_by_scikit_image(gpu):
    with pytest.raises(IndexError):
        expand_labels(np.array(3))
    assert gpu.invalid(expand_labels, np.array(3))


def test_what_is_left_to_scikit_image(gpu):
    for distance in ("1", None, 1j, COINS, np.longdouble(2), 10**400):
        assert "distance" in gpu.declined(expand_labels, COINS, distance)
    for spacing in (0, -1, np.nan, np.inf, (1, 0), "1", 1e-80, 1e80, [[1, 2]], {1, 2}, [1, "a"]):
        assert "spacing" in gpu.declined(expand_labels, COINS, 1, spacing)
    assert "axes" in gpu.declined(expand_labels, np.ones((1,) * 9, int))


@pytest.mark.parametrize(
    ("shape", "options", "between"),
    [
        ((200, 300), {"distance": 5}, 8),
        ((200, 300), {"distance": 100}, 12),
        ((200, 300), {"distance": 5, "spacing": 0.3}, 16),
        ((20, 30, 40), {"distance": 5}, 16),
        ((20, 30, 40), {"distance": 5, "spacing": (0.3, 0.1, 0.1)}, 32),
    ],
)
def test_launches_and_bytes_do_not_depend_on_the_image(gpu, counting, shape, options, between):
    for labels in (sparse(shape), sparse(shape, 0), np.ones(shape, int)):
        with counting() as counts:
            gpu(expand_labels, labels, **options)
        assert counts.launches == len(shape)
        assert counts.kernel_bytes_written - labels.nbytes - between * labels.size <= 16
        assert counts.kernel_bytes_read - 2 * labels.nbytes - between * labels.size <= 16


@pytest.mark.thorough
@pytest.mark.parametrize("order", ["backward", "shuffled"])
def test_no_result_depends_on_the_order_of_threads(gpu, monkeypatch, strict, order):
    monkeypatch.setattr("skimage_gpu_backend.device.kernels.resident_blocks", lambda threads: 2)
    with cuda_simulator.thread_order(order):
        for spacing in (1, 0.3):
            same(gpu, sparse((150, 20)), 9, spacing)


@pytest.mark.thorough
def test_indices_of_64_bits_give_the_same(gpu, monkeypatch):
    """As images of 2**31 pixels and more have them."""
    from skimage_gpu_backend.functions.segmentation import expand_labels as room
    from skimage_gpu_backend.primitives import distances

    monkeypatch.setattr(distances, "MOST_PIXELS", 0)
    room._planned.cache_clear()
    try:
        for shape in [(97, 200), (9, 17, 65), (9000,)]:
            for options in ((5,), (50,), (5, 0.3)):
                same(gpu, sparse(shape).astype(np.int16), *options)
    finally:
        room._planned.cache_clear()
