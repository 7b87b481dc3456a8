// Places of elements by their numbers, without 64-bit division where 32 bits hold the numbers: it takes some
// 70 instructions, the other one some 20.
#pragma once
#include "common/types.cuh"

// Takes the last coordinate, along an axis of `size` elements, off `rest`. Any thread.
//   narrow:  whether `rest` and `size` are below 2^32
__device__ inline i64 split(i64& rest, i64 size, bool narrow) {
    if (size == 1) return 0;
    const i64 above = narrow ? (i64)((u32)rest / (u32)size) : rest / size;
    const i64 place = rest - above * size;
    rest = above;
    return place;
}
