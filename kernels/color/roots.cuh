// The roots and powers that colour spaces are made of, without pow: a guess from the
// exponent bits, then steps of the binomial series of (1 - d)^(-1/P), where d is what
// the estimate r of x^(-1/P) misses, d = 1 - x r^P. A few multiplications instead of a
// logarithm and an exponential, within a few units in the last place, and in loops that a
// host compiler vectorizes.
//
// Of a double all steps but the last are made in float: r then misses 2^-22 of the root, and
// what the last step leaves out of the series is less than 2^-60 of the result. r has 24 bits, so
// that its square is exact. Seen of 6 million numbers: cube_root within 0.7 units in the
// last place, power_2_4 within 2.3, power_1_2_4 within 1.4.
//
// Any thread may call them; W is float or double. Arguments are positive and normal, or
// infinite or NaN (kept); for other values something is returned that the caller drops.
#pragma once
#include "common/double_bits.cuh"

// x^(-1/P), P is 3 or 5: the bits of a positive number are nearly its logarithm, which gives it
// to about 4 %; then two steps.
template <int P> __device__ inline float inverse_root(float x) {
    constexpr int magic = P == 3 ? 0x54a1e0aa : 0x4c2b24b3;
    float r = __int_as_float(magic - (int)((1.0f / P) * (float)__float_as_int(x)));
#pragma unroll
    for (int step = 0; step < 2; ++step) {
        const float square = r * r, rest = P == 3 ? square : square * square;
        const float d = fma(-(x * r), rest, 1.0f);
        r = fma(r * d, fma(d, P == 3 ? (float)(2.0 / 9.0) : 0.12f, 1.0f / P), r);
    }
    return r;
}

// A positive double as fraction 2^(P exponent): 2^(1 - P) < fraction < 2^P, cut to single precision.
struct Scaled {
    float fraction;
    int exponent;
};
template <int P> __device__ inline Scaled scaled(double x) {
    const int exponent = ((int)(bits_of(x) >> 52 & 0x7ff) - 1023) / P;
    return {cut_to_single(x, -P * exponent), exponent};
}

// Infinity and NaN are their own powers.
template <class W> __device__ inline W keep_not_finite(W x, W result) { return is_finite(x) ? result : x; }

// x^(1/3) = x r^2 (1 - d)^(-2/3)
__device__ inline float cube_root(float x) {
    const float r = inverse_root<3>(x);
    return keep_not_finite(x, x * r * r);
}
__device__ inline double cube_root(double x) {
    const Scaled s = scaled<3>(x);
    const double r = widened(inverse_root<3>(s.fraction), -s.exponent);
    const double root = x * (r * r);
    const double d = fma(-root, r, 1.0);
    return keep_not_finite(x, fma(root, d * fma(d, 5.0 / 9.0, 2.0 / 3.0), root));
}

// x^2.4 = (x x^(-1/5))^3 = x^2 (x r^3) (1 - d)^(-3/5)
__device__ inline float power_2_4(float x) {
    const float fourth = x * inverse_root<5>(x);  // x^(4/5)
    return keep_not_finite(x, fourth * fourth * fourth);
}
__device__ inline double power_2_4(double x) {
    const Scaled s = scaled<5>(x);
    const double r = widened(inverse_root<5>(s.fraction), -s.exponent);
    const double square = r * r, second = x * (square * r);  // x^(2/5)
    const double d = fma(-second, square, 1.0);
    return keep_not_finite(x, x * x * fma(second, d * fma(d, 12.0 / 25.0, 3.0 / 5.0), second));
}

// x^(1/2.4) = c c^(1/4), c the cube root; = x r^7 (1 - d)^(-7/12), r of x^(-1/12)
__device__ inline float power_1_2_4(float x) {
    const float c = cube_root(x);
    return c * sqrt(sqrt(c));
}
__device__ inline double power_1_2_4(double x) {
    const Scaled s = scaled<12>(x);
    const double r = widened(sqrt(sqrt(inverse_root<3>(s.fraction))), -s.exponent);
    const double square = r * r, fourth = square * square, fifth = fourth * r;
    const double power = x * (fifth * square);
    const double d = fma(-power, fifth, 1.0);
    return keep_not_finite(x, fma(power, d * fma(d, 133.0 / 288.0, 7.0 / 12.0), power));
}
