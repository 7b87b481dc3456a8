// Arithmetic of float16 as NumPy does it: each operation in float, its result rounded.
#pragma once
#include "common/types.cuh"

// The float16 nearest to `value` (ties to even), as a float. Any thread.
__device__ inline float round_to_half(float value) {
    const u32 bits = __float_as_uint(value);
    const u32 sign = bits & 0x80000000u;
    u32 magnitude = bits & 0x7fffffffu;
    if (magnitude >= 0x7f800000u) return value;  // infinity and NaN
    if (magnitude < 0x38800000u) {               // below 2^-14: multiples of 2^-24
        const float grid = __fadd_rn(__fadd_rn(__uint_as_float(magnitude), 0.5f), -0.5f);
        return __uint_as_float(sign | __float_as_uint(grid));
    }
    magnitude = (magnitude + 0xfffu + ((magnitude >> 13) & 1u)) & ~0x1fffu;
    if (magnitude >= 0x47800000u) magnitude = 0x7f800000u;  // 65520 and more
    return __uint_as_float(sign | magnitude);
}

// The float16 nearest to `value`, as stored. Any thread.
__device__ inline float16 to_half(float value) {
    const float nearest = round_to_half(value);
    const u32 bits = __float_as_uint(nearest), magnitude = bits & 0x7fffffffu;
    u32 half = (magnitude - 0x38000000u) >> 13;
    if (magnitude < 0x38800000u)  // below 2^-14: multiples of 2^-24
        half = (u32)(__uint_as_float(magnitude) * 16777216.0f);
    if (magnitude >= 0x7f800000u) half = magnitude > 0x7f800000u ? 0x7e00u : 0x7c00u;
    float16 stored;
    stored.bits = (u16)((bits >> 16 & 0x8000u) | half);
    return stored;
}
