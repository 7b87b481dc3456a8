// The roots and powers that colour spaces are made of, without pow: a guess from the
// exponent bits, then two steps of the binomial series of (1 - d)^(-1/P), where d is what
// the estimate r of x^(-1/P) misses, d = 1 - x r^P. A few multiplications instead of a
// logarithm and an exponential, within a few units in the last place, and in loops that a
// host compiler vectorizes.
//
// Any thread may call them; W is float or double. Arguments are positive and normal, or
// infinite or NaN (kept); for other values something is returned that the caller drops.
#pragma once
#include "common/types.cuh"

// x^(-1/P) to about 4 %, P is 3 or 5: the bits of a positive number are nearly its logarithm.
template <int P> __device__ inline float guess_inverse_root(float x) {
    constexpr int magic = P == 3 ? 0x54a1e0aa : 0x4c2b24b3;
    return __int_as_float(magic - (int)((1.0f / P) * (float)__float_as_int(x)));
}
template <int P> __device__ inline double guess_inverse_root(double x) {
    constexpr int magic = P == 3 ? 0x553ee6c0 : 0x4cb897c9;
    const int high = (int)(__double_as_longlong(x) >> 32);
    return __longlong_as_double((i64)(magic - (int)((1.0f / P) * (float)high)) << 32);
}

// Infinity and NaN are their own powers.
template <class W> __device__ inline W keep_not_finite(W x, W result) { return x - x == (W)0 ? result : x; }

// x^(1/3)
template <class W> __device__ inline W cube_root(W x) {
    constexpr bool exact = sizeof(W) == 8;
    W r = guess_inverse_root<3>(x);
#pragma unroll
    for (int step = 0; step < 2; ++step) {
        const W d = fma(-(x * r), r * r, (W)1);
        W series = (W)(2.0 / 9.0);
        if (exact) series = fma(d, (W)(14.0 / 81.0), series);
        r = fma(r * d, fma(d, series, (W)(1.0 / 3.0)), r);
    }
    return keep_not_finite(x, x * r * r);
}

// x^2.4 = (x x^(-1/5))^3
template <class W> __device__ inline W power_2_4(W x) {
    constexpr bool exact = sizeof(W) == 8;
    W r = guess_inverse_root<5>(x);
#pragma unroll
    for (int step = 0; step < 2; ++step) {
        const W square = r * r;
        const W d = fma(-(x * r), square * square, (W)1);
        W series = (W)0.12;
        if (exact) series = fma(d, fma(d, (W)0.0704, (W)0.088), series);
        r = fma(r * d, fma(d, series, (W)0.2), r);
    }
    const W fourth = x * r;  // x^(4/5)
    return keep_not_finite(x, fourth * fourth * fourth);
}

// x^(1/2.4) = c c^(1/4), c the cube root
template <class W> __device__ inline W power_1_2_4(W x) {
    const W c = cube_root(x);
    return c * sqrt(sqrt(c));
}
