// Thinning of planes and volumes by Lee's method. One kernel, launched again and again:
//
//     step   what is next, which the device knows itself:
//              FIND     candidates for removal on one of six sides: voxels that have background there, are
//                       no end of a line, and whose removal changes neither Euler's number nor what is
//                       connected around them
//              RECHECK  which of them go. scikit-image removes one after the other, in the order of the
//                       image, where what is around is still connected without it. Here all decide side by
//                       side, from what those before them have decided in the last step, until no decision
//                       changes. A decision depends on earlier voxels alone, so that there is one
//                       solution, which is that of one after the other
//              REMOVE   takes them away, and goes to the next side
//            It is over when all sides, one after the other, have removed none. The last block that ends
//            says in `control` what is next; a launch that comes later returns at once.
//
// Images are bits (bits.cu), 32 columns a word; beyond the image there is background. A launch reads the
// words of the image, 27 of them around each that may have candidates, or the candidates' words.
//
// Source: scikit-image `morphology.skeletonize`; T.-C. Lee, R. L. Kashyap, C.-N. Chu, CVGIP 56(6), 1994.
#include "common/types.cuh"

constexpr int BITS = 32, SIDES = 6;
constexpr u32 CUBE = (1u << 27) - 1, CENTER = 1u << 13, EARLIER = CENTER - 1;
enum { FIND = 0, RECHECK = 1, REMOVE = 2, OVER = 3 };

struct Shape {
    i64 planes, rows, across;  // of words
    int sides;                 // 4 where there is one plane, else 6
};

// What Euler's number of an octant changes by, for the pixels of it beside the center: 7 bits.
struct Euler {
    signed char change[128];
};

struct Control {
    u32 phase, side;
    u32 quiet;  // sides one after the other that have removed none
    u32 found;  // whether this step has found, or changed, something
    u32 ended;  // blocks of this launch
    u32 steps;
};

// The word at a place, 0 beyond the image.
__device__ inline u32 word_at(const u32* words, const Shape& s, i64 p, i64 r, i64 w) {
    if (p < 0 || p >= s.planes || r < 0 || r >= s.rows || w < 0 || w >= s.across) return 0;
    return ((const volatile u32*)words)[(p * s.rows + r) * s.across + w];
}

// A word's 32 pixels, those before and behind them: 34 bits.
__device__ inline u64 row_at(const u32* words, const Shape& s, i64 p, i64 r, i64 w) {
    return (u64)(word_at(words, s, p, r, w - 1) >> 31) | (u64)word_at(words, s, p, r, w) << 1 |
           (u64)(word_at(words, s, p, r, w + 1) & 1) << 33;
}

// Whether voxels of a cube of 3 x 3 x 3, without its center, are connected, or there are none. Bit
// 9 p + 3 r + c is the voxel in plane p, row r, column c.
__device__ inline bool is_connected(u32 cube) {
    constexpr u32 FIRST = 0x1249249, LAST = FIRST << 2;                    // columns
    constexpr u32 TOP = 0x7 | 0x7 << 9 | 0x7 << 18, BOTTOM = TOP << 6;  // rows
    u32 reached = cube & (~cube + 1);
    for (;;) {
        u32 grown = reached | (reached & ~LAST) << 1 | (reached & ~FIRST) >> 1;
        grown |= (grown & ~BOTTOM) << 3 | (grown & ~TOP) >> 3;
        grown |= grown << 9 | grown >> 9;
        grown &= cube;
        if (grown == reached) return reached == cube;
        reached = grown;
    }
}

// Place in Euler's table of an octant: voxels of `cube` at the seven places, the first the highest bit.
template <int A, int B, int C, int D, int E, int F, int G> __device__ inline int octant(u32 cube) {
    return (cube >> A & 1) << 6 | (cube >> B & 1) << 5 | (cube >> C & 1) << 4 | (cube >> D & 1) << 3 |
           (cube >> E & 1) << 2 | (cube >> F & 1) << 1 | (cube >> G & 1);
}

// Places are scikit-image's, which count 9 p + r + 3 c.
__device__ inline bool keeps_euler(u32 cube, const Euler& euler) {
    int change = 0;
    change += euler.change[octant<6, 3, 15, 12, 7, 4, 16>(cube)];
    change += euler.change[octant<0, 9, 1, 10, 3, 12, 4>(cube)];
    change += euler.change[octant<8, 5, 17, 14, 7, 4, 16>(cube)];
    change += euler.change[octant<2, 11, 5, 14, 1, 10, 4>(cube)];
    change += euler.change[octant<24, 25, 21, 22, 15, 16, 12>(cube)];
    change += euler.change[octant<18, 19, 9, 10, 21, 22, 12>(cube)];
    change += euler.change[octant<26, 25, 17, 16, 23, 22, 14>(cube)];
    change += euler.change[octant<20, 23, 11, 14, 19, 22, 10>(cube)];
    return change == 0;
}

