"""What CUDA C++ can say, the simulator runs, in both ways of running."""

import cupy as cp
import numpy as np
import pytest
import scipy.special

from cuda_simulator import KernelError

pytestmark = pytest.mark.usefixtures("mode")


def test_every_thread_of_a_three_dimensional_grid_runs_once(kernel, monkeypatch):
    monkeypatch.setenv("CUDA_SIMULATOR_MODE", "strict")
    count = kernel(
        """
        __global__ void count(int* seen) {
            int x = blockIdx.x * blockDim.x + threadIdx.x;
            int y = blockIdx.y * blockDim.y + threadIdx.y;
            int z = blockIdx.z * blockDim.z + threadIdx.z;
            int width = gridDim.x * blockDim.x, height = gridDim.y * blockDim.y;
            atomicAdd(&seen[(z * height + y) * width + x], 1);
        }
        """,
        "count",
    )
    seen = cp.zeros((4 * 2, 3 * 4, 2 * 8), cp.int32)
    count((2, 3, 4), (8, 4, 2), (seen,))
    assert (seen.get() == 1).all()


def test_every_block_of_a_three_dimensional_grid_runs_once(kernel):
    count = kernel(
        """
        __global__ void count(int* seen) {
            if (threadIdx.x == 0)
                atomicAdd(&seen[(blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x], 1);
        }
        """,
        "count",
    )
    seen = cp.zeros((5, 30, 7), cp.int32)
    count((7, 30, 5), (32,), (seen,))
    assert (seen.get() == 1).all()


TILE = """
#include_shared
template <class T, int N> __global__ void mirror_static(const T* in, T* out) {
    __shared__ T tile[N];
    for (int i = threadIdx.x; i < N; i += blockDim.x) tile[i] = in[blockIdx.x * N + i];
    __syncthreads();
    for (int i = threadIdx.x; i < N; i += blockDim.x) out[blockIdx.x * N + i] = tile[N - 1 - i];
}
template <class T> __global__ void mirror_dynamic(const T* in, T* out, int n) {
    DYN_SHARED(T, tile);
    for (int i = threadIdx.x; i < n; i += blockDim.x) tile[i] = in[blockIdx.x * n + i];
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) out[blockIdx.x * n + i] = tile[n - 1 - i];
}
"""


@pytest.mark.parametrize("dtype", ["float32", "float64", "uint8"])
def test_blocks_exchange_data_through_static_and_dynamic_shared_memory(kernel, dtype):
    from skimage_gpu_backend.device.source import KERNELS

    code = TILE.replace("#include_shared", (KERNELS / "common" / "shared.cuh").read_text())
    code = code.replace("#pragma once", "")
    name = {"float32": "float", "float64": "double", "uint8": "unsigned char"}[dtype]
    image = np.arange(40 * 100).astype(dtype).reshape(40, 100)
    device = cp.asarray(image)
    for expression, last, shared in (
        (f"mirror_static<{name}, 100>", (), 0),
        (f"mirror_dynamic<{name}>", (np.int32(100),), 100 * image.itemsize),
    ):
        result = cp.empty_like(device)
        kernel(code, expression)((40,), (64,), (device, result, *last), shared_mem=shared)
        np.testing.assert_array_equal(result.get(), image[:, ::-1])


ATOMICS = """
template <class T> __global__ void add(T* sum, long long n) {
    for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < n;
         i += (long long)gridDim.x * blockDim.x)
        atomicAdd(sum, (T)1);
}
template <class T> __global__ void extremes(const T* in, T* low, T* high, long long n) {
    for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < n;
         i += (long long)gridDim.x * blockDim.x) {
        atomicMin(low, in[i]);
        atomicMax(high, in[i]);
    }
}
template <class T> __global__ void others(T* v) {
    v[4] = atomicCAS(&v[0], (T)7, (T)9);
    v[5] = atomicCAS(&v[0], (T)7, (T)11);
    v[6] = atomicExch(&v[1], (T)3);
    atomicAnd(&v[2], (T)6);
    atomicOr(&v[2], (T)1);
    atomicXor(&v[3], (T)5);
}
"""
INTEGERS = {"int": "int32", "unsigned": "uint32", "unsigned long long": "uint64"}


@pytest.mark.parametrize("name", [*INTEGERS, "float", "double"])
def test_atomic_additions_of_all_blocks_arrive(kernel, name):
    dtype = {**INTEGERS, "float": "float32", "double": "float64"}[name]
    total = cp.zeros(1, dtype)
    kernel(ATOMICS, f"add<{name}>")((64,), (128,), (total, 100_000))
    assert total.item() == 100_000


