// One axis of an image smoothed by a Gaussian and made shorter, without the smoothed image.
//
// What: each element of the result is interpolated from one element (order 0) or two (order 1)
// of the smoothed axis, which are summed up for it: two sums run along one window.
//
// Image: (outer, length, inner), bool to float64; result: (outer, made, inner), float for
// float16 and float32 images, else double. One launch an axis; the image is read once (windows
// overlap, from cache), the result is written once. Shared memory: 2 * radius + 1 of double.
//
// Source: scikit-image `transform.resize` with anti_aliasing, `transform.pyramid_reduce`;
// scipy.ndimage.gaussian_filter and zoom.
#include "common/interpolation.cuh"
#include "common/range.cuh"
#include "filters/gaussian_line.cuh"
#include "transform/sampled.cuh"

// The Gaussian's sums around elements `place` and `place` + 1 of a line, and the least and the
// largest of the elements. Any thread.
template <class W, class T, class Convert>
__device__ inline void smooth_pair(const T* line, i64 length, i64 inner, i64 place, int radius, int mode,
                                   const W* taps, W cval, const Convert& convert, W (&sums)[2], Range<W>& seen) {
    const int count = 2 * radius + 1;
    W last = 0;  // weight of the element before, for the second sum
    sums[0] = sums[1] = 0;
    for (int t = 0; t <= count; ++t) {
        const i64 index = boundary_index(place - radius + t, length, mode);
        const W value = index < 0 ? cval : convert(line[index * inner]);
        if (value < seen.low) seen.low = value;
        if (value > seen.high) seen.high = value;
        const W tap = t < count ? taps[t] : (W)0;
        if (t < count) sums[0] += tap * value;
        if (t > 0) sums[1] += last * value;
        last = tap;
    }
}

// smooth_mode extends the image, mode the smoothed image.
// range: least and largest number of the image, to which values are clipped; or null.
template <int ORDER, class T, class O>
__global__ void smooth_and_sample(const T* image, O* result, i64 outer, i64 length, i64 inner, i64 made,
                                  double zoom, i64 radius, double exponent, double norm, int smooth_mode,
                                  int mode, double constant, double scale, double lowest, const double* range) {
    typedef double W;  // as SciPy, also in single precision
    DYN_SHARED(W, taps);
    make_taps(taps, -radius, 2 * (int)radius + 1, Bell{radius, exponent, norm});
    __syncthreads();
    const Scaled<T, W> convert(scale, lowest);
    const W cval = (W)constant;
    const Finish<W> finish(range, nullptr, cval);
    const W infinity = (W)__uint_as_float(0x7f800000u);
    const i64 count = outer * made * inner, step = (i64)gridDim.x * blockDim.x;
    const bool narrow = count <= 0xffffffffll;
    for (i64 i = (i64)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += step) {
        const i64 above = narrow ? (i64)((u32)i / (u32)inner) : i / inner;
        const i64 plane = narrow ? (i64)((u32)above / (u32)made) : above / made;
        const double place = (double)(above - plane * made) + 0.5;
        const T* const line = image + plane * length * inner + (i - above * inner);
        AxisTaps<ORDER, W> at;
        at.set(__dadd_rn(__dmul_rn(place, zoom), -0.5), length, mode);
        W value = 0, sums[2];
        Range<W> seen = {infinity, -infinity};
        if (at.outside()) seen.low = seen.high = cval;
#pragma unroll
        for (int l = 0; l <= ORDER; ++l) {
            const bool follows = l == 1 && at.index[1] == at.index[0] + 1 && at.index[0] >= 0;
            if (!follows && at.index[l] >= 0)
                smooth_pair(line, length, inner, at.index[l], (int)radius, smooth_mode, taps, cval, convert, sums, seen);
            const W smooth = at.index[l] < 0 ? cval : follows ? sums[1] : sums[0];
            if (ORDER == 0) value = smooth;
            else value += at.weight[l] * smooth;
        }
        // roundings may have led out of the elements' range
        result[i] = (O)finish.clip(value < seen.low ? seen.low : value > seen.high ? seen.high : value);
    }
}
