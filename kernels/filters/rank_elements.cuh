// Footprints of rank filters: offsets that the host made, or elements as they lie on the device, of
// which each block makes them.
#pragma once
#include "filters/rank_footprint.cuh"

// What a footprint on the device is.
struct RankElements {
    int itemsize;  // bytes of an element
    int hollow;    // one that does not count, or -1
    u64 most;      // those count whose bits are 1 to this: numbers above 0, and no NaN
};

constexpr int FEW = 256;  // elements of a footprint on the device, at most

// Offsets of the elements that count; where they are is in shared memory, since it is asked for seldom.
struct RankOffsets {
    const int* first;
    int count;
    alignas(16) int made[FEW];
    u32 bits[FEW / 32];

    //   called by: all threads of the block; a barrier must follow
    __device__ void find(const int* given, int number, const u8* footprint, const RankElements& e, const RankWindows& w) {
        if (footprint) number = make(number, footprint, e, w);
        if (threadIdx.x == 0 && threadIdx.y == 0) {
            first = footprint ? made : given;
            count = number;
        }
    }

private:
    // Makes them in the order of the elements, and tells how many there are.
    __device__ int make(int number, const u8* footprint, const RankElements& e, const RankWindows& w) {
        const int threads = blockDim.x * blockDim.y, start = threadIdx.y * blockDim.x + threadIdx.x;
        const int rows = w.cells[1] - w.tile[1] + 1, columns = w.cells[2] - w.tile[2] + 1;
        for (int word = start; word < FEW / 32; word += threads) bits[word] = 0;
        for (int k = start; k < SORTED; k += threads) made[k] = 0;
        __syncthreads();
        for (int k = start; k < number; k += threads)
            if (k != e.hollow && bits_of(footprint, e.itemsize, k) - 1 < e.most) atomicOr(&bits[k / 32], 1u << k % 32);
        __syncthreads();
        int found = 0;
        for (int word = 0; word < FEW / 32; ++word) found += __popc(bits[word]);
        for (int k = start; k < number; k += threads) {
            const u32 bit = 1u << k % 32;
            if (!(bits[k / 32] & bit)) continue;
            int place = __popc(bits[k / 32] & (bit - 1));
            for (int word = 0; word < k / 32; ++word) place += __popc(bits[word]);
            const int line = k / columns, z = line / rows;
            made[place] = (z * w.cells[1] + line - z * rows) * w.cells[2] + k - line * columns;
        }
        return found;
    }

    __device__ static u64 bits_of(const u8* footprint, int itemsize, int k) {
        switch (itemsize) {
            case 1: return footprint[k];
            case 2: return ((const u16*)footprint)[k];
            case 4: return ((const u32*)footprint)[k];
            default: return ((const u64*)footprint)[k];
        }
    }
};
