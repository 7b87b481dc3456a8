"""Functions that call a denoiser again and again: the image stays on the device meanwhile."""

import functools
import warnings

import numpy as np
import pytest
from skimage import color, data, filters, restoration, segmentation, transform
from skimage.restoration import calibrate_denoiser, cycle_spin, denoise_invariant

from skimage_gpu_backend import use_backends
from skimage_gpu_backend.dispatch.observe import observe
from skimage_gpu_backend.functions.restoration import cycle_spin as spin_room
from skimage_gpu_backend.functions.restoration import j_invariant as room
from skimage_gpu_backend.plan import Declined
from tests.functions.images import DTYPES, noise
from tests.upstream import upstream

RNG = np.random.default_rng(73)
FACE = data.astronaut()[:56:2, 100:166:2] / 255 + RNG.normal(scale=0.1, size=(28, 33, 3))
GREY = FACE[..., 0]
TV, WAVELET = restoration.denoise_tv_chambolle, restoration.denoise_wavelet
WAVES = functools.partial(WAVELET, sigma=0.1, rescale_sigma=False)


def close(run, function, image, *args, **options):
    expected = function(image, *args, **options)
    found = run(function, image, *args, **options)
    assert found.dtype == expected.dtype
    assert found.shape == expected.shape
    bound = (1e-5 if expected.dtype.itemsize < 8 else 1e-10) * max(
        np.nanmax(expected) - np.nanmin(expected), 1e-300
    )
    np.testing.assert_allclose(found, expected, rtol=0, atol=bound)
    return found


@pytest.mark.parametrize(
    ("call", "count"),
    [
        (lambda image, f: cycle_spin(image, f, 1, workers=1), 4),
        (lambda image, f: denoise_invariant(image, f, stride=2), 4),
        (lambda image, f: calibrate_denoiser(image, f, {"eps": [0.1, 0.01]})(image), 2 + 16),
    ],
)
@pytest.mark.parametrize("array", [np.asarray, "cupy"])
def test_what_a_function_of_the_user_calls_runs_on_the_device(call, count, array, however_small):
    import cupy as cp

    def own(image, eps=0.01):
        return restoration.denoise_tv_chambolle(image, weight=0.1, eps=eps)

    expected = call(GREY, own)
    with use_backends("gpu"), observe() as calls:
        found = call(cp.asarray(GREY) if array == "cupy" else GREY, own)
    np.testing.assert_array_equal(cp.asnumpy(found), expected)
    on_device = [each.backend for each in calls if each.name.endswith("denoise_tv_chambolle")]
    assert on_device == ["gpu"] * count


@pytest.mark.parametrize("dtype", DTYPES)
def test_any_dtype(gpu_of_each_kind, dtype):
    image = noise(RNG, (21, 17), dtype)
    for given in (image, image.T, image[::-1, ::2]):
        close(gpu_of_each_kind, cycle_spin, given, filters.gaussian, (1, 2))
        close(gpu_of_each_kind, denoise_invariant, given, WAVES, stride=2)
        if dtype not in ("bool", "float16"):
            close(gpu_of_each_kind, cycle_spin, given, WAVELET, 1)


@pytest.mark.parametrize("workers", [None, 1, 2])
def test_shifts(gpu, workers):
    for most, steps in ((0, 1), (3, 2), ((0, 40), 7), ([2, 0], (1, 3)), (np.array([1, 2]), 1)):
        close(gpu, cycle_spin, GREY, WAVES, most, steps, workers=workers)
    close(gpu, cycle_spin, GREY, TV, 2, func_kw={"weight": 0.2}, workers=workers)
    close(gpu, cycle_spin, GREY, functools.partial(TV, weight=9), 1, func_kw={"weight": 0.2})


@pytest.mark.parametrize("shape", [(1,), (53,), (1, 20), (9, 7, 5), (3, 4, 5, 2)])
def test_any_shape(gpu, shape):
    image = noise(RNG, shape)
    for axes in range(3):
        most = [2 * ((k + axes) % 2) for k in range(len(shape))]
        close(gpu, cycle_spin, image, filters.gaussian, most)
    close(gpu, denoise_invariant, image, filters.gaussian, stride=2)


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_channels(gpu_of_each_kind, axis):
    image = np.moveaxis(FACE, -1, axis)
    options = {"channel_axis": axis, "func_kw": {"channel_axis": -1}}
    close(gpu_of_each_kind, cycle_spin, image, WAVES, 2, **options)
    close(gpu_of_each_kind, cycle_spin, image, WAVES, (1, 2, 0), (1, 2), **options)
    # the last axis is taken for that of the channels, whichever it is
    options = {"denoiser_kwargs": {"channel_axis": axis}}
    close(gpu_of_each_kind, denoise_invariant, FACE, WAVES, stride=2, **options)


def test_other_shapes_and_values(gpu):
    smaller = functools.partial(transform.resize, output_shape=(11, 13))
    close(gpu, cycle_spin, GREY, smaller, 2)
    image = GREY.copy()
    image[3, 4] = np.nan
    close(gpu, cycle_spin, image, filters.sobel, 1)
    close(gpu, denoise_invariant, image, filters.sobel, stride=2)


@pytest.mark.parametrize("dtype", ["float32", "float64", "uint8"])
def test_masks(gpu_of_each_kind, dtype):
    image = (FACE * 255 if dtype == "uint8" else FACE).clip(0, 255).astype(dtype)
    for axes in (1, 2, 3):
        masks = [RNG.random(image.shape[:axes]) < 0.3 for _ in range(3)]
        for keywords in ({}, {"channel_axis": -1}):
            options = {"masks": masks, "denoiser_kwargs": keywords}
            close(gpu_of_each_kind, denoise_invariant, image, WAVES, **options)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "uint8", "int16"])
