// Convex hull of what is not 0 in a plane: what the host needs of it, and what it has made of that. Two
// kernels, one launch each:
//
//     row_ends    the first and the last pixel of each row
//     fill_rows   true between two columns of each row
//
// A few threads share a row, and look from its ends on: a row is read once at most, a full one hardly.
// The result is written once. Columns are int, pixels any number. Any blocks and grid.
//
// Source: scikit-image `morphology._convex_hull.possible_hull`, of which rows are enough.
#include "common/types.cuh"

constexpr int PIXELS = 32;  // of a row, for a thread

// firsts: `columns` less the first pixel's column, lasts: the last one's and 1; 0 before, and where a row
// has none. Only the last 8 bits of pixels of `size` bytes count, as scikit-image casts them.
__global__ void __launch_bounds__(256, 1)
    row_ends(const u8* image, int size, i64 rows, int columns, int* firsts, int* lasts) {
    const int across = (columns - 1) / PIXELS + 1;
    for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < rows * across; i += (i64)gridDim.x * blockDim.x) {
        const i64 row = i / across;
        const u8* const pixels = image + row * columns * size;
        int first = (int)(i - row * across);
        int last = first + (columns - 1 - first) / across * across;
        while (first <= last && !pixels[(i64)first * size]) first += across;
        if (first > last) continue;
        while (!pixels[(i64)last * size]) last -= across;
        atomicMax(firsts + row, columns - first);
        atomicMax(lasts + row, last + 1);
    }
}

// begins, ends: of each row the first column that is true, and the last
__global__ void __launch_bounds__(256, 1)
    fill_rows(const int* begins, const int* ends, i64 rows, int columns, bool* result) {
    for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < rows * columns; i += (i64)gridDim.x * blockDim.x) {
        const i64 row = i / columns;
        const int column = (int)(i - row * columns);
        result[i] = begins[row] <= column && column <= ends[row];
    }
}
