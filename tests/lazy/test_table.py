"""Tables of regions of Dask arrays are those of the whole image."""

import copy
import warnings
from contextlib import suppress

import numpy as np
import pytest
import skimage as ski

from skimage_gpu_backend import use_backends
from skimage_gpu_backend.dispatch.observe import observe
from skimage_gpu_backend.lazy import pieces
from tests.lazy.test_label import uneven
from tests.upstream import upstream

regions = upstream("measure._regionprops")

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
EXACT = {*PROPERTIES, "intensity_min", "intensity_max", "intensity_median", "euler_number"}
VALUES = ("intensity_min", "intensity_max", "intensity_mean")


def check(labels, intensity=None, rtol=0, chunks=40, **options):
    expected = ski.measure.regionprops_table(labels, intensity, **options)
    chunks = uneven(labels.shape, np.random.default_rng(3), chunks)
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
        exact = name.partition("-")[0] in EXACT or column.dtype == object
        if exact or not rtol:
            np.testing.assert_array_equal(column, expected[name])
            continue
        made = name.partition("-")[0]  # of which some columns are what rounding leaves of 0
        of_made = [abs(c) for n, c in expected.items() if n.partition("-")[0] == made]
        atol = rtol * np.nanmax(of_made, initial=0)
        np.testing.assert_allclose(column, expected[name], rtol=rtol, atol=atol)


@pytest.mark.parametrize("labels", [PLANE, VOLUME, PLANE * 1000 - 3000], ids=["2", "3", "gaps"])
def test_what_chunks_add_up_is_equal(place, labels):
    check(labels, properties=PROPERTIES)


@pytest.mark.parametrize("dtype", [bool, np.uint8, np.int32, np.float32, np.float64])
def test_intensities(place, dtype):
    values = (np.random.default_rng(1).random(PLANE.shape) * 200 - 50 * (dtype is np.int32)).astype(
        dtype
    )
    check(PLANE, values, {np.float32: 1e-6, np.float64: 1e-13}.get(dtype, 0), properties=VALUES)


def scattered(shape, dtype):
    """Labels with gaps between them, of regions that are small, large, and of several parts."""
    rng = np.random.default_rng(2)
    labels = ski.measure.label(ski.filters.gaussian(rng.random(shape), 1.2) > 0.53)
    labels = np.where(labels > 15, 0, labels * 2)
    labels[:: shape[0] - 1, 3:5] = 101  # in two corners
    labels[2, 2:-2] = 103  # along the whole
    return labels.astype(dtype)


WHOLE = [
    name
    for name, dtype in regions.COL_DTYPES.items()
    if name not in (*PROPERTIES, *VALUES) and (dtype is not object or name == "slice")
]
OF_PLANES = ("eccentricity", "hu", "orientation", "perimeter", "perimeter_crofton")


# On the device, properties are as far from scikit-image's as those of `regionprops_table`.
CLOSE = {"device": 1e-8, "host": 0}


@pytest.mark.filterwarnings("ignore:Failed to get convex hull")
@pytest.mark.parametrize("dtype", [np.uint8, np.int64])
def test_regions_in_several_chunks_are_put_together(place, dtype, request):
    labels = scattered((60, 71), dtype)
    values = np.random.default_rng(1).random(labels.shape)
    rtol = CLOSE[request.node.callspec.params["place"]]
    with np.errstate(all="ignore"):
        check(labels, values, rtol, 20, properties=("label", *WHOLE, "area"))


@pytest.mark.filterwarnings("ignore:Failed to get convex hull")
def test_volumes_in_several_chunks_are_put_together(place, request):
    labels = scattered((11, 15, 14), np.uint16)
    values = (np.random.default_rng(1).random(labels.shape) * 100).astype(np.float32)
    rtol = CLOSE[request.node.callspec.params["place"]] and 1e-5
    names = [name for name in WHOLE if not name.endswith(OF_PLANES)]
    names.remove("feret_diameter_max")  # seconds
    with np.errstate(all="ignore"):
        check(labels, values, rtol, 8, properties=names)


