// Gaussian filter along one axis, any radius: the way of radii above 16.
//
// What: each element becomes the weighted sum of its neighbours along one axis. The
// weights are taken in pieces of `PIECE` taps, so that tile and halo fit into shared
// memory whatever the radius; the sums wait in shared memory between the pieces:
//
//     for each piece:  1. tile and the piece's halo, converted, into `raw`
//                      2. `sums` += piece of the weights over `raw`
//     3. `sums` into the result
//
// A weight is exp(exponent * t^2) * norm, computed where it is needed: no radius needs an
// array of weights on the device.
//
// gaussian_columns takes axes whose neighbours are far apart (the elements between them
// are the tile's rows), gaussian_rows the last axis and few interleaved elements.
//
// Image: bool, (u)int8..64, float16/32/64. Result: float or double. Computed in float for
// float16 and float32 images with a float result, else in double.
// One launch; each input element is read once and each result element is written once
// (the halos again, from cache). Shared memory: at most 34 kB.
//
// Source: scikit-image `filters.gaussian`, SciPy `ndimage.gaussian_filter`.
#include "common/shared.cuh"
#include "filters/gaussian_taps.cuh"

// taps[t] becomes the weight at `first` + t elements from the centre, for t in [0, count).
// Called by all threads of the block. Writes shared memory: a barrier must follow.
template <class W>
__device__ inline void make_taps(W* taps, i64 first, int count, double exponent, double norm) {
    const int threads = blockDim.x * blockDim.y;
    for (int t = threadIdx.y * blockDim.x + threadIdx.x; t < count; t += threads) {
        const double distance = (double)(first + t);
        taps[t] = (W)(exp(exponent * (distance * distance)) * norm);
    }
}

// The array is seen as (outer, a, inner); tiles are 32 elements of `inner` wide.
template <class T, class O>
__global__ void __launch_bounds__(256, 2)
    gaussian_columns(const T* image, O* result, i64 radius, double exponent, double norm,
                     i64 outer, i64 a_size, i64 inner, int mode, double cval, double scale,
                     double lowest) {
    typedef typename Accumulator<T, O>::type W;
    constexpr int WIDTH = 32, HEIGHT = 32, PIECE = 64;
    constexpr int RUN = 4;  // rows that one thread computes
    DYN_SHARED(W, raw);     // (HEIGHT + PIECE - 1) * WIDTH
    W* const sums = raw + (HEIGHT + PIECE - 1) * WIDTH;  // HEIGHT * WIDTH
    W* const taps = sums + HEIGHT * WIDTH;               // PIECE

    const Scaled<T, W> convert(scale, lowest);
    const Axis a = {a_size, inner, mode}, b = {inner, 1, NEAREST};
    const i64 tiles_a = (a_size + HEIGHT - 1) / HEIGHT, tiles_b = (inner + WIDTH - 1) / WIDTH;
    const i64 count = 2 * radius + 1;
    for (i64 item = blockIdx.x; item < outer * tiles_a * tiles_b; item += gridDim.x) {
        const i64 b0 = item % tiles_b * WIDTH, a0 = item / tiles_b % tiles_a * HEIGHT;
        const i64 plane = item / tiles_b / tiles_a * a_size * inner;
        const int height = a_size - a0 < HEIGHT ? (int)(a_size - a0) : HEIGHT;
        const int width = inner - b0 < WIDTH ? (int)(inner - b0) : WIDTH;

        for (i64 done = 0; done < count; done += PIECE) {
            const int piece = count - done < PIECE ? (int)(count - done) : PIECE;
            // 1
            make_taps(taps, done - radius, piece, exponent, norm);
            load_tile(raw, WIDTH, image + plane, a, b, a0 - radius + done, b0,
                      height + piece - 1, width, (W)cval, convert);
            __syncthreads();
            // 2, 3: each strip is one thread's in every piece, so `sums` needs no barrier
            for (int r = threadIdx.y * RUN; r < height; r += blockDim.y * RUN)
                for (int c = threadIdx.x * LANES; c < width; c += blockDim.x * LANES) {
                    Strip<RUN, W> sum;
                    if (done > 0) sum.get(sums + r * WIDTH + c, WIDTH);
                    sum.filter(raw + r * WIDTH + c, WIDTH, WIDTH, taps, piece);
                    if (done + piece < count) {
                        sum.put(sums + r * WIDTH + c, WIDTH);
                    } else {
                        sum.store(result + plane + (a0 + r) * inner + b0 + c, inner, 1,
                                  height - r, width - c);
                    }
                }
            __syncthreads();  // before the next piece goes into `raw`
        }
    }
}

// The array is seen as (outer, a, inner) with inner < 32; a row is all of (a, inner), tiles
// are 128 elements of it wide.
template <class T, class O>
__global__ void __launch_bounds__(256, 2)
    gaussian_rows(const T* image, O* result, i64 radius, double exponent, double norm, i64 outer,
                  i64 a_size, i64 inner, int mode, double cval, double scale, double lowest) {
    typedef typename Accumulator<T, O>::type W;
    constexpr int WIDTH = 128, HEIGHT = 8, HALO = 256, PITCH = WIDTH + HALO;
    constexpr int RUN = 2;  // rows that one thread computes
    DYN_SHARED(W, raw);     // HEIGHT * PITCH
    W* const sums = raw + HEIGHT * PITCH;   // HEIGHT * WIDTH
    W* const taps = sums + HEIGHT * WIDTH;  // HALO + 1

    const Scaled<T, W> convert(scale, lowest);
    const int step = (int)inner;
    const int most = HALO / step + 1;  // taps whose halo fits
    const Axis a = {a_size, 1, mode};
    const i64 row = a_size * inner;
    const i64 tiles = (row + WIDTH - 1) / WIDTH, groups = (outer + HEIGHT - 1) / HEIGHT;
    const i64 count = 2 * radius + 1;
    for (i64 item = blockIdx.x; item < groups * tiles; item += gridDim.x) {
        const i64 x0 = item % tiles * WIDTH, y0 = item / tiles * HEIGHT;
        const int height = outer - y0 < HEIGHT ? (int)(outer - y0) : HEIGHT;
        const int width = row - x0 < WIDTH ? (int)(row - x0) : WIDTH;

        for (i64 done = 0; done < count; done += most) {
            const int piece = count - done < most ? (int)(count - done) : most;
            // 1
            make_taps(taps, done - radius, piece, exponent, norm);
            for (int r = threadIdx.y; r < height; r += blockDim.y)
                load_row(raw + r * PITCH, image + (y0 + r) * row, a, x0 + (done - radius) * inner,
                         width + (piece - 1) * step, inner, (W)cval, convert);
            __syncthreads();
            // 2, 3: each strip is one thread's in every piece, so `sums` needs no barrier
            for (int r = threadIdx.y * RUN; r < height; r += blockDim.y * RUN)
                for (int c = threadIdx.x * LANES; c < width; c += blockDim.x * LANES) {
                    Strip<RUN, W> sum;
                    if (done > 0) sum.get(sums + r * WIDTH + c, WIDTH);
                    sum.filter(raw + r * PITCH + c, PITCH, step, taps, piece);
                    if (done + piece < count) {
                        sum.put(sums + r * WIDTH + c, WIDTH);
                    } else {
                        sum.store(result + (y0 + r) * row + x0 + c, row, 1, height - r, width - c);
                    }
                }
            __syncthreads();  // before the next piece goes into `raw`
        }
    }
}
