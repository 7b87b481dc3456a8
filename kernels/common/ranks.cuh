// How many marked elements stand before each of an array, in a quarter of a byte an element: a
// bit for each, the count before each word of 32 in its chunk, and the count before each chunk.
//
//     rank_marked(n, words, bases, arrived, marked, total);  // one launch
//   next launch
//     i64 rank = rank_of(words, bases, i);
//
// Source: G. Jacobson, "Space-efficient static trees and graphs", FOCS 1989.
#pragma once
#include "common/reduce.cuh"
#include "common/scan.cuh"

constexpr int RANK_WORDS = 256, RANK_CHUNK = 32 * RANK_WORDS, RANK_THREADS = 256;

// Writes `words` and `bases`, and the number of marked elements.
//   called by: all threads of all blocks, RANK_THREADS or fewer in a block, once in a launch
//   words:     global memory, RANK_WORDS for each chunk of RANK_CHUNK elements
//   bases:     global memory, one for each chunk
//   arrived:   a counter in global memory, 0 before the launch
//   mark:      void(Index begin, int count, u32* bits): marks elements of a chunk in shared memory, a
//              block together, and synchronizes its threads
template <class Index, class Mark>
__device__ inline void rank_chunks(Index n, u64* words, Index* bases, u32* arrived, const Mark& mark, i64* total) {
    __shared__ u32 bits[RANK_WORDS], counts[RANK_WORDS], sums[RANK_THREADS];
    const Index chunks = (n - 1) / RANK_CHUNK + 1;
    for (Index chunk = blockIdx.x; chunk < chunks; chunk += gridDim.x) {
        const Index begin = chunk * RANK_CHUNK;
        mark(begin, n - begin < RANK_CHUNK ? (int)(n - begin) : RANK_CHUNK, bits);
        for (int w = threadIdx.x; w < RANK_WORDS; w += blockDim.x) counts[w] = __popc(bits[w]);
        __syncthreads();
        block_scan(counts, RANK_WORDS, sums);
        for (int w = threadIdx.x; w < RANK_WORDS; w += blockDim.x)
            words[chunk * RANK_WORDS + w] = (u64)(counts[w] - __popc(bits[w])) << 32 | bits[w];
        if (threadIdx.x == 0) bases[chunk] = counts[RANK_WORDS - 1];
        __syncthreads();
    }
    if (!last_block(arrived)) return;

    __shared__ Index scanned[RANK_WORDS], parts[RANK_THREADS];
    Index before = 0;
    for (Index begin = 0; begin < chunks; begin += RANK_WORDS) {
        const int count = chunks - begin < RANK_WORDS ? (int)(chunks - begin) : RANK_WORDS;
        for (int k = threadIdx.x; k < count; k += blockDim.x) scanned[k] = bases[begin + k];
        __syncthreads();
        block_scan(scanned, count, parts);
        for (int k = threadIdx.x; k < count; k += blockDim.x)
            bases[begin + k] = before + (k ? scanned[k - 1] : 0);
        before += scanned[count - 1];
        __syncthreads();
    }
    if (threadIdx.x == 0) *total = before;
}

// `rank_chunks` of elements that are looked at one by one.
//   marked:    bool(Index i)
template <class Index, class Marked>
__device__ inline void rank_marked(Index n, u64* words, Index* bases, u32* arrived, const Marked& marked,
                                   i64* total) {
    const auto mark = [&](Index begin, int count, u32* bits) {
        for (int w = threadIdx.x; w < RANK_WORDS; w += blockDim.x) bits[w] = 0;
        __syncthreads();
        for (int k = threadIdx.x; k < count; k += blockDim.x)
            if (marked(begin + k)) atomicOr(&bits[k / 32], 1u << k % 32);
        __syncthreads();
    };
    rank_chunks(n, words, bases, arrived, mark, total);
}

// `rank_chunks` of elements of which a thread looks at 32.
//   word:      u32(Index w): marks of elements from 32 w on
template <class Index, class Word>
__device__ inline void rank_words(Index n, u64* words, Index* bases, u32* arrived, const Word& word, i64* total) {
    const auto mark = [&](Index begin, int count, u32* bits) {
        for (int w = threadIdx.x; w < RANK_WORDS; w += blockDim.x) bits[w] = 32 * w < count ? word(begin / 32 + w) : 0;
        __syncthreads();
    };
    rank_chunks(n, words, bases, arrived, mark, total);
}

// Marked elements before element i. Any thread, in a later launch.
template <class Index> __device__ inline Index rank_of(const u64* words, const Index* bases, Index i) {
    const u64 word = words[i / 32];
    return bases[i / RANK_CHUNK] + (Index)(word >> 32) + __popc((u32)word & ((1u << i % 32) - 1u));
}
