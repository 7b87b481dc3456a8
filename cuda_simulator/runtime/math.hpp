// CUDA's floating-point functions. The libm ones are declared, not included; where
// SIM_LIBMVEC is set they are declared with the vector variants of glibc's libmvec, so
// that loops over them are vectorized without -ffast-math (error below 4 ulp).
#pragma once
#include "keywords.hpp"

#ifdef SIM_LIBMVEC
#define SIM_SIMD __attribute__((simd("notinbranch")))
#else
#define SIM_SIMD
#endif

#define SIM_UNARY(name, attribute)                              \
    extern "C" attribute double name(double);                   \
    extern "C" attribute float name##f(float);                  \
    inline float name(float x) { return name##f(x); }
#define SIM_BINARY(name, attribute)                             \
    extern "C" attribute double name(double, double);           \
    extern "C" attribute float name##f(float, float);           \
    inline float name(float x, float y) { return name##f(x, y); }

SIM_UNARY(sin, SIM_SIMD)
SIM_UNARY(cos, SIM_SIMD)
SIM_UNARY(tan, SIM_SIMD)
SIM_UNARY(asin, SIM_SIMD)
SIM_UNARY(acos, SIM_SIMD)
SIM_UNARY(atan, SIM_SIMD)
SIM_UNARY(sinh, SIM_SIMD)
SIM_UNARY(cosh, SIM_SIMD)
SIM_UNARY(tanh, SIM_SIMD)
SIM_UNARY(asinh, SIM_SIMD)
SIM_UNARY(acosh, SIM_SIMD)
SIM_UNARY(atanh, SIM_SIMD)
SIM_UNARY(exp, SIM_SIMD)
SIM_UNARY(exp2, SIM_SIMD)
SIM_UNARY(expm1, SIM_SIMD)
SIM_UNARY(log, SIM_SIMD)
SIM_UNARY(log2, SIM_SIMD)
SIM_UNARY(log10, SIM_SIMD)
SIM_UNARY(log1p, SIM_SIMD)
SIM_UNARY(cbrt, SIM_SIMD)
SIM_UNARY(erf, SIM_SIMD)
SIM_UNARY(erfc, SIM_SIMD)
SIM_UNARY(sqrt, )
SIM_UNARY(floor, )
SIM_UNARY(ceil, )
SIM_UNARY(trunc, )
SIM_UNARY(rint, )
SIM_UNARY(nearbyint, )
SIM_UNARY(fabs, )
SIM_UNARY(tgamma, )
SIM_UNARY(lgamma, )
SIM_UNARY(logb, )
SIM_BINARY(pow, SIM_SIMD)
SIM_BINARY(atan2, SIM_SIMD)
SIM_BINARY(hypot, SIM_SIMD)
SIM_BINARY(fmod, )
SIM_BINARY(remainder, )
SIM_BINARY(copysign, )
SIM_BINARY(nextafter, )
extern "C" double fma(double, double, double);
extern "C" float fmaf(float, float, float);
extern "C" double ldexp(double, int);
extern "C" float ldexpf(float, int);
extern "C" double frexp(double, int*);
extern "C" float frexpf(float, int*);
extern "C" double modf(double, double*);
extern "C" float modff(float, float*);
extern "C" double nan(const char*);
extern "C" float nanf(const char*);
extern "C" int ilogb(double);
extern "C" int ilogbf(float);
inline float fma(float x, float y, float z) { return fmaf(x, y, z); }
inline float ldexp(float x, int e) { return ldexpf(x, e); }
inline double pow(double x, int n) { return pow(x, (double)n); }
inline float pow(float x, int n) { return powf(x, (float)n); }

// Bit patterns.
template <class To, class From> inline To sim_bit_cast(From from) {
    static_assert(sizeof(To) == sizeof(From), "");
    To to;
    __builtin_memcpy(&to, &from, sizeof(To));
    return to;
}
inline unsigned __float_as_uint(float x) { return sim_bit_cast<unsigned>(x); }
inline int __float_as_int(float x) { return sim_bit_cast<int>(x); }
inline float __uint_as_float(unsigned x) { return sim_bit_cast<float>(x); }
inline float __int_as_float(int x) { return sim_bit_cast<float>(x); }
inline long long __double_as_longlong(double x) { return sim_bit_cast<long long>(x); }
inline double __longlong_as_double(long long x) { return sim_bit_cast<double>(x); }
inline int __double2loint(double x) { return (int)sim_bit_cast<unsigned long long>(x); }
inline int __double2hiint(double x) { return (int)(sim_bit_cast<unsigned long long>(x) >> 32); }
inline double __hiloint2double(int hi, int lo) {
    return sim_bit_cast<double>((unsigned long long)(unsigned)hi << 32 | (unsigned)lo);
}

// Functions whose libm form does not vectorize, or that only CUDA has. T: float, double.
#define SIM_FLOATING(T, s)                                                                        \
    inline T fmin##s(T x, T y) { return x < y || y != y ? x : y; }                                \
    inline T fmax##s(T x, T y) { return x > y || y != y ? x : y; }                                \
    inline T fdim##s(T x, T y) { return x > y ? x - y : x <= y ? (T)0 : x + y; }                  \
    inline T round##s(T x) {                                                                      \
        const T whole = trunc(x), rest = fabs(x - whole);                                         \
        return rest >= (T)0.5 ? whole + copysign((T)1, x) : whole;                                \
    }                                                                                             \
    inline T rsqrt##s(T x) { return (T)1 / sqrt(x); }                                             \
    inline T rcbrt##s(T x) { return (T)1 / cbrt(x); }                                             \
    inline T rhypot##s(T x, T y) { return (T)1 / hypot(x, y); }                                   \
    inline T norm3d##s(T x, T y, T z) { return sqrt(x * x + y * y + z * z); }                     \
    inline T exp10##s(T x) { return pow((T)10, x); }                                              \
    inline T sinpi##s(T x) { return sin(fmod(x, (T)2) * (T)3.14159265358979323846); }             \
    inline T cospi##s(T x) { return cos(fmod(x, (T)2) * (T)3.14159265358979323846); }             \
    inline void sincos##s(T x, T* sine, T* cosine) { *sine = sin(x); *cosine = cos(x); }          \
    inline void sincospi##s(T x, T* sine, T* cosine) { *sine = sinpi##s(x); *cosine = cospi##s(x); } \
    inline T normcdf##s(T x) { return (T)0.5 * erfc(x * (T)-0.70710678118654752440); }            \
    inline long lrint##s(T x) { return (long)rint(x); }                                           \
    inline long long llrint##s(T x) { return (long long)rint(x); }                                \
    inline long lround##s(T x) { return (long)round##s(x); }                                      \
    inline long long llround##s(T x) { return (long long)round##s(x); }                           \
    inline bool isnan(T x) { return x != x; }                                                     \
    inline bool isinf(T x) { return __builtin_isinf(x); }                                         \
    inline bool isfinite(T x) { return __builtin_isfinite(x); }                                   \
    inline bool signbit(T x) { return __builtin_signbit(x); }                                     \
    inline T abs(T x) { return fabs(x); }
SIM_FLOATING(float, f)
SIM_FLOATING(double, )
#undef SIM_FLOATING
inline float fmin(float x, float y) { return fminf(x, y); }
inline float fmax(float x, float y) { return fmaxf(x, y); }
inline float round(float x) { return roundf(x); }
inline float rsqrt(float x) { return rsqrtf(x); }
inline float __saturatef(float x) { return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f; }

// Rounded to nearest, never contracted to a fused multiply-add. Where the compiler may contract
// (SIM_CONTRACT), what enters a sum and what leaves a product is hidden from it, at the price of
// vectors. (GCC's __builtin_assoc_barrier does not outlast its vectorizer.)
#ifdef SIM_CONTRACT
template <class T> inline T sim_apart(T x) {
    asm("" : "+m"(x));
    return x;
}
#define SIM_APART(x) sim_apart(x)
#else
#define SIM_APART(x) (x)
#endif
inline float __fadd_rn(float x, float y) { return SIM_APART(x) + SIM_APART(y); }
inline float __fsub_rn(float x, float y) { return SIM_APART(x) - SIM_APART(y); }
inline float __fmul_rn(float x, float y) { return SIM_APART(x * y); }
inline float __fdiv_rn(float x, float y) { return x / y; }
inline float __fmaf_rn(float x, float y, float z) { return fmaf(x, y, z); }
inline float __frcp_rn(float x) { return 1.0f / x; }
inline float __fsqrt_rn(float x) { return sqrtf(x); }
inline float __frsqrt_rn(float x) { return 1.0f / sqrtf(x); }
inline double __dadd_rn(double x, double y) { return SIM_APART(x) + SIM_APART(y); }
inline double __dsub_rn(double x, double y) { return SIM_APART(x) - SIM_APART(y); }
inline double __dmul_rn(double x, double y) { return SIM_APART(x * y); }
inline double __ddiv_rn(double x, double y) { return x / y; }
inline double __fma_rn(double x, double y, double z) { return fma(x, y, z); }
inline double __drcp_rn(double x) { return 1.0 / x; }
inline double __dsqrt_rn(double x) { return sqrt(x); }

// The fast forms, here as exact as the others.
inline float __expf(float x) { return expf(x); }
inline float __exp10f(float x) { return exp10f(x); }
inline float __logf(float x) { return logf(x); }
inline float __log2f(float x) { return log2f(x); }
inline float __log10f(float x) { return log10f(x); }
inline float __powf(float x, float y) { return powf(x, y); }
inline float __sinf(float x) { return sinf(x); }
inline float __cosf(float x) { return cosf(x); }
inline float __tanf(float x) { return tanf(x); }
inline void __sincosf(float x, float* sine, float* cosine) { sincosf(x, sine, cosine); }
inline float __fdividef(float x, float y) { return x / y; }
inline double __fdivide(double x, double y) { return x / y; }

// Floating to integer as CUDA converts (a cast would be undefined): saturated; NaN to 0, or,
// where 64 bits are on either side, to the bit pattern of the smallest signed integer.
template <class I, class T> inline I sim_to_integer(T x) {
    constexpr bool is_signed = (I)-1 < (I)0;
    constexpr I top = (I)((I)1 << (sizeof(I) * 8 - 1)), lowest = is_signed ? top : (I)0, highest = (I)~lowest;
    constexpr I not_a_number = sizeof(T) == 8 || sizeof(I) == 8 ? top : (I)0;
    const T end = (T)((unsigned long long)1 << (sizeof(I) * 8 - 1)) * (is_signed ? (T)1 : (T)2);
    return x != x ? not_a_number : x >= end ? highest : x < (is_signed ? -end : (T)0) ? lowest : (I)x;
}
#define SIM_TO_INTEGER(from, T, to, I)                                                  \
    inline I __##from##2##to##_rn(T x) { return sim_to_integer<I>(rint(x)); }           \
    inline I __##from##2##to##_rz(T x) { return sim_to_integer<I>(trunc(x)); }          \
    inline I __##from##2##to##_rd(T x) { return sim_to_integer<I>(floor(x)); }          \
    inline I __##from##2##to##_ru(T x) { return sim_to_integer<I>(ceil(x)); }
#define SIM_TO_INTEGERS(from, T)              \
    SIM_TO_INTEGER(from, T, int, int)         \
    SIM_TO_INTEGER(from, T, uint, unsigned)   \
    SIM_TO_INTEGER(from, T, ll, long long)    \
    SIM_TO_INTEGER(from, T, ull, unsigned long long)
SIM_TO_INTEGERS(float, float)
SIM_TO_INTEGERS(double, double)
inline float __int2float_rn(int x) { return (float)x; }
inline float __uint2float_rn(unsigned x) { return (float)x; }
inline float __ll2float_rn(long long x) { return (float)x; }
inline float __ull2float_rn(unsigned long long x) { return (float)x; }
inline double __int2double_rn(int x) { return x; }
inline double __uint2double_rn(unsigned x) { return x; }
inline double __ll2double_rn(long long x) { return (double)x; }
inline double __ull2double_rn(unsigned long long x) { return (double)x; }
inline float __double2float_rn(double x) { return (float)x; }
