"""Moments, tables of labels, similarities and the like of Dask arrays, against the whole image."""

import warnings
from contextlib import suppress

import numpy as np
import pytest
import skimage as ski

from skimage_gpu_backend import use_backends
from skimage_gpu_backend.dispatch.observe import observe
from skimage_gpu_backend.lazy import blur, information

da = pytest.importorskip("dask.array")
pytestmark = pytest.mark.thorough
rng = np.random.default_rng(0)
FLOAT = rng.random((47, 38))
NEAR = np.clip(FLOAT + rng.normal(0, 0.1, FLOAT.shape), 0, 1)
BYTES, OTHER = (FLOAT * 255).astype(np.uint8), (NEAR * 255).astype(np.uint8)
SINGLE = FLOAT.astype(np.float32), NEAR.astype(np.float32)
LABELS = rng.integers(0, 9, (47, 38)), rng.integers(0, 20, (47, 38)).astype(np.uint16)
COLORS = rng.random((30, 33, 3))
VOLUME = rng.random((13, 14, 15))
measure, metrics = ski.measure, ski.metrics
EXACT, CLOSE, SINGLE_CLOSE = 0, 1e-11, 1e-4
CALLS = [
    (measure.moments, (FLOAT,), {}, CLOSE),
    (measure.moments, (BYTES,), {"order": 2, "spacing": (2, 0.5)}, EXACT),
    (measure.moments_central, (BYTES,), {}, CLOSE),
    (measure.moments_central, (SINGLE[0],), {"center": (3, 4.5)}, SINGLE_CLOSE),
    (measure.moments_central, (VOLUME,), {"order": 4}, CLOSE),
    (measure.centroid, (FLOAT > 0.5,), {}, EXACT),
    (measure.inertia_tensor, (VOLUME,), {}, CLOSE),
    (measure.inertia_tensor_eigvals, (FLOAT,), {}, CLOSE),
    (measure.inertia_tensor_eigvals, (VOLUME,), {"spacing": (2, 1, 0.5)}, CLOSE),
    (measure.inertia_tensor_eigvals, (SINGLE[0],), {}, SINGLE_CLOSE),
    (measure.blur_effect, (FLOAT,), {}, CLOSE),
    (measure.blur_effect, (BYTES,), {"h_size": 4, "reduce_func": None}, CLOSE),
    (measure.blur_effect, (SINGLE[0],), {"h_size": 30, "reduce_func": min}, SINGLE_CLOSE),
    (measure.blur_effect, (VOLUME,), {"h_size": 3, "reduce_func": np.mean}, CLOSE),
    (measure.blur_effect, (COLORS,), {"channel_axis": -1}, CLOSE),
    (measure.blur_effect, (COLORS[..., 0] * 0,), {}, EXACT),
    (measure.shannon_entropy, (BYTES,), {}, EXACT),
    (measure.shannon_entropy, (FLOAT > 0.3,), {"base": None}, EXACT),
    (ski.exposure.is_low_contrast, (FLOAT > 2,), {}, EXACT),
    (ski.exposure.is_low_contrast, (FLOAT / 16,), {}, EXACT),
    (ski.exposure.is_low_contrast, (SINGLE[0],), {"fraction_threshold": 0.7}, EXACT),
    (ski.exposure.is_low_contrast, (BYTES,), {}, EXACT),
    (ski.exposure.is_low_contrast, (BYTES.astype(np.int16),), {"lower_percentile": 7.3}, EXACT),
    (metrics.contingency_table, LABELS, {}, EXACT),
    (metrics.contingency_table, LABELS, {"normalize": True, "ignore_labels": [2]}, CLOSE),
    (metrics.contingency_table, LABELS, {"sparse_type": "array"}, EXACT),
    (metrics.adapted_rand_error, LABELS, {}, EXACT),
    (metrics.adapted_rand_error, LABELS, {"alpha": 0.3, "ignore_labels": None}, EXACT),
    (metrics.variation_of_information, LABELS, {}, CLOSE),
    (metrics.normalized_mutual_information, (FLOAT, BYTES), {}, EXACT),
    (metrics.normalized_mutual_information, SINGLE, {"bins": (7, 30)}, EXACT),
    (metrics.normalized_mutual_information, (FLOAT > 0.5, OTHER), {"bins": 2}, EXACT),
    (metrics.normalized_mutual_information, (VOLUME, VOLUME.round()), {"bins": 10}, EXACT),
    (metrics.structural_similarity, (BYTES, OTHER), {}, CLOSE),
    (metrics.structural_similarity, (FLOAT, NEAR), {"data_range": 1, "full": True}, CLOSE),
    (metrics.structural_similarity, SINGLE, {"data_range": 1, "gradient": True}, SINGLE_CLOSE),
    (
        metrics.structural_similarity,
        (COLORS, COLORS[::-1].copy()),
        {"data_range": 1, "channel_axis": -1, "gradient": True, "full": True},
        CLOSE,
    ),
    (
        metrics.structural_similarity,
        (BYTES, OTHER),
        {"gaussian_weights": True, "sigma": 1.2, "use_sample_covariance": False},
        CLOSE,
    ),
    (metrics.structural_similarity, (VOLUME, VOLUME / 2), {"win_size": 3, "data_range": 2}, CLOSE),
    (ski.filters.threshold_li, (BYTES,), {}, EXACT),
    (ski.filters.threshold_li, (BYTES.astype(np.int16) - 99,), {"initial_guess": 10}, EXACT),
    (ski.filters.threshold_li, (np.full((20, 20), 7, np.uint8),), {}, EXACT),
]


