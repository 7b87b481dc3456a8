// CuPy's float16: what is computed with it is computed in float.
#pragma once
#include "cuda_fp16.h"
#include "cupy/carray.cuh"

class float16 {
public:
    static const unsigned short nan = 0x7e00u;

    float16() = default;
    float16(float v) : data_(v) {}
#define SIM_FROM(T) explicit float16(T v) : data_(v) {}
    SIM_FROM(bool) SIM_FROM(double) SIM_FROM(int) SIM_FROM(unsigned) SIM_FROM(long long)
    SIM_FROM(unsigned long long) SIM_FROM(const half&) SIM_FROM(const __half_raw&)
#undef SIM_FROM
    float16(const float16&) = default;
    float16& operator=(const float16&) = default;
    template <class T> float16& operator=(const T& v) { return *this = static_cast<float16>(v); }
    operator float() const { return data_; }

    static float16 from_bits(unsigned short bits) { return float16(__half_raw{bits}); }
    unsigned short to_bits() const { return data_.bits; }
    int iszero() const { return (data_.bits & 0x7fffu) == 0; }
    int isnan() const { return (data_.bits & 0x7fffu) > 0x7c00u; }
    int isinf() const { return (data_.bits & 0x7fffu) == 0x7c00u; }
    int isfinite() const { return (data_.bits & 0x7c00u) != 0x7c00u; }
    int signbit() const { return (data_.bits & 0x8000u) != 0; }

#define SIM_ASSIGN(op) \
    template <class T> float16& operator op##=(const T& v) { return *this = *this op v; }
    SIM_ASSIGN(+) SIM_ASSIGN(-) SIM_ASSIGN(*) SIM_ASSIGN(/)
#undef SIM_ASSIGN

private:
    half data_;
};

inline float16 min(float16 x, float16 y) { return min((float)x, (float)y); }
inline float16 max(float16 x, float16 y) { return max((float)x, (float)y); }
inline float16 fmin(float16 x, float16 y) { return fmin((float)x, (float)y); }
inline float16 fmax(float16 x, float16 y) { return fmax((float)x, (float)y); }
inline float16 copysign(float16 x, float16 y) {
    return float16::from_bits((x.to_bits() & 0x7fffu) | (y.to_bits() & 0x8000u));
}
inline int iszero(float16 x) { return x.iszero(); }
inline int isnan(float16 x) { return x.isnan(); }
inline int isinf(float16 x) { return x.isinf(); }
inline int isfinite(float16 x) { return x.isfinite(); }
inline int signbit(float16 x) { return x.signbit(); }
