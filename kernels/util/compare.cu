// Two images of one type compared, pixel by pixel, as floating images.
//
//   DIFF    |second - first|
//   BLEND   (second + first) / 2
//
// `checkerboard` takes pixels of both in turn, by tiles.
//
// first, second, result: n elements, any alignment; W: float for float images, else double.
// One launch; each image is read once, the result written once.
// Source: skimage/util/compare.py.
#include "common/points.cuh"

enum Comparison { DIFF, BLEND };

template <class T, class W, Comparison COMPARISON>
__global__ void compare(const T* first, const T* second, i64 n, W* result) {
    for_points(first, second, result, n, [](T a, T b) -> W {
        const W x = img_as_float<W>(a), y = img_as_float<W>(b);
        return COMPARISON == DIFF ? fabs(y - x) : (W)0.5 * (y + x);
    });
}

// Tiles of the first image where the numbers of row and column of tiles add up to an even number,
// and the second image elsewhere, also below and right of all tiles.
//
// height, width: of a tile, in pixels; bottom, right: where the tiles end; 0 where there are none.
template <class T, class W>
__global__ void checkerboard(const T* first, const T* second, i64 n, i64 columns, i64 height, i64 width, i64 bottom,
                             i64 right, W* result) {
    const i64 step = (i64)gridDim.x * blockDim.x;
    for (i64 i = (i64)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
        const i64 row = i / columns, column = i - row * columns;
        const bool is_tile = row < bottom && column < right;
        const bool is_first = is_tile && (row / height + column / width) % 2 == 0;
        result[i] = img_as_float<W>(is_first ? first[i] : second[i]);
    }
}
