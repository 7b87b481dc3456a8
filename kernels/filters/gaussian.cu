// Gaussian filter along two axes at once, radius up to 16 on each.
//
// What: one element of every pair of axes (a, b) of a C-contiguous array is the weighted
// sum of its neighbourhood; all other axes are a stack of planes. The filter is
// separable, so a tile goes through shared memory twice:
//
//     1. tile and halo of a plane, converted to the computing type, into `raw`
//     2. filtered along a (down the columns): `raw` into `mid`
//     3. filtered along b (along the rows): `mid` into the result
//
// Tiles are 64 wide and 128 bytes of the computing type high; the halo is the radius.
//
// Image: bool, (u)int8..64, float16/32/64. Result: float or double. Computed in float for
// float16 and float32 images with a float result, else in double.
// One launch; each input element is read once and each result element is written once
// (the halos again, from cache). Shared memory: at most 48 kB.
//
// Source: scikit-image `filters.gaussian`, SciPy `ndimage.gaussian_filter`.
#include "common/shared.cuh"
#include "filters/gaussian_taps.cuh"

constexpr int PAIR_RADIUS = 16;

// The weights of both axes, by value: no copy to the device.
template <class W> struct PairTaps {
    W along_a[2 * PAIR_RADIUS + 1];
    W along_b[2 * PAIR_RADIUS + 1];
    int radius_a, radius_b;
};

// The array is seen as (outer, a, between, b, inner).
template <class T, class O>
__global__ void __launch_bounds__(256, 2)
    gaussian_pair(const T* image, O* result, i64 outer, i64 a_size, i64 between, i64 b_size,
                  i64 inner, int a_mode, int b_mode, double cval, double scale, double lowest,
                  const __grid_constant__ PairTaps<typename Accumulator<T, O>::type> taps) {
    typedef typename Accumulator<T, O>::type W;
    constexpr int WIDTH = 64;
    constexpr int HEIGHT = 128 / sizeof(W);
    constexpr int RUN = HEIGHT / 8;  // rows that one thread computes
    DYN_SHARED(W, raw);

    const Scaled<T, W> convert(scale, lowest);
    const int radius_a = taps.radius_a, radius_b = taps.radius_b;
    const int pitch = (WIDTH + 2 * radius_b + 15) / 16 * 16;
    W* const mid = raw + (HEIGHT + 2 * radius_a) * pitch;

    const Axis a = {a_size, between * b_size * inner, a_mode};
    const Axis b = {b_size, inner, b_mode};
    const i64 tiles_a = (a_size + HEIGHT - 1) / HEIGHT, tiles_b = (b_size + WIDTH - 1) / WIDTH;
    const i64 items = outer * between * inner * tiles_a * tiles_b;
    for (i64 item = blockIdx.x; item < items; item += gridDim.x) {
        // inner planes run fastest: interleaved channels share their cache lines
        const i64 i = item % inner, b0 = item / inner % tiles_b * WIDTH;
        const i64 a0 = item / (inner * tiles_b) % tiles_a * HEIGHT;
        const i64 stack = item / (inner * tiles_b * tiles_a);
        const i64 plane =
            stack / between * (a_size * a.stride) + stack % between * (b_size * inner) + i;
        const int height = a_size - a0 < HEIGHT ? (int)(a_size - a0) : HEIGHT;
        const int width = b_size - b0 < WIDTH ? (int)(b_size - b0) : WIDTH;

        // 1
        load_tile(raw, pitch, image + plane, a, b, a0 - radius_a, b0 - radius_b,
                  height + 2 * radius_a, width + 2 * radius_b, (W)cval, convert);
        __syncthreads();
        // 2
        for (int r = threadIdx.y * RUN; r < height; r += blockDim.y * RUN)
            for (int c = threadIdx.x * LANES; c < width + 2 * radius_b; c += blockDim.x * LANES) {
                Strip<RUN, W> sum;
                sum.filter_pairs(raw + r * pitch + c, pitch, pitch, taps.along_a, radius_a);
                sum.put(mid + r * pitch + c, pitch);
            }
        __syncthreads();
        // 3
        for (int r = threadIdx.y * RUN; r < height; r += blockDim.y * RUN)
            for (int c = threadIdx.x * LANES; c < width; c += blockDim.x * LANES) {
                Strip<RUN, W> sum;
                sum.filter_pairs(mid + r * pitch + c, pitch, 1, taps.along_b, radius_b);
                sum.store(result + plane + (a0 + r) * a.stride + (b0 + c) * b.stride, a.stride,
                          b.stride, height - r, width - c);
            }
        // The next tile may go into `raw` at once: who loads it is past the barrier before 3,
        // and `mid` is written only behind the barrier before 2.
    }
}
