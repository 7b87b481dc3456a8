// Squares of the distances to the nearest points of an image, and which these are, axis by axis;
// and which pixels are within a radius of points. common/nearest.cuh says how.
//
//     first_axis                    along the first axis
//     search_squares, scan_squares  along one behind it
//     search_within, scan_within    along the last one: pixels that are within the limit, or not
//
// U: the unsigned integer of the pixels' size. Square: int, or double where integers do not hold
// the squares. Index: int, or i64 for 2^31 pixels or more.
// One launch each, whatever the image shows: the image is read once; a square a pixel (and an index
// where nearest points are asked for) is written and read between axes; a scan has 4 bytes a pixel of
// workspace, which it writes and reads.
//
// Source: SciPy's `ndimage.distance_transform_edt`, scikit-image's `isotropic_erosion`.
#include "common/around.cuh"
#include "common/nearest.cuh"

// image: (length, columns); a pixel is a point where its bits in `mask` are not 0, or are 0.
// most: as many places away a point may be. any: becomes 1 where there is a point; 0 before.
// nearest: null where it is not asked for.
template <class U, class Square, class Index>
__global__ void __launch_bounds__(256, 1)
    first_axis(const U* image, u64 mask, bool are_zero, Index length, Index columns, Index chunk, Index most,
               Square spacing, u32* any, Square* squares, Index* nearest) {
    const Index chunks = (length + chunk - 1) / chunk;
    const i64 n = (i64)chunks * columns, step = (i64)gridDim.x * blockDim.x;
    for (i64 i = (i64)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
        const Index part = (Index)(i / columns), column = (Index)(i - (i64)part * columns);
        const Index begin = part * chunk, end = length - begin < chunk ? length : begin + chunk;
        bool seen = false;
        nearest_along_first<Index>(
            begin, end, length, most,
            [&](Index place) { return ((image[place * columns + column] & (U)mask) == 0) == are_zero; },
            [&](Index place, Index point) {
                const Index pixel = place * columns + column;
                squares[pixel] = point < 0 ? Far<Square>::value : squared((Square)0, point - place, spacing);
                if (nearest) nearest[pixel] = point * columns + column;
                seen = seen || point >= 0;
            });
        if (seen) *any = 1;
    }
}

template <class Index>
__global__ void __launch_bounds__(256, 1)
    search_squares(const int* squares, const Index* nearest, const __grid_constant__ Axis<Index> axis, int spacing,
                   int limit, int reach, int* result, Index* result_nearest) {
    search_axis(squares, axis, spacing, limit, reach, [&](Index pixel, int square, Index element) {
        result[pixel] = square;
        if (nearest) result_nearest[pixel] = nearest[element];
    });
}

template <class Square, class Index>
__global__ void __launch_bounds__(256, 1)
    scan_squares(const Square* squares, const Index* nearest, const __grid_constant__ Axis<Index> axis, Index chunk,
                 Square spacing, int* kept, Square* result, Index* result_nearest) {
    scan_axis(squares, axis, chunk, spacing, kept, [&](Index pixel, Square square, Index element) {
        result[pixel] = square;
        if (nearest) result_nearest[pixel] = nearest[element];
    });
}

// Where an image has no point SciPy measures from a place just before the first pixel. No limit bounds
// how far that is.
template <class Square, class Index> struct Outside {
    Lattice<Index> lattice;
    Square spacing[MOST_AXES];
};

template <class Square, class Index>
__device__ inline typename Far<Square>::Cube from_outside(const Outside<Square, Index>& outside, Index pixel) {
    typedef typename Far<Square>::Cube Wide;
    Index places[MOST_AXES];
#pragma unroll
    for (int a = MOST_AXES - 1; a >= 0; --a) places[a] = split(pixel, outside.lattice.length[a]);
    Wide square = 0;
#pragma unroll
    for (int a = 0; a < MOST_AXES; ++a) {
        const bool is_first = a == MOST_AXES - outside.lattice.axes;
        square = squared(square, places[a] + (is_first ? 1 : 0), (Wide)outside.spacing[a]);
    }
    return square;
}

// any: as first_axis left it. inside: whether pixels within the limit are True, or those that are not.
template <class Index>
__global__ void __launch_bounds__(256, 1)
    search_within(const int* squares, const __grid_constant__ Axis<Index> axis, int spacing, int limit, int reach,
                  const __grid_constant__ Outside<int, Index> outside, const u32* any, bool inside, bool* result) {
    const bool none = *any == 0;
    search_axis(squares, axis, spacing, limit, reach, [&](Index pixel, int square, Index) {
        result[pixel] = ((none ? from_outside(outside, pixel) : square) <= limit) == inside;
    });
}

template <class Square, class Index>
__global__ void __launch_bounds__(256, 1)
    scan_within(const Square* squares, const __grid_constant__ Axis<Index> axis, Index chunk, Square spacing, int* kept,
                Square limit, const __grid_constant__ Outside<Square, Index> outside, const u32* any, bool inside,
                bool* result) {
    const bool none = *any == 0;
    scan_axis(squares, axis, chunk, spacing, kept, [&](Index pixel, Square square, Index) {
        result[pixel] = ((none ? from_outside(outside, pixel) : square) <= limit) == inside;
    });
}
