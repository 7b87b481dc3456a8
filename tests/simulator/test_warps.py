"""Warp operations, which run with the real block in both ways of running."""

import cupy as cp
import numpy as np
import pytest

from cuda_simulator import KernelError, thread_order

pytestmark = pytest.mark.usefixtures("mode")

SHUFFLES = """
template <class T> __global__ void shuffles(const T* in, T* out, int n) {
    int lane = threadIdx.x;
    T v = in[lane];
    out[lane] = __shfl_sync(0xffffffffu, v, 5);
    out[n + lane] = __shfl_up_sync(0xffffffffu, v, 3);
    out[2 * n + lane] = __shfl_down_sync(0xffffffffu, v, 3, 16);
    out[3 * n + lane] = __shfl_xor_sync(0xffffffffu, v, 9);
}
"""
TYPES = {"int": "int32", "unsigned": "uint32", "long long": "int64", "unsigned long long": "uint64"}
TYPES |= {"float": "float32", "double": "float64"}


@pytest.mark.parametrize("order", ["forward", "backward", "shuffled"])
@pytest.mark.parametrize("name", TYPES)
def test_shuffles_of_all_types(kernel, name, order):
    values = np.random.default_rng(0).integers(0, 2**31 - 1, 96).astype(TYPES[name])
    out = cp.empty((4, 96), TYPES[name])
    with thread_order(order):
        shuffles = kernel(SHUFFLES, f"shuffles<{name}>")
        shuffles((1,), (96,), (cp.asarray(values), out, np.int32(96)))
    warps = values.reshape(3, 32)
    lane = np.arange(32)
    sources = [
        np.full(32, 5),
        np.where(lane < 3, lane, lane - 3),
        np.where(lane % 16 + 3 >= 16, lane, lane + 3),
        lane ^ 9,
    ]
    expected = [warps[:, source].ravel() for source in sources]
    np.testing.assert_array_equal(out.get(), expected)


def test_a_warp_sum_by_shuffles(kernel):
    total = kernel(
        """
        __global__ void total(const double* in, double* out) {
            double v = in[blockIdx.x * blockDim.x + threadIdx.x];
            for (int d = 16; d; d /= 2) v += __shfl_down_sync(0xffffffffu, v, d);
            if (threadIdx.x % 32 == 0) atomicAdd(&out[blockIdx.x], v);
        }
        """,
        "total",
    )
    values = np.arange(40 * 256.0)
    out = cp.zeros(40, cp.float64)
    total((40,), (256,), (cp.asarray(values), out))
    np.testing.assert_array_equal(out.get(), values.reshape(40, 256).sum(1))


def test_votes_and_ballots(kernel):
    vote = kernel(
        """
        __global__ void vote(unsigned* out) {
            unsigned* mine = out + 7 * threadIdx.x;
            mine[0] = __ballot_sync(0xffffffffu, threadIdx.x % 2);
            mine[1] = __any_sync(0xffffffffu, threadIdx.x == 40);
            mine[2] = __all_sync(0xffffffffu, threadIdx.x < 40);
            mine[3] = __match_any_sync(0xffffffffu, (int)(threadIdx.x % 4));
            mine[4] = __reduce_add_sync(0xffffffffu, threadIdx.x);
            mine[5] = __popc(__activemask());
            __syncwarp();
            mine[6] = __reduce_max_sync(0xffffffffu, (int)threadIdx.x);
        }
        """,
        "vote",
    )
    out = cp.empty((64, 7), cp.uint32)
    vote((1,), (64,), (out,))
    for t, row in enumerate(out.get().tolist()):
        warp = t // 32
        first = 32 * warp
        assert row[:3] == [0xAAAAAAAA, warp, 1 - warp]
        assert row[3] == 0x11111111 << (t % 4)
        assert row[4:] == [sum(range(first, first + 32)), 32, first + 31]


def test_part_of_a_warp_talks_under_its_mask(kernel):
    part = kernel(
        """
        __global__ void part(int* out) {
            int v = threadIdx.x;
            if (v < 8) v = __shfl_xor_sync(0xffu, v, 1);
            else if (v < 20) v = __shfl_xor_sync(0xfff00u, v, 1);
            out[threadIdx.x] = v;
        }
        """,
        "part",
    )
    out = cp.empty(32, cp.int32)
    part((1,), (32,), (out,))
    assert out.get().tolist() == [t ^ 1 for t in range(20)] + list(range(20, 32))


def test_lanes_that_have_returned_are_not_waited_for(kernel):
    rest = kernel(
        """
        __global__ void rest(unsigned* out) {
            if (threadIdx.x >= 24) return;
            out[threadIdx.x] = __ballot_sync(0xffffffffu, 1);
        }
        """,
        "rest",
    )
    out = cp.empty(24, cp.uint32)
    rest((1,), (40,), (out,))
    assert (out.get() == 0xFFFFFF).all()


def test_a_lane_outside_of_its_own_mask_is_an_error(kernel):
    outside = kernel("__global__ void outside() { __syncwarp(1u); }", "outside")
    with pytest.raises(KernelError, match="leaves out the calling lane"):
        outside((1,), (2,), ())
