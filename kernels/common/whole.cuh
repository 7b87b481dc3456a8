// Pixels as labels have them: 64-bit integers, but kept in the type that they come in.
#pragma once
#include "common/types.cuh"

// A pixel without its fraction.
template <class T> __device__ inline T whole(T value) { return value; }
__device__ inline float whole(float value) { return truncf(value); }
__device__ inline double whole(double value) { return trunc(value); }
__device__ inline float whole(float16 value) { return truncf((float)value); }

// Whether a pixel is a number that a 64-bit integer holds, too.
template <class T> __device__ inline bool fits(T) { return true; }
__device__ inline bool fits(float value) { return value >= -9223372036854775808.0f && value < 9223372036854775808.0f; }
__device__ inline bool fits(double value) { return value >= -9223372036854775808.0 && value < 9223372036854775808.0; }
