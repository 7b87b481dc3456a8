"""skimage.exposure.is_low_contrast on the device judges as scikit-image does."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from skimage import exposure

from .points import SMALL, any_image, photograph


@pytest.mark.parametrize("dtype", SMALL)
def test_contrast_is_judged_alike(gpu_of_each_kind, dtype):
    image = photograph(dtype)
    for fraction in np.linspace(0, 1, 21):
        for percentiles in ((1, 99), (0, 100), (33.3, 50.1)):
            arguments = (fraction, *percentiles)
            result = gpu_of_each_kind(exposure.is_low_contrast, image, *arguments)
            expected = exposure.is_low_contrast(image, *arguments)
            assert type(result) is type(expected)
            assert result == expected


@given(
    any_image((*SMALL[1:],), special=(np.inf, -np.inf, 0.0, -0.0, 0.3)),
    st.floats(0, 100),
    st.sampled_from([(0, 0, 1), (0, 0, 99999), (0, 5, 1), (5, 5, 99999), (1 << 16, 0, 1 << 20)]),
)
@settings(max_examples=200)
def test_percentiles_are_numpys(gpu, image, percentile, sizes):
    import cupy as cp

    from skimage_gpu_backend.primitives import select
    from skimage_gpu_backend.primitives.percentiles import percentiles_of

    with pytest.MonkeyPatch.context() as patch, np.errstate(all="ignore"):
        for name, size in zip(("_FEW", "_ROOM", "_MANY"), sizes, strict=True):
            patch.setattr(select, name, size)  # elements that are gathered, or counted on
        found = percentiles_of(cp.asarray(image), [percentile, 99])
        np.testing.assert_array_equal(found, np.percentile(image, [percentile, 99]))


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_nan_is_no_low_contrast(gpu_of_each_kind, dtype):
    image = np.full((30, 40), 0.3, dtype)
    for value in (np.nan, -np.nan, 0.3):
        image[20, 30] = value
        result = gpu_of_each_kind(exposure.is_low_contrast, image)
        assert result == exposure.is_low_contrast(image)


@pytest.mark.parametrize("dtype", ["uint8", "uint16", "int32", "float32", "float64"])
@pytest.mark.parametrize("channels", [3, 4])
def test_contrast_of_colors_is_that_of_gray(gpu, dtype, channels):
    image = np.stack([photograph(dtype)] * channels, axis=-1)
    for fraction in (0.1, 0.3, 0.45, 0.6):
        expected = exposure.is_low_contrast(image, fraction)
        assert gpu(exposure.is_low_contrast, image, fraction) == expected
