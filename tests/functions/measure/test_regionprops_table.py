"""skimage.measure.regionprops_table on the device gives scikit-image's columns."""

import itertools
import math
import warnings

import numpy as np
import pytest
from skimage import measure
from skimage.util._backends import DispatchNotification

import cuda_simulator
from tests.functions.images import DTYPES, INTEGERS
from tests.upstream import upstream

from .columns import (
    COINS,
    HULLS,
    LABELS,
    OF_PLANES,
    RNG,
    ROUNDED,
    SHAPES,
    TWELVE,
    VALUES,
    VOLUME,
    assert_same,
    same,
)

PROPS = upstream("measure._regionprops").PROPS


@pytest.mark.parametrize("dtype", INTEGERS)
def test_labels_of_any_dtype(gpu_of_each_kind, dtype):
    labels = np.where(LABELS == 3, 0, LABELS)[:40].astype(dtype)
    same(gpu_of_each_kind, labels, properties=["label", *TWELVE[1:-2]])


def test_each_property_of_shapes(gpu):
    same(gpu, LABELS)
    same(gpu, VOLUME)


@pytest.mark.parametrize("dtype", DTYPES)
def test_each_property_of_intensities(gpu, dtype):
    bound = {"float16": 1e-3, "float32": 1e-6}.get(dtype, 1e-10)
    image = COINS > 110 if dtype == "bool" else (COINS[:50] / 3 - 40 * (dtype[0] in "if"))
    same(gpu, LABELS[:50], image[:50].astype(dtype), VALUES, bound)


def test_each_channel(gpu):
    for channels in (1, 3):
        image = RNG.random((*LABELS.shape, channels))
        same(gpu, LABELS, image, VALUES)
    same(gpu, VOLUME, RNG.normal(size=(*VOLUME.shape, 2)) + 1, VALUES)
    same(gpu, VOLUME, RNG.random(VOLUME.shape), VALUES)


@pytest.mark.parametrize("spacing", [(0.5, 2), (3, 2), 2, 0.3, np.float32(0.25)], ids=str)
def test_pixels_that_are_no_squares(gpu, spacing):
    some = [name for name in SHAPES if name not in OF_PLANES or np.ndim(spacing) == 0]
    some = [name for name in some if "_hu" not in name]
    same(gpu, LABELS[:50], properties=[*some, "orientation"], spacing=spacing)
    weighted = [name for name in VALUES if "_hu" not in name]
    same(gpu, LABELS[:50], COINS[:50], weighted, spacing=spacing)


def test_voxels_that_are_no_cubes(gpu):
    same(gpu, VOLUME, spacing=(3, 0.5, 1))


@pytest.mark.parametrize("alias", [name for name in PROPS if name.lower() == name])
def test_old_names(gpu, alias):
    same(gpu, LABELS[:30], COINS[:30], [alias])


def test_old_names_in_capitals(gpu):
    names = [name for name in PROPS if name != name.lower() and PROPS[name] in SHAPES]
    same(gpu, LABELS[:30], properties=names)


def test_names_that_are_the_keys_of_a_dictionary(gpu):
    same(gpu, LABELS[:30], properties=dict.fromkeys(SHAPES[:5]).keys())


@pytest.mark.parametrize("shape", [(3, 4), (2, 2, 3)], ids=str)
def test_pixels_in_raster_order_from_one_place_to_another(gpu, shape):
    """They go on in the next row, and the next plane; those before are below 0."""
    size = math.prod(shape)
    for start, stop in itertools.combinations(range(size + 1), 2):
        labels = np.zeros(size, np.int8)
        labels[:start], labels[start:stop] = -1, 7
        same(gpu, labels.reshape(shape), properties=["label", "bbox", "coords", "area_convex"])


@pytest.mark.thorough
def test_products_of_coordinates_that_64_bits_do_not_hold(gpu):
    labels = np.zeros((1, 6_000_000), np.uint8)
    labels[0, 5:-9] = 1
    same(gpu, labels, properties=["label", "centroid", "axis_major_length", "inertia_tensor"])


