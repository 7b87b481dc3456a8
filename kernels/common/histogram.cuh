// Histograms: bins that a block counts in shared memory before it adds them to those
// of the whole launch, and the bin of a floating value.
//
//     DYN_SHARED(u32, bins_here);
//     clear_bins(bins_here, bins);
//     for (...) count_one(bins_here, bin);
//     add_bins(bins_here, bins, counts);
//
// For one-dimensional blocks of any size, without warp operations.
#pragma once
#include "common/rounded.cuh"
#include "common/types.cuh"

// Sets the block's bins to 0.
//   called by: all threads of the block; contains the barrier that must follow
__device__ inline void clear_bins(u32* bins_here, int bins) {
    for (int i = threadIdx.x; i < bins; i += blockDim.x) bins_here[i] = 0;
    __syncthreads();
}

// Counts one element in the block's bins. Any thread, any time after clear_bins.
__device__ inline void count_one(u32* bins_here, u32 bin) {
    if (blockDim.x == 1)
        ++bins_here[bin];  // nobody else counts here
    else
        atomicAdd(&bins_here[bin], 1u);
}

// Adds the block's bins to `counts` in global memory.
//   called by: all threads of the block, when each has counted its elements
//   contains a barrier; another must follow before the bins are used again
__device__ inline void add_bins(const u32* bins_here, int bins, u64* counts) {
    __syncthreads();
    for (int i = threadIdx.x; i < bins; i += blockDim.x)
        if (bins_here[i]) atomicAdd(&counts[i], (u64)bins_here[i]);
}

// Bin of `value` among `bins` bins of equal width, exactly as numpy.histogram finds it:
// a position by arithmetic, corrected by the edges; the last bin has its upper edge too.
//   edges: bins + 1 of them, increasing; edges[0] <= value <= edges[bins]
//   width: edges[bins] - edges[0], finite
template <class T, class Value>
__device__ inline int uniform_bin(Value value, const Value* edges, int bins, Value first, Value width) {
    using A = NumpyArithmetic<T>;
    const Value position = A::multiply(A::divide(A::subtract(value, first), width), (Value)bins);
    int bin = (int)position;
    bin -= bin == bins;
    bin -= value < edges[bin];
    bin += bin != bins - 1 && value >= edges[bin + 1];
    return bin;
}
