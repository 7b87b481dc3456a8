// Bilateral filter of a plane with channels, and the spread of its values.
//
// In: the image in float or double, its channels last; tables of weights by colour and by place, made
// on the host. Out: the filtered image. `bilateral` reads the image once, with halos that come from
// cache, and writes the result once; the window of a pixel is looked at by one thread, row after row,
// so that sums are added in scikit-image's order and are equal to the last bit. Small windows have the
// image's tile in shared memory; of large ones neighbours are read from cache.
//
// `spread` reads the image once and is launched twice: for the mean, then for the standard deviation. An
// image larger than the device comes in stretches, of which NumPy adds up each by itself, too.
//
// Source: skimage/restoration/_denoise_cy.pyx; NumPy _methods.py (`_var`). That the root of a rounded
// square is the number itself: Boldo, "Stupid is as stupid does", 2015.
#include "common/boundary.cuh"
#include "common/pairwise.cuh"
#include "common/rounded.cuh"
#include "common/shared.cuh"

// The same in `skimage_gpu_backend/functions/restoration/bilateral.py`.
constexpr int ROWS = 16, COLUMNS = 32;
constexpr int GROUP = 4;  // channels that are added up in one pass over a window of many

struct Plane {
    i64 rows, columns, channels;
    int reach, mode;
};

__device__ inline float root(float x) { return __fsqrt_rn(x); }
__device__ inline double root(double x) { return __dsqrt_rn(x); }

// The place in the table of colours; the first one for what no 64-bit integer holds, as on x86.
template <class W> __device__ inline i64 bin_of(W distance, i64 bins) {
    if (!(distance < (W)9223372036854775808.0)) return 0;
    const i64 bin = (i64)distance;
    return bin < bins ? bin : bins - 1;
}

// Where a pixel's neighbours are.
//   at(dy, dx, channel): the value, of any place in the window of the pixel
template <class W> struct InTile {
    const W* centre;
    int pitch, channels;
    __device__ W at(int dy, int dx, int channel) const { return centre[(dy * pitch + dx) * channels + channel]; }
};
template <class W> struct InImage {
    const W* image;
    Plane plane;
    i64 y, x;
    W least, cval;
    __device__ W at(int dy, int dx, int channel) const {
        const i64 row = boundary_index(y + dy, plane.rows, plane.mode);
        const i64 column = boundary_index(x + dx, plane.columns, plane.mode);
        if (row < 0 || column < 0) return cval;
        return NumpyArithmetic<W>::subtract(image[(row * plane.columns + column) * plane.channels + channel], least);
    }
};

// The filtered channels of one pixel, from `first` on: `count` of them, GROUP at most.
//   CHANNELS: how many there are, where that is known; else 0
template <class W, int CHANNELS, class Window>
__device__ inline void filter_pixel(const Window& window, const Plane& plane, i64 first, i64 count, const W* colors,
                                    i64 bins, const W* places, i64 across, W scale, W least, W* result) {
    using A = NumpyArithmetic<W>;
    constexpr int KEPT = CHANNELS ? CHANNELS : GROUP;
    W sums[KEPT], centre[KEPT], values[KEPT];
    W total = 0;
#pragma unroll
    for (int c = 0; c < KEPT; ++c) {
        sums[c] = values[c] = 0;
        centre[c] = CHANNELS ? window.at(0, 0, c) : (W)0;
    }
    for (int dy = -plane.reach; dy <= plane.reach; ++dy)
        for (int dx = -plane.reach; dx <= plane.reach; ++dx) {
            W distance = 0;
            if (CHANNELS) {
#pragma unroll
                for (int c = 0; c < KEPT; ++c) {
                    values[c] = window.at(dy, dx, c);
                    const W t = A::subtract(centre[c], values[c]);
                    distance = CHANNELS == 1 ? (t < 0 ? -t : t) : A::add(distance, A::multiply(t, t));
                }
            } else {
                for (i64 c = 0; c < plane.channels; ++c) {
                    const W t = A::subtract(window.at(0, 0, (int)c), window.at(dy, dx, (int)c));
                    distance = A::add(distance, A::multiply(t, t));
                }
#pragma unroll
                for (int c = 0; c < KEPT; ++c)
                    if (c < count) values[c] = window.at(dy, dx, (int)first + c);
            }
            if (CHANNELS != 1) distance = root(distance);
            const W place = places[(dy + plane.reach) * across + dx + plane.reach];
            const W weight = A::multiply(place, colors[bin_of(A::multiply(distance, scale), bins)]);
#pragma unroll
            for (int c = 0; c < KEPT; ++c) sums[c] = A::add(sums[c], A::multiply(values[c], weight));
            total = A::add(total, weight);
        }
#pragma unroll
    for (int c = 0; c < KEPT; ++c)
        if (CHANNELS || c < count) result[first + c] = A::add(A::divide(sums[c], total), least);
}

