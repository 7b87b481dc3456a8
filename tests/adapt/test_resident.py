"""Results that stay on the device: NumPy arrays to every program, and what crosses the bus."""

import copy
import gc
import io
import os
import pickle
import threading

import cupy as cp
import numpy as np
import pytest
import scipy.ndimage as ndi
import skimage as ski
from skimage.util._backends import DispatchNotification

from skimage_gpu_backend import free_memory, memory, use_backends
from skimage_gpu_backend.adapt import managed
from skimage_gpu_backend.adapt.call import call_on_device
from skimage_gpu_backend.adapt.kinds import NUMPY
from skimage_gpu_backend.adapt.resident import block_of

pytestmark = pytest.mark.usefixtures("enabled", "everything_taken")


@pytest.fixture
def everything_taken(monkeypatch):
    monkeypatch.setenv("SKIMAGE_GPU_MIN_SIZE", "0")


@pytest.fixture(scope="module")
def image():
    return ski.data.camera()[:200, :160] / 255


@pytest.fixture
def result(image):
    """A result that stayed on the device."""
    with use_backends("gpu", output="resident"):
        found = ski.filters.gaussian(image, 2)
    assert block_of(found)
    return found


@pytest.fixture(scope="module")
def expected(image):
    return ski.filters.gaussian(image, 2)


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
    for _ in range(3):  # the last runs reuse the memory of the first one
        with counting() as c, use_backends("gpu", output=output):
            found = np.asarray(pipeline(picture))
            np.testing.assert_allclose(found, expected, atol=1e-10)
        assert (c.to_device, c.to_host) == (crossings, crossings)
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
def test_what_kernels_cannot_read_in_place_is_copied(result, view):
    result[...] = 3
    part = view(result)
    expected = ski.filters.sobel(np.array(part))
    with use_backends("gpu", output="resident"):
        found = ski.filters.sobel(part)
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

    call = of_the_argument, ("image",), {"image": 0}, NUMPY, (result,), {}
    for part in call_on_device(*call, output="resident"):
        assert block_of(part)
        part[...] = 7
    np.testing.assert_array_equal(result, before)


def test_an_argument_that_comes_back_is_the_callers_own(image, result):
    for given in (image, result):
        call = (lambda image: image), ("image",), {"image": 0}, NUMPY, (given,), {}
        assert call_on_device(*call, output="resident") is given


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


def test_out_may_be_the_image_itself(result):
    other = ski.filters.gaussian(np.array(result), 3)
    with use_backends("gpu", output="resident"):
        ski.filters.gaussian(result, 3, out=result)
    np.testing.assert_allclose(result, other, atol=1e-10)


@pytest.mark.parametrize("output", [None, "cupy"])
def test_other_modes_take_it_without_a_copy(counting, result, output):
    with counting() as c, use_backends("gpu", output=output):
        found = ski.filters.sobel(result)
    assert (c.to_device, c.to_host) == (0, output is None)
    found = cp.asnumpy(found)
    np.testing.assert_allclose(found, ski.filters.sobel(result), atol=1e-10)


def test_it_goes_along_with_ordinary_arrays(counting, image, result):
    expected = ski.metrics.mean_squared_error(image, result)
    with use_backends("gpu", output="resident"):
        ski.filters.sobel(result)
        with counting() as c:
            found = ski.metrics.mean_squared_error(image, result)
    assert type(found) is type(expected)
    np.testing.assert_allclose(found, expected, rtol=1e-10)
    assert (c.to_device, c.bytes_to_device) == (1, image.nbytes), "the ordinary one"


def test_containers_and_generators(image):
    with use_backends("gpu", output="resident"):
        layers = list(ski.transform.pyramid_gaussian(image, max_layer=2))
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
    monkeypatch.setenv("SKIMAGE_GPU_MIN_SIZE", str(10**9))
    monkeypatch.setattr("skimage_gpu_backend.dispatch.notify._told", set())
    with use_backends("gpu", output="resident"):
        assert block_of(ski.filters.sobel(result))
        with pytest.warns(DispatchNotification, match="sobel pays off"):
            assert block_of(ski.filters.sobel(np.array(result))) is None


