// What elements are told by the roots of their components, in a launch after those that unite them.
//
//     for_roots<N, Find>(labels, n, [&](const RootRuns<Find, Index>& runs) {
//         runs.visit([&](int k, int length, Index root) { ... });
//     });
//
// A thread has N elements, one behind the other: each run of one key looks up its root, once. Ways to
// roots are made shorter for others, unless labels are const.
#pragma once
#include "common/pack.cuh"
#include "common/union_find.cuh"

// Elements a thread: where a bit or nothing is told of each; where a number is written, so that threads beside each
// other write whole sectors.
constexpr int BIT_ROOTS = 8, ROOTS = 4;

// Runs of elements of one key, one behind the other.
template <class Find, class Labels> struct RootRuns {
    typedef decltype(Find::element(*(Labels*)nullptr)) Index;
    Labels* labels;  // of all
    i64 first;       // of the elements
    int count;       // of them
    u32 starts;      // bits of the first ones of runs

    // Calls visit(k, length, root) for each run, from element k on; BACKGROUND is in place of a root where there
    // is none.
    template <class Visit> __device__ void visit(const Visit& visit) const {
        for (u32 left = starts; left;) {
            const int k = __ffs(left) - 1;
            left &= left - 1;
            const int stop = left ? __ffs(left) - 1 : count;
            const Index key = labels[first + k];
            visit(k, stop - k, key == BACKGROUND ? key : Find::above(labels, key));
        }
    }

    // Bits of the elements for whose roots is(root).
    template <class Is> __device__ u32 bits(const Is& is) const {
        u32 found = 0;
        visit([&](int k, int, Index root) {
            const u32 beyond = ~0u << k;
            found = is(root) ? found | beyond : found & ~beyond;
        });
        return found;
    }
};

// Calls take(runs) for each N of n elements. All threads of the grid.
template <int N, class Find, class Labels, class Take>
__device__ inline void for_roots(Labels* labels, i64 n, const Take& take) {
    typedef typename RootRuns<Find, Labels>::Index Index;
    const bool aligned = is_aligned(labels);
    const i64 step = (i64)gridDim.x * blockDim.x * N;
    for (i64 first = (blockIdx.x * (i64)blockDim.x + threadIdx.x) * N; first < n; first += step) {
        RootRuns<Find, Labels> runs{labels, first, n - first < N ? (int)(n - first) : N, 1};
        Pack<Index, N> keys;
        if (runs.count == N)
            keys = load_pack<N>((const Index*)labels + first, aligned);
        else
#pragma unroll
            for (int k = 0; k < N; ++k) keys.item[k] = labels[first + (k < runs.count ? k : runs.count - 1)];
#pragma unroll
        for (int k = 1; k < N; ++k)
            if (keys.item[k] != keys.item[k - 1]) runs.starts |= 1u << k;
        take(runs);
    }
}

// Writes is(root) of each element. All threads of the grid.
template <class Find, class Labels, class Is>
__device__ inline void tell_roots(Labels* labels, i64 n, bool* result, const Is& is) {
    const bool aligned = is_aligned(result);
    for_roots<BIT_ROOTS, Find>(labels, n, [&](const RootRuns<Find, Labels>& runs) {
        const u32 bits = runs.bits(is);
        if (aligned && runs.count == BIT_ROOTS)
            for (int four = 0; four < BIT_ROOTS / 4; ++four)
                ((u32*)(result + runs.first))[four] = (bits >> 4 * four & 15) * 0x00204081u & 0x01010101u;
        else
            for (int k = 0; k < runs.count; ++k) result[runs.first + k] = bits >> k & 1;
    });
}

// Writes elements of an image, and `value` in place of those for which replaces(root). All threads of the grid.
template <class Find, class Index, class T, class Replaces>
__device__ inline void replace_roots(const T* image, Index* labels, i64 n, T value, T* result, const Replaces& replaces) {
    const bool aligned = is_aligned(image) && is_aligned(result);
    for_roots<ROOTS, Find>(labels, n, [&](const RootRuns<Find, Index>& runs) {
        const u32 bits = runs.bits(replaces);
        if (runs.count == ROOTS) {
            Pack<T, ROOTS> pixels = load_pack<ROOTS>(image + runs.first, aligned);
#pragma unroll
            for (int k = 0; k < ROOTS; ++k)
                if (bits >> k & 1) pixels.item[k] = value;
            store_pack<ROOTS>(result + runs.first, pixels, aligned);
        } else {
            for (int k = 0; k < runs.count; ++k) result[runs.first + k] = bits >> k & 1 ? value : image[runs.first + k];
        }
    });
}
