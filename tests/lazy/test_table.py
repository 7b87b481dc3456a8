"""Tables of regions of Dask arrays are those of the whole image."""

import warnings
from contextlib import suppress

import numpy as np
import pytest
import skimage as ski

from skimage_gpu_backend import use_backends
from skimage_gpu_backend.dispatch.observe import observe
from tests.lazy.test_label import uneven

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")
pytestmark = pytest.mark.thorough
rng = np.random.default_rng(0)
PLANE = ski.measure.label(ski.filters.gaussian(rng.random((71, 60)), 2) > 0.5)
VOLUME = ski.measure.label(ski.filters.gaussian(rng.random((17, 21, 20)), 1.5) > 0.5)
PROPERTIES = (
    "label",
    "num_pixels",
    "area",
    "bbox",
    "area_bbox",
    "extent",
    "equivalent_diameter_area",
    "centroid",
    "centroid_local",
)
VALUES = ("intensity_min", "intensity_max", "intensity_mean")


@pytest.fixture(params=["device", "host"])
def place(request, enabled, monkeypatch):
    """Where the chunks' calls run."""
    monkeypatch.setenv("SKIMAGE_GPU_MIN_SIZE", "0" if request.param == "device" else "1T")
    monkeypatch.setenv("SKIMAGE_GPU_NOTIFY", "none")


def check(labels, intensity=None, rtol=0, **options):
    expected = ski.measure.regionprops_table(labels, intensity, **options)
    chunks = uneven(labels.shape, np.random.default_rng(3), 40)
    lazy = da.from_array(labels, chunks)
    with use_backends("gpu"), observe() as calls:
        table = ski.measure.regionprops_table(lazy, intensity, **options)
    assert [call.source for call in calls] == ["dask"]
    assert list(table) == list(expected)
    for name, column in table.items():
        assert isinstance(column, da.Array)
        assert (column.ndim, column.dtype) == (1, expected[name].dtype)
    (found,) = dask.compute(table, scheduler="synchronous")
    for name, column in found.items():
        assert column.dtype == expected[name].dtype
        exact = "mean" not in name
        np.testing.assert_allclose(column, expected[name], rtol=0 if exact else rtol)


@pytest.mark.parametrize("labels", [PLANE, VOLUME, PLANE * 1000 - 3000], ids=["2", "3", "gaps"])
def test_what_chunks_add_up_is_equal(place, labels):
    check(labels, properties=PROPERTIES)


@pytest.mark.parametrize("dtype", [bool, np.uint8, np.int32, np.float32, np.float64])
def test_intensities(place, dtype):
    values = (np.random.default_rng(1).random(PLANE.shape) * 200 - 50 * (dtype is np.int32)).astype(
        dtype
    )
    check(PLANE, values, {np.float32: 1e-6, np.float64: 1e-13}.get(dtype, 0), properties=VALUES)


def test_names_and_spacing(place):
    check(PLANE)
    names = ["Area", "bbox_area", "bbox", "equivalent_diameter", "extent"]
    check(PLANE, properties=names, separator="_", spacing=(0.3, 2))
    check(PLANE, properties=["centroid"], spacing=3)


def test_chunks_of_the_device_are_measured_there(however_small):
    import cupy as cp

    lazy = da.from_array(PLANE, 40).map_blocks(cp.asarray, meta=cp.empty((0, 0), int))
    with use_backends("gpu"), observe() as calls:
        table = ski.measure.regionprops_table(lazy, properties=PROPERTIES)
        (found,) = dask.compute(table, scheduler="synchronous")
    assert {call.source for call in calls} == {"dask", "kernel"}
    expected = ski.measure.regionprops_table(PLANE, properties=PROPERTIES)
    for name, column in found.items():
        np.testing.assert_array_equal(column, expected[name])


def test_no_region_at_all(place):
    check(np.zeros((30, 20), int), properties=PROPERTIES)


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"properties": ["label", "solidity"]}, "has solidity, which chunks cannot add up"),
        ({"properties": ["centroid"], "spacing": 0.5}, "leave spacing out"),
        ({"extra_properties": (np.sum,)}, "extra_properties"),
        ({"intensity_image": np.zeros((*PLANE.shape, 2))}, "differ in shape"),
    ],
)
def test_what_needs_whole_regions_is_declined(enabled, options, reason):
    with use_backends("gpu"), warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        with suppress(Exception):
            ski.measure.regionprops_table(da.from_array(PLANE, 30), **options)
    assert any(reason in str(each.message) for each in told), [str(t.message) for t in told]
