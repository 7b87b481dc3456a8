"""Launches from several threads, and in the children of a process that has launched."""

import multiprocessing
import os
import signal
from concurrent.futures import ThreadPoolExecutor

import cupy as cp
import numpy as np
import pytest

CODE = """
__global__ void square(const double* in, double* out, long long n) {
    for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < n;
         i += (long long)gridDim.x * blockDim.x)
        out[i] = in[i] * in[i];
}
"""


@pytest.fixture
def square(kernel, mode):
    function = kernel(CODE, "square")

    def squared(values):
        source = cp.asarray(values)
        result = cp.empty_like(source)
        function((64,), (32,), (source, result, source.size))
        return result.get()

    return squared


def test_a_forked_child_can_launch(square):
    values = np.arange(1_000_000.0)  # enough work to wake the other host threads
    np.testing.assert_array_equal(square(values), values**2)
    child = os.fork()
    if child == 0:
        good = False
        try:
            good = all((square(values + i) == (values + i) ** 2).all() for i in range(3))
        finally:
            os._exit(0 if good else 1)
    signal.signal(signal.SIGALRM, lambda *_: os.kill(child, signal.SIGKILL))
    signal.alarm(30)
    try:
        _, status = os.waitpid(child, 0)
    finally:
        signal.alarm(0)
    assert os.waitstatus_to_exitcode(status) == 0
    np.testing.assert_array_equal(square(values), values**2)


def test_a_multiprocessing_pool_can_launch(square):
    square(np.arange(300_000.0))
    with multiprocessing.get_context("fork").Pool(2, _remember, (square,)) as pool:
        results = pool.map_async(_run, [np.arange(300_000.0) + i for i in range(6)]).get(60)
    for i, result in enumerate(results):
        np.testing.assert_array_equal(result, (np.arange(300_000.0) + i) ** 2)


def _remember(function):
    global _square
    _square = function


def _run(values):
    return _square(values)


def test_python_threads_launch_at_the_same_time(square):
    inputs = [np.arange(300_000.0) + i for i in range(32)]
    with ThreadPoolExecutor(8) as executor:
        for values, result in zip(inputs, executor.map(square, inputs), strict=True):
            np.testing.assert_array_equal(result, values**2)
