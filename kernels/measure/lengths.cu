// How often which number of elements of an image are equal: all that an entropy of its values needs.
//
//     count_lengths   of an image that is sorted
//     count_values    of any other: fills a table with how often each value is there
//     count_slots     of that table
//
// sorted: n elements in rising order, NaN last. T: unsigned integers of 32 or 64 bits, as which signed
// ones come, too, or float16/32/64; zeros of both signs are equal, and NaN are.
// image: n elements of up to 32 bits, in any order.
// slots: 2^bits numbers, twice as many as elements at least; 0 before, then a value's bits and how often it is
// there, in 32 bits each.
// often: `most` entries, 0 before. often[k] becomes how many values are there k times, for k from 1 to
// most - 1; often[0] how many are there more often.
// longer: how often each of those is there, in no order.
//
// One launch each; the elements, or slots, are read once, and of each value's sorted elements that lie 1, 2,
// 4, ... before the last once more, in search of the first.
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

// Counts a value that is there `length` times. -1, or which of `often` is to become larger. Any thread.
__device__ inline int kind_of(i64 length, int most, u64* often, u64* longer) {
    if (length < most) return (int)length;
    longer[atomicAdd(&often[0], (u64)1)] = (u64)length;
    return -1;
}

template <class T>
__global__ void __launch_bounds__(256, 1) count_lengths(const T* sorted, i64 n, int most, u64* often, u64* longer) {
    count_runs<int>(n, often, [&](i64 i) {
        if (i + 1 < n && are_equal(sorted[i], sorted[i + 1])) return -1;
        return kind_of(equal_until(sorted, i), most, often, longer);
    });
}

// The bits that tell values apart. Any thread.
__device__ inline u32 key_of(u32 value) { return value; }
__device__ inline u32 key_of(float value) { return value != value ? 0x7fc00000u : __float_as_uint(value + 0.0f); }

struct Slots {
    u64* slots;
    int bits;

    // What is in a slot, or 0 if it was free and is `own` now. Any thread.
    __device__ u64 at(u64 i, u64 own) const {
        const u64 there = ((volatile u64*)slots)[i];
        return there ? there : atomicCAS(&slots[i], (u64)0, own);
    }
};

__device__ inline void add_at(const Slots& table, i64 key, u32 run) {
    const u64 mask = ((u64)1 << table.bits) - 1, own = (u64)key << 32 | run;
    u64 i = (u64)key * 0x9e3779b97f4a7c15ull >> (64 - table.bits), there = table.at(i, own);
    while (there && there >> 32 != (u64)key) there = table.at(i = (i + 1) & mask, own);
    if (there) atomicAdd(&table.slots[i], (u64)run);
}

template <class T>
__global__ void __launch_bounds__(256, 1) count_values(const T* image, i64 n, u64* slots, int bits) {
    count_runs_in<i64, u32>(n, Slots{slots, bits}, [&](i64 i) { return (i64)key_of(compared(image[i])); });
}

__global__ void __launch_bounds__(256, 1) count_slots(const u64* slots, i64 n, int most, u64* often, u64* longer) {
    count_runs<int>(n, often, [&](i64 i) {
        const u32 length = (u32)slots[i];
        return length ? kind_of(length, most, often, longer) : -1;
    });
}
