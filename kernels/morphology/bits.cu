// Images as bits, 32 columns a word, and back. Two kernels:
//
//     pack     a bit for each pixel, 1 where it is not 0; the first column is the lowest bit. Bits beyond
//              the last column are 0
//     unpack   booleans of the bits
//
// T: bool, u8..64 for integers of their size, float16/32/64. Images are (rows, columns), those of more
// axes with the first ones as rows. One launch each: pack reads an image once and writes 1/8 byte a pixel,
// unpack the other way round, with a byte for each boolean.
#include "common/types.cuh"

constexpr int BITS = 32;

template <class T>
__global__ void __launch_bounds__(256, 1) pack(const T* image, i64 rows, i64 columns, u32* words) {
    const i64 across = (columns + BITS - 1) / BITS;
    for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < rows * across; i += (i64)gridDim.x * blockDim.x) {
        const i64 row = i / across, first = (i - row * across) * BITS;
        const T* const line = image + row * columns + first;
        const int wide = columns - first < BITS ? (int)(columns - first) : BITS;
        u32 word = 0;
        for (int k = 0; k < wide; ++k) word |= (u32)(line[k] != 0) << k;
        words[i] = word;
    }
}

__global__ void __launch_bounds__(256, 1) unpack(const u32* words, i64 rows, i64 columns, bool* result) {
    const i64 across = (columns + BITS - 1) / BITS;
    for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < rows * columns; i += (i64)gridDim.x * blockDim.x) {
        const i64 row = i / columns, column = i - row * columns;
        result[i] = words[row * across + column / BITS] >> (column % BITS) & 1;
    }
}
