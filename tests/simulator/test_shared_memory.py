"""Static and dynamic shared memory together, of which a block has 48 KiB."""

import cupy as cp
import pytest

import cuda_simulator

pytestmark = pytest.mark.skipif(not cuda_simulator.active(), reason="about the simulator")

LIMIT = 48 << 10
SHARED = """
#include "cupy/complex.cuh"
__shared__ int anywhere[1];  // __shared__ memory of the module
template <class T> __device__ T kept(T value) {
    __shared__ T first[256], second[1];
    first[threadIdx.x] = second[0] = value;
    __syncthreads();
    return first[threadIdx.x];
}
extern "C" __global__ void with_3088(double* out) {
    extern __shared__ double tile[];
    __shared__ complex<double> pairs[64];  /* not __shared__ char a[9999]; */
    __shared__ double more[1 << 7 > 3 ? 127 : 2], last;
    if (threadIdx.x == 0) tile[0] = pairs[0].real();
    more[0] = last = 1;
    out[0] = kept(3.0f) + more[0] + last;
}
extern "C" __global__ void with_none(double* out) {
    extern __shared__ double tile[];
    out[0] = 4;
}
"""


def _is_taken(kernel, out, nbytes):
    try:
        kernel((1,), (1,), (out,), shared_mem=nbytes)
    except cp.cuda.driver.CUDADriverError as error:
        assert "INVALID_VALUE" in str(error)
        return False
    return True


@pytest.mark.parametrize("is_first", [True, False])
def test_static_and_dynamic_memory_count_together(mode, is_first):
    """In a kernel's first launch, too; of a kernel what it has itself, and what it calls has."""
    module = cp.RawModule(code=SHARED)
    out = cp.zeros(1)
    for name, static in (("with_3088", 1024 + 1024 + 1028 + 12), ("with_none", 0)):
        for nbytes in (LIMIT - static, LIMIT - static + 1):
            kernel = module.get_function(name)
            if not is_first:
                assert _is_taken(kernel, out, 8)
            assert _is_taken(kernel, out, nbytes) == (nbytes <= LIMIT - static)
    assert out.get() == 4
