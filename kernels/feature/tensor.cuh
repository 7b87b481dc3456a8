// The structure tensor of a 2-D image, all of its three elements at once: what
// structure_tensor.cu and corner_response.cu are made of.
//
// A tile goes through shared memory:
//
//     1. Sobel's slopes along both axes, with a halo, into `down` and `across`
//     2. the products of slopes, filtered down the columns by a Gaussian, into `mid`
//     3. these filtered along the rows, to whoever takes the three sums
//
// Products are not stored: 2 makes them where it needs them. As SciPy does it: sums in double,
// rounded to the image's floating type after each axis. Responses to corners are small beside
// the tensor's elements, and would not be scikit-image's otherwise.
#pragma once
#include "common/shared.cuh"
#include "feature/slopes.cuh"
#include "filters/gaussian_pair.cuh"

// Height and width of a tile's results: the width is a multiple of 16.
struct TileSize {
    int height, width;
};

// Products of two arrays, one element each, as a source of Strip::filter_pairs.
template <class W> struct Products {
    const W *a, *b;
    __device__ Products operator+(int offset) const { return {a + offset, b + offset}; }
    __device__ W operator[](int i) const { return rounded_product(a[i], b[i]); }
};

// Elements of shared memory in a row of such a tile; lanes may run over the width's end.
__device__ inline int tensor_pitch(int width, int radius) { return (width + 2 * radius + 15) / 16 * 16; }

// take(place, elements) for each element of the image: rows * columns, C-contiguous; elements
// are (0, 0), (0, 1), (1, 1) of its tensor.
//
// shared  pitch * (2 * (height + 2 * radius_a) + 3 * height) elements, as tensor_pitch has it
// taps    weights along the first and second axis: PairTaps, or RowTaps along the second alone
//
// Called by all threads of all blocks.
template <class W, class T, class Taps, class Take>
__device__ inline void for_tensors(W* shared, const Extended<T>& image, TileSize size, const Taps& taps,
                                   Take take) {
    typedef Strip<1, double> Sums;
    const int radius_a = taps.radius_a, radius_b = taps.radius_b;
    const int pitch = tensor_pitch(size.width, radius_b);
    W* const down = shared;
    W* const across = down + (size.height + 2 * radius_a) * pitch;
    W* const mid = across + (size.height + 2 * radius_a) * pitch;
    const int mids = size.height * pitch;
    const W* const first[3] = {down, down, across};
    const W* const second[3] = {down, across, across};

    const i64 tiles_a = (image.rows + size.height - 1) / size.height;
    const i64 tiles_b = (image.columns + size.width - 1) / size.width;
    for (i64 item = blockIdx.x; item < tiles_a * tiles_b; item += gridDim.x) {
        const i64 y0 = item / tiles_b * size.height, x0 = item % tiles_b * size.width;
        const int height = image.rows - y0 < size.height ? (int)(image.rows - y0) : size.height;
        const int width = image.columns - x0 < size.width ? (int)(image.columns - x0) : size.width;
        // 1
        load_slopes(down, across, pitch, image, y0 - radius_a, x0 - radius_b, height + 2 * radius_a,
                    width + 2 * radius_b, [](T value) { return img_as_float<W>(value); });
        __syncthreads();
        // 2
        for (int r = threadIdx.y; r < height; r += blockDim.y)
            for (int c = threadIdx.x * LANES; c < width + 2 * radius_b; c += blockDim.x * LANES)
#pragma unroll
                for (int k = 0; k < 3; ++k) {
                    const int at = r * pitch + c;
                    Sums sum;
                    sum.filter_pairs(Products<W>{first[k] + at, second[k] + at}, pitch, pitch,
                                     taps.along_a, radius_a);
                    sum.put(mid + k * mids + at, pitch);
                }
        __syncthreads();
        // 3
        for (int r = threadIdx.y; r < height; r += blockDim.y)
            for (int c = threadIdx.x * LANES; c < width; c += blockDim.x * LANES) {
                Sums sums[3];
#pragma unroll
                for (int k = 0; k < 3; ++k)
                    sums[k].filter_pairs(mid + k * mids + r * pitch + c, pitch, 1, taps.along_b, radius_b);
                const int count = width - c < LANES ? width - c : LANES;
                for (int l = 0; l < count; ++l) {
                    const W elements[3] = {(W)sums[0].sum[0][l], (W)sums[1].sum[0][l], (W)sums[2].sum[0][l]};
                    take((y0 + r) * image.columns + (x0 + c + l), elements);
                }
            }
        // The next tile's slopes go where nobody reads any more; `mid` is written behind the
        // barrier after them.
    }
}
