// What a Gaussian filter takes away, in the launch of the filter: unsharp masking and the
// difference of two Gaussians, radius up to 16 on both axes.
//
// What: the stages of gaussian_pair.cuh; the sums meet the element itself, which is in
// shared memory, or the sums of the other Gaussian, which has the same tile:
//
//     unsharp_pair      element + amount * (element - sum), clipped
//     unsharp           the same, where `result` holds sums that other launches made
//     difference_pair   sum by the weights `low` - sum by the weights `high`
//     any_negative      whether unsharp masking clips at -1 or at 0
//
// The image's type is T; results are float for float16 and float32 images, else double. Sums are
// in double and rounded to that type after each axis, as SciPy does it: they are nearly equal to
// what they are taken from. One launch each; the image is read once and the result written
// once (difference_pair: twice by the same thread, from cache; unsharp: read and written).
//
// Source: scikit-image `filters.unsharp_mask`, `filters.difference_of_gaussians`.
#include "common/points.cuh"
#include "filters/gaussian_pair.cuh"
#include "filters/sharpen.cuh"

// The array is seen as (outer, a, between, b, inner).
template <class T>
__global__ void __launch_bounds__(256, RESIDENT)
    unsharp_pair(const T* image, typename Working<T>::type* result, i64 outer, i64 a_size,
                 i64 between, i64 b_size, i64 inner, int a_mode, int b_mode, double cval,
                 double scale, double lowest, const __grid_constant__ PairTiling tiling,
                 const __grid_constant__ typename TapsOf<T>::type taps, double amount, bool clips,
                 const u32* negative) {
    typedef typename Working<T>::type S;
    typedef PairTile<double, S> Tile;
    typedef typename Tile::template Sums<typename TapsOf<T>::type::Tap> Sums;
    DYN_SHARED(S, shared);
    const PairView view = {outer, a_size, between, b_size, inner, a_mode, b_mode};
    const Scaled<T, S> convert(scale, lowest);
    const Sharpen<S> sharpen(amount, clips, negative);
    for_pair_tiles<double>(shared, image, view, tiling, taps, (S)cval, convert, [&](const Tile& tile) {
        tile.filter(taps, [&](const Sums& sum, int r, int c) {
            sum.each(tile.height - r, tile.width - c, [&](int k, int l, typename Sums::Value value) {
                result[tile.place(r + k, c + l)] = sharpen(tile.centre(r + k, c + l), (S)value);
            });
        });
        __syncthreads();  // the next tile goes into `raw`
    });
}

// n elements; `result` holds the sums before and the sharpened image after.
template <class T>
__global__ void unsharp(const T* image, typename Working<T>::type* result, i64 n, double scale,
                        double lowest, double amount, bool clips, const u32* negative) {
    typedef typename Working<T>::type W;
    const Scaled<T, W> convert(scale, lowest);
    const Sharpen<W> sharpen(amount, clips, negative);
    const i64 step = (i64)gridDim.x * blockDim.x;
    for (i64 i = (i64)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)
        result[i] = sharpen(convert(image[i]), result[i]);
}

// *negative, 0 before, becomes 1 where one of n elements is negative.
template <class T> __global__ void any_negative(const T* image, i64 n, u32* negative) {
    const i64 step = (i64)gridDim.x * blockDim.x;
    u32 seen = 0;
    for (i64 i = (i64)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)
        seen |= (typename Working<T>::type)image[i] < 0;
    tell(negative, seen);
}

// The radii of `high` are no smaller than those of `low`.
template <class T>
__global__ void __launch_bounds__(256, RESIDENT)
    difference_pair(const T* image, typename Working<T>::type* result, i64 outer, i64 a_size,
                    i64 between, i64 b_size, i64 inner, int a_mode, int b_mode, double cval,
                    double scale, double lowest, const __grid_constant__ PairTiling tiling,
                    const __grid_constant__ typename TapsOf<T>::type high,
                    const __grid_constant__ typename TapsOf<T>::type low) {
    typedef typename Working<T>::type S;
    typedef PairTile<double, S> Tile;
    typedef typename Tile::template Sums<typename TapsOf<T>::type::Tap> Sums;
    DYN_SHARED(S, shared);
    const PairView view = {outer, a_size, between, b_size, inner, a_mode, b_mode};
    const Scaled<T, S> convert(scale, lowest);
    for_pair_tiles<double>(shared, image, view, tiling, high, (S)cval, convert, [&](const Tile& tile) {
        tile.filter(low, [&](const Sums& sum, int r, int c) {
            sum.store(result + tile.place(r, c), tile.a_stride, tile.b_stride, tile.height - r,
                      tile.width - c);
        });
        __syncthreads();  // before the other Gaussian's columns go into `mid`
        // a strip is the same thread's both times: it finds its own sums
        tile.filter(high, [&](const Sums& sum, int r, int c) {
            sum.each(tile.height - r, tile.width - c, [&](int k, int l, typename Sums::Value value) {
                S& there = result[tile.place(r + k, c + l)];
                there -= (S)value;
            });
        });
    });
}
