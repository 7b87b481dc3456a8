"""Sums in double that kernels make in floats: rounded they are the same, whatever the numbers.

In the simulator's strict mode, since in the fast one they are made in double.
"""

import os

import numpy as np
import pytest
from skimage import data
from skimage.feature import canny, hessian_matrix, structure_tensor
from skimage.filters import difference_of_gaussians, unsharp_mask

from skimage_gpu_backend.device.source import kernel_source
from skimage_gpu_backend.primitives.gaussian import WEIGHT, pair_taps, split
from tests.functions.filter_agreement import quietly

KERNEL = """
// sums: of count products each; sure: whether float was enough
__global__ void sums_of(const float* x, const Weight* weights, float* sums, bool* sure, int n,
                        int count, bool folded) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float size = 0, low = 0;
        u32 any = 0;
        for (int t = 0; t < count; ++t) size = fma(fabs(x[t * n + i]), weights[t].high, size);
        const float start = start_of(folded ? enlarged(size, count) : size);
        float high = start;
        for (int t = 0; t < count; ++t) {
            add_product(high, low, x[t * n + i], weights[t]);
            any |= __float_as_uint(x[t * n + i]);
            if (folded && t % FOLD == FOLD - 1) fold(high, low);
        }
        const float error = folded ? error_of_folded(count) : error_of(count);
        sure[i] = rounded_sum(sums[i], size, start, high, low, any, error);
    }
}
// the same of a centre and pairs of neighbours, or of their differences alone
__global__ void pairs_of(const float* x, const Weight* weights, float* sums, bool* sure, int n,
                         int radius, bool slope) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const auto before = [&](int t) { return slope ? -x[t * n + i] : x[t * n + i]; };
        const auto after = [&](int t) { return x[(2 * radius - t) * n + i]; };
        const float centre = slope ? 0 : x[radius * n + i];
        u32 any = __float_as_uint(centre);
        float size = fabs(centre) * weights[radius].high, low = 0;
        for (int t = 0; t < radius; ++t) {
            size = fma(fabs(after(t) + before(t)), weights[t].high, size);
            any |= __float_as_uint(after(t) + before(t));
        }
        const float start = start_of(enlarged(size, radius + 1));
        float high = start;
        add_product(high, low, centre, weights[radius]);
        for (int t = 0; t < radius; ++t) add_pair(high, low, after(t), before(t), weights[t]);
        sure[i] = rounded_sum(sums[i], size, start, high, low, any, error_of_pairs(radius + 1));
    }
}
__global__ void smoothed_of(const float* x, float* sums, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        sums[i] = smoothed_in_float(x[i], x[n + i], x[2 * n + i]);
}
"""
N = 1 << 14
# which a compiler may make 0, if it is asked to
SUBNORMAL = [] if os.environ.get("CUDA_SIMULATOR_ROUNDING") == "flush" else [1e-45, 1e-38]
RNG = np.random.default_rng(5)
Y, X = np.mgrid[:37, :83]
NOISE = RNG.normal(size=Y.shape)


def launched(name, *arguments):
    import cupy as cp

    code = kernel_source("common/float_sums.cuh") + KERNEL
    module = cp.RawModule(code=code, options=("-std=c++17",), name_expressions=(name,))
    module.get_function(name)((4,), (128,), arguments)


def weights_of(kind):
    """Weights of SciPy's Gaussian of this sigma, or of [1, 2, 1] / 4."""
    weights = np.array([0.25, 0.5, 0.25])
    if kind:
        taps = pair_taps(kind, None, 4.0, np.dtype(float))
        weights = taps["along_a"][: 2 * int(taps["radius_a"]) + 1]
    return weights, split(weights, WEIGHT)


def in_double(x, weights, sign=1):
    """SciPy's sum: the centre, then pairs from far to near; by -1 of differences alone."""
    radius = len(weights) // 2
    total = weights[radius] * x[radius].astype(float) * (sign > 0)
    for t in range(radius):
        total = total + weights[t] * (x[-1 - t].astype(float) + sign * x[t].astype(float))
    return total


