"""Strict mode finds what only the real block size shows: races and misused barriers."""

import cupy as cp
import numpy as np
import pytest

from cuda_simulator import KernelError, thread_order

pytestmark = pytest.mark.usefixtures("strict")
ORDERS = ("forward", "backward", "shuffled")

# Each thread reads what its neighbour on one side has written before.
NEIGHBOUR = """
template <int SIDE, bool BARRIER> __global__ void neighbour(const float* in, float* out) {
    __shared__ float tile[256];
    tile[threadIdx.x] = in[threadIdx.x];
    if (BARRIER) __syncthreads();
    out[threadIdx.x] = tile[(threadIdx.x + SIDE + 256) % 256];
}
"""


def wrong_elements(kernel, side, barrier, order):
    values = np.random.default_rng(0).random(256, dtype=np.float32) + 1
    out = cp.empty(256, cp.float32)
    function = kernel(NEIGHBOUR, f"neighbour<{side}, {str(barrier).lower()}>")
    with thread_order(order):
        # a first launch leaves other values in shared memory, as another kernel would
        function((1,), (256,), (cp.zeros(256, cp.float32), out))
        function((1,), (256,), (cp.asarray(values), out))
    return int((out.get() != np.roll(values, -side)).sum())


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("side", [1, -1])
def test_a_correct_kernel_is_right_in_every_order(kernel, order, side):
    assert wrong_elements(kernel, side, True, order) == 0


@pytest.mark.parametrize("side", [1, -1])
def test_a_missing_barrier_shows_in_some_order(kernel, side):
    wrong = {order: wrong_elements(kernel, side, False, order) for order in ORDERS}
    late = "forward" if side == 1 else "backward"
    early = "backward" if side == 1 else "forward"
    assert wrong[late] == 255  # each thread runs before the neighbour that it reads
    assert wrong[early] == 1  # only around the end: this order alone nearly hides it
    assert wrong["shuffled"] > 64


def test_the_order_is_taken_from_the_environment(kernel, monkeypatch):
    first = kernel(
        "__global__ void first(int* out) { atomicCAS(out, -1, (int)threadIdx.x); }", "first"
    )
    seen = {}
    for order in ORDERS:
        monkeypatch.setenv("CUDA_SIMULATOR_ORDER", order)
        out = cp.full(1, -1, cp.int32)
        first((1,), (100,), (out,))
        seen[order] = out.item()
    assert seen["forward"] == 0
    assert seen["backward"] == 99


def test_an_unknown_order_is_refused():
    with pytest.raises(ValueError, match="sideways"), thread_order("sideways"):
        pass


@pytest.mark.parametrize("order", ORDERS)
def test_a_thread_that_leaves_before_a_barrier_is_an_error(kernel, order):
    leave = kernel(
        """#line 1 "planted.cu"
        __global__ void leave(int n) {
            if (threadIdx.x >= n) return;
            __syncthreads();
        }
        """,
        "leave",
    )
    leave((2,), (64,), (np.int32(64),))
    with (
        thread_order(order),
        pytest.raises(
            KernelError, match=r"leave.*planted\.cu:3.*returned before.*block \(\d, 0, 0\)"
        ),
    ):
        leave((2,), (64,), (np.int32(60),))
    leave((2,), (64,), (np.int32(64),))  # the process and the kernel go on


@pytest.mark.parametrize("order", ORDERS)
def test_foreign_kernels_may_leave_before_a_barrier_as_on_a_gpu(order):
    code = """
    extern "C" __global__ void left(int n, int* counts) {
        if (threadIdx.x >= n) return;
        counts[threadIdx.x] = __syncthreads_count(threadIdx.x % 2);
    }
    """
    counts = cp.zeros(64, np.int32)
    with thread_order(order):
        cp.RawKernel(code, "left")((1,), (64,), (np.int32(60), counts))
    assert counts.get().tolist() == [30] * 60 + [0] * 4


