"""Kernels on the CPU get the arguments that they are called with."""

import numpy as np
import pytest

from skimage_gpu_backend.devices.cpu.kernels import compiled

SOURCE = """
#define CUDA_SIMULATOR_ANY_BLOCK_SIZE
struct Pair { long long a; double b; };
template <class T> __global__ void put(T value, T* out) { *out = value; }
template <class T> __global__ void copy(const T* in, T* out, long long n) {
    for (long long i = blockIdx.x; i < n; i += gridDim.x) out[i] = in ? in[i] : T(7);
}
__global__ void index(unsigned* out) {
    const long long i = ((long long)blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    out[3 * i] = blockIdx.x, out[3 * i + 1] = blockIdx.y, out[3 * i + 2] = blockIdx.z;
}
__global__ void dynamic(int* out, int n) {
    extern __shared__ int shared[];
    for (int i = 0; i < n; ++i) shared[i] = blockIdx.x + i;
    out[blockIdx.x] = 0;
    for (int i = 0; i < n; ++i) out[blockIdx.x] += shared[i];
}
"""
PAIR = np.dtype([("a", "i8"), ("b", "f8")])


def run(expression, *args, grid=(1,), shared=0):
    compiled(SOURCE, expression)(grid, (256,), args, shared)


@pytest.mark.parametrize(
    ("of", "value"),
    [
        ("bool", np.True_),
        ("signed char", np.int8(-128)),
        ("unsigned char", np.uint8(255)),
        ("short", np.int16(-32768)),
        ("unsigned short", np.uint16(65535)),
        ("int", np.int32(-(2**31))),
        ("unsigned", np.uint32(2**32 - 1)),
        ("long long", -(2**63)),
        ("long long", np.int64(-(2**63))),
        ("unsigned long long", np.uint64(2**64 - 1)),
        ("unsigned long long", 2**64 - 1),
        ("float", np.float32(1e-40)),
        ("float", np.float32("nan")),
        ("double", -0.0),
        ("double", np.float64(5e-324)),
        ("Pair", np.array((-1, 2.5), PAIR)),
    ],
)
def test_scalars_arrive_as_they_are(of, value):
    expected = np.asarray(value)
    out = np.zeros_like(expected)
    run(f"put<{of}>", value, out)
    assert out.tobytes() == expected.tobytes()


@pytest.mark.parametrize("given", ["read-only", "memory map", "part", "none"])
def test_arrays_are_read_where_they_are(tmp_path, given):
    whole = np.arange(1000.0)
    array = {"part": whole[100:], "none": None}.get(given, whole)
    if given == "read-only":
        whole.flags.writeable = False
    if given == "memory map":
        whole.tofile(tmp_path / "file")
        array = np.memmap(tmp_path / "file", whole.dtype, "r")
    expected = np.full(1000, 7.0) if array is None else array
    out = np.zeros_like(expected)
    run("copy<double>", array, out, expected.size, grid=(100,))
    np.testing.assert_array_equal(out, expected)


@pytest.mark.parametrize(
    "args", [(1, 2), (np.zeros(2, "i4"), np.zeros(2, "i4")), (1.0,), (None, 1)]
)
def test_other_arguments_are_refused(args):
    with pytest.raises(TypeError, match="put<int>"):
        run("put<int>", *args)


@pytest.mark.parametrize("grid", [(7,), (3, 5), (4, 3, 2), (1000, 2, 3)])
def test_each_block_runs_once(grid):
    whole = (*grid, 1, 1)[:3]
    out = np.full((*whole[::-1], 3), 99, np.uint32)
    run("index", out, grid=grid)
    np.testing.assert_array_equal(out, np.moveaxis(np.indices(whole[::-1])[::-1], 0, -1))


@pytest.mark.parametrize("n", [1, 1000, 50_000])
def test_blocks_have_shared_memory(n):
    out = np.zeros(300, np.int32)
    run("dynamic", out, np.int32(n), grid=(300,), shared=4 * n)
    np.testing.assert_array_equal(out, np.arange(300) * n + n * (n - 1) // 2)


def test_the_simulators_variables_do_not_count(python):
    program = """
from tests.devices import test_engine
test_engine.test_each_block_runs_once((1000, 2, 3))
"""
    variables = {"MODE": "strict", "OPTIMIZE": "0", "ROUNDING": "contract,flush"}
    variables |= {"SANITIZE": "address", "WARPS": "lockstep"}
    python("-c", program, **{f"CUDA_SIMULATOR_{name}": text for name, text in variables.items()})
