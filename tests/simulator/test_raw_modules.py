"""Kernels written for CuPy, not for this project, are taken as CuPy takes them."""

import cupy as cp
import numpy as np
import pytest

from cuda_simulator import thread_order

MODULE = """
#include <cupy/complex.cuh>
#include <type_traits>
__constant__ float table[3] = {1, 2, 3};
__device__ int launches;
extern "C" {
__global__ void mirror(const float* in, float* out, int n) {
    extern __shared__ float tile[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) tile[threadIdx.x] = in[i];
    __syncthreads();
    if (i < n) out[i] = tile[blockDim.x - 1 - threadIdx.x] * table[i % 3];
    if (i == 0) atomicAdd(&launches, 1);
}
__global__ void __launch_bounds__(32) count(int* out) { *out = launches; }
}
template <class T> __global__ void is_floating(T* out) { *out = std::is_floating_point<T>::value; }
#ifdef NEVER
__global__ void never() { does_not_compile; }
#endif
"""


@pytest.fixture
def module():
    return cp.RawModule(code=MODULE)


def test_kernels_of_one_module_share_its_variables(module):
    mirror, count = module.get_function("mirror"), module.get_function("count")
    x, y, seen = cp.arange(64, dtype=cp.float32), cp.zeros(64, cp.float32), cp.zeros(1, cp.int32)
    for _ in range(3):
        mirror((2,), (32,), (x, y, 64), shared_mem=128)
    count((1,), (1,), (seen,))
    assert seen.item() == 3
    expected = np.arange(64.0).reshape(2, 32)[:, ::-1].ravel() * np.tile([1, 2, 3], 22)[:64]
    np.testing.assert_array_equal(y.get(), expected)


def test_variables_of_a_module_are_memory_that_can_be_written(module):
    pointer = module.get_global("table")
    table = cp.ndarray((3,), cp.float32, pointer)
    assert table.get().tolist() == [1, 2, 3]
    table[...] = cp.asarray(np.array([10, 20, 30], np.float32))
    x, y = cp.ones(3, cp.float32), cp.zeros(3, cp.float32)
    module.get_function("mirror")((1,), (3,), (x, y, 3), shared_mem=12)
    assert y.get().tolist() == [10, 20, 30]


def test_names_that_are_not_there(module):
    with pytest.raises(cp.cuda.driver.CUDADriverError, match=r"CUDA_ERROR_NOT_FOUND.*\n.*nothing"):
        module.get_function("nothing")
    with pytest.raises(cp.cuda.driver.CUDADriverError, match=r"CUDA_ERROR_NOT_FOUND.*\n.*nothing"):
        module.get_global("nothing")
    with pytest.raises(TypeError, match="Exactly one of"):
        cp.RawModule()
    with pytest.raises(TypeError, match="expected tuple, got list"):
        cp.RawModule(code=MODULE, options=["-DX"])


def test_templates_by_name_expression():
    names = ["is_floating<float>", "is_floating<int>"]
    module = cp.RawModule(code=MODULE, name_expressions=names)
    for name, dtype, expected in zip(names, ("f", "i"), (1, 0), strict=True):
        out = cp.full(1, 7, dtype)
        module.get_function(name)((1,), (1,), (out,))
        assert out.item() == expected


def test_operators_are_no_variables():
    code = """
    struct Pair { int a, b; };
    __device__ bool operator==(const Pair& x, const Pair& y) { return x.a == y.a && x.b == y.b; }
    extern "C" __global__ void f(int* out) { *out = Pair{1, 2} == Pair{1, 2}; }
    """
    out = cp.zeros(1, "i")
    cp.RawKernel(code, "f")((1,), (1,), (out,))
    assert out.item() == 1


def test_definitions_take_part():
    code = 'extern "C" __global__ void f(int* out) { *out = SIZE + ON; }'
    kernel = cp.RawKernel(code, "f", options=("-DSIZE=40", "-DON", "--std=c++11"))
    out = cp.zeros(1, cp.int32)
    kernel((1,), (1,), (out,))
    assert out.item() == 41
    assert (kernel.name, kernel.code, kernel.options[0]) == ("f", code, "-DSIZE=40")
    assert kernel.attributes["max_threads_per_block"] == 1024


SCALARS = """
#include <cupy/complex.cuh>
#include "cupy/float16.cuh"
extern "C" __global__ void f(double* out, int a, unsigned char b, double c, float d,
                             complex<float> e, bool g, float16 h, const double* in) {
    out[0] = a; out[1] = b; out[2] = c; out[3] = d; out[4] = e.imag(); out[5] = g; out[6] = h;
    out[7] = in ? in[0] : -1;
}
"""


def test_scalars_go_by_value_as_cupy_packs_them():
    kernel, out = cp.RawKernel(SCALARS, "f"), cp.zeros(8)
    z, half = np.complex64(1 + 2j), np.float16(0.5)
    kernel((1,), (1,), (out, 5, np.uint8(6), 7.5, np.float32(8), z, True, half, None))
    assert out.get().tolist() == [5, 6, 7.5, 8, 2, 1, 0.5, -1]
    # a parameter reads as many bytes as it has; a pointer may come as a number
    address = cp.full(1, 9.0).data.ptr
    kernel((1,), (1,), (out, np.int64(-5), 261, 7.5, np.float32(8), z, np.bool_(0), half, address))
    assert out.get().tolist() == [-5, 5, 7.5, 8, 2, 0, 0.5, 9]


