// Unsharp masking and the difference of two Gaussians along two axes, any radius: the way
// of radii above 16.
//
// What: one axis after the other, by the stages of gaussian_line.cuh:
//
//     both_line        first axis: the sums by `low` and those by `high`, one after the other
//     difference_line  second axis: sums of the first by `low` - sums of the second by `high`
//     unsharp_line     second axis: element + amount * (element - sum), clipped
//
// Way is Columns for axes whose neighbours are far apart, Rows for the last axis and few
// interleaved elements. The image's type is T; arrays are S: float for float16 and float32 images,
// else double. Sums are in double and rounded to that, as SciPy does it: they are nearly equal to
// what they are taken from. One launch each; both_line reads the image once (each element
// a second time, from cache) and writes two arrays, difference_line reads these,
// unsharp_line reads the sums of gaussian_line.cu and the image; they write the result once.
//
// Source: scikit-image `filters.unsharp_mask`, `filters.difference_of_gaussians`.
#include "filters/gaussian_line.cuh"
#include "filters/sharpen.cuh"

// The grid has an even number of blocks: every other one does the other Gaussian.
template <class Way, class T>
__global__ void __launch_bounds__(256, RESIDENT)
    both_line(const T* image, typename Working<T>::type* results, const Bell low, const Bell high,
              i64 outer, i64 length, i64 inner, int mode, double cval, double scale,
              double lowest) {
    typedef typename Working<T>::type S;
    DYN_SHARED(double, shared);
    const bool is_high = blockIdx.x % 2 == 1;
    const T* const images[1] = {image};
    const Bell bells[1] = {is_high ? high : low};
    S* const result = results + (is_high ? outer * length * inner : 0);
    const Scaled<T, double> convert(scale, lowest);
    const LineShape shape = {outer, length, inner, mode};
    Way::filter(shared, images, bells, shape, cval, convert, (i64)(blockIdx.x / 2),
                (i64)(gridDim.x / 2), Stored<S>{result});
}

// The sums of the first bell into the result, and those of the second one from it.
template <class S> struct Subtracted {
    S* result;
    template <class Sums>
    __device__ void operator()(int bell, const Sums& sums, i64 place, i64 row_stride, i64 stride,
                               int rows, int columns) const {
        if (bell == 0) {
            sums.store(result + place, row_stride, stride, rows, columns);
            return;
        }
        sums.each(rows, columns, [&](int k, int l, double sum) {
            S& there = result[place + k * row_stride + l * stride];
            there -= (S)sum;
        });
    }
};

template <class Way, class S>
__global__ void __launch_bounds__(256, RESIDENT)
    difference_line(const S* sums, S* result, const Bell low, const Bell high, i64 outer,
                    i64 length, i64 inner, int mode, double cval) {
    DYN_SHARED(double, shared);
    const S* const images[2] = {sums, sums + outer * length * inner};
    const Bell bells[2] = {low, high};
    const LineShape shape = {outer, length, inner, mode};
    Way::filter(shared, images, bells, shape, cval, [](S value) { return (double)value; },
                (i64)blockIdx.x, (i64)gridDim.x, Subtracted<S>{result});
}

// Sums into the result, sharpening the image by them.
template <class T, class S> struct Sharpened {
    const T* image;
    S* result;
    Scaled<T, S> convert;
    Sharpen<S> sharpen;
    template <class Sums>
    __device__ void operator()(int, const Sums& sums, i64 place, i64 row_stride, i64 stride,
                               int rows, int columns) const {
        sums.each(rows, columns, [&](int k, int l, double sum) {
            const i64 i = place + k * row_stride + l * stride;
            result[i] = sharpen(convert(image[i]), (S)sum);
        });
    }
};

template <class Way, class T>
__global__ void __launch_bounds__(256, RESIDENT)
    unsharp_line(const T* image, const typename Working<T>::type* sums,
                 typename Working<T>::type* result, const Bell bell, i64 outer, i64 length,
                 i64 inner, int mode, double cval, double scale, double lowest, double amount,
                 bool clips, const u32* negative) {
    typedef typename Working<T>::type S;
    DYN_SHARED(double, shared);
    const S* const images[1] = {sums};
    const Bell bells[1] = {bell};
    const Scaled<T, S> convert(scale, lowest);
    const Sharpen<S> sharpen(amount, clips, negative);
    const LineShape shape = {outer, length, inner, mode};
    Way::filter(shared, images, bells, shape, cval, [](S value) { return (double)value; },
                (i64)blockIdx.x, (i64)gridDim.x,
                Sharpened<T, S>{image, result, convert, sharpen});
}
