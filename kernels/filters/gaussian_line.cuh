// The Gaussian filter along one axis, any radius: what gaussian_line.cu and
// gaussian_detail_line.cu are made of.
//
// The weights are taken in pieces, so that tile and halo fit into shared memory whatever the
// radius; the sums wait in shared memory between the pieces:
//
//     for each bell:
//         for each piece of it:
//             1. tile and the piece's halo, converted, into `raw`
//             2. `sums` += piece of the weights over `raw`
//         3. `sums` to whoever takes them
//
// A weight is exp(exponent * t^2) * norm, computed where it is needed: no radius needs an
// array of weights on the device. Shared memory: at most 34 kB.
#pragma once
#include "common/shared.cuh"
#include "filters/gaussian_taps.cuh"

// The weights of one filter.
struct Bell {
    i64 radius;
    double exponent, norm;
};

// The array is seen as (outer, length, inner) and filtered along its length.
struct LineShape {
    i64 outer, length, inner;
    int mode;
};

// taps[t] becomes the weight at `first` + t elements from the centre, for t in [0, count).
// Called by all threads of the block. Writes shared memory: a barrier must follow.
template <class W>
__device__ inline void make_taps(W* taps, i64 first, int count, const Bell& bell) {
    const int threads = blockDim.x * blockDim.y;
    for (int t = threadIdx.y * blockDim.x + threadIdx.x; t < count; t += threads) {
        const double distance = (double)(first + t);
        taps[t] = (W)(exp(bell.exponent * (distance * distance)) * bell.norm);
    }
}

// A piece of all weights: `count` of them, and whether it is the first or the last one.
template <class W> struct Weights {
    const W* taps;
    int count;
    bool first, last;
};

// Adds to `sums`, of WIDTH columns, what a piece of the weights makes of `raw`, whose rows are
// `pitch` and whose neighbours along the filter are `apart`. Behind the last piece the sums go
// to store(sums, row, column), by strips of RUN rows.
//   called by: all threads of the block, after a barrier behind the last write to `raw` and the
//              taps; another must follow
// Each strip is one thread's in every piece, so `sums` needs no barrier.
template <int RUN, int WIDTH, class W, class Store>
__device__ inline void filter_strips(const W* raw, int pitch, int apart, const Weights<W>& weights,
                                     W* sums, int height, int width, const Store& store) {
    for (int r = threadIdx.y * RUN; r < height; r += blockDim.y * RUN)
        for (int c = threadIdx.x * LANES; c < width; c += blockDim.x * LANES) {
            Strip<RUN, W> sum;
            if (!weights.first) sum.get(sums + r * WIDTH + c, WIDTH);
            sum.filter(raw + r * pitch + c, pitch, apart, weights.taps, weights.count);
            if (weights.last)
                store(sum, r, c);
            else
                sum.put(sums + r * WIDTH + c, WIDTH);
        }
}

// Filters images by one bell each, one after the other: tiles `first`, `first` + `step`, ...
// that are 32 elements of `inner` wide and 32 of the length high.
//
// raw    shared memory: (32 + 63) * 32 + 32 * 32 + 64 elements
// store  store(bell, sums, place, row_stride, stride, rows, columns): a strip of results of the
//        bell of this number, of which the first belongs at `place` of the array; for all bells
//        by the same thread
//
// Called by all threads of the block.
template <int BELLS, class T, class W, class Convert, class Store>
__device__ inline void filter_columns(W* raw, const T* const (&images)[BELLS],
                                      const Bell (&bells)[BELLS], const LineShape& shape, W cval,
                                      const Convert& convert, i64 first, i64 step, Store store) {
    constexpr int WIDTH = 32, HEIGHT = 32, PIECE = 64;
    constexpr int RUN = 4;  // rows that one thread computes
    W* const sums = raw + (HEIGHT + PIECE - 1) * WIDTH;  // HEIGHT * WIDTH
    W* const taps = sums + HEIGHT * WIDTH;               // PIECE

    const i64 length = shape.length, inner = shape.inner;
    const Axis a = {length, inner, shape.mode}, b = {inner, 1, NEAREST};
    const i64 tiles_a = (length + HEIGHT - 1) / HEIGHT, tiles_b = (inner + WIDTH - 1) / WIDTH;
    for (i64 item = first; item < shape.outer * tiles_a * tiles_b; item += step) {
        const i64 b0 = item % tiles_b * WIDTH, a0 = item / tiles_b % tiles_a * HEIGHT;
        const i64 plane = item / tiles_b / tiles_a * length * inner;
        const int height = length - a0 < HEIGHT ? (int)(length - a0) : HEIGHT;
        const int width = inner - b0 < WIDTH ? (int)(inner - b0) : WIDTH;

#pragma unroll
        for (int f = 0; f < BELLS; ++f) {
            const i64 radius = bells[f].radius, count = 2 * radius + 1;
            for (i64 done = 0; done < count; done += PIECE) {
                const int piece = count - done < PIECE ? (int)(count - done) : PIECE;
                // 1
                make_taps(taps, done - radius, piece, bells[f]);
                load_tile(raw, WIDTH, images[f] + plane, a, b, a0 - radius + done, b0,
                          height + piece - 1, width, cval, convert);
                __syncthreads();
                // 2, 3
                const Weights<W> weights = {taps, piece, done == 0, done + piece == count};
                filter_strips<RUN, WIDTH>(
                    raw, WIDTH, WIDTH, weights, sums, height, width,
                    [&](const Strip<RUN, W>& sum, int r, int c) {
                        store(f, sum, plane + (a0 + r) * inner + b0 + c, inner, (i64)1,
                              height - r, width - c);
                    });
                __syncthreads();  // before the next piece goes into `raw`
            }
        }
    }
}

