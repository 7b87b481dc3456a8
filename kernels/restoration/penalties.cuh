// What a filter of Wiener and Hunt penalizes frequencies with.
#pragma once
#include "common/types.cuh"

// What penalizes frequencies: the real parts of a spectrum (step 2), real numbers (step 1), or where the
// step is 0 a sum of one number for each axis, of which the array then has those of each axis.
struct Regularisation {
    static constexpr int MOST_AXES = 8;
    i64 shape[MOST_AXES];
    int step, first;
    __device__ double at(const double* array, i64 i) const {
        if (step) return array[step * i];
        double sum = 0.0;
        for (int k = MOST_AXES - 1; k >= first; --k) {
            sum += array[i % shape[k]];
            array += shape[k];
            i /= shape[k];
        }
        return sum;
    }
};
