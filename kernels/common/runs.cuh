// How many elements there are of each kind, where neighbours are mostly alike.
//
//     count_runs<Index>(n, counts, [&](i64 i) { return kind_of(i); });
//
// Before anything is added in global memory it is added up twice: by each thread, as long as what it
// meets is of one kind, and by each block, in shared memory. So a region that is most of an image costs
// one addition a block at its counter, not one a thread.
//
// For one-dimensional blocks of any size, without warp operations.
#pragma once
#include "common/reduce.cuh"

template <class Index> struct Counter { typedef u32 Type; };
template <> struct Counter<i64> { typedef u64 Type; };

// Adds elements of a kind to the numbers of all kinds. There are others, for numbers that are no array
// (metrics/pairs.cu, measure/lengths.cu). Any thread.
template <class Index, class Count> __device__ inline void add_at(Count* counts, Index kind, Count run) {
    atomicAdd(&counts[kind], run);
}

// Counts of a few kinds, in shared memory: a slot is that of the kind which comes to it first, and all
// others of the same hash are counted in global memory. Slots hold 32 bits; what goes beyond them is
// added in global memory at once.
template <class Index, class Count> struct BlockCounts {
    static constexpr int SLOTS = 256;
    static constexpr Index FREE = -1;
    Index kinds[SLOTS];
    u32 found[SLOTS];

    // All threads of the block; contains the barrier that must follow.
    __device__ void clear() {
        for (int s = threadIdx.x; s < SLOTS; s += blockDim.x) {
            kinds[s] = FREE;
            found[s] = 0;
        }
        __syncthreads();
    }

    // Any thread. kind: from 0 on. counts: what add_at takes
    template <class Counts> __device__ void add(Index kind, Count run, const Counts& counts) {
        const int slot = (int)((u32)kind * 2654435769u >> 24);  // Fibonacci hashing; 2^8 slots
        Index there = ((volatile Index*)kinds)[slot];
        if (there == FREE) there = claimed(slot, kind);
        if (there != FREE && there != kind) {
            add_at(counts, kind, run);
            return;
        }
        const u32 low = (u32)run, before = atomicAdd(&found[slot], low);
        if constexpr (sizeof(Count) > 4) {
            const Count beyond = (run - low) + ((u32)(before + low) < before ? (Count)1 << 32 : 0);
            if (beyond) add_at(counts, kind, beyond);
        }
    }

    // Adds all to `counts`. All threads of the block, when each has counted; contains a barrier.
    template <class Counts> __device__ void finish(const Counts& counts) {
        __syncthreads();
        for (int s = threadIdx.x; s < SLOTS; s += blockDim.x)
            if (found[s]) add_at(counts, kinds[s], (Count)found[s]);
    }

  private:
    // What was in a slot before it became `kind`, if it was free. Any thread.
    __device__ Index claimed(int slot, Index kind) {
        if constexpr (sizeof(Index) > 4)
            return (Index)atomicCAS((u64*)&kinds[slot], (u64)FREE, (u64)kind);
        else
            return (Index)atomicCAS((u32*)&kinds[slot], (u32)FREE, (u32)kind);
    }
};

// Adds up what one thread meets as long as it is of one kind.
template <class Index, class Count, class Counts = Count*> struct ThreadCounts {
    BlockCounts<Index, Count>& block;
    Counts counts;
    Index last = -1;
    Count run = 0;

    __device__ ThreadCounts(BlockCounts<Index, Count>& block, const Counts& counts) : block(block), counts(counts) {}

    // kind: below 0 where the elements are not counted
    __device__ void add(Index kind, int elements = 1) {
        if (kind < 0) return;
        if (kind != last) {
            finish();
            last = kind;
            run = 0;
        }
        run += elements;
    }
    __device__ void finish() {
        if (run) block.add(last, run, counts);
    }
};

// Adds to the numbers of n elements' kinds.
//   called by: all threads of all blocks, once in a launch
//   Count:     type of a number
//   counts:    what add_at takes: counts[kind] in global memory, or others
//   kind:      Index(i64 i), the element's kind, below 0 where it is not counted
//   contains barriers; none must follow
template <class Index, class Count, class Counts, class Kind>
__device__ inline void count_runs_in(i64 n, const Counts& counts, const Kind& kind) {
    __shared__ BlockCounts<Index, Count> block;
    block.clear();
    ThreadCounts<Index, Count, Counts> mine(block, counts);
    const Span span = block_span(n, 1);
    for (i64 i = span.begin + threadIdx.x; i < span.end; i += blockDim.x) mine.add(kind(i));
    mine.finish();
    block.finish(counts);
}

template <class Index, class Count, class Kind>
__device__ inline void count_runs(i64 n, Count* counts, const Kind& kind) {
    count_runs_in<Index, Count>(n, counts, kind);
}
