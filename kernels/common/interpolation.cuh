// Interpolation at a real coordinate, as scipy.ndimage does it: B-splines of orders 0 to 5
// and the values beyond an image's border. For orders above 1 the image holds spline
// coefficients (transform/spline.cu).
//
//     AxisTaps<ORDER, W> taps[2];
//     taps[0].set(y, rows, mode);
//     taps[1].set(x, columns, mode);
//     const i64 strides[2] = {columns, 1};
//     W value = interpolate<ORDER, 2>(image, taps, strides, cval, convert);
//
// Each element within a spline's reach takes part, also with a weight of 0: NaN and
// infinities spread as in SciPy. Any thread; needs no shared memory.
//
// Source: scipy.ndimage (ni_interpolation.c, ni_splines.c); P. Thevenaz, T. Blu and M. Unser,
// "Interpolation revisited", IEEE Transactions on Medical Imaging 19, 2000.
#pragma once
#include "common/boundary.cuh"
#include "common/types.cuh"

// Coordinate inside the axis for one outside of it. CONSTANT and NEAREST, whose elements
// beyond the border do not come again, leave it where it is.
__device__ inline double map_coordinate(double x, i64 size, int mode) {
    if (mode == CONSTANT || mode == NEAREST || !(x < 0 || x > (double)(size - 1))) return x;
    if (size <= 1) return 0;
    const double length = (double)size;
    const double period = mode == WRAP ? length : mode == REFLECT ? 2 * length : 2 * length - 2;
    if (mode == WRAP) {
        if (x < 0) return x + length * (trunc((-1 - x) / length) + 1);
        return x - length * trunc(x / length);
    }
    if (x < 0) {
        if (mode == MIRROR || x < -period) x += period * trunc(-x / period);
        if (mode == MIRROR) return x <= 1 - length ? x + period : -x;
        // a coordinate that rounding has left just below 0 is not to become -1, which is outside
        return x < -length ? x + period : (x > -1e-15 ? 1e-15 : -x) - 1;
    }
    x -= period * trunc(x / period);
    if (x < length) return x;
    return mode == MIRROR ? period - x : period - x - 1;
}

// Where a coordinate that is no index of any array goes: far outside.
__device__ inline i64 index_of(double whole) {
    return whole > -4e18 && whole < 4e18 ? (i64)whole : -(1ll << 62);
}

// Weights of the ORDER + 1 elements around a coordinate, of which `x` is the distance from
// the middle one: [0, 1) for odd orders, [-0.5, 0.5) for even ones.
template <int ORDER, class W> __device__ inline void spline_weights(W x, W* weight) {
    const W z = 1 - x;
    if (ORDER == 1) {
        weight[0] = z;
    } else if (ORDER == 2) {
        const W y = (W)0.5 - x;
        weight[0] = (W)0.5 * y * y;
        weight[1] = (W)0.75 - x * x;
    } else if (ORDER == 3) {
        weight[0] = z * z * z / 6;
        weight[1] = (x * x * (x - 2) * 3 + 4) / 6;
        weight[2] = (z * z * (z - 2) * 3 + 4) / 6;
    } else if (ORDER == 4) {
        const W y = 1 + x, t = ((W)0.5 - x) * ((W)0.5 - x), s = x * x;
        weight[0] = t * t / 24;
        weight[1] = y * (y * (y * (5 - y) / 6 - (W)1.25) + (W)(5.0 / 24)) + (W)(55.0 / 96);
        weight[2] = s * (s * (W)0.25 - (W)0.625) + (W)(115.0 / 192);
        weight[3] = z * (z * (z * (5 - z) / 6 - (W)1.25) + (W)(5.0 / 24)) + (W)(55.0 / 96);
    } else if (ORDER == 5) {
        const W y = 1 + x, w = 1 + z, s = x * x, t = z * z;
        weight[0] = z * t * t / 120;
        weight[1] = y * (y * (y * (y * (y / 24 - (W)0.375) + (W)1.25) - (W)1.75) + (W)0.625) + (W)0.425;
        weight[2] = s * (s * ((W)0.25 - x / 12) - (W)0.5) + (W)0.55;
        weight[3] = t * (t * ((W)0.25 - z / 12) - (W)0.5) + (W)0.55;
        weight[4] = w * (w * (w * (w * (w / 24 - (W)0.375) + (W)1.25) - (W)1.75) + (W)0.625) + (W)0.425;
    }
    W last = 1;
#pragma unroll
    for (int l = 0; l < ORDER; ++l) last -= weight[l];
    weight[ORDER] = last;
}

// `mean` of `a` and `b` with weights of sum 1, after roundings that may have led out of between.
template <class W> __device__ inline W between(W mean, W a, W b) {
    const W low = a < b ? a : b, high = a < b ? b : a;
    return mean < low ? low : mean > high ? high : mean;
}

