// One level of a Laplacian pyramid: the image smoothed, and what that takes away.
//
// What: the stages of filters/gaussian_pair.cuh; the sums are one result, and the other is the
// element itself, which is in shared memory, minus the sums.
//
// The image's type is T; results are float for float16 and float32 images, else double, and
// computed in that type. One launch; the image is read once and both results written once.
//
// Source: scikit-image `transform.pyramid_laplacian`.
#include "filters/gaussian_pair.cuh"

// The array is seen as (outer, a, between, b, inner).
template <class T>
__global__ void __launch_bounds__(256, 2)
    smooth_and_subtract(const T* image, typename Working<T>::type* smooth, typename Working<T>::type* detail,
                        i64 outer, i64 a_size, i64 between, i64 b_size, i64 inner, int a_mode, int b_mode,
                        double cval, double scale, double lowest,
                        const __grid_constant__ PairTaps<typename Working<T>::type> taps) {
    typedef typename Working<T>::type W;
    DYN_SHARED(W, shared);
    const PairView view = {outer, a_size, between, b_size, inner, a_mode, b_mode};
    const Scaled<T, W> convert(scale, lowest);
    for_pair_tiles(shared, image, view, taps, (W)cval, convert, [&](const PairTile<W>& tile) {
        tile.filter(taps, [&](const typename PairTile<W>::Sums& sum, int r, int c) {
            sum.each(tile.height - r, tile.width - c, [&](int k, int l, W value) {
                const i64 place = tile.place(r + k, c + l);
                smooth[place] = value;
                detail[place] = tile.centre(r + k, c + l) - value;
            });
        });
        __syncthreads();  // the next tile goes into `raw`
    });
}
