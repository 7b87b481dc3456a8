// Doubles handled by the units for integers and for single precision.
//
// Of most GPUs the units for double precision have 1/32 or 1/64 of the rate of the others, and
// comparisons, conversions from float and divisions go through them, too. Here are ways around
// that: for doubles what they say, for floats the plain operation, so that a kernel is written once
// for both.
//
// Any thread may call them; no shared memory, no barrier.
#pragma once
#include "common/types.cuh"

constexpr u64 SIGN_BIT = 0x8000000000000000ull, INFINITE_BITS = 0x7ff0000000000000ull;

__device__ inline u64 bits_of(double x) { return (u64)__double_as_longlong(x); }
__device__ inline double double_of(u64 bits) { return __longlong_as_double((i64)bits); }

// x > limit for a limit that is positive or +0: positive doubles are in the order of their bits,
// those of negative numbers and of NaN lie beyond infinity's.
__device__ inline bool is_above(float x, float limit) { return x > limit; }
__device__ inline bool is_above(double x, double limit) {
    return bits_of(x) - bits_of(limit) - 1 < INFINITE_BITS - bits_of(limit);
}

// x > 0 ? x : 0 of what was computed: its NaN are quiet, beyond infinity's upper half by more than a bit.
__device__ inline double positive_part(double x) { return (u32)(bits_of(x) >> 32) < 0x7ff80000u ? x : 0.0; }

// x < 0, which is false for -0 and NaN.
__device__ inline bool is_negative(float x) { return x < 0.0f; }
__device__ inline bool is_negative(double x) { return bits_of(x) - SIGN_BIT - 1 < INFINITE_BITS; }

__device__ inline bool is_finite(float x) { return x - x == 0.0f; }
__device__ inline bool is_finite(double x) { return (bits_of(x) & INFINITE_BITS) != INFINITE_BITS; }

__device__ inline bool is_number(float x) { return x == x; }
__device__ inline bool is_number(double x) { return (bits_of(x) & ~SIGN_BIT) <= INFINITE_BITS; }

// x == y for numbers.
__device__ inline bool are_same(float x, float y) { return x == y; }
__device__ inline bool are_same(double x, double y) {
    return bits_of(x) == bits_of(y) || !((bits_of(x) | bits_of(y)) & ~SIGN_BIT);
}

// The larger and the smaller of two numbers.
__device__ inline i64 in_order(double x) {
    const i64 bits = (i64)bits_of(x);
    return bits ^ (i64)((u64)(bits >> 63) >> 1);
}
__device__ inline float larger(float x, float y) { return x > y ? x : y; }
__device__ inline double larger(double x, double y) { return in_order(x) > in_order(y) ? x : y; }
__device__ inline float smaller(float x, float y) { return x < y ? x : y; }
__device__ inline double smaller(double x, double y) { return in_order(x) < in_order(y) ? x : y; }

// A float between 2^-126 and 2^127 times 2^exponent, where that is a normal double: the bits put
// where a double has them, so that it is exact.
__device__ inline double widened(float x, int exponent = 0) {
    const u32 bits = __float_as_uint(x);
    const u32 high = (bits & 0x80000000u) | (((bits & 0x7fffffffu) >> 3) + (u32)((896 + exponent) * (1 << 20)));
    return double_of((u64)high << 32 | bits << 29);
}

// A positive double times 2^exponent, where that is between 2^-126 and 2^127, cut to a float.
__device__ inline float cut_to_single(double x, int exponent = 0) {
    const u32 high = (u32)(bits_of(x) >> 32) - (u32)((896 - exponent) * (1 << 20));
    return __uint_as_float(high << 3 | (u32)bits_of(x) >> 29);
}

// A number above 0 that many are divided by, and its inverse.
template <class W> struct Divisor {
    W value, inverse;
};
__device__ inline Divisor<float> divisor_of(float value) { return {value, 0}; }
__device__ inline Divisor<double> divisor_of(double value) { return {value, 1.0 / value}; }

// x / divisor.value by multiplications: a quotient by the inverse, and the quotient of what it leaves over. Of a
// multiple of the divisor the quotient is exact: means of equal numbers are this number.
__device__ inline float divided(float x, const Divisor<float>& divisor) { return x / divisor.value; }
__device__ inline double divided(double x, const Divisor<double>& divisor) {
    const double q = x * divisor.inverse;
    return is_finite(x) ? fma(fma(-q, divisor.value, x), divisor.inverse, q) : x;
}
template <int N> __device__ inline float divided_by(float x) { return x / (float)N; }
template <int N> __device__ inline double divided_by(double x) { return divided(x, divisor_of((double)N)); }
