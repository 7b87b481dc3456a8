"""Pyramids on the device: every layer, from what scikit-image makes of the one before."""

import numpy as np
import pytest
from skimage import data
from skimage.transform import (
    pyramid_expand,
    pyramid_gaussian,
    pyramid_laplacian,
    pyramid_reduce,
)

import cuda_simulator
from skimage_gpu_backend.functions.transform import pyramids
from tests.functions.filter_agreement import agree, quietly, same
from tests.functions.images import DTYPES, low_contrast

SINGLE_LAYERS = [pyramid_reduce, pyramid_expand]
PYRAMIDS = [pyramid_gaussian, pyramid_laplacian]
RNG = np.random.default_rng(0)
PHOTO = data.camera()[::7, ::9] / 255


def layers_agree(gpu, function, image, *args, **kwargs):
    """Layers are told by the largest number of the image: differences of them may vanish."""
    import cupy as cp  # the device is chosen after this file is read

    layers = [cp.asnumpy(layer) for layer in quietly(gpu, function, image, *args, **kwargs)]
    expected = list(function(image, *args, **kwargs))
    assert [layer.shape for layer in layers] == [layer.shape for layer in expected]
    largest = max(np.abs(layer).max() for layer in expected)
    for layer, other in zip(layers, expected, strict=True):
        assert layer.dtype == other.dtype
        bound = 1e-5 if other.dtype == np.float32 else 1e-10
        assert np.abs(layer - other).max() <= bound * largest


@pytest.mark.parametrize("name", ["brick", "noise", "faint", "below"])
def test_laplacian_layers_of_low_contrast_are_scikit_images_to_the_last_bit(gpu, name):
    """They are differences of numbers that are nearly equal."""
    image = low_contrast()[name]
    layers, expected = gpu(pyramid_laplacian, image), pyramid_laplacian(image)
    for layer, other in zip(layers, expected, strict=True):
        np.testing.assert_array_equal(layer, other)


@pytest.mark.parametrize("function", SINGLE_LAYERS)
@pytest.mark.parametrize("order", range(6))
@pytest.mark.parametrize("mode", ["reflect", "constant", "wrap"])
def test_layers_of_every_order_and_mode(gpu_of_each_kind, function, order, mode):
    for factor in (2, 1.5, 3):
        same(gpu_of_each_kind, function, PHOTO, factor, order=order, mode=mode, cval=0.3)
    same(gpu_of_each_kind, function, PHOTO, 2, 0, order, "symmetric" if order < 2 else "edge")


