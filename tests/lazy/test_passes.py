"""Functions of two passes: the first is a part of the graph, and results are the whole image's."""

import warnings

import numpy as np
import pytest
import skimage as ski

from skimage_gpu_backend import use_backends
from skimage_gpu_backend.dispatch.observe import observe

da = pytest.importorskip("dask.array")
pytestmark = pytest.mark.thorough
rng = np.random.default_rng(0)
FLOAT = rng.normal(0.5, 0.2, (43, 37))
IMAGES = {
    "float64": FLOAT,
    "float32": abs(FLOAT).astype(np.float32),
    "float16": FLOAT.astype(np.float16),
    "nan": np.where(FLOAT > 0.5, np.nan, FLOAT - 0.4),
    "uint8": (FLOAT * 100 + 20).clip(0, 255).astype(np.uint8),
    "uint16": (FLOAT * 3000 + 1000).clip(0, None).astype(np.uint16),
    "int16": (FLOAT * 3000 - 1000).astype(np.int16),
    "bool": FLOAT > 0.5,
    "one value": np.full((30, 25), 0.25),
}
CALLS = [
    (ski.exposure.equalize_hist, {}),
    (ski.exposure.equalize_hist, {"nbins": 31}),
    (ski.exposure.rescale_intensity, {}),
    (ski.exposure.rescale_intensity, {"out_range": (0, 3.0)}),
    (ski.exposure.rescale_intensity, {"out_range": "uint8"}),
    (ski.exposure.rescale_intensity, {"in_range": (0.1, 0.5), "out_range": "image"}),
    (ski.exposure.rescale_intensity, {"in_range": "dtype"}),
    (ski.filters.unsharp_mask, {}),
    (ski.filters.unsharp_mask, {"radius": 3, "amount": 2.0}),
    (ski.restoration.denoise_bilateral, {"sigma_color": 0.1, "win_size": 5}),
    (ski.util.img_as_ubyte, {}),
    (ski.util.img_as_int, {}),
    (ski.filters.rank.mean, {"footprint": np.ones((3, 5))}),
    (ski.morphology.isotropic_opening, {"radius": 2}),
    (ski.morphology.isotropic_dilation, {"radius": 1, "spacing": (1, 0.5)}),
]
BILATERAL = (ski.restoration.denoise_bilateral, {"win_size": 3})


def lazy(image):
    """In uneven chunks, the last of one element."""
    return da.from_array(image, tuple((n // 3, n - n // 3 - 1, 1) for n in image.shape))


def outcome(function, image, options):
    """Result, computed if it is lazy, or the exception; and whether it is lazy."""
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            result = function(image, **options)
            if not isinstance(result, da.Array):
                return result, False
            return result.compute(scheduler="synchronous"), True
    except Exception as error:
        return (type(error), str(error)), False


PLACES = [("device", name) for name in IMAGES] + [("host", "nan"), ("host", "uint8")]


@pytest.mark.parametrize(("place", "name"), PLACES)
@pytest.mark.parametrize(
    ("function", "options"), CALLS, ids=[f"{f.__name__}-{'-'.join(o)}" for f, o in CALLS]
)
def test_results_are_equal(enabled, monkeypatch, place, name, function, options):
    monkeypatch.setenv("SKIMAGE_BACKENDS_MIN_SIZE", "0" if place == "device" else "1T")
    monkeypatch.setenv("SKIMAGE_BACKENDS_NOTIFY", "none")
    image = IMAGES[name]
    expected, _ = outcome(function, image, options)
    with use_backends("gpu"):
        found, is_lazy = outcome(function, lazy(image), options)
    if type(expected) is tuple:
        assert found == expected
        return
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found, expected)
    # what scikit-image alone can do: integers that become bytes, scaled or not
    assert is_lazy or (function is ski.filters.rank.mean and image.dtype == np.int16)


@pytest.mark.parametrize("name", ["erosion", "dilation", "opening", "closing"])
@pytest.mark.parametrize("radius", [-1, 3, 7])
@pytest.mark.parametrize("background", [False, True])
def test_chunks_without_a_pixel_to_measure_from(however_small, name, radius, background):
    one = np.full((60, 50), background)
    one[30, 3] = not background
    function = getattr(ski.morphology, f"isotropic_{name}")
    for image in (one, np.full((40, 50), background)):
        with use_backends("gpu"):
            found = function(lazy(image), radius)
            assert isinstance(found, da.Array)
            found = found.compute(scheduler="synchronous")
        np.testing.assert_array_equal(found, function(image, radius))


def test_a_deviation_is_a_sum_in_another_order(however_small):
    for name, tolerance in (("float64", 1e-12), ("float32", 1e-5), ("uint8", 1e-12)):
        image = IMAGES[name]
        with use_backends("gpu"):
            found = ski.restoration.denoise_bilateral(lazy(image), win_size=3)
        assert isinstance(found, da.Array)
        expected = ski.restoration.denoise_bilateral(image, win_size=3)
        np.testing.assert_allclose(found.compute(scheduler="synchronous"), expected, tolerance)


@pytest.mark.parametrize(("function", "options"), CALLS[:1] + CALLS[2:3] + CALLS[7:8] + [BILATERAL])
def test_nothing_is_computed_early_and_chunks_stay_on_the_device(however_small, function, options):
    import cupy as cp

    built = []

    def on_device(block):
        assert built, "computed before somebody asked for it"
        return cp.asarray(block)

    image = lazy(FLOAT).map_blocks(on_device, meta=cp.empty((0, 0)))
    with use_backends("gpu"), observe() as calls:
        result = function(image, **options)
        built.append(True)
        found = result.compute(scheduler="synchronous")
    assert isinstance(found, cp.ndarray)
    assert {call.source for call in calls} == {"dask", "kernel"}
    np.testing.assert_allclose(found.get(), function(FLOAT, **options), 1e-12)


def test_what_is_of_the_wanted_type_already_is_given_back(however_small):
    image = lazy(FLOAT)
    with use_backends("gpu"):
        assert ski.util.img_as_float(image) is image