def near_boundaries(x, weights, sign=1):
    """Changes elements until sums in double lie as near as can be between two floats."""
    chosen = range(len(weights)) if sign > 0 else range(len(weights) // 2 + 1, len(weights))
    for t in sorted(chosen, key=lambda t: -weights[t]):
        total = in_double(x, weights, sign)
        single = total.astype("f4")
        beside = np.nextafter(single, np.where(total > single, np.inf, -np.inf).astype("f4"))
        middle = (single.astype(float) + beside) / 2
        x[t] = (x[t] + (middle - total) / weights[t]).astype("f4")
    return x


KINDS = [None, 0.3, 0.5, 1, 2, 4]
LOOKS = ["positive", "signs", "powers", "cancelled", "boundaries"]


def elements(look, weights, sign=1):
    """Of N sums, a row for each weight."""
    x = RNG.random((len(weights), N)) + 0.5
    if look != "positive":
        x *= RNG.choice([-1, 1], x.shape)
    if look == "powers":
        x *= 2.0 ** RNG.integers(-40, 40, x.shape)
    x = x.astype("f4")
    if look == "cancelled":
        x[-1] = -sign * x[0] * (1 + RNG.integers(-2, 3, N) * np.float32(2**-23))
    return near_boundaries(x, weights, sign) if look == "boundaries" else x


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("folded", [False, True])
def test_sums_that_are_sure_are_those_in_double(strict, kind, look, folded):
    import cupy as cp

    weights, parts = weights_of(kind)
    x = elements(look, weights)
    sums, sure = cp.zeros(N, "f4"), cp.zeros(N, bool)
    arguments = cp.asarray(x), cp.asarray(parts.view("f8")), sums, sure
    launched("sums_of", *arguments, np.int32(N), np.int32(len(weights)), folded)
    sums, sure = cp.asnumpy(sums), cp.asnumpy(sure)
    np.testing.assert_array_equal(sums[sure], in_double(x, weights).astype("f4")[sure])
    if look == "positive" and kind:
        assert sure.mean() > 0.99  # few are left to double


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("sign", [1, -1])
def test_sums_of_pairs_that_are_sure_are_those_in_double(strict, kind, look, sign):
    import cupy as cp

    weights, parts = weights_of(kind)
    x = elements(look, weights, sign)
    sums, sure = cp.zeros(N, "f4"), cp.zeros(N, bool)
    arguments = cp.asarray(x), cp.asarray(parts.view("f8")), sums, sure
    launched("pairs_of", *arguments, np.int32(N), np.int32(len(weights) // 2), sign < 0)
    sums, sure = cp.asnumpy(sums), cp.asnumpy(sure)
    np.testing.assert_array_equal(sums[sure], in_double(x, weights, sign).astype("f4")[sure])
    if look == "positive" and kind:
        assert sure.mean() > 0.99  # few are left to double


def test_sums_of_next_to_nothing_are_left_to_double(strict):
    import cupy as cp

    _, parts = weights_of(1)
    for value in (0.0, 1e-30, 1e-42, np.inf, np.nan):
        x = np.zeros((9, N), "f4")
        x[2] = value
        sums, sure = cp.zeros(N, "f4"), cp.ones(N, bool)
        arguments = cp.asarray(x), cp.asarray(parts.view("f8")), sums, sure
        launched("sums_of", *arguments, np.int32(N), np.int32(9), False)
        assert cp.asnumpy(sure).all() == (value == 0)
        assert value or not cp.asnumpy(sums).any()


def test_three_smoothed_are_rounded_once_from_double(strict):
    import cupy as cp

    x = np.concatenate(
        [
            RNG.normal(size=(3, N)),
            RNG.integers(-9, 10, (3, N)) * 2.0 ** RNG.integers(-26, 3, (3, N)),
            RNG.normal(size=(3, N)) * 2.0 ** RNG.integers(-60, 10, (3, N)),
            (1 + RNG.integers(0, 4, (3, N)) * 2.0**-23) * 2.0 ** RNG.integers(-30, 2, (3, N)),
            RNG.choice([*SUBNORMAL, 0, 3e38, np.inf, np.nan, 1, 2.0**-29, -1], (3, N)),
        ],
        axis=1,
    ).astype("f4")
    x[0, ::5] = -x[2, ::5]
    x[1, ::7] = -x[0, ::7] / 2
    sums = cp.zeros(x.shape[1], "f4")
    launched("smoothed_of", cp.asarray(x), sums, np.int32(x.shape[1]))
    before, centre, after = x.astype(float)
    with np.errstate(all="ignore"):
        expected = (2 * centre + (before + after)).astype("f4")
    np.testing.assert_array_equal(cp.asnumpy(sums), expected)


IMAGES = {
    "photograph": data.camera()[100:137, 90:173] / 255,
    "noise": NOISE,
    "low contrast": 1000 + NOISE,
    "ramp": X * 0.01,
    "disk": (Y - 18.0) ** 2 + (X - 40) ** 2 < 200,
    "spot": np.exp(-((Y - 18.0) ** 2 + (X - 40) ** 2) / 40),
    "wild": NOISE * 10.0 ** RNG.integers(-30, 15, Y.shape),
    "tiny": NOISE * 1e-22,
    "huge": NOISE * 1e18,
}


@pytest.mark.parametrize("image", IMAGES.values(), ids=IMAGES)
@pytest.mark.parametrize("sigma", [0.5, 1, (2, 0)])
def test_features_of_single_precision_are_equal(gpu, strict, image, sigma):
    image = image.astype("f4")
    calls = [
        (structure_tensor, {"sigma": sigma, "mode": "reflect"}),
        (hessian_matrix, {"sigma": sigma, "use_gaussian_derivatives": False}),
        (canny, {"sigma": sigma, "low_threshold": 0.0, "high_threshold": 0.1}),
        (unsharp_mask, {"radius": sigma, "preserve_range": True}),
        (difference_of_gaussians, {"low_sigma": sigma, "high_sigma": 3}),
    ]
    for function, options in calls:
        ours = quietly(gpu, function, image, **options)
        theirs = quietly(function, image, **options)
        np.testing.assert_array_equal(np.array(ours), np.array(theirs))
