// Gaussian filter along two axes at once, radius up to 16 on each.
//
// What: one element of every pair of axes (a, b) of a C-contiguous array is the weighted
// sum of its neighbourhood; all other axes are a stack of planes. The filter is separable;
// gaussian_pair.cuh has its stages.
//
// Image: bool, (u)int8..64, float16/32/64. Result: float or double. Computed in float for
// float16 and float32 images with a float result, else in double; W double with a float
// result is SciPy's own way: sums in double, each axis rounded to float.
// One launch; each input element is read once and each result element is written once
// (the halos again, from cache).
//
// Source: scikit-image `filters.gaussian`, SciPy `ndimage.gaussian_filter`.
#include "filters/gaussian_pair.cuh"

// The array is seen as (outer, a, between, b, inner).
template <class T, class O, class W = typename Accumulator<T, O>::type,
          class Tap = typename WeightOf<typename Accumulator<T, O>::type, W>::type>
__global__ void __launch_bounds__(256, RESIDENT)
    gaussian_pair(const T* image, O* result, i64 outer, i64 a_size, i64 between, i64 b_size,
                  i64 inner, int a_mode, int b_mode, double cval, double scale, double lowest,
                  const __grid_constant__ PairTiling tiling, const __grid_constant__ PairTaps<Tap> taps) {
    typedef typename Accumulator<T, O>::type S;
    typedef PairTile<W, S> Tile;
    DYN_SHARED(S, shared);
    const PairView view = {outer, a_size, between, b_size, inner, a_mode, b_mode};
    const Scaled<T, S> convert(scale, lowest);
    for_pair_tiles<W>(shared, image, view, tiling, taps, (S)cval, convert, [&](const Tile& tile) {
        tile.filter(taps, [&](const typename Tile::template Sums<Tap>& sum, int r, int c) {
            sum.store(result + tile.place(r, c), tile.a_stride, tile.b_stride, tile.height - r,
                      tile.width - c);
        });
    });
}
