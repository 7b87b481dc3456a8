"""Random walks on the device end where scikit-image's solver ends, iteration by iteration."""

import warnings

import numpy as np
import pytest
from skimage import data
from skimage.segmentation import random_walker

from skimage_gpu_backend.trouble import Declined
from tests.functions.images import DTYPES

RNG = np.random.default_rng(41)
COINS = data.coins()[20:60, 30:80]
COLOR = data.astronaut()[::16, ::16]
VOLUME = RNG.random((9, 13, 17))


def seeds(shape, count=9, labels=3, dtype=int):
    found = np.zeros(shape, dtype)
    places = np.random.default_rng(7).choice(found.size, count, replace=False)
    found.ravel()[places] = np.arange(count) % labels + 1
    return found


SEEDS = seeds(COINS.shape)
PRUNED = seeds(COINS.shape, 20)
PRUNED[12:14] = -1
PRUNED[:, 30] = -7
PRUNED[22:32, 34:44] = -3
PRUNED[27, 39] = 0  # an island
PRUNED[24, 36:38] = 2  # seeds beside which nothing is wanted


def heard(function, *args, **options):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = function(*args, **options)
    return result, [(each.category, str(each.message)) for each in caught]


def same(run, image, labels, within=1e-8, **options):
    """Labels are equal, probabilities nearly, warnings the same."""
    expected, expected_warnings = heard(random_walker, image, labels.copy(), **options)
    found, found_warnings = heard(run, random_walker, image, labels, **options)
    assert found.dtype == expected.dtype
    assert found_warnings == expected_warnings
    np.testing.assert_array_equal(found, expected)
    options["return_full_prob"] = True
    expected, _ = heard(random_walker, image, labels.copy(), **options)
    found, _ = heard(run, random_walker, image, labels, **options)
    assert found.dtype == expected.dtype
    np.testing.assert_allclose(found, expected, rtol=0, atol=within)


@pytest.mark.parametrize("dtype", DTYPES)
def test_any_dtype(gpu_of_each_kind, dtype):
    image = (COINS > 99) if dtype == "bool" else COINS.astype(dtype)
    same(gpu_of_each_kind, image, SEEDS, 1e-8 if image.itemsize > 4 else 1e-6, beta=40)


@pytest.mark.parametrize("dtype", DTYPES)
def test_any_dtype_of_labels(gpu, dtype):
    factor = 40 if dtype != "bool" else 1  # numbers with gaps
    same(gpu, COINS, (SEEDS * factor).astype(dtype))
    if dtype[0] in "if":
        same(gpu, COINS, PRUNED.astype(dtype))


@pytest.mark.parametrize("mode", ["cg_j", "cg_mg", "bf", None])
@pytest.mark.parametrize("tol", [1e-3, 1e-7, 0.2])
def test_any_mode_and_tolerance(gpu, mode, tol):
    for labels in (SEEDS, PRUNED):
        same(gpu, COINS, labels, mode=mode, tol=tol)


def test_without_a_preconditioner_where_little_rounds(gpu):
    same(gpu, COINS, SEEDS, mode="cg", beta=5)
    same(gpu, COINS, PRUNED, mode="cg", beta=5, tol=1e-6)


@pytest.mark.parametrize(
    "options",
    [
        {"beta": 0},
        {"beta": np.float32(10.5)},
        {"beta": 400},
        {"spacing": (1, 2)},
        {"spacing": [0.5, np.float32(2)]},
        {"spacing": np.array([3, 1])},
        {"prob_tol": 1e-9},
        {"prob_tol": -1},
        {"tol": 2},
    ],
    ids=str,
)
def test_any_option(gpu, options):
    same(gpu, COINS, SEEDS, **options)
    same(gpu, COINS.astype(np.float32), SEEDS, 1e-6, **options)


def test_volumes_colours_lines(gpu_of_each_kind):
    run = gpu_of_each_kind
    same(run, VOLUME, seeds(VOLUME.shape))
    same(run, VOLUME, seeds(VOLUME.shape), spacing=(1, 2, 3))
    same(run, VOLUME[..., None] * [1, 0.5], seeds(VOLUME.shape), channel_axis=-1)
    labels = seeds(COLOR.shape[:2])
    for axis in (0, 1, 2, -1):
        same(run, np.moveaxis(COLOR, -1, axis), labels, channel_axis=axis)
    same(run, COLOR[:, :, 0], labels, channel_axis=None)
    for shape in ((1, 50), (50, 1), (2, 3), (1, 5, 9), (7, 1, 8), (5, 9, 1)):
        same(run, RNG.random(shape), seeds(shape, 3), 1e-8, beta=10)


def test_pruned_volumes(gpu):
    labels = seeds(VOLUME.shape, 40)
    labels[4] = -1
    labels[:, :, 8] = -2
    labels[7, 5, 3:6] = -9, 0, -9
    labels[6, 5, 4] = labels[8, 5, 4] = labels[7, 4, 4] = labels[7, 6, 4] = -9
    same(gpu, VOLUME, labels)


def test_many_labels(gpu):
    same(gpu, COINS, seeds(COINS.shape, 60, 41))
    same(gpu, COINS, (SEEDS > 0).astype(int))


def test_layouts(gpu_of_each_kind):
    image = np.asfortranarray(COINS)
    for view in (image, COINS[::-1, ::2], COINS.astype(">u2")):
        same(gpu_of_each_kind, view, seeds(view.shape))
    same(gpu_of_each_kind, COINS, np.asfortranarray(SEEDS))
    same(gpu_of_each_kind, np.asfortranarray(COLOR), seeds(COLOR.shape[:2]), channel_axis=-1)


