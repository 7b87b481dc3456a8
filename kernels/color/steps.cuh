// Steps of colour conversions: functors on the channels of one pixel.
//
// convert.cu chains them, so that rgb2lab is RgbToXyz, then XyzToLab. A step is a struct
// passed to the kernel by value: its members are the numbers that scikit-image's tables and
// the caller's arguments give, in the type W that the kernel computes in (float or double).
//
//     template <class W> struct Name : Step<W> {
//         W white[3];                                    // numbers, in this order
//         __device__ W each(W x) const { ... }           // a channel alone; may be left out
//         __device__ int operator()(W* c) const { ... }  // then the channels together, in place
//     };
//
// A step returns how many values it had to clip (only LabToXyz: 0 or 1). Comparisons are
// written so that NaN goes where NumPy's masks and maxima send it. Of an 8-bit image there are 256
// results of a first step's `stored`, scaled, and `each`: convert.cu looks them up.
// Here: matrices, sRGB, HSV, stains, alpha. CIE spaces: color/cie.cuh.
// Source: skimage.color.colorconv.
#pragma once
#include "color/roots.cuh"
#include "common/rounded.cuh"
#include "common/two_float_functions.cuh"

template <class W> struct Step {
    static constexpr int INPUTS = 3, OUTPUTS = 3;
    static constexpr bool KEEPS_EXTRA = false;  // channels after the third are passed on
    // One stored value in its own type; then it is scaled as by skimage.util.img_as_float.
    template <class T> __device__ T stored(T value, int) const { return value; }
    __device__ W each(W x) const { return x; }
};

template <class W> __device__ inline void apply(const W* matrix, W* c) {
    const W x = c[0], y = c[1], z = c[2];
#pragma unroll
    for (int k = 0; k < 3; ++k) c[k] = fma(matrix[3 * k + 2], z, fma(matrix[3 * k + 1], y, matrix[3 * k] * x));
}

// numpy.maximum and numpy.clip, which keep NaN.
template <class W> __device__ inline W at_least(W x, W low) { return x < low ? low : x; }
template <class W> __device__ inline W clip(W x) { return is_negative(x) ? (W)0 : is_above(x, (W)1) ? (W)1 : x; }

// value - offset in the type T of the image, as `image -= offset` is: integers wrap around,
// binary16 is rounded. The offset is 0 for a boolean.
template <class T> struct Shifted {
    static __device__ T minus(T value, double offset) { return (T)((u64)value - (u64)offset); }
};
template <> struct Shifted<bool> { static __device__ bool minus(bool value, double) { return value; } };
template <> struct Shifted<double> { static __device__ double minus(double value, double offset) { return value - offset; } };
template <> struct Shifted<float> { static __device__ float minus(float value, double offset) { return value - (float)offset; } };
template <> struct Shifted<float16> {
    static __device__ float minus(float16 value, double offset) {
        return NumpyArithmetic<float16>::subtract((float)value, (float)offset);
    }
};

// Linear spaces: yuv, yiq, ypbpr, ycbcr, ydbdr, rgbcie. matrix (c - before) + after, where
// `before` is taken off in the type of the image, if this is the first step.
template <class W> struct Affine : Step<W> {
    W matrix[9];
    double before[3];
    W after[3];
    template <class T> __device__ auto stored(T value, int channel) const {
        return Shifted<T>::minus(value, before[channel]);
    }
    __device__ int operator()(W* c) const {
        apply(matrix, c);
#pragma unroll
        for (int k = 0; k < 3; ++k) c[k] += after[k];
        return 0;
    }
};

// sRGB, IEC 61966-2-1.
template <class W> struct RgbToXyz : Step<W> {
    W matrix[9];
    __device__ W each(W x) const {
        const W power = power_2_4((x + (W)0.055) * (W)(1 / 1.055));
        return is_above(x, (W)0.04045) ? power : x * (W)(1 / 12.92);
    }
    __device__ int operator()(W* c) const {
        apply(matrix, c);
        return 0;
    }
};

template <class W> struct XyzToRgb : Step<W> {
    W matrix[9];
    __device__ int operator()(W* c) const {
        apply(matrix, c);
#pragma unroll
        for (int k = 0; k < 3; ++k) {
            const W power = (W)1.055 * power_1_2_4(c[k]) - (W)0.055;
            const W line = c[k] * (W)12.92;
            c[k] = clip(is_above(c[k], (W)0.0031308) ? power : line);
        }
        return 0;
    }
};

template <class W> struct RgbToGray : Step<W> {
    static constexpr int OUTPUTS = 1;
    W weights[3];
    __device__ int operator()(W* c) const {
        // of corners in a photograph that are as strong, the last bit decides which come first; this
        // order of terms, which costs nothing, is NumPy's on most x86 processors
        c[0] = fma(weights[2], c[2], fma(weights[0], c[0], weights[1] * c[1]));
        return 0;
    }
};

template <class W> struct RgbaToRgb : Step<W> {
    static constexpr int INPUTS = 4;
    W background[3];
    __device__ int operator()(W* c) const {
        const W alpha = c[3];
#pragma unroll
        for (int k = 0; k < 3; ++k) c[k] = clip(((W)1 - alpha) * background[k] + alpha * c[k]);
        return 0;
    }
};

