"""denoise_bilateral on the device is scikit-image's to the last bit."""

import functools
import itertools
from types import SimpleNamespace

import numpy as np
import pytest
from skimage import data, util
from skimage.restoration import denoise_bilateral

from skimage_gpu_backend.functions.restoration import bilateral
from skimage_gpu_backend.plan import Declined, point
from skimage_gpu_backend.tiles.pieces import Pieces
from tests.functions.equality import same_as
from tests.functions.images import DTYPES, noise

RNG = np.random.default_rng(11)
MODES = ("constant", "edge", "symmetric", "reflect", "wrap")
FACE = data.astronaut()[60:130:2, 190:280:2]
same = same_as(denoise_bilateral)


@pytest.mark.parametrize("dtype", [dtype for dtype in DTYPES if dtype != "float16"])
def test_any_dtype(gpu_of_each_kind, dtype):
    image = noise(RNG, (21, 37), dtype)
    if dtype == "int8":  # whose differences overflow
        image //= 2
    found = same(gpu_of_each_kind, image)
    assert np.ptp(found) > 0
    same(gpu_of_each_kind, image, sigma_color=np.float32(0.3), sigma_spatial=2, mode="edge")
    same(gpu_of_each_kind, np.stack([image] * 3, axis=1)[:9], channel_axis=1)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_any_border_and_window(gpu, mode, dtype):
    """Also windows larger than the image, and such as no tile takes."""
    for shape in ((20, 35), (3, 2), (1, 5), (7,), (6, 7, 3)):
        image = noise(RNG, shape, dtype)
        options = {"mode": mode, "cval": 12.5, "channel_axis": -1 if len(shape) == 3 else None}
        for win_size in (None, 1, 2, 4, 7, 23):
            same(gpu, image, win_size, 20.0, 3, **options)
    same(gpu, noise(RNG, (5, 4), dtype), 81, sigma_spatial=30, mode=mode)


def test_tiles_and_their_seams(gpu):
    image = noise(RNG, (50, 70), "float32")
    for win_size in (3, 5, 11):
        same(gpu, image, win_size, mode="reflect")


@pytest.mark.filterwarnings("ignore:The last axis", "ignore:Input image must be")
@pytest.mark.parametrize("channels", [1, 2, 3, 4, 5, 9])
def test_any_channels(gpu, channels):
    for dtype, axis in itertools.product(("uint8", "float32"), (-1, 0, 1, 2)):
        image = noise(RNG, (8, 11, channels), dtype)
        image = image if axis == -1 else np.moveaxis(image, -1, axis)
        if channels == 1 and axis != -1:
            assert "channels last" in gpu.declined(denoise_bilateral, image, channel_axis=axis)
        else:
            same(gpu, image, channel_axis=axis)
            same(gpu, image, 31, bins=50, channel_axis=axis)


def test_unusual_channels_are_warned_of(gpu):
    for channels, words in ((5, "The last axis"), (2, "Input image must be")):
        image = noise(RNG, (6, 7, channels))
        with pytest.warns(UserWarning, match=words) as expected:
            denoise_bilateral(image, channel_axis=-1)
        with pytest.warns(UserWarning, match=words) as found:
            gpu(denoise_bilateral, image, channel_axis=-1)
        assert [str(each.message) for each in found] == [str(each.message) for each in expected]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_the_spread_is_the_standard_deviation(gpu, dtype):
    near = functools.partial(
        np.testing.assert_allclose, rtol=1e-5 if dtype == "float32" else 1e-10, atol=0
    )
    for size in (2, 7, 127, 129, 1000, 16385, 40001):
        image = (RNG.random((1, size)) * 10.0 ** RNG.integers(-3, 4, (1, size))).astype(dtype)
        same(gpu, image, 1)
        near(bilateral._spread(bilateral.xp.asarray(image)), image.std())
        pieces = Pieces(image, (1, 1000), None, point(image))
        near(bilateral._spread_of_pieces(SimpleNamespace(axis=None), pieces), image.std())


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_values_beyond_all_bounds(gpu, dtype):
    for value in (np.nan, np.inf, -np.inf, 1e-30, 1e18):
        image = noise(RNG, (12, 15), dtype)
        image[4, 5] = value
        for sigma in (None, 0.1, 0, -2, 1e9):
            same(gpu, image, sigma_color=sigma)
    image = noise(RNG, (12, 15), dtype)
    for cval in (np.nan, np.inf, -1e300, 1e18):
        same(gpu, image, cval=cval)
    tiny = (RNG.random((9, 10)) * 1e-30).astype(dtype) ** (1 if dtype == "float32" else 6)
    same(gpu, tiny)
    same(gpu, image, sigma_spatial=0)


