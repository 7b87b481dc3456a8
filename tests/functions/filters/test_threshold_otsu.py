"""skimage.filters.threshold_otsu on the device gives scikit-image's very threshold."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from skimage import color, data
from skimage.filters import threshold_otsu

from skimage_gpu_backend.trouble import Declined
from tests.functions.images import DTYPES, FLOATS, INTEGERS, images, shapes


def same(gpu, *args, **kwargs):
    """The device gives the same number of the same type, or raises the same error."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            expected = threshold_otsu(*args, **kwargs)
        except Exception as error:
            with pytest.raises(type(error)) as raised:
                gpu(threshold_otsu, *args, **kwargs)
            # NumPy's minimum of 0.0 and -0.0 is either
            assert str(raised.value).replace("-0.0", "0.0") == str(error).replace("-0.0", "0.0")
            return
        result = gpu(threshold_otsu, *args, **kwargs)
    assert type(result) is type(expected)
    np.testing.assert_array_equal(result, expected)


@st.composite
def any_image(draw, special=()):
    dtype = draw(st.sampled_from(DTYPES))
    image = draw(images(draw(shapes), dtype, special=special))
    if dtype[-2:] in ("32", "64") and dtype not in FLOATS:
        image = np.asarray(image % image.dtype.type(1000))  # wide ranges have a test of their own
    return image


@given(any_image(), st.sampled_from([256, 1, 2, 100, 1000, np.int64(50)]))
@settings(max_examples=150)
def test_any_image(gpu, image, nbins):
    same(gpu, image, nbins)


@given(any_image(special=(np.nan, np.inf, 0.0, -0.0)))
@settings(max_examples=60)
def test_images_that_are_not_finite(gpu, image):
    same(gpu, image)


@pytest.mark.parametrize("nbins", [1, 2, 3, 255, 256, 1023, 10_000, 12_289, 70_000])
@pytest.mark.parametrize("dtype", FLOATS)
def test_photograph_in_any_number_of_bins(gpu_of_each_kind, dtype, nbins):
    same(gpu_of_each_kind, (data.camera() / 255).astype(dtype), nbins)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("photograph", [data.camera, data.coins])
def test_photograph_in_any_dtype(gpu_of_each_kind, photograph, dtype):
    image = photograph()
    same(gpu_of_each_kind, image > 90 if dtype == "bool" else (image // 2).astype(dtype))


def test_gray_astronaut(gpu_of_each_kind):
    same(gpu_of_each_kind, color.rgb2gray(data.astronaut()))


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("bins", [7, 256, 300])
@pytest.mark.parametrize(("low", "high"), [(0, 1), (-3, 0.1), (100, 130), (1000, 1500), (0, 1e-3)])
def test_values_on_the_edges_of_bins(gpu, dtype, bins, low, high):
    """Where a bin is decided by the last bit: each edge and its two neighbours."""
    edges = np.linspace(low, high, bins + 1).astype(dtype)
    up, down = dtype_next(edges, np.inf), dtype_next(edges, -np.inf)
    weights = np.arange(edges.size) % 5  # makes the threshold depend on every bin
    image = np.concatenate([np.repeat(values, weights) for values in (edges, up, down)])
    same(gpu, image, bins)


def dtype_next(values, towards):
    return np.nextafter(values, values.dtype.type(towards))


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("bins", [7, 256, 300])
@pytest.mark.filterwarnings("ignore:overflow", "ignore:invalid value")  # in float16
def test_counts_are_those_of_numpy_histogram(gpu, dtype, bins, monkeypatch):
    """A threshold forgives a pixel in a wrong bin; this does not."""
    from skimage_gpu_backend.functions.filters import thresholds as _thresholding

    seen = []
    original = _thresholding.search
    monkeypatch.setattr(
        _thresholding, "search", lambda *a, **k: seen.append(a) or original(*a, **k)
    )
    rng = np.random.default_rng(5)
    for low, high in [(0, 1), (-3, 0.1), (1000, 1500), (-60000, 3), (0, 3e-5)]:
        edges = np.linspace(low, high, bins + 1).astype(dtype)
        image = np.concatenate(
            [edges, dtype_next(edges, np.inf), dtype_next(edges, -np.inf), rng.choice(edges, 500)]
        )
        image = np.append(image, rng.uniform(low, high, 5000).astype(dtype))
        try:
            counts, expected_edges = np.histogram(image, bins)
        except ValueError:  # too many bins for the range
            continue
        gpu(threshold_otsu, image, bins)
        centers = (expected_edges[:-1] + expected_edges[1:]) / 2
        np.testing.assert_array_equal(seen[-1][1], counts)
        np.testing.assert_array_equal(seen[-1][2], centers)
    assert seen


@pytest.mark.parametrize("dtype", DTYPES)
def test_constant_image_returns_its_value_in_its_dtype(gpu_of_each_kind, dtype):
    for value in (0, 1):
        same(gpu_of_each_kind, np.full((5, 70), value, dtype))


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, -0.0])
def test_constant_image_of_an_odd_value(gpu, value):
    same(gpu, np.full((5, 7), value))


