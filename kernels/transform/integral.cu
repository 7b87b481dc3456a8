// Integral images: each element becomes the sum of those above and left of it, itself included.
//
// integral_planes does the last two axes of a C-contiguous array, planes of (rows, columns), in
// one launch that reads each element once and writes each result once. A block does a tile of
// 64 x 64 elements, a thread 16 of a line at a time:
//
//     1. sums down the columns of the tile, into shared memory
//     2. running sums of those along each row: sums of rectangles of the tile
//     3. plus the sums of the rectangles left of the tile, from its neighbours' `rights`
//     4. plus the last row of the result above the tile, from its neighbours' `bottoms`
//
// A tile leaves what it adds to those behind it as soon as it knows its own, and adds up what those
// before it have left; each 16th of a line leaves the sum of all up to itself. So a tile waits for one of
// 16, one after the other, and not for all of the line.
//
// There is a block for each tile; they take them in the order of a counter, row by row: a block waits only
// for tiles that other blocks have begun before, so that none waits forever. sums_along_rows adds a further axis.
//
// Image: bool, (u)int8..64, float16/32/64. Sums: 64-bit integers, which wrap as NumPy's do, or
// double. The order of additions depends on the shape alone.
//
// Source: scikit-image `transform.integral_image` (F. C. Crow, "Summed-area tables for texture
// mapping", SIGGRAPH 1984); S. Funasaka et al., "Single kernel soft synchronization technique
// for task arrays on CUDA-enabled GPUs", 2017 (one launch); D. Merrill and M. Garland,
// "Single-pass parallel prefix scan with decoupled look-back", 2016 (look-back, here of a fixed order).
#include "common/scan.cuh"

constexpr int SIDE = 64;
constexpr int PITCH = SIDE + 1;  // rows and columns at different banks
constexpr int PARTS = 4;         // of a row or column, a thread each
constexpr int PART = SIDE / PARTS;
constexpr int THREADS = PARTS * SIDE;
constexpr int LINE = 16;  // tiles of which the last one leaves the sum of all before it, too

// Waits until `count` flags are set. What was written to global memory before is visible to the whole
// block afterwards. Called by all threads of the block; contains a barrier.
__device__ inline void wait_for(const u32* flags, int count, i64 stride) {
    for (int i = threadIdx.x; i < count; i += blockDim.x)
        while (*(const volatile u32*)(flags + i * stride) == 0) {
        }
    __threadfence();
    __syncthreads();
}

// Sets `flag`, behind all that the block has written before. Called by all threads of the block;
// contains a barrier.
__device__ inline void announce(u32* flag) {
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) *(volatile u32*)flag = 1;
}

// A tile among those of a line: `place` is its number there, `stride` how far apart they are among all.
template <class S> struct Line {
    S* left;  // by each tile, (tiles, SIDE)
    u32* flags;
    i64 tile, stride;
    int place;
    bool is_last;

    // Adds up in `before` what the tiles before have left, and leaves `own`, SIDE sums each. Called by all
    // threads of the block, after a barrier; `before` can be read behind the barrier that is in here.
    template <class Own> __device__ void look_back(S* before, const Own& own) const {
        const bool of_all = place % LINE == LINE - 1;
        if (!of_all) leave(own);
        const int count = place < LINE ? place : place % LINE + 1;
        const i64 first = tile - count * stride;
        wait_for(flags + first, count, stride);
        for (int i = threadIdx.x; i < SIDE; i += blockDim.x) {
            S sum = 0;
            for (int k = 0; k < count; ++k) sum += *(const volatile S*)(left + (first + k * stride) * SIDE + i);
            before[i] = sum;
        }
        __syncthreads();
        if (of_all) leave([&](int i) { return before[i] + own(i); });
    }

  private:
    template <class Share> __device__ void leave(const Share& share) const {
        if (is_last) return;
        for (int i = threadIdx.x; i < SIDE; i += blockDim.x) left[tile * SIDE + i] = share(i);
        announce(flags + tile);
    }
};

