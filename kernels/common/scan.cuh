// Running sums of a line by one thread, and within a block.
//
// For one-dimensional blocks of any size, without warp operations.
#pragma once
#include "common/types.cuh"

// sums[k * stride] becomes value(0) + ... + value(k), added up in this order. Any thread; what
// `value` reads may be the place of its sum. AHEAD values are on their way at a time: a compiler
// reads none before a sum is written that might lie there, and each would take its time.
template <int AHEAD = 16, class S, class Index, class Value>
__device__ inline void running_sums(S* sums, Index count, Index stride, const Value& value) {
    S sum = 0;
    Index k = 0;
    for (; k + AHEAD <= count; k += AHEAD) {
        decltype(value(k)) read[AHEAD];
#pragma unroll
        for (int i = 0; i < AHEAD; ++i) read[i] = value(k + i);
#pragma unroll
        for (int i = 0; i < AHEAD; ++i) sums[(k + i) * stride] = sum += read[i];
    }
    for (; k < count; ++k) sums[k * stride] = sum += value(k);
}

// values[i] becomes values[0] + ... + values[i].
//   called by: all threads of the block, after a barrier behind the last write to `values`
//   values:    shared memory, `count` of them, any number
//   sums:      shared memory for blockDim.x values
//   contains barriers; none must follow
template <class T> __device__ inline void block_scan(T* values, int count, T* sums) {
    const int thread = threadIdx.x, share = (count + blockDim.x - 1) / blockDim.x;
    const int begin = thread * share < count ? thread * share : count;
    const int end = begin + share < count ? begin + share : count;
    T sum = 0;
    for (int i = begin; i < end; ++i) sum += values[i];
    sums[thread] = sum;
    for (int distance = 1; distance < (int)blockDim.x; distance *= 2) {
        __syncthreads();
        const T other = thread >= distance ? sums[thread - distance] : (T)0;
        __syncthreads();
        sums[thread] += other;
    }
    __syncthreads();
    T before = thread > 0 ? sums[thread - 1] : (T)0;
    for (int i = begin; i < end; ++i) {
        before += values[i];
        values[i] = before;
    }
    __syncthreads();
}