// The 27 voxels around bit `b` of a word, of its nine rows.
__device__ inline u32 cube_at(const u64 (&rows)[9], int b) {
    u32 cube = 0;
#pragma unroll
    for (int k = 0; k < 9; ++k) cube |= (u32)(rows[k] >> b & 7) << (3 * k);
    return cube;
}

// Voxels of a word with background on a side. The sides come in scikit-image's order.
__device__ inline u32 open_voxels(const u32* image, const Shape& s, u32 side, i64 p, i64 r, i64 w) {
    const u32 word = word_at(image, s, p, r, w);
    if (!word) return 0;
    switch (side) {
        case 0: return word & ~word_at(image, s, p, r - 1, w);
        case 1: return word & ~word_at(image, s, p, r + 1, w);
        case 2: return word & ~(word >> 1 | word_at(image, s, p, r, w + 1) << 31);
        case 3: return word & ~(word << 1 | word_at(image, s, p, r, w - 1) >> 31);
        case 4: return word & ~word_at(image, s, p + 1, r, w);
        default: return word & ~word_at(image, s, p - 1, r, w);
    }
}

// Candidates among the voxels of a word.
__device__ inline u32 find(const u32* image, const Shape& s, const Euler& euler, u32 side, i64 p, i64 r, i64 w) {
    u32 left = open_voxels(image, s, side, p, r, w), found = 0;
    if (!left) return 0;
    u64 rows[9];
#pragma unroll
    for (int k = 0; k < 9; ++k) rows[k] = row_at(image, s, p + k / 3 - 1, r + k % 3 - 1, w);
    for (; left; left &= left - 1) {
        const int b = __ffs((int)left) - 1;
        const u32 cube = cube_at(rows, b) & ~CENTER;
        if (__popc(cube) != 1 && keeps_euler(cube, euler) && is_connected(cube)) found |= 1u << b;
    }
    return found;
}

// Which candidates of a word go, by what is known of those before them. gone: what was known until now.
__device__ inline u32 recheck(const u32* image, const u32* gone, const Shape& s, u32 candidates, i64 p, i64 r, i64 w) {
    u64 rows[9];
#pragma unroll
    for (int k = 0; k < 9; ++k) {
        rows[k] = row_at(image, s, p + k / 3 - 1, r + k % 3 - 1, w);
        if (k < 4) rows[k] &= ~row_at(gone, s, p + k / 3 - 1, r + k % 3 - 1, w);
    }
    rows[4] &= ~(u64)(word_at(gone, s, p, r, w - 1) >> 31);
    u32 result = 0;
    for (; candidates; candidates &= candidates - 1) {
        const int b = __ffs((int)candidates) - 1;
        if (!is_connected(cube_at(rows, b) & ~CENTER)) continue;
        result |= 1u << b;
        rows[4] &= ~(2ull << b);
    }
    return result;
}

// What comes after a step. One thread, when all blocks have ended.
__device__ inline void go_on(Control* control, int sides) {
    const bool found = control->found;
    const u32 phase = control->phase;
    control->found = control->ended = 0;
    control->steps += 1;
    if (phase == FIND && found) {
        control->phase = RECHECK;
    } else if (phase == RECHECK) {
        if (!found) control->phase = REMOVE;
    } else {
        control->quiet = phase == REMOVE && found ? 0 : control->quiet + 1;
        control->side = control->side + 1 == (u32)sides ? 0 : control->side + 1;
        control->phase = control->quiet == (u32)sides ? OVER : FIND;
    }
}

// candidates, gone: words as of the image. In gone all candidates go at first.
__global__ void __launch_bounds__(256, 1)
    step(const __grid_constant__ Shape s, const __grid_constant__ Euler euler, u32* image, u32* candidates, u32* gone,
         Control* control) {
    const u32 phase = control->phase, side = control->side;
    if (phase == OVER) return;
    const i64 words = s.planes * s.rows * s.across;
    bool any = false;
    for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < words; i += (i64)gridDim.x * blockDim.x) {
        const i64 line = i / s.across, w = i - line * s.across, p = line / s.rows, r = line - p * s.rows;
        if (phase == FIND) {
            const u32 found = find(image, s, euler, side, p, r, w);
            candidates[i] = gone[i] = found;
            any |= found != 0;
        } else if (candidates[i]) {
            const u32 before = gone[i];
            if (phase == RECHECK) {
                const u32 now = recheck(image, gone, s, candidates[i], p, r, w);
                if (now != before) ((volatile u32*)gone)[i] = now;
                any |= now != before;
            } else {
                image[i] &= ~before;
                any |= before != 0;
            }
        }
    }
    any = __syncthreads_or(any);
    if (threadIdx.x != 0) return;
    if (any) control->found = 1;
    __threadfence();
    if (atomicAdd(&control->ended, 1u) == gridDim.x - 1) {
        __threadfence();
        go_on(control, s.sides);
    }
}
