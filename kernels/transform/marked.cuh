// The list of an image's pixels that are not 0, which all Hough transforms begin with.
#pragma once
#include "common/pack.cuh"
#include "common/reduce.cuh"

// Where a pixel lies: its column in the low half of the bits, its row in the high half.
template <class Place> struct Point {
    static constexpr int HALF = 4 * (int)sizeof(Place);
    static __device__ Place of(i64 row, i64 column) { return (Place)row << HALF | (Place)column; }
    static __device__ i64 row(Place place) { return (i64)(place >> HALF); }
    static __device__ i64 column(Place place) { return (i64)(place & (((Place)1 << HALF) - 1)); }
};

// Lists pixels that are not 0, in any order; one launch that reads the image once.
//
// image    n pixels as unsigned integers, rows of `columns`
// mask     bits of which one is set in a pixel that is not 0: all, but for a float's sign
// count    zero before
// list     takes all pixels
template <class T, class Place>
__global__ void list_marked(const T* image, i64 n, i64 columns, T mask, u64* count, Place* list) {
    constexpr int N = PackSize<T>::value;
    __shared__ u32 total;
    __shared__ u64 base;
    const bool aligned = is_aligned(image);
    const i64 chunk = N * (i64)blockDim.x;
    for (i64 begin = blockIdx.x * chunk; begin < n; begin += gridDim.x * chunk) {
        const i64 first = begin + N * (i64)threadIdx.x;
        u32 marked = 0;
        if (first + N <= n) {
            const Pack<T, N> pack = load_pack<N>(image + first, aligned);
#pragma unroll
            for (int k = 0; k < N; ++k) marked |= (u32)((pack.item[k] & mask) != 0) << k;
        } else {
            for (int k = 0; first + k < n; ++k) marked |= (u32)((image[first + k] & mask) != 0) << k;
        }
        // the block's pixels stand together in the list
        if (threadIdx.x == 0) total = 0;
        __syncthreads();
        const u32 place = marked ? atomicAdd(&total, (u32)__popc(marked)) : 0;
        __syncthreads();
        if (threadIdx.x == 0 && total) base = atomicAdd(count, (u64)total);
        __syncthreads();
        if (marked) {
            Place* to = list + base + place;
            i64 row = first / columns, column = first - row * columns;
            for (int k = 0; marked >> k; ++k) {
                if (marked >> k & 1u) *to++ = Point<Place>::of(row, column);
                if (++column == columns) column = 0, ++row;
            }
        }
        __syncthreads();  // before the next chunk
    }
}
