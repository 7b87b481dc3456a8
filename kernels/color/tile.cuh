// Tiles: results of neighbouring pixels put together in shared memory, so that a block
// writes them as neighbouring words although each thread computes a whole pixel.
//
//     alignas(16) __shared__ W tile[TILE * 3];
//     for (int j = threadIdx.x; j < count; j += blockDim.x) { tile[3 * j] = ...; }
//     __syncthreads();
//     write_tile(tile, out + 3 * begin, 3 * count);
//     __syncthreads();
#pragma once

// Copies `count` elements from shared memory to `target`, 16 bytes at a time; both are
// aligned to 16 bytes. Called by all threads of a block, after a barrier; a barrier must
// follow before the tile is written again.
template <class W> __device__ inline void write_tile(const W* tile, W* target, int count) {
    constexpr int N = 16 / (int)sizeof(W);
    struct alignas(16) Pack {
        W item[N];
    };
    const int whole = count / N;
    for (int i = threadIdx.x; i < whole; i += blockDim.x)
        reinterpret_cast<Pack*>(target)[i] = reinterpret_cast<const Pack*>(tile)[i];
    for (int i = whole * N + threadIdx.x; i < count; i += blockDim.x) target[i] = tile[i];
}

// p / n for non-negative numbers; a 32-bit division, which is much cheaper, where they fit.
__device__ inline long long quotient(long long p, long long n) {
    const bool fits = ((p | n) >> 32) == 0;
    return fits ? (long long)((unsigned int)p / (unsigned int)n) : p / n;
}