@pytest.mark.parametrize("approximate", [True, False])
def test_calibration(gpu_of_each_kind, dtype, approximate):
    image = noise(RNG, (18, 23, 3), dtype)
    grid = {"weight": [0.05, 0.2, 0.5], "channel_axis": [None, -1]}
    options = {"approximate_loss": approximate, "stride": 2, "extra_output": True}
    expected = calibrate_denoiser(image, TV, grid, **options)
    best, (tested, losses) = gpu_of_each_kind(calibrate_denoiser, image, TV, grid, **options)
    assert best.func is expected[0].func
    assert best.keywords == expected[0].keywords
    assert tested == expected[1][0]
    assert [type(loss) for loss in losses] == [np.float64] * 6
    np.testing.assert_allclose(losses, expected[1][1], rtol=1e-6)


def test_what_was_calibrated_runs_on_the_device(gpu):
    best = gpu(calibrate_denoiser, GREY, WAVES, {"sigma": [0.1, 0.3]}, stride=3)
    assert best.keywords["denoise_function"] is WAVES
    close(gpu, best.func, GREY, **best.keywords)
    close(gpu, cycle_spin, GREY, best, 1)


def test_functions_that_no_device_calls(gpu):
    for function, word in (
        (lambda image: image, "none of scikit-image's"),
        (np.sqrt, "none of scikit-image's"),
        (segmentation.felzenszwalb, "none of scikit-image's"),
        (functools.partial(filters.gaussian, GREY), "before the image"),
        (functools.partial(filters.gaussian, sigma=np.ones(2)), "beside the image"),
        (functools.partial(restoration.richardson_lucy, psf=np.ones((3, 3))), "beside the image"),
        (functools.partial(TV, weight=0), "do not take; give other arguments (weight is 0"),
    ):
        assert word in gpu.declined(cycle_spin, GREY, function, 1)
        assert word in gpu.declined(denoise_invariant, GREY, function)


def test_results_that_are_no_image(gpu):
    for function in (filters.threshold_otsu, restoration.estimate_sigma):
        for called, args in ((cycle_spin, (1,)), (denoise_invariant, ())):
            with pytest.raises(Declined, match="no image of floats"):
                gpu(called, GREY, function, *args)
    with pytest.raises(Declined, match="no image of floats"):
        gpu(cycle_spin, FACE, color.rgb2gray, 1)
    resized = functools.partial(transform.resize, output_shape=(5, 6))
    with pytest.raises(Declined, match="another shape"):
        gpu(denoise_invariant, GREY, resized)


def test_arguments_that_no_device_takes(gpu):
    assert "more than" in gpu.declined(cycle_spin, GREY, TV, 10**400)
    assert "number from 1" in gpu.declined(cycle_spin, GREY, TV, 1, workers=0)
    for options in ({"max_shifts": -1}, {"max_shifts": (1, 2, 3)}, {"shift_steps": 0}):
        assert gpu.invalid(cycle_spin, GREY, TV, **{"max_shifts": 1} | options)
    assert gpu.invalid(cycle_spin, FACE, TV, (1, 1, 1), channel_axis=-1)
    assert gpu.invalid(cycle_spin, GREY, None, 1)
    assert gpu.invalid(cycle_spin, GREY, TV, 1, func_kw={"no_such": 1})
    assert "masks" in gpu.declined(denoise_invariant, GREY, TV, masks=iter([GREY > 0]))
    assert "masks" in gpu.declined(denoise_invariant, GREY, TV, masks=[GREY > 0, GREY[1:] > 0])
    assert "masks" in gpu.declined(denoise_invariant, GREY, None, masks=[])
    assert "stride" in gpu.declined(denoise_invariant, GREY, TV, stride=10**400)
    assert "stride" in gpu.declined(calibrate_denoiser, GREY, TV, {"weight": [1]}, stride=99)
    assert gpu.invalid(calibrate_denoiser, GREY, TV, {"weight": []})
    repeated = np.broadcast_to(GREY[:1], GREY.shape)
    assert "repeats" in gpu.declined(denoise_invariant, repeated, TV)
    close(gpu, denoise_invariant, repeated.astype("float16"), TV, stride=2)
    close(gpu, cycle_spin, repeated, TV, 1)


def test_without_dask(gpu, monkeypatch):
    monkeypatch.setattr(upstream("restoration._cycle_spin"), "dask_available", False)
    for workers, warned in ((None, 1), (2, 1), (1, 0)):
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            close(gpu, cycle_spin, GREY, WAVES, 1, workers=workers)
        assert [str(each.message) for each in told[:warned]] == [
            str(each.message) for each in told[warned:]
        ]


def test_launches_and_transfers(counting):
    import cupy as cp

    image = cp.asarray(RNG.random((64, 96)))
    own = {"preserve_range": True}
    keywords = {"func_kw": own}
    plan = spin_room.cycle_spin(image, filters.gaussian, (1, 2), **keywords)
    with counting() as counts:
        plan.run(x=image)
    each = 1  # of a Gaussian filter
    assert counts.launches <= plan.cost.launches == 6 * (each + 2)
    assert counts.kernel_bytes_read <= plan.cost.read
    plan = room.denoise_invariant(image, filters.gaussian, stride=2, denoiser_kwargs=own)
    with counting() as counts:
        plan.run(image=image)
    assert counts.launches <= 4 * (each + 2) + 1
    grid = {"sigma": [1, 2, 3]}
    plan = room.calibrate_denoiser(image, filters.gaussian, grid, stride=2)
    with counting() as counts:
        plan.run(image=image)
    assert counts.launches <= plan.cost.launches
    assert counts.kernel_bytes_read <= plan.cost.read
