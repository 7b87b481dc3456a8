// Arithmetic in which no compiler contracts two operations into one, so that results are
// equal to the host's.
#pragma once
#include "common/half.cuh"

// a * b + c with both roundings of the host's arithmetic in double, where a compiler would
// contract the two into one: results are then equal to NumPy's and SciPy's in the same
// order of operations, and what decides on equality (ties, thresholds, watersheds) decides
// alike. In float, which SciPy computes in double anyway, the compiler is left free.
__device__ inline double plus_product(double c, double a, double b) {
    return __dadd_rn(c, __dmul_rn(a, b));
}
__device__ inline float plus_product(float c, float a, float b) { return c + a * b; }

// a * b with a rounding of its own, in both types: for a product that is added to something
// in a formula whose float results are to be NumPy's too.
__device__ inline double rounded_product(double a, double b) { return __dmul_rn(a, b); }
__device__ inline float rounded_product(float a, float b) { return __fmul_rn(a, b); }

// NumPy's arithmetic of images of type T, each operation rounded: the type that it is done in
// and, for float16, the rounding to that.
template <class T> struct NumpyArithmetic;
template <> struct NumpyArithmetic<double> {
    using Value = double;
    static __device__ double add(double a, double b) { return __dadd_rn(a, b); }
    static __device__ double subtract(double a, double b) { return __dsub_rn(a, b); }
    static __device__ double divide(double a, double b) { return __ddiv_rn(a, b); }
    static __device__ double multiply(double a, double b) { return __dmul_rn(a, b); }
};
template <> struct NumpyArithmetic<float> {
    using Value = float;
    static __device__ float add(float a, float b) { return __fadd_rn(a, b); }
    static __device__ float subtract(float a, float b) { return __fsub_rn(a, b); }
    static __device__ float divide(float a, float b) { return __fdiv_rn(a, b); }
    static __device__ float multiply(float a, float b) { return __fmul_rn(a, b); }
};
template <> struct NumpyArithmetic<float16> {
    using Value = float;
    static __device__ float add(float a, float b) { return round_to_half(__fadd_rn(a, b)); }
    static __device__ float subtract(float a, float b) { return round_to_half(__fsub_rn(a, b)); }
    static __device__ float divide(float a, float b) { return round_to_half(__fdiv_rn(a, b)); }
    static __device__ float multiply(float a, float b) { return round_to_half(__fmul_rn(a, b)); }
};
