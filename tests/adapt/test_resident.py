"""Results that stay on the device: NumPy arrays to every program, and what crosses the bus."""

import copy
import io
import pickle

import cupy as cp
import numpy as np
import pytest
import scipy.ndimage as ndi
import skimage as ski
from skimage.util._backends import DispatchNotification

from skimage_gpu_backend import use_backends
from skimage_gpu_backend.adapt import managed
from skimage_gpu_backend.adapt.call import call_on_device
from skimage_gpu_backend.adapt.resident import block_of
from tests.adapt.calls import call_of

pytestmark = pytest.mark.usefixtures("enabled", "everything_taken")
SNAKE = np.array([[3.0, 3], [3, 30], [30, 30], [30, 3]])


def pipeline(picture):
    gray = ski.color.rgb2gray(picture)
    smooth = ski.filters.gaussian(gray, 2)
    edges = ski.filters.sobel(smooth)
    thick = ski.filters.gaussian(edges, 1)
    return ski.util.invert(thick)


@pytest.mark.parametrize(("output", "crossings"), [("resident", 1), (None, 5)])
def test_a_pipeline_of_five_calls_crosses_the_bus(counting, output, crossings):
    picture = ski.data.astronaut()[:300, :200].copy()
    expected = pipeline(picture)
    with counting() as ordinary, use_backends("gpu"):
        pipeline(picture)
    for _ in range(3):  # the last runs reuse the memory of the first one
        with counting() as c, use_backends("gpu", output=output):
            found = np.asarray(pipeline(picture))
            np.testing.assert_allclose(found, expected, atol=1e-10)
        assert (c.to_device, c.to_host) == (crossings, crossings)
        assert c.launches == ordinary.launches
    if output:
        assert c.bytes_to_device == picture.nbytes
        assert expected.nbytes <= c.bytes_to_host < expected.nbytes + (64 << 10)


def test_it_is_a_numpy_array_with_scikit_images_values(result, expected):
    assert type(result) is np.ndarray
    assert (result.shape, result.dtype, result.strides) == (
        expected.shape,
        expected.dtype,
        expected.strides,
    )
    assert result.flags.writeable and result.flags.aligned and result.flags.c_contiguous
    np.testing.assert_allclose(result, expected, atol=1e-10)


@pytest.mark.parametrize(
    "look",
    [
        lambda a: a[3, 4],
        lambda a: a + 1,
        lambda a: np.asarray(a).sum(),
        lambda a: bytes(memoryview(a)),
        lambda a: ndi.label(a > 0.5),
        lambda a: ski.measure.points_in_poly(a[:, :2], a[:3, :2]),
        lambda a: pickle.dumps(a),
        lambda a: repr(a),
        lambda a: np.copyto(a, 1),
        lambda a: np.add(1, 1, out=a),
        lambda a: a.tolist(),
    ],
    ids=str.split("item ufunc asarray buffer scipy cython pickle repr copyto out= tolist"),
)
def test_the_first_look_of_the_host_moves_it_and_it_stays_there(counting, result, look):
    with counting() as c:
        look(result)
        look(result)
        result.sum()
    assert (c.to_host, c.to_device) == (1, 0)


@pytest.mark.parametrize(
    "view",
    [
        lambda a: a[10:90, ::2],
        lambda a: a[::-1, 5:],
        lambda a: a.T,
        lambda a: a.reshape(80, -1),
        lambda a: a[..., np.newaxis][:, :, 0],
        lambda a: np.broadcast_to(a[0], a.shape),
        lambda a: a.view(np.int64).view(np.float64),
        lambda a: a[20:][20:].T[::3],
    ],
    ids=["slice", "reversed", "T", "reshape", "axes", "broadcast", "dtype", "view of view"],
)
def test_views_are_found_on_the_device(counting, result, view):
    part = view(result)
    expected = ski.filters.sobel(np.array(part))
    with counting() as c, use_backends("gpu", output="resident"):
        found = ski.filters.sobel(part)
    assert (c.to_device, c.to_host) == (0, 0)
    np.testing.assert_allclose(found, expected, atol=1e-10)