def test_threads_at_different_barriers_are_an_error(kernel):
    diverge = kernel(
        """#line 1 "planted.cu"
        __global__ void diverge() {
            if (threadIdx.x < 16) {
                __syncthreads();
            } else {
                __syncthreads();
            }
        }
        """,
        "diverge",
    )
    with pytest.raises(KernelError, match=r"different barriers.*planted\.cu:3.*planted\.cu:5"):
        diverge((1,), (32,), ())


def test_a_warp_that_waits_for_a_barrier_of_others_is_a_deadlock(kernel):
    stuck = kernel(
        """
        __global__ void stuck() {
            if (threadIdx.x == 0) __syncwarp(); else __syncthreads();
        }
        """,
        "stuck",
    )
    with pytest.raises(KernelError, match="deadlock"):
        stuck((1,), (32,), ())


def test_barriers_with_predicates(kernel):
    vote = kernel(
        """
        __global__ void vote(int* out) {
            int count = __syncthreads_count(threadIdx.x % 3 == 0);
            int all = __syncthreads_and(threadIdx.x < 99), every = __syncthreads_and(1);
            int any = __syncthreads_or(threadIdx.x == 70), none = __syncthreads_or(0);
            int* mine = out + 5 * threadIdx.x;
            mine[0] = count; mine[1] = all; mine[2] = every; mine[3] = any; mine[4] = none;
        }
        """,
        "vote",
    )
    out = cp.empty((100, 5), cp.int32)
    vote((1,), (100,), (out,))
    assert np.unique(out.get(), axis=0).tolist() == [[34, 0, 1, 1, 0]]


REDUCE = """
template <int MOST> __global__ void block_sums(const double* in, double* out, long long n) {
    __shared__ double partial[MOST];
    double sum = 0;
    for (long long i = blockIdx.x * 1000 + threadIdx.x; i < min(n, (blockIdx.x + 1) * 1000LL);
         i += blockDim.x)
        sum += in[i];
    partial[threadIdx.x] = sum;
    for (unsigned active = blockDim.x; active > 1;) {
        const unsigned half = (active + 1) / 2;
        __syncthreads();
        if (threadIdx.x + half < active) partial[threadIdx.x] += partial[threadIdx.x + half];
        active = half;
    }
    if (threadIdx.x == 0) out[blockIdx.x] = partial[0];
}
"""


@pytest.mark.parametrize("order", ORDERS)
def test_fast_and_strict_mode_agree_on_a_block_reduction(kernel, monkeypatch, order):
    values = np.random.default_rng(0).integers(0, 1000, 7500).astype(float)
    expected = [values[i : i + 1000].sum() for i in range(0, 7500, 1000)]
    for mode in ("strict", "fast"):
        monkeypatch.setenv("CUDA_SIMULATOR_MODE", mode)
        for block in (1, 32, 100, 256):
            out = cp.empty(8, cp.float64)
            with thread_order(order):
                function = kernel(REDUCE, "block_sums<256>")
                function((8,), (block,), (cp.asarray(values), out, 7500))
            assert out.get().tolist() == expected


def test_dynamic_shared_memory_is_not_zero_at_first(kernel):
    read = kernel(
        """
        __global__ void read(int* out) {
            out[threadIdx.x] = static_cast<int*>(sim_dynamic_shared())[threadIdx.x];
        }
        """,
        "read",
    )
    out = cp.zeros(8, cp.int32)
    read((1,), (8,), (out,), shared_mem=32)
    assert (out.get() != 0).all()


def test_static_shared_memory_does_not_keep_what_an_earlier_block_wrote(kernel):
    code = """
    template <class T> __global__ void read(T* out, bool write) {
        __shared__ T kept[64];
        out[blockIdx.x * 64 + threadIdx.x] = kept[threadIdx.x];
        if (write) kept[threadIdx.x] = 5;
    }
    """
    out = cp.zeros((3, 64), cp.float32)
    for _ in range(2):
        kernel(code, "read<float>")((3,), (64,), (out, True))
        assert np.isnan(out.get()).all()
