// Connected regions of few pixels are taken away: objects become false, holes true. Two kernels, after
// the first two of measure/label.cu, which have found each region's root:
//
//     count    adds up how many pixels each root has
//     remove   looks up each pixel's root, and what has been counted there
//
// labels: a key of a pixel of the same region, BACKGROUND where a pixel is in none; counts: one for each
// pixel of the image, of which roots have those of their regions; 0 before. Index: int, or i64 for 2^31
// pixels or more.
// One launch each; labels are read twice, counts are written and read where a root is, the result is
// written once.
//
// Source: scikit-image `morphology.remove_small_objects`, `remove_small_holes`.
#include "common/roots.cuh"
#include "common/runs.cuh"

template <class Index>
__global__ void __launch_bounds__(256, 1) count(Index* labels, i64 n, typename Counter<Index>::Type* counts) {
    typedef typename Counter<Index>::Type Count;
    __shared__ BlockCounts<Index, Count> block;
    block.clear();
    ThreadCounts<Index, Count> mine(block, counts);
    for_roots<BIT_ROOTS, UnionFind<Index>>(labels, n, [&](const RootRuns<UnionFind<Index>, Index>& runs) {
        runs.visit([&](int, int length, Index root) { mine.add(root, length); });
    });
    mine.finish();
    block.finish(counts);
}

// holes: whether the regions are holes, and what is in none of them an object. limit: pixels of the
// largest region that is taken away.
template <class Index>
__global__ void __launch_bounds__(256, 1)
    remove(Index* labels, i64 n, const typename Counter<Index>::Type* counts, i64 limit, bool holes, bool* result) {
    tell_roots<UnionFind<Index>>(labels, n, result, [&](Index root) {
        return root == BACKGROUND ? holes : ((i64)counts[root] > limit) != holes;
    });
}
