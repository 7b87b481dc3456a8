"""denoise_nl_means on the device is scikit-image's: planes to the last bit."""

import itertools

import numpy as np
import pytest
from skimage import data
from skimage.restoration import denoise_nl_means

from skimage_gpu_backend.functions.restoration import nl_means
from tests.functions.equality import same_as
from tests.functions.images import DTYPES

RNG = np.random.default_rng(13)
FACE = data.astronaut()[60:100:2, 190:240:2]
SMALL = {"patch_size": 3, "patch_distance": 3}
same = same_as(denoise_nl_means)


def noisy(shape, dtype="float64"):
    """A ramp with an edge and noise."""
    image = np.linspace(0, 0.5, int(np.prod(shape))).reshape(shape)
    image = image + 0.3 * (image > 0.25) + 0.1 * RNG.random(shape)
    if dtype == "bool":
        return image > 0.4
    return (image * (1 if np.dtype(dtype).kind == "f" else 100)).astype(dtype)


def near(run, volume, *args, **options):
    """Of volumes some voxels in a thousand may have a weight that is one step of 1e-6 off."""
    expected = denoise_nl_means(volume, *args, **options)
    found = run(denoise_nl_means, volume, *args, **options)
    assert found.dtype == expected.dtype
    share = np.abs(found - expected) / np.ptp(expected)
    assert share.max() <= 1e-5
    if found.dtype == np.float64:
        assert share.max() <= 1e-6
        assert np.mean(share > 1e-10) <= 1e-3


@pytest.mark.parametrize("fast_mode", [True, False])
@pytest.mark.parametrize("dtype", DTYPES)
def test_any_dtype(gpu_of_each_kind, dtype, fast_mode):
    image = noisy((17, 23), dtype)
    same(gpu_of_each_kind, image, fast_mode=fast_mode, **SMALL)
    options = {"h": 20.0, "preserve_range": True, "sigma": 2}
    same(gpu_of_each_kind, image, fast_mode=fast_mode, **options, **SMALL)


@pytest.mark.parametrize("fast_mode", [True, False])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_any_patch_and_distance(gpu, dtype, fast_mode):
    """Also patches larger than the image, and distances beyond it."""
    for shape in ((20, 31), (3, 7), (1, 6), (9, 8, 3), (6, 5, 2)):
        axis = -1 if len(shape) == 3 else None
        image = noisy(shape, dtype)
        for size, distance in ((0, 2), (1, 1), (2, 0), (3, 5), (5, 2), (9, 3)):
            for sigma in (0, 0.05):
                options = {"sigma": sigma, "fast_mode": fast_mode, "channel_axis": axis}
                with np.errstate(all="ignore"):
                    same(gpu, image, size, distance, 0.2, **options)


def test_the_usual_call(gpu):
    same(gpu, noisy((24, 33)))
    same(gpu, FACE, channel_axis=-1, sigma=0.02)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("distance", [1, 2, 3])
def test_volumes(gpu, dtype, distance):
    """Some shifts begin behind the first row or plane."""
    volume = noisy((5, 7, 6), dtype)
    for sigma, fast_mode in itertools.product((0, 0.05), (True, False)):
        (near if fast_mode else same)(gpu, volume, 3, distance, 0.15, fast_mode, sigma)
    same(gpu, noisy((1, 4, 5), dtype), 3, distance, fast_mode=False)
    near(gpu, noisy((4, 5, 6, 2), dtype), 3, distance, channel_axis=-1)
    near(gpu, noisy((2, 4, 5, 6), dtype), 3, distance, channel_axis=0)


@pytest.mark.parametrize("distance", [1, 2])
def test_volumes_over_time(gpu, distance):
    near(gpu, noisy((3, 4, 3, 5)), 3, distance, 0.2)
    near(gpu, noisy((3, 2, 3, 4, 2), "float32"), 1, distance, 0.2, channel_axis=-1)


