// Point functions: each element of the result comes of one element of the image.
//
//     for_points(image, result, n, [&](T value) { return (U)(2 * value); });
//
// reads the image once and writes the result once, 16 bytes at a time where both are
// aligned. For one-dimensional blocks and grids of any size.
#pragma once
#include "common/pack.cuh"
#include "common/reduce.cuh"

// Elements that a thread takes at a time: 16 bytes at least of both types.
template <class T, class U> struct PointsAtOnce {
    static constexpr int value =
        PackSize<T>::value > PackSize<U>::value ? PackSize<T>::value : PackSize<U>::value;
};

// result[i] = function(image[i]) for all i < n.
//   called by: all threads of all blocks
//   image, result: n elements, any alignment
//   function: U(T), called once for each element, in any order
//   needs no shared memory and contains no barrier
template <class T, class U, class Function>
__device__ inline void for_points(const T* __restrict__ image, U* __restrict__ result, i64 n, Function function) {
    constexpr int N = PointsAtOnce<T, U>::value;
    const bool aligned = is_aligned(image) && is_aligned(result);
    const Span span = block_span(n, N);
    const i64 packed = span.begin + (span.end - span.begin) / N * N;
    for (i64 i = span.begin + N * (i64)threadIdx.x; i < packed; i += N * (i64)blockDim.x) {
        const Pack<T, N> pack = load_pack<N>(image + i, aligned);
        Pack<U, N> made;
#pragma unroll
        for (int k = 0; k < N; ++k) made.item[k] = function(pack.item[k]);
        store_pack(result + i, made, aligned);
    }
    for (i64 i = packed + threadIdx.x; i < span.end; i += blockDim.x) result[i] = function(image[i]);
}

// The same of two images: result[i] = function(first[i], second[i]).
template <class T, class U, class Function>
__device__ inline void for_points(const T* __restrict__ first, const T* __restrict__ second, U* __restrict__ result,
                                  i64 n, Function function) {
    constexpr int N = PointsAtOnce<T, U>::value;
    const bool aligned = is_aligned(first) && is_aligned(second) && is_aligned(result);
    const Span span = block_span(n, N);
    const i64 packed = span.begin + (span.end - span.begin) / N * N;
    for (i64 i = span.begin + N * (i64)threadIdx.x; i < packed; i += N * (i64)blockDim.x) {
        const Pack<T, N> a = load_pack<N>(first + i, aligned), b = load_pack<N>(second + i, aligned);
        Pack<U, N> made;
#pragma unroll
        for (int k = 0; k < N; ++k) made.item[k] = function(a.item[k], b.item[k]);
        store_pack(result + i, made, aligned);
    }
    for (i64 i = packed + threadIdx.x; i < span.end; i += blockDim.x) result[i] = function(first[i], second[i]);
}

// Leaves in `seen` what one thread saw of the values that a function refuses: bits that
// are rarely set, so that threads seldom meet here. Any thread, once after for_points.
__device__ inline void tell(u32* seen, u32 bits) {
    if (bits) atomicOr(seen, bits);
}
