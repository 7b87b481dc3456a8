"""What is added up over Dask arrays is what the whole image gives, when it is asked for."""

import numpy as np
import pytest
import skimage as ski

from skimage_gpu_backend import use_backends
from skimage_gpu_backend.dispatch.observe import observe

da = pytest.importorskip("dask.array")
pytestmark = pytest.mark.thorough
rng = np.random.default_rng(0)
FLOAT = np.concatenate([rng.normal(0.3, 0.05, (60, 71)), rng.normal(0.7, 0.1, (41, 71))])
IMAGES = {
    "float64": FLOAT,
    "float32": FLOAT.astype(np.float32),
    "uint8": (FLOAT * 100 + 20).astype(np.uint8),
    "int16": (FLOAT * 300 - 100).astype(np.int16),
    "bool": FLOAT > 0.5,
    "volume": (FLOAT * 100 + 20).astype(np.uint16).reshape(101, 71, 1)[..., [0, 0, 0, 0, 0]],
    "one value": np.full((30, 30), 7, np.uint8),
    "one number": np.full((30, 30), 0.25),
}
THRESHOLDS = [
    (ski.filters.threshold_otsu, {}),
    (ski.filters.threshold_otsu, {"nbins": 31}),
    (ski.filters.threshold_yen, {}),
    (ski.filters.threshold_isodata, {}),
    (ski.filters.threshold_isodata, {"return_all": True}),
    (ski.filters.threshold_minimum, {"max_num_iter": 5000}),
    (ski.filters.threshold_multiotsu, {"classes": 3}),
    (ski.filters.threshold_triangle, {}),
    (ski.exposure.histogram, {}),
    (ski.exposure.histogram, {"normalize": True, "nbins": 50}),
    (ski.exposure.cumulative_distribution, {}),
]


def outcome(function, *images, **options):
    """Result, computed if need be, or the exception."""
    try:
        result = function(*images, **options)
        several = result if isinstance(result, tuple) else (result,)
        return [
            r.compute(scheduler="synchronous") if isinstance(r, da.Array) else r for r in several
        ]
    except Exception as error:
        return type(error), str(error)


def lazy(image):
    return da.from_array(image, tuple((n // 3, n - n // 3) if n > 5 else n for n in image.shape))


@pytest.mark.parametrize("image", IMAGES.values(), ids=IMAGES)
@pytest.mark.parametrize(("function", "options"), THRESHOLDS)
def test_thresholds_and_histograms_are_equal(however_small, function, options, image):
    expected = outcome(function, image, **options)
    with use_backends("gpu"), observe() as calls:
        found = outcome(function, lazy(image), **options)
    assert calls[0].source == "dask"
    if type(expected) is tuple:
        assert found == expected
        return
    for result, wanted in zip(found, expected, strict=True):
        assert type(result) is type(wanted)
        assert result.dtype == wanted.dtype
        np.testing.assert_array_equal(result, wanted)


@pytest.mark.parametrize("image", IMAGES.values(), ids=IMAGES)
@pytest.mark.parametrize(
    ("function", "options"),
    [
        (lambda a, b: ski.filters.threshold_mean(a), {}),
        (ski.metrics.mean_squared_error, {}),
        (ski.metrics.normalized_root_mse, {}),
        (ski.metrics.normalized_root_mse, {"normalization": "min-max"}),
        (ski.metrics.normalized_root_mse, {"normalization": "mean"}),
        (ski.metrics.peak_signal_noise_ratio, {}),
        (ski.metrics.peak_signal_noise_ratio, {"data_range": 3}),
    ],
)
def test_means_are_equal_but_for_the_order_of_their_sums(however_small, function, options, image):
    other = image[::-1].copy()
    with np.errstate(all="ignore"):
        expected = outcome(function, image, other, **options)
        with use_backends("gpu"), observe() as calls:
            found = outcome(function, lazy(image), da.from_array(other, 40), **options)
    assert calls[0].source == "dask"
    if type(expected) is tuple:
        assert found == expected
        return
    assert type(found[0]) is type(expected[0])
    single = image.dtype == np.float32
    np.testing.assert_allclose(found, expected, rtol=1e-5 if single else 1e-13)


def test_a_threshold_is_one_graph_with_what_it_is_for(however_small):
    image = lazy(IMAGES["float64"])
    with use_backends("gpu"):
        mask = image > ski.filters.threshold_otsu(image)
    assert isinstance(mask, da.Array)
    np.testing.assert_array_equal(mask, ski.filters.threshold_otsu(FLOAT) < FLOAT)


def test_chunks_of_the_device_are_counted_there(however_small):
    import cupy as cp

    image = lazy(IMAGES["float64"]).map_blocks(cp.asarray, meta=cp.empty((0, 0)))
    with use_backends("gpu"), observe() as calls:
        found = ski.filters.threshold_otsu(image).compute(scheduler="synchronous")
    assert {call.source for call in calls} == {"dask", "kernel"}
    assert found == ski.filters.threshold_otsu(FLOAT)
