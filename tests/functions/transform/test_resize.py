"""Resizing on the device: every order, smoothing without a smoothed image."""

import warnings

import numpy as np
import pytest
from skimage import data
from skimage.transform import pyramid_reduce, rescale, resize

import cuda_simulator
from skimage_gpu_backend import functions
from tests.functions.filter_agreement import agree, same
from tests.functions.images import DTYPES

MODES = ("constant", "edge", "symmetric", "reflect", "wrap")
RNG = np.random.default_rng(0)
PHOTO = data.camera()[::7, ::9] / 255
BYTES = data.camera()[::7, ::9]


@pytest.mark.parametrize("shape", [(20, 19), (147, 114), (74, 57), (31, 100), (1, 1), (75, 58)])
@pytest.mark.parametrize("order", range(6))
@pytest.mark.parametrize("mode", MODES)
def test_every_order_and_mode(gpu, shape, order, mode):
    for smooth in (None, False):
        same(gpu, resize, PHOTO, shape, order, mode, 0.3, anti_aliasing=smooth)
    same(gpu, resize, 0.2 + 0.5 * PHOTO, shape, order, mode, preserve_range=True)


@pytest.mark.parametrize("dtype", ["uint8", "float32", "float64"])
@pytest.mark.parametrize(
    "shape, made",
    [
        *(((33, 150), size) for size in ((17, 75), (66, 299), (33, 40))),
        *(((9, 13, 15), size) for size in ((5, 7, 8), (17, 26, 31))),
        ((41, 47, 3), (21, 24)),
    ],
)
def test_linear_interpolation_is_equal_to_the_last_bit(gpu, dtype, shape, made):
    image = (255 * RNG.random(shape)).astype(dtype)
    options = {"order": 1, "anti_aliasing": False, "preserve_range": True}
    expected = resize(image, made, **options)
    np.testing.assert_array_equal(gpu(resize, image, made, **options), expected)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("order", [0, 1, 3])
@pytest.mark.parametrize("shape", [(33, 20), (90, 75)])
def test_every_dtype_and_layout(gpu_of_each_kind, dtype, order, shape):
    if dtype == "bool" and order:
        return  # refused: test_arguments_that_are_left_to_scikit_image
    image = (BYTES > 99) if dtype == "bool" else BYTES // 3
    for each in (image, np.asfortranarray(image), image[::-2, ::3]):
        each = each.astype(dtype, order="K")
        for keep in (False, True):
            same(gpu_of_each_kind, resize, each, shape, order, preserve_range=keep)


@pytest.mark.parametrize("size", [(1, 1), (1, 40), (40, 1), (2, 3), (33, 65)])
@pytest.mark.parametrize("mode", MODES)
def test_small_images(gpu, size, mode):
    image = RNG.random(size)
    for order in (0, 1, 2, 5):
        for shape in ((1, 1), (7, 3), (64, 33)):
            same(gpu, resize, image, shape, order, mode, 0.3)


@pytest.mark.parametrize("order", [0, 1, 3])
@pytest.mark.parametrize("smooth", [None, False])
def test_volumes_channels_and_lines(gpu_of_each_kind, order, smooth):
    volume = RNG.random((9, 13, 16))
    for shape in ((4, 20, 7), (9, 6, 16), (20, 13, 5), (9, 30, 16), (9, 13, 16), (9, 6, 7, 3)):
        same(gpu_of_each_kind, resize, volume, shape, order, anti_aliasing=smooth)
    same(gpu_of_each_kind, resize, volume[0, 0], (7,), order, anti_aliasing=smooth)
    image = data.astronaut()[::9, ::11]
    same(gpu_of_each_kind, resize, image, (20, 30), order, anti_aliasing=smooth and order)
    for axis in range(3):
        moved = np.moveaxis(image / 255, -1, axis)
        same(gpu_of_each_kind, rescale, moved, (0.4, 1.7), order, channel_axis=axis)
    more = RNG.random((3, 4, 2, 9))
    same(gpu_of_each_kind, resize, more, (5, 4, 2, 3), order, anti_aliasing=smooth)


