"""The backend ``cpu`` as users meet it."""

import logging

import cupy as cp
import dask.array as da
import numpy as np
import pytest
import skimage as ski
import xarray as xr
from imageio.core.util import Array
from skimage.util._backends import DispatchNotification

from skimage_gpu_backend import over, targets, use_backends
from skimage_gpu_backend.device import loading
from skimage_gpu_backend.dispatch.observe import observe
from skimage_gpu_backend.dispatch.selection import current

pytestmark = pytest.mark.usefixtures("enabled")

IMAGE = ski.data.camera()[:60, :90]


@pytest.fixture(autouse=True)
def everything_taken(monkeypatch):
    monkeypatch.setenv("SKIMAGE_BACKENDS_MIN_SIZE", "0")


def ran(function, *args, backends=("cpu",), **kwargs):
    """Result of a call, and the backend that ran it."""
    with use_backends(*backends), observe() as calls:
        result = function(*args, **kwargs)
    return result, calls[0].backend


@pytest.mark.parametrize("text", ["1", "true", "auto", "Auto"])
def test_without_names_gpu_comes_first_then_cpu_and_cucim_never(text, monkeypatch):
    monkeypatch.setenv("SKIMAGE_BACKENDS", text)
    assert current().backends[:2] == ("gpu", "cpu")
    assert "cucim" not in current().backends


def test_the_first_backend_that_takes_a_call_runs_it():
    for backends in (("gpu", "cpu"), ("cpu", "gpu")):
        result, backend = ran(ski.filters.gaussian, IMAGE, backends=backends)
        assert backend == backends[0]
        assert type(result) is np.ndarray


def test_device_arrays_go_to_the_gpu():
    result, backend = ran(ski.filters.gaussian, cp.asarray(IMAGE))
    assert backend == "gpu"
    assert type(result) is cp.ndarray
    both = cp.asarray(IMAGE), cp.asarray(IMAGE[::-1].copy())
    _, backend = ran(ski.metrics.mean_squared_error, *both)
    assert backend == "gpu"


def test_results_on_a_gpu_are_none_of_it():
    with use_backends("cpu", "gpu", output="cupy"), observe() as calls:
        result = ski.filters.gaussian(IMAGE)
    assert calls[0].backend == "gpu"
    assert type(result) is cp.ndarray


def test_nothing_is_converted_so_nothing_forbids_it():
    with use_backends("cpu", convert=False), observe() as calls:
        ski.filters.gaussian(IMAGE)
    assert calls[0].backend == "cpu"


def test_a_memory_map_is_read_where_it_is(tmp_path):
    np.save(tmp_path / "image.npy", IMAGE)
    mapped = np.load(tmp_path / "image.npy", mmap_mode="r")
    result, backend = ran(ski.filters.gaussian, mapped, 2)
    assert backend == "cpu"
    assert type(result) is np.ndarray
    np.testing.assert_allclose(result, ski.filters.gaussian(IMAGE, 2), atol=1e-10)


def test_metadata_comes_back_as_with_scikit_image():
    image = Array(IMAGE, {"tile": 7})
    result, backend = ran(ski.util.invert, image)
    expected = ski.util.invert(image)
    assert backend == "cpu"
    assert type(result) is type(expected)
    assert getattr(result, "meta", None) == getattr(expected, "meta", None)
    np.testing.assert_array_equal(result, expected)


def test_a_data_array_is_taken():
    image = xr.DataArray(IMAGE, dims=("y", "x"))
    result, backend = ran(ski.filters.gaussian, image, 2)
    expected = ski.filters.gaussian(image, 2)
    assert backend == "cpu"
    assert type(result) is type(expected)
    np.testing.assert_allclose(result, expected, atol=1e-10)


def test_a_dask_array_stays_lazy():
    image = da.from_array(IMAGE, chunks=(30, 45))
    with use_backends("cpu", threads=1):
        result = ski.filters.gaussian(image, 2)
    assert isinstance(result, da.Array)
    with observe() as calls:
        values = result.compute(scheduler="synchronous")
    assert {call.backend for call in calls} == {"cpu"}
    np.testing.assert_allclose(values, ski.filters.gaussian(IMAGE, 2), atol=1e-10)


