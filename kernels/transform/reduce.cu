// One axis of an image smoothed by a Gaussian and made shorter, without the smoothed image.
//
// What: each element of the result is interpolated from one element (order 0) or two (order 1)
// of the smoothed axis, which are summed up for it: two sums run along one window. Coordinates
// along the axis are those of lines of the result, or of columns, which are computed once for many
// elements (transform/lines.cuh).
//
// Image: (outer, length, inner), bool to float64; result: (outer, made, inner), float for
// float16 and float32 images, else double. One launch an axis; the image is read once (windows
// overlap, from cache), the result is written once. Shared memory: 2 * radius + 1 of double.
//
// Source: scikit-image `transform.resize` with anti_aliasing, `transform.pyramid_reduce`;
// scipy.ndimage.gaussian_filter and zoom.
#include "common/range.cuh"
#include "filters/gaussian_line.cuh"
#include "transform/lines.cuh"
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

// The same where the line has all elements of both windows; `first` is the first of them.
// Elements are compared as they are: conversion keeps their order. A NaN that is compared does
// not matter, since then the sums are NaN, too.
template <class W, class T, class Convert>
__device__ inline void smooth_pair_inside(const T* first, i64 inner, int count, const W* taps,
                                          const Convert& convert, W (&sums)[2], Range<W>& seen) {
    T low = *first, high = low;
    W last = taps[0];
    sums[0] = 0;
    sums[1] = 0;
    sums[0] += last * convert(low);
    for (int t = 1; t < count; ++t) {
        first += inner;
        const T element = *first;
        if (element < low) low = element;
        if (element > high) high = element;
        const W value = convert(element), tap = taps[t];
        sums[0] += tap * value;
        sums[1] += last * value;
        last = tap;
    }
    first += inner;
    const T element = *first;
    if (element < low) low = element;
    if (element > high) high = element;
    sums[1] += last * convert(element);
    const W least = convert(low), largest = convert(high);
    if (least < seen.low) seen.low = least;
    if (largest > seen.high) seen.high = largest;
}

// What is known of a line, and of a column: where it is along the axis, and where in the image.
template <int ORDER> struct SampledLine {
    AxisTaps<ORDER, double> at;
    i64 first;
};

// smooth_mode extends the image, mode the smoothed image.
// lead: whether the axis is that of lines, which are of `inner` elements then.
// range: least and largest number of the image, to which values are clipped; or null.
template <int ORDER, class T, class O>
__global__ void __launch_bounds__(TILE_THREADS, 2)
    smooth_and_sample(const T* image, O* result, i64 length, i64 inner, i64 made, bool lead,
                      const LinesShape shape, double zoom, i64 radius, double exponent, double norm,
                      int smooth_mode, int mode, double constant, double scale, double lowest, const double* range) {
    typedef double W;  // as SciPy, also in single precision
    typedef SampledLine<ORDER> Line;
    DYN_SHARED(W, taps);
    __shared__ Line lines[MOST_LINES];
    make_taps(taps, -radius, 2 * (int)radius + 1, Bell{radius, exponent, norm});
    __syncthreads();
    const Scaled<T, W> convert(scale, lowest);
    const W cval = (W)constant;
    const Finish<W> finish(range, nullptr, cval);
    const W infinity = (W)__uint_as_float(0x7f800000u);
    const auto set = [&](AxisTaps<ORDER, W>& at, i64 number) {
        at.set(__dadd_rn(__dmul_rn((double)number + 0.5, zoom), -0.5), length, mode);
    };
    const auto set_line = [&](Line& line, i64 rest) {
        if (lead) set(line.at, split(rest, made, shape.narrow));
        line.first = rest * (length * inner);
    };
    const auto column_of = [&](i64 rest) {
        Line column;
        column.first = lead ? rest : split(rest, inner, shape.narrow);
        if (!lead) set(column.at, rest);
        return column;
    };
    for_lines(shape, lines, set_line, column_of, [&](i64 number, const Line& its, Line& column) {
        if (lead) column.at = its.at;
        const AxisTaps<ORDER, W>& at = column.at;
        const T* const line = image + its.first + column.first;
        const int reach = (int)radius;
        W value = 0, sums[2];
        Range<W> seen = {infinity, -infinity};
        if (at.outside()) seen.low = seen.high = cval;
#pragma unroll
        for (int l = 0; l <= ORDER; ++l) {
            const bool follows = l == 1 && at.index[1] == at.index[0] + 1 && at.index[0] >= 0;
            const i64 place = at.index[l];
            if (!follows && place >= 0) {
                if (place >= radius && place + radius + 1 < length)
                    smooth_pair_inside(line + (place - radius) * inner, inner, 2 * reach + 1, taps, convert, sums, seen);
                else
                    smooth_pair(line, length, inner, place, reach, smooth_mode, taps, cval, convert, sums, seen);
            }
            const W smooth = place < 0 ? cval : follows ? sums[1] : sums[0];
            if (ORDER == 0) value = smooth;
            else value += at.weight[l] * smooth;
        }
        // roundings may have led out of the elements' range
        result[number] = (O)finish.clip(value < seen.low ? seen.low : value > seen.high ? seen.high : value);
    });
}
