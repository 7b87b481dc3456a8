// A quicksort whose result is that of a given serial one, also where keys are equal: that one is not
// stable, and what comes first among equal keys decides in what order groups of pixels are joined. All
// parts of a depth are split at once:
//
//     differ  where the first, the middle and the last key of a part are equal: the first place of another
//     mark    1 for each element below its part's pivot; the caller adds them up from the first one on
//     match   those on the wrong side, from outside to inside; the k-th ones of both sides are a pair
//     swap    pairs change places, and parts become two
//
// A part of equal keys is done, and so is one element. A depth reads some 80 bytes an element that is not
// done, and writes 30.
//
// Source: scikit-image `restoration/unwrap_2d_ljmu.c`: find_pivot, partition, quicker_sort.
#include "common/types.cuh"

constexpr int THREADS = 256;

struct Three {
    double least, middle, most;
};

__device__ inline void order(double& a, double& b) {
    if (a > b) {
        const double c = a;
        a = b;
        b = c;
    }
}

__device__ inline Three three_of(const double* keys, int first, int last) {
    double a = keys[first], b = keys[first + (last - first) / 2], c = keys[last];
    order(a, b);
    order(a, c);
    order(b, c);
    return {a, b, c};
}

// firsts, ends: of each element its part's. others: 2^31 - 1 before.
__global__ void __launch_bounds__(THREADS, 1)
    differ(const double* keys, const int* firsts, const int* ends, i64 n, int depth, const int* more, int* others) {
    if (depth && !more[depth - 1]) return;
    for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < n; i += (i64)gridDim.x * blockDim.x) {
        const int first = firsts[i], end = ends[i];
        if (end - first < 2) continue;
        const Three three = three_of(keys, first, end - 1);
        if (three.least == three.most && keys[i] != three.least) atomicMin(&others[first], (int)i);
    }
}

// more: of each depth, 1 where something is split; 0 before
__global__ void __launch_bounds__(THREADS, 1)
    mark(const double* keys, const int* firsts, const int* ends, const int* others, i64 n, int depth, int* more,
         int* below) {
    if (depth && !more[depth - 1]) return;
    for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < n; i += (i64)gridDim.x * blockDim.x) {
        const int first = firsts[i], end = ends[i];
        bool is_below = false;
        if (end - first > 1) {
            const Three three = three_of(keys, first, end - 1);
            double pivot = three.least < three.middle ? three.middle : three.most;
            bool is_split = three.least < three.most;
            if (!is_split && others[first] < end) {
                const double other = keys[others[first]];
                pivot = other < three.least ? three.least : other;
                is_split = true;
            }
            is_below = is_split && keys[i] < pivot;
            if (is_split && !more[depth]) more[depth] = 1;
        }
        below[i] = is_below;
    }
}

// sums: of `below` up to and with each element. lefts, rights: of each part from its first place on.
__global__ void __launch_bounds__(THREADS, 1)
    match(const int* sums, const int* firsts, const int* ends, i64 n, int depth, const int* more, int* lefts,
          int* rights) {
    if (!more[depth]) return;
    for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < n; i += (i64)gridDim.x * blockDim.x) {
        const int first = firsts[i], end = ends[i], base = first ? sums[first - 1] : 0;
        const int split = first + sums[end - 1] - base, before = i ? sums[i - 1] : 0;
        if (split == first) continue;
        const bool is_below = sums[i] != before;
        if (i < split && !is_below) lefts[first + (int)i - first - (before - base)] = (int)i;
        if (i >= split && is_below) rights[first + sums[end - 1] - sums[i]] = (int)i;
    }
}

__global__ void __launch_bounds__(THREADS, 1)
    swap(const int* sums, const int* lefts, const int* rights, i64 n, int depth, const int* more, double* keys,
         int* edges, int* firsts, int* ends, int* others) {
    if (!more[depth]) return;
    for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < n; i += (i64)gridDim.x * blockDim.x) {
        const int first = firsts[i], end = ends[i], base = first ? sums[first - 1] : 0;
        const int split = first + sums[end - 1] - base;
        others[i] = 0x7fffffff;
        if (split == first) continue;
        const int pairs = split - first - ((split ? sums[split - 1] : 0) - base);
        if (i - first < pairs) {
            const int left = lefts[i], right = rights[i], edge = edges[left];
            const double key = keys[left];
            keys[left] = keys[right];
            edges[left] = edges[right];
            keys[right] = key;
            edges[right] = edge;
        }
        if (i < split)
            ends[i] = split;
        else
            firsts[i] = split;
    }
}
