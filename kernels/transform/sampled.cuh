// What becomes of an interpolated value: clipping to the image's range, and what the host has
// to know about the values before it can say how they are clipped.
#pragma once
#include "common/types.cuh"

// Bits of `seen`.
//     TOUCHED    the constant took part in a value
//     LOW, HIGH  a value is no larger, no smaller than the constant
//     TIE        a coordinate lies halfway between two elements, but for rounding
//     NUMBER     a value is not NaN, and the constant took no part in it
enum Seen { TOUCHED = 1, LOW = 2, HIGH = 4, TIE = 8, NUMBER = 16 };

// The value that an element of type O gets of a double, as SciPy rounds it.
template <class O> struct Rounded {
    static __device__ O value(double t) {
        const double most = Limits<O>::max, least = Limits<O>::is_signed ? -most - 1 : 0;
        t = t > 0 ? t + 0.5 : Limits<O>::is_signed ? t - 0.5 : 0;
        t = t > most ? most : t < least ? least : t;
        // what x86 makes of a double beyond the type: 2^63 and 2^64
        if (sizeof(O) == 8 && t >= (Limits<O>::is_signed ? 0x1p63 : 0x1p64))
            return Limits<O>::is_signed ? (O)(1ull << 63) : (O)0;
        return (O)t;
    }
};
template <> struct Rounded<bool> { static __device__ bool value(double t) { return (u8)t; } };
template <> struct Rounded<float> { static __device__ float value(double t) { return (float)t; } };
template <> struct Rounded<double> { static __device__ double value(double t) { return t; } };

// The constant as it stands among floats of the result, with which NumPy compares it.
template <class O> __device__ inline double shown(double constant) { return constant; }
template <> __device__ inline double shown<float>(double constant) { return (float)constant; }

// One thread's way of finishing values, which are of W, float or double.
//
// range  least and largest number of the image, to which values are clipped; null: they are not
// seen   receives bits of Seen; null: nobody watches
template <class W> struct Finish {
    u32* const seen;
    const bool clips;
    W low, high;
    const W cval;
    u32 bits;

    __device__ Finish(const double* range, u32* seen, W cval)
        : seen(seen), clips(range != nullptr), cval(cval), bits(0) {
        low = clips ? (W)range[0] : (W)0;
        high = clips ? (W)range[1] : (W)0;
    }

    __device__ W clip(W value) const {
        if (!clips) return value;
        return value < low ? low : value > high ? high : value;
    }

    // `value` as it stands in the result; touched: the constant took part in it.
    __device__ void watch(W value, bool touched) {
        if (seen)
            bits |= (touched ? TOUCHED : value == value ? NUMBER : 0) | (value <= cval ? LOW : 0)
                | (value >= cval ? HIGH : 0);
    }

    // Once per thread, after its last value. The bits are read first: soon all are set.
    __device__ void tell() const {
        if (bits && (bits & ~*(volatile u32*)seen)) atomicOr(seen, bits);
    }
};
