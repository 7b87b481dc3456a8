// How often labels of two images meet, where these are small: a table with a row for each label of the
// first image, a column for each of the second.
//
// first, second: n integers in the same memory order, of any types (common/any_type.cuh).
// counts[a * columns + b] becomes how many places have a and b, for a < rows and b < columns; 0 before.
// Index: int, or i64 where a number of pixels or of counts wants it. Label: int, or i64 where a label wants it.
// told: three numbers, 0 before: the largest label of each image, and bits 1 and 2 where the first and
// the second one have a label below 0 (or above what i64 holds).
//
// One launch; each image is read once. A table that is too small is filled in vain, but `told` tells so.
//
// Source: scikit-image `metrics.contingency_table`.
#include "common/any_type.cuh"
#include "common/ordered.cuh"
#include "common/reduce.cuh"
#include "common/runs.cuh"

constexpr int THREADS = 256, N = 4;

struct Ends {
    i64 first, second;
    u32 odd;
};

template <class Index, class Label>
__global__ void __launch_bounds__(THREADS, 1)
    count_pairs(const void* first, int type_first, const void* second, int type_second, i64 n, i64 rows, i64 columns,
                typename Counter<Index>::Type* counts, u64* told) {
    using Count = typename Counter<Index>::Type;
    __shared__ Ends scratch[THREADS];
    __shared__ BlockCounts<Index, Count> block;
    block.clear();
    ThreadCounts<Index, Count> mine(block, counts);
    using Unsigned = typename UnsignedOf<sizeof(Label)>::type;
    Label most_first = 0, most_second = 0, any_first = 0, any_second = 0;  // the bits of any label
    const auto meet = [&](Label a, Label b) {
        most_first = a > most_first ? a : most_first;
        most_second = b > most_second ? b : most_second;
        any_first |= a;
        any_second |= b;
        const bool counts_here = (Unsigned)a < (Unsigned)rows && (Unsigned)b < (Unsigned)columns;
        mine.add(counts_here ? (Index)a * (Index)columns + (Index)b : (Index)-1);
    };
    const Span span = block_span(n, N);
    const i64 packed = span.begin + (span.end - span.begin) / N * N;
    for (i64 i = span.begin + N * (i64)threadIdx.x; i < packed; i += N * (i64)blockDim.x) {
        const Pack<Label, N> a = load_any<Label, N>(first, type_first, i), b = load_any<Label, N>(second, type_second, i);
#pragma unroll
        for (int k = 0; k < N; ++k) meet(a.item[k], b.item[k]);
    }
    for (i64 i = packed + threadIdx.x; i < span.end; i += blockDim.x)
        meet(load_any<Label, 1>(first, type_first, i).item[0], load_any<Label, 1>(second, type_second, i).item[0]);
    mine.finish();
    block.finish(counts);
    scratch[threadIdx.x] = {most_first, most_second, (u32)(any_first < 0) | (u32)(any_second < 0) << 1};
    block_reduce(scratch, blockDim.x, [](const Ends& a, const Ends& b) {
        return Ends{a.first > b.first ? a.first : b.first, a.second > b.second ? a.second : b.second, a.odd | b.odd};
    });
    if (threadIdx.x) return;
    atomicMax(&told[0], (u64)scratch[0].first);
    atomicMax(&told[1], (u64)scratch[0].second);
    if (scratch[0].odd) atomicOr(&told[2], (u64)scratch[0].odd);
}