// result: the filtered image.
//   colors, bins:   weights by colour, and how many
//   places, across: weights by place, and how many are a row
//   scale:          makes a place in `colors` of a distance between colours
//   least:          subtracted before, and added to the result
//   cval:           beyond the border; nothing is subtracted from it
//   IN_TILE:        the dynamic shared memory holds ROWS x COLUMNS pixels and the reach around them
template <class W, int CHANNELS, bool IN_TILE>
__global__ void bilateral(const W* image, Plane plane, const W* colors, i64 bins, const W* places, i64 across,
                          W scale, W least, W cval, W* result) {
    using A = NumpyArithmetic<W>;
    DYN_SHARED(W, tile);
    const int channels = CHANNELS ? CHANNELS : (int)plane.channels;
    const i64 over = (plane.columns + COLUMNS - 1) / COLUMNS, tiles = over * ((plane.rows + ROWS - 1) / ROWS);
    const int pitch = COLUMNS + 2 * plane.reach, height = ROWS + 2 * plane.reach;
    for (i64 number = blockIdx.x; number < tiles; number += gridDim.x) {
        const i64 y0 = number / over * ROWS, x0 = number % over * COLUMNS;
        if (IN_TILE) {
            for (int i = threadIdx.x; i < height * pitch; i += blockDim.x) {
                const i64 row = boundary_index(y0 - plane.reach + i / pitch, plane.rows, plane.mode);
                const i64 column = boundary_index(x0 - plane.reach + i % pitch, plane.columns, plane.mode);
                const bool inside = row >= 0 && column >= 0;
                const W* const pixel = image + (inside ? (row * plane.columns + column) * channels : 0);
                for (int c = 0; c < channels; ++c)
                    tile[i * channels + c] = inside ? A::subtract(pixel[c], least) : cval;
            }
            __syncthreads();
        }
        for (int i = threadIdx.x; i < ROWS * COLUMNS; i += blockDim.x) {
            const i64 y = y0 + i / COLUMNS, x = x0 + i % COLUMNS;
            if (y >= plane.rows || x >= plane.columns) continue;
            W* const made = result + (y * plane.columns + x) * channels;
            const int place = ((i / COLUMNS + plane.reach) * pitch + i % COLUMNS + plane.reach) * channels;
            for (int first = 0; first < channels; first += CHANNELS ? CHANNELS : GROUP) {
                const int count = channels - first < GROUP ? channels - first : GROUP;
                if (IN_TILE)
                    filter_pixel<W, CHANNELS>(InTile<W>{tile + place, pitch, channels}, plane, first, count, colors,
                                              bins, places, across, scale, least, made);
                else
                    filter_pixel<W, CHANNELS>(InImage<W>{image, plane, y, x, least, cval}, plane, first, count, colors,
                                              bins, places, across, scale, least, made);
            }
        }
        if (IN_TILE) __syncthreads();  // before the next tile
    }
}

template <class W> struct Sum {
    W value;
    __device__ Sum operator+(const Sum& other) const { return {NumpyArithmetic<W>::add(value, other.value)}; }
};

// found[0]: the sum of n elements; where that of all `whole` ones is there already, found[1]: the sum of
// the squares of what they differ from their mean by.
//   depth, halves, partials, arrived: of PairwiseSum
template <class W, bool HAS_SUM>
__global__ void spread(const W* image, i64 n, i64 whole, int depth, int halves, void* partials, u32* arrived, W* found) {
    using A = NumpyArithmetic<W>;
    __shared__ Sum<W> sums[PairwiseSum<Sum<W>>::SHARED];
    const W mean = HAS_SUM ? (W)__ddiv_rn((double)found[0], (double)whole) : (W)0;
    const auto add = [&](Sum<W> sum, i64 first, int count, int step) {
        for (i64 i = first; count > 0; --count, i += step) {
            const W t = HAS_SUM ? A::subtract(image[i], mean) : image[i];
            sum = sum + Sum<W>{HAS_SUM ? A::multiply(t, t) : t};
        }
        return sum;
    };
    PairwiseSum<Sum<W>>{n, depth, halves, sums, (Sum<W>*)partials, arrived}.run(
        add, [&](const Sum<W>& total) { found[HAS_SUM] = total.value; });
}
