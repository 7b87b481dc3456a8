"""Components of Dask arrays are kept, removed and numbered as those of the whole image."""

import functools
import warnings
from contextlib import suppress

import numpy as np
import pytest
import skimage as ski

from skimage_gpu_backend import use_backends
from skimage_gpu_backend.dispatch.observe import observe
from tests.lazy.test_label import snake, spirals, uneven

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")
pytestmark = pytest.mark.thorough
rng = np.random.default_rng(0)
NOISE = rng.random((43, 38)) < 0.55
VOLUME = rng.random((13, 11, 9)) < 0.4
IMAGES = {"noise": NOISE, "spirals": spirals(41), "volume": VOLUME, "snake": snake((9, 13, 11))}
LABELS = {
    "few": np.where(NOISE, rng.integers(0, 40, NOISE.shape), 0),
    "far apart": rng.integers(0, 2**40, (23, 21)) // 2**35 * 2**35,
    "uint8": rng.integers(3, 90, (31, 40)).astype(np.uint8),
    "uint64": rng.integers(2**63, 2**63 + 30, (31, 40), np.uint64),
    "int32": np.where(VOLUME, ski.measure.label(VOLUME), 0).astype(np.int32),
}
OBJECTS, HOLES = ski.morphology.remove_small_objects, ski.morphology.remove_small_holes
BORDER, HYSTERESIS = ski.segmentation.clear_border, ski.filters.apply_hysteresis_threshold
RELABEL = ski.segmentation.relabel_sequential


