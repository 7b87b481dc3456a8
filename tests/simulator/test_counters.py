"""The counters see launches, their bytes, allocations and copies, and nothing else."""

import cupy as cp
import numpy as np
import pytest

from cuda_simulator import counters

pytestmark = pytest.mark.usefixtures("mode")
ADD = """
__global__ void add(const float* a, const float* b, double* sum, long long n) {
    for (long long i = threadIdx.x; i < n; i += blockDim.x) sum[i] = a[i] + b[i];
}
"""


def counted(c):
    return {name: value for name, value in vars(c).items() if value}


def test_a_call_from_host_to_host(kernel):
    add = kernel(ADD, "add")
    values = np.ones(100, np.float32)
    with counters.counting() as c:
        a, b = cp.asarray(values), cp.asarray(values)
        total = cp.empty(100, cp.float64)
        add((1,), (32,), (a, b, total, 100))
        total.get()
    assert counted(c) == {
        "launches": 1,
        "kernel_bytes_read": 800,
        "kernel_bytes_written": 800,
        "allocations": 3,
        "to_device": 2,
        "bytes_to_device": 800,
        "to_host": 1,
        "bytes_to_host": 800,
    }


def test_views_and_arrays_that_are_there_cost_nothing():
    a = cp.asarray(np.ones((10, 20)))
    with counters.counting() as c:
        a.T, a[2:5, ::-1], a.reshape(200), a.ravel(), cp.asarray(a), cp.ascontiguousarray(a)
        cp.moveaxis(a, 0, 1), a[3], a.shape, a.astype(float, copy=False)
    assert counted(c) == {}


def test_a_copy_that_makes_an_array_contiguous_is_a_launch():
    a = cp.asarray(np.ones((10, 20)))
    with counters.counting() as c:
        cp.ascontiguousarray(a.T)
    assert counted(c) == {
        "launches": 1,
        "kernel_bytes_read": 1600,
        "kernel_bytes_written": 1600,
        "allocations": 1,
    }


def test_array_arithmetic_is_a_launch_and_reading_a_scalar_a_copy():
    a = cp.asarray(np.ones(10))
    with counters.counting() as c:
        float((a + a).sum())
    assert (c.launches, c.to_host, c.bytes_to_host, c.allocations) == (2, 1, 8, 2)


def test_counting_may_be_nested_and_ends():
    with counters.counting() as outer:
        cp.empty(3)
        with counters.counting() as inner:
            cp.empty(3)
    cp.empty(3)
    assert (outer.allocations, inner.allocations) == (2, 1)


def test_a_launch_that_is_refused_is_not_counted(kernel):
    add = kernel(ADD, "add")
    with counters.counting() as c, pytest.raises(TypeError):
        add((1,), (32,), (1, 2))
    assert counted(c) == {}


def test_elements_at_indices_read_these_and_no_more_than_is_taken():
    few, many = cp.zeros(4, np.float32), cp.zeros(1000, np.float32)
    places = cp.zeros(100, np.int64)
    for read, gather in (
        (16 + 800, lambda: few[places]),
        (400 + 800, lambda: many[places]),
        (400 + 800, lambda: cp.take(many, places)),
        (400 + 800, lambda: many.__setitem__(places, many[:100])),
    ):
        with counters.counting() as c:
            gather()
        assert (c.launches, c.kernel_bytes_read, c.kernel_bytes_written) == (1, read, 400)
