// Point functions: each element of the result comes of one element of the image.
//
//     for_points(image, result, n, [&](T value) { return (U)(2 * value); });
//
// reads the image once and writes the result once, up to 16 bytes at a time where both are
// aligned. For one-dimensional blocks and grids of any size.
#pragma once
#include "common/pack.cuh"
#include "common/reduce.cuh"

// Elements that a thread takes at a time: 16 bytes of the wider type, so that a warp writes whole sectors. Of
// 8-bit types it is half of that, which is enough for the memory: small images need threads.
template <class T, class U> struct PointsAtOnce {
    static constexpr int WIDER = sizeof(T) > sizeof(U) ? sizeof(T) : sizeof(U);
    static constexpr int value = WIDER == 1 ? 8 : 16 / WIDER;
};

// body(i) for each i at which a thread takes N of n elements, rest(i) for each of those that are left.
// Any thread; on a GPU all threads of the grid lie side by side, on a CPU each block has a share.
template <int N, class Body, class Rest>
__device__ inline void for_packs(i64 n, const Body& body, const Rest& rest) {
#ifdef SIM_FLAT
    const Span span = block_span(n, N);
    const i64 thread = threadIdx.x, threads = blockDim.x;
#else
    const Span span = {0, n};
    const i64 thread = (i64)blockIdx.x * blockDim.x + threadIdx.x, threads = (i64)gridDim.x * blockDim.x;
#endif
    const i64 packed = span.begin + (span.end - span.begin) / N * N;
    for (i64 i = span.begin + N * thread; i < packed; i += N * threads) body(i);
    for (i64 i = packed + thread; i < span.end; i += threads) rest(i);
}

// result[i] = function(image[i]) for all i < n.
//   called by: all threads of all blocks
//   image, result: n elements, any alignment
//   function: U(T), called once for each element, in any order
//   needs no shared memory and contains no barrier
template <class T, class U, class Function>
__device__ inline void for_points(const T* __restrict__ image, U* __restrict__ result, i64 n, Function function) {
    constexpr int N = PointsAtOnce<T, U>::value;
    const bool aligned = is_aligned(image) && is_aligned(result);
    const auto take = [&](i64 i) {
        const Pack<T, N> pack = load_pack<N>(image + i, aligned);
        Pack<U, N> made;
#pragma unroll
        for (int k = 0; k < N; ++k) made.item[k] = function(pack.item[k]);
        store_pack(result + i, made, aligned);
    };
    for_packs<N>(n, take, [&](i64 i) { result[i] = function(image[i]); });
}

// The same of two images: result[i] = function(first[i], second[i]).
template <class T, class U, class Function>
__device__ inline void for_points(const T* __restrict__ first, const T* __restrict__ second, U* __restrict__ result,
                                  i64 n, Function function) {
    constexpr int N = PointsAtOnce<T, U>::value;
    const bool aligned = is_aligned(first) && is_aligned(second) && is_aligned(result);
    const auto take = [&](i64 i) {
        const Pack<T, N> a = load_pack<N>(first + i, aligned), b = load_pack<N>(second + i, aligned);
        Pack<U, N> made;
#pragma unroll
        for (int k = 0; k < N; ++k) made.item[k] = function(a.item[k], b.item[k]);
        store_pack(result + i, made, aligned);
    };
    for_packs<N>(n, take, [&](i64 i) { result[i] = function(first[i], second[i]); });
}

// Leaves in `seen` what one thread saw of the values that a function refuses: bits that
// are rarely set, so that threads seldom meet here. Any thread, once after for_points.
__device__ inline void tell(u32* seen, u32 bits) {
    if (bits) atomicOr(seen, bits);
}
