"""skimage.measure.regionprops_table on the device gives scikit-image's columns."""

import warnings

import numpy as np
import pytest
from skimage import data, measure
from skimage.measure._regionprops import COL_DTYPES, PROPS, _require_intensity_image
from skimage.util._backends import DispatchNotification

import cuda_simulator
from tests.functions.images import DTYPES, INTEGERS

RNG = np.random.default_rng(19)
HULLS = {"area_convex", "feret_diameter_max", "image_convex", "solidity"}  # of volumes not here
OF_PLANES = {"eccentricity", "moments_hu", "moments_weighted_hu", "orientation"}
OF_PLANES |= {"perimeter", "perimeter_crofton"}
SHAPES = [name for name in COL_DTYPES if name not in _require_intensity_image]
VALUES = [name for name in COL_DTYPES if name in _require_intensity_image]
ROUNDED = [name for name in SHAPES if COL_DTYPES[name] is float]
TWELVE = ["label", "bbox", "area", "centroid", "eccentricity", "axis_major_length"]
TWELVE += [
    "axis_minor_length",
    "orientation",
    "perimeter",
    "euler_number",
    "intensity_mean",
    "extent",
]
COINS = data.coins()[:90, :120]
LABELS = measure.label(COINS > 110).astype(np.int32)
VOLUME = measure.label(RNG.random((9, 14, 21)) < 0.3).astype(np.uint16)


def assert_same(actual, expected, bound=1e-10):
    """Integers and objects equal, numbers within `bound` of the largest of their property."""
    assert list(actual) == list(expected)
    largest = {}
    for name, values in expected.items():
        if values.dtype.kind == "f":
            of = name.partition("-")[0].replace("_central", "")
            most = np.abs(values[np.isfinite(values)]).max(initial=0)
            largest[of] = max(largest.get(of, 0), most)
    for name, values in expected.items():
        found = actual[name]
        assert found.dtype == values.dtype, name
        if values.dtype == object:
            for mine, theirs in zip(found, values, strict=True):
                assert type(mine) is type(theirs), name
                assert getattr(mine, "dtype", None) == getattr(theirs, "dtype", None), name
                np.testing.assert_array_equal(mine, theirs, err_msg=name)
        elif values.dtype.kind == "i":
            np.testing.assert_array_equal(found, values, err_msg=name)
        else:
            of = name.partition("-")[0].replace("_central", "")
            within = bound * largest[of]
            np.testing.assert_allclose(found, values, rtol=bound, atol=within, err_msg=name)


def same(run, labels, intensity=None, properties=SHAPES, bound=1e-10, **options):
    if labels.ndim == 3:
        properties = [name for name in properties if name not in {*OF_PLANES, *HULLS}]
    expected = measure.regionprops_table(labels, intensity, properties, **options)
    actual = run(measure.regionprops_table, labels, intensity, properties, **options)
    assert_same(actual, expected, bound)


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


