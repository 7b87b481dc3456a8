// Quick shift: each pixel hangs below the nearest one of higher density, in colour and place.
// Four kernels, in this order:
//
//     densities    noise, plus exp(-d^2 / (2 size^2)) of each pixel in the window
//     shift        the nearest pixel of the window that is denser, if it is near enough
//     rank_roots   marks pixels that hang below none and counts those before (common/ranks.cuh)
//     number       looks up each pixel's root, and its number
//
// image: float or double (T), pixels with their channels; CHANNELS of them, or any number where it
// is 0. Index: int, or i64 for 2^31 pixels or more. `densities` reads image and noise once (windows
// again, from cache) and writes a density a pixel; `shift` reads image and densities and writes an
// index a pixel, which the other two read; a quarter of a byte a pixel is written and read.
//
// Sums are added in scikit-image's order and every operation is rounded as it rounds it, in T, but
// for the exponential, which is double's in both.
//
// Source: A. Vedaldi and S. Soatto, "Quick shift and kernel methods for mode seeking", ECCV 2008;
// B. Fulkerson and S. Soatto, "Really quick shift: image segmentation on a GPU", 2010 (a thread a
// pixel); scikit-image `_quickshift_cython`.
#include "common/ranks.cuh"
#include "common/rounded.cuh"
#include "common/union_find.cuh"

struct Plane {
    i64 rows, columns;
    int channels, reach;  // of the window
};

// The window around a pixel, cut at the image's border.
struct Window {
    i64 row, column, top, bottom, left, right;
    __device__ Window(const Plane& image, i64 pixel) : row(pixel / image.columns), column(pixel % image.columns) {
        top = row > image.reach ? row - image.reach : 0;
        left = column > image.reach ? column - image.reach : 0;
        bottom = image.rows - row > image.reach ? row + image.reach + 1 : image.rows;
        right = image.columns - column > image.reach ? column + image.reach + 1 : image.columns;
    }
};

// Squared distances from one pixel, in colour and place.
template <class T, int CHANNELS> struct From {
    typedef NumpyArithmetic<T> A;
    const T* image;
    const T* here;
    T mine[CHANNELS ? CHANNELS : 1];
    int channels;
    i64 row, column;

    __device__ From(const T* image, const Plane& plane, const Window& window, i64 pixel)
        : image(image), here(image + pixel * plane.channels), channels(plane.channels), row(window.row),
          column(window.column) {
#pragma unroll
        for (int c = 0; c < CHANNELS; ++c) mine[c] = here[c];
    }
    __device__ static T plus(T sum, T step) { return A::add(sum, A::multiply(step, step)); }
    __device__ T to(i64 pixel, i64 other_row, i64 other_column) const {
        const T* const there = image + pixel * (CHANNELS ? CHANNELS : channels);
        T sum = 0;
        if (CHANNELS) {
#pragma unroll
            for (int c = 0; c < CHANNELS; ++c) sum = plus(sum, A::subtract(mine[c], there[c]));
        } else {
            for (int c = 0; c < channels; ++c) sum = plus(sum, A::subtract(here[c], there[c]));
        }
        sum = plus(sum, (T)(row - other_row));
        return plus(sum, (T)(column - other_column));
    }
};

// exponent: -0.5 / size^2, in T.
template <class T, int CHANNELS>
__global__ void densities(const T* image, const T* noise, Plane plane, T exponent, T* density) {
    typedef NumpyArithmetic<T> A;
    const i64 n = plane.rows * plane.columns;
    for (i64 pixel = blockIdx.x * (i64)blockDim.x + threadIdx.x; pixel < n; pixel += (i64)gridDim.x * blockDim.x) {
        const Window window(plane, pixel);
        const From<T, CHANNELS> from(image, plane, window, pixel);
        T sum = noise[pixel];
        for (i64 r = window.top; r < window.bottom; ++r)
            for (i64 c = window.left; c < window.right; ++c) {
                const T power = A::multiply(from.to(r * plane.columns + c, r, c), exponent);
                sum = (T)__dadd_rn((double)sum, exp((double)power));
            }
        density[pixel] = sum;
    }
}

// The largest double, in T.
__device__ inline float farthest_of(float) { return __uint_as_float(0x7f800000u); }
__device__ inline double farthest_of(double) { return 1.7976931348623157e308; }

// farthest: pixels farther away are no parents. parents and distances, which may be null, take all
// parents, and how far they are.
template <class T, int CHANNELS, class Index>
__global__ void shift(const T* image, const T* density, Plane plane, T farthest, Index* links, i64* parents,
                      T* distances) {
    const i64 n = plane.rows * plane.columns;
    for (i64 pixel = blockIdx.x * (i64)blockDim.x + threadIdx.x; pixel < n; pixel += (i64)gridDim.x * blockDim.x) {
        const Window window(plane, pixel);
        const From<T, CHANNELS> from(image, plane, window, pixel);
        const T mine = density[pixel];
        T closest = farthest_of(T());
        i64 parent = pixel;
        for (i64 r = window.top; r < window.bottom; ++r)
            for (i64 c = window.left; c < window.right; ++c) {
                const i64 other = r * plane.columns + c;
                if (!(density[other] > mine)) continue;
                const T distance = from.to(other, r, c);
                if (distance < closest) {
                    closest = distance;
                    parent = other;
                }
            }
        const T distance = sqrt(closest);
        links[pixel] = (Index)(distance > farthest ? pixel : parent);
        if (parents) {
            parents[pixel] = parent;
            distances[pixel] = distance;
        }
    }
}

template <class Index>
__global__ void __launch_bounds__(RANK_THREADS, RESIDENT)
    rank_roots(const Index* links, Index n, u64* words, Index* bases, u32* arrived, i64* count) {
    rank_marked(n, words, bases, arrived, [&](Index i) { return links[i] == i; }, count);
}

template <class Index>
__global__ void number(const u64* words, const Index* bases, i64 n, Index* links, i64* labels) {
    for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < n; i += (i64)gridDim.x * blockDim.x)
        labels[i] = rank_of(words, bases, UnionFind<Index>::shortened(links, (Index)i));
}
