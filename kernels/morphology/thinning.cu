// Thinning of a plane: pixels are removed side by side by what is around them, in rounds of two passes
// each, until a round removes none. One kernel:
//
//     thin_tiles   a block takes a tile of WORDS x ROWS words of bits (bits.cu) with what is around it into
//                  shared memory, makes up to ROUNDS rounds there, and writes the tile
//
// A pass looks one pixel far, so the margin is as wide as there are passes. A tile in which, and around
// which, the launch before changed nothing is left as it is: both planes of words hold it then.
//
// Rule: what a pass removes, a bit for each of the 256 patterns of the pixels around one; all 32 pixels
// of a word are decided at once. Bit k of a pattern is the pixel at E, NE, N, NW, W, SW, S, SE.
// A launch reads 2 1/4 times 1/8 byte a pixel and writes 1/8, less where nothing changes. Shared memory:
// 4.5 KiB.
//
// Source: scikit-image `morphology.skeletonize` (Zhang and Suen, 1984) and `thin` (Guo and Hall, 1989).
#include "common/types.cuh"

constexpr int ROUNDS = 8;
constexpr int WORDS = 4, ROWS = 64;  // of a tile; its margin is a word to the left and right
constexpr int MARGIN = 2 * ROUNDS, WIDE = WORDS + 2, TALL = ROWS + 2 * MARGIN;

struct Zhang {
    static constexpr u64 PASSES[2][4] = {
        {0xd1500000d050f0e8, 0x5100000001010002, 0x0000000080008088, 0x1101000b00000008},
        {0x510100004010c020, 0x0101000b00010002, 0x00000000000080aa, 0x030b008b0001808a}};
};
struct GuoHall {
    static constexpr u64 PASSES[2][4] = {
        {0x5150000050504000, 0x5151000051510000, 0x0000000000000000, 0x1313000313130002},
        {0x00000000f000e0a0, 0x000000aa0000a0aa, 0x00000000a000a0a8, 0x000000ab0000a0aa}};
};

// Bits of `high` where those of `which` are 1, of `low` elsewhere.
__device__ inline u32 chosen(u32 which, u32 high, u32 low) { return low ^ (which & (high ^ low)); }

// What a table of 2^N bits says of the patterns of N words, for all their bits at once.
template <int N, u64 TABLE> __device__ inline u32 looked_up(const u32* around) {
    constexpr u64 ALL = N == 6 ? ~0ull : (1ull << (1 << N)) - 1;
    if constexpr (TABLE == 0) {
        return 0;
    } else if constexpr (TABLE == ALL) {
        return ~0u;
    } else {
        constexpr int HALF = 1 << (N - 1);
        constexpr u64 LOW = TABLE & ((1ull << HALF) - 1), HIGH = TABLE >> HALF;
        const u32 low = looked_up<N - 1, LOW>(around);
        if constexpr (LOW == HIGH)
            return low;
        else
            return chosen(around[N - 1], looked_up<N - 1, HIGH>(around), low);
    }
}

// The pixels of a word that a pass removes. around: words of the eight pixels beside each.
template <class Rule, int PASS> __device__ inline u32 removed(const u32* around) {
    const u32 low = chosen(around[6], looked_up<6, Rule::PASSES[PASS][1]>(around),
                           looked_up<6, Rule::PASSES[PASS][0]>(around));
    const u32 high = chosen(around[6], looked_up<6, Rule::PASSES[PASS][3]>(around),
                            looked_up<6, Rule::PASSES[PASS][2]>(around));
    return chosen(around[7], high, low);
}

// One pass over a tile with its margin, beyond which there is no object. Returns whether this thread has
// removed a pixel of the tile itself. All threads; a barrier must follow.
template <class Rule, int PASS>
__device__ inline bool make_pass(const u32 (*from)[WIDE], u32 (*to)[WIDE]) {
    bool any = false;
    for (int i = threadIdx.x; i < TALL * WIDE; i += blockDim.x) {
        const int y = i / WIDE, x = i - y * WIDE;
        const u32 word = from[y][x];
        u32 gone = 0;
        if (word) {
            u32 rows[3][3];  // of the row above, this one and the one below: pixels at W, here, E
#pragma unroll
            for (int r = 0; r < 3; ++r) {
                const int other = y + r - 1;
                const bool inside = other >= 0 && other < TALL;
                const u32 here = inside ? from[other][x] : 0;
                const u32 before = inside && x > 0 ? from[other][x - 1] : 0;
                const u32 behind = inside && x < WIDE - 1 ? from[other][x + 1] : 0;
                rows[r][0] = here << 1 | before >> 31;
                rows[r][1] = here;
                rows[r][2] = here >> 1 | behind << 31;
            }
            const u32 around[8] = {rows[1][2], rows[0][2], rows[0][1], rows[0][0],
                                   rows[1][0], rows[2][0], rows[2][1], rows[2][2]};
            gone = word & removed<Rule, PASS>(around);
        }
        to[y][x] = word & ~gone;
        any |= gone && y >= MARGIN && y < MARGIN + ROWS && x > 0 && x <= WORDS;
    }
    return any;
}

// rows, across: of words. rounds: up to ROUNDS. before: of each tile, whether the launch before changed
// it; after: whether this one does. told becomes `launch` where one is changed.
template <class Rule>
__global__ void __launch_bounds__(192, 1)
    thin_tiles(const u32* from, i64 rows, i64 across, int rounds, const u8* before, int launch, u8* after, u32* to,
               u32* told) {
    __shared__ u32 first[TALL][WIDE], second[TALL][WIDE];
    const i64 tiles_down = (rows + ROWS - 1) / ROWS, tiles_across = (across + WORDS - 1) / WORDS;
    for (i64 tile = blockIdx.x; tile < tiles_down * tiles_across; tile += gridDim.x) {
        const i64 down = tile / tiles_across, right = tile - down * tiles_across;
        bool stirred = false;
        for (i64 y = down - 1; y <= down + 1; ++y)
            for (i64 x = right - 1; x <= right + 1; ++x)
                if (y >= 0 && y < tiles_down && x >= 0 && x < tiles_across) stirred |= before[y * tiles_across + x] != 0;
        if (!stirred) {
            if (threadIdx.x == 0) after[tile] = 0;
            continue;
        }
        const i64 y0 = down * ROWS - MARGIN, x0 = right * WORDS - 1;
        for (int i = threadIdx.x; i < TALL * WIDE; i += blockDim.x) {
            const i64 y = y0 + i / WIDE, x = x0 + i % WIDE;
            first[i / WIDE][i % WIDE] = y >= 0 && y < rows && x >= 0 && x < across ? from[y * across + x] : 0;
        }
        __syncthreads();
        bool any = false;
        for (int round = 0; round < rounds; ++round) {
            any |= make_pass<Rule, 0>(first, second);
            __syncthreads();
            any |= make_pass<Rule, 1>(second, first);
            __syncthreads();
        }
        any = __syncthreads_or(any);
        for (int i = threadIdx.x; i < ROWS * WORDS; i += blockDim.x) {
            const i64 y = down * ROWS + i / WORDS, x = right * WORDS + i % WORDS;
            if (y < rows && x < across) to[y * across + x] = first[MARGIN + i / WORDS][1 + i % WORDS];
        }
        if (threadIdx.x == 0) {
            after[tile] = any;
            if (any) *told = (u32)launch;
        }
        __syncthreads();  // before the next tile is read
    }
}
