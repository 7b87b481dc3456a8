"""skimage.metrics on the device gives scikit-image's numbers."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from skimage import data, img_as_float32, metrics

import cuda_simulator
from tests.functions.images import DTYPES, FLOATS, images, shapes

IMAGE = np.ones((8, 9), np.float32)
ALL = [
    metrics.mean_squared_error,
    metrics.normalized_root_mse,
    metrics.peak_signal_noise_ratio,
]
RNG = np.random.default_rng(4)
NORMALIZATIONS = ("euclidean", "min-max", "mean", "Euclidean", "MIN-MAX")


def agree(result, expected, *, single=False):
    assert type(result) is type(expected)
    np.testing.assert_allclose(result, expected, rtol=1e-6 if single else 1e-12)


def both_single(*dtypes):
    return set(dtypes) <= {"float16", "float32"}


def quietly(function, *args, **kwargs):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function(*args, **kwargs)


@st.composite
def pairs(draw, special=()):
    dtype0 = draw(st.sampled_from(DTYPES))
    dtype1 = draw(st.sampled_from([dtype0, *DTYPES]))
    shape = draw(shapes)
    return tuple(draw(images(shape, dtype, special=special)) for dtype in (dtype0, dtype1))


@given(pairs())
@settings(max_examples=60)
def test_mean_squared_error_of_any_images(gpu, pair):
    result = gpu(metrics.mean_squared_error, *pair)
    single = both_single(*(image.dtype.name for image in pair))
    agree(result, metrics.mean_squared_error(*pair), single=single)


@given(pairs(special=(np.nan, np.inf, -np.inf, 0.0)), st.sampled_from(NORMALIZATIONS))
@settings(max_examples=100)
def test_normalized_root_mse_of_any_images(gpu, pair, normalization):
    arguments = {"normalization": normalization}
    result = quietly(gpu, metrics.normalized_root_mse, *pair, **arguments)
    expected = quietly(metrics.normalized_root_mse, *pair, **arguments)
    single = both_single(*(image.dtype.name for image in pair))
    if single and normalization == "mean" and np.isfinite(expected):
        # scikit-image averages in float32: what cancels there is lost
        mean = np.abs(np.mean(pair[0], dtype=np.float64))
        spread = np.mean(np.abs(pair[0]), dtype=np.float64)
        np.testing.assert_allclose(result, expected, rtol=1e-6 * spread / mean)
    else:
        agree(result, expected, single=single)


@given(pairs(special=(np.nan, 0.0)), st.sampled_from([None, None, 1, 255.0, np.uint8(200), True]))
@settings(max_examples=100)
def test_peak_signal_noise_ratio_of_any_images(gpu, pair, data_range):
    arguments = {"data_range": data_range}
    result = quietly(gpu, metrics.peak_signal_noise_ratio, *pair, **arguments)
    expected = quietly(metrics.peak_signal_noise_ratio, *pair, **arguments)
    agree(result, expected, single=both_single(*(image.dtype.name for image in pair)))


@pytest.mark.parametrize("dtype", DTYPES)
def test_photographs(gpu_of_each_kind, dtype):
    camera = data.camera()
    noisy = np.clip(camera + np.random.default_rng(3).normal(0, 9, camera.shape), 0, 255)
    if dtype in FLOATS:
        pair = camera / 255, noisy / 255
    elif dtype == "bool":
        pair = camera > 90, noisy > 90
    else:
        pair = camera // 3, noisy // 3
    pair = [image.astype(dtype) for image in pair]
    for function in (
        metrics.mean_squared_error,
        metrics.normalized_root_mse,
        metrics.peak_signal_noise_ratio,
    ):
        agree(gpu_of_each_kind(function, *pair), function(*pair), single=both_single(dtype))


def test_color_image_against_a_stored_copy_of_it_in_another_dtype(gpu_of_each_kind):
    image = data.astronaut()
    copy = img_as_float32(image)[:, :, ::-1]
    agree(
        gpu_of_each_kind(metrics.mean_squared_error, image, copy),
        metrics.mean_squared_error(image, copy),
    )


def test_large_integers_are_compared_in_double_precision(gpu):
    a = np.array([2**63 - 1, -(2**63), 2**53 + 1], np.int64)
    b = np.array([2**63 - 3, 2**63 - 1, 2**53], np.int64)
    agree(gpu(metrics.mean_squared_error, a, b), metrics.mean_squared_error(a, b))


def test_many_sixteen_bit_differences_do_not_overflow(gpu):
    a, b = np.zeros((600, 700), np.uint16), np.full((600, 700), 65535, np.uint16)
    agree(gpu(metrics.mean_squared_error, a, b), metrics.mean_squared_error(a, b))


def test_identical_images_give_infinity_and_the_warning_of_numpy(gpu):
    image = data.camera()
    with pytest.warns(RuntimeWarning, match="divide by zero") as told:
        result = gpu(metrics.peak_signal_noise_ratio, image, image)
    with pytest.warns(RuntimeWarning) as expected:
        agree(result, metrics.peak_signal_noise_ratio(image, image))
    assert [str(w.message) for w in told] == [str(w.message) for w in expected]


@pytest.mark.parametrize("normalization", ["euclidean", "min-max", "mean"])
def test_black_reference_gives_infinity_and_the_warning_of_numpy(gpu, normalization):
    black, image = np.zeros((20, 30), np.float32), np.ones((20, 30), np.float32)
    with pytest.warns(RuntimeWarning, match="divide by zero"):
        result = gpu(metrics.normalized_root_mse, black, image, normalization=normalization)
    assert result == np.inf


def test_mismatched_dtypes_warn_at_the_line_of_the_call(gpu):
    image = data.camera()
    with pytest.warns(UserWarning, match=r"mismatched dtype\.  Setting data_range") as told:
        gpu(metrics.peak_signal_noise_ratio, image, image.astype(np.uint16) + 1)
    assert len(told) == 1


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("value", [1.5, -1.5, np.inf])
def test_values_outside_the_range_of_the_dtype_raise(gpu, dtype, value):
    image = np.full((9, 11), 0.5, dtype)
    test = image.copy()
    image[4, 4] = value
    with pytest.raises(ValueError) as expected:
        metrics.peak_signal_noise_ratio(image, test)
    with pytest.raises(ValueError) as raised:
        gpu(metrics.peak_signal_noise_ratio, image, test)
    assert str(raised.value) == str(expected.value)


@pytest.mark.parametrize("values", [[np.nan, np.inf, 0.5], [0.5, np.inf, np.nan]])
def test_infinity_beside_nan_raises_nothing(gpu, values):
    image = np.array(values)
    assert np.isnan(quietly(metrics.peak_signal_noise_ratio, image, image))
    assert np.isnan(quietly(gpu, metrics.peak_signal_noise_ratio, image, image))


@pytest.mark.parametrize(
    ("function", "read_back"),
    [
        (metrics.mean_squared_error, 8),
        (metrics.normalized_root_mse, 16),
        (metrics.peak_signal_noise_ratio, 24),
    ],
)
@pytest.mark.parametrize("dtypes", [("float32", "float32"), ("float32", "uint8")])
def test_one_launch_reads_each_image_once(gpu, counting, function, read_back, dtypes):
    pair = [np.ones((128, 96), dtype) for dtype in dtypes]
    with counting() as counts:
        quietly(gpu, function, *pair)
    assert counts.launches == 1
    assert counts.kernel_bytes_read == sum(image.nbytes for image in pair)
    assert counts.to_device == 2
    assert (counts.to_host, counts.bytes_to_host) == (1, read_back)


def test_fortran_ordered_pair_is_not_copied(gpu, counting):
    pair = [np.asfortranarray(data.camera()[:90]) for _ in range(2)]
    with counting() as counts:
        gpu(metrics.mean_squared_error, *pair)
    assert counts.launches == 1


@pytest.mark.parametrize("function", ALL)
def test_different_shapes_are_refused_by_scikit_image(gpu, function):
    with pytest.raises(ValueError):
        function(IMAGE, IMAGE[:7])
    assert gpu.invalid(function, IMAGE, IMAGE[:7])


@pytest.mark.parametrize("function", ALL)
def test_empty_images_are_declined(gpu, function):
    assert gpu.declined(function, IMAGE[:0], IMAGE[:0]).endswith("are empty; nothing to change")


def test_unknown_normalization_is_refused_by_scikit_image(gpu):
    with pytest.raises(ValueError):
        metrics.normalized_root_mse(IMAGE, IMAGE, normalization="median")
    assert gpu.invalid(metrics.normalized_root_mse, IMAGE, IMAGE, normalization="median")


@pytest.mark.parametrize("normalization", [None, 3])
def test_normalization_that_is_no_string_is_refused_by_scikit_image(gpu, normalization):
    with pytest.raises(AttributeError):
        metrics.normalized_root_mse(IMAGE, IMAGE, normalization=normalization)
    assert gpu.invalid(metrics.normalized_root_mse, IMAGE, IMAGE, normalization=normalization)


@pytest.mark.parametrize("data_range", ["255", [1], 1j])
def test_data_range_that_is_no_number_is_declined(gpu, data_range):
    reason = gpu.declined(metrics.peak_signal_noise_ratio, IMAGE, IMAGE + 1, data_range=data_range)
    assert reason == f"data_range={data_range!r} is not a number; give one, as 255"


@pytest.mark.parametrize("data_range", [2, 2.0, np.float32(2), np.uint8(2), np.array(2.0), True])
def test_data_range_may_be_any_number(gpu, data_range):
    result = gpu(metrics.peak_signal_noise_ratio, IMAGE, IMAGE + 1, data_range=data_range)
    expected = metrics.peak_signal_noise_ratio(IMAGE, IMAGE + 1, data_range=data_range)
    np.testing.assert_allclose(result, expected, rtol=1e-6)


@pytest.fixture(params=[1, 3])
def blocks(request, monkeypatch, strict):
    """Real blocks, few of them, so that the last one has partial results to combine."""
    monkeypatch.setattr(
        "skimage_gpu_backend.primitives.reduce.resident_blocks", lambda _: request.param
    )


def results(gpu, function, *args, **kwargs):
    for order in ("forward", "backward", "shuffled"):
        with cuda_simulator.thread_order(order):
            yield gpu(function, *args, **kwargs)


@pytest.mark.usefixtures("blocks")
@pytest.mark.parametrize("shape", [(1,), (3, 5), (1024,), (173, 301)])
@pytest.mark.filterwarnings("ignore:divide by zero")  # one pixel has no range
@pytest.mark.parametrize("dtypes", [("float32",) * 2, ("uint8",) * 2, ("float64", "float16")])
def test_sums_are_the_same_to_the_last_bit(gpu, shape, dtypes):
    pair = [(100 * RNG.random(shape) + 1).astype(dtype) for dtype in dtypes]
    for normalization in ("euclidean", "min-max", "mean"):
        arguments = {"normalization": normalization}
        expected = metrics.normalized_root_mse(*pair, **arguments)
        found = set(results(gpu, metrics.normalized_root_mse, *pair, **arguments))
        assert len(found) == 1
        np.testing.assert_allclose(found.pop(), expected, rtol=1e-6)
