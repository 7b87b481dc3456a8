// The runs of an image of labels, sorted by label: equal pixels side by side in a row. Four kernels,
// between which CuPy sorts, adds up lengths and finds where labels change:
//
//     rank_runs     marks the first pixel of each run, and counts those before it (common/ranks.cuh)
//     list_runs     lists their first pixels, and their labels
//     sort_runs     brings them into the order of their labels
//     tell_regions  what each label has
//
// All pixels that are no label, 0 and less, count as one label, 0. The image is read once, and once
// more where runs begin; a quarter of a byte a pixel is written and read, the rest is of runs: pixels
// that are sorted one by one take 25 times their bytes, as a sort reads and writes all for each digit.
//
// Index: int, or i64 from 2^31 pixels on. Key: of as many bits as the largest label needs.
//
// Source: scikit-image `measure.regionprops`.
#include "common/ordered.cuh"
#include "common/ranks.cuh"
#include "measure/runs.cuh"

// Which numbers are multiples of a constant, without division: of those that are, and of no others, the
// product with the inverse of its odd part, turned by the twos in it, is at most the largest number over it.
// Source: T. Granlund, P. L. Montgomery, "Division by invariant integers using multiplication", 1994.
template <class Unsigned> struct Multiples {
    Unsigned inverse, most, twos;

    __device__ bool operator()(Unsigned n) const {
        constexpr int BITS = 8 * sizeof(Unsigned);
        const Unsigned product = n * inverse;
        return (product >> twos | product << (BITS - twos) % BITS) <= most;
    }
};

// most:     of the labels' type
// rows:     the first pixels of rows are multiples of their length
// largest:  label; 0 before
// total:    runs
template <class Index>
__global__ void __launch_bounds__(RANK_THREADS, 1)
    rank_runs(const void* image, int bytes, u64 most,
              const __grid_constant__ Multiples<typename UnsignedOf<sizeof(Index)>::type> rows, Index n, u64* words,
              Index* bases, u32* arrived, i64* total, u64* largest) {
    __shared__ u64 of_block;
    if (threadIdx.x == 0) of_block = 0;
    const Labels labels{image, bytes};
    u64 mine = 0;
    const auto begins = [&](Index i) {
        const u64 label = labels[i];
        if (label <= most && label > mine) mine = label;
        return rows(i) || labels[i - 1] != label;
    };
    rank_marked(n, words, bases, arrived, begins, total);
    __syncthreads();
    if (mine) atomicMax(&of_block, mine);
    __syncthreads();
    if (threadIdx.x == 0 && of_block) atomicMax(largest, of_block);
}

// firsts, keys:  of each run, in raster order: its first pixel, and its label
template <class Index, class Key>
__global__ void __launch_bounds__(256, 1)
    list_runs(const void* image, int bytes, u64 most, i64 n, const u64* words, const Index* bases, Index* firsts,
              Key* keys) {
    const Labels labels{image, bytes};
    for (i64 w = blockIdx.x * (i64)blockDim.x + threadIdx.x; 32 * w < n; w += (i64)gridDim.x * blockDim.x) {
        const u64 word = words[w];
        Index run = bases[w / RANK_WORDS] + (Index)(word >> 32);
        for (u32 bits = (u32)word; bits; bits &= bits - 1, ++run) {
            const Index i = (Index)(32 * w) + __popc((bits & (~bits + 1)) - 1);
            const u64 label = labels[i];
            firsts[run] = i;
            keys[run] = label <= most ? (Key)label : (Key)0;
        }
    }
}

// order:    of each run of the sorted ones, its place in raster order
// sorted:   first pixels
// lengths:  one more than runs; the first is 0
// changes:  where the label is another one than that of the run before
template <class Index>
__global__ void __launch_bounds__(256, 1)
    sort_runs(const i64* order, i64 runs, i64 n, const Index* firsts, const void* keys, int bytes, Index* sorted,
              i64* lengths, bool* changes) {
    const Labels labels{keys, bytes};
    for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < runs; i += (i64)gridDim.x * blockDim.x) {
        const i64 run = order[i], first = firsts[run];
        sorted[i] = (Index)first;
        lengths[i + 1] = (run + 1 < runs ? (i64)firsts[run + 1] : n) - first;
        changes[i] = i == 0 || labels[run] != labels[order[i - 1]];
        if (i == 0) lengths[0] = 0;
    }
}

// table: of each of `count` regions the label, its first place among sorted pixels, and among runs; then
//        how many there are of both
template <class Index>
__global__ void __launch_bounds__(256, 1)
    tell_regions(const i64* changes, i64 count, i64 runs, const void* image, int bytes, u64 most, const Index* firsts,
                 const i64* places, i64* table) {
    const Labels labels{image, bytes};
    for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i <= count; i += (i64)gridDim.x * blockDim.x) {
        const i64 run = i < count ? changes[i] : runs;
        const u64 label = i < count ? labels[firsts[run]] : 0;
        table[i] = label <= most ? (i64)label : 0;
        table[count + 1 + i] = places[run];
        table[2 * (count + 1) + i] = run;
    }
}
