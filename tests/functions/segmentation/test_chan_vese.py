"""Level sets by Chan and Vese on the device are scikit-image's to the last bit."""

import warnings

import numpy as np
import pytest
from skimage import data
from skimage.segmentation import chan_vese

from tests.functions.images import DTYPES

RNG = np.random.default_rng(31)
COINS = data.coins()[::6, ::6]
SHAPES = [
    (1, 1),
    (1, 7),
    (9, 1),
    (2, 3),
    (8, 16),
    (31, 7),
    (3, 47),
    (13, 129),
    (66, 61),
    (130, 257),
]


def same(run, image, *args, **options):
    """The number of iterations."""
    expected = chan_vese(image, *args, extended_output=True, **options)
    found = run(chan_vese, image, *args, extended_output=True, **options)
    assert type(found[2]) is list
    assert len(found[2]) == len(expected[2])
    assert {type(energy) for energy in found[2]} == {type(energy) for energy in expected[2]}
    for ours, theirs in zip(found[:2], expected[:2], strict=True):
        assert ours.dtype == theirs.dtype
        np.testing.assert_array_equal(ours, theirs)
    single = expected[1].dtype == np.float32
    np.testing.assert_allclose(found[2], expected[2], rtol=1e-5 if single else 1e-12)
    np.testing.assert_array_equal(run(chan_vese, image, *args, **options), expected[0])
    return len(expected[2])


@pytest.mark.parametrize("dtype", DTYPES)
def test_any_dtype(gpu_of_each_kind, dtype):
    image = (COINS > 99) if dtype == "bool" else COINS.astype(dtype)
    assert same(gpu_of_each_kind, image, max_num_iter=20) == 20
    same(gpu_of_each_kind, image, init_level_set=image, max_num_iter=3)


@pytest.mark.thorough
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_any_shape_and_first_level_set(gpu, shape, dtype):
    """With sums in NumPy's order, whatever the number of pixels."""
    image = (RNG.random(shape) * 10.0 ** RNG.integers(-2, 3, shape)).astype(dtype)
    inits = ["checkerboard", RNG.random(shape) - 0.5, RNG.integers(-1, 2, shape)]
    inits += ["disk", "small disk"] if min(shape) > 2 else []
    for init in inits:
        same(gpu, image, init_level_set=init, max_num_iter=9)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_sums_of_many_pixels(gpu, dtype):
    image = RNG.random((301, 700)).astype(dtype)
    same(gpu, image, max_num_iter=2)


@pytest.mark.parametrize(
    "options",
    [
        {"mu": 0},
        {"mu": 2, "dt": 1},
        {"lambda1": 2, "lambda2": 0.5},
        {"lambda1": -1, "dt": np.float32(0.3)},
        {"mu": True, "lambda2": np.float16(0.1)},
        {"tol": 0.1},
        {"tol": np.float64(0.01), "init_level_set": "disk"},
        {"tol": -1, "max_num_iter": 7.5},
        {"tol": 0.02, "max_num_iter": np.inf},
    ],
    ids=str,
)
def test_any_option(gpu, options):
    for image in (COINS, COINS.astype(np.float32)):
        same(gpu, image, **{"max_num_iter": 12, **options})


@pytest.mark.parametrize("iterations", [1, 2, 15, 16, 17, 47, 48, 49, 113])
def test_any_number_of_iterations(gpu, iterations):
    """Whether or not the host asks in between."""
    assert same(gpu, COINS[:20, :20], tol=0, max_num_iter=iterations) == iterations


def test_it_stops_where_scikit_image_stops(gpu):
    for tol in (0.3, 0.2, 0.1, 0.05, 0.02, 0.01, 5e-3):
        assert same(gpu, COINS[:30, :30], tol=tol) < 500


def test_values_that_are_not_finite(gpu):
    for value in (np.nan, np.inf, -np.inf):
        image = RNG.random((40, 70))
        image[12, 20] = value
        with np.errstate(invalid="ignore"):
            same(gpu, image)
    same(gpu, np.full((20, 30), 7))


def test_layouts(gpu_of_each_kind):
    init = RNG.random(COINS.shape) - 0.5
    for view in (np.asfortranarray(COINS), COINS[::-1, ::2], COINS.astype(">u2")):
        same(gpu_of_each_kind, view, max_num_iter=5)
    same(gpu_of_each_kind, COINS, init_level_set=np.asfortranarray(init), max_num_iter=5)
    both = np.asfortranarray(COINS), np.asfortranarray(init)
    same(gpu_of_each_kind, both[0], init_level_set=both[1], max_num_iter=50)


def test_the_first_level_set_is_left_as_it_is(gpu):
    init = RNG.random(COINS.shape) - 0.5
    before = init.copy()
    gpu(chan_vese, COINS / 255, init_level_set=init, max_num_iter=5)
    np.testing.assert_array_equal(init, before)


@pytest.mark.parametrize(
    "options",
    [
        {"image": np.ones(5)},
        {"image": np.ones((3, 4, 5))},
        {"image": np.ones((0, 5))},
        {"init_level_set": "circle"},
        {"init_level_set": np.ones(5)},
        {"init_level_set": np.ones((1, 5))},
        {"mu": 10**400},
    ],
    ids=str,
)
def test_what_scikit_image_refuses_it_refuses_itself(gpu, options):
    image = options.get("image", np.eye(5))
    options = {key: value for key, value in options.items() if key != "image"}
    with pytest.raises((ValueError, OverflowError)):
        chan_vese(image, **options)
    assert gpu.invalid(chan_vese, image, **options)


def test_what_is_left_to_scikit_image(gpu):
    image = np.ones((5, 5))
    for options in ({"max_num_iter": 0}, {"tol": 1e17}, {"tol": np.nan}):
        assert "no iteration" in gpu.declined(chan_vese, image, **options)
    assert "finite" in gpu.declined(chan_vese, image, mu=np.inf)
    assert "finite" in gpu.declined(chan_vese, image, mu=1e200, dt=1e200)
    assert "wider" in gpu.declined(chan_vese, image.astype("f4"), dt=np.float64(1))
    assert "radius" in gpu.declined(chan_vese, image[:2], init_level_set="disk")
    for init in ([1, 2], image + 1j):
        assert "init_level_set" in gpu.declined(chan_vese, image, init_level_set=init)


def test_an_iteration_is_one_launch_and_the_host_seldom_asks(gpu, counting):
    for extended in (False, True):
        with counting() as counts:
            gpu.cupy(chan_vese, COINS, tol=0, max_num_iter=100, extended_output=extended)
        assert counts.launches == 3 + 100
        assert counts.to_host == (3 + 1) * (1 + extended)  # and the results
        image = COINS.size * 8
        assert counts.kernel_bytes_read <= 101 * 1.1 * 2 * image
        assert counts.kernel_bytes_written <= 102 * 1.1 * image
    with counting() as counts:
        found = gpu.cupy(chan_vese, COINS[:30, :30], tol=0.2, extended_output=True)
    assert counts.launches <= 3 + 2 * len(found[2]) + 16


def test_a_tolerance_at_the_end_of_its_dtype_is_not_warned_of(gpu):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert gpu.declined(chan_vese, np.ones((5, 6)), tol=np.int8(127))
