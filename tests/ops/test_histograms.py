"""Histograms of skimage.exposure and what is made of them, on the device."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from skimage import data, exposure

from skimage_gpu_backend import simulator
from skimage_gpu_backend.trouble import Declined

from .images import DTYPES, images, shapes

EQUALIZE, MATCH = exposure.equalize_hist, exposure.match_histograms
DISTRIBUTION = exposure.cumulative_distribution
HISTOGRAM = exposure.histogram


def same(gpu, function, *args, bound=0.0, **kwargs):
    """The device gives the same arrays."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = function(*args, **kwargs)
        result = gpu(function, *args, **kwargs)
    assert type(result) is type(expected)
    pairs = zip(result, expected, strict=True) if type(result) is tuple else [(result, expected)]
    for actual, wanted in pairs:
        assert actual.dtype == wanted.dtype
        assert actual.shape == wanted.shape
        np.testing.assert_allclose(actual, wanted, rtol=0, atol=bound)


def photograph(dtype, crop=np.s_[:]):
    image = (data.camera() // 2)[crop]
    if dtype == "bool":
        return image > 60
    return (image / 128).astype(dtype) if dtype.startswith("float") else image.astype(dtype)


def color(dtype, layout="C"):
    image = (data.astronaut()[100:190, 200:301] // 2).astype(dtype)
    if dtype.startswith("float"):
        image /= 128
    return {
        "C": image,
        "F": np.asfortranarray(image),
        "planes": np.ascontiguousarray(np.moveaxis(image, -1, 0)),
        "middle": np.ascontiguousarray(np.moveaxis(image, -1, 1)),
        "strided": image[::-2, 1::3],
    }[layout]


AXES = {"C": -1, "F": 2, "planes": 0, "middle": 1, "strided": -1}


@st.composite
def any_image(draw):
    dtype = draw(st.sampled_from(DTYPES))
    image = draw(images(draw(shapes), dtype))
    if dtype[-2:] in ("32", "64") and not dtype.startswith("float"):
        image = np.asarray(image % image.dtype.type(1000))
    return image


@given(any_image(), st.sampled_from([256, 1, 3, 100, np.int64(50)]))
@settings(max_examples=40, deadline=None)
def test_any_image(gpu, image, nbins):
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            HISTOGRAM(image, nbins)
    except ValueError as error:
        assert "Too many bins" in str(error)
        return
    same(gpu, HISTOGRAM, image, nbins, normalize=True)
    same(gpu, DISTRIBUTION, image, nbins)
    if image.ndim:
        same(gpu, EQUALIZE, image, nbins, bound=1e-6 if image.dtype.char in "ef" else 1e-12)


@pytest.mark.parametrize("dtype", DTYPES)
def test_photograph_in_any_dtype(gpu_of_each_kind, dtype):
    for crop in (np.s_[200:400], np.s_[300:40:-3, ::2]):
        image = photograph(dtype, crop)
        same(gpu_of_each_kind, HISTOGRAM, image)
        same(gpu_of_each_kind, DISTRIBUTION, image, nbins=77)
        single = dtype in ("float16", "float32")
        same(gpu_of_each_kind, EQUALIZE, image, bound=1e-6 if single else 1e-14)


@pytest.mark.parametrize("dtype", ["uint8", "int8", "uint16", "int16", "float32", "float64"])
@pytest.mark.parametrize("normalize", [False, True])
def test_range_of_the_dtype(gpu_of_each_kind, dtype, normalize):
    image = photograph(dtype)
    if dtype.startswith("float"):
        image = 3 * image - 1.5
        image[3, 5] = np.nan
    arguments = {"source_range": "dtype", "normalize": normalize}
    same(gpu_of_each_kind, HISTOGRAM, image, **arguments)
    if image.dtype.itemsize <= 2:
        return
    image = np.stack([image[:64], image[200:264] - 1], axis=-1)
    same(gpu_of_each_kind, HISTOGRAM, image, 100, channel_axis=-1, **arguments)


@pytest.mark.parametrize("dtype", ["uint8", "int8", "uint16", "float16", "float64"])
@pytest.mark.parametrize("layout", AXES)
def test_channels(gpu, dtype, layout):
    image = color(dtype, layout)
    same(gpu, HISTOGRAM, image, channel_axis=AXES[layout])
    same(gpu, HISTOGRAM, image, 20, normalize=True, channel_axis=AXES[layout])


def test_more_channels_than_bins_in_shared_memory(gpu):
    image = np.random.default_rng(2).integers(0, 200, (40, 30, 90), np.uint8)
    same(gpu, HISTOGRAM, image, channel_axis=1)
    same(gpu, HISTOGRAM, (image / 7).astype(np.float32), 5000, channel_axis=2)
    same(gpu, MATCH, image, image[::-1, :, ::2], channel_axis=0 + 1)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("bins", [7, 256, 300])
def test_values_on_the_edges_of_bins_of_channels(gpu, dtype, bins):
    edges = np.linspace(-3, 0.1, bins + 1).astype(dtype)
    lower, upper = (np.nextafter(edges, edges.dtype.type(e))[1:-1] for e in (-np.inf, np.inf))
    image = np.concatenate([edges, lower, upper, np.repeat(edges, 3)])
    image = np.stack([image, image[::-1]])
    same(gpu, HISTOGRAM, image, bins, channel_axis=0)


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
    with pytest.raises(Declined, match="mask is empty"):
        gpu(EQUALIZE, image, mask=np.zeros(image.shape, bool))


@pytest.mark.parametrize("bins", [1, 2, 1024, 1025, 5000])
def test_equalizing_with_any_number_of_bins(gpu, bins):
    image = np.random.default_rng(2).normal(size=(173, 301))
    same(gpu, EQUALIZE, image, bins, bound=1e-13)


INTEGER_PAIRS = [
    ("uint8", "uint8"),
    ("uint8", "uint16"),
    ("int8", "uint8"),
    ("int16", "int16"),
    ("uint16", "uint32"),
    ("int32", "int8"),
    ("uint64", "uint8"),
    ("bool", "bool"),
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("dtype", "other"), INTEGER_PAIRS)
def test_matching_gray_images(gpu_of_each_kind, dtype, other):
    image = photograph(dtype)
    reference = photograph(other, np.s_[300:40:-3, ::2])
    if other[0] == "i":
        reference -= 70
    try:
        MATCH(image, reference)
    except TypeError:  # NumPy does not count 64 bits without a sign
        return
    same(gpu_of_each_kind, MATCH, image, reference, bound=1e-11)


@pytest.mark.parametrize("dtype", ["uint8", "int16", "int32"])
@pytest.mark.parametrize("layout", AXES)
def test_matching_channels(gpu, dtype, layout):
    image = color(dtype, layout)
    if dtype[0] == "i":
        image = image - image.dtype.type(90)
    for reference in (image[::-1, :1:-1] // 2, image.copy(), image[1:] + 5):
        if reference.shape[AXES[layout]] == image.shape[AXES[layout]]:
            same(gpu, MATCH, image, reference, channel_axis=AXES[layout])


FLOATS = [("float16", 1e-5), ("float32", 1e-5), ("float64", 1e-11)]


@pytest.mark.parametrize(("dtype", "bound"), FLOATS)
def test_matching_floats(gpu_of_each_kind, dtype, bound):
    rng = np.random.default_rng(6)
    few, reference = photograph(dtype), photograph(dtype, np.s_[300:40:-3, ::2]) ** 2
    many = rng.normal(size=(90, 101)).astype(dtype)
    for image, other in ((few, reference), (many, reference), (few, many), (many, many[:50] * 3)):
        same(gpu_of_each_kind, MATCH, image, other, bound=bound)


@pytest.mark.parametrize(("dtype", "bound"), FLOATS[1:])
@pytest.mark.parametrize("layout", AXES)
def test_matching_channels_of_floats(gpu, dtype, bound, layout):
    image = color(dtype, layout)
    reference = image[::-1] ** 2 if layout == "planes" else image[3::2] - 1
    same(gpu, MATCH, image, reference, channel_axis=AXES[layout], bound=bound)


def test_matching_sorts_both_images_and_takes_one_launch_more(gpu, counting):
    image = data.camera().astype(np.float32)
    with counting() as counts:
        result = gpu(MATCH, image, image[::-1] / 2)
    assert counts.launches == 3
    assert counts.kernel_bytes_read <= 5 * image.nbytes
    assert counts.kernel_bytes_written <= 3 * result.nbytes + 4


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_matching_with_what_is_not_finite_is_left_to_others(gpu, value):
    image, other = photograph("float32"), photograph("float32")
    other[3, 5] = value
    with pytest.raises(Declined, match="not finite"):
        gpu(MATCH, image, other)
    if np.isnan(value):
        with pytest.raises(Declined, match="not finite"):
            gpu(MATCH, other, image)
    else:
        same(gpu, MATCH, other, image, bound=1e-6)


def test_calls_that_are_left_to_others(gpu):
    image, floats = photograph("uint8"), photograph("float32")
    assert "another dtype" in gpu.declined(MATCH, floats, photograph("float64"))
    halves = color("float16")
    assert "float16" in gpu.declined(MATCH, halves, halves, channel_axis=-1)
    assert "dtypes" in gpu.declined(MATCH, color("int8"), color("uint8"), channel_axis=2)
    assert "sign" in gpu.declined(MATCH, image, photograph("int16"))
    assert "plain integer" in gpu.declined(HISTOGRAM, color("uint8"), channel_axis=(2,))
    planes = color("uint8", "planes")
    assert "by keyword" in gpu.declined(HISTOGRAM, image=planes, channel_axis=0)
    assert "another shape" in gpu.declined(EQUALIZE, image, mask=np.ones(512, bool))
    assert gpu.invalid(HISTOGRAM, image, source_range="no such")
    assert gpu.invalid(HISTOGRAM, floats, 0)
    assert gpu.invalid(MATCH, color("uint8"), color("uint8")[..., :2], channel_axis=-1)
    assert gpu.invalid(MATCH, image, color("uint8"))
    with pytest.raises(Declined, match="too large"):
        gpu(HISTOGRAM, np.array([0, 2**31 - 1], np.int32))


@pytest.mark.parametrize("function", [HISTOGRAM, DISTRIBUTION, EQUALIZE])
def test_image_that_may_be_color_warns(gpu, function):
    with pytest.warns(UserWarning, match="might be a color image"):
        gpu(function, color("uint8"))


BUDGETS = [
    (HISTOGRAM, "uint8", {}, 1, 1),
    (HISTOGRAM, "uint16", {}, 3, 2),
    (HISTOGRAM, "float32", {}, 2, 2),
    (DISTRIBUTION, "uint8", {}, 1, 1),
    (DISTRIBUTION, "float32", {}, 2, 2),
    (EQUALIZE, "uint8", {}, 2, 2),
    (EQUALIZE, "uint16", {}, 3, 3),
    (EQUALIZE, "float32", {}, 3, 3),
]


@pytest.mark.parametrize(("function", "dtype", "arguments", "launches", "reads"), BUDGETS)
def test_launches_and_passes_over_the_image(
    gpu, counting, function, dtype, arguments, launches, reads
):
    image = photograph(dtype)
    with counting() as counts:
        result = gpu(function, image, **arguments)
    assert counts.launches == launches
    bins = 3 * 256 * 8 + 257 * 4
    assert counts.kernel_bytes_read <= reads * image.nbytes + bins
    if function is EQUALIZE:
        assert counts.kernel_bytes_written <= result.nbytes + 2 * 256 * 8 + 1000


def test_matching_colors_takes_three_launches(gpu, counting):
    image = data.astronaut()
    with counting() as counts:
        gpu(MATCH, image, image[::-1] // 2, channel_axis=-1)
    assert counts.launches == 3
    assert counts.kernel_bytes_read <= 3 * image.nbytes + 3 * 256 * 8
    assert counts.kernel_bytes_written <= image.nbytes + 2 * 3 * 256 * 8


@pytest.mark.parametrize(("blocks", "order"), [(1, "forward"), (3, "backward"), (3, "shuffled")])
def test_real_blocks_in_any_order(gpu, monkeypatch, strict, blocks, order):
    monkeypatch.setattr("skimage_gpu_backend.primitives.reduce.resident_blocks", lambda _: blocks)
    monkeypatch.setattr("skimage_gpu_backend.ops._points.resident_blocks", lambda _: blocks)
    with simulator.thread_order(order):
        image = color("uint8")[:41, :53]
        same(gpu, HISTOGRAM, image, channel_axis=-1)
        same(gpu, HISTOGRAM, image / 200, 30, channel_axis=1, source_range="dtype")
        same(gpu, MATCH, image, image[::-1, 2:], channel_axis=-1)
        same(gpu, MATCH, image / 7, image[::-1, 2:] / 6, channel_axis=-1, bound=1e-11)
        same(gpu, EQUALIZE, image[..., 0] / 7, 1030, bound=1e-13)
        same(gpu, EQUALIZE, image[..., 0].astype(np.float32), bound=1e-6)
