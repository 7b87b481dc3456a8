// One axis of an image smoothed by a Gaussian and made shorter, without the smoothed image.
//
// What: each element of the result is interpolated from one element (order 0) or two (order 1)
// of the smoothed axis, which are summed up for it: two sums run along one window. Coordinates
// along the axis are those of lines of the result, or of columns, which are computed once for many
// elements (transform/lines.cuh).
//
// Image: (outer, length, inner), bool to float64; result: (outer, made, inner), float for
// float16 and float32 images, else double. Sums are in double, or for results in float in two floats
// (common/two_floats.cuh). One launch an axis; the image is read once (windows overlap, from cache),
// the result is written once. Shared memory: 2 * radius + 1 of 8 bytes.
//
// Source: scikit-image `transform.resize` with anti_aliasing, `transform.pyramid_reduce`;
// scipy.ndimage.gaussian_filter and zoom.
#include "common/range.cuh"
#include "common/two_floats.cuh"
#include "filters/gaussian_line.cuh"
#include "transform/lines.cuh"
#include "transform/sampled.cuh"

// The Gaussian's sums around elements `place` and `place` + 1 of a line, and the least and the
// largest of the elements. Any thread. Returns whether all elements are the line's.
template <class N, class T, class Tap, class Convert>
__device__ inline bool smooth_pair(const T* line, i64 length, i64 inner, i64 place, int radius, int mode,
                                   const Tap* taps, ElementOf<N> cval, const Convert& convert, N (&sums)[2],
                                   Range<ElementOf<N>>& seen) {
    const int count = 2 * radius + 1;
    bool inside = true;
    sums[0] = sums[1] = N{};
    for (int t = 0; t <= count; ++t) {
        const i64 index = boundary_index(place - radius + t, length, mode);
        inside &= index >= 0;
        const ElementOf<N> value = index < 0 ? cval : convert(line[index * inner]);
        if (value < seen.low) seen.low = value;
        if (value > seen.high) seen.high = value;
        if (t < count) accumulate(sums[0], value, taps[t]);
        if (t > 0) accumulate(sums[1], value, taps[t - 1]);
    }
    return inside;
}

// The same where the line has all elements of both windows; `first` is the first of them.
// Elements are compared as they are: conversion keeps their order. A NaN that is compared does
// not matter, since then the sums are NaN, too.
template <class N, class T, class Tap, class Convert>
__device__ inline void smooth_pair_inside(const T* first, i64 inner, int count, const Tap* taps,
                                          const Convert& convert, N (&sums)[2], Range<ElementOf<N>>& seen) {
    typedef ElementOf<N> E;
    T low = *first, high = low;
    Tap last = taps[0];
    sums[0] = sums[1] = N{};
    accumulate(sums[0], convert(low), last);
    for (int t = 1; t < count; ++t) {
        first += inner;
        const T element = *first;
        if (element < low) low = element;
        if (element > high) high = element;
        const E value = convert(element);
        const Tap tap = taps[t];
        accumulate(sums[0], value, tap);
        accumulate(sums[1], value, last);
        last = tap;
    }
    first += inner;
    const T element = *first;
    if (element < low) low = element;
    if (element > high) high = element;
    accumulate(sums[1], convert(element), last);
    const E least = convert(low), largest = convert(high);
    if (least < seen.low) seen.low = least;
    if (largest > seen.high) seen.high = largest;
}

// Elements of an axis that one of the result is interpolated from, and their weights.
template <int ORDER, class N> struct Sampled {
    i64 index[ORDER + 1];
    N weight[ORDER + 1];

    __device__ void set(double x, i64 size, int mode) {
        AxisTaps<ORDER, double> taps;
        taps.set(x, size, mode);
#pragma unroll
        for (int l = 0; l <= ORDER; ++l) {
            index[l] = taps.index[l];
            weight[l] = (N)taps.weight[l];
        }
    }
};

// What is known of a line, and of a column: where it is along the axis, and where in the image.
template <int ORDER, class N> struct SampledLine {
    Sampled<ORDER, N> at;
    i64 first;
};

// How an axis is smoothed.
template <class Tap> struct Smoothing {
    const Tap* taps;
    int radius, mode;
};

