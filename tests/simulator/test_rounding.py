"""Kernels that round in other ways than their source says, as a GPU's compiler may make them."""

import cupy as cp
import numpy as np
import pytest

KERNEL = """
template <class T> __device__ inline T product(T x, T y) { return x * y; }
template <class T> __device__ inline T sum(T x, T y);
template <> __device__ inline float sum(float x, float y) { return __fadd_rn(x, y); }
template <> __device__ inline double sum(double x, double y) { return __dadd_rn(x, y); }
template <class T> __device__ inline T guarded(T x, T y);
template <> __device__ inline float guarded(float x, float y) { return __fmul_rn(x, y); }
template <> __device__ inline double guarded(double x, double y) { return __dmul_rn(x, y); }

template <class T> __global__ void rounded(const T* given, T* made, int n) {
    const T* __restrict__ x = given;  // so that the loop becomes one of vectors
    T* __restrict__ result = made;
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        result[i] = product(x[i], x[i]) - x[n + i];
        result[n + i] = guarded(x[i], x[i]) - x[n + i];
        result[2 * n + i] = sum(x[i] * x[i], -x[n + i]);
    }
}

template <class T> __global__ void small(const T* x, T* result, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        result[i] = x[i] * (T)0.5;
        result[n + i] = x[i] > 0;
    }
}
"""
N = 1000
pytestmark = pytest.mark.thorough


@pytest.fixture(params=["0", "1"])
def optimize(request, monkeypatch):
    monkeypatch.setenv("CUDA_SIMULATOR_OPTIMIZE", request.param)


def squares(kernel, dtype):
    """Of numbers x, in three ways, what is lost when x * x is rounded."""
    x = 1 + np.arange(1, N + 1).astype(dtype) * np.finfo(dtype).eps
    name = {"float32": "float", "float64": "double"}[dtype]
    result = cp.empty((3, N), dtype)
    kernel(KERNEL, f"rounded<{name}>")(
        (1,), (32,), (cp.asarray(np.concatenate([x, x * x])), result, np.int32(N))
    )
    return cp.asnumpy(result)


@pytest.mark.usefixtures("mode", "optimize")
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_products_are_fused_where_that_is_asked_for_and_the_source_allows_it(
    kernel, dtype, monkeypatch
):
    assert not squares(kernel, dtype).any()
    monkeypatch.setenv("CUDA_SIMULATOR_ROUNDING", "contract")
    fused, *guarded = squares(kernel, dtype)
    lost = (np.arange(1, N + 1) * float(np.finfo(dtype).eps)) ** 2
    np.testing.assert_array_equal(fused, lost)
    assert not np.any(guarded)
    monkeypatch.delenv("CUDA_SIMULATOR_ROUNDING")
    assert not squares(kernel, dtype).any()


def halves(kernel, x):
    """Half of numbers, and whether they are positive."""
    name = {"float32": "float", "float64": "double"}[x.dtype.name]
    result = cp.empty((2, x.size), x.dtype)
    kernel(KERNEL, f"small<{name}>")((64,), (32,), (cp.asarray(x), result, np.int32(x.size)))
    return cp.asnumpy(result)


@pytest.mark.usefixtures("mode")
@pytest.mark.parametrize("rounding", ["flush", "contract, flush"])
def test_subnormal_numbers_are_zero_where_that_is_asked_for(kernel, monkeypatch, rounding):
    # so many that several host threads get some
    x = np.full(1 << 18, np.finfo("f4").smallest_subnormal * 8)
    x[::2] = np.finfo("f4").smallest_normal
    np.testing.assert_array_equal(halves(kernel, x), [x / 2, x > 0])
    monkeypatch.setenv("CUDA_SIMULATOR_ROUNDING", rounding)
    half, positive = halves(kernel, x)
    assert not half.any()
    np.testing.assert_array_equal(positive, x >= np.finfo("f4").smallest_normal)
    # what is no subnormal is as it was, and so is the host
    np.testing.assert_array_equal(halves(kernel, x * 2**24), [x * 2**23, np.ones_like(x)])
    assert (x / 2).all()


def test_a_rounding_that_there_is_not_is_an_error(monkeypatch):
    monkeypatch.setenv("CUDA_SIMULATOR_ROUNDING", "up")
    with pytest.raises(ValueError, match="ROUNDING names contract and flush, not 'up'"):
        cp.ElementwiseKernel("T x", "T y", "y = x", "same")(cp.zeros(1))