@pytest.mark.parametrize("sigma", [0, 1, (0, 2.5), (3, 0.4), 40])
@pytest.mark.parametrize("mode", MODES)
def test_sigma(gpu, sigma, mode):
    for shape in ((20, 30), (100, 20), (74, 57)):
        for order in (0, 1, 3):
            same(
                gpu,
                resize,
                PHOTO,
                shape,
                order,
                mode,
                0.3,
                anti_aliasing=True,
                anti_aliasing_sigma=sigma,
            )


def test_radius_beyond_shared_memory(gpu):
    same(gpu, resize, RNG.random((3, 3000)), (2, 2))


@pytest.mark.parametrize("mode", MODES)
def test_short_axes_and_channels_of_equal_length(gpu, mode):
    image = RNG.random((40, 30, 3))
    for order in (2, 3, 5):
        same(gpu, resize, image, (50, 20), order, mode)
        same(gpu, resize, image[:5], (5, 20), order, mode)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_splines_of_images_with_nan_are_nan_everywhere(gpu, value):
    image = PHOTO.copy()
    image[3, 4] = value
    with np.errstate(all="ignore"):
        result = gpu(resize, image, (90, 200), 3)
        np.testing.assert_array_equal(np.isnan(result), np.isnan(resize(image, (90, 200), 3)))


