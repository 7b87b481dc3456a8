"""Values along lines are scikit-image's: integers all, floats of orders 0 and 1 to the last bit."""

import numpy as np
import pytest
from skimage import data
from skimage.measure import profile_line

from skimage_gpu_backend.functions.measure.profile_line import _coordinates
from skimage_gpu_backend.trouble import Declined
from tests.functions.images import DTYPES, noise
from tests.upstream import upstream

_line_profile_coordinates = upstream("measure.profile")._line_profile_coordinates

RNG = np.random.default_rng(5)
MODES = "constant", "nearest", "reflect", "mirror", "wrap"
LINES = ((2, 3), (17, 20)), ((5, 0), (5, 29)), ((18, 4), (-4, 4.5)), ((-3.2, 33), (26.1, -7))


def same(run, image, *args, digits=1e-12, **kwargs):
    expected, result = (
        profile_line(image, *args, **kwargs),
        run(profile_line, image, *args, **kwargs),
    )
    result = result if isinstance(result, np.ndarray | np.generic) else result.get()
    assert result.dtype == expected.dtype
    if not digits or expected.dtype.kind in "biu":
        np.testing.assert_array_equal(result, expected)
    else:
        digits = 1e-6 if expected.dtype == np.float32 else digits
        np.testing.assert_allclose(result, expected, rtol=0, atol=digits * np.abs(image).max())


@pytest.mark.thorough
@pytest.mark.parametrize("dtype", [dtype for dtype in DTYPES if dtype != "float16"])
def test_any_dtype_order_and_mode(gpu, dtype):
    for shape in ((21, 30), (1, 30), (21, 30, 3)):
        image = noise(RNG, shape, dtype)
        for order in (None,) if dtype == "bool" else (None, 0, 1, 2, 3, 4, 5):
            mode = str(RNG.choice(MODES))
            # off the pixels, so that no value of an integer lies halfway but by chance
            for src, dst in RNG.random((2, 2, 2)) * 30 - 3:
                exact = {} if order in (2, 3, 4, 5) else {"digits": 0}
                options = {"order": order, "mode": mode, "cval": 1, "reduce_func": None}
                same(gpu, image, src, dst, 3, **options, **exact)


@pytest.mark.parametrize("mode", MODES)
def test_lines_along_rows_and_pixels_and_beyond_the_image(gpu_of_each_kind, mode):
    for image in (data.camera()[:21, :30], data.camera()[:21, :30] / 7):
        for src, dst in LINES:
            for width in (1, 2, 5):
                same(gpu_of_each_kind, image, src, dst, width, mode=mode, cval=7.0, digits=0)


def test_values_that_lie_halfway_between_integers(gpu):
    image = np.add.outer(np.arange(12), 3 * np.arange(15)).astype(np.uint8)
    for src, dst in (((0.5, 1), (0.5, 12)), ((2, 0.5), (9, 0.5)), ((1.5, 2.5), (8, 13.25))):
        same(gpu, image, src, dst)
    between = np.tile(np.arange(2), (9, 1))
    with pytest.raises(Declined, match="halfway"):  # rounding alone decides
        gpu(profile_line, between, (1, 0.5), (7, 0.5), order=3, mode="wrap")


@pytest.mark.thorough
def test_functions_that_reduce_get_arrays_of_numpy(gpu_of_each_kind):
    image = noise(RNG, (21, 30), "uint16")
    functions = np.mean, np.max, np.sum, np.median, np.std, np.sqrt, np.argmax, None
    for function in (
        *functions,
        len,
        max,
        lambda v: float(v.sum()),
        lambda v, axis: v.min(axis) > 3,
    ):
        for given in (image, np.dstack([image, image + 1])):
            if function is not max or given is image:
                same(gpu_of_each_kind, given, (2, 3), (15, 21), 4, reduce_func=function)
    with pytest.raises(ZeroDivisionError):
        gpu_of_each_kind(profile_line, image, (0, 0), (3, 4), reduce_func=lambda v, axis: 1 / 0)


def test_coordinates_are_those_of_scikit_image():
    for case in range(100):
        src, dst = RNG.integers(-5, 40, (2, 2)) if case % 2 else RNG.random((2, 2)) * 60 - 10
        if case % 3 == 0:
            dst[case % 2] = src[case % 2]
        width = int(RNG.integers(1, 6))
        expected = _line_profile_coordinates(src, dst, width)
        found = _coordinates(src.astype(float), dst.astype(float), width)
        np.testing.assert_array_equal(found, expected)


def test_values_that_are_not_finite(gpu):
    for value in (np.nan, np.inf):
        image = noise(RNG, (21, 30, 3))
        image[9, 12, 1] = value
        for order in (0, 1):
            same(gpu, image, (0, 0), (20, 29), 3, order, digits=0)
        with pytest.raises(Declined, match="finite"):
            gpu(profile_line, image, (0, 0), (20, 29), order=3)


def test_ends_and_widths_of_any_type(gpu):
    image = noise(RNG, (21, 30))
    for src in ([2, 3], np.array([2, 3], np.uint8), (np.float32(2.5), True)):
        same(gpu, image, src, (15, 3.25), np.uint8(3), digits=0)
    same(gpu, image, (4, 4), (4, 4), digits=0)  # of one point
    for layout in (image.T, image[::-1, ::2], np.asfortranarray(image), image.astype(">f8")):
        same(gpu, layout, (2, 3), (15, 9), 2, digits=0)


def test_what_is_refused_is_left_to_scikit_image(gpu):
    image, line = noise(RNG, (21, 30)), ((2, 3), (15, 21))
    for wrong in (image[0], image[None, None], image.astype("float16")):
        assert gpu.invalid(profile_line, wrong, *line)
    assert gpu.invalid(profile_line, image, *line, order=6)
    assert gpu.invalid(profile_line, image > 3, *line, order=1)
    assert gpu.invalid(profile_line, image, *line, mode="no such")
    assert "linewidth" in gpu.declined(profile_line, image, *line, linewidth=0)
    assert gpu.invalid(profile_line, image, *line, reduce_func=3)
    assert "src" in gpu.declined(profile_line, image, (1, 2, 3), (4, 5))
    assert "far apart" in gpu.declined(profile_line, image, (0, 0), (1e12, 0))
    assert "elements" in gpu.declined(profile_line, image[:0], *line)
    assert "cval" in gpu.declined(profile_line, image, *line, cval=(2,))
    constant = {"mode": "constant", "cval": np.nan}
    assert "finite" in gpu.declined(profile_line, image.astype(int), *line, **constant)
    for cval in (0.7, 300):
        constant["cval"] = cval
        reason = gpu.declined(profile_line, image.astype("uint8"), *line, order=3, **constant)
        assert "dtype" in reason
    constant["cval"] = np.nan
    same(gpu, image, (-4, 3), (15, 21), **constant, reduce_func=None, digits=0)


def test_one_launch_and_two_more_for_coefficients(gpu, counting):
    import cupy as cp

    image = cp.asarray(noise(RNG, (40, 50), "float32"))
    points = _coordinates(np.array([1.0, 1.0]), np.array([39.0, 48.0]), 3)[0].size
    for order, launches in ((1, 1), (3, 3)):
        with counting() as counts:
            gpu(profile_line, image, (1, 1), (39, 48), 3, order)
        assert counts.launches == launches
        coefficients = 2 * 8 * image.size if order > 1 else 0
        assert counts.kernel_bytes_written <= 8 * points + coefficients + 8
        assert counts.bytes_to_host == 8 * points
