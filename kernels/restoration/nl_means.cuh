// What both modes of non-local means share: the exponential by integer arithmetic.
//
// Source: skimage/_shared/fast_exp.h (Schraudolph 1999), compiled for x86.
#pragma once
#include "common/rounded.cuh"

// exp(y), by the exponent and the first bits of a double. What a 32-bit integer does not hold, and
// NaN, become the least one, as on x86.
__device__ inline double fast_exp(double y) {
    const double x = __dmul_rn(1512775.3951951856938, y);
    const bool fits = x > -2147483649.0 && x < 2147483648.0;
    const u32 high = (fits ? (u32)(int)x : 0x80000000u) + 1072632447u;
    return __longlong_as_double((i64)((u64)high << 32));
}
