// Images of another size, by splines of orders 0 to 5.
//
// What: each element of the result takes the image's value at (place + 0.5) * zoom - 0.5 along
// each axis that changes its length; all other axes lie before, between and behind these.
// Coordinates and weights of an axis are computed once for many elements (transform/lines.cuh):
// the last axis is that of columns, unless what lies behind it is long, and all others are those
// of lines.
//
// Image: any dtype (orders above 1: spline coefficients, `pad` elements longer at each end
// than the image). Result: the image's dtype for order 0, else float for float16 and float32
// images, else double. One launch; the image is read once (neighbours from cache), the
// result is written once. Sums are in double, rounded as SciPy rounds them; those of order 1 of
// floats without double, where cards are slow in it and it does not decide.
//
// Source: scikit-image `transform.resize`, scipy.ndimage.zoom with grid_mode.
#include "filters/gaussian_taps.cuh"
#include "transform/float_means.cuh"
#include "transform/lines.cuh"
#include "transform/sampled.cuh"

// The result as (beside[0], made[0], beside[1], made[1], ..., beside[AXES]).
template <int AXES> struct Sizes {
    i64 beside[AXES + 1], made[AXES];
    i64 beside_stride[AXES + 1], stride[AXES];  // in the image
    i64 size[AXES];                             // of the image, padding included
    double zoom[AXES];
    i64 pad;
    LinesShape shape;
    int lead;  // axes of lines: all, or all but the last one
};

// The taps of order 1, with weights for sums in floats. COARSE weights are multiples of 2^-6.
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
        const float steps = 64 * weight[1].high;
        coarse = weight[1].low == 0 && steps == floor(steps);
    }
    __device__ bool outside() const { return index[0] < 0 || index[1] < 0; }
};

// The taps for an image of T and a result of O.
template <int ORDER, class T, class O, bool SLOW = IN_FLOATS> struct TapsFor { typedef AxisTaps<ORDER, double> type; };
template <> struct TapsFor<1, float, float, true> { typedef FloatTaps type; };

// What is known of a line: the taps of its axes, and where it begins in the image.
template <class Taps, int AXES> struct ResizedLine {
    Taps taps[AXES];
    i64 first;
    bool touched;
};

// And of a column: the taps of the last axis, where that is no line's. Of up to two axes there is room for
// the taps of the others, so that an element copies the line's alone; of three an array with all of them lies
// in local memory at high orders, which is to be no larger than that.
template <class Taps, int AXES> struct ResizedColumn {
    static constexpr int LAST = AXES > 2 ? 0 : AXES - 1;
    Taps taps[LAST + 1];
    i64 first;
    bool touched;
};

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

// range, seen: see transform/sampled.cuh.
template <int ORDER, int AXES, class T, class O>
__global__ void __launch_bounds__(TILE_THREADS, ORDER > 1 || AXES > 2 ? 1 : IN_FLOATS ? 2 : 3)
    resize_image(const T* image, O* result, const __grid_constant__ Sizes<AXES> sizes, int mode, double constant,
                 double scale, double lowest, const double* range, u32* seen) {
    typedef double W;  // as SciPy, also in single precision
    typedef typename TapsFor<ORDER, T, O>::type Taps;
    typedef ResizedLine<Taps, AXES> Line;
    typedef ResizedColumn<Taps, AXES> Column;
    __shared__ Line lines[MOST_LINES];
    const Scaled<T, W> convert(scale, lowest);
    const W cval = (W)constant;
    Finish<W> finish(range, seen, (W)shown<O>(constant));
    i64 once[AXES];  // strides of taps that are distances
#pragma unroll
    for (int a = 0; a < AXES; ++a) once[a] = 1;
    const bool narrow = sizes.shape.narrow, all = sizes.lead == AXES;
    const auto set = [&](Taps& taps, int a, i64 number, bool& touched) {
        const double place = (double)number + 0.5;
        const double at = __dadd_rn(__dmul_rn(place, sizes.zoom[a]), -0.5);
        taps.set(at + (double)sizes.pad, sizes.size[a], mode);
        scale_indices(taps.index, sizes.stride[a]);
        touched |= taps.outside();
    };
    const auto set_line = [&](Line& line, i64 rest) {
        i64 first = 0;
        bool touched = false;
        if (!all) first = split(rest, sizes.beside[AXES - 1], narrow) * sizes.beside_stride[AXES - 1];
#pragma unroll
        for (int a = AXES - 1; a >= 0; --a) {
            if (a == AXES - 1 && !all) continue;
            set(line.taps[a], a, split(rest, sizes.made[a], narrow), touched);
            first += split(rest, sizes.beside[a], narrow) * sizes.beside_stride[a];
        }
        line.first = first;
        line.touched = touched;
    };
    const auto column_of = [&](i64 rest) {
        Column column;
        column.touched = false;
        column.first = all ? rest : split(rest, sizes.beside[AXES], narrow);
        if (!all) set(column.taps[Column::LAST], AXES - 1, rest, column.touched);
        return column;
    };
    const auto made_of = [&](const T* first, const Taps(&taps)[AXES], bool touched) {
        O made;
        if constexpr (ORDER == 1) {
            if (!touched && !finish.clips)
                made = linear_inside<O>(first, taps, convert);
            else
                made = finish.clip(interpolate_linear(first, taps, once, cval, convert));
        } else {
            made = Rounded<O>::value(finish.clip(interpolate<ORDER, AXES>(first, taps, once, cval, convert)));
        }
        if (finish.seen) finish.watch((W)made, touched);
        return made;
    };
    for_lines(sizes.shape, lines, set_line, column_of, [&](i64 place, const Line& line, Column& column) {
        const T* const first = image + line.first + column.first;
        const bool touched = line.touched | column.touched;
        if constexpr (AXES > 2) {
            Taps taps[AXES];
#pragma unroll
            for (int a = 0; a < AXES - 1; ++a) taps[a] = line.taps[a];
            taps[AXES - 1] = all ? line.taps[AXES - 1] : column.taps[Column::LAST];
            result[place] = made_of(first, taps, touched);
        } else {
#pragma unroll
            for (int a = 0; a < AXES - 1; ++a) column.taps[a] = line.taps[a];
            if (all) column.taps[AXES - 1] = line.taps[AXES - 1];
            result[place] = made_of(first, column.taps, touched);
        }
    });
    finish.tell();
}