// rights, bottoms: what the tiles leave along rows and columns, (tiles, SIDE) each
// state: zeros; the counter of tiles, then a flag for each tile's `rights`, and for each tile's `bottoms`
template <class T, class S>
__global__ void __launch_bounds__(THREADS, 4)
    integral_planes(const T* image, S* result, i64 rows, i64 columns, S* rights, S* bottoms, u32* state) {
    __shared__ S sums[SIDE * PITCH];
    __shared__ S parts[PARTS * SIDE];  // of columns, then of rows: what is before each of them
    __shared__ S left[SIDE], above[SIDE];
    __shared__ u32 ticket;
    const i64 across = (columns + SIDE - 1) / SIDE, down = (rows + SIDE - 1) / SIDE;
    if (threadIdx.x == 0) ticket = atomicAdd(state, 1u);
    __syncthreads();
    const i64 tile = ticket;
    const i64 tile_x = tile % across, tile_y = tile / across % down;
    const i64 y0 = tile_y * SIDE, x0 = tile_x * SIDE;
    const int height = rows - y0 < SIDE ? (int)(rows - y0) : SIDE;
    const int width = columns - x0 < SIDE ? (int)(columns - x0) : SIDE;
    const i64 first = (tile / (across * down) * rows + y0) * columns + x0;
    const auto sum_before_parts = [&](int i) {
        S sum = 0;
        for (int part = 0; part < PARTS; ++part) {
            const S own = parts[part * SIDE + i];
            parts[part * SIDE + i] = sum;
            sum += own;
        }
    };

    // 1; elements beyond the image are zeros
    for (int i = threadIdx.x; i < THREADS; i += blockDim.x) {
        const int x = i % SIDE, top = i / SIDE * PART;
        const T* const column = image + first + top * columns + x;
        const int count = x < width ? height - top : 0;
        running_sums(sums + top * PITCH + x, PART, PITCH,
                     [=](int y) { return y < count ? (S)column[y * columns] : (S)0; });
        parts[i] = sums[(top + PART - 1) * PITCH + x];
    }
    __syncthreads();
    for (int x = threadIdx.x; x < SIDE; x += blockDim.x) sum_before_parts(x);
    __syncthreads();
    // 2
    for (int i = threadIdx.x; i < THREADS; i += blockDim.x) {
        const int y = i % SIDE, start = i / SIDE * PART;
        S* const row = sums + y * PITCH + start;
        const S* const before = parts + y / PART * SIDE + start;
        running_sums(row, PART, 1, [=](int x) { return row[x] + before[x]; });
    }
    __syncthreads();
    for (int i = threadIdx.x; i < THREADS; i += blockDim.x)
        parts[i] = sums[i % SIDE * PITCH + i / SIDE * PART + PART - 1];
    __syncthreads();
    for (int y = threadIdx.x; y < SIDE; y += blockDim.x) sum_before_parts(y);
    __syncthreads();
    const auto own = [&](int x, int y) { return parts[x / PART * SIDE + y] + sums[y * PITCH + x]; };
    // 3
    const Line<S> of_row = {rights, state + 1, tile, 1, (int)tile_x, tile_x + 1 == across};
    of_row.look_back(left, [&](int y) { return own(SIDE - 1, y); });
    for (int i = threadIdx.x; i < THREADS; i += blockDim.x) parts[i] += left[i % SIDE];
    __syncthreads();
    // 4
    const Line<S> of_column = {bottoms, state + 1 + gridDim.x, tile, across, (int)tile_y, tile_y + 1 == down};
    of_column.look_back(above, [&](int x) { return own(x, SIDE - 1); });
    for (int i = threadIdx.x; i < THREADS; i += blockDim.x) {
        const int x = i % SIDE, top = i / SIDE * PART;
        if (x >= width) continue;
        const S before = above[x];
        S* const column = result + first + x;
#pragma unroll 8
        for (int y = top; y < height && y < top + PART; ++y) column[y * columns] = before + own(x, y);
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
