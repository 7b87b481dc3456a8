"""Device arrays of other libraries: in and out without a copy, in their own type.

The libraries in `libraries/` speak the protocols as PyTorch, JAX and Numba do, with arrays
in the device memory that the tests have.
"""

import importlib
from pathlib import Path

import cupy as cp
import numpy as np
import pytest
from skimage import color, data, draw, exposure, filters, measure, metrics, morphology, transform

import cuda_simulator

pytestmark = pytest.mark.filterwarnings("ignore::skimage.util._backends.DispatchNotification")

IMAGE = data.camera()[:96, :80].astype(np.float32) / 255


@pytest.fixture(autouse=True)
def libraries(enabled, monkeypatch):
    monkeypatch.syspath_prepend(Path(__file__).parent / "libraries")


@pytest.fixture(params=["tensors.Tensor", "immutable.Array", "jit.cuda.DeviceNDArray"])
def library(request):
    """The type of a library's arrays, which makes one of a CuPy array."""
    module, _, name = request.param.rpartition(".")
    return getattr(importlib.import_module(module), name)


@pytest.fixture
def tensors():
    return importlib.import_module("tensors")


def test_results_are_the_librarys_own_arrays(library):
    """Also where nothing selects the backend: it is the only one that can take them."""
    result = filters.gaussian(library(cp.asarray(IMAGE)), 2)
    assert type(result) is library
    np.testing.assert_allclose(result.array.get(), filters.gaussian(IMAGE, 2), atol=1e-5)


@pytest.mark.skipif(not cuda_simulator.active(), reason="only the simulator counts")
def test_no_image_is_copied(library, counting):
    image = library(cp.asarray(IMAGE))
    filters.sobel(image)
    with counting() as counts:
        filters.sobel(image)
    assert (counts.to_device, counts.to_host, counts.launches) == (0, 0, 1)


def test_functions_without_a_gpu_version_take_them_too(library):
    filled = library(cp.asarray(IMAGE))
    expected = IMAGE.copy()
    draw.set_color(expected, (np.r_[1, 2], np.r_[3, 4]), 7)
    result = color.label2rgb(library(cp.asarray(IMAGE > 0.5)), bg_label=0, kind="overlay")
    assert type(result) is library
    if library.__name__ == "Array":
        with pytest.raises(ValueError, match="read-only"):
            draw.set_color(filled, (np.r_[1, 2], np.r_[3, 4]), 7)
    else:
        draw.set_color(filled, (np.r_[1, 2], np.r_[3, 4]), 7)
        np.testing.assert_array_equal(filled.array.get(), expected)


def test_a_flood_is_written_into_the_image_where_that_is_asked_for(library):
    image = library(cp.asarray(IMAGE))
    expected = morphology.flood_fill(IMAGE, (3, 4), 2, tolerance=0.2)
    if library.__name__ == "Array":
        with pytest.raises(ValueError, match="read-only"):
            morphology.flood_fill(image, (3, 4), 2, tolerance=0.2, in_place=True)
        np.testing.assert_array_equal(image.array.get(), IMAGE)
    else:
        morphology.flood_fill(image, (3, 4), 2, tolerance=0.2, in_place=True)
        np.testing.assert_array_equal(image.array.get(), expected)
    result = morphology.flood_fill(library(cp.asarray(IMAGE)), (3, 4), 2, tolerance=0.2)
    np.testing.assert_array_equal(result.array.get(), expected)


def test_scalars_lists_generators_and_objects(library):
    image = library(cp.asarray(IMAGE))
    assert filters.threshold_otsu(image) == filters.threshold_otsu(IMAGE)
    levels = list(transform.pyramid_gaussian(image, max_layer=2))
    assert [type(level) for level in levels] == [library] * 3
    counts, centers = exposure.histogram(image, nbins=16)
    assert type(counts) is type(centers) is library
    table = measure.regionprops_table(library(cp.asarray(np.uint8(IMAGE > 0.5))))
    assert type(table["label"]) is library


