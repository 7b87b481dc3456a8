"""skimage.filters.threshold_li on the device: of integers scikit-image's very numbers."""

import numpy as np
import pytest
from skimage.filters import threshold_li as LI

from skimage_gpu_backend.trouble import Declined
from tests.functions.filters.thresholds import DTYPES, both, photograph, same


def near(gpu, bound, *args, **kwargs):
    """The device gives a number of the same type that differs by no more than `bound`."""
    np.testing.assert_allclose(*both(gpu, LI, *args, **kwargs), rtol=bound)


@pytest.mark.parametrize("dtype", [d for d in DTYPES if "int" in d])
@pytest.mark.parametrize("arguments", [{}, {"tolerance": 0.01}, {"initial_guess": 20}])
def test_li_of_integers_is_equal(gpu_of_each_kind, dtype, arguments):
    same(gpu_of_each_kind, LI, photograph(dtype), **arguments)
    same(gpu_of_each_kind, LI, photograph(dtype, np.s_[9:99:2, 200:30:-1]) - 60, **arguments)


def test_li_of_integers_that_wrap_around(gpu):
    image = np.arange(-128, 127, dtype=np.int8)
    same(gpu, LI, image)
    same(gpu, LI, np.full((4, 5), -7, np.int16))


@pytest.mark.parametrize(("dtype", "bound"), [("float32", 1e-6), ("float64", 1e-12)])
@pytest.mark.parametrize("arguments", [{}, {"tolerance": 0.001}, {"initial_guess": 0.3}])
def test_li_of_floats(gpu_of_each_kind, dtype, bound, arguments):
    near(gpu_of_each_kind, bound, photograph(dtype), **arguments)
    near(gpu_of_each_kind, bound, photograph(dtype, np.s_[9:99:2, 200:30:-1]) - 0.2, **arguments)
    near(gpu_of_each_kind, bound, np.random.default_rng(1).normal(size=70_001).astype(dtype))


@pytest.mark.parametrize("guess", [None, 0.5])  # many pixels are 0.5
def test_li_tells_each_step(gpu, guess):
    image = photograph("float64")
    image -= image.min()
    seen, expected = [], []
    LI(image, initial_guess=guess, iter_callback=expected.append)
    gpu(LI, image, initial_guess=guess, iter_callback=seen.append)
    np.testing.assert_allclose(seen, expected, rtol=1e-12)


def test_li_refuses_a_guess_outside_of_the_image(gpu):
    for guess in (5, -1):
        with pytest.raises(ValueError) as expected:
            LI(photograph("float32"), initial_guess=guess)
        with pytest.raises(ValueError) as raised:
            gpu(LI, photograph("float32"), initial_guess=guess)
        assert str(raised.value) == str(expected.value)


def test_li_of_what_is_not_finite_is_left_to_scikit_image(gpu):
    with pytest.raises(Declined, match="infinities"):
        gpu(LI, np.array([np.nan, 1, 2]))


@pytest.mark.parametrize(
    ("dtype", "fixed", "per_step"), [("uint8", 1, 0), ("uint16", 2, 0), ("float32", 2, 1)]
)
def test_li_launches(gpu, counting, dtype, fixed, per_step):
    image = photograph(dtype)
    steps = []
    with counting() as counts:
        gpu(LI, image, tolerance=0.001, iter_callback=steps.append)
    launches = fixed + per_step * (len(steps) - 1)
    assert counts.launches == launches
    assert counts.kernel_bytes_read == launches * image.nbytes


def test_li_without_a_tolerance_sorts_once(gpu, counting):
    steps = []
    with counting() as counts:
        gpu(LI, photograph("float32"), iter_callback=steps.append)
    assert counts.launches <= 2 + len(steps) - 1 + 3  # sort, smallest difference