@pytest.mark.filterwarnings("ignore:The last axis")
@pytest.mark.parametrize("value", [0, 1])
@pytest.mark.parametrize("dtype", ["bool", "uint8", "float64"])
def test_an_image_of_one_value_is_returned_as_it_is(gpu_of_each_kind, value, dtype):
    for shape in ((5, 6), (1, 6)):
        found = same(gpu_of_each_kind, np.full(shape, value, dtype))
        assert found.dtype == dtype
    same(gpu_of_each_kind, np.full((5, 6, 3), value, dtype), channel_axis=0 if value else -1)


def test_few_and_many_bins(gpu):
    image = noise(RNG, (9, 20))
    for bins in (1, 2, 255, 100_000):
        same(gpu, image, bins=bins)
    same(gpu, noise(RNG, (9, 20, 3)), bins=2, channel_axis=-1)


def test_layouts(gpu_of_each_kind):
    for image in (FACE, util.img_as_float32(FACE)):
        for view in (np.asfortranarray(image), image[::-1, ::2]):
            same(gpu_of_each_kind, view, sigma_spatial=2, channel_axis=-1)


@pytest.mark.parametrize(
    ("image", "options"),
    [
        (np.ones((5, 5, 3)), {}),
        (np.eye(5), {"channel_axis": -1}),
        (np.ones((5, 5, 3, 2)), {"channel_axis": -1}),
        (np.eye(5), {"sigma_spatial": np.inf}),
        (np.ones((0, 5)), {}),
        (np.arange(75.0).reshape(5, 5, 3), {"channel_axis": 3}),
    ],
    ids=str,
)
def test_what_scikit_image_refuses_it_refuses_itself(gpu, image, options):
    with pytest.raises((ValueError, TypeError, OverflowError)):
        denoise_bilateral(image, **options)
    assert gpu.invalid(denoise_bilateral, image, **options)


@pytest.mark.parametrize(
    "options",
    [
        {"win_size": 5.0},
        {"win_size": 0},
        {"bins": 0},
        {"bins": -1},
        {"mode": "nearest"},
        {"sigma_color": "a"},
        {"sigma_color": 1e200},
        {"cval": 1j},
    ],
    ids=str,
)
def test_what_is_left_to_scikit_image(gpu, options):
    """It refuses most of this, but not for an image of one value, which it returns before."""
    assert next(iter(options)) in gpu.declined(denoise_bilateral, np.eye(5), **options)


def test_half_precision_is_left_to_scikit_image(gpu):
    assert "float16" in gpu.declined(denoise_bilateral, np.eye(5, dtype="float16"))


def test_integers_that_are_too_far_apart(gpu):
    """scikit-image's own difference overflows, and it reads outside of its table."""
    image = np.array([[-128, 127], [3, 4]], "int8")
    with pytest.raises(Declined, match="farther apart"):
        gpu(denoise_bilateral, image)


def test_launches_and_bytes(counting):
    import cupy as cp

    floats = cp.asarray(noise(RNG, (64, 96), "float32"))
    colors = cp.asarray(noise(RNG, (64, 96, 3), "uint8"))
    for image, options, launches in (
        (floats, {"sigma_color": 0.1}, 2),
        (floats, {}, 4),
        (colors, {"sigma_color": 0.1, "channel_axis": -1}, 3),
        (colors, {"channel_axis": -1}, 5),
    ):
        plan = bilateral.denoise_bilateral(image, **options)
        with counting() as counts:
            plan.run(image=image)
        assert counts.launches == launches == plan.cost.launches
        assert counts.kernel_bytes_read <= plan.cost.read
        assert counts.kernel_bytes_written <= plan.cost.written
