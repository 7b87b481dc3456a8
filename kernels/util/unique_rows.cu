// Rows of a matrix as words that compare as the rows' bytes do, and which of the sorted rows are new.
//
//   pack_rows    words[w][i]: bytes 8 w to 8 w + 7 of row i, the first one highest; 0 beyond the row
//   mark_heads   is_new[i]: whether the row that is i-th in `order` differs from the one before it
//
// `count` rows of `length` bytes, `width` words each. Any blocks and grid, one thread a word, or a row.
// pack_rows reads the rows once and writes the words once; mark_heads reads words only up to one that
// differs.
//
// Source: skimage/util/unique.py, whose rows are strings of bytes; radix sort from the last word on.
#include "common/types.cuh"

__global__ void pack_rows(const u8* rows, i64 count, i64 length, i64 width, u64* words) {
    const i64 step = (i64)gridDim.x * blockDim.x;
    for (i64 k = (i64)blockIdx.x * blockDim.x + threadIdx.x; k < count * width; k += step) {
        const i64 w = k / count, i = k - w * count;
        const u8* const from = rows + i * length;
        u64 word = 0;
#pragma unroll
        for (int byte = 0; byte < 8; ++byte) {
            const i64 at = 8 * w + byte;
            word = word << 8 | (u64)(at < length ? from[at] : 0);
        }
        words[k] = word;
    }
}

__global__ void mark_heads(const u64* words, const i64* order, i64 count, i64 width, bool* is_new) {
    const i64 step = (i64)gridDim.x * blockDim.x;
    for (i64 i = (i64)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += step) {
        bool differs = i == 0;
        for (i64 w = 0; w < width && !differs; ++w)
            differs = words[w * count + order[i]] != words[w * count + order[i - 1]];
        is_new[i] = differs;
    }
}
