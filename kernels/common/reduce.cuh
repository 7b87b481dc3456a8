// Reductions over a block and over the whole grid in one launch, in a fixed order:
// the same launch on the same data gives the same bits, whichever block ends first.
//
// For one-dimensional blocks of any size (1 and odd sizes too), without warp
// operations. A whole reduction:
//
//     __shared__ Sum scratch[256];                      // one per thread
//     Span span = block_span(n, 1);                     // this block's elements
//     Sum mine = {};
//     for (i64 i = span.begin + threadIdx.x; i < span.end; i += blockDim.x) mine.add(x[i]);
//     grid_reduce(mine, scratch, partials, arrived, combine, [&](Sum total) { *out = total.value; });
#pragma once
#include "common/types.cuh"

// Elements [begin, end) of an array; empty where begin == end.
struct Span {
    i64 begin, end;
};

// The block's share of n elements: consecutive, equal in size, beginning at a multiple
// of `multiple`. Blocks of the same launch cover all elements, each once. Any thread.
__device__ inline Span block_span(i64 n, int multiple) {
    i64 share = (n + gridDim.x - 1) / gridDim.x;
    share = (share + multiple - 1) / multiple * multiple;
    const i64 begin = share * blockIdx.x;
    return {begin < n ? begin : n, begin + share < n ? begin + share : n};
}

// Combines the first `count` values of `values`, pairwise, into values[0].
//   called by: all threads of the block, together; thread t has written values[t]
//   values:    shared memory
//   count:     1 to blockDim.x, the same in all threads
//   combine:   T(T lower, T higher); the order of operands depends on `count` only
//   afterwards: thread 0 may read values[0]; others after a barrier
template <class T, class Combine>
__device__ inline void block_reduce(T* values, u32 count, Combine combine) {
    const u32 thread = threadIdx.x;
    for (u32 active = count; active > 1;) {
        const u32 half = (active + 1) / 2;
        __syncthreads();
        if (thread + half < active) values[thread] = combine(values[thread], values[thread + half]);
        active = half;
    }
}

// True in all threads of the block that comes last of `blocks` blocks to this call, false in
// the others. What thread 0 of each block wrote to global memory before is visible to the
// last block afterwards; what the other threads wrote too, if they have called
// __threadfence() and met at a barrier.
//   called by: all threads of the block
//   arrived:   a counter in global memory, 0 before the launch, for these blocks alone
//   contains barriers; none must follow, but one before the next call
__device__ inline bool last_of(u32 blocks, u32* arrived) {
    __shared__ bool last;
    if (threadIdx.x == 0) {
        __threadfence();
        last = atomicAdd(arrived, 1u) == blocks - 1;
        __threadfence();
    }
    __syncthreads();
    return last;
}

// last_of for all blocks of the launch, once in it.
__device__ inline bool last_block(u32* arrived) { return last_of(gridDim.x, arrived); }

// Sum over the block of one value of each thread, for all of them.
//   called by: all threads of the block
//   total:     one number in shared memory
//   contains barriers; none must follow
__device__ inline u32 block_sum(u32 mine, u32* total) {
    __syncthreads();
    if (threadIdx.x == 0) *total = 0;
    __syncthreads();
    if (mine) atomicAdd(total, mine);
    __syncthreads();
    return *total;
}

// Combines one value of each thread of the grid and hands the total to `finish`.
//   called by: all threads of all blocks, once in a launch
//   scratch:   shared memory for blockDim.x values
//   partials:  global memory for gridDim.x values
//   arrived:   a counter in global memory, 0 before the launch
//   finish:    void(T total), called by one thread of the grid
template <class T, class Combine, class Finish>
__device__ inline void grid_reduce(const T& mine, T* scratch, T* partials, u32* arrived,
                                   Combine combine, Finish finish) {
    scratch[threadIdx.x] = mine;
    block_reduce(scratch, blockDim.x, combine);
    if (threadIdx.x == 0) partials[blockIdx.x] = scratch[0];
    if (!last_block(arrived)) return;

    // Threads beyond the number of blocks have nothing to bring: they stay out of the
    // reduction, so that `combine` needs no neutral element.
    const u32 count = gridDim.x < blockDim.x ? gridDim.x : blockDim.x;
    if (threadIdx.x < count) {
        T total = partials[threadIdx.x];
        for (u32 b = threadIdx.x + blockDim.x; b < gridDim.x; b += blockDim.x)
            total = combine(total, partials[b]);
        scratch[threadIdx.x] = total;
    }
    block_reduce(scratch, count, combine);
    if (threadIdx.x == 0) finish(scratch[0]);
}
