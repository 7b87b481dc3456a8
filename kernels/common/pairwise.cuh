// NumPy's pairwise sums: which elements it adds in which order.
//
// An array of up to 128 elements has eight sums, of every eighth element each, which are added in
// pairs; what is left over is added to that. A longer one is halved, the first half a multiple of 8.
//
// Source: NumPy, loops_utils.h.src.
#pragma once
#include "common/reduce.cuh"

// Elements from `begin` on.
struct Part {
    i64 begin, length;
};

__device__ inline i64 lower_half(i64 n) { return n / 2 - n / 2 % 8; }

// Part `number` of 2^depth into which n elements are halved.
__device__ inline Part pairwise_part(i64 n, int depth, i64 number) {
    Part part = {0, n};
    for (int bit = depth - 1; bit >= 0; --bit) {
        const i64 low = lower_half(part.length);
        const bool second = number >> bit & 1;
        part.begin += second ? low : 0;
        part.length = second ? part.length - low : low;
    }
    return part;
}

// Sums of n elements, or of what becomes of them, in that order, by all threads of the grid; eight
// neighbouring threads have eight neighbouring elements.
//
//     __shared__ Sum sums[PairwiseSum<Sum>::SHARED];
//     PairwiseSum<Sum>{n, depth, halves, sums, partials, arrived}.run(add, finish);
//
//   called by: all threads of all blocks, once in a launch
//   depth:     how often n is halved until the first part has 128 elements at most; no part then
//              has more than 160
//   halves:    2 where a part has more than 128, else 1
//   partials:  global memory for a sum of each 32 parts
//   arrived:   a counter in global memory, 0 before the launch, and after it
//   add:       Sum(Sum sum, i64 first, int count, int step): adds `count` elements, each `step` behind
//              the one before, to a sum. Each element comes once.
//   finish:    void(Sum total), called by one thread of the grid
//   Sum:       a struct with an operator+, of which {} is 0
template <class Sum> struct PairwiseSum {
    static constexpr int PARTS = 32, LANES = 8, SHARED = PARTS * LANES + PARTS, MOST = 128;
    i64 n;
    int depth, halves;
    Sum* sums;
    Sum* partials;
    u32* arrived;

    template <class Add, class Finish> __device__ void run(const Add& add, const Finish& finish) const {
        Sum* const of_parts = sums + PARTS * LANES;
        const i64 parts = (i64)1 << depth, groups = (parts + PARTS - 1) / PARTS;
        const int here = parts < PARTS ? (int)parts : PARTS;
        for (i64 group = blockIdx.x; group < groups; group += gridDim.x) {
            for (int half = 0; half < halves; ++half) {
                for (int t = threadIdx.x; t < here * LANES; t += blockDim.x) {
                    const Part leaf = leaf_of(group * PARTS + t / LANES, half);
                    sums[t] = add(Sum{}, leaf.begin + t % LANES, (int)leaf.length / LANES, LANES);
                }
                for (int step = 1; step < LANES; step *= 2) {
                    __syncthreads();
                    for (int t = 2 * step * threadIdx.x; t < here * LANES; t += 2 * step * blockDim.x)
                        sums[t] = sums[t] + sums[t + step];
                }
                __syncthreads();
                for (int t = threadIdx.x; t < here; t += blockDim.x) {
                    const Part leaf = leaf_of(group * PARTS + t, half);
                    const int left = (int)leaf.length % LANES;
                    const Sum sum = add(sums[t * LANES], leaf.begin + leaf.length - left, left, 1);
                    of_parts[t] = half ? of_parts[t] + sum : sum;
                }
                __syncthreads();  // before the other half's sums
            }
            for (int step = 1; step < here; step *= 2) {
                for (int t = 2 * step * threadIdx.x; t < here; t += 2 * step * blockDim.x)
                    of_parts[t] = of_parts[t] + of_parts[t + step];
                __syncthreads();
            }
            if (threadIdx.x == 0) partials[group] = of_parts[0];
            __syncthreads();  // before the next group's sums
        }
        if (!last_block(arrived)) return;
        for (i64 step = 1; step < groups; step *= 2) {
            for (i64 i = 2 * step * threadIdx.x; i < groups; i += 2 * step * blockDim.x)
                partials[i] = partials[i] + partials[i + step];
            __syncthreads();
        }
        if (threadIdx.x == 0) {
            *arrived = 0;
            finish(partials[0]);
        }
    }

private:
    // The part, or where it has too many elements one half of it; nothing as the other half of one that has not.
    __device__ Part leaf_of(i64 number, int half) const {
        const Part part = pairwise_part(n, depth, number);
        if (part.length <= MOST) return half ? Part{part.begin, 0} : part;
        const i64 low = lower_half(part.length);
        return half ? Part{part.begin + low, part.length - low} : Part{part.begin, low};
    }
};
