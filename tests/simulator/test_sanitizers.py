"""Sanitizers end the process at a kernel's first access beyond its memory, and name the line."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from cuda_simulator.sanitize import environment

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = """
import sys
import numpy as np
import cuda_simulator
cuda_simulator.activate()
import cupy as cp
shared = '''{shared}'''
module = cp.RawModule(code='#define CUDA_SIMULATOR_ANY_BLOCK_SIZE\\n' + shared + '''
#line 1 "planted.cu"
{code}''', name_expressions=("f",))
array = cp.asarray(np.arange(64, dtype=np.int32))
for n in ({inside}, {outside}):
    module.get_function("f")((2,), (32,), (array, np.int32(n)), shared_mem=256)
    print("finished", flush=True)
"""
ELEMENTWISE = """
import cuda_simulator
cuda_simulator.activate()
import cupy as cp
shift = cp.ElementwiseKernel("raw T x, int32 n", "T y", "y = x[i + n];", "shift")
y = cp.empty(63)
for n in (1, 2):
    shift(cp.zeros(64), n, y)
    print("finished", flush=True)
"""
GLOBAL_WRITE = "__global__ void f(int* a, int n) { if (threadIdx.x == 0) a[n] = 1; }"
GLOBAL_READ = "__global__ void f(int* a, int n) { if (threadIdx.x == 0) a[0] = a[n]; }"
STATIC_SHARED = """__global__ void f(int* a, int n) {
    __shared__ int tile[32];
    for (int i = threadIdx.x; i < 32; i += blockDim.x) tile[i] = a[i];
    if (threadIdx.x == 0) tile[n] = 1;
    __syncthreads();
    for (int i = threadIdx.x; i < 32; i += blockDim.x) a[i] = tile[i];
}"""
DYNAMIC_SHARED = STATIC_SHARED.replace("__shared__ int tile[32]", "DYN_SHARED(int, tile)")
LOCAL = """__global__ void f(int* a, int n) {
    int local[8];
    for (int i = 0; i < 8; ++i) local[i] = a[i];
    local[n] = 1;
    a[0] = local[a[1]];
}"""
OVERFLOW = "__global__ void f(int* a, int n) { a[0] = 2147483647 - 64 + n + a[1]; }"


def run(code, inside, outside, mode):
    """Launches the kernel with both arguments, one after the other, in another process."""
    shared = (ROOT / "kernels" / "common" / "shared.cuh").read_text().replace("#pragma once", "")
    script = SCRIPT.format(
        shared=shared.replace("\\", "\\\\"), code=code, inside=inside, outside=outside
    )
    return run_script(script, mode)


def run_script(script, mode):
    """Runs a program in another process."""
    try:
        sanitized = environment()
    except RuntimeError as error:  # the compiler has no sanitizers
        pytest.skip(str(error))
    return subprocess.run(
        [sys.executable, "-c", script],
        env={**sanitized, "CUDA_SIMULATOR_MODE": mode, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )


BUFFER = "buffer-overflow|out of bounds"
HEAP = "heap-buffer-overflow"
THOROUGH, EXHAUSTIVE = pytest.mark.thorough, pytest.mark.exhaustive


@pytest.mark.parametrize(
    ("code", "inside", "outside", "finding", "mode"),
    [
        pytest.param(*planted, id=name, marks=marks)
        for name, planted, marks in (
            ("write behind an array", (GLOBAL_WRITE, 63, 64, HEAP, "fast"), ()),
            ("the same, strict", (GLOBAL_WRITE, 63, 64, HEAP, "strict"), EXHAUSTIVE),
            ("read before an array", (GLOBAL_READ, 0, -1, HEAP, "strict"), THOROUGH),
            ("static shared memory", (STATIC_SHARED, 31, 32, BUFFER, "fast"), THOROUGH),
            ("static, strict", (STATIC_SHARED, 31, 32, BUFFER, "strict"), EXHAUSTIVE),
            ("dynamic shared memory", (DYNAMIC_SHARED, 63, 64, HEAP, "fast"), EXHAUSTIVE),
            ("dynamic, strict", (DYNAMIC_SHARED, 63, 64, HEAP, "strict"), THOROUGH),
            ("local array", (LOCAL, 7, 8, BUFFER, "strict"), THOROUGH),
            ("signed overflow", (OVERFLOW, 0, 64, "signed integer overflow", "strict"), THOROUGH),
        )
    ],
)
def test_a_planted_fault_ends_the_process_and_is_named(code, inside, outside, finding, mode):
    done = run(code, inside, outside, mode)
    assert done.stdout.split() == ["finished"], done.stderr  # the first launch, not the second
    assert done.returncode != 0
    assert re.search(finding, done.stderr), done.stderr[-3000:]
    assert "planted.cu" in done.stderr


@pytest.mark.thorough
def test_an_elementwise_kernel_that_leaves_an_array_is_named():
    done = run_script(ELEMENTWISE, "fast")
    assert done.stdout.split() == ["finished"], done.stderr
    assert "heap-buffer-overflow" in done.stderr
    assert "shift.operation:1" in done.stderr