def outcome(call, *images):
    """Result, or the exception, and what was warned of."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            result = call(*images)
            if dask.is_dask_collection(result) or isinstance(result, tuple):
                (result,) = dask.compute(result, scheduler="synchronous")
        except Exception as error:
            result = type(error), str(error)
    told = {
        (t.category, str(t.message)) for t in told if t.category in (FutureWarning, UserWarning)
    }
    return result, told


def check(call, *images, seed=0):
    """`call` of chunks is that of the whole images, and a graph."""
    expected, told = outcome(call, *images)
    chunks = uneven(images[0].shape, np.random.default_rng(seed), 28)
    with use_backends("gpu"), observe() as calls:
        found, also = outcome(call, *(da.from_array(image, chunks) for image in images))
    assert calls[0].source == "dask"
    if not isinstance(expected, np.ndarray):
        assert found == expected
    else:
        assert found.dtype == expected.dtype
        np.testing.assert_array_equal(found, expected)
    assert also == told


@pytest.mark.parametrize("image", IMAGES.values(), ids=IMAGES)
@pytest.mark.parametrize("function", [OBJECTS, HOLES])
def test_small_components_are_removed(place, function, image):
    check(functools.partial(function, max_size=12, connectivity=image.ndim), image)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"max_size": 0},
        {"max_size": 3.5, "connectivity": 2},
        {"max_size": float("nan")},
        {"max_size": 10**9},
        {"connectivity": 7},
    ],
)
@pytest.mark.parametrize("function", [OBJECTS, HOLES])
def test_limits_of_small_components(on_host, function, options):
    check(functools.partial(function, **options), NOISE)


def test_deprecated_limits_are_warned_of(on_host):
    check(lambda image: OBJECTS(image, min_size=5), NOISE)
    check(lambda image: HOLES(image, area_threshold=5), NOISE)


@pytest.mark.parametrize("name", LABELS)
def test_labels_of_few_pixels_are_removed(place, name):
    if name not in ("uint64", "far apart"):  # of which scikit-image makes tables too large
        check(lambda image: OBJECTS(image, max_size=14), LABELS[name])
    check(lambda image: HOLES(image, max_size=14), LABELS[name])


def test_labels_that_are_refused(on_host):
    check(OBJECTS, LABELS["few"] - 5)
    check(OBJECTS, NOISE.astype(int))  # one label, which is warned of
    check(lambda image: RELABEL(image)[0], LABELS["few"] - 5)


@pytest.mark.parametrize("image", [*IMAGES.values(), LABELS["few"], LABELS["uint8"] / 30])
def test_what_touches_the_border_is_cleared(place, image):
    check(functools.partial(BORDER, bgval=1), image)


@pytest.mark.parametrize("size", [0, 2, 7, -1, -3])
def test_wide_borders_are_cleared(on_host, size):
    sparse = rng.random((30, 41)) < 0.3
    for image in (sparse, VOLUME):
        check(functools.partial(BORDER, buffer_size=size), image)


def test_what_touches_a_mask_is_cleared(place):
    mask = np.ones(NOISE.shape, bool)
    mask[10:12, 20] = mask[30, 3] = False
    check(lambda image, mask: BORDER(image, mask=mask, bgval=7), LABELS["few"], mask)
    check(lambda mask, image: BORDER(mask=mask, labels=image), mask, NOISE)


@pytest.mark.parametrize("shape", [(200,), (45, 38), (13, 9, 14)])
@pytest.mark.parametrize("dtype", [np.float32, np.uint8])
def test_hysteresis_reaches_across_chunks(place, shape, dtype):
    image = (np.random.default_rng(1).random(shape) * 100).astype(dtype)
    check(lambda image: HYSTERESIS(image, 40, 97.5), image)
    check(lambda image: HYSTERESIS(image, 60, 50), image)


def test_hysteresis_with_thresholds_for_each_pixel(on_host):
    image, low = rng.random((2, 41, 38))
    check(lambda image, low: HYSTERESIS(image, low, 0.95), image, low)
    check(lambda image, low: HYSTERESIS(image, 0.5, low), image, low)
    check(lambda image, low: HYSTERESIS(image, low / 2, low), image, low)


def test_images_larger_than_any_device(on_host):
    huge = da.zeros((2**16, 2**16), chunks=2**12)
    with use_backends("gpu"):
        assert isinstance(HYSTERESIS(huge, 1, 2), da.Array)
        assert isinstance(OBJECTS(huge > 0), da.Array)
        assert isinstance(BORDER(huge), da.Array)
        assert ski.measure.label(huge > 0).dtype == np.int64


@pytest.mark.parametrize("name", LABELS)
@pytest.mark.parametrize("offset", [1, 5])
def test_labels_are_numbered_without_gaps(place, name, offset):
    image = LABELS[name].astype(int) if (name, offset) == ("uint8", 5) else LABELS[name]
    expected = RELABEL(image, offset)
    with use_backends("gpu"):
        lazy = RELABEL(da.from_array(image, 17), offset=offset)
    assert isinstance(lazy[0], da.Array)
    found = dask.compute(*lazy, scheduler="synchronous")
    assert (lazy[0].dtype, found[0].dtype) == (expected[0].dtype,) * 2
    np.testing.assert_array_equal(found[0], expected[0])
    for made, wanted in zip(found[1:], expected[1:], strict=True):
        assert type(made) is type(wanted)
        for key in ("in_values", "out_values"):
            np.testing.assert_array_equal(getattr(made, key), getattr(wanted, key))
            assert getattr(made, key).dtype == getattr(wanted, key).dtype


def test_labels_whose_dtype_is_not_known_are_declined(on_host, monkeypatch):
    monkeypatch.setenv("SKIMAGE_BACKENDS_NOTIFY", "all")
    image = np.arange(128, dtype=np.int8)
    assert RELABEL(image)[0].dtype == np.uint8
    with use_backends("gpu"), pytest.warns(match="give it as numpy.int64"), suppress(ValueError):
        RELABEL(da.from_array(image, 10))


@pytest.mark.parametrize(
    "dtypes", [(np.int64, np.int64), (np.uint8, np.int32), (np.int32, np.uint8)]
)
def test_segmentations_are_joined(on_host, dtypes):
    images = [rng.integers(0, 9, (30, 25)).astype(dtype) for dtype in dtypes]
    check(ski.segmentation.join_segmentations, *images)