@pytest.mark.parametrize(
    "view",
    [
        lambda a: a.astype(">f8"),
        lambda a: (
            a.view(np.float32).ravel().view(np.uint8)[2:-2].view(np.float32)[:9000].reshape(90, 100)
        ),
        lambda a: a[:0],
    ],
    ids=["other byte order", "not aligned", "empty"],
)
def test_what_kernels_cannot_read_in_place_is_copied(counting, result, view):
    result[...] = 3
    part = view(result)
    expected = ski.filters.sobel(np.array(part))
    with counting() as c, use_backends("gpu", output="resident"):
        found = ski.filters.sobel(part)
    assert c.bytes_to_device == part.nbytes
    np.testing.assert_allclose(found, expected, atol=1e-10)


def test_changes_of_the_host_are_seen_by_the_next_call(counting, result):
    with use_backends("gpu", output="resident"):
        result[40:60, 40:60] = 5
        found = ski.filters.sobel(result)
        reference = ski.filters.sobel(np.array(result))
        np.testing.assert_allclose(found, reference, atol=1e-10)
        result *= 2
        np.testing.assert_allclose(ski.filters.sobel(result), 2 * reference, atol=1e-10)


def test_a_result_shares_no_memory_with_the_callers_array(result):
    before = result.copy()
    with use_backends("gpu", output="resident"):
        for function in (ski.util.img_as_float32, ski.util.invert, ski.filters.sobel):
            found = function(result)
            assert not np.shares_memory(found, result)

    def of_the_argument(image):
        return image[10:-10], image.T

    call = of_the_argument, call_of(image=result)
    for part in call_on_device(*call):
        assert block_of(part)
        part[...] = 7
    np.testing.assert_array_equal(result, before)


def test_an_argument_that_comes_back_is_the_callers_own(image, result):
    for given in (image, result):
        call = (lambda image: image), call_of(image=given)
        assert call_on_device(*call) is given


def test_files_pickles_and_copies(result, expected, tmp_path):
    np.save(tmp_path / "array.npy", result)
    result.tofile(tmp_path / "raw")
    stream = io.BytesIO()
    np.savez(stream, result=result)
    stream.seek(0)
    for again in (
        np.load(tmp_path / "array.npy"),
        np.fromfile(tmp_path / "raw").reshape(result.shape),
        np.load(stream)["result"],
        pickle.loads(pickle.dumps(result)),
        pickle.loads(pickle.dumps(result, protocol=5)),
        copy.copy(result),
        copy.deepcopy(result),
        result.copy(),
    ):
        assert type(again) is np.ndarray
        assert not np.shares_memory(again, result)
        np.testing.assert_allclose(again, expected, atol=1e-10)


def test_buffers_out_of_band_come_back(result, expected):
    buffers = []
    data = pickle.dumps(result, protocol=5, buffer_callback=buffers.append)
    np.testing.assert_allclose(pickle.loads(data, buffers=buffers), expected, atol=1e-10)


def test_read_only_stays_so_and_can_be_taken_back(result):
    result.flags.writeable = False
    before = result.copy()
    with pytest.raises(ValueError, match="read-only"):
        result[0] = 1
    with use_backends("gpu", output="resident"):
        with pytest.raises(ValueError, match="read-only"):
            ski.filters.gaussian(np.ones(result.shape), 1, out=result)
        found = ski.filters.sobel(result)
    assert found.flags.writeable
    np.testing.assert_array_equal(result, before)
    result.flags.writeable = True
    result[0] = 1


def test_out_is_written_on_the_device(counting, image, result):
    other = ski.filters.gaussian(image, 5)
    with counting() as c, use_backends("gpu", output="resident"):
        assert ski.filters.gaussian(image, 5, out=result) is result
    assert (c.to_device, c.to_host) == (1, 0)
    np.testing.assert_allclose(result, other, atol=1e-10)


def add_to(image, out):
    out[...] = 0
    out += image
    return out


def test_out_may_be_the_image_itself(result):
    before = result.copy()
    call = add_to, call_of(image=result, out=result)
    assert call_on_device(*call) is result
    np.testing.assert_array_equal(result, before)


def test_out_is_whole_or_as_it_was(image, result):
    def fail(image, out):
        out[...] = 0
        raise ZeroDivisionError

    before = result.copy()
    for op, error in ((fail, ZeroDivisionError), (add_to, ValueError)):
        call = op, call_of(image=image, out=result)
        with pytest.raises(error):
            call_on_device(*call)
        np.testing.assert_array_equal(result, before)
        result.flags.writeable = False


