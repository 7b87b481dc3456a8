// Sums as SciPy stores them in an image of U: cut to integers, negative ones of unsigned types modulo their range.
#pragma once
#include "common/types.cuh"

template <class U, class W> struct Stored {
    static __device__ U of(W sum) {
        if ((U)-1 < (U)0 || sum > (W)-1) return (U)sum;
        return (U)((U)0 - (U)(-sum));
    }
};
template <class W> struct Stored<bool, W> {
    static __device__ bool of(W sum) { return Stored<u8, W>::of(sum) != 0; }
};
