"""Index arithmetic of kernels/common above 2^31, without images of that size."""

import cupy as cp
import numpy as np
import pytest

SIZES = [2**31 - 1, 2**31, 2**31 + 7, 2**32 + 5, 2**40 + 3]
MODES = {"NEAREST": "edge", "WRAP": "wrap", "REFLECT": "symmetric", "MIRROR": "reflect"}


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("blocks", [1, 2, 33, 132 * 8])
@pytest.mark.parametrize("multiple", [1, 4, 16])
def test_shares_of_blocks_cover_a_large_image(kernel, size, blocks, multiple):
    shares = kernel(
        """
        #include "common/reduce.cuh"
        __global__ void shares(i64 n, int multiple, i64* begin, i64* end) {
            const Span span = block_span(n, multiple);
            begin[blockIdx.x] = span.begin;
            end[blockIdx.x] = span.end;
        }
        """,
        "shares",
    )
    begin, end = cp.zeros(blocks, "int64"), cp.zeros(blocks, "int64")
    shares((blocks,), (1,), (size, np.int32(multiple), begin, end))
    begin, end = begin.get(), end.get()
    assert begin[0] == 0
    assert end[-1] == size
    np.testing.assert_array_equal(begin[1:], end[:-1])
    np.testing.assert_array_equal(begin[begin < size] % multiple, 0)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("mode", MODES)
def test_extensions_of_a_large_axis(kernel, size, mode):
    """As those of a small one, whose extension numpy.pad makes: the ends look alike."""
    extended = kernel(
        """
        #include "common/boundary.cuh"
        __global__ void extended(i64* index, int count, i64 size, int mode) {
            for (int k = threadIdx.x; k < count; k += blockDim.x)
                index[k] = boundary_index(index[k], size, mode);
        }
        """,
        "extended",
    )
    small, reach = 100, 30
    padded = np.pad(np.arange(small), reach, mode=MODES[mode])
    before, after = padded[:reach], padded[-reach:]
    grown = size - small  # what lies behind the middle moves so far
    expected = np.concatenate([before, after]).astype(np.int64)
    expected[expected >= small // 2] += grown
    asked = np.concatenate([np.arange(-reach, 0), np.arange(size, size + reach)])
    index = cp.asarray(asked)
    code = list(MODES).index(mode)
    extended((1,), (32,), (index, np.int32(asked.size), size, np.int32(code)))
    np.testing.assert_array_equal(index.get(), expected)


def test_quotients_of_large_numbers(kernel):
    divide = kernel(
        """
        #include "color/tile.cuh"
        typedef long long i64;
        __global__ void divide(const i64* p, const i64* n, int count, i64* result) {
            for (int k = threadIdx.x; k < count; k += blockDim.x) result[k] = quotient(p[k], n[k]);
        }
        """,
        "divide",
    )
    numbers = [0, 1, 2, 5, 2**31 - 1, 2**31, 2**31 + 1, 2**32 - 1, 2**32, 2**32 + 1, 2**40 + 3]
    p, n = (grid.ravel() for grid in np.meshgrid(numbers, numbers[1:]))
    result = cp.zeros(p.size, "int64")
    divide((1,), (32,), (cp.asarray(p), cp.asarray(n), np.int32(p.size), result))
    np.testing.assert_array_equal(result.get(), p // n)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(("inner", "channels"), [(1, 3), (7, 4), (46_341, 5), (2**31 + 3, 2)])
def test_channels_of_a_large_image(kernel, size, inner, channels):
    """Of the last elements, each found by itself and from the one before."""
    find = kernel(
        """
        #include "common/channels.cuh"
        __global__ void find(i64 n, i64 inner, i64 channels, i64 begin, i64* single, i64* walked,
                             int count) {
            const Channels places(n, inner, channels);
            auto place = places.at(begin);
            for (int k = 0; k < count; ++k, place.next()) {
                single[k] = places.at(begin + k).channel;
                walked[k] = place.channel;
            }
        }
        """,
        "find",
    )
    count = 100
    begin = size - count
    single, walked = cp.zeros(count, "int64"), cp.zeros(count, "int64")
    find((1,), (1,), (size, inner, channels, begin, single, walked, np.int32(count)))
    expected = np.arange(begin, size) // inner % channels
    np.testing.assert_array_equal(single.get(), expected)
    np.testing.assert_array_equal(walked.get(), expected)
