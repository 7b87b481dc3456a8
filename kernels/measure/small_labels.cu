// The regions of an image whose labels are small: of each label how many pixels it has, and its box.
//
// T: u8, u16, u32 or u64, the labels' size; `most` is the largest of their type, above which they are
// negative, and no labels. n: pixels, below 2^31; shape: along each axis.
// table: VALUES for each of `count` labels, 0 before: pixels; the places behind the box along z, y, x; and
// how far its first place along each is from the image's end.
// largest: label, 0 before. Where it is not below `count` the table has not all of them.
//
// A thread looks for runs in a few pixels; a block adds up, in shared memory, the labels that come to its slots
// first.
//
// One launch; the image is read once.
//
// Source: scikit-image `measure.regionprops`.
#include "common/pack.cuh"
#include "common/reduce.cuh"
#include "measure/regions.cuh"

constexpr int THREADS = 256, SLOTS = 256, VALUES = 7, N = 8;
constexpr u32 FREE = 0;  // no region

struct Slots {
    u32 labels[SLOTS];
    u32 values[SLOTS * VALUES];
};

// Adds pixels, and the ends of their box, to what is known of a label.
__device__ inline void put(u32* known, const u32 (&values)[VALUES]) {
    atomicAdd(known, values[0]);
    bool grows = false;
#pragma unroll
    for (int v = 1; v < VALUES; ++v) grows |= ((volatile u32*)known)[v] < values[v];
    if (!grows) return;
#pragma unroll
    for (int v = 1; v < VALUES; ++v) atomicMax(known + v, values[v]);
}

template <class T>
__global__ void __launch_bounds__(THREADS, RESIDENT)
    small_labels(const T* image, i64 n, const __grid_constant__ Volume<u32> shape, T most, u32 count, u32* table,
                 u64* largest) {
    __shared__ Slots slots;
    __shared__ u64 largest_here;
    if (threadIdx.x == 0) largest_here = 0;
    for (int s = threadIdx.x; s < SLOTS; s += blockDim.x) slots.labels[s] = FREE;
    for (int v = threadIdx.x; v < SLOTS * VALUES; v += blockDim.x) slots.values[v] = 0;
    __syncthreads();

    T mine_largest = 0;
    const auto add = [&](T label, const Place<u32>& at, u32 pixels) {
        if (label == 0 || label > most) return;
        mine_largest = label > mine_largest ? label : mine_largest;
        if (label >= count) return;
        const u32 values[VALUES] = {pixels,
                                    at.z + 1,
                                    at.y + 1,
                                    at.x + pixels,
                                    shape.depth - at.z,
                                    shape.rows - at.y,
                                    shape.columns - at.x};
        const u32 slot = (u32)label * 2654435769u >> 24;  // Fibonacci hashing; 2^8 slots
        u32 there = ((volatile u32*)slots.labels)[slot];
        if (there == FREE) there = atomicCAS(&slots.labels[slot], FREE, (u32)label);
        if (there == FREE || there == (u32)label)
            put(slots.values + slot * VALUES, values);
        else
            put(table + (i64)label * VALUES, values);
    };
    const bool aligned = is_aligned(image);
    const Span span = block_span(n, N);
    const i64 packed = span.begin + (span.end - span.begin) / N * N;
    for (i64 i = span.begin + N * (i64)threadIdx.x; i < packed; i += N * (i64)blockDim.x) {
        const Pack<T, N> pack = load_pack<N>(image + i, aligned);
        u32 ends = 1u << (N - 1);  // a bit for each last pixel of equal ones
#pragma unroll
        for (int k = 0; k + 1 < N; ++k) ends |= (u32)(pack.item[k] != pack.item[k + 1]) << k;
        Place<u32> at(shape, (u32)i);
        for (u32 k = 0; k < N;) {  // threads that meet at the same time have a run each
            const u32 equal = __ffs((int)(ends >> k)), in_row = shape.columns - at.x;
            const u32 pixels = equal < in_row ? equal : in_row;
            add(image[i + k], at, pixels);
            k += pixels;
            at.x += pixels;
            if (at.x < shape.columns) continue;
            at.x = 0;
            if (++at.y < shape.rows) continue;
            at.y = 0;
            ++at.z;
        }
    }
    for (i64 i = packed + threadIdx.x; i < span.end; i += blockDim.x) add(image[i], Place<u32>(shape, (u32)i), 1);
    if (mine_largest) atomicMax(&largest_here, (u64)mine_largest);
    __syncthreads();
    for (int s = threadIdx.x; s < SLOTS; s += blockDim.x) {
        if (slots.labels[s] == FREE) continue;
        u32 found[VALUES];
#pragma unroll
        for (int v = 0; v < VALUES; ++v) found[v] = slots.values[s * VALUES + v];
        put(table + (i64)slots.labels[s] * VALUES, found);
    }
    if (threadIdx.x == 0 && largest_here) atomicMax(largest, largest_here);
}