// The same for `inner` below 32: a row is all of (length, inner), tiles are 128 elements of it
// wide and 8 rows high. Shared memory: 8 * (128 + 256) + 8 * 128 + 257 elements.
template <int BELLS, class T, class W, class Convert, class Store>
__device__ inline void filter_rows(W* raw, const T* const (&images)[BELLS],
                                   const Bell (&bells)[BELLS], const LineShape& shape, W cval,
                                   const Convert& convert, i64 first, i64 step, Store store) {
    constexpr int WIDTH = 128, HEIGHT = 8, HALO = 256, PITCH = WIDTH + HALO;
    constexpr int RUN = 2;  // rows that one thread computes
    W* const sums = raw + HEIGHT * PITCH;   // HEIGHT * WIDTH
    W* const taps = sums + HEIGHT * WIDTH;  // HALO + 1

    const i64 inner = shape.inner, outer = shape.outer;
    const int apart = (int)inner;
    const int most = HALO / apart + 1;  // taps whose halo fits
    const Axis a = {shape.length, 1, shape.mode};
    const i64 row = shape.length * inner;
    const i64 tiles = (row + WIDTH - 1) / WIDTH, groups = (outer + HEIGHT - 1) / HEIGHT;
    for (i64 item = first; item < groups * tiles; item += step) {
        const i64 x0 = item % tiles * WIDTH, y0 = item / tiles * HEIGHT;
        const int height = outer - y0 < HEIGHT ? (int)(outer - y0) : HEIGHT;
        const int width = row - x0 < WIDTH ? (int)(row - x0) : WIDTH;

#pragma unroll
        for (int f = 0; f < BELLS; ++f) {
            const i64 radius = bells[f].radius, count = 2 * radius + 1;
            for (i64 done = 0; done < count; done += most) {
                const int piece = count - done < most ? (int)(count - done) : most;
                // 1
                make_taps(taps, done - radius, piece, bells[f]);
                for (int r = threadIdx.y; r < height; r += blockDim.y)
                    load_row(raw + r * PITCH, images[f] + (y0 + r) * row, a,
                             x0 + (done - radius) * inner, width + (piece - 1) * apart, inner,
                             cval, convert);
                __syncthreads();
                // 2, 3
                const Weights<W> weights = {taps, piece, done == 0, done + piece == count};
                filter_strips<RUN, WIDTH>(
                    raw, PITCH, apart, weights, sums, height, width,
                    [&](const Strip<RUN, W>& sum, int r, int c) {
                        store(f, sum, (y0 + r) * row + x0 + c, row, (i64)1, height - r,
                              width - c);
                    });
                __syncthreads();  // before the next piece goes into `raw`
            }
        }
    }
}

// Sums as they are, into the result.
template <class O> struct Stored {
    O* result;
    template <class Sums>
    __device__ void operator()(int, const Sums& sums, i64 place, i64 row_stride, i64 stride,
                               int rows, int columns) const {
        sums.store(result + place, row_stride, stride, rows, columns);
    }
};

// The way of an axis, as a type: kernels are templates over it.
struct Columns {
    template <class... Arguments> static __device__ void filter(Arguments&&... arguments) {
        filter_columns(arguments...);
    }
};
struct Rows {
    template <class... Arguments> static __device__ void filter(Arguments&&... arguments) {
        filter_rows(arguments...);
    }
};
