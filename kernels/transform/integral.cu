// Integral images: each element becomes the sum of those above and left of it, itself included.
//
// integral_planes does the last two axes of a C-contiguous array, seen as (outer, rows,
// columns), in one launch that reads each element once and writes each result once. A block
// does a tile of 64 x 64 elements:
//
//     1. sums down the columns of the tile, into shared memory
//     2. running sums of those along each row: sums of rectangles of the tile
//     3. plus the sums of the rectangles left of the tile, which the tile to the left has left
//        in `carries`; what they are with this tile, for the tile to the right
//     4. plus the last row of the result above the tile
//
// Tiles are taken in the order of a counter, row by row: a block waits only for tiles that
// other blocks have begun before, so that none waits forever. sums_along_rows adds a further axis.
//
// Image: bool, (u)int8..64, float16/32/64. Sums: 64-bit integers, which wrap as NumPy's do, or
// double. The order of additions depends on the shape alone.
//
// Source: scikit-image `transform.integral_image` (F. C. Crow, "Summed-area tables for texture
// mapping", SIGGRAPH 1984); S. Funasaka et al., "Single kernel soft synchronization technique
// for task arrays on CUDA-enabled GPUs", 2017 (one launch).
#include "common/scan.cuh"

constexpr int SIDE = 64;
constexpr int PITCH = SIDE + 1;  // rows and columns at different banks

// Waits until `flag` is set. What was written to global memory before is visible to the whole
// block afterwards. Called by all threads of the block; contains a barrier.
__device__ inline void wait_for(const u32* flag) {
    if (threadIdx.x == 0) {
        while (*(const volatile u32*)flag == 0) {
        }
        __threadfence();
    }
    __syncthreads();
}

// Sets `flag`, behind all that the block has written before. Called by all threads of the block;
// contains a barrier.
__device__ inline void announce(u32* flag) {
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) *(volatile u32*)flag = 1;
}

// carries: rows of sums for each tile, (tiles, SIDE)
// state: zeros; the counter of tiles, then two flags for each tile: carry, last row
template <class T, class S>
__global__ void __launch_bounds__(SIDE)
    integral_planes(const T* image, S* result, i64 outer, i64 rows, i64 columns, S* carries, u32* state) {
    __shared__ S sums[SIDE * PITCH];
    __shared__ S left[SIDE];
    __shared__ u32 ticket;
    const i64 across = (columns + SIDE - 1) / SIDE, down = (rows + SIDE - 1) / SIDE;
    const i64 tiles = outer * down * across;
    for (;;) {
        if (threadIdx.x == 0) ticket = atomicAdd(state, 1u);
        __syncthreads();  // also before the sums are written again
        const i64 tile = ticket;
        if (tile >= tiles) return;
        const i64 tile_x = tile % across, tile_y = tile / across % down;
        const i64 y0 = tile_y * SIDE, x0 = tile_x * SIDE;
        const int height = rows - y0 < SIDE ? (int)(rows - y0) : SIDE;
        const int width = columns - x0 < SIDE ? (int)(columns - x0) : SIDE;
        const i64 first = (tile / (across * down) * rows + y0) * columns + x0;
        u32* const flags = state + 1 + 2 * tile;

        // 1
        for (int x = threadIdx.x; x < width; x += blockDim.x) {
            const T* const column = image + first + x;
            running_sums(sums + x, height, PITCH, [=](int y) { return (S)column[y * columns]; });
        }
        __syncthreads();
        // 2
        for (int y = threadIdx.x; y < height; y += blockDim.x) {
            S* const row = sums + y * PITCH;
            running_sums(row, width, 1, [=](int x) { return row[x]; });
        }
        // 3
        if (tile_x > 0) wait_for(flags - 2);
        for (int y = threadIdx.x; y < height; y += blockDim.x) {
            const S before = tile_x > 0 ? *(const volatile S*)(carries + (tile - 1) * SIDE + y) : (S)0;
            left[y] = before;
            carries[tile * SIDE + y] = before + sums[y * PITCH + width - 1];
        }
        if (tile_x + 1 < across) announce(flags);
        // 4
        if (tile_y > 0)
            wait_for(flags - 2 * across + 1);
        else
            __syncthreads();
        const auto finish = [&](int x, int y, S above) {
            result[first + y * columns + x] = above + (left[y] + sums[y * PITCH + x]);
        };
        const auto above_of = [&](int x) {
            return tile_y > 0 ? *(const volatile S*)(result + first - columns + x) : (S)0;
        };
        if (tile_y + 1 < down) {  // the tile below waits for the last row
            for (int x = threadIdx.x; x < width; x += blockDim.x) finish(x, height - 1, above_of(x));
            announce(flags + 1);
        }
        for (int x = threadIdx.x; x < width; x += blockDim.x) {
            const S above = above_of(x);
#pragma unroll 8
            for (int y = 0; y < height; ++y) finish(x, y, above);
        }
    }
}

// Running sums along the rows of (outer, rows, columns). `result` may be `sums`.
template <class S>
__global__ void sums_along_rows(const S* sums, S* result, i64 outer, i64 rows, i64 columns) {
    const i64 step = (i64)gridDim.x * blockDim.x;
    for (i64 line = (i64)blockIdx.x * blockDim.x + threadIdx.x; line < outer * columns; line += step) {
        const i64 first = line / columns * (rows * columns) + line % columns;
        running_sums(result + first, rows, columns, [=](i64 y) { return sums[first + y * columns]; });
    }
}
