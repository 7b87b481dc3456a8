// Elements by their rank in an image: the least, the hundredth, the median.
//
// Floating values become unsigned keys in the same order. The host knows the first bits of
// the keys that it looks for, at most four different prefixes, and asks for
//
//   count_digits     how often the next `digits` bits have each value, for each prefix
//   gather           the elements with these prefixes, when they are few
//
// image: n elements, any alignment. Bits below the `shift`th are not looked at.
// counts: many << digits numbers, then one that counts NaN; all 0 before.
// found: room for the elements, in any order; *until is 0 before, then their number.
//
// One launch each; the image is read once. Method: radix selection (Alabi et al., Fast
// k-selection algorithms for graphics processing units, 2012).
#include "common/histogram.cuh"
#include "common/pack.cuh"
#include "common/reduce.cuh"
#include "common/shared.cuh"

constexpr int MOST_PREFIXES = 4;

// Keys without the sign's meaning: larger for larger values; NaN last or first.
__device__ inline u32 key_of(float16 value) { return value.bits ^ (value.bits >> 15 ? 0xffffu : 0x8000u); }
__device__ inline u32 key_of(float value) {
    const u32 bits = __float_as_uint(value);
    return bits ^ (bits >> 31 ? 0xffffffffu : 0x80000000u);
}
__device__ inline u64 key_of(double value) {
    const u64 bits = (u64)__double_as_longlong(value);
    return bits ^ (bits >> 63 ? ~0ull : 1ull << 63);
}
__device__ inline bool is_nan(float16 value) { return (value.bits & 0x7fffu) > 0x7c00u; }
__device__ inline bool is_nan(float value) { return value != value; }
__device__ inline bool is_nan(double value) { return value != value; }

// Calls use(value, p) for each element of the block's share whose key above `shift` and
// `digits` bits is prefix p.
template <class T, class Use>
__device__ inline void for_prefixes(const T* image, i64 n, const u64* prefixes, int many, int shift, int digits,
                                    Use use) {
    constexpr int N = PackSize<T>::value;
    u64 wanted[MOST_PREFIXES];
#pragma unroll
    for (int p = 0; p < MOST_PREFIXES; ++p) wanted[p] = p < many ? prefixes[p] : ~0ull;  // no prefix
    const auto visit = [&](T value) {
        const u64 first = (u64)key_of(value) >> shift >> digits;  // which may be 64 together
#pragma unroll
        for (int p = 0; p < MOST_PREFIXES; ++p)
            if (first == wanted[p]) use(value, p);
    };
    const bool aligned = is_aligned(image);
    const Span span = block_span(n, N);
    const i64 packed = span.begin + (span.end - span.begin) / N * N;
    for (i64 i = span.begin + N * (i64)threadIdx.x; i < packed; i += N * (i64)blockDim.x) {
        const Pack<T, N> pack = load_pack<N>(image + i, aligned);
#pragma unroll
        for (int k = 0; k < N; ++k) visit(pack.item[k]);
    }
    for (i64 i = packed + threadIdx.x; i < span.end; i += blockDim.x) visit(image[i]);
}

// The number of NaN is told where all elements are visited: at the first call, whose one
// prefix of no bits is 0.
template <class T>
__global__ void count_digits(const T* image, i64 n, const u64* prefixes, int many, int shift, int digits,
                             u64* counts) {
    DYN_SHARED(u32, bins_here);
    const int bins = (many << digits) + 1;
    clear_bins(bins_here, bins);
    const u32 mask = (1u << digits) - 1;
    for_prefixes(image, n, prefixes, many, shift, digits, [=](T value, int p) {
        count_one(bins_here, is_nan(value) ? (u32)bins - 1 : (u32)p << digits | ((u32)(key_of(value) >> shift) & mask));
    });
    add_bins(bins_here, bins, counts);
}

template <class T>
__global__ void gather(const T* image, i64 n, const u64* prefixes, int many, int shift, u64* until, T* found) {
    for_prefixes(image, n, prefixes, many, shift, 0, [=](T value, int) { found[atomicAdd(until, 1ull)] = value; });
}
