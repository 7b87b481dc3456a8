"""skimage.exposure's point functions on the device give scikit-image's numbers."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from skimage import data, exposure, util

from skimage_gpu_backend import simulator
from skimage_gpu_backend.trouble import Declined

from .images import DTYPES, images, shapes

RNG = np.random.default_rng(6)
SMALL = ("bool", "int8", "uint8", "int16", "uint16", "float16", "float32", "float64")
CURVES = [
    (exposure.adjust_gamma, {}),
    (exposure.adjust_gamma, {"gamma": 2.2, "gain": 0.7}),
    (exposure.adjust_gamma, {"gamma": 0}),
    (exposure.adjust_log, {}),
    (exposure.adjust_log, {"gain": 0.4, "inv": True}),
    (exposure.adjust_sigmoid, {}),
    (exposure.adjust_sigmoid, {"cutoff": 0.2, "gain": 4, "inv": True}),
]
ADJUST = [exposure.adjust_gamma, exposure.adjust_log, exposure.adjust_sigmoid]


def agree(gpu, function, image, *args, **kwargs):
    """scikit-image's result, equal but for the last bits of float and double."""
    with warnings.catch_warnings(record=True) as expected_warnings:
        warnings.simplefilter("always")
        try:
            expected = function(image, *args, **kwargs)
        except ValueError as error:
            with pytest.raises(ValueError, match=str(error)):
                gpu(function, image, *args, **kwargs)
            return
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        result = gpu(function, image, *args, **kwargs)
    users = [
        [str(w.message) for w in given if w.category is UserWarning]
        for given in (told, expected_warnings)
    ]
    assert users[0] == users[1]
    assert type(result) is type(expected)
    assert result.dtype == expected.dtype
    if result.dtype.kind != "f" or image.dtype.char == "e" or not result.size:
        np.testing.assert_array_equal(result, expected)
        return
    finite = np.asarray(expected)[np.isfinite(expected)]
    span = np.ptp(finite) or abs(finite[0]) if finite.size else 0
    bound = (1e-5 if result.dtype == np.float32 else 1e-10) * span
    np.testing.assert_allclose(result, expected, rtol=0, atol=bound)


def photograph(dtype):
    image = data.camera()[:181, :203]
    if dtype == "bool":
        return image > 90
    if np.dtype(dtype).kind == "f":
        return (image / 255).astype(dtype)
    return (image.astype(int) * (np.iinfo(dtype).max // 255) // 2).astype(dtype)


@st.composite
def any_image(draw, dtypes, special=()):
    return draw(images(draw(shapes), draw(st.sampled_from(dtypes)), special=special))


@pytest.mark.parametrize("dtype", SMALL)
@pytest.mark.parametrize(("function", "parameters"), CURVES)
def test_photograph_through_each_curve(gpu_of_each_kind, function, parameters, dtype):
    agree(gpu_of_each_kind, function, photograph(dtype), **parameters)


@given(any_image(SMALL, special=(np.nan, np.inf, -0.0)), st.sampled_from(CURVES))
@settings(max_examples=60, deadline=None)
def test_any_image_through_a_curve(gpu, image, call):
    function, parameters = call
    agree(gpu, function, image, **parameters)


@pytest.mark.parametrize("function", ADJUST)
@pytest.mark.parametrize("dtype", ["int8", "int16", "float16", "float32", "float64"])
def test_one_negative_pixel_is_refused(gpu_of_each_kind, function, dtype):
    image = np.abs(photograph(dtype))
    image[-1, -1] = -1 if image.dtype.kind == "i" else -1e-5
    with pytest.raises(ValueError, match="only on images with non-negative values"):
        gpu_of_each_kind(function, image)


@pytest.mark.parametrize("function", ADJUST)
def test_wide_integers_are_declined(gpu, function):
    assert "last bits" in gpu.declined(function, np.ones((3, 4), np.uint32))
    assert gpu.declined(function, np.ones((3, 4)), np.ones(4)).endswith("is not a number")


def test_negative_gamma_is_refused_by_scikit_image(gpu):
    assert gpu.invalid(exposure.adjust_gamma, np.ones((3, 4)), -1)


def test_tables_follow_the_type_of_a_parameter(gpu):
    """scikit-image computes float16 in float where gamma is a NumPy scalar."""
    image = photograph("float16")
    for gamma in (0.3, np.float32(0.3), np.float64(0.3), 1, True, 1.0):
        agree(gpu, exposure.adjust_gamma, image, gamma)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    "ranges",
    [
        {},
        {"in_range": (0.1, 0.7)},
        {"in_range": (10, 100), "out_range": (0, 1)},
        {"in_range": "dtype", "out_range": "uint8"},
        {"out_range": "float32"},
        {"out_range": np.uint16},
        {"out_range": "image"},
        {"in_range": "uint10", "out_range": "uint12"},
        {"in_range": (5, 5), "out_range": (0.2, 3)},
        {"in_range": (100, 3)},
    ],
    ids=str,
)
def test_photograph_rescaled(gpu, gpu_of_each_kind, dtype, ranges):
    image = photograph(dtype)
    if gpu._decide(exposure.rescale_intensity, (image,), ranges):
        agree(gpu_of_each_kind, exposure.rescale_intensity, image, **ranges)
    else:  # to 64-bit integers, and a range of float16 taken twice
        assert image.dtype.itemsize == 8 or (dtype, ranges) == ("float16", {"out_range": "image"})


@given(
    any_image(DTYPES),
    st.sampled_from(["image", "dtype", (0, 1), (-5.5, 70), "uint8"]),
    st.sampled_from(["dtype", (0, 1), (3, -2.5), "float64"]),
)
@settings(max_examples=100, deadline=None)
def test_any_image_rescaled(gpu, image, in_range, out_range):
    if gpu._decide(exposure.rescale_intensity, (image, in_range, out_range), {}):
        agree(gpu, exposure.rescale_intensity, image, in_range, out_range)


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "uint16", "int32", "uint32"])
def test_every_integer_is_rescaled_to_the_same_integer(gpu, dtype):
    limits = np.iinfo(dtype)
    image = np.linspace(limits.min, limits.max, 66_000).astype(dtype)
    for ranges in ({}, {"in_range": (3, 77)}, {"in_range": "dtype", "out_range": "uint8"}):
        agree(gpu, exposure.rescale_intensity, image, **ranges)