@pytest.mark.parametrize("cval", [0, 0.5, 2, -1])
@pytest.mark.parametrize("order", [0, 1, 3])
@pytest.mark.parametrize("clip", [True, False])
def test_constant_that_is_mixed_in_never_widens_the_range(gpu, cval, order, clip):
    for image in (0.2 + 0.5 * PHOTO, BYTES // 4 + 7):
        for shape in ((150, 120), (20, 25), (20, 120), (74, 57)):
            same(gpu, resize, image, shape, order, "constant", cval, clip)


def test_warning_about_smoothing_without_need(gpu):
    with pytest.warns(UserWarning, match="Anti-aliasing"):
        gpu(resize, PHOTO, (20, 90), anti_aliasing=True, anti_aliasing_sigma=1)


@pytest.mark.parametrize("order", [2, 3, 5])
@pytest.mark.parametrize("mode", MODES)
def test_splines_of_equal_size_are_what_scipys_version_makes_of_them(gpu, order, mode):
    same(gpu, resize, PHOTO[:3, :5], (3, 5), order, mode, 0.3)
    same(gpu, resize, PHOTO[:3, :5], (3, 6), order, mode, 0.3)


@pytest.mark.parametrize("mode", ["constant", "reflect", "wrap"])
def test_pyramids_that_keep_the_size(gpu, mode):
    same(gpu, pyramid_reduce, PHOTO[:3, :5], 1.01, order=3, mode=mode)


def test_equal_size_is_a_new_image(gpu_of_each_kind):
    for order in (0, 1, 3):
        same(gpu_of_each_kind, resize, PHOTO, PHOTO.shape, order)
        same(gpu_of_each_kind, rescale, BYTES, 1, order)
    assert not np.may_share_memory(gpu_of_each_kind(resize, PHOTO, PHOTO.shape), PHOTO)


def test_arguments_that_are_left_to_scikit_image(gpu):
    for arguments in (
        {"order": 6},
        {"mode": "nearest"},
        {"output_shape": ()},
        {"image": PHOTO > 0.5, "anti_aliasing": True},
        {"image": PHOTO > 0.5, "order": 1},
        {"anti_aliasing": True, "anti_aliasing_sigma": (1, 2, 3)},
        {"anti_aliasing": True, "anti_aliasing_sigma": -1},
    ):
        assert gpu.invalid(resize, **{"image": PHOTO, "output_shape": (9, 9), **arguments})
    assert gpu.invalid(rescale, PHOTO, (1, 2, 3))
    assert gpu.invalid(rescale, PHOTO, 0.5, channel_axis=2)
    labels = np.zeros((8, 9), int)
    assert "as integers" in gpu.declined(resize, labels, (4, 4), 0, anti_aliasing=True)
    assert "more than 3" in gpu.declined(resize, np.zeros((2, 3, 4, 5)), (3, 4, 5, 6))
    assert "not finite" in gpu.declined(resize, PHOTO, (5, 5), mode="constant", cval=np.nan)
    assert "below 1" in gpu.declined(resize, PHOTO, (0, 4))


ODD = ["x", 1j, 10**400, 1e300, np.inf, np.nan, np.array(3), [], [[1], [2, 3]], None]
NAMES = ("order", "mode", "cval", "clip", "preserve_range", "anti_aliasing", "anti_aliasing_sigma")


@pytest.mark.parametrize("value", ODD, ids=repr)
def test_odd_arguments_are_answered(gpu, value):
    """Whatever they are, the call is taken or left to others (see `mistakes`)."""
    for name in ("output_shape", *NAMES):
        gpu._decide(resize, (), {"image": PHOTO, "output_shape": (9, 9), name: value})
    for order in (1, 3):
        gpu._decide(resize, (PHOTO, (value, 9), order), {})
        sigmas = {"anti_aliasing": True, "anti_aliasing_sigma": value}
        gpu._decide(resize, (PHOTO, (9, 9), order), sigmas)
    for name in ("scale", "channel_axis", *NAMES):
        gpu._decide(rescale, (), {"image": PHOTO, "scale": 0.5, name: value})
    gpu._decide(rescale, (PHOTO, (value, value)), {})


LAUNCHES = {
    "enlarged": ((1024, 700), {}, 1, 0),
    "reduced": ((100, 200), {}, 1, 0),
    "one axis": ((512, 200), {}, 1, 0),
    "not smoothed": ((100, 200), {"anti_aliasing": False}, 1, 0),
    "nearest": ((100, 200), {"order": 0, "anti_aliasing": False}, 1, 0),
    "cubic": ((600, 700), {"order": 3, "clip": False}, 3, 2 * 512 * 512),
    "mixed with a constant": ((600, 700), {"mode": "constant"}, 2, 0),
}


@pytest.mark.parametrize("dtype", ["uint8", "float32"])
@pytest.mark.parametrize(("shape", "named", "launches", "between"), LAUNCHES.values(), ids=LAUNCHES)
def test_launches_and_bytes(gpu, counting, dtype, shape, named, launches, between):
    image = data.camera().astype(dtype)
    with counting() as counts, warnings.catch_warnings():
        warnings.simplefilter("error")
        result = gpu(resize, image, shape, **named)
    assert counts.launches == launches
    between *= 8 if named.get("order") == 3 else result.itemsize
    twice = 2 if named.get("mode") else 1
    assert counts.kernel_bytes_read <= twice * image.nbytes + between + 10_000
    assert counts.kernel_bytes_written <= result.nbytes + between + 20_000
    assert counts.to_host == 1


@pytest.mark.parametrize("dtype", ["uint8", "float32"])
def test_launches_of_an_axis_reduced_and_one_enlarged(gpu, counting, dtype):
    image = data.camera().astype(dtype)
    with counting() as counts:
        result = gpu(resize, image, (100, 600))
    assert counts.launches == 1
    assert counts.kernel_bytes_read == image.nbytes
    assert counts.kernel_bytes_written == result.nbytes


def test_nearest_pixels_of_half_precision_are_converted_first(gpu, counting):
    image = PHOTO.astype("float16")
    with counting() as counts:
        gpu(resize, image, (20, 30), 0, anti_aliasing=False)
    options = {"anti_aliasing": False}
    plan = functions.plan("skimage.transform:resize", (image, (20, 30), 0), options)
    assert counts.launches == plan.cost.launches == 2


@pytest.mark.parametrize("value", [1, 255, 0.7])
def test_rounding_of_values_stays_in_the_images_range(gpu, value):
    for dtype in ("float64", "float32"):
        image = np.full((50, 50), value, dtype)
        for shape in ((30, 20), (70, 77), (20, 77)):
            for order in (0, 1):
                result = gpu(resize, image, shape, order, preserve_range=True)
                assert result.min() == result.max() == value


@pytest.mark.parametrize("order", [0, 1, 3])
def test_no_result_depends_on_the_order_of_threads(gpu, monkeypatch, strict, order):
    monkeypatch.setattr("skimage_gpu_backend.device.kernels.resident_blocks", lambda threads: 2)
    image = RNG.random((37, 70))
    expected = resize(image, (19, 100), order, "constant", 5)
    for thread_order in ("forward", "backward", "shuffled"):
        with cuda_simulator.thread_order(thread_order):
            agree(gpu(resize, image, (19, 100), order, "constant", 5), expected)
