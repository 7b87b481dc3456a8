// a * b + c with both roundings of the host's arithmetic in double, where a compiler would
// contract the two into one: results are then equal to NumPy's and SciPy's in the same
// order of operations, and what decides on equality (ties, thresholds, watersheds) decides
// alike. In float, which SciPy computes in double anyway, the compiler is left free.
#pragma once

__device__ inline double plus_product(double c, double a, double b) {
    return __dadd_rn(c, __dmul_rn(a, b));
}
__device__ inline float plus_product(float c, float a, float b) { return c + a * b; }
