"""Kernels whose results tell which blocks ran at the same time, for tests of the CPU's threads."""

import functools
import time

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

// Whether it is the block that the calling thread runs alone, to see how long the others take.
static __device__ bool is_first() {
    if (blockIdx.x > 0 || gridDim.x == 1) return false;
    work(1000000);
    return true;
}

// Blocks but the first one end when `wanted` have arrived.
extern "C" __global__ void meet(int* arrived, int wanted, int* met) {
    if (is_first()) return;
    atomicAdd(arrived, 1);
    for (long long tries = 0; tries < (1ll << 31); ++tries)
        if (atomicAdd(arrived, 0) >= wanted) {
            atomicAdd(met, 1);
            return;
        }
}

// Blocks but the first one run until `is_released` becomes 1, those behind `early` until it becomes
// 2, and count how many run now and at most.
extern "C" __global__ void hold(int* running, int* most, const int* is_released, int early) {
    if (is_first()) return;
    atomicMax(most, atomicAdd(running, 1) + 1);
    const int wanted = (int)blockIdx.x <= early ? 1 : 2;
    work(100000);
    for (int tries = 0; tries < (1 << 27) && *(const volatile int*)is_released < wanted; ++tries)
        work(100);
    atomicSub(running, 1);
}

extern "C" __global__ void fail(int where, int* out) {
    work(100000);
    if (where % 2) {
        const bool odd = (int)blockIdx.x != where;
        assert(odd);
    } else {
        const bool even = (int)blockIdx.x != where;
        assert(even);
    }
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
    given = np.arange(2 * blocks)
    out = np.zeros_like(given)
    launch("squares", blocks, given, out, steps)
    return np.array_equal(out[:blocks], given[:blocks] ** 2) and not out[blocks:].any()


def threads_that_meet(wanted):
    """Threads that run blocks of a launch at once, if so many do; else fewer."""
    arrived, met = number(), number()
    launch("meet", 1 + wanted, arrived, np.int32(wanted), met)
    return int(met[0])


held = []  # every `Held`, so that a test that fails can end


class Held:
    """A launch whose blocks run until they are released.

    Parameters
    ----------
    submit : callable
        Runs a function with arguments in another thread.
    blocks : int
    early : int
        Blocks but the first one that `release` releases; `finish` releases all.
    """

    def __init__(self, submit, blocks, early=0):
        self.running, self.most, self._is_released = number(), number(), number()
        args = self.running, self.most, self._is_released, np.int32(early)
        self._call = submit(launch, "hold", blocks, *args)
        held.append(self)
        self.wait_for(lambda: self.running > 0)

    @staticmethod
    def wait_for(condition):
        deadline = time.monotonic() + 20
        while not condition():
            assert time.monotonic() < deadline
            time.sleep(0.001)

    def release(self, value=1):
        self._is_released[0] = value

    def finish(self):
        """Blocks that ran at once, at most, when all have run."""
        self.release(2)
        self._call.result()
        return int(self.most[0])
