// Grey levels of CLAHE: 16-bit values of an image, made 14-bit ones by its range.
//
// Source: skimage/exposure/_adapthist.py, skimage.util.img_as_uint.
#pragma once
#include "common/range.cuh"
#include "common/types.cuh"
#include "common/tile.cuh"

constexpr u32 TOP_LEVEL = (1u << 14) - 1;

// skimage.util.img_as_uint for one value; floating ones are clipped, NaN becomes 0.
template <class T> struct To16;
template <> struct To16<bool> { static __device__ u32 of(u8 value) { return value ? 65535u : 0u; } };
template <> struct To16<u8> { static __device__ u32 of(u8 value) { return 257u * value; } };
template <> struct To16<u16> { static __device__ u32 of(u16 value) { return value; } };
template <> struct To16<signed char> {
    static __device__ u32 of(signed char value) { return value < 0 ? 0u : 16513u * value >> 5; }
};
template <> struct To16<short> {
    static __device__ u32 of(short value) { return value < 0 ? 0u : 32769u * value >> 14; }
};
template <> struct To16<float> {
    static __device__ u32 of(float value) {
        const float scaled = value * 65535.0f;
        return scaled > 0.0f ? (u32)(scaled < 65535.0f ? rint(scaled) : 65535.0f) : 0u;
    }
};
template <> struct To16<double> {
    static __device__ u32 of(double value) {
        const double scaled = value * 65535.0;
        return scaled > 0.0 ? (u32)(scaled < 65535.0 ? rint(scaled) : 65535.0) : 0u;
    }
};

// One channel: the 16-bit value of an element. Limit: type in which the range is told.
template <class T> struct GrayLevels {
    using Limit = typename RangeValue<T>::type;
    const T* image;
    __device__ u32 operator()(i64 pixel) const { return To16<T>::of(image[pixel]); }
    static __device__ u32 of(Limit limit) { return To16<T>::of(limit); }
};
template <> struct GrayLevels<bool> {
    using Limit = u8;
    const bool* image;
    __device__ u32 operator()(i64 pixel) const { return To16<bool>::of(image[pixel]); }
    static __device__ u32 of(u8 limit) { return To16<bool>::of(limit); }
};

// Channels that lie side by side, red, green and blue first: the value (of HSV) of a pixel.
template <class T> struct ColorLevels {
    using Limit = typename Working<T>::type;
    const T* image;
    i64 channels;
    __device__ Limit value(i64 pixel) const {
        const T* c = image + pixel * channels;
        const Limit r = img_as_float<Limit>(c[0]), g = img_as_float<Limit>(c[1]), b = img_as_float<Limit>(c[2]);
        const Limit high = r > g ? (r > b ? r : b) : (g > b ? g : b);
        return r != r ? r : g != g ? g : high;  // NaN stays
    }
    __device__ u32 operator()(i64 pixel) const { return of(value(pixel)); }
    static __device__ u32 of(Limit limit) { return To16<Limit>::of(limit); }
};

// 14-bit levels of 16-bit ones, as rescale_intensity and rounding give them in double:
// low becomes 0, high the top level. Exact by integers, since only ties leave a doubt.
struct Rescaled {
    u32 low, high;
    __device__ u32 operator()(u32 level) const {
        if (low == high) return level < TOP_LEVEL ? level : TOP_LEVEL;
        const u32 above = (level < low ? low : level > high ? high : level) - low, range = high - low;
        const u32 scaled = above * TOP_LEVEL, whole = scaled / range, rest = 2 * (scaled - whole * range);
        if (rest == range)
            return (u32)rint(__dmul_rn(__ddiv_rn((double)above, (double)range), (double)TOP_LEVEL));
        return whole + (rest > range);
    }
};
