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
#pragma unroll  // else the nine elements would lie in local memory
        for (int i = 0; i < 3; ++i) {
            const i64 row = boundary_index(y - 1 + i, rows, mode);
#pragma unroll
            for (int j = 0; j < 3; ++j) {
                const i64 column = boundary_index(x - 1 + j, columns, mode);
                nine.at[i][j] = row < 0 || column < 0 ? (W)0 : convert(image[row * columns + column]);
            }
        }
        return nine;
    }
};

// Fills a tile: down[r * pitch + c] and across[...] become the slopes at (y0 + r, x0 + c), for
// r in [0, height) and c in [0, width). Beyond the image's border it is the slopes that are
// extended, not the image.
//
// Called by all threads of the block. Writes shared memory: a barrier must follow.
template <class W, class T, class Convert>
__device__ inline void load_slopes(W* down, W* across, int pitch, const Extended<T>& image, i64 y0,
                                   i64 x0, int height, int width, const Convert& convert) {
    for (int r = threadIdx.y; r < height; r += blockDim.y) {
        const i64 y = boundary_index(y0 + r, image.rows, image.mode);
        for (int c = threadIdx.x; c < width; c += blockDim.x) {
            const i64 x = boundary_index(x0 + c, image.columns, image.mode);
            W slope_down = 0, slope_across = 0;
            if (y >= 0 && x >= 0) {
                const Nine<W> nine = image.template around<W>(y, x, convert);
                slope_down = nine.template down<!IS_FLOATING<T>>();
                slope_across = nine.template across<!IS_FLOATING<T>>();
            }
            down[r * pitch + c] = slope_down;
            across[r * pitch + c] = slope_across;
        }
    }
}

// Elements that `tile_slopes` needs.
__device__ inline int raw_slopes(int pitch, int height) { return (height + 2) * (pitch + 2); }

// The same as load_slopes, of a tile whose pitch is a multiple of 16. Each element is converted
// once where the tile and a neighbour on each side lie inside of the image.
//
// raw  raw_slopes(pitch, height) elements
//
// Called by all threads of the block. Contains a barrier; another one must follow.
template <class W, class T, class Convert>
__device__ inline void tile_slopes(W* down, W* across, int pitch, W* raw, const Extended<T>& image,
                                   i64 y0, i64 x0, int height, int width, const Convert& convert) {
    if (y0 < 1 || x0 < 1 || y0 + height >= image.rows || x0 + width >= image.columns) {
        load_slopes(down, across, pitch, image, y0, x0, height, width, convert);
        __syncthreads();
        return;
    }
    const T* const corner = image.image + (y0 - 1) * image.columns + (x0 - 1);
    const int wide = pitch + 2;
    for (int r = threadIdx.y; r < height + 2; r += blockDim.y) {
        const T* const line = corner + r * image.columns;
        for (int c = threadIdx.x; c < width + 2; c += blockDim.x) raw[r * wide + c] = convert(line[c]);
    }
    __syncthreads();
    for (int r = threadIdx.y; r < height; r += blockDim.y)
        for (int c = threadIdx.x * LANES; c < width; c += blockDim.x * LANES)
#pragma omp simd
            for (int l = 0; l < LANES; ++l) {
                const W* const near = raw + r * wide + c + l;
                Nine<W> nine;
#pragma unroll
                for (int i = 0; i < 3; ++i)
#pragma unroll
                    for (int j = 0; j < 3; ++j) nine.at[i][j] = near[i * wide + j];
                down[r * pitch + c + l] = nine.template down<!IS_FLOATING<T>>();
                across[r * pitch + c + l] = nine.template across<!IS_FLOATING<T>>();
            }
}
