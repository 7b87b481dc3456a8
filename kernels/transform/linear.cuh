// Means of the elements around a coordinate, by straight lines along each axis, rounded as SciPy rounds them.
//
//     typename TapsFor<1, T, O>::type taps[2];
//     set_taps(taps[0], row, zoom, rows, mode, stride);
//     set_taps(taps[1], column, columns_zoom, columns, mode, 1);
//     O value = linear_inside<O>(image, taps, Scaled<T, double>(scale, lowest));
//
// Any thread; needs no shared memory.
#pragma once
#include "common/interpolation.cuh"
#include "filters/gaussian_taps.cuh"
#include "transform/float_means.cuh"

// Indices of taps become distances in the array. Any thread.
template <int COUNT> __device__ inline void scale_indices(i64 (&index)[COUNT], i64 stride) {
#pragma unroll
    for (int l = 0; l < COUNT; ++l)
        if (index[l] >= 0) index[l] *= stride;
}

// The taps of order 1, with weights for sums in floats; whether these are coarse (transform/float_means.cuh).
struct FloatTaps {
    i64 index[2];
    Weight weight[2];
    bool coarse;

    __device__ void set(double x, i64 size, int mode) {
        AxisTaps<1, double> taps;
        taps.set(x, size, mode);
        for (int l = 0; l < 2; ++l) {
            const TwoFloats parts(taps.weight[l]);
            index[l] = taps.index[l];
            weight[l] = {taps.weight[l], parts.high, parts.low};
        }
        coarse = is_coarse(TwoFloats(weight[1]));
    }
    __device__ bool outside() const { return index[0] < 0 || index[1] < 0; }
};

// The taps for an image of T and a result of O.
template <int ORDER, class T, class O, bool SLOW = IN_FLOATS> struct TapsFor { typedef AxisTaps<ORDER, double> type; };
template <> struct TapsFor<1, float, float, true> { typedef FloatTaps type; };

// Those of an element of the result, of an axis of `size` elements `stride` apart; `zoom` of them are one of the result.
// `pad` elements are before the image's first one.
template <class Taps>
__device__ inline void set_taps(Taps& taps, i64 number, double zoom, i64 size, int mode, i64 stride, i64 pad = 0) {
    const double at = __dadd_rn(__dmul_rn((double)number + 0.5, zoom), -0.5);
    taps.set(at + (double)pad, size, mode);
    scale_indices(taps.index, stride);
}

// interpolate_linear where all elements are the image's, and the taps are distances.
template <class O, int AXES, class T, class Convert>
__device__ inline O linear_inside(const T* image, const AxisTaps<1, double> (&taps)[AXES], const Convert& convert) {
    i64 once[AXES];
#pragma unroll
    for (int a = 0; a < AXES; ++a) once[a] = 1;
    return (O)interpolate_linear(image, taps, once, 0.0, convert);
}

// Of single precision the bounds are compared in it, after rounding to it, which costs nothing in double. The
// result is the same: rounding keeps the order of numbers and leaves the bounds, which are of single precision,
// as they are. A mean is on the wrong side of a bound of 0 never, where rounding might make a zero of another
// sign of it: then all elements and all products are of one sign, or 0.
template <class Taps, int AXES>
__device__ inline float linear_in_double(const float* image, const Taps (&taps)[AXES]) {
    double sum = 0;
    float low = 0, high = 0;
#pragma unroll
    for (int corner = 0; corner < 1 << AXES; ++corner) {
        const float* element = image;
#pragma unroll
        for (int a = 0; a < AXES; ++a) element += taps[a].index[corner >> (AXES - 1 - a) & 1];
        const float its = *element;
        low = corner && low < its ? low : its;
        high = corner && high > its ? high : its;
        double value = its;
#pragma unroll
        for (int a = 0; a < AXES; ++a)
            value = __dmul_rn(value, taps[a].weight[corner >> (AXES - 1 - a) & 1]);
        sum = __dadd_rn(sum, value);
    }
    return between((float)sum, low, high);
}
template <class O, int AXES>
__device__ inline float linear_inside(const float* image, const AxisTaps<1, double> (&taps)[AXES],
                                      const Scaled<float, double>&) {
    return linear_in_double(image, taps);
}

// Sum over the axes from A on, in two floats, of elements whose magnitudes are taken.
template <int A, int AXES> struct FloatMean {
    static __device__ TwoFloats of(const float* image, const FloatTaps (&taps)[AXES], Magnitudes& elements) {
        TwoFloats sum = {};
#pragma unroll
        for (int l = 0; l < 2; ++l) {
            const auto part = FloatMean<A + 1, AXES>::of(image + taps[A].index[l], taps, elements);
            accumulate(sum, part, TwoFloats(taps[A].weight[l]));
        }
        return sum;
    }
};
template <int AXES> struct FloatMean<AXES, AXES> {
    static __device__ float of(const float* element, const FloatTaps (&)[AXES], Magnitudes& elements) {
        elements.take(*element);
        return *element;
    }
};

// The same without double, but for the few where it decides (transform/float_means.cuh).
template <class O, int AXES>
__device__ inline float linear_inside(const float* image, const FloatTaps (&taps)[AXES], const Scaled<float, double>&) {
    Magnitudes elements;
    const TwoFloats sum = FloatMean<0, AXES>::of(image, taps, elements);
    bool coarse = AXES < 3;
#pragma unroll
    for (int a = 0; a < AXES; ++a) coarse &= taps[a].coarse;
    float mean;
    return rounded_mean(mean, sum, elements, coarse) ? mean : linear_in_double(image, taps);
}
