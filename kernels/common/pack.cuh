// Packs: a few consecutive elements of an array in one thread's registers.
//
// A thread that reads 16 bytes at a time keeps the memory busy with few
// instructions; load_pack does so where the address allows it.
//
//     const bool aligned = is_aligned(image);
//     for (i64 i = begin + N * threadIdx.x; i + N <= end; i += N * blockDim.x) {
//         Pack<T, N> pack = load_pack<N>(image + i, aligned);
//         for (int k = 0; k < N; ++k) use(pack.item[k]);
//     }
#pragma once
#include "common/types.cuh"

template <class T, int N> struct Pack {
    T item[N];
};

// Elements in one pack: what 16 bytes hold, and at least four, so that a thread
// has independent work even for 8-byte elements.
template <class T> struct PackSize {
    static constexpr int value = sizeof(T) > 4 ? 4 : 16 / (int)sizeof(T);
};

// Whether packs at multiples of 16 bytes from `pointer` may be read 16 bytes at a time.
__device__ inline bool is_aligned(const void* pointer) { return ((u64)pointer & 15) == 0; }

// Reads N elements from `source`. N * sizeof(T) is a multiple of 16, or a power of two below. Any thread
// may call it; needs no shared memory and no barrier. `aligned` says that `source` is a multiple of
// 16 bytes, or of the pack's; where it is not, the elements are read one by one.
template <int N, class T> __device__ inline Pack<T, N> load_pack(const T* source, bool aligned) {
    constexpr int PER_ACCESS = N * (int)sizeof(T) < 16 ? N : 16 / (int)sizeof(T);
    struct alignas(PER_ACCESS * sizeof(T)) Access {
        T item[PER_ACCESS];
    };
    Pack<T, N> pack;
    if (aligned) {
#pragma unroll
        for (int a = 0; a < N / PER_ACCESS; ++a) {
            const Access access = reinterpret_cast<const Access*>(source)[a];
#pragma unroll
            for (int k = 0; k < PER_ACCESS; ++k) pack.item[a * PER_ACCESS + k] = access.item[k];
        }
    } else {
#pragma unroll
        for (int k = 0; k < N; ++k) pack.item[k] = source[k];
    }
    return pack;
}

// Writes N elements to `target`, which is a multiple of 16 bytes, or of the pack's, where `aligned` says so.
// N * sizeof(T) is a multiple of 16, or a power of two below. Any thread; no shared memory, no barrier.
template <int N, class T> __device__ inline void store_pack(T* target, const Pack<T, N>& pack, bool aligned) {
    constexpr int PER_ACCESS = N * (int)sizeof(T) < 16 ? N : 16 / (int)sizeof(T);
    struct alignas(PER_ACCESS * sizeof(T)) Access {
        T item[PER_ACCESS];
    };
    if (aligned) {
#pragma unroll
        for (int a = 0; a < N / PER_ACCESS; ++a) {
            Access access;
#pragma unroll
            for (int k = 0; k < PER_ACCESS; ++k) access.item[k] = pack.item[a * PER_ACCESS + k];
            reinterpret_cast<Access*>(target)[a] = access;
        }
    } else {
#pragma unroll
        for (int k = 0; k < N; ++k) target[k] = pack.item[k];
    }
}