def lazy(image):
    """In uneven chunks, the last of one element."""
    return da.from_array(
        image, tuple((n // 3, n - n // 3 - 1, 1) if n > 4 else n for n in image.shape)
    )


def listed(results):
    return list(results) if isinstance(results, tuple | list) else [results]


@pytest.mark.parametrize(
    ("function", "images", "options", "tolerance"),
    CALLS,
    ids=[f"{f.__name__}-{'-'.join(o)}-{i[0].dtype}" for f, i, o, _ in CALLS],
)
def test_results_are_those_of_the_whole(place, function, images, options, tolerance):
    expected = listed(function(*images, **options))
    with use_backends("gpu"), observe() as calls:
        results = listed(function(*map(lazy, images), **options))
    assert calls[0].source == "dask"
    for result, wanted in zip(results, expected, strict=True):
        assert isinstance(result, da.Array)
        found = result.compute(scheduler="synchronous")
        if hasattr(wanted, "toarray"):
            assert type(found) is type(wanted)
            found, wanted = found.toarray(), wanted.toarray()
        elif isinstance(wanted, bool):
            assert found == wanted
            continue
        elif wanted.size > 1 or wanted.dtype != np.uint8:  # the value of an image of one value
            assert (result.dtype, result.shape) == (wanted.dtype, wanted.shape)
        assert found.dtype == wanted.dtype
        np.testing.assert_allclose(found, wanted, rtol=0, atol=tolerance * np.abs(wanted).max())


def test_a_range_that_the_type_tells_is_told_once(however_small):
    images = BYTES.astype(np.int16), OTHER.astype(np.int16)
    with use_backends("gpu"), warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        result = metrics.structural_similarity(*map(lazy, images))
        assert ["data_range" in str(each.message) for each in told] == [True]
        result.compute(scheduler="synchronous")
    assert len(told) == 1


def test_chunks_of_the_device_stay_there(however_small, monkeypatch):
    import cupy as cp

    for module, host in ((blur, "_edges_on_host"), (information, "_counts_on_host")):
        monkeypatch.setattr(module, host, lambda *images: pytest.fail("on the host"))

    def on_device(image):
        return lazy(image).map_blocks(cp.asarray, meta=cp.empty((0, 0), image.dtype))

    for function, images, options, tolerance in CALLS:
        if images[0].ndim > 2:
            continue
        with use_backends("gpu"), observe() as calls:
            result = listed(function(*map(on_device, images), **options))[0]
            found = result.compute(scheduler="synchronous")
        # parts of what a room computes are no calls; bits of floats are counted on the host
        is_part = function in (measure.blur_effect, metrics.normalized_mutual_information)
        is_part |= function is ski.exposure.is_low_contrast and images[0].dtype.kind == "f"
        assert {call.source for call in calls} == {"dask", *(["kernel"] * (not is_part))}
        expected = listed(function(*images, **options))[0]
        if hasattr(found, "toarray"):
            found, expected = found.toarray(), expected.toarray()
        np.testing.assert_allclose(found, expected, rtol=0, atol=tolerance * np.abs(expected).max())


def test_nothing_is_computed_before_somebody_asks(enabled):
    def early(chunk):
        pytest.fail("computed")

    for function, images, options, _ in CALLS:
        never = [lazy(i).map_blocks(early, meta=np.empty((0,) * i.ndim, i.dtype)) for i in images]
        with use_backends("gpu"), observe() as calls:
            function(*never, **options)
        assert [call.source for call in calls] == ["dask"]


def test_what_is_left_to_the_whole_image_is_told(enabled):
    for function, options, reason in (
        (ski.filters.threshold_li, {}, "img_as_uint"),
        (measure.blur_effect, {"reduce_func": sorted}, "give reduce_func=None"),
        (measure.inertia_tensor_eigvals, {"T": np.eye(2)}, "T is given"),
        (measure.inertia_tensor_eigvals, {"mu": np.ones((3, 3))}, "mu is given"),
    ):
        with use_backends("gpu"), warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            with suppress(Exception):
                function(lazy(FLOAT), **options)
        assert any(reason in str(each.message) for each in told)
