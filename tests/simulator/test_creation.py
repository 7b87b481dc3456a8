"""Functions that make device arrays."""

import cupy as cp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cuda_simulator import counters

HOST = np.arange(12, dtype=np.float32).reshape(3, 4)


def same(ours, expected, atol=0):
    if isinstance(expected, tuple | list):
        assert type(ours) is type(expected)
        for one, other in zip(ours, expected, strict=True):
            same(one, other, atol)
        return
    assert type(ours) is cp.ndarray
    assert ours.dtype == expected.dtype
    assert ours.shape == expected.shape
    np.testing.assert_allclose(ours.get(), expected, rtol=1e-6, atol=atol)


FUNCTIONS = [
    lambda xp: xp.arange(5),
    lambda xp: xp.arange(1, 4, 0.5),
    lambda xp: xp.arange(3, dtype=np.uint8),
    lambda xp: xp.arange(5, 0, -2),
    lambda xp: xp.linspace(0, 1, 7, endpoint=False, dtype=np.float32),
    lambda xp: xp.linspace(0, 10, 4, dtype=int),
    lambda xp: xp.linspace(xp.asarray([0.0, 1]), 5, 4, axis=1),
    lambda xp: xp.logspace(0, 2, 3),
    lambda xp: xp.mgrid[0:3, 0:2],
    lambda xp: xp.mgrid[0:1:3j, -1:1:0.5],
    lambda xp: tuple(xp.ogrid[0:3, 0:2]),
    lambda xp: xp.r_[xp.asarray([1, 2]), 0, xp.asarray([3.5])],
    lambda xp: xp.c_[xp.asarray([1, 2]), xp.asarray([3, 4])],
    lambda xp: tuple(xp.meshgrid(xp.arange(3), xp.arange(2), indexing="ij")),
    lambda xp: xp.indices((2, 3)),
    lambda xp: xp.eye(3, 4, 1),
    lambda xp: xp.eye(3, k=-1, dtype=bool),
    lambda xp: xp.identity(2),
    lambda xp: xp.diag(xp.asarray([1, 2]), 1),
    lambda xp: xp.diag(xp.asarray(HOST)),
    lambda xp: xp.diagflat(xp.asarray([[1, 2]])),
    lambda xp: xp.tri(3, 4, 1, np.int8),
    lambda xp: xp.tril(xp.asarray(HOST), 1),
    lambda xp: xp.triu(xp.asarray(HOST)),
    lambda xp: xp.vander(xp.asarray([1, 2, 3]), 3),
    lambda xp: xp.fromfunction(lambda i, j: i + j, (2, 3)),
    lambda xp: xp.frombuffer(b"abcd", np.uint8),
    lambda xp: xp.full((2, 2), 3.5, np.float32),
    lambda xp: xp.full((2,), np.uint8(3)),
    lambda xp: xp.full_like(xp.asarray(HOST), 2, dtype=int, shape=(2,)),
    lambda xp: xp.zeros_like(xp.asarray(HOST), dtype=bool),
    lambda xp: xp.array([xp.asarray(HOST), xp.asarray(HOST) + 1]),
    lambda xp: xp.array([[1, 2], [3, 4]], np.int8, ndmin=3),
    lambda xp: xp.array(3),
    lambda xp: xp.tril_indices(3, 1),
]


@pytest.mark.parametrize("function", FUNCTIONS)
def test_arrays_have_numpys_values_and_types(function):
    same(function(cp), function(np))


@given(st.floats(-5, 5), st.floats(0.01, 2), st.integers(0, 30))
def test_ranges_of_floats(start, step, count):
    stop = start + step * count
    last_bits = 4 * np.spacing(max(abs(start), abs(stop)))  # NumPy rounds the step first
    same(cp.arange(start, stop, step), np.arange(start, stop, step), atol=count * last_bits)


@pytest.mark.parametrize("make", [cp.empty_like, cp.zeros_like, cp.ones_like])
@pytest.mark.parametrize("axes", [(0, 1, 2), (2, 1, 0), (1, 2, 0)])
def test_likeness_keeps_the_order_of_axes(make, axes):
    host = np.zeros((2, 3, 4)).transpose(axes)
    assert make(cp.asarray(np.zeros((2, 3, 4))).transpose(axes)).strides == host.strides
    assert make(host).strides == np.empty_like(host).strides
    assert make(host, order="C").flags.c_contiguous
    assert make(host, shape=(5, 2)).flags.c_contiguous


def test_device_arrays_pass_without_a_copy():
    device = cp.asarray(HOST)
    with counters.counting() as counts:
        assert cp.asarray(device) is device
        assert cp.asarray(device, np.float32, "C") is device
        assert cp.ascontiguousarray(device) is device
        assert cp.array(device, copy=False).base is None
    assert counts.launches == counts.to_device == counts.allocations == 0
    assert cp.array(device) is not device
    assert cp.asarray(device, order="F").flags.f_contiguous
    assert cp.ascontiguousarray(device[0, 0]).shape == (1,)


def test_what_cannot_become_an_array_is_refused():
    with pytest.raises(TypeError, match="Implicit conversion"):
        cp.array([cp.ones(3), np.ones(3)])
    with pytest.raises(ValueError, match="Unsupported dtype object"):
        cp.asarray(None)
    with pytest.raises(TypeError, match="incorrect type"):
        cp.ascontiguousarray(HOST)
    with pytest.raises(TypeError, match="cannot be interpreted as an integer"):
        cp.empty(3.0)
    with pytest.raises(ValueError, match="order not understood"):
        cp.empty(3, order="X")
    with pytest.raises(ValueError, match="num<0"):
        cp.linspace(0, 1, -1)
    with pytest.raises(ValueError, match=r"input has to be cupy\.ndarray"):
        cp.meshgrid(np.arange(3))


def test_types_of_results_are_numpys():
    device = cp.ones(3, np.float32)
    assert cp.result_type(device, 3) == np.float32
    assert cp.promote_types("f4", "i4") == np.float64
    assert cp.can_cast(device, "f8") and not cp.can_cast(device, "i4")
    assert cp.min_scalar_type(device) == np.float32
    assert cp.common_type(device, cp.ones(3, int)) is np.float64
    assert cp.get_array_module(device, HOST) is cp
    assert cp.get_array_module(HOST) is np


def test_memory_of_the_pool():
    pool = cp.get_default_memory_pool()
    before = pool.used_bytes()
    array = cp.empty(1000, np.uint8)
    assert pool.used_bytes() == before + 1000
    del array
    assert pool.used_bytes() == before
    pool.free_all_blocks()
    assert (pool.free_bytes(), pool.n_free_blocks()) == (0, 0)
    pointer = cp.cuda.alloc(16)
    pointer.memset(1, 16)
    (pointer + 8).copy_from_device(pointer, 8)
    assert cp.ndarray(2, np.uint64, pointer).tolist() == [0x0101010101010101] * 2
