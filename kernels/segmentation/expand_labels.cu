// Labels, expanded: along the last axis each pixel gets the label of its nearest point, as far as
// that is within the limit; else 0. The axes before it are those of morphology/distances.cu.
//
// L: the unsigned integer of the labels' size. Square, Index: as there.
// One launch, which reads a square and an index a pixel, and labels, and writes labels; the scan has
// 4 bytes a pixel of workspace, which it writes and reads.
//
// Source: scikit-image `segmentation.expand_labels`.
#include "common/nearest.cuh"

template <class L, class Index>
__global__ void __launch_bounds__(256, 1)
    search_labels(const int* squares, const Index* nearest, const L* labels, const __grid_constant__ Axis<Index> axis,
                  int spacing, int limit, int reach, L* result) {
    search_axis(squares, axis, spacing, limit, reach, [&](Index pixel, int square, Index element) {
        result[pixel] = square <= limit ? labels[nearest[element]] : (L)0;
    });
}

template <class L, class Square, class Index>
__global__ void __launch_bounds__(256, 1)
    scan_labels(const Square* squares, const Index* nearest, const L* labels, const __grid_constant__ Axis<Index> axis,
                Index chunk, Square spacing, int* kept, Square limit, L* result) {
    scan_axis(squares, axis, chunk, spacing, kept, [&](Index pixel, Square square, Index element) {
        result[pixel] = square != Far<Square>::value && square <= limit ? labels[nearest[element]] : (L)0;
    });
}
