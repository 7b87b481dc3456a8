"""The measure of blur of an image on the device is scikit-image's."""

import functools

import numpy as np
import pytest
from scipy import ndimage as ndi
from skimage import data
from skimage.filters import sobel
from skimage.measure import blur_effect

from skimage_gpu_backend.device.source import kernel_source
from skimage_gpu_backend.functions.measure.blur_effect import _edge
from skimage_gpu_backend.primitives.gaussian import WEIGHT, split
from tests.functions.filter_agreement import quietly
from tests.functions.images import DTYPES, low_contrast, noise

RNG = np.random.default_rng(3)
LEAST = np.finfo(float).eps
EDGES = """
// edges of n elements; sure: whether float was enough
template <int TAPS>
__global__ void tell_edges(const float* x, const i64* offsets, const Weight* weights, float* edges,
                         bool* sure, int n, int taps, float rough) {
    const Taps<TAPS, Weight> filter(offsets, weights, taps);
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        sure[i] = edge_in_floats(edges[i], x + i, filter, rough);
}
"""


def same(run, image, *args, **kwargs):
    expected, result = blur_effect(image, *args, **kwargs), run(blur_effect, image, *args, **kwargs)
    assert type(result) is type(expected)
    digits = 1e-6 if image.dtype.char in "ef" else 1e-10
    np.testing.assert_allclose(result, expected, rtol=0, atol=digits)
    return expected


@pytest.mark.thorough
@pytest.mark.parametrize("dtype", [dtype for dtype in DTYPES if dtype != "float16"])
def test_any_dtype_number_of_axes_and_size(gpu_of_each_kind, dtype):
    for shape in ((41,), (31, 44), (4, 4), (9, 10, 8), (5, 4, 6, 5)):
        image = noise(RNG, shape, dtype)
        for size in (11, 2, 3, 40):
            same(gpu_of_each_kind, image, size, reduce_func=None)


def test_large_integers_have_no_edges_that_count(gpu):
    """scikit-image divides by the largest integer, and knows no smaller edges than 2.2e-16."""
    for dtype in ("int64", "uint64"):
        assert same(gpu, RNG.integers(0, 100, (30, 40)).astype(dtype)) == 1
        same(gpu, RNG.integers(0, 2**63, (30, 40), dtype, endpoint=False))


def test_images_without_edges_and_with_small_ones(gpu):
    assert same(gpu, np.full((20, 30), 0.7)) == 1
    for scale in (1e-16, 1e-14, 1e5):
        for dtype in ("float32", "float64"):
            same(gpu, (RNG.random((40, 50)) * scale).astype(dtype), reduce_func=None)


@pytest.mark.thorough
def test_photographs_in_grey_and_colour(gpu_of_each_kind):
    image = data.astronaut()[100:180, 120:210]
    for colour in (image, image.astype("float32"), image / np.float16(256), image > 90):
        for axis in range(3):
            same(gpu_of_each_kind, np.moveaxis(colour, 2, axis), channel_axis=axis)
            same(gpu_of_each_kind, np.moveaxis(colour, 2, axis), channel_axis=axis - 3)
    same(gpu_of_each_kind, image[..., 1], 7)
    same(gpu_of_each_kind, np.dstack([image, image]))  # of three axes


def test_functions_that_reduce_get_a_list_of_numbers(gpu_of_each_kind):
    image = noise(RNG, (20, 30, 9))
    for function in (np.max, np.mean, max, min, sum, len, list, sorted, lambda found: found[1]):
        same(gpu_of_each_kind, image, reduce_func=function)
    with pytest.raises(ZeroDivisionError):
        gpu_of_each_kind(blur_effect, image, reduce_func=lambda found: 1 / 0)


def test_values_that_are_not_finite_reach_what_they_reach_in_scikit_image(gpu):
    for value in (np.nan, np.inf):
        for place in ((0, 9), (1, 0), (15, 20), (29, 39), (12, 0), (29, 5)):
            for size in (2, 3, 11):
                image = noise(RNG, (30, 40), "float32")
                image[place] = value
                with np.errstate(all="ignore"):
                    same(gpu, image, size, reduce_func=None)


def single(shape):
    """Images of single precision, of values that are simple and of those that are not."""
    grey, normal = RNG.integers(0, 256, shape), RNG.normal(size=shape)
    return {
        "grey": grey / 255,
        "few digits": grey // 64 / 4,
        "noise": RNG.random(shape),
        "flat": np.where(normal > 2.5, 1, 0.7),
        "steep": 1 + grey * 2.0**-23,
        "spread": normal * 2.0 ** RNG.integers(-12, 12, shape),
        "huge": normal * 1e36,
        "wild": normal * 10.0 ** RNG.integers(-30, 30, shape),
        "faint": normal * 1e-16,
        "tiny": normal * 1e-38,
        "subnormal": normal * 1e-44,
    }