// An element of the result, of sums of N; returns whether they are held exactly enough.
template <class N, int ORDER, class T, class O, class Tap>
__device__ inline bool sample(O& result, const T* line, i64 length, i64 inner, const Sampled<ORDER, Tap>& at,
                              const Smoothing<Tap>& smoothing, const Scaled<T, ElementOf<N>>& convert,
                              const Finish<ElementOf<N>>& finish) {
    typedef ElementOf<N> E;
    const E infinity = (E)__uint_as_float(0x7f800000u), cval = finish.cval;
    const int radius = smoothing.radius;
    N value = {}, sums[2];
    Range<E> seen = {infinity, -infinity};
    bool inside = true;
#pragma unroll
    for (int l = 0; l <= ORDER; ++l) {
        const bool follows = l == 1 && at.index[1] == at.index[0] + 1 && at.index[0] >= 0;
        const i64 place = at.index[l];
        if (!follows && place >= 0) {
            if (place >= radius && place + radius + 1 < length)
                smooth_pair_inside(line + (place - radius) * inner, inner, 2 * radius + 1, smoothing.taps, convert, sums, seen);
            else
                inside &= smooth_pair(line, length, inner, place, radius, smoothing.mode, smoothing.taps, cval, convert, sums, seen);
        }
        N smooth = follows ? sums[1] : sums[0];
        if (place < 0) {
            smooth = (N)(double)cval;
            if (cval < seen.low) seen.low = cval;
            if (cval > seen.high) seen.high = cval;
            inside = false;
        }
        if (ORDER == 0) value = smooth;
        else accumulate(value, smooth, at.weight[l]);
    }
    // roundings may have led out of the elements' range
    const E whole = (E)value;
    result = (O)finish.clip(whole < seen.low ? seen.low : whole > seen.high ? seen.high : whole);
    if constexpr (sizeof(E) > 4) return true;
    else return inside && is_held(seen.high > -seen.low ? seen.high : -seen.low);
}

// Of 256 threads, at a time: others than these need the stack with 64 registers, or with 80.
template <int ORDER, class T, class O>
constexpr int BLOCKS = sizeof(O) == 4 && (ORDER == 0 || IN_FLOATS) ? 2 : RESIDENT;
template <int ORDER, class O> constexpr int BLOCKS<ORDER, u8, O> = 2;
template <int ORDER, class O> constexpr int BLOCKS<ORDER, u16, O> = 2;
template <int ORDER, class O> constexpr int BLOCKS<ORDER, float16, O> = 2;

// smooth_mode extends the image, mode the smoothed image.
// lead: whether the axis is that of lines, which are of `inner` elements then.
// range: least and largest number of the image, to which values are clipped; or null.
template <int ORDER, class T, class O>
__global__ void __launch_bounds__(TILE_THREADS, BLOCKS<ORDER, T, O>)
    smooth_and_sample(const T* image, O* result, i64 length, i64 inner, i64 made, bool lead,
                      const LinesShape shape, double zoom, i64 radius, double exponent, double norm,
                      int smooth_mode, int mode, double constant, double scale, double lowest, const double* range) {
    typedef typename NumberOf<O>::type N;
    typedef SampledLine<ORDER, N> Line;
    DYN_SHARED(N, taps);
    __shared__ Line lines[MOST_LINES];
    make_taps(taps, -radius, 2 * (int)radius + 1, Bell{radius, exponent, norm});
    __syncthreads();
    const Smoothing<N> smoothing = {taps, (int)radius, smooth_mode};
    const Scaled<T, ElementOf<N>> convert(scale, lowest);
    const Finish<ElementOf<N>> finish(range, nullptr, (ElementOf<N>)constant);
    const auto set = [&](Sampled<ORDER, N>& at, i64 number) {
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
        const T* const line = image + its.first + column.first;
        O made;
        if (!sample<N>(made, line, length, inner, column.at, smoothing, convert, finish))
            sample<double>(made, line, length, inner, column.at, smoothing, Scaled<T, double>(scale, lowest),
                           Finish<double>(range, nullptr, constant));
        result[number] = made;
    });
}
