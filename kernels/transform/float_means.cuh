// Means of neighbours in single precision, rounded as SciPy rounds them, without double.
//
// In two floats the sum is off by less than 2^-41 of the largest element: what is left of sums is below 2^-23 of it
// along one axis, 2^-21 along three, and rounded six times for each; weights are off by 2^-48 of themselves, and SciPy's
// sum by less than 2^-49. Where all numbers within that round to one float, SciPy's sum does (Ziv's test).
//
// That leaves those halfway between two floats, which are every fourth where an image is made twice as large.
// There weights are coarse, multiples of 2^-6, and of up to two axes nothing is lost where elements are within 2^8 of
// each other: with u the unit in the last place of the largest, they are multiples of u 2^-8, and all products and sums
// of u 2^-20 and below 2^25 u, 45 bits, which a double holds. So do two floats, since what is left of sums is
// below 4 u, 22 bits. Then the sum of both is rounded once, as SciPy's is.
#pragma once
#include "common/two_floats.cuh"

// The largest and the smallest magnitude of elements that are not 0. Begins with none.
struct Magnitudes {
    float largest, smallest;

    __device__ Magnitudes() : largest(0), smallest(__uint_as_float(0x7f800000u)) {}
    __device__ void take(float element) {
        const float size = fabs(element);
        largest = size > largest ? size : largest;
        smallest = size < smallest && size > 0 ? size : smallest;
    }
    __device__ void take(const Magnitudes& others) {
        largest = others.largest > largest ? others.largest : largest;
        smallest = others.smallest < smallest ? others.smallest : smallest;
    }
};

// Whether a weight, and 1 without it, are multiples of 2^-6.
__device__ inline bool is_coarse(const TwoFloats& weight) {
    const float steps = 64 * weight.high;
    return weight.low == 0 && steps == floor(steps);
}

// The sum of elements times weights, rounded; false where double has to decide.
//   coarse  whether weights are, and of up to two axes
__device__ inline bool rounded_mean(float& mean, const TwoFloats& sum, const Magnitudes& elements, bool coarse) {
    mean = 0;
    if (elements.largest == 0 && sum.high == 0) return true;  // no NaN
    const float apart = coarse && elements.smallest * 256 >= elements.largest ? 0 : elements.largest * 0x1p-41f;
    mean = sum.high + (sum.low + apart);
    return mean == sum.high + (sum.low - apart) && is_held(elements.largest);
}