LOOKS = list(single(()))
EXACT = LOOKS[:5]


@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize(("axes", "unrolled"), [(1, 0), (2, 6), (2, 0), (3, 0)])
def test_edges_in_floats_are_those_in_double(strict, look, axes, unrolled):
    """Ties included, which images of few digits often have."""
    import cupy as cp

    weights, n = _edge(0, axes)[1], 1 << 14
    x = single((len(weights), n))[look].astype("f4")
    total = np.zeros(n)
    for element, weight in zip(x.astype(float), weights, strict=True):
        total = total + element * weight
    expected = np.maximum(np.abs(total.astype("f4")), np.float32(LEAST))

    name = f"tell_edges<{unrolled}>"
    code = kernel_source("measure/blur.cu") + EDGES
    module = cp.RawModule(code=code, options=("-std=c++17",), name_expressions=(name,))
    edges, sure = cp.zeros(n, "f4"), cp.zeros(n, bool)
    offsets = cp.asarray(np.arange(len(weights)) * n)
    arrays = cp.asarray(x), offsets, cp.asarray(split(weights, WEIGHT).view(float)), edges, sure
    rough = np.float32(2.0 ** np.ceil(np.log2(len(weights))))
    numbers = np.int32(n), np.int32(len(weights)), rough
    module.get_function(name)((4,), (128,), (*arrays, *numbers))
    sure = cp.asnumpy(sure)
    np.testing.assert_array_equal(cp.asnumpy(edges)[sure], expected[sure])
    assert look not in EXACT or sure.all()
    assert look in ("huge", "wild") or sure.mean() > 0.99


def sums(image, size):
    """The measures of edges of single precision, added up in double."""
    weights, inside, found = np.full(size, 1 / size), (slice(2, -1),) * image.ndim, []
    for axis in range(image.ndim):
        along = weights.reshape([-1 if a == axis else 1 for a in range(image.ndim)])
        blurred = ndi.correlate(image, along)
        sharp, left = (
            np.maximum(np.abs(sobel(each, axis=axis)), LEAST, dtype=float)[inside]
            for each in (image, blurred)
        )
        found.append(1 - np.maximum(0, sharp - left).sum() / sharp.sum())
    return found


@pytest.mark.parametrize("shape", [(200,), (40, 70), (9, 12, 20)], ids=str)
def test_single_precision_where_cards_are_slow_in_double(gpu, strict, shape):
    """No edge differs by its last bit."""
    images = single(shape) | (low_contrast() if len(shape) == 2 else {})
    for name, image in images.items():
        given = quietly(image.astype, "f4")
        for size in (11, 4):
            ours = gpu(blur_effect, given, size, reduce_func=None)
            np.testing.assert_allclose(ours, sums(given, size), rtol=0, atol=2e-14, err_msg=name)


def test_not_finite_where_cards_are_slow_in_double(gpu, strict):
    for value in (np.nan, np.inf, 3e38):
        image = noise(RNG, (30, 40), "float32")
        image[15, 20] = value
        quietly(functools.partial(same, gpu), image, 3, reduce_func=None)


def test_what_is_refused_is_left_to_scikit_image(gpu):
    image = noise(RNG, (20, 30))
    assert gpu.invalid(blur_effect, image, 0)
    assert gpu.invalid(blur_effect, image.astype("float16"))
    assert gpu.invalid(blur_effect, image, channel_axis=-1)
    assert gpu.invalid(blur_effect, data.astronaut(), channel_axis=3)
    assert gpu.invalid(blur_effect, image, reduce_func=3)
    assert "inside" in gpu.declined(blur_effect, image[:3])
    assert "channel_axis" in gpu.declined(blur_effect, data.astronaut(), channel_axis=(2,))
    assert "h_size" in gpu.declined(blur_effect, image, 1e9)


def test_two_launches_for_each_axis(gpu, counting):
    import cupy as cp

    for image in (noise(RNG, (64, 80), "float32"), noise(RNG, (20, 24, 16))):
        on_device = cp.asarray(image)
        with counting() as counts:
            gpu(blur_effect, on_device)
        assert counts.launches == 2 * image.ndim
        assert counts.kernel_bytes_read < 3.2 * image.ndim * image.nbytes
        assert counts.kernel_bytes_written < 1.2 * image.ndim * image.nbytes