// The elements of one axis that a coordinate is interpolated from; an index of -1 is one
// beyond the border, where the constant stands.
template <int ORDER, class W> struct AxisTaps {
    i64 index[ORDER + 1];
    W weight[ORDER + 1];

    __device__ void set(double x, i64 size, int mode) {
        x = map_coordinate(x, size, mode);
        const double whole = floor(ORDER % 2 ? x : x + 0.5);
        const i64 start = index_of(whole) - ORDER / 2;
        // NaN and infinity have no place on an axis that comes again: the constant stands there
        const bool comes_again = mode == WRAP || mode == REFLECT || mode == MIRROR;
        const bool nowhere = comes_again && !(x > -1 && x <= (double)size);
#pragma unroll
        for (int l = 0; l <= ORDER; ++l)
            index[l] = boundary_index(start + l, size, nowhere ? CONSTANT : mode);
        spline_weights<ORDER>(nowhere ? (W)0 : (W)(x - whole), weight);
    }

    // The same in fewer steps, and more code, where no element near the border takes part.
    __device__ void set_quickly(double x, i64 size, int mode) {
        constexpr int BEFORE = ORDER / 2, AFTER = ORDER - BEFORE;
        const double whole = floor(ORDER % 2 ? x : x + 0.5);
        const bool is_inner = whole >= BEFORE && whole < (double)(size - AFTER) &&
                              (ORDER > 0 || (x >= 0 && x <= (double)(size - 1)));
        if (!is_inner) return set(x, size, mode);
#pragma unroll
        for (int l = 0; l <= ORDER; ++l) index[l] = (i64)whole - BEFORE + l;
        spline_weights<ORDER>((W)(x - whole), weight);
    }

    // Whether the constant takes part.
    __device__ bool outside() const {
        bool any = false;
#pragma unroll
        for (int l = 0; l <= ORDER; ++l) any |= index[l] < 0;
        return any;
    }
};

// Sum over the taps of AXES axes. The recursion ends in one element.
//   image    first element; strides: distance of neighbours along each axis
//   convert  callable that makes a W of an element
template <int ORDER, int AXES, class W> struct Interpolation {
    template <class T, class Convert>
    static __device__ W at(const T* image, const AxisTaps<ORDER, W>* taps, const i64* strides,
                           bool outside, W cval, const Convert& convert) {
        // a hundred elements at once would want more registers than a thread has
        constexpr int AT_ONCE = AXES > 2 && ORDER > 2 ? 1 : ORDER + 1;
        W sum = 0, first = 0, value = 0;
#pragma unroll AT_ONCE
        for (int l = 0; l <= ORDER; ++l) {
            const i64 index = taps->index[l];
            value = Interpolation<ORDER, AXES - 1, W>::at(
                image + (index < 0 ? 0 : index * *strides), taps + 1, strides + 1,
                outside || index < 0, cval, convert);
            if (ORDER == 0) return value;
            if (l == 0) first = value;
            sum += taps->weight[l] * value;
        }
        return ORDER == 1 ? between(sum, first, value) : sum;
    }
};
template <int ORDER, class W> struct Interpolation<ORDER, 0, W> {
    template <class T, class Convert>
    static __device__ W at(const T* element, const AxisTaps<ORDER, W>*, const i64*, bool outside,
                           W cval, const Convert& convert) {
        return outside ? cval : convert(*element);
    }
};

template <int ORDER, int AXES, class W, class T, class Convert>
__device__ inline W interpolate(const T* image, const AxisTaps<ORDER, W> (&taps)[AXES],
                                const i64 (&strides)[AXES], W cval, const Convert& convert) {
    return Interpolation<ORDER, AXES, W>::at(image, taps, strides, false, cval, convert);
}

// The same of order 1, rounded as scipy.ndimage rounds: each element times its weights in the order
// of the axes, summed in the order of the elements. Where the exact value lies halfway between two
// numbers of the result's type, as it often does, rounding here decides.
//   Taps  AxisTaps<1, double>, or what has the same
template <class Taps, int AXES, class T, class Convert>
__device__ inline double interpolate_linear(const T* image, const Taps (&taps)[AXES],
                                            const i64 (&strides)[AXES], double cval,
                                            const Convert& convert) {
    double sum = 0, low = 0, high = 0;
#pragma unroll
    for (int corner = 0; corner < 1 << AXES; ++corner) {
        const T* element = image;
        bool outside = false;
#pragma unroll
        for (int a = 0; a < AXES; ++a) {
            const i64 index = taps[a].index[corner >> (AXES - 1 - a) & 1];
            outside |= index < 0;
            element += index < 0 ? 0 : index * strides[a];
        }
        double value = cval;
        if (!outside) value = convert(*element);
        low = corner && low < value ? low : value;
        high = corner && high > value ? high : value;
#pragma unroll
        for (int a = 0; a < AXES; ++a)
            value = __dmul_rn(value, taps[a].weight[corner >> (AXES - 1 - a) & 1]);
        sum = __dadd_rn(sum, value);
    }
    return between(sum, low, high);
}
