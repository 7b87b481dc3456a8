// How many elements there are of each kind, where neighbours are mostly alike.
//
//     count_runs<Index>(n, counts, [&](i64 i) { return kind_of(i); });
#pragma once
#include "common/types.cuh"

template <class Index> struct Counter { typedef u32 Type; };
template <> struct Counter<i64> { typedef u64 Type; };

// Adds to counts[kind] for each of n elements.
//   called by: all threads of all blocks, once in a launch
//   counts:    global memory
//   kind:      Index(i64 i), the element's kind, below 0 where it is not counted
// A thread adds up what it meets of one kind before it writes: a large region does not make all threads
// wait for one counter at every pixel.
template <class Index, class Count, class Kind>
__device__ inline void count_runs(i64 n, Count* counts, const Kind& kind) {
    Index last = -1;
    Count run = 0;
    for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < n; i += (i64)gridDim.x * blockDim.x) {
        const Index here = kind(i);
        if (here != last) {
            if (last >= 0) atomicAdd(&counts[last], run);
            last = here;
            run = 0;
        }
        ++run;
    }
    if (last >= 0) atomicAdd(&counts[last], run);
}
