// Sobel's slopes along both axes of an image, as scipy.ndimage.sobel has them with one mode for
// derivative and smoothing: the same bits, also in float, where SciPy sums in double.
//
// A slope is a difference along one axis, smoothed along the other one, not divided by 4.
#pragma once
#include "common/float_sums.cuh"
#include "common/tile.cuh"

// [-1, 0, 1]; SciPy multiplies the centre too, and so do NaN and infinities spread, where there are any.
template <bool FINITE, class W> __device__ inline W difference(W before, W centre, W after) {
    return FINITE ? after - before : after - before + centre * (W)0;
}

// [1, 2, 1]
__device__ inline double smoothed(double before, double centre, double after) {
    return 2 * centre + (before + after);
}
__device__ inline float smoothed(float before, float centre, float after) {
    return smoothed_in_float(before, centre, after);
}

// An element and its eight neighbours.
template <class W> struct Nine {
    W at[3][3];

    // The slope along the first axis, and along the second one. FINITE: no element is infinite or NaN.
    template <bool FINITE = false> __device__ W down() const {
        return smoothed(difference<FINITE>(at[0][0], at[1][0], at[2][0]), difference<FINITE>(at[0][1], at[1][1], at[2][1]),
                        difference<FINITE>(at[0][2], at[1][2], at[2][2]));
    }
    template <bool FINITE = false> __device__ W across() const {
        return smoothed(difference<FINITE>(at[0][0], at[0][1], at[0][2]), difference<FINITE>(at[1][0], at[1][1], at[1][2]),
                        difference<FINITE>(at[2][0], at[2][1], at[2][2]));
    }
};

// boundary_index of an i from -1 to n, without a division.
__device__ inline i64 index_beside(i64 i, i64 n, int mode) {
    if (i >= 0 && i < n) return i;
    if (mode == CONSTANT) return -1;
    if (mode == WRAP) return i < 0 ? n - 1 : 0;
    const int within = mode == MIRROR && n > 1 ? 1 : 0;  // how far from the end the element lies
    return i < 0 ? within : n - 1 - within;
}

// A C-contiguous image of rows * columns elements, extended beyond its border; under CONSTANT
// by zeros.
template <class T> struct Extended {
    const T* image;
    i64 rows, columns;
    int mode;

    // The element at (y, x), which lies inside, and its neighbours. Any thread.
    template <class W, class Convert>
    __device__ Nine<W> around(i64 y, i64 x, const Convert& convert) const {
        Nine<W> nine;
        if (y > 0 && y < rows - 1 && x > 0 && x < columns - 1) {
            const T* const corner = image + (y - 1) * columns + (x - 1);
#pragma unroll
            for (int i = 0; i < 3; ++i)
#pragma unroll
                for (int j = 0; j < 3; ++j) nine.at[i][j] = convert(corner[i * columns + j]);
            return nine;
        }
        const i64 beside[3] = {index_beside(x - 1, columns, mode), x, index_beside(x + 1, columns, mode)};
#pragma unroll  // else the nine elements would lie in local memory
        for (int i = 0; i < 3; ++i) {
            const i64 row = index_beside(y - 1 + i, rows, mode);
#pragma unroll
            for (int j = 0; j < 3; ++j) {
                const i64 column = beside[j];
                nine.at[i][j] = row < 0 || column < 0 ? (W)0 : convert(image[row * columns + column]);
            }
        }
        return nine;
    }
};

// Fills a tile: down[r * pitch + c] and across[...] become the slopes at (y0 + r, x0 + c), for
// r in [0, height) and c in [0, width). Beyond the image's border it is the slopes that are
// extended, not the image. A thread goes down SLOPES_RUN rows of a column, so that it reads each row once.
//
// pitch  a multiple of LANES
//
// Called by all threads of the block. Writes shared memory: a barrier must follow.
constexpr int SLOPES_RUN = 4;
template <class W, class T, class Convert>
__device__ inline void load_slopes(W* down, W* across, int pitch, const Extended<T>& image, i64 y0,
                                   i64 x0, int height, int width, const Convert& convert) {
    for_strips<SLOPES_RUN>(height, width, [&](int r, int c) {
        const i64 y = y0 + r, x = x0 + c;
        const int at = r * pitch + c, rows = height - r < SLOPES_RUN ? height - r : SLOPES_RUN;
        if (y > 0 && x > 0 && y + SLOPES_RUN < image.rows && x + LANES < image.columns) {
            W line[SLOPES_RUN + 2][LANES + 2];
            const T* element = image.image + ((y - 1) * image.columns + (x - 1));
#pragma unroll
            for (int i = 0; i < SLOPES_RUN + 2; ++i, element += image.columns)
#pragma unroll
                for (int j = 0; j < LANES + 2; ++j) line[i][j] = convert(element[j]);
#pragma unroll
            for (int k = 0; k < SLOPES_RUN; ++k) {
                if (k >= rows) break;
#pragma omp simd
                for (int l = 0; l < LANES; ++l) {
                    Nine<W> nine;
#pragma unroll
                    for (int i = 0; i < 3; ++i)
#pragma unroll
                        for (int j = 0; j < 3; ++j) nine.at[i][j] = line[k + i][l + j];
                    down[at + k * pitch + l] = nine.template down<!IS_FLOATING<T>>();
                    across[at + k * pitch + l] = nine.template across<!IS_FLOATING<T>>();
                }
            }
            return;
        }
        const int columns = width - c < LANES ? width - c : LANES;
        for (int l = 0; l < columns; ++l) {
            const i64 column = boundary_index(x + l, image.columns, image.mode);
#pragma unroll 1
            for (int k = 0; k < rows; ++k) {
                const i64 row = boundary_index(y + k, image.rows, image.mode);
                W slope_down = 0, slope_across = 0;
                if (row >= 0 && column >= 0) {
                    const Nine<W> nine = image.template around<W>(row, column, convert);
                    slope_down = nine.template down<!IS_FLOATING<T>>();
                    slope_across = nine.template across<!IS_FLOATING<T>>();
                }
                down[at + k * pitch + l] = slope_down;
                across[at + k * pitch + l] = slope_across;
            }
        }
    });
}
