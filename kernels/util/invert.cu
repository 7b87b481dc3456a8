// Images inverted, so that the largest value of a dtype becomes its smallest.
//
//   flip_bits      value ^ bits: all bits of integers (-1 - value, or the maximum - value), that
//                  of booleans, the sign of floats in [-1, 1]
//   one_minus      1 - value: floats in [0, 1]
//
// image, result: n elements, any alignment; T: for flip_bits an unsigned integer of the
// image's size. One launch; the image is read once, the result written once.
// Source: skimage/util/_invert.py.
#include "common/half.cuh"
#include "common/points.cuh"

template <class T> __global__ void flip_bits(const T* image, i64 n, i64 bits, T* result) {
    for_points(image, result, n, [=](T value) -> T { return (T)(value ^ (T)bits); });
}

__device__ inline double below_one(double value) { return 1.0 - value; }
__device__ inline float below_one(float value) { return 1.0f - value; }
__device__ inline float16 below_one(float16 value) { return to_half(1.0f - (float)value); }

template <class T> __global__ void one_minus(const T* image, i64 n, T* result) {
    for_points(image, result, n, [](T value) -> T { return below_one(value); });
}