def test_hulls_of_any_form(gpu):
    """Of scattered pixels, too: rows of a region may be empty."""
    rng, labels = np.random.default_rng(4), np.zeros((30 * 6, 30 * 8), int)
    for number in range(1, 49):
        y, x = 30 * ((number - 1) // 8), 30 * ((number - 1) % 8)
        form = rng.random((rng.integers(1, 29), rng.integers(1, 29))) < rng.choice([0.01, 0.1, 0.9])
        labels[y : y + form.shape[0], x : x + form.shape[1]] = number * form
    same(gpu, labels, properties=["area_convex", "solidity"])
    same(gpu, labels, properties=["area_convex"], spacing=(0.5, 3))
    same(gpu, RNG.integers(0, 30, (70, 131)), properties=["area_convex"])


def test_outlines_of_any_form(gpu):
    """Farthest points, to the last bit, and hulls: of pixels that are few, and far apart."""
    rng, labels = np.random.default_rng(8), np.zeros((25 * 5, 40 * 5), int)
    for number in range(1, 26):
        y, x = 25 * ((number - 1) // 5), 40 * ((number - 1) % 5)
        form = rng.random((rng.integers(1, 24), rng.integers(1, 39))) < rng.choice([0.02, 0.2, 1])
        labels[y : y + form.shape[0], x : x + form.shape[1]] = number * form
    for spacing in (1, (0.7, 1.3)):
        names = ["feret_diameter_max", "image_convex"]
        same(gpu, labels, properties=names, bound=0, spacing=spacing)


def holes():
    """Labels with holes: rings in rings, spirals, noise, and what leaks through a diagonal."""
    rings = np.zeros((30, 30), int)
    for ring in range(1, 12):
        rings[ring : 30 - ring, ring : 30 - ring] = ring % 3 if ring % 2 else 0
    spiral = np.ones((31, 31), int)
    for turn in range(0, 14, 2):
        spiral[turn : 30 - turn, turn] = spiral[29 - turn, turn : 30 - turn] = 0
        spiral[turn : 30 - turn, 29 - turn] = spiral[turn, turn + 2 : 30 - turn] = 0
    rng, noise = np.random.default_rng(5), np.zeros((4 * 30, 4 * 45), np.uint16)
    for number in range(1, 17):
        y, x = 30 * ((number - 1) // 4), 45 * ((number - 1) % 4)
        noise[y : y + 29, x : x + 44] = number * (rng.random((29, 44)) < 0.3 + number / 26)
    leaks = np.kron([[1, 0], [0, 1]], np.ones((4, 4), int))
    leaks[3:5, 3:5] = 2
    leaks[1, 1] = leaks[6, 6] = 0
    return {"rings": rings, "spiral": spiral, "noise": noise, "leaks": leaks, "line": noise[:1]}


@pytest.mark.parametrize("name, labels", holes().items(), ids=holes())
def test_holes_are_filled(gpu_of_each_kind, name, labels):
    same(gpu_of_each_kind, labels, properties=["image_filled", "area_filled", "filled_area"])


def test_holes_of_volumes_are_filled(gpu):
    rng, names = np.random.default_rng(6), ["image_filled", "area_filled"]
    labels = np.zeros((9, 30, 40), np.int8)
    for number in range(1, 10):
        y, x = 10 * ((number - 1) // 3), 13 * ((number - 1) % 3)
        part = rng.random((9, 9, 12)) < 0.9 + number / 100
        labels[:, y : y + 9, x : x + 12] = number * part
    same(gpu, labels, properties=names, spacing=(1, 2, 3))
    same(gpu, labels[:1], properties=names)  # one plane has a border before it and behind it
    same(gpu, measure.label(rng.random((9, 14, 21)) < 0.75, connectivity=1), properties=names)


def test_crops_of_intensities_of_any_kind(gpu_of_each_kind):
    """What is not of the region is the intensity times 0: -0.0 and NaN stay."""
    image = RNG.normal(size=LABELS.shape).astype(np.float32)
    image[LABELS == 2] = np.nan
    for values in (image, COINS > 110, np.stack([COINS, 255 - COINS], -1)[:, ::-1]):
        expected = measure.regionprops_table(LABELS, values, ["image_intensity"])
        actual = gpu_of_each_kind(measure.regionprops_table, LABELS, values, ["image_intensity"])
        assert_same(actual, expected)
        for mine, theirs in zip(
            *(each["image_intensity"] for each in (actual, expected)), strict=True
        ):
            np.testing.assert_array_equal(np.signbit(mine), np.signbit(theirs))


def test_boxes_that_overlap_much(gpu, monkeypatch):
    """Their crops would not fit beside the image, so that the CPU fills their holes."""
    labels = RNG.integers(0, 9, (20, 30))
    names = ["image_filled", "area_filled", "image_intensity"]
    monkeypatch.setenv("SKIMAGE_GPU_NOTIFY", "all")
    with pytest.warns(DispatchNotification, match="area_filled, image_intensity .boxes of regions"):
        same(gpu, labels, labels.astype(float), names)
    same(gpu, labels % 4, labels.astype(float), names)


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
    monkeypatch.setenv("SKIMAGE_GPU_NOTIFY", "all")
    names = ["label", "area_convex", "solidity", "area_filled"]
    with use_backends("gpu"), pytest.warns(DispatchNotification) as told:
        measure.regionprops_table(labels, properties=names, extra_properties=[height])
    told = [str(each.message) for each in told if "in part" in str(each.message)]
    assert len(told) == 1
    assert (
        "in part: columns area_convex, solidity (convex hulls of volumes are made by SciPy); "
        "columns height (a GPU cannot call Python functions)." in told[0]
    )
    monkeypatch.setenv("SKIMAGE_GPU_NOTIFY", "fallback")
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
    assert counts.launches == 20
    sums = 2 * 8 + 16 + 16 + 16 + 4 + 4 + 2
    assert counts.bytes_to_host < labels.max() * 8 * sums + 200


@pytest.mark.parametrize(
    "name, launches", [("area_filled", 11), ("feret_diameter_max", 12), ("image_intensity", 11)]
)
def test_launches_of_what_is_made_of_crops_and_hulls(gpu, counting, name, launches):
    found = set()
    for labels in (np.uint8(LABELS > 0), LABELS):
        with counting() as counts:
            gpu(measure.regionprops_table, labels, COINS, [name])
        found.add(counts.launches)
    assert found == {launches}


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


@pytest.mark.thorough
def test_indices_of_64_bits_give_the_same(gpu, monkeypatch):
    """As images of 2**31 pixels or more have them."""
    from skimage_gpu_backend.primitives import regions

    monkeypatch.setattr(regions, "_INT", np.dtype(np.int64))
    same(gpu, LABELS, COINS, [*SHAPES, *VALUES])
    same(gpu, VOLUME)
