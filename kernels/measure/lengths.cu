// How often which number of elements of an image are equal, of an image that is sorted: all that an
// entropy of its values needs.
//
// sorted: n elements in rising order, NaN last. T: unsigned integers of 32 or 64 bits, as which signed
// ones come, too, or float16/32/64; zeros of both signs are equal, and NaN are.
// often: `most` entries, 0 before. often[k] becomes how many values are there k times, for k from 1 to
// most - 1; often[0] how many are there more often.
// longer: how often each of those is there, in no order.
//
// One launch; the elements are read once, and of each value's elements that lie 1, 2, 4, ... before the
// last once more, in search of the first.
#include "common/runs.cuh"

__device__ inline u32 compared(u32 value) { return value; }
__device__ inline u64 compared(u64 value) { return value; }
__device__ inline float compared(float16 value) { return value; }
__device__ inline float compared(float value) { return value; }
__device__ inline double compared(double value) { return value; }

// Whether two elements are of one value. Any thread.
template <class T> __device__ inline bool are_equal(const T& one, const T& other) {
    const auto a = compared(one), b = compared(other);
    return a == b || (a != a && b != b);
}

// How many elements are equal to that at `end`, the last one of them. Any thread.
template <class T> __device__ inline i64 equal_until(const T* sorted, i64 end) {
    i64 step = 1;
    while (step <= end && are_equal(sorted[end - step], sorted[end])) step *= 2;
    i64 equal = step / 2, beyond = step <= end ? step : end + 1;  // so far before the end, and not so far
    while (beyond - equal > 1) {
        const i64 middle = equal + (beyond - equal) / 2;
        (are_equal(sorted[end - middle], sorted[end]) ? equal : beyond) = middle;
    }
    return beyond;
}

template <class T>
__global__ void __launch_bounds__(256, 1) count_lengths(const T* sorted, i64 n, int most, u64* often, u64* longer) {
    count_runs<int>(n, often, [&](i64 i) {
        if (i + 1 < n && are_equal(sorted[i], sorted[i + 1])) return -1;
        const i64 length = equal_until(sorted, i);
        if (length < most) return (int)length;
        longer[atomicAdd(&often[0], (u64)1)] = (u64)length;
        return -1;
    });
}
