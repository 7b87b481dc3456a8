"""Histograms of skimage.exposure and what is made of them, on the device."""

import functools
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cuda_simulator
from skimage_gpu_backend.trouble import Declined
from tests.functions.images import DTYPES, images, shapes

from .levels import AXES, DISTRIBUTION, EQUALIZE, HISTOGRAM, MATCH, color, photograph, same


@st.composite
def any_image(draw):
    dtype = draw(st.sampled_from(DTYPES))
    image = draw(images(draw(shapes), dtype))
    if dtype[-2:] in ("32", "64") and not dtype.startswith("float"):
        image = np.asarray(image % image.dtype.type(1000))
    return image


@given(any_image(), st.sampled_from([256, 1, 3, 100, np.int64(50)]))
@settings(max_examples=40)
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


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("scale", [1e-320, 1e-42, 1e-6, 0.3, 1.0, 7.7, 3e4, 1e30])
def test_bins_of_any_range(gpu, dtype, scale):
    """They are NumPy's, made on the device from the least and the largest value."""
    rng = np.random.default_rng(5)
    for low, bins in ((0, 256), (-0.7, 256), (-1, 7), (13, 300), (1.5, 1)):
        with np.errstate(over="ignore"):
            image = ((low + rng.random((40, 50))) * scale).astype(dtype)
        image[:4] = np.linspace(image.min(), image.max(), bins + 1, dtype=dtype)[
            rng.integers(0, bins + 1, (4, 50))
        ]
        try:
            with np.errstate(invalid="ignore"):
                HISTOGRAM(image, bins)
        except ValueError:  # too many bins, or infinite numbers
            continue
        same(gpu, HISTOGRAM, image, bins)


@pytest.mark.parametrize(("dtype", "most"), [("float32", 6143), ("float64", 4095)])
def test_edges_that_a_block_has_room_for_take_one_copy(gpu, counting, dtype, most):
    import cupy as cp

    image = photograph(dtype)
    for bins, copies in ((most, 1), (most + 1, 2)):
        with counting() as counts:
            found = gpu(DISTRIBUTION, cp.asarray(image), bins)
        assert counts.to_host == copies
        for each, expected in zip(found, DISTRIBUTION(image, bins), strict=True):
            np.testing.assert_array_equal(each.get(), expected)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_no_bins_of_what_is_not_finite(gpu, value):
    image = photograph("float32")
    image[3, 4] = value
    for call in (HISTOGRAM, functools.partial(gpu, HISTOGRAM)):
        with pytest.raises(ValueError, match="not finite"):
            call(image)


def test_calls_that_are_left_to_others(gpu):
    image, floats = photograph("uint8"), photograph("float32")
    assert "differ in dtype" in gpu.declined(MATCH, floats, photograph("float64"))
    halves = color("float16")
    assert "float16" in gpu.declined(MATCH, halves, halves, channel_axis=-1)
    assert "in one dtype" in gpu.declined(MATCH, color("int8"), color("uint8"), channel_axis=2)
    assert "sign" in gpu.declined(MATCH, image, photograph("int16"))
    assert "channel_axis=(2,) is not an integer" in gpu.declined(
        HISTOGRAM, color("uint8"), channel_axis=(2,)
    )
    planes = color("uint8", "planes")
    assert "by its name" in gpu.declined(HISTOGRAM, image=planes, channel_axis=0)
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


@pytest.mark.parametrize(("blocks", "order"), [(1, "forward"), (3, "backward"), (3, "shuffled")])
def test_real_blocks_in_any_order(gpu, monkeypatch, strict, blocks, order):
    monkeypatch.setattr("skimage_gpu_backend.primitives.reduce.resident_blocks", lambda _: blocks)
    monkeypatch.setattr("skimage_gpu_backend.primitives.points.resident_blocks", lambda _: blocks)
    with cuda_simulator.thread_order(order):
        image = color("uint8")[:41, :53]
        same(gpu, HISTOGRAM, image, channel_axis=-1)
        same(gpu, HISTOGRAM, image / 200, 30, channel_axis=1, source_range="dtype")
        same(gpu, MATCH, image, image[::-1, 2:], channel_axis=-1)
        same(gpu, MATCH, image / 7, image[::-1, 2:] / 6, channel_axis=-1, bound=1e-11)
        same(gpu, EQUALIZE, image[..., 0] / 7, 1030, bound=1e-13)
        same(gpu, EQUALIZE, image[..., 0].astype(np.float32), bound=1e-6)