@pytest.mark.parametrize("name", [*INTEGERS, "long long"])
def test_atomic_minimum_and_maximum(kernel, name):
    dtype = {**INTEGERS, "long long": "int64"}[name]
    values = np.random.default_rng(0).integers(100, 10_000, 5000).astype(dtype)
    low, high = cp.full(1, 5000, dtype), cp.full(1, 5000, dtype)
    kernel(ATOMICS, f"extremes<{name}>")((8,), (64,), (cp.asarray(values), low, high, 5000))
    assert (low.item(), high.item()) == (values.min(), values.max())


@pytest.mark.parametrize("name", INTEGERS)
def test_compare_exchange_and_bitwise_atomics(kernel, name):
    values = cp.asarray(np.array([7, 1, 12, 6, 0, 0, 0], INTEGERS[name]))
    kernel(ATOMICS, f"others<{name}>")((1,), (1,), (values,))
    assert values.get().tolist() == [9, 3, 5, 3, 7, 9, 1]


def test_atomics_that_cuda_lacks_do_not_compile(kernel):
    with pytest.raises(cp.cuda.compiler.CompileException, match="atomicAdd"):
        kernel(ATOMICS, "add<long long>")


def test_constant_memory_and_constexpr_tables(kernel):
    look_up = kernel(
        """
        __constant__ float table[4] = {1.5f, 2.5f, 3.5f, 4.5f};
        __device__ constexpr int places[4] = {3, 2, 1, 0};
        __global__ void __launch_bounds__(128) look_up(float* __restrict__ out) {
            for (int i = threadIdx.x; i < 4; i += blockDim.x) out[i] = table[places[i]];
        }
        """,
        "look_up",
    )
    out = cp.empty(4, cp.float32)
    look_up((1,), (32,), (out,))
    assert out.get().tolist() == [4.5, 3.5, 2.5, 1.5]


FUNCTIONS = {
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "atan": np.arctan,
    "exp": np.exp,
    "log": np.log,
    "log1p": np.log1p,
    "sqrt": np.sqrt,
    "cbrt": np.cbrt,
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "tanh": np.tanh,
    "erf": scipy.special.erf,
    "floor": np.floor,
    "ceil": np.ceil,
    "trunc": np.trunc,
    "rint": np.rint,
    "fabs": np.abs,
    "exp2": np.exp2,
    "log2": np.log2,
    "log10": np.log10,
    "expm1": np.expm1,
}


@pytest.mark.parametrize(("name", "dtype"), [("float", np.float32), ("double", np.float64)])
def test_math_functions_agree_with_numpy(kernel, name, dtype):
    body = "".join(f"out[{i} * n + k] = {f}(in[k]);\n" for i, f in enumerate(FUNCTIONS))
    code = f"""
    template <class T> __global__ void all_functions(const T* in, T* out, int n) {{
        for (int k = threadIdx.x; k < n; k += blockDim.x) {{ {body} }}
    }}
    """
    x = np.linspace(0.01, 6.3, 97, dtype=dtype)
    out = cp.empty((len(FUNCTIONS), len(x)), dtype)
    function = kernel(code, f"all_functions<{name}>")
    function((1,), (32,), (cp.asarray(x), out, np.int32(len(x))))
    for row, (function_name, expected) in zip(out.get(), FUNCTIONS.items(), strict=True):
        wanted = expected(x.astype(np.float64))
        bound = 8 * np.finfo(dtype).eps * np.maximum(1, np.abs(wanted))
        assert (np.abs(row - wanted) <= bound).all(), function_name


def scalars(kernel, expressions, result="double"):
    """Values of C++ expressions in a kernel."""
    body = "".join(f"out[{i}] = ({result})({e});\n" for i, e in enumerate(expressions))
    dtype = {"double": np.float64, "long long": np.int64}[result]
    out = cp.empty(len(expressions), dtype)
    code = f"__global__ void evaluate({result}* out) {{ if (threadIdx.x == 0) {{ {body} }} }}"
    kernel(code, "evaluate")((1,), (32,), (out,))
    return out.get().tolist()


def test_conversions_to_integers_saturate_as_on_a_gpu(kernel):
    cases = {
        "__float2int_rn(2.5f)": 2,
        "__float2int_rz(-2.9f)": -2,
        "__float2int_rd(-2.1f)": -3,
        "__float2int_ru(2.1f)": 3,
        "__float2int_rn(1e20f)": 2**31 - 1,
        "__float2int_rn(-1e20f)": -(2**31),
        '__float2int_rn(nanf(""))': 0,
        "__float2uint_rn(-5.0f)": 0,
        "__float2uint_rn(1e20f)": 2**32 - 1,
        "__double2ll_rn(1e30)": 2**63 - 1,
        "__double2ll_rn(-1e30)": -(2**63),
        "__double2int_rn(-3.5)": -4,
    }
    assert scalars(kernel, cases, "long long") == list(cases.values())


