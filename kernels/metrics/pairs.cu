// How often labels of two images meet, where these are small: a table with a row for each label of the
// first image, a column for each of the second.
//
// first, second: n integers in the same memory order, of any types (common/any_type.cuh).
// counts[a * columns + b] becomes how many places have a and b, for a < rows and b < columns; 0 before.
// Index: int, or i64 where a number of pixels or of counts wants it.
// told: three numbers, 0 before: the largest label of each image, and bits 1 and 2 where the first and
// the second one have a label below 0 (or above what i64 holds).
//
// One launch; each image is read once. A table that is too small is filled in vain, but `told` tells so.
//
// Source: scikit-image `metrics.contingency_table`.
#include "common/any_type.cuh"
#include "common/reduce.cuh"
#include "common/runs.cuh"

constexpr int THREADS = 256;

struct Ends {
    i64 first, second;
    u32 odd;
};

template <class Index>
__global__ void __launch_bounds__(THREADS, 1)
    count_pairs(const void* first, int type_first, const void* second, int type_second, i64 n, i64 rows, i64 columns,
                typename Counter<Index>::Type* counts, u64* told) {
    __shared__ Ends scratch[THREADS];
    Ends ends = {};
    count_runs<Index>(n, counts, [&](i64 i) {
        const i64 a = load_any<i64, 1>(first, type_first, i).item[0];
        const i64 b = load_any<i64, 1>(second, type_second, i).item[0];
        ends.first = a > ends.first ? a : ends.first;
        ends.second = b > ends.second ? b : ends.second;
        ends.odd |= (u32)(a < 0) | (u32)(b < 0) << 1;
        return (u64)a < (u64)rows && (u64)b < (u64)columns ? (Index)(a * columns + b) : (Index)-1;
    });
    scratch[threadIdx.x] = ends;
    block_reduce(scratch, blockDim.x, [](const Ends& a, const Ends& b) {
        return Ends{a.first > b.first ? a.first : b.first, a.second > b.second ? a.second : b.second, a.odd | b.odd};
    });
    if (threadIdx.x) return;
    atomicMax(&told[0], (u64)scratch[0].first);
    atomicMax(&told[1], (u64)scratch[0].second);
    if (scratch[0].odd) atomicOr(&told[2], (u64)scratch[0].odd);
}
