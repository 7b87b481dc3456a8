// The medial axis of a plane: pixels are removed one after the other, by their distance to the
// background, unless that would take apart what is around them. Four kernels:
//
//     rank_pixels   what decides when a pixel has its turn: the square of its distance, then how
//                   much of a corner it is
//     draw_lots     and then a number that was drawn; of pixels of the object
//     turn_pixels   once these are sorted: which pixel has which turn, and the other way round
//     thin          all of them. A thread takes a pixel, and waits for those around it that have
//                   their turn before: the same as one after the other
//
// Whether a pixel stays depends on the pixels around it alone, those with an earlier turn as they were
// left, the others as they were. That has one solution, whatever the threads do. Blocks take pixels by
// a ticket, in the order of turns, so that a block waits only for pixels that other blocks have taken
// before, and none waits forever.
//
// Planes are (rows, columns), of fewer than 2^29 pixels. One launch each, whatever the image shows:
// rank_pixels reads 5 bytes a pixel and writes 13, and squares again where the image has no background.
// Of each pixel of the object draw_lots reads 20 bytes and writes 8, turn_pixels reads 16 and writes 8,
// thin reads 8, and 5 of each of those around it, and writes 1.
//
// Source: scikit-image `morphology.medial_axis`.
#include "common/types.cuh"

constexpr int THREADS = 256;
constexpr int AROUND = 9, CENTER = 4;
enum { REMOVED = 0, KEPT = 1, WAITING = 2 };

// Calls visit(k, pixel) for a pixel and those around it, from the first of the row above; those outside
// of the image are left out. Any thread.
template <class Visit> __device__ inline void around(int pixel, int rows, int columns, const Visit& visit) {
    const int y = pixel / columns, x = pixel - y * columns;
#pragma unroll
    for (int k = 0; k < AROUND; ++k) {
        const int other_y = y + k / 3 - 1, other_x = x + k % 3 - 1;
        if (other_y >= 0 && other_y < rows && other_x >= 0 && other_x < columns) visit(k, other_y * columns + other_x);
    }
}

// any_background: whether there is any; if not, distances are SciPy's, to a place above the first pixel.
// keys: of pixels of the object, in order of their turns; the last 29 bits are left to draw lots.
// states: WAITING, or REMOVED where there is no object. turns: of no pixel of the object, -1.
__global__ void __launch_bounds__(THREADS, 1)
    rank_pixels(const bool* inside, int rows, int columns, const u32* any_background, int* squares, u64* keys,
                u8* states, int* turns) {
    const i64 n = (i64)rows * columns;
    for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < n; i += (i64)gridDim.x * blockDim.x) {
        const int pixel = (int)i;
        if (*any_background == 0) {
            const int y = pixel / columns + 1, x = pixel % columns;
            squares[pixel] = y * y + x * x;
        }
        int empty = AROUND;
        around(pixel, rows, columns, [&](int, int other) { empty -= inside[other]; });
        keys[pixel] = ((u64)squares[pixel] << 4 | (u64)empty) << 29;
        states[pixel] = inside[pixel] ? WAITING : REMOVED;
        turns[pixel] = -1;
    }
}

// places: of the n pixels of the object. result: their keys, no two of them equal.
__global__ void __launch_bounds__(THREADS, 1)
    draw_lots(const i64* places, const u32* drawn, const u64* keys, int n, u64* result) {
    for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < n; i += (i64)gridDim.x * blockDim.x)
        result[i] = keys[places[i]] | drawn[i];
}

// order: of the keys of draw_lots
__global__ void __launch_bounds__(THREADS, 1)
    turn_pixels(const i64* places, const i64* order, int n, int* pixels, int* turns) {
    for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < n; i += (i64)gridDim.x * blockDim.x) {
        const int pixel = (int)places[order[i]];
        pixels[i] = pixel;
        turns[pixel] = (int)i;
    }
}

// Whether a pixel stays, a bit for each of the 512 patterns of what is around it and itself.
struct Stays {
    u32 words[16];
};

// pixels: n of them, in the order of their turns. turns: of each pixel of the object its place there;
// others have -1. ticket: 0 before.
__global__ void __launch_bounds__(THREADS, 1)
    thin(const int* pixels, const int* turns, int n, int rows, int columns, const __grid_constant__ Stays stays,
         u32* ticket, u8* states) {
    __shared__ u32 taken;
    volatile u8* const seen = states;
    for (;;) {
        __syncthreads();  // before it is written again
        if (threadIdx.x == 0) taken = atomicAdd(ticket, 1u);
        __syncthreads();
        const i64 first = (i64)taken * blockDim.x;
        if (first >= n) return;
        const i64 turn = first + threadIdx.x;
        const int pixel = turn < n ? pixels[turn] : 0;
        int pattern = 0, before = 0;  // what is around, and which of it has its turn before; a bit each
        if (turn < n) {
            around(pixel, rows, columns, [&](int k, int other) {
                if (turns[other] < 0) return;
                (turns[other] < turn ? before : pattern) |= 1 << k;
            });
        }
        bool waits = turn < n;
        while (__syncthreads_or(waits)) {
            if (!waits) continue;
            waits = false;
            around(pixel, rows, columns, [&](int k, int other) {
                if (!(before >> k & 1)) return;
                const int state = seen[other];
                if (state == WAITING) {
                    waits = true;
                    return;
                }
                before &= ~(1 << k);
                pattern |= state << k;
            });
            if (!waits) seen[pixel] = stays.words[pattern >> 5] >> (pattern & 31) & 1 ? KEPT : REMOVED;
        }
    }
}
