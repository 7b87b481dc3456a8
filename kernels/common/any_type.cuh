// Elements of an image whose type is known only when the kernel runs: for kernels of two
// images, which would need one specialization for each pair of types.
//
//     Pack<double, 4> values = load_any<double, 4>(image, type, i);
#pragma once
#include "common/pack.cuh"

// The pack's elements as `Value`s. Any thread.
template <class Value, class T, int N> __device__ inline Pack<Value, N> converted(const Pack<T, N>& pack) {
    Pack<Value, N> result;
#pragma unroll
    for (int k = 0; k < N; ++k) result.item[k] = (Value)pack.item[k];
    return result;
}

template <class Value, class T, int N> __device__ inline Pack<Value, N> load_as(const void* image, i64 i) {
    return converted<Value>(load_pack<N>((const T*)image + i, N > 1 && is_aligned(image)));
}

// N elements from i on, a multiple of N, which is 1 or makes packs (common/pack.cuh), of an image whose
// type is known when the kernel runs. `type` counts as `device/dtypes.py` names the types. One branch for
// N elements.
template <class Value, int N>
__device__ inline Pack<Value, N> load_any(const void* image, int type, i64 i) {
    switch (type) {
        case 0: return load_as<Value, bool, N>(image, i);
        case 1: return load_as<Value, signed char, N>(image, i);
        case 2: return load_as<Value, short, N>(image, i);
        case 3: return load_as<Value, int, N>(image, i);
        case 4: return load_as<Value, i64, N>(image, i);
        case 5: return load_as<Value, u8, N>(image, i);
        case 6: return load_as<Value, u16, N>(image, i);
        case 7: return load_as<Value, u32, N>(image, i);
        case 8: return load_as<Value, u64, N>(image, i);
        case 9: return load_as<Value, float16, N>(image, i);
        case 10: return load_as<Value, float, N>(image, i);
        default: return load_as<Value, double, N>(image, i);
    }
}
