// A box of a plane as bits in shared memory, 32 pixels in a word: what is asked of a pixel and its neighbours is
// answered for all of a word at once.
//
// A box has BIT_ROWS rows of BIT_COLUMNS pixels, and 8 more on both sides: bit k of a row is the pixel at
// x0 - 8 + k. Around it, and outside of the plane, there is 0.
#pragma once
#include "common/types.cuh"

constexpr int BIT_ROWS = 56, BIT_COLUMNS = 256, BIT_WORDS = 9;

// Those bits of word w of a row that are pixels of the box.
__device__ inline u32 own_bits(int w) { return w == 0 ? 0xffffff00u : w == BIT_WORDS - 1 ? 0xffu : ~0u; }

// Word w of a row, moved so that each pixel has the bit of that dx behind it; dx is -1, 0 or 1.
__device__ inline u32 beside(const u32* row, int w, int dx) {
    if (dx < 0) return row[w] << 1 | (w > 0 ? row[w - 1] >> 31 : 0);
    if (dx > 0) return row[w] >> 1 | (w < BIT_WORDS - 1 ? row[w + 1] << 31 : 0);
    return row[w];
}

// Writes the box at (y0, x0) and `halo` rows above and below it.
//   called by: all threads of the block; a barrier must follow
//   bits:      shared memory, BIT_WORDS for each of these rows
//   is_set:    bool(T pixel)
template <class T, class IsSet>
__device__ inline void load_bits(u32* bits, const T* image, i64 rows, i64 columns, i64 y0, i64 x0, int halo,
                                 const IsSet& is_set) {
    u8* const bytes = (u8*)bits;
    for (int i = threadIdx.x; i < (BIT_ROWS + 2 * halo) * 4 * BIT_WORDS; i += blockDim.x) {
        const i64 y = y0 - halo + i / (4 * BIT_WORDS), x = x0 - 8 + 8 * (i % (4 * BIT_WORDS));
        u32 found = 0;
        if (y >= 0 && y < rows && x < columns && x < x0 + BIT_COLUMNS + 8) {
            const T* const first = image + y * columns + x;
#pragma unroll
            for (int k = 0; k < 8; ++k)
                if (x + k >= 0 && x + k < columns) found |= (u32)is_set(first[k]) << k;
        }
        bytes[i] = (u8)found;
    }
}