// a / b of channels of an image of type T.
template <class T, class W> struct Quotient {
    static __device__ W of(W a, W b) { return a / b; }
};
// Of 8-bit values: the inverse of b in float, to 2^-22, and in double; a quotient by it, and the quotient of what
// that leaves over. b is between 2^-9 and 1.
template <> struct Quotient<u8, double> {
    static __device__ double of(double a, double b) {
        const double first = widened(__frcp_rn(cut_to_single(b)));
        const double inverse = fma(fma(-b, first, 1.0), first, first), quotient = a * inverse;
        return fma(fma(-b, quotient, a), inverse, quotient);
    }
};

// Of several largest channels the last decides the hue. What is not a number becomes 0,
// also the hue of a pixel with a NaN, which scikit-image leaves undefined.
template <class W> struct RgbToHsv : Step<W> {
    __device__ int operator()(W* c) const { return of_image<W>(c); }
    // The first step, of an image of type T.
    template <class T> __device__ int of_image(W* c) const {
        const W r = c[0], g = c[1], b = c[2];
        const W high = larger(larger(r, g), b), delta = high - smaller(smaller(r, g), b);
        const bool is_grey = are_same(delta, (W)0);
        const bool not_a_number = !is_number(r) || !is_number(g) || !is_number(b);
        const bool is_blue = are_same(b, high), is_green = !is_blue && are_same(g, high);
        const W before = is_blue ? r : is_green ? b : g, after = is_blue ? g : is_green ? r : b;
        W hue = Quotient<T, W>::of(before - after, is_grey ? (W)1 : delta);
        hue = is_blue || is_green ? (is_blue ? (W)4 : (W)2) + hue : hue;
        hue = divided_by<6>(hue);
        hue = is_negative(hue) ? hue + (W)1 : hue;
        const W saturation = Quotient<T, W>::of(delta, is_grey ? (W)1 : high);
        c[0] = is_grey || not_a_number || !is_number(hue) ? (W)0 : hue;
        c[1] = is_grey || not_a_number || !is_number(saturation) ? (W)0 : saturation;
        c[2] = not_a_number ? (W)0 : high;
        return 0;
    }
};

// The sector of the hue is cast as on x86: to a 32-bit integer, 0 where it does not fit,
// and of that the last byte.
template <class W> struct HsvToRgb : Step<W> {
    __device__ int operator()(W* c) const {
        const W s = c[1], v = c[2];
        const W turns = rounded_product(c[0], (W)6);
        const W whole = floor(turns);
        const W f = turns - whole;
        const W p = v * ((W)1 - s), q = v * ((W)1 - f * s), t = v * ((W)1 - ((W)1 - f) * s);
        const bool fits = whole >= (W)-2147483648.0 && whole < (W)2147483648.0;
        const int sector = ((int)(fits ? whole : (W)0) & 255) % 6;
        c[0] = sector == 0 || sector == 5 ? v : sector == 1 ? q : sector == 4 ? t : p;
        c[1] = sector == 1 || sector == 2 ? v : sector == 0 ? t : sector == 3 ? q : p;
        c[2] = sector == 3 || sector == 4 ? v : sector == 2 ? t : sector == 5 ? q : p;
        return 0;
    }
};

// Colour deconvolution (Ruifrok and Johnston). Computed in double, as scikit-image does for
// every image; of float images it takes the logarithm in float: SeparateStainsOfFloat.
template <class W, class L> struct Separation : Step<W> {
    W matrix[9];
    __device__ W each(W x) const {
        const W logarithm = log(at_least((L)x, (L)1e-6));
        return logarithm * (W)(1 / -13.815510557964274);  // log(1e-6)
    }
    __device__ int operator()(W* c) const {
        apply(matrix, c);
#pragma unroll
        for (int k = 0; k < 3; ++k) c[k] = at_least(c[k], (W)0);
        return 0;
    }
};
template <class W> struct SeparateStains : Separation<W, W> {};
template <class W> struct SeparateStainsOfFloat : Separation<W, float> {};

template <class W> struct CombineStains : Step<W> {
    W matrix[9];
    __device__ W each(W x) const { return x * (W)-13.815510557964274; }  // log(1e-6)
    __device__ int operator()(W* c) const {
        if (IN_FLOATS && in_floats(c)) return 0;
        apply(matrix, c);
#pragma unroll
        for (int k = 0; k < 3; ++k) c[k] = clip(exp(c[k]));
        return 0;
    }

    // The same in two floats, off by less than 2^-34 of a result: an exponent misses 2^-44 of the size of what it
    // is the sum of. Whether that is below 2^10.
    __device__ bool in_floats(W* c) const {
        TwoFloats channels[3], exponents[3];
        float size = 0;
#pragma unroll
        for (int k = 0; k < 3; ++k) channels[k] = in_two_floats(c[k]);
#pragma unroll
        for (int k = 0; k < 3; ++k) {
            float its = 0;
            exponents[k] = {0, 0};
#pragma unroll
            for (int j = 0; j < 3; ++j) {
                const TwoFloats weight = in_two_floats(matrix[3 * k + j]);
                accumulate(exponents[k], channels[j], weight);
                its = fma(fabs(channels[j].high), fabs(weight.high), its);
            }
            size = its <= size ? size : its;
        }
        if (!(size < 1024)) return false;
#pragma unroll
        for (int k = 0; k < 3; ++k) {
            const TwoFloats exponent = renormalized(exponents[k]);
            c[k] = exponent.high < 0 ? exponential(exponent) : 1.0;
        }
        return true;
    }
};
