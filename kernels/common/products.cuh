// Products that no compiler contracts with the sum that they go into.
#pragma once

// a * b + c with both roundings of the host's arithmetic in double, where a compiler would
// contract the two into one: results are then equal to NumPy's and SciPy's in the same
// order of operations, and what decides on equality (ties, thresholds, watersheds) decides
// alike. In float, which SciPy computes in double anyway, the two are one instruction.
__device__ inline double plus_product(double c, double a, double b) {
    return __dadd_rn(c, __dmul_rn(a, b));
}
__device__ inline float plus_product(float c, float a, float b) { return fma(a, b, c); }

// a * b with a rounding of its own, in both types: for a product that is added to something
// in a formula whose float results are to be NumPy's too.
__device__ inline double rounded_product(double a, double b) { return __dmul_rn(a, b); }
__device__ inline float rounded_product(float a, float b) { return __fmul_rn(a, b); }