@pytest.mark.parametrize("output", [None, "cupy"])
def test_other_modes_take_it_without_a_copy(counting, result, output):
    with counting() as c, use_backends("gpu", output=output):
        found = ski.filters.sobel(result)
    assert (c.to_device, c.to_host) == (0, output is None)
    found = cp.asnumpy(found)
    np.testing.assert_allclose(found, ski.filters.sobel(result), atol=1e-10)


def test_a_device_that_cannot_share_memory_gets_a_copy(monkeypatch, counting, result):
    expected = ski.filters.sobel(np.array(result))
    monkeypatch.setattr(managed, "why_not", lambda device: "device 1 cannot")
    with counting() as c, use_backends("gpu"):
        found = ski.filters.sobel(result)
    assert c.bytes_to_device == result.nbytes
    np.testing.assert_allclose(found, expected, atol=1e-10)


def test_it_goes_along_with_ordinary_arrays(counting, image, result):
    expected = ski.metrics.mean_squared_error(image, result)
    with use_backends("gpu", output="resident"):
        ski.filters.sobel(result)
        with counting() as c:
            found = ski.metrics.mean_squared_error(image, result)
    assert type(found) is type(expected)
    np.testing.assert_allclose(found, expected, rtol=1e-10)
    assert (c.to_device, c.bytes_to_device) == (1, image.nbytes), "the ordinary one"


def test_containers_and_generators(counting, image):
    with counting() as ordinary, use_backends("gpu"):
        list(ski.transform.pyramid_gaussian(image, max_layer=2))
    with counting() as c, use_backends("gpu", output="resident"):
        layers = list(ski.transform.pyramid_gaussian(image, max_layer=2))
    assert c.launches == ordinary.launches
    with use_backends("gpu", output="resident"):
        hessian = ski.feature.hessian_matrix(image, sigma=1, use_gaussian_derivatives=False)
    for found, expected in zip(
        layers, ski.transform.pyramid_gaussian(image, max_layer=2), strict=True
    ):
        np.testing.assert_allclose(found, expected, atol=1e-10)
    assert block_of(layers[1])
    assert len(hessian) == 3
    for found, expected in zip(
        hessian,
        ski.feature.hessian_matrix(image, sigma=1, use_gaussian_derivatives=False),
        strict=True,
    ):
        assert type(found) is np.ndarray and block_of(found)
        np.testing.assert_allclose(found, expected, atol=1e-10)


def test_a_generator_does_not_change_where_others_allocate(image):
    with use_backends("gpu", output="resident"):
        layers = ski.transform.pyramid_gaussian(image, max_layer=2)
        next(layers)
        next(layers)
        memory = cp.ones(1 << 16).data.mem
    assert managed._live.get(memory.ptr) is None


def test_small_results_and_scalars_are_ordinary(image):
    with use_backends("gpu", output="resident"):
        counts, centers = ski.exposure.histogram(image)
        threshold = ski.filters.threshold_otsu(image)
    assert block_of(counts) is None and block_of(centers) is None
    assert isinstance(threshold, float)


def test_a_small_image_that_is_there_stays_there(monkeypatch, result):
    monkeypatch.setenv("SKIMAGE_BACKENDS_MIN_SIZE", str(10**9))
    monkeypatch.setattr("skimage_gpu_backend.notify._told", set())
    with use_backends("gpu", output="resident"):
        assert block_of(ski.filters.sobel(result))
        with pytest.warns(DispatchNotification, match="SKIMAGE_BACKENDS_MIN_SIZE is 1 GB"):
            assert block_of(ski.filters.sobel(np.array(result))) is None


def test_what_falls_back_runs_on_scikit_image(result, expected):
    with use_backends("gpu", output="resident"), pytest.warns(DispatchNotification):
        snake = ski.segmentation.active_contour(result, SNAKE, max_num_iter=1)
    reference = ski.segmentation.active_contour(np.array(result), SNAKE, max_num_iter=1)
    np.testing.assert_array_equal(snake, reference)


def test_labels_stay_on_the_device(result):
    with use_backends("gpu", output="resident"):
        labels = ski.measure.label(result > 0.5)
        found = ski.segmentation.expand_labels(labels, 3)
    expected = ski.measure.label(np.array(result) > 0.5)
    np.testing.assert_array_equal(labels, expected)
    np.testing.assert_array_equal(found, ski.segmentation.expand_labels(expected, 3))
    assert block_of(labels) and block_of(found)
