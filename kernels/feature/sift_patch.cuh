// Pixels around SIFT's keypoints, taken in scikit-image's order a part at a time: the threads of a block look at
// one pixel each and leave in shared memory what it adds to the keypoint's histogram; after a barrier each thread
// adds up bins of its own, pixel by pixel, so that sums have scikit-image's order.
#pragma once
#include "common/types.cuh"

constexpr int PART = 256;  // pixels of which a block remembers something

// A rectangle of one plane: rows from `top` on, columns from `left` on, `height` x `width` of them.
struct Patch {
    i64 top, left, height, width, scale;
    __device__ i64 count() const { return height * width; }
};

__device__ inline Patch patch_of(const i64* patches, i64 k) {
    const i64* patch = patches + 5 * k;
    return {patch[0], patch[1], patch[2], patch[3], patch[4]};
}

// The gradient of a plane as numpy.gradient has it. Any thread.
template <class T> struct Gradient {
    T down, across;

    static __device__ T slope(const T* line, i64 at, i64 length, i64 step) {
        const i64 before = at > 0 ? at - 1 : 0, behind = at + 1 < length ? at + 1 : at;
        const T rise = line[behind * step] - line[before * step];
        return behind - before == 2 ? rise * (T)0.5 : rise;
    }
    __device__ Gradient(const T* plane, i64 rows, i64 columns, i64 r, i64 c)
        : down(slope(plane + c, r, rows, columns)), across(slope(plane + r * columns, c, columns, 1)) {}

    __device__ T magnitude() const {
        return sqrt(rounded_product(down, down) + rounded_product(across, across));
    }
    __device__ T angle() const { return atan2(across, down); }
};
