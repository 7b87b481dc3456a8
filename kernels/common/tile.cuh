// Tiles of an image with their halos in shared memory.
//
// A block has (x, y) threads; x runs along the tile's rows, so that a warp reads
// consecutive elements. Everything here is block-stride: right for any block, also for
// a single thread.
#pragma once
#include "common/boundary.cuh"
#include "common/types.cuh"

// Neighbours in x that one thread computes at once. One on a GPU, where the threads of a
// warp are the vector; where a block is one thread of a CPU, a few of its registers: there
// `#pragma omp simd` over the lanes makes vectors of them (NVRTC passes over it).
#ifdef SIM_FLAT
constexpr int LANES = 16;
#else
constexpr int LANES = 1;
#endif

// Floating type in which images of type T are filtered: scikit-image keeps float32 and
// makes it of float16; everything else becomes double.
template <class T> struct Working { typedef double type; };
template <> struct Working<float> { typedef float type; };
template <> struct Working<float16> { typedef float type; };

// One axis of an image: its length, the distance of neighbours in elements, the
// extension beyond its ends.
struct Axis {
    i64 size;
    i64 stride;
    int mode;
};

// Fills one row of a tile: dst[c] becomes the element at x0 + c, for c in [0, width).
//
// row      first element of the image's row
// axis     the row's axis; x0 may lie outside of it on either side
// inner    interleaved elements at each position (x counts elements: x / inner is the
//          position on the axis, inner * axis.size elements are a row); 1 as a rule
// cval     stands beyond the ends under CONSTANT
// convert  callable that makes a W of a T
//
// Called by all threads of equal threadIdx.y. Writes shared memory: a barrier must follow.
template <class W, class T, class Convert>
__device__ inline void load_row(W* __restrict__ dst, const T* __restrict__ row, Axis axis,
                                i64 x0, int width, i64 inner, W cval, Convert convert) {
    // columns [first, last) lie inside the image; no boundary arithmetic there
    const i64 length = axis.size * inner;
    const int first = x0 >= 0 ? 0 : -x0 < width ? (int)-x0 : width;
    const int last = length - x0 >= width ? width : length - x0 > first ? (int)(length - x0) : first;
    if (axis.stride == 1) {
        const T* inside = row + (x0 + first);
        for (int c = first + threadIdx.x; c < last; c += blockDim.x)
            dst[c] = convert(inside[c - first]);
    } else {
        for (int c = first + threadIdx.x; c < last; c += blockDim.x)
            dst[c] = convert(row[(x0 + c) * axis.stride]);
    }
    const int outside = width - (last - first);
    for (int k = threadIdx.x; k < outside; k += blockDim.x) {
        const int c = k < first ? k : k + (last - first);
        const i64 x = x0 + c;
        const i64 position = (x >= 0 ? x : x - (inner - 1)) / inner;
        const i64 source = boundary_index(position, axis.size, axis.mode);
        dst[c] = source < 0
                     ? cval
                     : convert(row[(source * inner + (x - position * inner)) * axis.stride]);
    }
}

// The largest multiple of `step` up to `count`.
__device__ inline int whole_steps(int count, int step) {
    return (step & (step - 1)) == 0 ? count & -step : count / step * step;
}

