"""xarray's arrays give what scikit-image gives of them, and nothing is computed for it."""

import subprocess
import sys
import threading

import numpy as np
import pytest
import skimage as ski

from skimage_gpu_backend import use_backends
from skimage_gpu_backend.adapt.values import replace
from skimage_gpu_backend.catalog import CATALOG, spoken
from skimage_gpu_backend.dispatch.observe import observe
from tests.differential.check import by_position, function_called, listed, made
from tests.differential.sweeps import SWEEPS

xr = pytest.importorskip("xarray")
da = pytest.importorskip("dask.array")
pytestmark = pytest.mark.usefixtures("however_small")
IMAGE = np.random.default_rng(0).random((101, 130))


def labelled(data):
    return xr.DataArray(data, dims=("y", "x"), coords={"y": np.arange(101) / 7}, attrs={"unit": 1})


def test_of_numpy_it_runs_on_the_device_and_gives_a_plain_array():
    with use_backends("gpu"), observe() as calls:
        result = ski.filters.gaussian(labelled(IMAGE), 2)
    assert [call.source for call in calls] == ["kernel"]
    assert type(result) is np.ndarray
    np.testing.assert_array_equal(result, ski.filters.gaussian(IMAGE, 2))


def test_of_cupy_it_stays_on_the_device():
    import cupy as cp

    with use_backends("gpu"):
        result = ski.filters.gaussian(labelled(cp.asarray(IMAGE)), 2)
    assert isinstance(result, cp.ndarray)
    np.testing.assert_array_equal(result.get(), ski.filters.gaussian(IMAGE, 2))


def test_of_dask_nothing_is_computed():
    def part(block):
        assert allowed.is_set(), "computed before somebody asked for it"
        return block

    allowed = threading.Event()
    chunks = da.from_array(IMAGE, (40, 50)).map_blocks(part, meta=np.empty((0, 0)))
    with use_backends("gpu"):
        result = ski.filters.gaussian(labelled(chunks), 2)
    assert isinstance(result, da.Array)
    allowed.set()
    np.testing.assert_array_equal(result, ski.filters.gaussian(IMAGE, 2))


@pytest.mark.parametrize("image", [IMAGE, labelled(IMAGE), da.from_array(IMAGE, 60)])
@pytest.mark.parametrize("over", [np.asarray, lambda mask: da.from_array(mask, 50)])
def test_a_mask_may_be_one(image, over):
    mask = IMAGE > 0.3
    with use_backends("gpu"), observe() as calls:
        result = ski.filters.sobel(image, mask=labelled(over(mask)))
    assert calls[0].source == ("dask" if isinstance(result, da.Array) else "kernel")
    np.testing.assert_array_equal(result, ski.filters.sobel(IMAGE, mask=mask))


@pytest.mark.parametrize("function", [ski.util.invert, ski.filters.threshold_otsu])
def test_where_scikit_image_makes_no_plain_array_the_remedy_is_told(gpu, function):
    assert gpu.declined(function, labelled(IMAGE)) == (
        "image is a DataArray, of which scikit-image makes no plain array here; give image.data"
    )


def test_out_is_not_one(gpu):
    told = gpu.declined(ski.filters.gaussian, IMAGE, out=labelled(IMAGE.copy()))
    assert told.startswith("out ")


def test_apply_ufunc_with_dask_allowed_keeps_names_coordinates_and_laziness():
    scan = labelled(da.from_array(IMAGE, (40, 50)))
    with use_backends("gpu"):
        edges = xr.apply_ufunc(ski.filters.sobel, scan, dask="allowed", keep_attrs=True)
    assert isinstance(edges.data, da.Array)
    assert edges.dims == scan.dims
    assert edges.attrs == scan.attrs
    xr.testing.assert_equal(edges.coords["y"], scan.coords["y"])
    np.testing.assert_array_equal(edges, ski.filters.sobel(IMAGE))


def test_apply_ufunc_with_dask_parallelized_calls_for_each_chunk():
    """Of a stack of planes, each of which lies in one chunk."""
    stack = np.random.default_rng(1).random((5, 40, 50))
    scan = xr.DataArray(da.from_array(stack, (2, 40, 50)), dims=("t", "y", "x"))

    def smooth(planes):
        with use_backends("gpu"):
            return ski.filters.gaussian(planes, 2, channel_axis=0)

    with observe() as calls:
        result = xr.apply_ufunc(
            smooth,
            scan,
            input_core_dims=[["y", "x"]],
            output_core_dims=[["y", "x"]],
            dask="parallelized",
            output_dtypes=[scan.dtype],
        )
        assert not calls
        found = result.compute(scheduler="synchronous")
    assert [call.source for call in calls] == ["kernel"] * 3
    np.testing.assert_array_equal(found, ski.filters.gaussian(stack, 2, channel_axis=0))


def test_apply_ufunc_of_arrays_in_memory():
    with use_backends("gpu"), observe() as calls:
        result = xr.apply_ufunc(ski.util.invert, labelled(IMAGE))
    assert [call.source for call in calls] == ["kernel"]
    xr.testing.assert_equal(result, labelled(1 - IMAGE))


@pytest.mark.parametrize("library", ["xarray", "dask"])
def test_a_call_imports_nothing(library):
    program = (
        "import sys, numpy, skimage as ski, skimage_gpu_backend as s\n"
        "s.enable()\n"
        "with s.use_backends('gpu'): ski.filters.gaussian(numpy.zeros((99, 99)))\n"
        f"assert {library!r} not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def _kinds(result):
    """Types of all that is in a result."""
    told = []
    replace(result, lambda v: told.append(type(v)) or v)
    return told


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", sorted(n for n, row in CATALOG.items() if row.images), ids=spoken)
def test_types_of_every_functions_results(name):
    (sweep,) = (sweep for sweep in SWEEPS if sweep.name == name)
    cases = list(sweep.cases())
    for case in cases[:: max(1, len(cases) // 8)]:
        for parameters in (CATALOG[name].images, CATALOG[name].beside):
            arguments = made(case.arguments)
            arrays = {p for p in parameters if isinstance(arguments.get(p), np.ndarray)}
            if not arrays:
                continue
            arguments |= {p: xr.DataArray(arguments[p]) for p in arrays}
            args, kwargs = by_position(name, arguments)
            outcomes = []
            for backends in ((), ("gpu",)):
                try:
                    with use_backends(*backends):
                        outcomes.append(_kinds(listed(function_called(name)(*args, **kwargs))))
                except Exception as error:
                    outcomes.append(error)
            expected, found = outcomes
            if not isinstance(expected, Exception):
                assert found == expected, case.label
            elif isinstance(found, Exception):
                assert type(found) is type(expected), case.label
            else:  # xarray's own words, of axes that are moved and the like, for some arguments
                assert xr.DataArray not in found, case.label