@pytest.mark.parametrize("dtype", [d for d in INTEGERS if d.startswith("int")])
def test_negative_integers(gpu_of_each_kind, dtype):
    image = data.camera().astype(int) // 2 - 100
    same(gpu_of_each_kind, image.astype(dtype))
    same(gpu_of_each_kind, np.array([[-128, 127], [-128, -128]], dtype))


@pytest.mark.parametrize("dtype", ["int16", "uint16"])
def test_sixteen_bit_images_over_the_whole_range(gpu_of_each_kind, dtype):
    limits = np.iinfo(dtype)
    image = np.random.default_rng(1).integers(limits.min, limits.max, (300, 200), dtype)
    same(gpu_of_each_kind, image)


def test_integers_far_from_zero(gpu):
    image = data.camera().astype(np.int32) + 3_000_000
    same(gpu, image)


@pytest.mark.parametrize("dtype", ["int32", "int64", "uint32", "uint64"])
def test_integers_over_too_wide_a_range_are_left_to_the_host(gpu, dtype):
    image = np.array([[0, np.iinfo(dtype).max], [0, 5]], dtype)
    with pytest.raises(Declined, match="too large"):
        gpu(threshold_otsu, image)


def test_float_range_that_overflows_is_left_to_the_host(gpu):
    with pytest.raises(Declined, match="too far apart"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        gpu(threshold_otsu, np.array([-1.7e308, 0, 1.7e308]), 1)


@pytest.mark.parametrize("channels", [3, 4])
def test_color_image_warns_once(gpu, channels):
    image = data.astronaut()[..., [0, 1, 2, 0][:channels]]
    with pytest.warns(UserWarning) as expected:
        threshold = threshold_otsu(image)
    with pytest.warns(UserWarning) as told:
        assert gpu(threshold_otsu, image) == threshold
    assert [str(w.message) for w in told] == [str(w.message) for w in expected]


def test_bool_image_warns_as_numpy_does(gpu):
    image = data.camera() > 100
    with pytest.warns(RuntimeWarning) as expected:
        threshold_otsu(image)
    with pytest.warns(RuntimeWarning) as told:
        gpu(threshold_otsu, image)
    assert [str(w.message) for w in told] == [str(w.message) for w in expected]


def test_more_pixels_than_one_pass_of_the_grid(gpu):
    rng = np.random.default_rng(2)
    image = rng.normal(size=(1501, 1999)).astype(np.float32)
    same(gpu, image)
    same(gpu, (image * 20 + 128).clip(0, 255).astype(np.uint8))


@pytest.mark.parametrize(
    ("dtype", "launches", "passes"), [("uint8", 1, 1), ("uint16", 2, 2), ("float32", 2, 2)]
)
def test_launches_and_passes_over_the_image(gpu, counting, dtype, launches, passes):
    image = data.camera().astype(dtype)
    with counting() as counts:
        gpu(threshold_otsu, image)
    assert counts.launches == launches
    is_float = (
        dtype == "float32"
    )  # of which the range is read, from the device, and told with the counts
    assert counts.kernel_bytes_read == passes * image.nbytes + 12 * is_float
    assert counts.to_host == (1 if is_float else launches)
    if is_float:
        assert counts.bytes_to_host == 256 * 8 + 16
    else:
        assert counts.bytes_to_host <= 256 * 8 + 3 * image.itemsize


SMALL = np.linspace(0, 1, 30).reshape(5, 6)


@pytest.mark.parametrize("hist", [np.arange(9), (np.arange(9), np.arange(9))])
def test_given_histogram_is_left_to_scikit_image(gpu, hist):
    reason = "hist is given, after which little is left to compute; nothing to change"
    assert gpu.declined(threshold_otsu, SMALL, hist=hist) == reason


def test_empty_image_is_refused_by_scikit_image(gpu):
    with pytest.raises(IndexError):
        threshold_otsu(SMALL[:0])
    assert gpu.invalid(threshold_otsu, SMALL[:0])


@pytest.mark.parametrize("nbins", [0, -3])
def test_no_bins_are_refused_by_scikit_image(gpu, nbins):
    with pytest.raises(ValueError):
        threshold_otsu(SMALL, nbins)
    assert gpu.declined(threshold_otsu, SMALL, nbins)  # an image of equal elements needs none


@pytest.mark.parametrize("nbins", ["auto", [0, 0.5, 1], 2.0])
def test_bins_that_are_no_number_are_left_to_scikit_image(gpu, nbins):
    reason = gpu.declined(threshold_otsu, SMALL, nbins)
    assert reason == f"nbins={nbins!r} is not an integer; give one, as 256"


def test_nbins_is_not_looked_at_for_integers(gpu):
    image = np.arange(30, dtype=np.uint8)
    assert gpu(threshold_otsu, image, None) == threshold_otsu(image, None)


@pytest.mark.parametrize("image", [np.zeros((4, 5), bool), np.ones((4, 5), bool)])
def test_a_boolean_image_of_one_value_has_no_histogram_that_warns(gpu_of_each_kind, image):
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        assert gpu_of_each_kind(threshold_otsu, image) == threshold_otsu(image)
