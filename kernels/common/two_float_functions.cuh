// Arithmetic and functions of numbers in two floats, those that formulas share with float and double by the
// same names.
//
// Products, quotients and roots are off by less than 2^-44 of themselves as long as no square or product is
// below 2^-78 or above 2^125 (common/two_floats.cuh). What a sum has lost in `high`, as where two numbers
// cancel, is in `low`: it has to be renormalized before it is a factor.
//
// Any thread may call them.
#pragma once
#include "common/double_bits.cuh"
#include "common/two_floats.cuh"

// The same number, with no more in `low` than `high` cannot hold.
__device__ inline float renormalized(float x) { return x; }
__device__ inline double renormalized(double x) { return x; }
__device__ inline TwoFloats renormalized(const TwoFloats& a) {
    const float whole = a.high + a.low;
    return {whole, a.low - (whole - a.high)};
}

__device__ inline TwoFloats operator*(const TwoFloats& a, const TwoFloats& b) {
    return renormalized(rounded_product(a, b));
}

// Differences of neighbouring floats are exact: so the sign is.
__device__ inline bool operator<(const TwoFloats& a, const TwoFloats& b) {
    return (a.high - b.high) + (a.low - b.low) < 0;
}

// A double, off by less than 2^-48 of itself, by no operation in double; below 2^-60 zero, from 2^60 on infinity.
__device__ inline TwoFloats in_two_floats(double x) {
    const u64 bits = bits_of(x) & ~SIGN_BIT;
    const int exponent = (int)(bits >> 52) - 1023;
    if (exponent < -60) return {0, 0};
    if (exponent >= 60) return {__int_as_float(0x7f800000), 0};
    const float sign = bits_of(x) == bits ? 1.0f : -1.0f;
    const float rest = (float)((u32)bits & 0x1fffffffu) * __int_as_float((exponent + 75) << 23);
    return {sign * cut_to_single(double_of(bits)), sign * rest};
}

// Of what is not negative.
__device__ inline float root(float x) { return sqrt(x); }
__device__ inline double root(double x) { return sqrt(x); }
__device__ inline TwoFloats root(const TwoFloats& a) {
    const float first = sqrt(a.high);
    if (first == 0) return {0, 0};
    return renormalized({first, (fma(-first, first, a.high) + a.low) / (2 * first)});
}

// The exponential of two floats is a double, off by less than 2^-45 of itself, for exponents up to 700.
//
// What k ln 2 leaves is divided by 16: t, below 0.0217. exp(t) - 1 is t + t^2 (1/2 + t (1/6 + ...)), the
// terms behind these in float; then (1 + e)^2 - 1 = 2 e + e^2, four times.
__device__ inline double exponential(const TwoFloats& exponent) {
    if (exponent.high < -746) return 0;
    // ln 2 in three floats: k times the first one is exact, and so is what it leaves
    const float k = rintf(exponent.high * 1.44269504f);
    TwoFloats t = {fma(-k, 0.693359375f, exponent.high), exponent.low};
    accumulate(t, k, {2.12194442e-4f, -1.64659497e-12f});
    t = renormalized({t.high / 16, t.low / 16});
    const float x = t.high, rest = x * fma(x, fma(x, fma(x, 1 / 5040.0f, 1 / 720.0f), 1 / 120.0f), 1 / 24.0f);
    TwoFloats third = {1 / 6.0f, -4.967054e-9f};
    add(third, rest);
    TwoFloats e = plus_product(t, rounded_product(t, t), plus_product({0.5f, 0}, t, third));
#pragma unroll
    for (int times = 0; times < 4; ++times) e = plus_product({2 * e.high, 2 * e.low}, e, e);
    const u64 bits = bits_of(1 + (widened(e.high) + widened(e.low)));
    if (k >= -1021) return double_of(bits + ((u64)(i64)k << 52));
    return double_of(bits + ((u64)(i64)(k + 200) << 52)) * 0x1p-200;
}