def test_other_names_and_spacings_of_whole_regions(place):
    names = ["MajorAxisLength", "inertia_tensor", "centroid_weighted", "centroid_local"]
    options = {"properties": names, "separator": "_", "spacing": (0.5, 3)}
    labels = scattered((60, 71), np.int32)
    check(labels, np.random.default_rng(1).random(labels.shape), 1e-8, 20, **options)
    options = {"properties": ["centroid"], "spacing": (0.3, 0.7)}
    with use_backends("gpu"):
        table = ski.measure.regionprops_table(da.from_array(labels, 20), **options)
    for name, column in ski.measure.regionprops_table(labels, **options).items():
        np.testing.assert_allclose(table[name].compute(), column, 1e-13)


def test_regions_are_measured_by_the_first_box_that_has_all_of_them(place):
    labels = np.zeros((40, 40), int)
    labels[8:12, 3], labels[5, 18:22] = 1, 2
    added = []

    def add_rows(parts, measure):
        added.append(real(parts, measure))
        return added[-1]

    real = pieces.add_rows
    with pytest.MonkeyPatch.context() as patch, use_backends("gpu"):
        patch.setattr(pieces, "add_rows", add_rows)
        options = {"properties": ["label", "eccentricity"]}
        table = ski.measure.regionprops_table(da.from_array(labels, 10), **options)
        found = table["eccentricity"].compute(scheduler="synchronous")
    assert len(found) == 2
    # region 1 in one of four boxes of chunks, region 2 where they become one
    assert sorted(len(rows.tables) for rows in added) == [0, 0, 0, 1, 2]


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


@pytest.fixture
def counted(place):
    """A Dask array of labels, and the chunks of it that have been computed."""
    computed = []

    def count(block):
        computed.append(block)
        return block

    meta = np.empty((0, 0), PLANE.dtype)
    return da.from_array(PLANE, 40).map_blocks(count, dtype=PLANE.dtype, meta=meta), computed


FRAME = {"properties": ("label", "area", "centroid", "eccentricity", "slice")}


def test_pandas_takes_the_table_as_scikit_images_and_computes_once(counted):
    pd = pytest.importorskip("pandas")
    labels, computed = counted
    with use_backends("gpu"):
        table = ski.measure.regionprops_table(labels, **FRAME)
    assert computed == []
    found = pd.DataFrame(table)
    assert len(computed) == labels.npartitions
    expected = pd.DataFrame(ski.measure.regionprops_table(PLANE, **FRAME))
    pd.testing.assert_frame_equal(found, expected, rtol=1e-8)
    found.loc[:, "area"] = 0  # is the caller's own
    pd.testing.assert_frame_equal(pd.DataFrame(table), expected, rtol=1e-8)
    assert len(computed) == labels.npartitions


def test_a_table_becomes_a_lazy_data_frame(counted):
    pd = pytest.importorskip("pandas")
    dd = pytest.importorskip("dask.dataframe")
    labels, computed = counted
    options = {"properties": FRAME["properties"][:-1]}  # Dask makes texts of objects
    with use_backends("gpu"):
        table = ski.measure.regionprops_table(labels, **options)
    meta = {name: column.dtype for name, column in table.items()}
    frame = dd.from_delayed(dask.delayed(pd.DataFrame)(table), meta=meta)
    large = frame[frame.area > 5]
    assert computed == []
    found = large.compute(scheduler="synchronous")
    assert len(computed) == labels.npartitions
    expected = pd.DataFrame(ski.measure.regionprops_table(PLANE, **options))
    pd.testing.assert_frame_equal(found, expected[expected.area > 5], rtol=1e-8)


def test_columns_are_sent_and_persisted_as_dasks_own(counted):
    with use_backends("gpu"):
        table = ski.measure.regionprops_table(counted[0], **FRAME)
    for each in (copy.copy(table["area"]), dask.persist(table)[0]["area"]):
        assert type(each) is da.Array
        np.testing.assert_array_equal(each.compute(), np.bincount(PLANE.flat)[1:])


def test_no_region_at_all(place):
    check(np.zeros((30, 20), int), properties=PROPERTIES)
    check(np.zeros((30, 20), int), properties=["moments", "solidity"], chunks=10)


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"properties": ["label", "coords"]}, "has coords, an array for each region"),
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
