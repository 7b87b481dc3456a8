// The grid on which the biharmonic equations of wanted pixels stand, and what is made of their solution.
//
// The matrix is the square of the Laplacian of a grid whose border is mirrored: integers, exact, and
// positive definite where the image has a pixel that is known. scikit-image writes the same numbers,
// from its Laplacian of Laplacian of a point, cut at the border.
#pragma once
#include "common/ordered.cuh"
#include "common/types.cuh"

constexpr int MOST_AXES = 8;

// An image's axes, the last one first to vary, and how many bits the index of a pixel has.
struct Grid {
    i64 lengths[MOST_AXES], strides[MOST_AXES];
    i64 pixels;
    int axes, bits;
};

constexpr i64 NO_MATRIX = -1;  // offset of a hole that is too large for one

__device__ inline i64 thread_index() { return blockIdx.x * (i64)blockDim.x + threadIdx.x; }
__device__ inline i64 all_threads() { return gridDim.x * (i64)blockDim.x; }
__device__ inline i64 along(const Grid& grid, int a, i64 pixel) {
    return pixel / grid.strides[a] % grid.lengths[a];
}
__device__ inline int sides(i64 at, i64 length) { return (at > 0) + (at + 1 < length); }

// visit(other, coefficient) for each pixel that the equation of `pixel` has, itself first. Any thread.
template <class Visit> __device__ inline void for_coupled(const Grid& grid, i64 pixel, const Visit& visit) {
    int all = 0;
    for (int a = 0; a < grid.axes; ++a) all += sides(along(grid, a, pixel), grid.lengths[a]);
    visit(pixel, all * all + all);
    for (int a = 0; a < grid.axes; ++a) {
        const i64 at = along(grid, a, pixel), length = grid.lengths[a], stride = grid.strides[a];
        for (int step = -1; step <= 1; step += 2) {
            if (at + step < 0 || at + step >= length) continue;
            const i64 beside = pixel + step * stride;
            visit(beside, sides(at, length) - sides(at + step, length) - 2 * all);
            if (at + 2 * step >= 0 && at + 2 * step < length) visit(beside + step * stride, 1);
            for (int b = 0; b < a; ++b) {
                const i64 there = along(grid, b, pixel);
                if (there > 0) visit(beside - grid.strides[b], 2);
                if (there + 1 < grid.lengths[b]) visit(beside + grid.strides[b], 2);
            }
        }
    }
}

// Writes the solution for a pixel, clipped to the range of its channel (`known` in inpaint.cu). Any thread.
template <class W>
__device__ inline void write_clipped(double solved, i64 pixel, i64 channel, i64 channels,
                                     const typename Ordered<W>::Key* ranges, W* result) {
    using Key = typename Ordered<W>::Key;
    const W low = Ordered<W>::value((Key)~ranges[channel]), high = Ordered<W>::value(ranges[channels + channel]);
    W value = (W)solved;
    if (value < low) value = low;
    if (value > high) value = high;
    result[pixel * channels + channel] = value;
}