def test_what_falls_back_runs_on_scikit_image(result, expected):
    with use_backends("gpu", output="resident"), pytest.warns(DispatchNotification):
        contours = ski.measure.find_contours(result, 0.5)
    reference = ski.measure.find_contours(np.array(result), 0.5)
    assert len(contours) == len(reference)
    np.testing.assert_array_equal(contours[0], reference[0])


def test_functions_that_cucim_runs(result):
    pytest.importorskip("cucim")
    with use_backends("gpu", output="resident"):
        labels = ski.measure.label(result > 0.5)
        found = ski.segmentation.expand_labels(labels, 3)
    expected = ski.measure.label(np.array(result) > 0.5)
    np.testing.assert_array_equal(labels, expected)
    np.testing.assert_array_equal(found, ski.segmentation.expand_labels(expected, 3))
    assert block_of(labels) and block_of(found)


def test_threads_use_one_array(image, result):
    expected = ski.filters.sobel(np.array(result))
    found = []

    def run():
        with use_backends("gpu", output="resident"):
            for _ in range(5):
                found.append(ski.filters.sobel(result))
                found.append(found[-1] + 0)

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 40
    for array in found:
        np.testing.assert_allclose(array, expected, atol=1e-10)


def test_memory_is_used_again_and_given_back(image):
    with use_backends("gpu", output="resident"):
        first = ski.filters.sobel(image)
        place = first.ctypes.data
        view = first[5:, 5:]
        del first
        assert ski.filters.sobel(image).ctypes.data != place, "a view holds it"
        del view
        assert ski.filters.sobel(image).ctypes.data == place
    gc.collect()
    before = memory()["devices"][0]["managed"]
    free_memory()
    assert memory()["devices"][0]["managed"] < before
    assert not managed._kept


def test_memory_that_the_host_has_is_not_used_again(image):
    """What lies in it would cross the bus for nothing."""
    with use_backends("gpu", output="resident"):
        found = ski.filters.sobel(image)
        block = block_of(found)
        found.sum()
        key = block._key
        del found, block
    assert not managed._kept.get(key)


def test_results_come_to_the_host_where_they_do_not_fit(python):
    done = python(
        "-c",
        "import numpy as np, skimage as ski\n"
        "from skimage_gpu_backend.adapt.resident import block_of\n"
        "image = np.random.default_rng(0).random((256, 256))\n"
        "kept = [ski.filters.sobel(image) for _ in range(12)]\n"
        "print([block_of(a) is not None for a in kept])\n"
        "print(all((a == kept[0]).all() for a in kept))\n",
        SKIMAGE_GPU_SIMULATOR="1",
        SKIMAGE_GPU_SIMULATOR_MEMORY=str(4 << 20),
        SKIMAGE_BACKENDS="gpu",
        SKIMAGE_GPU_RESIDENT="1",
        SKIMAGE_GPU_MIN_SIZE="0",
        SKIMAGE_GPU_NOTIFY="all",
    )
    stayed, equal = done.stdout.splitlines()
    assert stayed.startswith("[True, True") and stayed.endswith("False]")
    assert equal == "True"
    assert "not dispatched" not in done.stderr


def test_where_the_device_cannot_results_are_ordinary_and_the_user_is_told_once(
    monkeypatch, image, expected
):
    monkeypatch.setattr(managed, "why_not", lambda device: "device 0 cannot")
    with use_backends("gpu", output="resident"):
        with pytest.warns(DispatchNotification, match="device 0 cannot"):
            found = ski.filters.gaussian(image, 2)
        found = ski.filters.gaussian(image, 2)  # a second warning would be an error
    assert block_of(found) is None
    np.testing.assert_allclose(found, expected, atol=1e-10)