@pytest.mark.parametrize("shape", [(14, 19), (5, 6, 7), (3, 3, 4, 5)], ids=str)
def test_shifts_in_parts(gpu, monkeypatch, shape):
    """A small workspace makes more launches, and the same sums."""
    image = noisy(shape)
    volume = int(np.prod([n + 2 * (1 + 2 + 1) for n in shape]))
    for at_once in (1, 4):
        monkeypatch.setattr(nl_means, "_WORKSPACE", 8 * volume * at_once)
        (same if len(shape) == 2 else near)(gpu, image, 3, 2)


@pytest.mark.parametrize("fast_mode", [True, False])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_values_beyond_all_bounds(gpu, dtype, fast_mode):
    for value in (np.nan, np.inf, 1e30, -1e30):
        image = noisy((12, 14), dtype)
        image[5, 6] = value
        with np.errstate(all="ignore"):
            same(gpu, image, fast_mode=fast_mode, **SMALL)
    image = noisy((12, 14), dtype) * 1000
    for h in (0.1, 1e-5, 0, -1, 1e9, np.nan, np.inf):
        with np.errstate(all="ignore"):
            same(gpu, image, 3, 3, h, fast_mode)
    for sigma in (np.inf, np.nan, 1e100, -0.1):
        with np.errstate(all="ignore"):
            same(gpu, image, 3, 3, 0.1, fast_mode, sigma)


@pytest.mark.parametrize("fast_mode", [True, False])
def test_channels_and_layouts(gpu_of_each_kind, fast_mode):
    options = {"fast_mode": fast_mode, **SMALL}
    for image in (FACE[:9], noisy((6, 7, 5), "float32")):
        for axis in (0, 1, 2):
            same(gpu_of_each_kind, np.moveaxis(image, -1, axis), channel_axis=axis, **options)
        same(gpu_of_each_kind, np.asfortranarray(image)[::-1], channel_axis=-1, **options)
    same(gpu_of_each_kind, noisy((6, 7, 1)), channel_axis=-1, **options)


@pytest.mark.parametrize(
    ("shape", "options"),
    [
        ((9,), {}),
        ((9, 9), {"channel_axis": -1}),
        ((2, 2, 2, 2, 2), {}),
        ((4, 4, 4, 2), {"channel_axis": -1, "fast_mode": False}),
        ((3, 4, 4, 2), {"fast_mode": False}),
        ((4, 4, 3), {"channel_axis": 5}),
    ],
    ids=str,
)
def test_what_scikit_image_refuses_it_refuses_itself(gpu, shape, options):
    with pytest.raises((ValueError, NotImplementedError)):
        denoise_nl_means(noisy(shape), **options)
    assert gpu.invalid(denoise_nl_means, noisy(shape), **options)


@pytest.mark.parametrize(
    "options",
    [{"patch_size": 2.5}, {"patch_distance": -1}, {"h": "a"}, {"sigma": 1j}],
    ids=str,
)
def test_what_is_left_to_scikit_image(gpu, options):
    assert next(iter(options)) in gpu.declined(denoise_nl_means, noisy((5, 5)), **options)


def test_a_single_pixel_is_left_to_scikit_image(gpu):
    assert "single pixel" in gpu.declined(denoise_nl_means, noisy((1, 1)))
    same(gpu, noisy((1, 1, 4)), channel_axis=-1, **SMALL)


def test_launches_and_bytes(counting):
    import cupy as cp

    for shape, options, launches in (
        ((24, 33), {}, 3),
        ((24, 33), {"fast_mode": False}, 2),
        ((6, 7, 8), {}, 1 + 2 * 7),
        ((6, 7, 8), {"fast_mode": False}, 2),
    ):
        image = cp.asarray(noisy(shape))
        plan = nl_means.denoise_nl_means(image, **SMALL, **options)
        with counting() as counts:
            plan.run(image=image)
        assert counts.launches == launches == plan.cost.launches
        assert counts.kernel_bytes_read <= plan.cost.read
        assert counts.kernel_bytes_written <= plan.cost.written
