"""What a user gives and gets: kinds of arrays, containers, scalars, out=, copies."""

import cupy as cp
import numpy as np
import pytest
from skimage import color, data, filters, metrics, restoration

from skimage_gpu_backend import use_backends
from skimage_gpu_backend.adapt.call import call_on_device
from tests.adapt.calls import call_of


@pytest.fixture
def image():
    return data.camera()[:96, :80].astype(np.float32) / 255


def test_numpy_in_gives_numpy_out(gpu, image):
    result = gpu(filters.sobel, image)
    assert type(result) is np.ndarray
    np.testing.assert_allclose(result, filters.sobel(image), atol=1e-5)


def test_cupy_in_gives_cupy_out(gpu, image):
    result = gpu(filters.sobel, cp.asarray(image))
    assert type(result) is cp.ndarray
    np.testing.assert_allclose(result.get(), filters.sobel(image), atol=1e-5)


def test_image_by_keyword(gpu_of_each_kind, image):
    result = gpu_of_each_kind(filters.gaussian, sigma=2, image=image)
    np.testing.assert_allclose(result, filters.gaussian(image, 2), atol=1e-5)


def test_scalar_result_is_the_scalar_kind_of_scikit_image(gpu, image):
    other = image[::-1].copy()
    expected = metrics.mean_squared_error(image, other)
    for one, two in ((image, other), (cp.asarray(image), cp.asarray(other))):
        assert type(gpu(metrics.mean_squared_error, one, two)) is type(expected)


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ([[0.0, 1.0], [1.0, 0.0]], "a list"),
        (np.ma.masked_array(np.ones((4, 4)), mask=np.eye(4)), "a masked array"),
        (np.ones((4, 4)).view(type("Sub", (np.ndarray,), {"sum": max})), "Sub"),
    ],
)
def test_what_is_no_plain_array_is_declined_and_named(gpu, value, told):
    reason = gpu.declined(filters.gaussian, value)
    assert reason.startswith("image is ")
    assert told in reason


def test_two_images_of_different_kinds_are_refused_with_both_names(gpu, image):
    with pytest.raises(TypeError, match=r"image0 is a CuPy array and image1 is a NumPy array"):
        gpu(metrics.mean_squared_error, cp.asarray(image), image)


def test_numpy_mask_goes_along_with_a_cupy_image(gpu, image):
    mask = np.zeros(image.shape, bool)
    mask[20:60, 10:70] = True
    result = gpu(filters.sobel, cp.asarray(image), mask=mask)
    np.testing.assert_allclose(result.get(), filters.sobel(image, mask=mask), atol=1e-5)


def test_cupy_matrix_is_read_on_the_host(gpu):
    section = data.immunohistochemistry()[:32, :32]
    matrix = color.hed_from_rgb
    result = gpu(color.separate_stains, cp.asarray(section), cp.asarray(matrix))
    np.testing.assert_allclose(result.get(), color.separate_stains(section, matrix), atol=1e-9)


def test_out_is_filled_and_returned(gpu, image):
    for out in (np.full_like(image, np.nan), cp.full(image.shape, cp.nan, cp.float32)):
        given = image if type(out) is np.ndarray else cp.asarray(image)
        result = gpu(filters.gaussian, given, 1, out=out)
        assert result is out
        np.testing.assert_allclose(cp.asnumpy(result), filters.gaussian(image, 1), atol=1e-5)


@pytest.mark.parametrize(
    "change",
    [
        lambda a: a.astype(a.dtype.newbyteorder()),
        lambda a: a[::-1, ::2],
        lambda a: a.T,
        lambda a: np.asfortranarray(a),
        lambda a: np.broadcast_to(a[0], a.shape),
    ],
    ids=["swapped bytes", "sliced", "transposed", "fortran", "broadcast"],
)
def test_layout_makes_no_difference_and_input_stays(gpu, image, change):
    given = change(image)
    given.flags.writeable = False
    before = given.copy()
    result = gpu(filters.sobel, given)
    np.testing.assert_allclose(result, filters.sobel(given), atol=1e-5)
    assert result.dtype == filters.sobel(given).dtype
    np.testing.assert_array_equal(given, before)


@pytest.mark.parametrize("order", ["=", "S"])
def test_an_image_that_comes_back_is_the_callers_where_scikit_images_is(
    however_small, image, order
):
    given = np.asarray(image, image.dtype.newbyteorder(order))
    expected = restoration.denoise_tv_chambolle(given, max_num_iter=1)
    with use_backends("gpu"):
        result = restoration.denoise_tv_chambolle(given, max_num_iter=1)
    assert (result is given) == (expected is given)


def test_each_array_crosses_once_each_way(gpu, counting, image):
    gpu(filters.gaussian, image, 1)
    with counting() as counts:
        gpu(filters.gaussian, image, 1)
    assert (counts.to_device, counts.to_host) == (1, 1)
    assert counts.bytes_to_device == counts.bytes_to_host == image.nbytes
    with counting() as counts:
        gpu(metrics.mean_squared_error, image, image)
    assert counts.to_device == 1, "one array given twice is copied once"


def test_cupy_images_never_visit_the_host(gpu, counting, image):
    given = cp.asarray(image)
    with counting() as counts:
        gpu(filters.gaussian, given, 1)
    assert (counts.bytes_to_device, counts.bytes_to_host) == (0, 0)


def test_work_goes_to_the_callers_stream(gpu, image):
    stream = cp.cuda.Stream(non_blocking=True)
    with stream:
        result = gpu(filters.sobel, cp.asarray(image))
    stream.synchronize()
    np.testing.assert_allclose(result.get(), filters.sobel(image), atol=1e-5)


def test_work_goes_to_the_current_device(python):
    """With two devices, which the simulator has on request."""
    done = python(
        "-c",
        "import cupy as cp, numpy as np, skimage as ski\n"
        "with cp.cuda.Device(1):\n"
        "    print(ski.filters.sobel(cp.ones((9, 9))).device.id)\n"
        "from skimage_gpu_backend import use_backends\n"
        "with use_backends('gpu', output='cupy'), cp.cuda.Device(1):\n"
        "    print(ski.filters.sobel(np.ones((9, 9))).device.id)\n",
        SKIMAGE_GPU_SIMULATOR="1",
        CUDA_SIMULATOR_DEVICES="2",
        SKIMAGE_BACKENDS="gpu",
        SKIMAGE_BACKENDS_MIN_SIZE="0",
    )
    assert done.stdout.split() == ["1", "1"]


def test_layers_of_a_generator_are_never_taken_for_the_callers_image(image):
    def layers(image):
        shape = image.shape
        del image  # its id is free for another array
        for _ in range(20):
            yield cp.zeros(shape, np.float64)

    result = call_on_device(layers, call_of(output=None, image=image))
    assert not any(layer.any() for layer in result)
