// CUDA's C complex numbers.
#pragma once
#include "math.hpp"

#define SIM_COMPLEX(Z, T, make, s)                                                                \
    typedef T##2 Z;                                                                               \
    inline Z make(T re, T im) { return {re, im}; }                                                \
    inline T cuCreal##s(Z z) { return z.x; }                                                      \
    inline T cuCimag##s(Z z) { return z.y; }                                                      \
    inline Z cuConj##s(Z z) { return {z.x, -z.y}; }                                               \
    inline T cuCabs##s(Z z) { return hypot(z.x, z.y); }                                           \
    inline Z cuCadd##s(Z a, Z b) { return {a.x + b.x, a.y + b.y}; }                               \
    inline Z cuCsub##s(Z a, Z b) { return {a.x - b.x, a.y - b.y}; }                               \
    inline Z cuCmul##s(Z a, Z b) { return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x}; }       \
    inline Z cuCdiv##s(Z a, Z b) {                                                                \
        const T scale = (T)1 / (fabs(b.x) + fabs(b.y)), c = b.x * scale, d = b.y * scale;         \
        const T norm = c * c + d * d, x = a.x * scale, y = a.y * scale;                           \
        return {(x * c + y * d) / norm, (y * c - x * d) / norm};                                  \
    }                                                                                             \
    inline Z cuCfma##s(Z a, Z b, Z c) { return cuCadd##s(cuCmul##s(a, b), c); }
SIM_COMPLEX(cuFloatComplex, float, make_cuFloatComplex, f)
SIM_COMPLEX(cuDoubleComplex, double, make_cuDoubleComplex, )
#undef SIM_COMPLEX
typedef cuFloatComplex cuComplex;
inline cuComplex make_cuComplex(float re, float im) { return {re, im}; }
inline cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex z) { return {z.x, z.y}; }
inline cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex z) { return {(float)z.x, (float)z.y}; }