def test_a_stack_is_computed_image_by_image():
    stack = np.stack([IMAGE, IMAGE[::-1]])
    with use_backends("cpu"), observe() as calls:
        result = over(stack, ski.filters.sobel)
    assert {call.backend for call in calls} == {"cpu"}
    np.testing.assert_allclose(result, [ski.filters.sobel(image) for image in stack], atol=1e-10)


@pytest.mark.parametrize("kind", [ski.feature.ORB, ski.feature.SIFT, ski.feature.CENSURE])
def test_methods_have_their_steps_run(kind):
    image = ski.data.brick()[:200, :200] / 255
    expected, seen = kind(), kind()
    expected.detect(image)
    with use_backends("cpu"), observe() as calls:
        seen.detect(image)
    assert "cpu" in {call.backend for call in calls}
    np.testing.assert_allclose(seen.keypoints, expected.keypoints, atol=1e-6)


def test_progress_is_shown(capsys, monkeypatch):
    monkeypatch.setattr("skimage_gpu_backend.tiles.progress.PATIENCE", 0)
    with use_backends("cpu", progress=True):
        ski.restoration.denoise_tv_chambolle(IMAGE, max_num_iter=9, eps=0)
    assert "restoration.denoise_tv_chambolle" in capsys.readouterr().err


@pytest.mark.parametrize(("threads", "error"), [(0, ValueError), (1.5, TypeError)])
def test_threads_are_counted_from_one(threads, error):
    with pytest.raises(error), use_backends("cpu", threads=threads):
        pass


def test_without_a_compiler_scikit_image_runs_and_says_what_to_install(monkeypatch):
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("CXX", raising=False)
    targets.no_compiler_because.cache_clear()
    try:
        with (
            use_backends("cpu"),
            pytest.warns(DispatchNotification, match=r"no C\+\+ compiler.*install g\+\+"),
        ):
            ski.filters.prewitt(IMAGE)
    finally:
        targets.no_compiler_because.cache_clear()


def test_a_kernel_that_does_not_compile_is_reported_and_scikit_image_runs(monkeypatch):
    expected = ski.filters.scharr(IMAGE)
    monkeypatch.setattr("skimage_gpu_backend.devices.cpu.kernels.kernel_source", lambda _: "}")
    loading.forget()
    try:
        with (
            use_backends("cpu"),
            pytest.warns(DispatchNotification, match="scharr.*does not compile"),
        ):
            result = ski.filters.scharr(IMAGE)
    finally:
        loading.forget()
    np.testing.assert_array_equal(result, expected)


def test_scikit_images_errors_are_its_own(caplog):
    caplog.set_level(logging.INFO, "skimage_gpu_backend.failures")
    for function, args in ((ski.filters.gaussian, (IMAGE, -1)), (ski.filters.sobel, (IMAGE, [1]))):
        with pytest.raises(Exception) as expected:
            function(*args)
        with use_backends("cpu"), pytest.raises(type(expected.value)) as seen:
            function(*args)
        assert str(seen.value) == str(expected.value)
    assert not caplog.records


@pytest.mark.thorough
def test_cupy_is_not_needed(python):
    """The standard call of each function, in a program in which CuPy cannot be imported."""
    program = python.script(WITHOUT_CUPY)
    done = python(program, SKIMAGE_BACKENDS_MIN_SIZE="0", CUDA_SIMULATOR_OPTIMIZE="0")
    assert done.stdout == "[]\n"


WITHOUT_CUPY = """
import sys, warnings

for name in ("cupy", "cupyx", "cupy_backends"):
    sys.modules[name] = None
warnings.simplefilter("ignore")

from skimage_gpu_backend import interface, use_backends
from skimage_gpu_backend.catalog import CATALOG
from skimage_gpu_backend.sizes.calls import Call, variants

failed = []
with use_backends("cpu"):
    for name in (name for name, row in CATALOG.items() if row.images):
        dtypes, work, changes = next(iter(variants(name)))
        call = Call(name, dtypes, work, changes, 64)
        decision = interface.cpu.decide(name, (), call.arguments)
        try:
            if decision:
                decision.run()
        except Exception as error:
            failed.append((name, repr(error)))
print(failed)
"""