def test_labels_are_at_least_as_right_as_scikit_images(gpu):
    """Where rounding decides how iterations go on, which only happens without a preconditioner."""
    exact = random_walker(COINS, SEEDS, mode="bf", return_full_prob=True)
    best = np.sort(exact, axis=0)
    margin = best[-1] - best[-2]
    for tol in (1e-5, 1e-7):
        found = gpu(random_walker, COINS, SEEDS, mode="cg", tol=tol, return_full_prob=True)
        off = abs(found - exact).max()
        theirs = heard(random_walker, COINS, SEEDS, mode="cg", tol=tol, return_full_prob=True)[0]
        assert off <= 1.5 * abs(theirs - exact).max()
        labels = gpu(random_walker, COINS, SEEDS, mode="cg", tol=tol)
        right = labels == exact.argmax(0) + 1
        assert right[margin > 2 * off].all()


def test_arguments_stay_as_they_are(gpu):
    for labels in (SEEDS, PRUNED):
        before, image = labels.copy(), COINS.copy()
        gpu(random_walker, image, before)
        np.testing.assert_array_equal(before, labels)
        np.testing.assert_array_equal(image, COINS)
    same(gpu, COINS, SEEDS, copy=False)


@pytest.mark.parametrize(
    "options",
    [
        {"mode": "no such"},
        {"mode": 3},
        {"spacing": 2},
        {"spacing": (1, 2, 3)},
        {"data": np.ones(5)},
        {"data": np.ones((5, 6))},
        {"data": np.ones((5, 5, 3))},
        {"channel_axis": -1},
        {"data": np.ones((5, 5, 3)), "channel_axis": 0},
        {"data": np.ones((5, 5, 3)), "channel_axis": 4},
        {"data": np.ones((0, 5)), "labels": np.ones((0, 5), int)},
    ],
    ids=str,
)
def test_what_scikit_image_refuses_it_refuses_itself(gpu, options):
    arrays = {"data": np.eye(5), "labels": np.eye(5, dtype=int)}
    image, labels = (options.get(name, array) for name, array in arrays.items())
    options = {key: value for key, value in options.items() if key not in arrays}
    with pytest.raises((ValueError, TypeError)):
        random_walker(image, labels, **options)
    assert gpu.invalid(random_walker, image, labels, **options)


def test_what_is_left_to_scikit_image(gpu):
    for options in (
        {"tol": 0},
        {"tol": 1e-300},
        {"tol": np.nan},
        {"beta": np.inf},
        {"beta": 10**400},
    ):
        (name,) = options
        assert name in gpu.declined(random_walker, COINS, SEEDS, **options)
    assert "positive" in gpu.declined(random_walker, COINS, SEEDS, spacing=(1, 0))
    steps = np.ones(3, np.float32)
    image = VOLUME.astype(np.float32)
    assert "single" in gpu.declined(random_walker, image, seeds(image.shape), spacing=steps)


def test_what_the_data_shows_is_left_to_scikit_image(gpu):
    alone = SEEDS.copy()
    alone[20:23, 20:23] = -1
    alone[21, 21] = 2
    corner = np.zeros((9, 9))
    corner[7:, 7:] = 1, 2  # steep where nothing is a seed
    near_corner = np.pad([[1, 2]], ((0, 8), (0, 7)))
    for reason, image, labels, options in (
        ("zeros", COINS, np.ones_like(SEEDS), {"copy": False}),
        ("one value", np.ones_like(COINS), SEEDS, {}),
        ("one value", np.where(SEEDS, np.nan, COINS), SEEDS, {}),
        ("factorization", COINS, SEEDS, {"mode": "bf", "beta": 2000}),
        ("one label", COINS, (SEEDS > 0).astype(int), {"mode": "bf"}),
        ("copy", COINS, PRUNED, {"copy": False}),
        ("all around", COINS, alone, {}),
        ("fractions", COINS, SEEDS / 2, {}),
        ("not finite", COINS, SEEDS, {"beta": -1e6}),
        ("not finite", COINS, SEEDS, {"beta": -1e300}),
        ("not finite", corner, near_corner, {"beta": -1e6}),
        ("not finite", corner, near_corner, {"beta": -1e6, "mode": "cg"}),
    ):
        with pytest.raises(Declined, match=reason):
            gpu(random_walker, image, labels, **options)


@pytest.mark.parametrize("dtype", ["int8", "int64", "float32"])
def test_labels_that_no_walker_changes_come_back_with_a_warning(gpu_of_each_kind, dtype):
    islands = np.full_like(SEEDS, -1)
    islands[3, 3], islands[9, 9:12] = 0, 1
    given = SEEDS * 7 - 3
    for labels in (islands, given, np.ones_like(SEEDS)):
        same(gpu_of_each_kind, COINS, labels.astype(dtype))
    labels = seeds(VOLUME.shape) + 1
    same(gpu_of_each_kind, VOLUME, labels.astype(dtype), mode="cg")


def test_there_have_to_be_seeds(gpu):
    for labels in (np.zeros_like(SEEDS), np.full_like(SEEDS, -1)):
        with pytest.raises(ValueError, match="No seeds provided"):
            gpu(random_walker, COINS, labels)


def test_an_iteration_is_two_launches_for_all_labels(gpu, counting):
    for labels, others in ((SEEDS, 20), (seeds(COINS.shape, 30, 12), 20), (PRUNED, 30)):
        with counting() as counts:
            gpu.cupy(random_walker, COINS, labels)
        rounds = (counts.launches - others) // 64  # the host asks after 32 iterations, then 64
        assert counts.to_host <= 8 + rounds
        with counting() as counts:
            gpu.cupy(random_walker, COINS, labels, tol=0.9)
        assert counts.launches <= 2 * 32 + others
