// One level of a Laplacian pyramid: the image smoothed, and what that takes away.
//
// What: the stages of filters/gaussian_pair.cuh; the sums are one result, and the other is the
// element itself, which is in shared memory, minus the sums. The image is given, or is what resize_image
// (transform/resize.cu) makes of the smoothed image of the level before, by order 1: smooth_and_subtract and
// sample_and_subtract.
//
// The image's type is T; results are float for float16 and float32 images, else double. Sums are
// in double and rounded to that type after each axis, as SciPy does it: they are nearly equal to
// the elements. One launch; the image is read once and both results written once.
//
// Source: scikit-image `transform.pyramid_laplacian`.
#include "filters/gaussian_pair.cuh"
#include "transform/linear.cuh"

// Both results of a tile.
template <class Tile, class S, class Tap>
__device__ inline void subtract(const Tile& tile, const PairTaps<Tap>& taps, S* smooth, S* detail) {
    typedef typename Tile::template Sums<Tap> Sums;
    tile.filter(taps, [&](const Sums& sums, int r, int c) {
        sums.each(tile.height - r, tile.width - c, [&](int k, int l, typename Sums::Value sum) {
            const S value = (S)sum;
            const i64 place = tile.place(r + k, c + l);
            smooth[place] = value;
            detail[place] = tile.centre(r + k, c + l) - value;
        });
    });
    __syncthreads();  // the next tile goes into `raw`
}

// The array is seen as (outer, a, between, b, inner).
template <class T>
__global__ void __launch_bounds__(256, RESIDENT)
    smooth_and_subtract(const T* image, typename Working<T>::type* smooth, typename Working<T>::type* detail,
                        i64 outer, i64 a_size, i64 between, i64 b_size, i64 inner, int a_mode, int b_mode,
                        double cval, double scale, double lowest, const __grid_constant__ PairTiling tiling,
                        const __grid_constant__ typename TapsOf<T>::type taps) {
    typedef typename Working<T>::type S;
    DYN_SHARED(S, shared);
    const PairView view = {outer, a_size, between, b_size, inner, a_mode, b_mode};
    const Scaled<T, S> convert(scale, lowest);
    const auto work = [&](const PairTile<double, S>& tile) { subtract(tile, taps, smooth, detail); };
    for_pair_tiles<double>(shared, image, view, tiling, taps, (S)cval, convert, work);
}

// Axes of the level before, and how they are sampled.
struct Before {
    i64 a_size, b_size;
    double a_zoom, b_zoom;
    int mode;
};

// The smoothed image of the level before, `image`; all else as above. Neither is there a constant beyond the ends.
// Shared memory: the tile's, and up to 56 bytes for each of its rows with the halo.
template <class S>
__global__ void __launch_bounds__(256, RESIDENT)
    sample_and_subtract(const S* image, S* smooth, S* detail, i64 outer, i64 a_size, i64 between, i64 b_size, i64 inner,
                        int a_mode, int b_mode, const __grid_constant__ Before before, double scale, double lowest,
                        const __grid_constant__ PairTiling tiling, const __grid_constant__ typename TapsOf<S>::type taps) {
    typedef typename TapsFor<1, S, S>::type Taps;
    DYN_SHARED(S, shared);
    const PairView view = {outer, a_size, between, b_size, inner, a_mode, b_mode};
    const i64 line = before.b_size * inner, step = between * line;
    const Scaled<S, double> convert(scale, lowest);
    Taps* const down = (Taps*)(shared + 2 * (tiling.rows + taps.radius_a) * PAIR_PITCH + LANES);
    const auto load = [&](i64 o, i64 m, i64 i, i64 y0, i64 x0, int rows, int columns) {
        const S* const its = image + o * (before.a_size * step) + m * line + i;
        for (int r = threadIdx.y * blockDim.x + threadIdx.x; r < rows; r += blockDim.x * blockDim.y) {
            const i64 y = boundary_index(y0 + r, a_size, a_mode);
            set_taps(down[r], y, before.a_zoom, before.a_size, before.mode, step);
        }
        __syncthreads();
        for (int c = threadIdx.x; c < columns; c += blockDim.x) {
            Taps around[2];
            set_taps(around[1], boundary_index(x0 + c, b_size, b_mode), before.b_zoom, before.b_size, before.mode, inner);
            for (int r = threadIdx.y; r < rows; r += blockDim.y) {
                around[0] = down[r];
                shared[r * PAIR_PITCH + c] = linear_inside<S>(its, around, convert);
            }
        }
    };
    const auto work = [&](const PairTile<double, S>& tile) { subtract(tile, taps, smooth, detail); };
    for_loaded_pair_tiles<double>(shared, view, tiling, taps, load, work);
}
