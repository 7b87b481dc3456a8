"""Windows and kernels that are to be on the device are there as scikit-image makes them."""

import numpy as np
import pytest
from skimage.filters import gabor_kernel, window

from skimage_gpu_backend import use_backends


@pytest.mark.parametrize(
    ("function", "args", "options"),
    [
        (window, ("hann", (31, 27)), {}),
        (window, (("tukey", 0.8), (9, 10, 11)), {"warp_kwargs": {"order": 3}}),
        (window, ("hann", 16), {}),
        (gabor_kernel, (0.2,), {}),
        (gabor_kernel, (0.1, 0.5), {"dtype": np.complex64}),
    ],
)
def test_results_are_on_the_device_and_equal(enabled, counting, function, args, options):
    import cupy as cp

    with use_backends("gpu", output="cupy"), counting() as counts:
        found = function(*args, **options)
    assert isinstance(found, cp.ndarray)
    assert counts.launches == 0
    expected = function(*args, **options)
    assert type(expected) is np.ndarray
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found.get(), expected)


@pytest.mark.parametrize(
    ("function", "args"), [(window, ("no such", 5)), (gabor_kernel, (0,)), (window, ())]
)
def test_errors_are_scikit_images(enabled, function, args):
    with pytest.raises(Exception) as expected:
        function(*args)
    with (
        use_backends("gpu", output="cupy"),
        pytest.raises(expected.type) as found,
    ):
        function(*args)
    assert str(found.value) == str(expected.value)