def test_integer_functions(kernel):
    cases = {
        "__popc(0xf0f0u)": 8,
        "__ffs(8)": 4,
        "__ffs(0)": 0,
        "__clz(1)": 31,
        "__clz(0)": 32,
        "__clzll(1)": 63,
        "__popcll(~0ull)": 64,
        "__brev(1u) == 0x80000000u": 1,
        "__byte_perm(0x33221100u, 0x77665544u, 0x7531u) == 0x77553311u": 1,
        "__umulhi(0x80000000u, 4u)": 2,
        "__umul64hi(1ull << 63, 4ull)": 2,
        "min(3, -4)": -4,
        "max(3u, 4u)": 4,
        "abs(-5)": 5,
        "__float_as_uint(1.0f) == 0x3f800000u": 1,
        "__float_as_int(-0.0f)": -(2**31),
        "(long long)warpSize": 32,
    }
    assert scalars(kernel, cases, "long long") == list(cases.values())


def test_floating_functions_of_cuda(kernel):
    cases = {
        'fminf(nanf(""), 2.0f)': 2,
        'fmax(nan(""), 2.0)': 2,
        "min(1.0f, 2.0)": 1,
        "round(2.5)": 3,
        "round(-2.5f)": -3,
        "round(0.49999999999999994)": 0,
        "fma(2.0, 3.0, 4.0)": 10,
        "__fmul_rn(1.5f, 2.0f) + __dadd_rn(1.0, 2.0)": 6,
        "__saturatef(1.5f)": 1,
        "copysign(3.0, -0.0)": -3,
        "pow(2.0, 10)": 1024,
        "hypot(3.0f, 4.0f)": 5,
        "fmod(7.5, 2.0)": 1.5,
        'isnan(nanf("")) + isinf(1.0f / 0.0f) + isfinite(1.0)': 3,
        "__uint_as_float(0x3f800000u)": 1,
    }
    assert scalars(kernel, cases) == list(cases.values())


def test_vector_types_and_structs_by_value(kernel):
    apply = kernel(
        """
        struct Affine { double scale; int shift; unsigned char flag; };
        __global__ void apply(const float* in, float4* out, Affine a, float2 extra) {
            if (threadIdx.x) return;
            float4 v = *reinterpret_cast<const float4*>(in);
            *out = make_float4(v.x * a.scale, v.y + a.shift, v.z + a.flag, extra.x - extra.y);
        }
        """,
        "apply",
    )
    affine = np.dtype([("scale", "f8"), ("shift", "i4"), ("flag", "u1")], align=True)
    float2 = np.dtype([("x", "f4"), ("y", "f4")])
    out = cp.empty(4, cp.float32)
    arguments = (
        cp.asarray(np.array([1, 2, 3, 4], np.float32)),
        out,
        np.array((2.0, 10, 5), affine),
        np.array((7, 4), float2),
    )
    apply((1,), (32,), arguments)
    assert out.get().tolist() == [2, 12, 8, 3]


def test_a_failed_assertion_is_an_error_with_file_and_line(kernel):
    check = kernel(
        '#line 7 "planted.cu"\n__global__ void check(int x) { assert(x == 1); }', "check"
    )
    check((3,), (32,), (np.int32(1),))
    with pytest.raises(KernelError, match=r"check.*x == 1.*planted\.cu:7"):
        check((3,), (32,), (np.int32(2),))
    check((3,), (32,), (np.int32(1),))  # the process goes on


def test_large_local_arrays_fit_on_a_threads_stack(kernel):
    fill = kernel(
        """
        __global__ void fill(float* out) {
            float local[100000];
            for (int i = 0; i < 100000; ++i) local[i] = i * out[1];
            __syncthreads();
            if (threadIdx.x == 0) out[0] = local[99999];
        }
        """,
        "fill",
    )
    out = cp.ones(2, cp.float32)
    fill((2,), (64,), (out,))
    assert out.get()[0] == 99999


def test_kernels_print(kernel, capfd):
    kernel('__global__ void hello(int x) { if (!threadIdx.x) printf("got %d\\n", x); }', "hello")(
        (1,), (32,), (np.int32(42),)
    )
    import ctypes

    ctypes.CDLL(None).fflush(None)
    assert "got 42" in capfd.readouterr().out


def test_definitions_among_the_options_reach_the_source():
    module = cp.RawModule(
        code="__global__ void f(long long* out) { if (!threadIdx.x) *out = VALUE; }",
        options=("-std=c++17", "-DVALUE=5"),
        name_expressions=("f",),
    )
    out = cp.zeros(1, cp.int64)
    module.get_function("f")((1,), (32,), (out,))
    assert out.item() == 5


def test_a_raw_kernel_without_name_expressions():
    add = cp.RawKernel(
        'extern "C" __global__ void add(const float* a, float* b) { *b += *a; }',
        "add",
    )
    a, b = cp.ones(1, cp.float32), cp.ones(1, cp.float32)
    add((1,), (1,), (a, b))
    assert b.item() == 2
