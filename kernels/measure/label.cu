// Labels of connected regions of equal pixels, numbered in raster order of their first pixels.
// Four kernels, in this order:
//
//     label_boxes   components inside each box, in shared memory, then the index of each pixel's
//                   first one in its box (common/components.cuh)
//     join_boxes    unites components across the borders of boxes
//     rank_roots    marks the first pixel of each component and counts those before it
//                   (common/ranks.cuh)
//     number        looks up each pixel's first one, and its number
//
// image: unsigned integers of 8 to 64 bits, as which those of other kinds come, too, or
// float16/32/64; of up to 8 axes. Floats are compared without their fractions; `background` is the
// value of those pixels that are in no region. Index: int, or i64 for 2^31 pixels or more.
// Four launches, whatever the image shows: the image is read once, and once more along the borders
// of boxes; an index a pixel is written, joined along the borders and read twice, a quarter of
// a byte a pixel is written and read, and the result is written once.
//
// Source: scikit-image `measure.label`.
#include "common/components.cuh"
#include "common/ranks.cuh"
#include "common/roots.cuh"
#include "common/whole.cuh"

// told: the number of labels, and 1 where a pixel is a number that no integer holds; both 0 before.
template <class T, class Index>
__global__ void __launch_bounds__(256, BLOCKS<T, Index>)
    label_boxes(const T* image, i64 background, const __grid_constant__ Volumes<Index> volumes, i64* told,
                Index* labels) {
    typedef decltype(whole(T())) Value;
    __shared__ BoxTrees trees;
    __shared__ BoxValues<Value> values;
    const Value excluded = (Value)background;
    const bool excludes = fits(excluded) && (i64)excluded == background;  // whether there is such a value
    const auto load = [&](const Strip<Index>& strip) {
        const Pack<T, STRIP> pixels = load_strip(image + strip.pixel, strip.count);
        Value own[STRIP];
#pragma unroll
        for (int k = 0; k < STRIP; ++k) values.at(strip.number, k) = own[k] = whole(pixels.item[k]);
        const u32 fit = bits_of([&](int k) { return fits(own[k]); });
        if (~fit & strip.present()) told[1] = 1;
        const u32 here = fit & ~(excludes ? bits_of([&](int k) { return own[k] == excluded; }) : 0);
        return Marks{here, here};
    };
    label_in_boxes<UnionFind<int>, UnionFind<Index>>(volumes, trees, values, labels, load);
}

template <class T, class Index>
__global__ void __launch_bounds__(256, 1)
    join_boxes(const T* image, const __grid_constant__ Volumes<Index> volumes, Index* labels) {
    const auto same = [&](Index p, Index q) { return whole(image[p]) == whole(image[q]); };
    join_all_boxes<UnionFind<Index>>(labels, volumes, same);
}

template <class Index>
__global__ void __launch_bounds__(RANK_THREADS, 1)
    rank_roots(const Index* labels, Index n, u64* words, Index* bases, u32* arrived, i64* told) {
    rank_marked(n, words, bases, arrived, [&](Index i) { return labels[i] == i; }, told);
}

template <class Index, class R>
__global__ void __launch_bounds__(256, 1)
    number(const u64* words, const Index* bases, i64 n, Index* labels, R* result) {
    typedef UnionFind<Index> Find;
    const bool aligned = is_aligned(result);
    for_roots<ROOTS, Find>(labels, n, [&](const RootRuns<Find, Index>& runs) {
        Pack<R, ROOTS> numbers;
        runs.visit([&](int k, int, Index root) {
            const R found = root == BACKGROUND ? (R)0 : (R)(rank_of(words, bases, root) + 1);
#pragma unroll
            for (int j = 0; j < ROOTS; ++j)
                if (j >= k) numbers.item[j] = found;
        });
        if (runs.count == ROOTS)
            store_pack<ROOTS>(result + runs.first, numbers, aligned);
        else
#pragma unroll
            for (int k = 0; k < ROOTS; ++k)
                if (k < runs.count) result[runs.first + k] = numbers.item[k];
    });
}