def few_pixels():
    """Small regions of all forms, of which rounding decides much."""
    labels = np.zeros((6 * 8, 6 * 64), int)
    for number in range(512):
        y, x = 6 * (number // 64), 6 * (number % 64)
        pattern = np.array([number >> bit & 1 for bit in range(9)]).reshape(3, 3)
        labels[y + 1 : y + 4, x + 1 : x + 4] = pattern * number
    return labels


@pytest.mark.thorough
def test_all_regions_of_nine_pixels(gpu):
    same(gpu, few_pixels(), properties=ROUNDED)


@pytest.mark.thorough
def test_flat_and_symmetric_regions(gpu):
    """Ellipses that are circles or lines: rounding decides their axes and angles."""
    rng, labels = np.random.default_rng(1), np.zeros((40 * 12, 40 * 12), int)
    for number in range(1, 145):
        y, x = 40 * ((number - 1) // 12), 40 * ((number - 1) % 12)
        half = rng.random((15, 15)) < rng.choice([0.05, 0.3, 0.9])
        whole = half | half.T if number % 3 else half
        whole = np.hstack([whole, whole[:, ::-1]]) if number % 2 else whole
        whole = np.vstack([whole, whole[::-1]]) if number % 4 < 2 else whole
        labels[y : y + whole.shape[0], x : x + whole.shape[1]] = number * whole
    same(gpu, labels, properties=ROUNDED)
    for points in ([0, 1, 3], [0, 2, 3, 9, 10], [0, 5, 6]):
        line = np.zeros((20, 40), int)
        line[points, 2 * np.array(points)] = 1
        same(gpu, line, properties=ROUNDED)
        same(gpu, line.T, properties=ROUNDED)


@pytest.mark.parametrize("kind", ["scattered", "one", "stripes", "each", "far apart", "negative"])
def test_hard_images(gpu, kind):
    labels = {
        "scattered": RNG.integers(0, 9, (50, 71)),
        "one": np.ones((70, 130), np.uint8),
        "stripes": np.tile(np.arange(34), (40, 1)),
        "each": np.arange(1, 36).reshape(5, 7),
        "far apart": np.where(LABELS, LABELS * 1_000_003 % 77_777, 0),
        "negative": RNG.integers(-5, 5, (40, 40)),
    }[kind]
    same(gpu, labels)
    same(gpu, labels, RNG.random(labels.shape), VALUES)


@pytest.mark.parametrize("layout", [np.asfortranarray, lambda a: a[::-1], lambda a: a[:, ::2]])
def test_any_layout(gpu_of_each_kind, layout):
    same(gpu_of_each_kind, layout(LABELS), layout(COINS), [*TWELVE, "coords", "perimeter_crofton"])


@pytest.mark.parametrize("shape", [(9, 9), (3, 4, 5)])
@pytest.mark.parametrize("channels", [(), (2,)])
def test_no_regions(gpu_of_each_kind, shape, channels):
    image = np.ones(shape + channels, np.float32)
    names = [*SHAPES, *VALUES, "area_convex"]
    same(gpu_of_each_kind, np.zeros(shape, int), image, names, separator="+")
    same(gpu_of_each_kind, -np.ones(shape, int), None, ["label", "bbox"])


def total(mask, image):
    return image[mask].sum()


def height(mask):
    return mask.shape[0]


def test_columns_that_only_the_cpu_has_are_computed_there(gpu_of_each_kind):
    names = ["area_convex", "label", "image_filled", "solidity", "feret_diameter_max", "area"]
    same(gpu_of_each_kind, LABELS, COINS, names, extra_properties=(total, height))
    same(gpu_of_each_kind, LABELS, COINS, ["height", "label"], extra_properties=[height])
    labels = np.zeros((6, 7, 8), int)
    labels[1:4, 2:5, 1:6] = labels[4, 5:, 2:] = 3
    expected = measure.regionprops_table(labels, properties=names)
    assert_same(gpu_of_each_kind(measure.regionprops_table, labels, properties=names), expected)


def test_one_notification_names_the_columns(however_small, monkeypatch):
    from skimage_gpu_backend import use_backends

    labels = np.zeros((6, 7, 8), int)
    labels[1:4, 2:5, 1:6] = 3
    monkeypatch.setenv("SKIMAGE_BACKENDS_NOTIFY", "all")
    names = ["label", "area_convex", "solidity", "area_filled"]
    with use_backends("gpu"), pytest.warns(DispatchNotification) as told:
        measure.regionprops_table(labels, properties=names, extra_properties=[height])
    told = [str(each.message) for each in told if "in part" in str(each.message)]
    assert len(told) == 1
    assert (
        "in part: columns area_convex, solidity (convex hulls of volumes are made by SciPy); "
        "columns height (no kernel calls Python functions)." in told[0]
    )
    monkeypatch.setenv("SKIMAGE_BACKENDS_NOTIFY", "fallback")
    with use_backends("gpu"), warnings.catch_warnings():
        warnings.simplefilter("error", DispatchNotification)
        measure.regionprops_table(LABELS, COINS, [*TWELVE, "mean_intensity", *HULLS])


@pytest.mark.parametrize("value", [np.nan, np.inf, 3e38])
def test_intensities_that_are_not_finite_or_overflow(gpu, value):
    image = COINS.astype(np.float32)
    image[30, 40:50] = value
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        same(gpu, LABELS, image, VALUES, 1e-6)


def test_weights_that_add_up_to_nothing(gpu):
    image = np.where(LABELS == 2, 0, COINS)
    image[LABELS == 1] = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        same(gpu, LABELS, image, VALUES)


def test_extremes_of_intensities(gpu):
    labels = np.array([[1, 1, 2, 2], [3, 3, 3, 0]])
    for dtype in ("int64", "uint64", "int8"):
        limits = np.iinfo(dtype)
        image = RNG.choice(np.array([limits.min, limits.max], dtype), labels.shape)
        same(gpu, labels, image, ["max_intensity", "min_intensity", "mean_intensity"])


@pytest.mark.parametrize(
    "options",
    [
        {"properties": ["no such"]},
        {"properties": ["intensity_mean"]},
        {"properties": [3]},
        {"spacing": (1, 2, 3)},
        {"spacing": np.nan},
        {"spacing": "x"},
        {"spacing": (1, 2), "properties": ["moments_hu"]},
        {"spacing": (1, 2), "properties": ["perimeter"]},
        {"label_image": LABELS > 0},
        {"label_image": LABELS.astype(float)},
        {"label_image": LABELS[0]},
        {"label_image": VOLUME, "properties": ["orientation"]},
    ],
    ids=str,
)
def test_what_scikit_image_refuses_it_refuses_itself(gpu, options):
    options = {"label_image": LABELS} | options
    labels = options.pop("label_image")
    with pytest.raises((ValueError, TypeError, AttributeError, NotImplementedError)):
        measure.regionprops_table(labels, **options)
    assert gpu.invalid(measure.regionprops_table, labels, **options)


@pytest.mark.parametrize(
    "options",
    [
        {"properties": "label"},
        {"properties": {"label": 0}},
        {"spacing": -1},
        {"spacing": 10**400},
        {"separator": 3},
        {"cache": np.ones(2)},
        {"intensity_image": COINS[1:]},
    ],
    ids=str,
)
def test_what_is_left_to_scikit_image(gpu, options):
    assert gpu.declined(measure.regionprops_table, LABELS, **options)


@pytest.mark.parametrize("regions", ["few", "many", "one"])
def test_launches_and_bytes_do_not_depend_on_the_regions(gpu, counting, regions):
    side = 64
    labels = {
        "few": np.kron(np.arange(1, 17).reshape(4, 4), np.ones((16, 16), int)),
        "many": np.arange(1, side * side + 1).reshape(side, side),
        "one": np.ones((side, side), int),
    }[regions]
    image = RNG.integers(0, 256, labels.shape).astype(np.uint8)
    gpu(measure.regionprops_table, labels, image, TWELVE)
    with counting() as counts:
        gpu(measure.regionprops_table, labels, image, TWELVE)
    assert counts.launches == 17
    sums = 2 * 8 + 16 + 16 + 16 + 4 + 4 + 2
    assert counts.bytes_to_host < labels.max() * 8 * sums + 200


@pytest.mark.parametrize("order, blocks", [("forward", 1), ("backward", 3), ("shuffled", 3)])
def test_no_result_depends_on_the_order_of_threads(gpu, monkeypatch, strict, order, blocks):
    monkeypatch.setattr(
        "skimage_gpu_backend.device.kernels.resident_blocks", lambda threads: blocks
    )
    labels, image = LABELS[:30], COINS[:30]
    first = gpu(measure.regionprops_table, labels, image, [*SHAPES, *VALUES])
    with cuda_simulator.thread_order(order):
        again = gpu(measure.regionprops_table, labels, image, [*SHAPES, *VALUES])
    for name, values in first.items():
        if values.dtype != object:
            np.testing.assert_array_equal(values, again[name], err_msg=name)


@pytest.mark.parametrize("dtype", ["uint8", "int16", "uint32", "int64"])
@pytest.mark.parametrize("shape", [(1, 1), (700, 3), (5, 700), (9, 4, 11), (1, 30, 8), (40, 1, 1)])
def test_boxes_of_small_and_of_large_labels(gpu, dtype, shape):
    limits = np.iinfo(dtype)
    rows = np.broadcast_to(RNG.integers(1, 6, (*shape[:-1], 1)), shape)
    for labels in (RNG.integers(-3, 9, shape).clip(limits.min), rows):
        for scale in (1, min(limits.max, 9000) // 9):
            same(gpu, (labels * scale).astype(dtype), properties=["label", "bbox", "area"])


def test_areas_and_boxes_take_one_launch(gpu, counting):
    for names, launches in ((("label", "bbox", "area"), 1), (("label", "intensity_mean"), 11)):
        with counting() as counts:
            gpu(measure.regionprops_table, LABELS, COINS, names)
        assert counts.launches == launches


@pytest.mark.thorough
def test_indices_of_64_bits_give_the_same(gpu, monkeypatch):
    """As images of 2**31 pixels or more have them."""
    from skimage_gpu_backend.primitives import runs

    monkeypatch.setattr(runs, "_INT", np.dtype(np.int64))
    same(gpu, LABELS, COINS, [*SHAPES, *VALUES])
    same(gpu, VOLUME)