// Fills `rows` rows of `width` elements, `pitch` apart: dst[r * pitch + c] becomes the
// element at (y0 + r, x0 + c) of the plane whose first element is `plane`. Where both
// axes are outside and one is CONSTANT, the constant stands.
//
//     1. columns inside of the image, as many as the block's rows of threads have whole steps
//     2. the few that are left, and those outside, by all threads of the block side by side
//
// Called by all threads of the block. Writes shared memory: a barrier must follow.
template <class W, class T, class Convert>
__device__ inline void load_tile(W* dst, int pitch, const T* plane, Axis y_axis, Axis x_axis,
                                 i64 y0, i64 x0, int rows, int width, W cval, Convert convert) {
    const int first = x0 >= 0 ? 0 : -x0 < width ? (int)-x0 : width;
    const int last = x_axis.size - x0 >= width ? width : x_axis.size - x0 > first ? (int)(x_axis.size - x0) : first;
    const int steps = whole_steps(last - first, blockDim.x);
    // 1
    const bool within = y0 >= 0 && y0 + rows <= y_axis.size;
    const T* const inside = plane + (x0 + first + threadIdx.x) * x_axis.stride;
    const i64 step = blockDim.x * x_axis.stride, down = blockDim.y * y_axis.stride;
    i64 row = (y0 + threadIdx.y) * y_axis.stride;
    for (int r = threadIdx.y; r < rows; r += blockDim.y, row += down) {
        const i64 y = within ? 0 : boundary_index(y0 + r, y_axis.size, y_axis.mode);
        const T* element = inside + (within ? row : y * y_axis.stride);
        W* const line = dst + (r * pitch + first);
        if (y < 0) {
            for (int c = threadIdx.x; c < steps; c += blockDim.x) line[c] = cval;
        } else if (LANES > 1 && x_axis.stride == 1) {  // for a CPU's vectors
            for (int c = threadIdx.x; c < steps; c += blockDim.x) line[c] = convert(element[c]);
        } else {
            for (int c = threadIdx.x; c < steps; c += blockDim.x, element += step) line[c] = convert(*element);
        }
    }
    // 2
    const int left = width - steps, threads = blockDim.x * blockDim.y;
    if (left == 0) return;
    const int log = left > 1 ? 32 - __clz(left - 1) : 0;  // 2^log >= left
    for (int k = threadIdx.y * blockDim.x + threadIdx.x; k < rows << log; k += threads) {
        const int at = k & ((1 << log) - 1), r = k >> log;
        if (at >= left) continue;
        const int c = at < first ? at : at + steps;
        const i64 y = boundary_index(y0 + r, y_axis.size, y_axis.mode);
        const i64 x = boundary_index(x0 + c, x_axis.size, x_axis.mode);
        dst[r * pitch + c] = y < 0 || x < 0 ? cval : convert(plane[y * y_axis.stride + x * x_axis.stride]);
    }
}

// The same, with fewer instructions and more registers: a thread takes columns, where they are beyond the
// ends is asked once for each, and goes down them without asking, where all rows are inside.
template <class W, class T, class Convert>
__device__ inline void load_columns(W* dst, int pitch, const T* plane, Axis y_axis, Axis x_axis,
                                    i64 y0, i64 x0, int rows, int width, W cval, Convert convert) {
    if constexpr (LANES > 1) {  // a CPU's vectors are for rows
        load_tile(dst, pitch, plane, y_axis, x_axis, y0, x0, rows, width, cval, convert);
        return;
    }
    const bool within = y0 >= 0 && y0 + rows <= y_axis.size;
    const T* const top = plane + (y0 + threadIdx.y) * y_axis.stride;
    const i64 down = blockDim.y * y_axis.stride;
    for (int c = threadIdx.x; c < width; c += blockDim.x) {
        const i64 x = boundary_index(x0 + c, x_axis.size, x_axis.mode);
        W* there = dst + (threadIdx.y * pitch + c);
        if (within && x >= 0) {
            const T* element = top + x * x_axis.stride;
            for (int r = threadIdx.y; r < rows; r += blockDim.y, element += down, there += blockDim.y * pitch)
                *there = convert(*element);
        } else {
            for (int r = threadIdx.y; r < rows; r += blockDim.y, there += blockDim.y * pitch) {
                const i64 y = x < 0 ? -1 : boundary_index(y0 + r, y_axis.size, y_axis.mode);
                *there = y < 0 ? cval : convert(plane[y * y_axis.stride + x * x_axis.stride]);
            }
        }
    }
}

// work(r, c) for each strip of RUN rows and LANES columns of a tile, side by side over all threads of
// the block, so that few are idle where a row of strips is no multiple of a warp. Fewer than 2^20 strips.
template <int RUN, class Work> __device__ inline void for_strips(int rows, int columns, Work work) {
    const int across = (columns + LANES - 1) / LANES, count = (rows + RUN - 1) / RUN * across;
    const float inverse = 1.0f / across;
    for (int k = threadIdx.y * blockDim.x + threadIdx.x; k < count; k += blockDim.x * blockDim.y) {
        const int r = (int)((k + 0.5f) * inverse);  // k / across: half a strip is more than rounding
        work(r * RUN, (k - r * across) * LANES);
    }
}
