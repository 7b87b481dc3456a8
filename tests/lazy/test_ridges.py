"""Ridge filters that divide by largest values, which a first pass over the chunks finds."""

import numpy as np
import pytest
import skimage as ski

from skimage_gpu_backend import use_backends
from skimage_gpu_backend.dispatch.observe import observe
from tests.lazy.test_label import uneven

da = pytest.importorskip("dask.array")
pytestmark = pytest.mark.thorough
meijering, frangi = ski.filters.meijering, ski.filters.frangi
rng = np.random.default_rng(0)
PLANE = ski.filters.gaussian(rng.random((88, 61)), 1.5)
PLANE[:30] += np.linspace(0, 0.5, 61)
IMAGES = {
    "float64": PLANE,
    "float32": PLANE.astype(np.float32),
    "uint8": (PLANE * 200).astype(np.uint8),
    "one value": np.full((40, 30), 0.5),
    "volume": rng.random((19, 22, 17)),
}
OPTIONS = [
    (meijering, {"sigmas": [1, 2]}),
    (meijering, {"sigmas": [1.5], "alpha": -0.3, "black_ridges": False, "mode": "wrap"}),
    (frangi, {"sigmas": [1, 2]}),
    (frangi, {"sigmas": (2, 1), "black_ridges": False, "mode": "nearest"}),
    (frangi, {"sigmas": [1.5], "gamma": 0.02}),
]


@pytest.mark.parametrize("name", IMAGES)
@pytest.mark.parametrize(("function", "options"), OPTIONS)
def test_results_are_those_of_the_whole_image(place, name, function, options):
    image = IMAGES[name]
    lazy = da.from_array(image, uneven(image.shape, rng, 30 if image.ndim == 2 else 12))
    with use_backends(*("gpu",) * (place == "device")):
        expected = function(image, **options)
    with use_backends("gpu"), observe() as calls:
        result = function(lazy, **options)
    assert calls[0].source == "dask"
    assert (result.dtype, result.shape) == (expected.dtype, expected.shape)
    found = result.compute(scheduler="synchronous")
    assert found.dtype == expected.dtype
    if place == "device":
        np.testing.assert_array_equal(found, expected)
    else:  # products with a matrix, which BLAS rounds by their number
        np.testing.assert_allclose(found, expected, 0, 1e-5 if found.itemsize == 4 else 1e-12)


@pytest.mark.filterwarnings("error:invalid")
def test_not_a_number_leaves_scales_as_they_are(place):
    image = PLANE.copy()
    image[20, 30] = np.nan
    with use_backends("gpu"):
        found = meijering(da.from_array(image, 40), [1.5]).compute(scheduler="synchronous")
    expected = meijering(image, [1.5])
    assert np.isfinite(expected).any()
    np.testing.assert_allclose(found, expected, 0, 1e-12)


def test_scales_of_old_parameters_are_told_of_once(on_host):
    with use_backends("gpu"), pytest.warns(UserWarning, match="sigmas") as told:
        result = frangi(da.from_array(PLANE, 40), scale_range=(1, 3), scale_step=1)
        found = result.compute(scheduler="synchronous")
    assert len(told) == 1
    np.testing.assert_allclose(found, frangi(PLANE, [1, 2]), 0, 1e-12)


def test_nothing_is_computed_early_and_chunks_stay_on_the_device(however_small):
    import cupy as cp

    built = []

    def on_device(block):
        assert built, "computed before somebody asked for it"
        return cp.asarray(block)

    for function, options in OPTIONS[:3]:
        built.clear()
        image = da.from_array(PLANE, 50).map_blocks(on_device, meta=cp.empty((0, 0)))
        with use_backends("gpu"):
            result = function(image, **options)
            built.append(True)
            found = result.compute(scheduler="synchronous")
            expected = function(PLANE, **options)
        assert isinstance(found, cp.ndarray)
        np.testing.assert_array_equal(found.get(), expected)