def test_the_environment_selects_it(monkeypatch, image):
    monkeypatch.setenv("SKIMAGE_GPU_RESIDENT", "1")
    assert block_of(ski.filters.sobel(image)) is None, "no backend is selected"
    with use_backends("gpu"):
        assert block_of(ski.filters.sobel(image))
    with use_backends("gpu", output="cupy"):
        assert type(ski.filters.sobel(image)) is cp.ndarray
    monkeypatch.setenv("SKIMAGE_BACKENDS", "gpu")
    assert block_of(ski.filters.sobel(image))
    monkeypatch.setenv("SKIMAGE_GPU_RESIDENT", "0")
    assert block_of(ski.filters.sobel(image)) is None
    monkeypatch.setenv("SKIMAGE_GPU_RESIDENT", "please")
    with pytest.warns(UserWarning, match="SKIMAGE_GPU_RESIDENT is True or False, not 'please'"):
        assert block_of(ski.filters.sobel(image)) is None


def test_an_unknown_output_is_refused_with_what_there_is():
    with pytest.raises(ValueError, match="None, 'cupy' or 'resident', not 'numpy'"):
        use_backends("gpu", output="numpy")


def test_pictures_are_drawn(result, expected):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots()
    shown = axes.imshow(result)
    figure.canvas.draw()
    np.testing.assert_allclose(shown.get_array(), expected, atol=1e-10)
    pyplot.close(figure)


@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_forked_child_has_the_values_and_the_parent_keeps_its_own(result, expected):
    view = result[10:, ::2]
    result.flags.writeable = True
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        right = np.allclose(result, expected, atol=1e-10) and (view == result[10:, ::2]).all()
        result[...] = -1
        alone = block_of(result) is None and (view == -1).all()
        del result, view
        gc.collect()
        os.write(write, b"right" if right and alone else b"wrong")
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert os.read(read, 9) == b"right"
    assert block_of(result)
    np.testing.assert_allclose(result, expected, atol=1e-10)
    with use_backends("gpu", output="resident"):
        assert block_of(ski.filters.sobel(result))


def test_processes_of_multiprocessing_get_and_give_it(python):
    script = python.script(
        "import multiprocessing, sys, numpy as np, skimage as ski\n"
        "def work(array):\n"
        "    return array.sum(), ski.filters.sobel(array)\n"
        "if __name__ == '__main__':\n"
        "    image = np.random.default_rng(0).random((200, 200))\n"
        "    smooth = ski.filters.gaussian(image, 1)\n"
        "    for method in ('spawn', 'fork'):\n"
        "        with multiprocessing.get_context(method).Pool(2) as pool:\n"
        "            total, edges = pool.map(work, [smooth, smooth])[1]\n"
        "        print(np.isclose(total, smooth.sum()))\n"
        "        print(np.allclose(edges, ski.filters.sobel(smooth)))\n"
    )
    done = python(
        script,
        SKIMAGE_GPU_SIMULATOR="1",
        SKIMAGE_BACKENDS="gpu",
        SKIMAGE_GPU_RESIDENT="1",
        SKIMAGE_GPU_MIN_SIZE="0",
    )
    assert done.stdout.split() == ["True"] * 4
    assert "Error" not in done.stderr and "Exception" not in done.stderr


def test_a_program_ends_quietly_while_it_holds_arrays(python):
    done = python(
        "-c",
        "import numpy as np, skimage as ski\n"
        "kept = ski.filters.sobel(np.ones((300, 300)))\n"
        "kept.sum()\n"
        "again = ski.filters.sobel(kept)\n",
        SKIMAGE_GPU_SIMULATOR="1",
        SKIMAGE_BACKENDS="gpu",
        SKIMAGE_GPU_RESIDENT="1",
        SKIMAGE_GPU_MIN_SIZE="0",
    )
    assert done.stderr == ""