@pytest.mark.parametrize(
    ("place", "wrong"),
    [(1, 2.5), (3, 2), (4, 2.5), (1, np.ones(3)), (0, 1.5), (1, "a"), (5, 1j)],
)
def test_scalars_that_a_gpu_would_misread_are_refused(place, wrong):
    good = [cp.zeros(8), 5, np.uint8(6), 7.5, np.float32(8), np.complex64(0), True, np.float16(0)]
    arguments = [*good, None]
    arguments[place] = wrong
    with pytest.raises(TypeError, match=f"argument {place + 1} of kernel f"):
        cp.RawKernel(SCALARS, "f")((1,), (1,), tuple(arguments))


def test_more_dynamic_shared_memory_must_be_asked_for():
    kernel = cp.RawModule(code=MODULE).get_function("mirror")
    x, y = cp.ones(3, cp.float32), cp.zeros(3, cp.float32)
    with pytest.raises(cp.cuda.driver.CUDADriverError, match="INVALID_VALUE"):
        kernel((1,), (3,), (x, y, 3), shared_mem=60_000)
    kernel.max_dynamic_shared_size_bytes = 64_000
    kernel((1,), (3,), (x, y, 3), shared_mem=60_000)


# A warp reads `count` and sets it to 0 without a barrier between; 64 threads are two warps.
CLEARED = """
__device__ void clear(int* p) { *p = 0; }
extern "C" __global__ void f(int* out) {
    __shared__ int count, sums[64];
    if (threadIdx.x == 0) count = 5;
    __syncthreads();
    int seen = count;
    if (seen >= 0) clear(&count);
    out[threadIdx.x] = seen;
    // summed up as before there were barriers for warps
    sums[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (threadIdx.x < 32)
        for (int step = 32; step; step /= 2) sums[threadIdx.x] += sums[threadIdx.x + step];
    if (threadIdx.x == 0) out[64] = sums[0];
}
"""


@pytest.mark.parametrize("order", ["forward", "backward", "shuffled"])
def test_threads_of_a_warp_go_in_lockstep_where_that_is_set(monkeypatch, order):
    seen = {}
    for warps in ("lockstep", "independent"):
        monkeypatch.setenv("CUDA_SIMULATOR_WARPS", warps)
        out = cp.zeros(65, cp.int32)
        with thread_order(order):
            cp.RawKernel(CLEARED, "f")((1,), (64,), (out,))
        seen[warps] = out.get().tolist()
    first = slice(0, 32) if order != "backward" else slice(32, 64)
    other = slice(32, 64) if order != "backward" else slice(0, 32)
    assert seen["lockstep"][first] == [5] * 32
    assert seen["lockstep"][other] == [0] * 32  # warps are not in step with each other
    assert seen["lockstep"][64] == sum(range(64))
    assert seen["independent"][:64].count(5) == 1
    assert seen["independent"][64] != sum(range(64))


def test_warps_are_independent_in_strict_mode_only(monkeypatch):
    for mode, expected in (("fast", 32), ("strict", 1)):
        monkeypatch.setenv("CUDA_SIMULATOR_MODE", mode)
        out = cp.zeros(65, cp.int32)
        cp.RawKernel(CLEARED, "f")((1,), (64,), (out,))
        assert out.get()[:64].tolist().count(5) == expected
    monkeypatch.setenv("CUDA_SIMULATOR_WARPS", "sideways")
    with pytest.raises(ValueError, match="'lockstep' or 'independent'"):
        cp.RawKernel(CLEARED, "f")((1,), (64,), (out,))


def test_a_barrier_in_a_helper_and_a_warp_operation_in_lockstep():
    kernel = cp.RawKernel(
        """
        __device__ int exchanged(int* tile, int v) {
            tile[threadIdx.x] = v;
            __syncthreads();
            int other = tile[threadIdx.x ^ 1];
            __syncthreads();
            return other + __shfl_xor_sync(0xffffffffu, v, 1);
        }
        extern "C" __global__ void f(int* out) {
            __shared__ int tile[96];
            int x = threadIdx.x;
            for (int k = 0; k < 3; ++k) out[96 * k + x] = exchanged(tile, x + k);
        }
        """,
        "f",
    )
    out = cp.zeros(288, cp.int32)
    kernel((1,), (96,), (out,))
    lanes = np.arange(96) ^ 1
    assert out.get().tolist() == [int(2 * (lane + k)) for k in range(3) for lane in lanes]


@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
def test_complex_numbers_of_cuda(dtype):
    s, z = ("f", "cuFloatComplex") if dtype == np.complex64 else ("", "cuDoubleComplex")
    code = f"""
    #include <cuComplex.h>
    extern "C" __global__ void f(const {z}* a, {z}* out) {{
        out[0] = cuCdiv{s}(cuCmul{s}(a[0], a[1]), cuCsub{s}(a[0], cuConj{s}(a[1])));
        out[1] = make_{z}(cuCabs{s}(a[0]), cuCimag{s}(a[1]));
    }}
    """
    a, b = np.array([1 + 2j, -3 + 0.5j], dtype)
    out = cp.zeros(2, dtype)
    kernel = cp.RawKernel(code, "f", translate_cucomplex=True)
    kernel((1,), (1,), (cp.asarray([a, b]), out))
    expected = [a * b / (a - b.conj()), abs(a) + 1j * b.imag]
    np.testing.assert_allclose(out.get(), expected, rtol=1e-6)