@pytest.mark.parametrize("function", SINGLE_LAYERS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_layers_of_every_dtype_and_layout(gpu, function, dtype):
    image = data.camera()[::7, ::9]
    image = (image > 99) if dtype == "bool" else image // 3
    for each in (image, np.asfortranarray(image), image[::-2, ::3]):
        each = each.astype(dtype, order="K")
        for order in (None, 0, 1):
            for keep in (False, True):
                same(gpu, function, each, order=order, preserve_range=keep)


@pytest.mark.parametrize("function", SINGLE_LAYERS)
@pytest.mark.parametrize("shape", [(1,), (30,), (1, 1), (1, 17), (2, 3), (33, 64), (9, 11, 13)])
@pytest.mark.parametrize("sigma", [None, 0, 2.5, 9])
def test_layers_of_every_shape_and_sigma(gpu, function, shape, sigma):
    image = RNG.random(shape)
    same(gpu, function, image, sigma=sigma)
    same(gpu, function, image.astype("float32"), 1.3, sigma)
    if sigma:
        same(gpu, function, image, 2, [sigma / axis for axis in range(1, len(shape) + 1)])


@pytest.mark.parametrize("function", SINGLE_LAYERS)
@pytest.mark.parametrize("order", [0, 1, 3])
@pytest.mark.parametrize("axis", [0, 1, -1, 3])
def test_channels_stay_as_they_are(gpu_of_each_kind, function, order, axis):
    image = np.moveaxis(data.astronaut()[::11, ::13], -1, axis % 3)
    same(gpu_of_each_kind, function, image, order=order, channel_axis=axis)


@pytest.mark.parametrize("shape", [(2, 2), (3, 41), (61, 2), (20, 62), (43, 125)])
@pytest.mark.parametrize("dtype", DTYPES)
def test_images_enlarged_and_smoothed_at_once_have_the_bits_of_those_in_two_steps(
    gpu, monkeypatch, shape, dtype
):
    """Flat regions, steps of the smallest size, special values; along and across tiles."""
    values = [0, 1, 2, 77, 120] if dtype != "bool" else [0, 1]
    image = RNG.choice(values, shape).astype(dtype)
    image[:, : shape[1] // 2] = values[-1]
    images = [image, np.stack([image] * 3, 2), np.stack([image, image[::-1]])]
    if np.dtype(dtype).kind == "f":
        step = np.finfo(dtype).eps
        images += [1 + step * RNG.integers(0, 3, shape), RNG.normal(size=shape)]
        images += [RNG.choice([-0.0, 0, np.finfo(dtype).smallest_subnormal, 1, np.inf], shape)]
    elif dtype != "bool":
        ends = np.iinfo(dtype)
        images += [ends.max - np.eye(*shape), ends.min + np.eye(*shape)]
    ways = [
        (each.astype(dtype), {"preserve_range": keep, "channel_axis": axis})
        for each, axis in zip(images, (None, -1, 0, None, None, None), strict=False)
        for keep in (False, True)
    ]
    at_once = [quietly(gpu, pyramid_expand, each, **options) for each, options in ways]
    monkeypatch.setattr(pyramids, "doubled", lambda *_: None)
    pyramids._expanded.cache_clear()
    for made, (each, options) in zip(at_once, ways, strict=True):
        np.testing.assert_array_equal(made, quietly(gpu, pyramid_expand, each, **options))
        assert (np.signbit(made) == np.signbit(gpu(pyramid_expand, each, **options))).all()
    pyramids._expanded.cache_clear()


@pytest.mark.parametrize(
    "options", [{}, {"downscale": 3}, {"sigma": 3.9}, {"mode": "wrap"}], ids=str
)
@pytest.mark.parametrize("dtype", ["uint8", "float32", "float64"])
@pytest.mark.parametrize("axis", [None, 0, 1, 2])
def test_layers_sampled_and_split_at_once_have_the_bits_of_those_in_two_steps(
    gpu, monkeypatch, dtype, axis, options
):
    image = np.moveaxis(low_contrast()["brick"][:90, :130, None] * [0.3, 1, 0.7], -1, axis or 0)
    image = (255 * image / image.max()).astype(dtype)
    image = image[1] if axis is None else image
    at_once = list(gpu(pyramid_laplacian, image, channel_axis=axis, **options))
    monkeypatch.setattr(pyramids, "_sampled_and_split", lambda *_: None)
    pyramids._next.cache_clear()
    in_steps = list(gpu(pyramid_laplacian, image, channel_axis=axis, **options))
    pyramids._next.cache_clear()
    for layer, other in zip(at_once, in_steps, strict=True):
        np.testing.assert_array_equal(layer, other)


def test_many_channels_take_less_of_an_image_at_a_time(gpu):
    image = RNG.random((40, 90, 31))
    for factor in (1.5, 3.7):
        same(gpu, pyramid_reduce, image, factor, channel_axis=-1)
        same(gpu, pyramid_reduce, image, factor, sigma=3.9, channel_axis=-1)


@pytest.mark.parametrize("function", PYRAMIDS)
@pytest.mark.parametrize("dtype", ["bool", "uint8", "int16", "float16", "float32", "float64"])
def test_pyramids(gpu_of_each_kind, function, dtype):
    image = data.camera()[::7, ::9]
    image = (image > 99) if dtype == "bool" else (image // 3).astype(dtype)
    layers_agree(gpu_of_each_kind, function, image)
    layers_agree(gpu_of_each_kind, function, image, 2, 1.7, preserve_range=True)
    layers_agree(gpu_of_each_kind, function, image[::-1, ::2], 3, mode="constant", cval=0.5)


@pytest.mark.parametrize("function", PYRAMIDS)
def test_pyramids_of_volumes_channels_and_large_sigmas(gpu_of_each_kind, function):
    layers_agree(gpu_of_each_kind, function, RNG.random((9, 14, 11)))
    color = data.astronaut()[::11, ::13]
    layers_agree(gpu_of_each_kind, function, color, channel_axis=-1)
    layers_agree(gpu_of_each_kind, function, color.transpose(2, 0, 1), channel_axis=0, order=3)
    layers_agree(gpu_of_each_kind, function, PHOTO, 2, sigma=6)
    layers_agree(gpu_of_each_kind, function, PHOTO, 2, sigma=0)
    layers_agree(gpu_of_each_kind, function, PHOTO, 0)


def test_the_first_layer_is_the_image_itself(gpu):
    assert next(gpu(pyramid_gaussian, PHOTO)) is PHOTO


@pytest.mark.parametrize("function", SINGLE_LAYERS + PYRAMIDS)
def test_arguments_that_are_left_to_scikit_image(gpu, function):
    factor = "upscale" if function is pyramid_expand else "downscale"
    for arguments in (
        {factor: 1},
        {"order": 6},
        {"mode": "edge"},
        {"mode": "nearest"},
        {"sigma": -1},
        {"sigma": (1, 2, 3)},
    ):
        assert gpu.invalid(function, PHOTO, **arguments)
    assert "more than 3" in gpu.declined(function, np.zeros((2, 3, 4, 5)))
    assert "not finite" in gpu.declined(function, PHOTO, mode="constant", cval=np.inf)


@pytest.mark.parametrize("options", [{"mode": "nearest"}, {"order": 6}], ids=str)
def test_what_layers_alone_refuse_is_not_called_refused_where_none_is_made(gpu, options):
    row = {"channel_axis": -1, **options}
    calls = [(pyramid_laplacian, image, row) for image in (PHOTO[:1], PHOTO[None, :1])]
    calls += [(pyramid_laplacian, PHOTO, {"max_layer": most, **options}) for most in (0, -2)]
    calls += [(pyramid_gaussian, PHOTO, {"max_layer": 0, **options})]
    for function, image, given in calls:
        assert len(list(function(image, **given))) == 1
        assert gpu.declined(function, image, **given)
        assert not gpu.invalid(function, image, **given)


@pytest.mark.parametrize("function", SINGLE_LAYERS + PYRAMIDS)
@pytest.mark.parametrize(
    "value",
    ["x", 1j, 10**400, 1e300, np.inf, np.nan, np.uint8(200), 1 + 1e-15, [], [0.7], None],
    ids=repr,
)
def test_odd_arguments_are_answered(gpu, function, value):
    """Whatever they are, the call is taken or left to others (see `mistakes`)."""
    factor = "upscale" if function is pyramid_expand else "downscale"
    names = [factor, "sigma", "order", "mode", "cval", "preserve_range", "channel_axis"]
    for name in names + ["max_layer"] * (function in PYRAMIDS):
        for image in (PHOTO, PHOTO[:, 0], PHOTO[..., None]):
            gpu._decide(function, (image,), {name: value})
            gpu._decide(function, (image,), {"channel_axis": 0, name: value})
            gpu._decide(function, (image,), {"order": 3, name: value})


@pytest.mark.parametrize("function", SINGLE_LAYERS)
def test_a_sigma_in_single_precision_is_not_that_in_double(gpu, function):
    for kind in (int, float, np.float32, float):
        same(gpu, function, PHOTO, sigma=kind(3))


@pytest.mark.parametrize("function", SINGLE_LAYERS + PYRAMIDS)
def test_one_sigma_in_a_sequence_is_left_to_scikit_image(gpu, function):
    assert gpu.invalid(function, PHOTO, sigma=[0.7])
    assert gpu.invalid(function, PHOTO[..., None], sigma=(0.7,), channel_axis=-1)


@pytest.mark.parametrize("dtype", ["uint8", "float32"])
def test_launches_and_bytes(gpu, counting, dtype):
    image = data.camera().astype(dtype)
    size = 4 if dtype == "float32" else 8
    with counting() as counts:
        result = gpu(pyramid_reduce, image)
    assert counts.launches == 1
    assert counts.kernel_bytes_read == image.nbytes
    assert counts.kernel_bytes_written == result.nbytes
    with counting() as counts:
        result = gpu(pyramid_expand, image)
    assert counts.launches == 1
    assert counts.kernel_bytes_read == image.nbytes
    assert counts.kernel_bytes_written == result.nbytes
    with counting() as counts:
        result = gpu(pyramid_expand, image, 1.5)
    assert counts.launches == 2
    assert counts.kernel_bytes_read == image.nbytes + size * result.size
    assert counts.kernel_bytes_written == size * result.size + result.nbytes
    with counting() as counts:
        layers = list(gpu(pyramid_laplacian, image))
    assert counts.launches == len(layers)
    with counting() as counts:
        layers = list(gpu(pyramid_gaussian, image))
    nothing = 2  # launches of one that changes nothing
    assert counts.launches == (dtype != "float32") + len(layers) - 1 + nothing


@pytest.mark.parametrize("function", SINGLE_LAYERS)
def test_no_result_depends_on_the_order_of_threads(gpu, monkeypatch, strict, function):
    monkeypatch.setattr("skimage_gpu_backend.device.kernels.resident_blocks", lambda threads: 2)
    image = RNG.random((37, 70))
    first = next(pyramid_laplacian(image))
    for order in ("forward", "backward", "shuffled"):
        with cuda_simulator.thread_order(order):
            agree(gpu(function, image), function(image))
            assert np.abs(next(gpu(pyramid_laplacian, image)) - first).max() < 1e-12
