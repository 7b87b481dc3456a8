// Arithmetic in which no compiler contracts two operations into one, so that results are
// equal to the host's.
#pragma once
#include "common/half.cuh"

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
