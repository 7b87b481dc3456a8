"""skimage.filters.gaussian on the device gives scikit-image's numbers."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from skimage import data
from skimage.filters import gaussian

from skimage_gpu_backend import functions
from tests.functions.filter_agreement import BORDERS, MODES, agree, same
from tests.functions.images import DTYPES, images, layouts

# Radii 0, 1, 2, 4, 16 (the fused kernel's largest), 17, 40.
SIGMAS = (0, 0.01, 0.3, 0.5, 1, 4, 4.2, 10)
PHOTOGRAPHS = {
    "camera": (data.camera, {}),
    "astronaut": (data.astronaut, {"channel_axis": -1}),
}


def volume():
    """A 3-D image with structure: blurred balls on a gradient, 16 bits deep."""
    z, y, x = np.ogrid[:21, :45, :70]
    balls = ((z - 9) ** 2 + (y - 20) ** 2 + (x - 30) ** 2 < 60) * 30_000
    return (balls + 150 * x + 90 * y + 500 * z).astype(np.uint16)


@st.composite
def calls(draw, dtypes=DTYPES, special=()):
    """An image and arguments."""
    shape = draw(st.lists(st.integers(1, 40), min_size=1, max_size=4))
    while np.prod(shape) > 20_000:
        shape[int(np.argmax(shape))] //= 2
    image = draw(images(tuple(shape), draw(st.sampled_from(dtypes)), special=special))
    ndim = image.ndim
    sigma = st.sampled_from(SIGMAS) | st.floats(0, 6)
    arguments = {
        "mode": draw(
            st.sampled_from(MODES)
            | st.lists(st.sampled_from(MODES[:5]), min_size=ndim, max_size=ndim)
        ),
        "cval": draw(st.sampled_from([0, 0.3, -2])),
        "preserve_range": draw(st.booleans()),
        "truncate": draw(st.sampled_from([4.0, 4.0, 2.5, 0, np.float32(3)])),
    }
    axis = draw(st.none() | st.integers(-ndim, ndim - 1)) if ndim > 1 else None
    count = ndim if axis is None else ndim - 1
    many = st.lists(sigma, min_size=count, max_size=count)
    return image, {"sigma": draw(sigma | many), "channel_axis": axis, **arguments}


@given(calls())
@settings(max_examples=250)
def test_any_image_and_arguments(gpu, call):
    same(gpu, gaussian, call[0], **call[1])


@given(calls(("float16", "float32", "float64"), special=(np.nan, np.inf, -np.inf)))
@settings(max_examples=60)
def test_nan_and_infinity_spread_as_in_scikit_image(gpu, call):
    same(gpu, gaussian, call[0], **call[1])


@pytest.mark.parametrize("sigma", [1, 4, 6])
@pytest.mark.parametrize("dtype", ["uint8", "float32", "float64"])
@pytest.mark.parametrize("name", PHOTOGRAPHS)
def test_photograph(gpu_of_each_kind, name, dtype, sigma):
    photograph, arguments = PHOTOGRAPHS[name]
    image = photograph()[::2, ::2]
    image = image if dtype == "uint8" else (image / 255).astype(dtype)
    same(gpu_of_each_kind, gaussian, image, sigma, **arguments)


@pytest.mark.parametrize("sigma", [1, 5, (1, 0, 2), (0, 5, 0), (6, 1, 1), (1, 1, 6)])
@pytest.mark.parametrize("dtype", ["uint16", "float32"])
def test_volume(gpu_of_each_kind, dtype, sigma):
    image = volume()
    same(
        gpu_of_each_kind, gaussian, image if dtype == "uint16" else image / np.float32(65535), sigma
    )


@pytest.mark.parametrize("sigma", [0, 1, 5])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("preserve_range", [False, True])
def test_every_dtype_over_its_whole_range(gpu, dtype, sigma, preserve_range):
    rng = np.random.default_rng(0)
    if np.dtype(dtype).kind in "iu":
        limits = np.iinfo(dtype)
        image = rng.integers(limits.min, limits.max, (20, 37), dtype, endpoint=True)
        image[0, :2] = limits.min, limits.max
    else:
        image = (rng.random((20, 37)) > 0.5).astype(dtype)
    same(gpu, gaussian, image, sigma, preserve_range=preserve_range)


@pytest.mark.parametrize("channel_axis", [0, 1, 2, 3, -1, -2, 7, np.int64(1), True])
@pytest.mark.parametrize("sigma", [1, 5])
def test_channels_anywhere_are_not_mixed(gpu, channel_axis, sigma):
    image = np.random.default_rng(0).random((4, 11, 35, 3))
    same(gpu, gaussian, image, sigma, channel_axis=channel_axis)


def test_a_sigma_for_each_axis_filters_across_channels_too(gpu):
    same(gpu, gaussian, data.astronaut()[:40, :40], (1, 2, 0.5), channel_axis=-1)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("sigma", [3, 20])
def test_radius_that_exceeds_the_image_several_times(gpu, mode, sigma):
    rng = np.random.default_rng(0)
    for shape in [(1,), (2,), (5,), (1, 1), (1, 6), (3, 1), (2, 3), (4, 2, 3), (1, 1, 2)]:
        same(gpu, gaussian, rng.random(shape), sigma, mode=mode, cval=0.7)


@given(st.sampled_from(BORDERS), st.sampled_from(BORDERS), st.data())
@settings(max_examples=60)
def test_images_that_end_at_the_borders_of_tiles(gpu, height, width, data):
    image = data.draw(layouts(np.random.default_rng(0).random((height, width), np.float32)))
    sigma = data.draw(st.sampled_from([0.5, 1, 4, 4.2, (0, 5), (5, 0), (0, 1), (1, 0)]))
    same(gpu, gaussian, image, sigma, mode=data.draw(st.sampled_from(MODES)), cval=1)


@pytest.mark.parametrize("shape", [(3, 400), (40, 3, 40), (70, 5, 3), (2, 9, 300)])
@pytest.mark.parametrize("sigma", [17, 45])
def test_weights_in_many_pieces(gpu, shape, sigma):
    """More taps than the shared memory holds at once, along each axis in turn."""
    image = np.random.default_rng(0).random(shape)
    for axis in range(len(shape)):
        same(gpu, gaussian, image, [sigma if k == axis else 0 for k in range(len(shape))])


@pytest.mark.parametrize("shape", [(0,), (0, 5), (3, 0), (2, 0, 4)])
def test_image_without_elements(gpu_of_each_kind, shape):
    for dtype in ("uint8", "float32"):
        same(gpu_of_each_kind, gaussian, np.zeros(shape, dtype), 2)


@pytest.mark.parametrize(
    "sigma",
    [np.float32(2.5), np.float16(2.5), np.int8(2), True, np.array(1.3), np.array([2.5, 2], "f4")],
)
def test_sigma_of_any_number_type_has_its_own_weights(gpu, sigma):
    """SciPy squares a float32 sigma in float32; the weights of an equal float are others."""
    image = np.random.default_rng(0).random((30, 40))
    same(gpu, gaussian, image, sigma)
    same(gpu, gaussian, image, 2.5)
    same(gpu, gaussian, image, sigma, truncate=9)
    same(gpu, gaussian, image, 2.5, truncate=9)


def test_sigma_that_is_not_a_number_leaves_the_axis_alone(gpu):
    image = np.random.default_rng(0).random((9, 9))
    same(gpu, gaussian, image, (np.nan, 1), mode="constant", cval=3)
    same(gpu, gaussian, image, np.nan)


def test_mode_of_an_axis_that_is_not_filtered_is_not_looked_at(gpu):
    same(gpu, gaussian, np.random.default_rng(0).random((9, 9)), (1, 0), mode=["wrap", "nonsense"])


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("image_dtype", ["uint8", "float16", "float32", "float64"])
@pytest.mark.parametrize("sigma", [0, 1, 5, (0, 2)])
def test_out_receives_the_result_and_is_returned(gpu, image_dtype, dtype, sigma):
    image = (data.camera()[::9, ::7] / 2).astype(image_dtype)
    out, expected = np.full((2, *image.shape), 7, dtype)
    assert gpu(gaussian, image, sigma, out=out) is out
    gaussian(image, sigma, out=expected)
    agree(out, expected)


@pytest.mark.parametrize("shape", [(40, 50), (9, 20, 30)])
@pytest.mark.parametrize("sigma", [0, 1, 5])
def test_out_may_be_the_image(gpu, shape, sigma):
    image = np.random.default_rng(0).random(shape)
    expected = gaussian(image, sigma)
    assert gpu(gaussian, image, sigma, out=image) is image
    agree(image, expected)


@pytest.mark.parametrize("shape", [(40, 50), (9, 20, 30), (300,)])
@pytest.mark.parametrize("sigma", [0, 1, 5])
def test_out_on_the_device_may_be_the_image_or_overlap_it(gpu, shape, sigma):
    import cupy as cp

    memory = np.random.default_rng(0).random((shape[0] + 1, *shape[1:]))
    expected = gaussian(memory[:-1], sigma)
    for begin in (0, 1):
        device = cp.asarray(memory)
        out = device[begin : begin + shape[0]]
        assert gpu(gaussian, device[:-1], sigma, out=out) is out
        agree(out.get(), expected)


@pytest.mark.parametrize("sigma", [1, 5])
def test_out_on_the_device_may_be_strided(gpu, sigma):
    import cupy as cp

    image = np.random.default_rng(0).random((40, 50))
    out = cp.zeros((80, 50))[::2]
    assert gpu(gaussian, cp.asarray(image), sigma, out=out) is out
    agree(out.get(), gaussian(image, sigma))


@pytest.mark.parametrize(
    ("shape", "arguments", "launches"),
    [
        ((60, 70), {"sigma": 1}, 1),
        ((60, 70), {"sigma": 4}, 1),  # radius 16
        ((60, 70), {"sigma": 4.2}, 2),
        ((60, 70), {"sigma": (4.2, 1)}, 2),
        ((60, 70), {"sigma": 0}, 1),
        ((60, 70), {"sigma": (0, 3)}, 1),
        ((60, 70, 3), {"sigma": 4, "channel_axis": -1}, 1),
        ((3, 60, 70), {"sigma": 4, "channel_axis": 0}, 1),
        ((60, 3, 70), {"sigma": 4, "channel_axis": 1}, 1),
        ((60, 70, 3), {"sigma": 9, "channel_axis": -1}, 2),
        ((20, 30, 40), {"sigma": 1}, 2),
        ((20, 30, 40), {"sigma": 5}, 3),
        ((4, 5, 6, 7), {"sigma": 1}, 2),
        ((4, 5, 6, 7), {"sigma": 5}, 4),
        ((500,), {"sigma": 1}, 1),
        ((500,), {"sigma": 5}, 1),
    ],
)
@pytest.mark.parametrize("dtype", ["uint8", "float32"])
def test_launches_and_bytes(gpu, counting, shape, arguments, launches, dtype):
    image = np.zeros(shape, dtype)
    with counting() as counts:
        result = gpu(gaussian, image, **arguments)
    assert counts.launches == launches
    assert counts.kernel_bytes_read == image.nbytes + (launches - 1) * result.nbytes
    assert counts.kernel_bytes_written == launches * result.nbytes
    assert (counts.to_device, counts.to_host) == (1, 1)
    assert counts.allocations <= 2 + (launches > 1)


def test_out_on_the_device_needs_no_memory_for_a_result(gpu, counting):
    import cupy as cp

    image, out = cp.zeros((60, 70)), cp.zeros((60, 70))
    with counting() as counts:
        gpu(gaussian, image, out=out)
    assert (counts.launches, counts.allocations) == (1, 0)


@pytest.mark.parametrize("shape", [(256, 256), (256, 256, 3), (256, 256, 1, 2)])
def test_tiles_are_full_where_nothing_is_smoothed(gpu, shape):
    image = np.random.default_rng(0).integers(0, 256, shape).astype(np.uint8)
    plan = functions.plan("skimage.filters:gaussian", (image,), {"sigma": 0})
    (step,) = plan.launches.steps
    assert step.work <= image.size  # threads, each of which has some elements
    np.testing.assert_array_equal(gpu(gaussian, image, 0), gaussian(image, 0))
