"""Kernels whose results tell which blocks ran at the same time, for tests of the CPU's threads."""

import functools

import numpy as np

from skimage_gpu_backend.devices.cpu.kernels import compiled

_SOURCE = """
#define CUDA_SIMULATOR_ANY_BLOCK_SIZE

static __device__ void work(long long steps) {
    volatile long long sum = 0;
    for (long long i = 0; i < steps; ++i) sum += i;
}

extern "C" __global__ void squares(const long long* in, long long* out, long long steps) {
    work(steps);
    out[blockIdx.x] = in[blockIdx.x] * in[blockIdx.x];
}

// All blocks but the first, which the calling thread runs alone, end when `wanted` have arrived.
extern "C" __global__ void meet(int* arrived, int wanted, int* met) {
    if (blockIdx.x == 0 && gridDim.x > 1) {
        work(10000000);
        return;
    }
    atomicAdd(arrived, 1);
    for (long long tries = 0; tries < (1ll << 31); ++tries)
        if (atomicAdd(arrived, 0) >= wanted) {
            atomicAdd(met, 1);
            return;
        }
}

// How many blocks run at once, at most.
extern "C" __global__ void count(int* running, int* most) {
    atomicMax(most, atomicAdd(running, 1) + 1);
    work(100000);
    atomicSub(running, 1);
}

// Ends when `is_released` becomes 1.
extern "C" __global__ void hold(int* has_begun, int* is_released, int* done) {
    atomicExch(has_begun, 1);
    for (long long tries = 0; tries < (1 << 27) && !atomicAdd(is_released, 0); ++tries) work(100);
    atomicAdd(done, 1);
}

extern "C" __global__ void fail(int where, int* out) {
    work(100000);
    assert((int)blockIdx.x != where);
    out[blockIdx.x] = 1;
}

extern "C" __global__ void divide(float a, float b, float* out) {
    work(100000);
    out[blockIdx.x] = a / b;
}
"""


@functools.cache
def kernel(name):
    return compiled(_SOURCE, name)


def launch(name, blocks, *args):
    """Run a kernel on a grid of so many blocks."""
    kernel(name)((blocks,), (1,), args, 0)


def number(value=0):
    """Memory of an int that a kernel changes."""
    return np.array([value], np.int32)


def squares_are_right(blocks=256, steps=10_000):
    """Whether a launch that is worth several threads gives what it should."""
    given = np.arange(blocks)
    out = np.zeros_like(given)
    launch("squares", blocks, given, out, steps)
    return np.array_equal(out, given**2)
