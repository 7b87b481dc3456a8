"""The edge filters of skimage.filters on the device give scikit-image's numbers."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from skimage import data, filters

from tests.functions.filter_agreement import BORDERS, MODES, same
from tests.functions.images import DTYPES, images, layouts

GRADIENTS = (filters.sobel, filters.scharr, filters.prewitt, filters.farid)
ALONG_ROWS_OR_COLUMNS = (
    *(filters.sobel_h, filters.sobel_v, filters.scharr_h, filters.scharr_v),
    *(filters.prewitt_h, filters.prewitt_v, filters.farid_h, filters.farid_v),
)
ROBERTS = (filters.roberts, filters.roberts_pos_diag, filters.roberts_neg_diag)
IN_2D = (*GRADIENTS, *ALONG_ROWS_OR_COLUMNS, *ROBERTS, filters.laplace)
IN_ANY_D = (*GRADIENTS, filters.laplace)


def name_of(function):
    return function.__name__


@st.composite
def arrays(draw, ndims=(1, 2, 3, 4), dtypes=DTYPES, special=()):
    ndim = draw(st.sampled_from(ndims))
    shape = draw(st.lists(st.integers(1, 40), min_size=ndim, max_size=ndim))
    while np.prod(shape) > (600 if ndim == 4 else 15_000):
        shape[int(np.argmax(shape))] //= 2
    return draw(images(tuple(shape), draw(st.sampled_from(dtypes)), special=special))


@st.composite
def masks(draw, shape):
    """A mask of few holes, so that something is left of it when it is eroded."""
    rng = np.random.default_rng(draw(st.integers(0, 9)))
    mask = rng.random(shape) < draw(st.sampled_from([1, 0.99, 0.9]))
    return draw(layouts(mask.astype(draw(st.sampled_from(["bool", "uint8", "int8"])))))


@st.composite
def axes(draw, ndim):
    """One axis, or several, some of them counted from the end or named twice."""
    one = st.integers(-ndim, ndim - 1)
    several = st.lists(one, min_size=1, max_size=ndim + 1).filter(
        lambda chosen: len({a % ndim for a in chosen}) == len(set(chosen))
    )
    return draw(st.none() | one | several)


@pytest.mark.thorough
@given(st.sampled_from(GRADIENTS), arrays(), st.data())
@settings(max_examples=250)
def test_gradient_of_any_image(gpu, function, image, data):
    arguments = {
        "axis": data.draw(axes(image.ndim)),
        "mode": data.draw(st.sampled_from(MODES)),
        "cval": data.draw(st.sampled_from([0, 0.5, -3])),
        "mask": data.draw(st.none() | masks(image.shape)),
    }
    same(gpu, function, image, **arguments)


@given(st.sampled_from(IN_2D[4:]), arrays(ndims=(2,)), st.data())
@settings(max_examples=150)
def test_any_2d_image(gpu, function, image, data):
    same(gpu, function, image, mask=data.draw(st.none() | masks(image.shape)))


@given(arrays(), st.data())
@settings(max_examples=60)
def test_laplace_of_any_image(gpu, image, data):
    mask = data.draw(st.none() | masks(image.shape))
    same(gpu, filters.laplace, image, data.draw(st.sampled_from([3, 4, 7])), mask)


@given(
    st.sampled_from(IN_2D),
    arrays((2,), ("float16", "float32", "float64"), (np.nan, np.inf, -np.inf)),
    st.booleans(),
)
@settings(max_examples=100)
def test_nan_and_infinity_spread_as_in_scikit_image(gpu, function, image, masked):
    """Also under the mask: zero times NaN is NaN."""
    mask = np.random.default_rng(0).random(image.shape) < 0.8 if masked else None
    same(gpu, function, image, mask=mask)


@given(
    st.sampled_from(IN_ANY_D),
    arrays((1, 3, 4), ("float32", "float64"), (np.nan, np.inf, -np.inf)),
)
@settings(max_examples=40)
def test_nan_and_infinity_in_any_number_of_axes(gpu, function, image):
    same(gpu, function, image)


@pytest.mark.parametrize("function", IN_2D, ids=name_of)
@pytest.mark.parametrize("dtype", ["uint8", "float32", "float64"])
def test_photograph(gpu_of_each_kind, function, dtype):
    image = data.camera()[::2, 1::2]
    same(gpu_of_each_kind, function, image if dtype == "uint8" else (image / 255).astype(dtype))


@pytest.mark.parametrize("function", GRADIENTS, ids=name_of)
def test_colour_photograph_is_a_volume(gpu, function):
    same(gpu, function, data.astronaut()[::4, ::4])


@pytest.mark.parametrize("function", IN_ANY_D, ids=name_of)
@pytest.mark.parametrize("depth", [1, 2, 15, 16, 17, 40])
@pytest.mark.parametrize("dtype", ["uint16", "float32"])
def test_volume(gpu_of_each_kind, function, depth, dtype):
    z, y, x = np.ogrid[:depth, :19, :70]
    balls = ((z - 9) ** 2 + (y - 8) ** 2 + (x - 30) ** 2 < 40) * 30_000
    image = (balls + 150 * x + 90 * y + 500 * z).astype(np.uint16)
    same(gpu_of_each_kind, function, image if dtype == "uint16" else image / np.float32(65535))


@pytest.mark.parametrize("function", [filters.sobel, filters.roberts, filters.laplace], ids=name_of)
@pytest.mark.parametrize("dtype", DTYPES)
def test_every_dtype_over_its_whole_range(gpu, function, dtype):
    rng = np.random.default_rng(0)
    if np.dtype(dtype).kind in "iu":
        limits = np.iinfo(dtype)
        image = rng.integers(limits.min, limits.max, (20, 37), dtype, endpoint=True)
        image[0, :2] = limits.min, limits.max
    else:
        image = (rng.random((20, 37)) > 0.5).astype(dtype)
    same(gpu, function, image)


@pytest.mark.parametrize("function", GRADIENTS, ids=name_of)
@pytest.mark.parametrize("mode", MODES)
def test_images_smaller_than_the_filter(gpu, function, mode):
    rng = np.random.default_rng(0)
    for shape in [(1,), (2,), (1, 1), (1, 6), (3, 1), (2, 2), (1, 1, 1), (2, 1, 3), (1, 2, 1, 1)]:
        same(gpu, function, rng.random(shape), mode=mode, cval=0.7)


@given(st.sampled_from(IN_2D), st.sampled_from(BORDERS), st.sampled_from(BORDERS), st.data())
@settings(max_examples=100)
def test_images_that_end_at_the_borders_of_tiles(gpu, function, height, width, data):
    image = np.random.default_rng(0).random((height, width), np.float32)
    mask = data.draw(st.none() | masks(image.shape))
    same(gpu, function, data.draw(layouts(image)), mask=mask)


@pytest.mark.parametrize("function", IN_ANY_D, ids=name_of)
@pytest.mark.parametrize("shape", [(0,), (0, 5), (3, 0), (2, 0, 4), (2, 3, 0, 4)])
def test_image_without_elements(gpu_of_each_kind, function, shape):
    for dtype in ("uint8", "float32"):
        same(gpu_of_each_kind, function, np.zeros(shape, dtype))


@pytest.mark.parametrize("function", IN_2D, ids=name_of)
def test_faint_edges_on_a_bright_background_keep_their_digits(gpu, function):
    """In float32, 1000 + edges of 1e-3: the difference comes before the smoothing."""
    image = (1000 + 1e-3 * np.random.default_rng(0).random((50, 60))).astype(np.float32)
    same(gpu, function, image)


@pytest.mark.parametrize(
    "axis",
    [True, np.int64(1), (0, 1), range(2), np.array([1, 0]), [0, 0], [-1], [-1, -2], [1, 1, 0]],
)
@pytest.mark.parametrize("function", GRADIENTS, ids=name_of)
def test_axes_in_every_form(gpu, function, axis):
    same(gpu, function, data.coins()[:70, :80], axis=axis)


@pytest.mark.parametrize(
    "cval", [True, np.float32(0.3), np.array(0.3), np.int8(-1), np.nan, np.inf]
)
def test_constants_in_every_form(gpu, cval):
    same(gpu, filters.sobel, np.random.default_rng(0).random((9, 20)), mode="constant", cval=cval)


@pytest.mark.parametrize("dtype", ["int16", "uint32", "int64", "float32", "float64"])
@pytest.mark.parametrize("shape", [(300,), (20, 30), (9, 12, 20), (4, 5, 6, 7)])
def test_mask_of_any_dtype_holds_where_it_is_not_zero(gpu_of_each_kind, dtype, shape):
    rng = np.random.default_rng(0)
    mask = ((rng.random(shape) < 0.97) * 256).astype(dtype)
    same(gpu_of_each_kind, filters.sobel, rng.random(shape), mask)
    if dtype.startswith("float"):
        mask[...] = np.where(mask > 0, rng.choice([0.25, np.nan, -1], shape), 0)
        same(gpu_of_each_kind, filters.sobel, rng.random(shape), mask)


@pytest.mark.parametrize("function", IN_2D, ids=name_of)
@pytest.mark.parametrize("dtype", ["uint8", "float32"])
def test_one_launch_in_2d(gpu, counting, function, dtype):
    image = np.zeros((60, 70), dtype)
    check_budget(gpu, counting, function, image, image.shape[0] * image.shape[1])


@pytest.mark.parametrize("function", IN_ANY_D, ids=name_of)
@pytest.mark.parametrize("shape", [(500,), (20, 30, 40), (4, 5, 6, 7)])
def test_one_launch_in_any_number_of_axes(gpu, counting, function, shape):
    check_budget(gpu, counting, function, np.zeros(shape, np.uint8), np.prod(shape))


def check_budget(gpu, counting, function, image, size):
    for mask in (None, np.ones(image.shape, bool)):
        with counting() as counts:
            result = gpu(function, image, mask=mask)
        assert counts.launches == 1
        assert counts.kernel_bytes_read == image.nbytes + (0 if mask is None else size)
        assert counts.kernel_bytes_written == result.nbytes
        assert (counts.to_device, counts.to_host) == (1 if mask is None else 2, 1)
