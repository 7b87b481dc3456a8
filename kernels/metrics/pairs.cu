// How often labels of two images meet:
//
//     list_pairs    a list of the pairs that there are, up to 16,384 of them, of labels below 2^24
//     count_pairs   a table with a row for each label of the first image, a column for each of the second
//
// first, second: n integers in the same memory order, of any types (common/any_type.cuh).
// Label: int, or i64 where a label wants it.
// told: numbers, 0 before: the largest label of each image, and bits 1 and 2 where the first and the second
// one have a label below 0 (or above what i64 holds). Of list_pairs a fourth one: how many places of the list are
// taken; more than it has where there are too many pairs, of which some are lost then.
//
// One launch each; each image is read once. A list or a table that is too small is filled in vain, but `told`
// tells so.
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

// Adds to `counts` for each place of both images.
//   called by: all threads of all blocks, once in a launch
//   kind_of:   Index(Label first, Label second), below 0 where the pair is not counted
//   counts:    what add_at takes
//   contains barriers; none must follow
template <class Index, class Label, class Counts, class KindOf>
__device__ inline void meet_all(const void* first, int type_first, const void* second, int type_second, i64 n,
                                const Counts& counts, const KindOf& kind_of, u64* told) {
    using Count = typename Counter<Index>::Type;
    __shared__ Ends scratch[THREADS];
    __shared__ BlockCounts<Index, Count> block;
    block.clear();
    ThreadCounts<Index, Count, Counts> mine(block, counts);
    Label most_first = 0, most_second = 0, any_first = 0, any_second = 0;  // the bits of any label
    const auto meet = [&](Label a, Label b) {
        most_first = a > most_first ? a : most_first;
        most_second = b > most_second ? b : most_second;
        any_first |= a;
        any_second |= b;
        mine.add(kind_of(a, b));
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

// counts[a * columns + b] becomes how many places have a and b, for a < rows and b < columns; 0 before.
// Index: int, or i64 where a number of pixels or of counts wants it.
template <class Index, class Label>
__global__ void __launch_bounds__(THREADS, 1)
    count_pairs(const void* first, int type_first, const void* second, int type_second, i64 n, i64 rows, i64 columns,
                typename Counter<Index>::Type* counts, u64* told) {
    using Unsigned = typename UnsignedOf<sizeof(Label)>::type;
    const auto kind_of = [=](Label a, Label b) {
        const bool counts_here = (Unsigned)a < (Unsigned)rows && (Unsigned)b < (Unsigned)columns;
        return counts_here ? (Index)a * (Index)columns + (Index)b : (Index)-1;
    };
    meet_all<Index, Label>(first, type_first, second, type_second, n, counts, kind_of, told);
}

constexpr int LABEL_BITS = 24, PLACE_BITS = 16, SLOT_BITS = 16, MOST_PAIRS = 1 << 14, MOST_PROBES = 64;

struct Pair {
    u64 labels, count;
};

// Places of pairs, found by their labels: a slot holds these, and behind them the place from 1 on. Whoever finds
// a free slot has a place before it claims the slot; if another one was sooner, the place stays empty.
struct PairList {
    u64* slots;  // 2^SLOT_BITS, 0 before
    Pair* pairs;  // MOST_PAIRS, 0 before
    u64* taken;

    // The number of a pair, or null where it has no place. Any thread.
    __device__ u64* at(u64 labels) const {
        u64 slot = labels * 0x9e3779b97f4a7c15ull >> (64 - SLOT_BITS), place = 0;
        for (int probe = 0; probe < MOST_PROBES; ++probe, slot = (slot + 1) % (1 << SLOT_BITS)) {
            u64 there = ((volatile u64*)slots)[slot];
            if (!there) {
                if (!place) {
                    if (*(volatile u64*)taken > MOST_PAIRS) return nullptr;
                    place = atomicAdd(taken, (u64)1) + 1;
                    if (place > MOST_PAIRS) return nullptr;
                }
                const u64 own = labels << PLACE_BITS | place;
                there = atomicCAS(&slots[slot], (u64)0, own);
                if (!there) {
                    pairs[place - 1].labels = labels;
                    there = own;
                }
            }
            if (there >> PLACE_BITS == labels) return &pairs[there % (1 << PLACE_BITS) - 1].count;
        }
        atomicAdd(taken, (u64)MOST_PAIRS + 1);
        return nullptr;
    }
};

__device__ inline void add_at(const PairList& list, i64 labels, u64 run) {
    if (u64* const count = list.at((u64)labels)) atomicAdd(count, run);
}

// pairs: of each place that is taken its labels, the first one's before LABEL_BITS of the second one's, and how
//        often they meet, which is 0 where the place is empty; MOST_PAIRS
// slots: 2^SLOT_BITS
// Both are 0 before.
template <class Label>
__global__ void __launch_bounds__(THREADS, 1)
    list_pairs(const void* first, int type_first, const void* second, int type_second, i64 n, void* pairs, u64* slots,
               u64* told) {
    const auto kind_of = [](Label a, Label b) {
        return (u64)(a | b) >> LABEL_BITS ? (i64)-1 : (i64)a << LABEL_BITS | (i64)b;
    };
    const PairList list = {slots, (Pair*)pairs, &told[3]};
    meet_all<i64, Label>(first, type_first, second, type_second, n, list, kind_of, told);
}
