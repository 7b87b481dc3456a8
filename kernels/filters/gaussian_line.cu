// Gaussian filter along one axis, any radius: the way of radii above 16.
//
// What: each element becomes the weighted sum of its neighbours along one axis;
// gaussian_line.cuh has the stages. gaussian_columns takes axes whose neighbours are far
// apart (the elements between them are the tile's rows), gaussian_rows the last axis and few
// interleaved elements.
//
// Image: bool, (u)int8..64, float16/32/64. Result: float or double. Computed in float for
// float16 and float32 images with a float result, else in double, or by W as it is asked.
// One launch; each input element is read once and each result element is written once
// (the halos again, from cache).
//
// Source: scikit-image `filters.gaussian`, SciPy `ndimage.gaussian_filter`.
#include "filters/gaussian_line.cuh"

template <class Way, class W, class T, class O>
__device__ inline void gaussian_line(const T* image, O* result, const Bell& bell,
                                     const LineShape& shape, double cval, double scale,
                                     double lowest) {
    DYN_SHARED(W, shared);
    const T* const images[1] = {image};
    const Bell bells[1] = {bell};
    const Scaled<T, W> convert(scale, lowest);
    Way::filter(shared, images, bells, shape, (W)cval, convert, (i64)blockIdx.x, (i64)gridDim.x,
                Stored<O>{result});
}

// The array is seen as (outer, a, inner).
template <class T, class O, class W = typename Accumulator<T, O>::type>
__global__ void __launch_bounds__(256, RESIDENT)
    gaussian_columns(const T* image, O* result, i64 radius, double exponent, double norm,
                     i64 outer, i64 a_size, i64 inner, int mode, double cval, double scale,
                     double lowest) {
    gaussian_line<Columns, W>(image, result, {radius, exponent, norm}, {outer, a_size, inner, mode},
                           cval, scale, lowest);
}

// The same with inner < 32.
template <class T, class O, class W = typename Accumulator<T, O>::type>
__global__ void __launch_bounds__(256, RESIDENT)
    gaussian_rows(const T* image, O* result, i64 radius, double exponent, double norm, i64 outer,
                  i64 a_size, i64 inner, int mode, double cval, double scale, double lowest) {
    gaussian_line<Rows, W>(image, result, {radius, exponent, norm}, {outer, a_size, inner, mode},
                        cval, scale, lowest);
}
