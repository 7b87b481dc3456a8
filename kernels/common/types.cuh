// Scalar types that every kernel family shares: storage types of images, their
// conversion to the floating type that a kernel computes in, and index types.
// Compiles under NVRTC without standard headers and under the simulator's g++.
#pragma once
#include "common/products.cuh"

typedef long long i64;
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;

// Blocks of 256 threads that registers must allow a multiprocessor to have at a time, for
// __launch_bounds__: 64 registers a thread. Warps wait for memory and for results of their own, and others
// have to be there: with two blocks (128 registers) kernels took 1.2 to 1.6 times as long on an H200
// (docs/measured.md). Where so few registers would put values on the stack it is FEWER, or less.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800 && __CUDA_ARCH__ < 1000
constexpr int RESIDENT = 4, FEWER = 3;
#else
constexpr int RESIDENT = 2, FEWER = 2;
#endif

// IEEE binary16 as stored by NumPy and CuPy; converted in software, so that no
// CUDA header is needed. Only a storage type: compute in float.
struct float16 {
    u16 bits;
    __device__ operator float() const {
        u32 sign = (u32)(bits & 0x8000u) << 16;
        u32 exponent = (bits >> 10) & 0x1fu;
        u32 mantissa = bits & 0x3ffu;
        if (exponent == 0) {  // zero and subnormals: mantissa * 2^-24
            float value = (float)mantissa * 5.9604644775390625e-8f;
            return sign ? -value : value;
        }
        u32 rebiased = exponent == 31 ? 0xffu : exponent + 112u;
        return __uint_as_float(sign | (rebiased << 23) | (mantissa << 13));
    }
};

// Whether values of a type can be infinite or NaN.
template <class T> constexpr bool IS_FLOATING = false;
template <> constexpr bool IS_FLOATING<float16> = true;
template <> constexpr bool IS_FLOATING<float> = true;
template <> constexpr bool IS_FLOATING<double> = true;

template <class T> struct Limits;  // largest value, and whether there are negative ones
template <> struct Limits<signed char> { static constexpr double max = 127.0; static constexpr bool is_signed = true; };
template <> struct Limits<short> { static constexpr double max = 32767.0; static constexpr bool is_signed = true; };
template <> struct Limits<int> { static constexpr double max = 2147483647.0; static constexpr bool is_signed = true; };
template <> struct Limits<long long> { static constexpr double max = 9223372036854775807.0; static constexpr bool is_signed = true; };
template <> struct Limits<unsigned char> { static constexpr double max = 255.0; static constexpr bool is_signed = false; };
template <> struct Limits<unsigned short> { static constexpr double max = 65535.0; static constexpr bool is_signed = false; };
template <> struct Limits<unsigned int> { static constexpr double max = 4294967295.0; static constexpr bool is_signed = false; };
template <> struct Limits<unsigned long long> { static constexpr double max = 18446744073709551615.0; static constexpr bool is_signed = false; };

// v * scale in double, rounded once, for a v of up to 32 bits: it is put behind the leading bit of
// 2^52, and one operation takes that off and scales it: fma(2^52 + v, s, -2^52 s) is v s, rounded, as
// 2^52 s is a double. So there is no conversion, which takes as long as a product or longer.
__device__ inline double scaled_bits(u32 v, double scale) {
    return fma(__longlong_as_double(0x4330000000000000ll | (i64)v), scale, -4503599627370496.0 * scale);
}

// skimage.util.img_as_float for one value: integers are scaled to [0, 1] or
// [-1, 1] (the most negative one clipped to -1), booleans become 0 and 1,
// floating values keep their range. W: float or double, the compute type. Equal values give equal
// results, whatever is done with them: their difference is 0.
template <class W, class T> struct AsFloat {
    static __device__ W scaled(T value) {
        if constexpr (sizeof(W) == 8 && sizeof(T) <= 4 && !Limits<T>::is_signed)
            return scaled_bits(value, 1.0 / Limits<T>::max);
        const W x = rounded_product((W)value, (W)(1.0 / Limits<T>::max));
        return Limits<T>::is_signed && x < (W)-1 ? (W)-1 : x;
    }
};
template <class W> struct AsFloat<W, bool> { static __device__ W scaled(bool v) { return v ? (W)1 : (W)0; } };
template <class W> struct AsFloat<W, float16> { static __device__ W scaled(float16 v) { return (W)(float)v; } };
template <class W> struct AsFloat<W, float> { static __device__ W scaled(float v) { return (W)v; } };
template <class W> struct AsFloat<W, double> { static __device__ W scaled(double v) { return (W)v; } };

template <class W, class T> __device__ inline W img_as_float(T value) { return AsFloat<W, T>::scaled(value); }
