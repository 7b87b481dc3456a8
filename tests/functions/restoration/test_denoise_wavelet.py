"""denoise_wavelet on the device gives scikit-image's numbers."""

import warnings

import numpy as np
import pytest
from skimage import data
from skimage.restoration import denoise_wavelet

from skimage_gpu_backend.functions.restoration import denoise_wavelet as room
from tests.functions.images import DTYPES, noise

RNG = np.random.default_rng(61)
FACE = data.astronaut()[:100:2, 100:230:2] / 255


def close(run, image, *args, **options):
    expected = denoise_wavelet(image, *args, **options)
    found = run(denoise_wavelet, image, *args, **options)
    assert found.dtype == expected.dtype
    assert found.shape == expected.shape
    bound = (1e-5 if expected.dtype.itemsize < 8 else 1e-10) * max(np.ptp(expected), 1e-300)
    np.testing.assert_allclose(found, expected, rtol=0, atol=bound)
    return found


@pytest.mark.parametrize("dtype", [dtype for dtype in DTYPES if dtype != "bool"])
def test_any_dtype(gpu_of_each_kind, dtype):
    image = noise(RNG, (41, 34), dtype)
    for given in (image, image.T, image[::-1, ::2]):
        close(gpu_of_each_kind, given)
        close(gpu_of_each_kind, given, 0.1, "db3", method="VisuShrink")


@pytest.mark.filterwarnings("ignore:Level value", "ignore:Wavelet thresholding")
@pytest.mark.parametrize("wavelet", ["haar", "db2", "sym9", "coif3", "bior2.2", "dmey"])
@pytest.mark.parametrize("mode", ["soft", "hard", "garrote", "greater", "less"])
def test_any_wavelet_and_threshold(gpu, wavelet, mode):
    for levels in (None, 1, 2, 4):
        for method in ("BayesShrink", "VisuShrink"):
            close(gpu, FACE[..., 0], None, wavelet, mode, levels, method=method)


@pytest.mark.filterwarnings("ignore:Level value")
@pytest.mark.parametrize("shape", [(1,), (2, 3), (53,), (1, 20), (9, 17, 13), (5, 6, 7, 8)])
def test_any_shape(gpu, shape):
    for wavelet in ("db1", "db4"):
        close(gpu, noise(RNG, shape), 3, wavelet, wavelet_levels=2)


def test_channels(gpu_of_each_kind):
    for axis in (0, 1, -1):
        image = np.moveaxis(FACE, -1, axis)
        close(gpu_of_each_kind, image, channel_axis=axis)
        close(gpu_of_each_kind, image, [0.1, 0.2, 0.05], "db2", channel_axis=axis)


@pytest.mark.parametrize("mode", ["soft", "hard", "garrote"])
def test_low_contrast_in_single_precision(gpu, mode):
    image = (1000 + RNG.random((61, 93)) / 10).astype("float32")
    for sigma in (None, 0.01, np.float64(0.01)):
        for method in ("BayesShrink", "VisuShrink"):
            close(gpu, image, sigma, "db2", mode, method=method)


def test_booleans(gpu):
    assert gpu.invalid(denoise_wavelet, FACE[..., 0] > 0.5)
    close(gpu, FACE[..., 0] > 0.5, rescale_sigma=False)


@pytest.mark.parametrize("dtype", ["float32", "float64", "uint8"])
def test_brightness_and_colours(gpu_of_each_kind, dtype):
    # noise: of flat colours rounding decides which details are 0 and do not count for sigma
    image = FACE + 0.02 * RNG.random(FACE.shape)
    image = (image * (240 if dtype == "uint8" else 1)).astype(dtype)
    for sigma in ([] if dtype == "uint8" else [None]) + [0.1, [0.1, 0.2, 0.05]]:
        for rescale in (True, False):
            options = {"convert2ycbcr": True, "rescale_sigma": rescale}
            close(gpu_of_each_kind, image, sigma, channel_axis=-1, **options)
    options = {"channel_axis": 0, "convert2ycbcr": True}
    close(gpu_of_each_kind, np.moveaxis(image, -1, 0), sigma, **options)


def heard(function, *args, **options):
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        value = function(*args, **options)
    return value, {(each.category, str(each.message)) for each in found}


@pytest.mark.parametrize(
    ("image", "options"),
    [
        (FACE[..., 0], {"wavelet": "bior2.2"}),
        (FACE[..., 0], {"wavelet_levels": 9}),
        (np.zeros((20, 30)), {}),
        (np.full((20, 30), 7, "uint8"), {"sigma": 1}),
        (FACE[:9, :9], {"channel_axis": -1, "wavelet": "sym9"}),
    ],
)
def test_warnings(gpu, image, options):
    expected = heard(denoise_wavelet, image, **options)
    found = heard(gpu, denoise_wavelet, image, **options)
    assert found[1] == expected[1]
    np.testing.assert_allclose(found[0], expected[0], rtol=0, atol=1e-10)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_what_is_not_finite(gpu):
    for value in (np.nan, np.inf):
        image = FACE[..., 0].copy()
        image[9, 11] = value
        for mode in ("soft", "hard"):
            for sigma in (None, 0.1, np.inf, np.nan):
                close(gpu, image, sigma, "db2", mode)


def test_images_that_scikit_image_refuses(gpu):
    grey = FACE[..., 0]
    assert gpu.invalid(denoise_wavelet, grey, method="other")
    assert "mode" in gpu.declined(denoise_wavelet, grey, mode="other")
    assert "wavelet" in gpu.declined(denoise_wavelet, grey, wavelet="other")
    assert gpu.invalid(denoise_wavelet, grey, convert2ycbcr=True)
    assert gpu.invalid(denoise_wavelet, grey, channel_axis=5)
    assert gpu.invalid(denoise_wavelet, FACE, [1, 2], channel_axis=-1)
    assert "no elements" in gpu.declined(denoise_wavelet, grey[:0])
    assert "below 1" in gpu.declined(denoise_wavelet, grey, wavelet_levels=0)


def test_launches_and_bytes(counting):
    import cupy as cp

    image = cp.asarray(RNG.random((256, 256)))
    for sigma, method, launches in ((0.1, "VisuShrink", 21), (0.1, "BayesShrink", 36)):
        plan = room.denoise_wavelet(image, sigma, method=method)
        with counting() as counts:
            plan.run(image=image)
        assert counts.launches == launches
        assert counts.kernel_bytes_read <= 9.1 * image.nbytes
        assert counts.kernel_bytes_written <= 6.5 * image.nbytes
