"""skimage.exposure.equalize_hist on the device; photographs are in test_histogram."""

import numpy as np
import pytest
from skimage import data

from skimage_gpu_backend.trouble import Declined

from .levels import EQUALIZE, photograph, same


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int8", "uint16", "float16", "float64"])
def test_equalizing_inside_a_mask(gpu_of_each_kind, dtype):
    image = photograph(dtype, np.s_[100:170, 200:290])
    mask = data.camera()[100:170, 200:290] > 50
    bound = 1e-6 if dtype == "float16" else 1e-14
    same(gpu_of_each_kind, EQUALIZE, image, mask=mask, bound=bound)
    same(gpu_of_each_kind, EQUALIZE, image, mask=mask.astype(np.uint8), bound=bound)


def test_what_lies_outside_of_a_mask_need_not_be_finite(gpu):
    image = photograph("float64", np.s_[100:170, 200:290])
    image[0, :4] = [np.nan, np.inf, -np.inf, 7]
    mask = np.isfinite(image) & (image < 5)
    same(gpu, EQUALIZE, image, mask=mask, bound=1e-14)
    with pytest.raises(Declined, match="mask is False"):
        gpu(EQUALIZE, image, mask=np.zeros(image.shape, bool))


@pytest.mark.parametrize("bins", [1, 2, 1024, 1025, 5000])
def test_equalizing_with_any_number_of_bins(gpu, bins):
    image = np.random.default_rng(2).normal(size=(173, 301))
    same(gpu, EQUALIZE, image, bins, bound=1e-13)
