// Values beyond an image's border, as scipy.ndimage extends an axis.
//
//     NEAREST   a a a | a b c d | d d d
//     WRAP      b c d | a b c d | a b c      (SciPy's grid-wrap too)
//     REFLECT   c b a | a b c d | d c b      (grid-mirror)
//     MIRROR    d c b | a b c d | c b a
//     CONSTANT  v v v | a b c d | v v v      (grid-constant)
//
// Source: scipy.ndimage, NI_ExtendLine and NI_InitFilterOffsets. The numbers are SciPy's.
#pragma once
#include "common/types.cuh"

enum Boundary { NEAREST = 0, WRAP = 1, REFLECT = 2, MIRROR = 3, CONSTANT = 4 };

// Index inside [0, n) whose value stands at index i of an axis of n > 0 elements, or -1
// where the constant stands there. i may lie any distance outside: the extension is
// periodic. Any thread may call it; it costs a 64-bit division beyond the first period.
__device__ inline i64 boundary_index(i64 i, i64 n, int mode) {
    if (i >= 0 && i < n) return i;
    if (mode == CONSTANT) return -1;
    if (mode == NEAREST) return i < 0 ? 0 : n - 1;
    if (mode == MIRROR && n == 1) return 0;
    const i64 period = mode == WRAP ? n : mode == REFLECT ? 2 * n : 2 * n - 2;
    if (i < 0) i += period;
    if (i < 0 || i >= period) {
        i %= period;
        if (i < 0) i += period;
    }
    if (i < n) return i;
    return mode == REFLECT ? period - 1 - i : period - i;
}