def test_signed_images_keep_zero_where_nothing_is_negative(gpu):
    for lowest in (-40, 0, 5):
        image = np.arange(lowest, 100, dtype=np.int16)
        agree(gpu, exposure.rescale_intensity, image)
        agree(gpu, exposure.rescale_intensity, image.astype(np.int8))


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_nan_is_told_of(gpu, dtype):
    image = photograph(dtype)
    image[3, 4] = np.nan
    agree(gpu, exposure.rescale_intensity, image)
    with pytest.raises(Declined, match="cannot be rescaled"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        gpu(exposure.rescale_intensity, image, out_range="uint8")


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
    st.sampled_from([0, 5, 1 << 16]),
)
@settings(max_examples=120, deadline=None)
def test_percentiles_are_numpys(gpu, image, percentile, few):
    import cupy as cp

    from skimage_gpu_backend.ops import _contrast, _select

    with pytest.MonkeyPatch.context() as patch, np.errstate(all="ignore"):
        patch.setattr(_select, "_FEW", few)  # elements that are gathered
        found = _contrast.percentiles_of(cp.asarray(image), [percentile, 99])
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


@pytest.mark.parametrize(
    ("function", "dtype", "launches", "reads", "to_host"),
    [
        (exposure.adjust_gamma, "uint8", 1, 1, 0),
        (exposure.adjust_gamma, "float32", 1, 1, 1),
        (exposure.adjust_sigmoid, "float64", 1, 1, 1),
        (exposure.adjust_log, "uint16", 1, 1, 0),
        (exposure.rescale_intensity, "uint8", 2, 2, 0),
        (exposure.rescale_intensity, "uint16", 2, 2, 0),
        (exposure.rescale_intensity, "float32", 2, 2, 1),
        (exposure.is_low_contrast, "uint8", 1, 1, 1),
        (exposure.is_low_contrast, "uint16", 2, 2, 2),
        (exposure.is_low_contrast, "float16", 2, 2, 2),
        (exposure.is_low_contrast, "float32", 2, 2, 2),
    ],
)
def test_launches_and_passes_over_the_image(
    gpu, counting, function, dtype, launches, reads, to_host
):
    import cupy as cp

    image = cp.asarray(photograph(dtype))
    gpu(function, image)
    with counting() as counts:
        gpu(function, image)
    assert counts.launches == launches
    assert counts.to_host == to_host
    tables = 65536 * 2 if dtype == "uint16" and function in ADJUST else 300
    assert counts.kernel_bytes_read <= reads * image.nbytes + tables


@pytest.mark.parametrize(
    ("function", "dtype", "arguments"),
    [
        (exposure.adjust_gamma, "uint8", (2.2,)),
        (exposure.adjust_log, "float32", ()),
        (exposure.rescale_intensity, "float32", ((0.1, 0.9),)),
        (util.img_as_ubyte, "float32", ()),
        (util.img_as_float32, "int16", ()),
    ],
)
def test_transposed_images_are_not_copied(gpu, counting, function, dtype, arguments):
    import cupy as cp

    image = photograph(dtype)
    transposed = cp.asarray(image).T
    with counting() as counts:
        result = gpu(function, transposed, *arguments)
    assert counts.launches == 1
    expected = function(image.T, *arguments)
    assert result.strides == expected.strides
    np.testing.assert_allclose(result.get(), expected, rtol=1e-5)


def test_given_ranges_take_one_launch(gpu, counting):
    import cupy as cp

    image = cp.asarray(photograph("float32"))
    with counting() as counts:
        gpu(exposure.rescale_intensity, image, (0.1, 0.9), (0, 1))
    assert counts.launches == 1
    assert counts.to_host == 0


@pytest.mark.parametrize("order", ["forward", "backward", "shuffled"])
def test_real_blocks_give_the_same(gpu, monkeypatch, strict, order):
    for module in ("_points", "_reduce"):
        monkeypatch.setattr(f"skimage_gpu_backend.ops.{module}.resident_blocks", lambda _: 2)
    with simulator.thread_order(order):
        for dtype in ("uint8", "int16", "float32"):
            image = photograph(dtype)
            agree(gpu, exposure.adjust_gamma, image, 2.2)
            agree(gpu, exposure.rescale_intensity, image)
            agree(gpu, exposure.rescale_intensity, image, (0, 100), (0, 1))
            for fraction in (0.3, 0.4, 0.5):
                expected = exposure.is_low_contrast(image, fraction)
                assert gpu(exposure.is_low_contrast, image, fraction) == expected
