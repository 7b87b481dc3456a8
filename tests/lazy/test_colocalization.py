"""Colocalization of Dask arrays is that of the whole images."""

import warnings

import dask
import numpy as np
import pytest
import skimage as ski

from skimage_gpu_backend import use_backends
from skimage_gpu_backend.dispatch.observe import observe
from tests.lazy.test_label import uneven

da = pytest.importorskip("dask.array")
pytestmark = pytest.mark.thorough
pearson, coloc = ski.measure.pearson_corr_coeff, ski.measure.manders_coloc_coeff
overlap, intersection = ski.measure.manders_overlap_coeff, ski.measure.intersection_coeff
rng = np.random.default_rng(0)
FLOAT = rng.random((43, 38))
NEAR = FLOAT + rng.normal(0, 0.2, FLOAT.shape).clip(0, None)
BYTES, OTHER = (FLOAT * 255).astype(np.uint8), (NEAR * 99).astype(np.int16)
SINGLE = FLOAT.astype(np.float32)
ONE, TWO, MASK = FLOAT > 0.5, NEAR > 0.6, (rng.random(FLOAT.shape) > 0.3).astype(np.uint8)
CALLS = [
    (pearson, (FLOAT, NEAR), 1e-12),
    (pearson, (BYTES, OTHER, MASK), 1e-12),
    (pearson, (SINGLE, SINGLE**2), 1e-5),
    (pearson, (ONE, TWO), 1e-12),
    (coloc, (BYTES, TWO), 0),
    (coloc, (SINGLE, MASK, ONE), 1e-5),
    (coloc, (BYTES * 0, TWO), 0),
    (coloc, (np.where(MASK, BYTES, -5.0), ONE, MASK), 1e-12),
    (overlap, (BYTES, OTHER, MASK), 0),
    (overlap, (FLOAT, NEAR), 1e-12),
    (overlap, (BYTES, SINGLE), 1e-5),
    (intersection, (ONE, TWO), 0),
    (intersection, (ONE, MASK, TWO), 0),
]


def lazy(image, seed=0):
    return da.from_array(image, uneven(image.shape, np.random.default_rng(seed), 14))


def listed(results):
    return list(results) if isinstance(results, tuple) else [results]


@pytest.mark.parametrize(
    ("function", "images", "tolerance"),
    CALLS,
    ids=[f"{f.__name__}-{len(i)}-{i[0].dtype}" for f, i, _ in CALLS],
)
def test_results_are_those_of_the_whole(place, function, images, tolerance):
    expected = listed(function(*images))
    with use_backends("gpu"), observe() as calls:
        results = listed(function(*map(lazy, images, range(3))))
    assert calls[0].source == "dask"
    for result, wanted in zip(results, expected, strict=True):
        found = result.compute(scheduler="synchronous")
        assert type(found) is type(wanted)
        assert wanted == 0 or result.dtype == np.asarray(wanted).dtype
        np.testing.assert_allclose(found, wanted, tolerance, tolerance)


def outcome(function, images, of=lambda image: image):
    """Result or exception, and the first words of warnings."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            with use_backends("gpu"):
                result = function(*map(of, images))
                result = dask.compute(result, scheduler="synchronous")[0]
        except Exception as error:
            result = type(error), str(error)
    return result, [str(each.message)[:30] for each in told]


@pytest.mark.parametrize(
    ("function", "images"),
    [
        (pearson, (FLOAT * 0 + 0.1, NEAR)),
        (pearson, (FLOAT * 1e-13 + 1, NEAR)),
        (pearson, (FLOAT, NEAR, np.arange(FLOAT.size).reshape(FLOAT.shape) == 3)),
        (pearson, (FLOAT, NEAR, np.arange(FLOAT.size).reshape(FLOAT.shape) % 900 == 3)),
        (coloc, (NEAR - 0.5, ONE)),
        (coloc, (BYTES, OTHER)),
        (coloc, (BYTES, ONE, ONE & False)),
        (overlap, (BYTES, OTHER - 50)),
        (intersection, (ONE & False, TWO)),
        (intersection, (ONE, TWO, BYTES)),
    ],
)
def test_refusals_and_warnings_are_those_of_the_whole(on_host, function, images):
    expected, words = outcome(function, images)
    found, told = outcome(function, images, lazy)
    assert told == words
    if isinstance(found, tuple) and isinstance(found[0], float):
        np.testing.assert_allclose(found, expected, 1e-2)  # of images that are nearly constant
    else:
        assert found == expected
