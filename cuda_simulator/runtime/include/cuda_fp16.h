// `__half`: 16 bits that convert to and from float; arithmetic is done in float and rounded.
#pragma once
#include "math.hpp"

struct __half_raw { unsigned short x; };

// To nearest, ties to even.
inline unsigned short sim_half_bits(float value) {
    const unsigned bits = __float_as_uint(value), sign = bits >> 16 & 0x8000u;
    const unsigned magnitude = bits & 0x7fffffffu;
    if (magnitude > 0x7f800000u) return (unsigned short)(sign | 0x7e00u | (magnitude >> 13 & 0x3ffu));
    if (magnitude >= 0x477ff000u) return (unsigned short)(sign | 0x7c00u);
    if (magnitude < 0x38800000u)  // below 2^-14: multiples of 2^-24, where 0.5f has its last bit
        return (unsigned short)(sign | (__float_as_uint(__uint_as_float(magnitude) + 0.5f) - 0x3f000000u));
    return (unsigned short)(sign | (magnitude - 0x38000000u + 0xfffu + (magnitude >> 13 & 1u)) >> 13);
}
// Through a float that is rounded to odd, so that nothing is rounded twice.
inline unsigned short sim_half_bits(double value) {
    float near = (float)value;
    unsigned bits = __float_as_uint(near);
    if ((double)near != value && value == value && !(bits & 1u)) bits += fabs((double)near) < fabs(value) ? 1u : -1u;
    return sim_half_bits(__uint_as_float(bits));
}
inline float sim_half_value(unsigned short half) {
    const unsigned sign = (half & 0x8000u) << 16, magnitude = half & 0x7fffu;
    if (magnitude >= 0x7c00u) return __uint_as_float(sign | 0x7f800000u | (magnitude & 0x3ffu) << 13);
    const float value = __uint_as_float(magnitude << 13) * 5192296858534827628530496329220096.0f;  // 2^112
    return __uint_as_float(sign | __float_as_uint(value));
}

struct __half {
    unsigned short bits;
    __half() = default;
    __half(float v) : bits(sim_half_bits(v)) {}
    __half(const __half_raw& v) : bits(v.x) {}
    explicit __half(double v) : bits(sim_half_bits(v)) {}
#define SIM_FROM(T) explicit __half(T v) : bits(sim_half_bits((float)v)) {}
    SIM_FROM(bool) SIM_FROM(short) SIM_FROM(unsigned short) SIM_FROM(int) SIM_FROM(unsigned)
    SIM_FROM(long long) SIM_FROM(unsigned long long)
#undef SIM_FROM
    operator float() const { return sim_half_value(bits); }
    operator __half_raw() const { return {bits}; }
};
typedef __half half;

inline __half __float2half(float v) { return v; }
inline __half __float2half_rn(float v) { return v; }
inline __half __double2half(double v) { return __half(v); }
inline float __half2float(__half v) { return v; }
inline unsigned short __half_as_ushort(__half v) { return v.bits; }
inline short __half_as_short(__half v) { return (short)v.bits; }
inline __half __ushort_as_half(unsigned short v) { return __half_raw{v}; }
inline __half __short_as_half(short v) { return __half_raw{(unsigned short)v}; }
#define SIM_HALF(name, expression) \
    inline __half name(__half a, __half b) { const float x = a, y = b; return expression; }
SIM_HALF(__hadd, x + y)
SIM_HALF(__hsub, x - y)
SIM_HALF(__hmul, x * y)
SIM_HALF(__hdiv, x / y)
SIM_HALF(__hmin, fminf(x, y))
SIM_HALF(__hmax, fmaxf(x, y))
SIM_HALF(operator+, x + y)
SIM_HALF(operator-, x - y)
SIM_HALF(operator*, x * y)
SIM_HALF(operator/, x / y)
#undef SIM_HALF
inline bool __hisnan(__half v) { return (float)v != (float)v; }
inline __half operator-(__half v) { return __half_raw{(unsigned short)(v.bits ^ 0x8000u)}; }
