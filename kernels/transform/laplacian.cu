// One level of a Laplacian pyramid: the image smoothed, and what that takes away.
//
// What: the stages of filters/gaussian_pair.cuh; the sums are one result, and the other is the
// element itself, which is in shared memory, minus the sums.
//
// The image's type is T; results are float for float16 and float32 images, else double. Sums are
// in double and rounded to that type after each axis, as SciPy does it: they are nearly equal to
// the elements. One launch; the image is read once and both results written once.
//
// Source: scikit-image `transform.pyramid_laplacian`.
#include "filters/gaussian_pair.cuh"

// The array is seen as (outer, a, between, b, inner).
template <class T>
__global__ void __launch_bounds__(256, RESIDENT)
    smooth_and_subtract(const T* image, typename Working<T>::type* smooth, typename Working<T>::type* detail,
                        i64 outer, i64 a_size, i64 between, i64 b_size, i64 inner, int a_mode, int b_mode,
                        double cval, double scale, double lowest, const __grid_constant__ PairTiling tiling,
                        const __grid_constant__ typename TapsOf<T>::type taps) {
    typedef typename Working<T>::type S;
    typedef PairTile<double, S> Tile;
    typedef typename Tile::template Sums<typename TapsOf<T>::type::Tap> Sums;
    DYN_SHARED(S, shared);
    const PairView view = {outer, a_size, between, b_size, inner, a_mode, b_mode};
    const Scaled<T, S> convert(scale, lowest);
    for_pair_tiles<double>(shared, image, view, tiling, taps, (S)cval, convert, [&](const Tile& tile) {
        tile.filter(taps, [&](const Sums& sums, int r, int c) {
            sums.each(tile.height - r, tile.width - c, [&](int k, int l, typename Sums::Value sum) {
                const S value = (S)sum;
                const i64 place = tile.place(r + k, c + l);
                smooth[place] = value;
                detail[place] = tile.centre(r + k, c + l) - value;
            });
        });
        __syncthreads();  // the next tile goes into `raw`
    });
}