def test_what_a_library_writes_into_a_level_counts_for_the_next(tensors):
    def changed(array):
        found = []
        for level in transform.pyramid_gaussian(array(IMAGE.copy()), max_layer=2):
            numbers = getattr(level, "array", level)
            numbers *= 0.5
            tensors.streams.clear()
            found.append(cp.asnumpy(numbers).copy())
        return found

    expected = changed(np.asarray)
    found = changed(lambda image: tensors.Tensor(cp.asarray(image)))
    for ours, theirs in zip(found, expected, strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-5)
    assert ("in", cp.cuda.get_current_stream().ptr or 1) in tensors.streams, "ours does not wait"


def test_an_array_beside_the_image(library):
    mask = IMAGE > 0.4
    result = filters.sobel(library(cp.asarray(IMAGE)), mask=library(cp.asarray(mask)))
    np.testing.assert_allclose(result.array.get(), filters.sobel(IMAGE, mask=mask), atol=1e-5)


def test_writing_into_out(library):
    image, out = library(cp.asarray(IMAGE)), library(cp.zeros_like(cp.asarray(IMAGE)))
    if library.__name__ == "Array":
        with pytest.raises(ValueError, match="read-only"):
            filters.gaussian(image, 2, out=out)
        assert not out.array.any()
    else:
        assert filters.gaussian(image, 2, out=out) is out
        expected = filters.gaussian(IMAGE, 2)
        np.testing.assert_allclose(out.array.get(), expected, atol=1e-5)


def test_streams_are_told_to_the_library(tensors):
    image = tensors.Tensor(cp.asarray(IMAGE))
    stream = cp.cuda.Stream(non_blocking=True)
    tensors.streams.clear()
    with stream:
        filters.sobel(image)
    assert tensors.streams == [("in", stream.ptr or 1), ("out", "of the library")]


def test_two_libraries_in_one_call_are_refused_with_both_names(tensors):
    image = tensors.Tensor(cp.asarray(IMAGE))
    for other, told in ((cp.asarray(IMAGE), "CuPy array"), (IMAGE, "NumPy array")):
        with pytest.raises(TypeError, match=f"tensors Tensor and .*{told}"):
            metrics.mean_squared_error(image, other)
    mask = cp.asarray(IMAGE > 0.5)
    with pytest.raises(TypeError, match="tensors Tensor and a CuPy array"):
        filters.sobel(image, mask=mask)
    with pytest.raises(TypeError, match="CuPy array and a tensors Tensor"):
        filters.sobel(cp.asarray(IMAGE), mask=tensors.Tensor(mask))


def test_what_the_library_does_not_share_it_says_itself(tensors, gpu):
    image = tensors.Tensor(cp.asarray(IMAGE), requires_grad=True)
    assert "require gradient" in gpu.declined(filters.sobel, image)
    with pytest.raises(BufferError, match="require gradient"):
        filters.sobel(image)


def test_a_tensor_on_the_cpu_is_left_to_scikit_image(tensors, gpu):
    image = tensors.Tensor(IMAGE)
    told = gpu.declined(filters.gaussian, image)
    assert told.startswith("image is a tensors Tensor that is on no CUDA device")
    image = tensors.Tensor(IMAGE)
    np.testing.assert_array_equal(filters.sobel(np.asarray(image)), filters.sobel(IMAGE))


def test_errors_are_scikit_images(library):
    with pytest.raises(ValueError) as expected:
        filters.gaussian(IMAGE, -1)
    with pytest.raises(ValueError) as raised:
        filters.gaussian(library(cp.asarray(IMAGE)), -1)
    assert str(raised.value) == str(expected.value)


@pytest.mark.skipif(
    not cuda_simulator.active() and cp.cuda.runtime.getDeviceCount() < 2, reason="there is one GPU"
)
@pytest.mark.parametrize("library", ["tensors.Tensor", "immutable.Array"], indirect=True)
def test_the_call_runs_on_the_arrays_device(library, monkeypatch):
    """Of arrays that tell their device: simulated memory does not know it by its address."""
    if cuda_simulator.active():
        monkeypatch.setenv("CUDA_SIMULATOR_DEVICES", "2")
    with cp.cuda.Device(1):
        image = library(cp.asarray(IMAGE))
    result = filters.sobel(image)
    assert result.array.device.id == 1
    levels = transform.pyramid_gaussian(image, max_layer=1)
    assert [level.array.device.id for level in levels] == [1, 1]
