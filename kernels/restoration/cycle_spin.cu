// An image turned around along its axes, as on rings, and the sum of what was made of such images.
//
//   turned        the image, turned: its elements read once, written once
//   add_turned    adds an image to the sum, or begins one with it, and divides the sum at the end
//
// Method: R. R. Coifman and D. L. Donoho, Translation-invariant de-noising, 1995; numpy.roll.
#include "common/reduce.cuh"

constexpr int RINGS = 8;

// Elements of C-contiguous memory in rings, the last of them the innermost. An element of the result comes from
// `ahead` places further along each ring, 0 <= ahead < length.
struct Rings {
    i64 length[RINGS], ahead[RINGS];
    int count;
};

__device__ inline i64 origin(const Rings& rings, i64 i) {
    i64 from = 0, span = 1;
    for (int ring = rings.count - 1; ring >= 0; --ring) {
        const i64 length = rings.length[ring];
        i64 place = i % length + rings.ahead[ring];
        if (place >= length) place -= length;
        from += place * span;
        i /= length;
        span *= length;
    }
    return from;
}

// T: an unsigned integer of the elements' size.
template <class T>
__global__ void turned(const T* image, const __grid_constant__ Rings rings, T* result, i64 n) {
    const Span span = block_span(n, 1);
    for (i64 i = span.begin + threadIdx.x; i < span.end; i += blockDim.x) result[i] = image[origin(rings, i)];
}

// before: the sum so far, in the memory of `sum`, unless this is the first. count: at the end the number of images
// that were added up, else 0.
template <class T>
__global__ void add_turned(const T* image, const __grid_constant__ Rings rings, const T* before, bool first, T count,
                           T* sum, i64 n) {
    const Span span = block_span(n, 1);
    for (i64 i = span.begin + threadIdx.x; i < span.end; i += blockDim.x) {
        T value = image[origin(rings, i)];
        if (!first) value = before[i] + value;
        sum[i] = count ? value / count : value;
    }
}
