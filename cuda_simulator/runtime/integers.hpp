// Integer functions, `min` and `max` with CUDA's overloads, and read-only loads.
#pragma once
#include "math.hpp"

inline int abs(int x) { return x < 0 ? -x : x; }
inline long abs(long x) { return x < 0 ? -x : x; }
inline long long abs(long long x) { return x < 0 ? -x : x; }
inline long long llabs(long long x) { return x < 0 ? -x : x; }

// A and B in, the common type T out; what CUDA leaves ambiguous is ambiguous here.
#define SIM_MIN_MAX(T, A, B)                                              \
    inline T min(A x, B y) { return (T)x < (T)y ? (T)x : (T)y; }          \
    inline T max(A x, B y) { return (T)x > (T)y ? (T)x : (T)y; }
SIM_MIN_MAX(int, int, int)
SIM_MIN_MAX(unsigned, unsigned, unsigned)
SIM_MIN_MAX(unsigned, int, unsigned)
SIM_MIN_MAX(unsigned, unsigned, int)
SIM_MIN_MAX(long, long, long)
SIM_MIN_MAX(unsigned long, unsigned long, unsigned long)
SIM_MIN_MAX(unsigned long, long, unsigned long)
SIM_MIN_MAX(unsigned long, unsigned long, long)
SIM_MIN_MAX(long long, long long, long long)
SIM_MIN_MAX(unsigned long long, unsigned long long, unsigned long long)
SIM_MIN_MAX(unsigned long long, long long, unsigned long long)
SIM_MIN_MAX(unsigned long long, unsigned long long, long long)
inline float min(float x, float y) { return fminf(x, y); }
inline float max(float x, float y) { return fmaxf(x, y); }
inline double min(double x, double y) { return fmin(x, y); }
inline double max(double x, double y) { return fmax(x, y); }
inline double min(float x, double y) { return fmin((double)x, y); }
inline double max(float x, double y) { return fmax((double)x, y); }
inline double min(double x, float y) { return fmin(x, (double)y); }
inline double max(double x, float y) { return fmax(x, (double)y); }

inline int __popc(unsigned x) { return __builtin_popcount(x); }
inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
inline int __ffs(int x) { return __builtin_ffs(x); }
inline int __ffsll(long long x) { return __builtin_ffsll(x); }
inline int __clz(int x) { return x == 0 ? 32 : __builtin_clz((unsigned)x); }
inline int __clzll(long long x) { return x == 0 ? 64 : __builtin_clzll((unsigned long long)x); }
inline unsigned __brev(unsigned x) {
    x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
    x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
    x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
    return __builtin_bswap32(x);
}
inline unsigned long long __brevll(unsigned long long x) {
    return (unsigned long long)__brev((unsigned)x) << 32 | __brev((unsigned)(x >> 32));
}
inline unsigned __byte_perm(unsigned x, unsigned y, unsigned selector) {
    const unsigned long long bytes = (unsigned long long)y << 32 | x;
    unsigned result = 0;
    for (int i = 0; i < 4; ++i) {
        const unsigned choice = selector >> (4 * i);
        unsigned byte = (unsigned)(bytes >> (8 * (choice & 7u))) & 0xffu;
        if (choice & 8u) byte = byte & 0x80u ? 0xffu : 0u;
        result |= byte << (8 * i);
    }
    return result;
}
inline unsigned __funnelshift_l(unsigned lo, unsigned hi, unsigned shift) {
    return (unsigned)((((unsigned long long)hi << 32 | lo) << (shift & 31u)) >> 32);
}
inline unsigned __funnelshift_r(unsigned lo, unsigned hi, unsigned shift) {
    return (unsigned)(((unsigned long long)hi << 32 | lo) >> (shift & 31u));
}
inline int __mulhi(int x, int y) { return (int)((long long)x * y >> 32); }
inline unsigned __umulhi(unsigned x, unsigned y) { return (unsigned)((unsigned long long)x * y >> 32); }
inline long long __mul64hi(long long x, long long y) { return (long long)((__int128)x * y >> 64); }
inline unsigned long long __umul64hi(unsigned long long x, unsigned long long y) {
    return (unsigned long long)((unsigned __int128)x * y >> 64);
}
inline int __mul24(int x, int y) { return (x << 8 >> 8) * (y << 8 >> 8); }
inline unsigned __umul24(unsigned x, unsigned y) { return (x & 0xffffffu) * (y & 0xffffffu); }
inline unsigned __sad(int x, int y, unsigned z) { return (unsigned)(x < y ? y - x : x - y) + z; }
inline unsigned __usad(unsigned x, unsigned y, unsigned z) { return (x < y ? y - x : x - y) + z; }
inline int __hadd(int x, int y) { return (int)(((long long)x + y) >> 1); }
inline int __rhadd(int x, int y) { return (int)(((long long)x + y + 1) >> 1); }

template <class T> inline T __ldg(const T* p) { return *p; }
template <class T> inline T __ldca(const T* p) { return *p; }
template <class T> inline T __ldcg(const T* p) { return *p; }
template <class T> inline T __ldcs(const T* p) { return *p; }
template <class T> inline void __stcg(T* p, T v) { *p = v; }
template <class T> inline void __stcs(T* p, T v) { *p = v; }
inline void __nanosleep(unsigned) {}
