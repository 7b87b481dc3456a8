// Elements by their rank in an image: the least, the hundredth, the median.
//
// Floating values become unsigned keys in the same order. The first bits of the keys that are looked for are known,
// at most four different prefixes:
//
//   count_digits     counts how often the next `digits` bits have each value, for each prefix, and
//                    appends to these the digits at the ranks that are looked for
//   gather           the elements with these prefixes, when they are few
//
// image: n elements, any alignment. Bits below the `shift`th are not looked at.
// sought: what is known; none but the ranks before the first launch, with one prefix, of no bits.
// counts: for each prefix 1 << digits numbers, then one that counts NaN; all 0 before.
// found: room for the elements, in any order; *until is 0 before, then their number. More than there is room for
//        are none.
//
// One launch each; the image is read once. Method: radix selection (Alabi et al., Fast
// k-selection algorithms for graphics processing units, 2012).
#include "common/histogram.cuh"
#include "common/pack.cuh"
#include "common/reduce.cuh"
#include "common/scan.cuh"
#include "common/shared.cuh"

constexpr int THREADS = 256, MOST_PREFIXES = 4;

struct Sought {
    u64 prefixes[MOST_PREFIXES];
    u64 ranks[MOST_PREFIXES];  // of each, among the elements with its prefix
    i64 own[MOST_PREFIXES];    // of each, which prefix
    i64 asked, many;           // ranks, prefixes
    u64 nans, candidates;      // NaN, and elements with one of the prefixes
};

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
__device__ inline void for_prefixes(const T* image, i64 n, const Sought* sought, int shift, int digits, Use use) {
    constexpr int N = PackSize<T>::value;
    u64 wanted[MOST_PREFIXES];
#pragma unroll
    for (int p = 0; p < MOST_PREFIXES; ++p) wanted[p] = p < sought->many ? sought->prefixes[p] : ~0ull;  // no prefix
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

// Appends to the prefixes the digits that the elements at the ranks have, by how often each is there.
//   called by: all threads of one block; contains barriers
__device__ inline void append_digits(Sought* sought, const u64* counts, int digits) {
    __shared__ u64 sums[THREADS], scratch[THREADS];
    __shared__ u64 keys[MOST_PREFIXES], alike[MOST_PREFIXES];
    const int thread = threadIdx.x, values = 1 << digits, share = (values + blockDim.x - 1) / blockDim.x;
    const int begin = thread * share < values ? thread * share : values;
    const int end = begin + share < values ? begin + share : values;
    for (int r = 0; r < sought->asked; ++r) {
        const u64 prefix = sought->prefixes[sought->own[r]] << digits, rank = sought->ranks[r];
        const u64* const row = counts + (sought->own[r] << digits);
        u64 sum = 0;
        for (int v = begin; v < end; ++v) sum += row[v];
        sums[thread] = sum;
        if (thread == 0) keys[r] = prefix;  // there may be no such element, but NaN
        __syncthreads();
        block_scan(sums, blockDim.x, scratch);
        u64 before = sums[thread] - sum;
        if (rank >= before && rank < sums[thread]) {
            int v = begin;
            for (; rank >= before + row[v]; ++v) before += row[v];
            keys[r] = prefix | (u64)v;
            alike[r] = row[v];
            sought->ranks[r] = rank - before;
        }
        __syncthreads();
    }
    if (thread) return;
    sought->nans += counts[sought->many << digits];
    i64 many = 0;
    u64 candidates = 0;
    for (int r = 0; r < sought->asked; ++r) {
        i64 place = 0;
        while (place < many && sought->prefixes[place] != keys[r]) ++place;
        if (place == many) {
            sought->prefixes[many++] = keys[r];
            candidates += alike[r];
        }
        sought->own[r] = place;
    }
    sought->many = many;
    sought->candidates = candidates;
}

// The number of NaN is told where all elements are visited: at the first call, whose one
// prefix of no bits is 0.
template <class T>
__global__ void __launch_bounds__(THREADS, RESIDENT)
    count_digits(const T* image, i64 n, Sought* sought, int shift, int digits, u64* counts, u32* arrived) {
    DYN_SHARED(u32, bins_here);
    const int bins = ((int)sought->many << digits) + 1;
    clear_bins(bins_here, bins);
    const u32 mask = (1u << digits) - 1;
    for_prefixes(image, n, sought, shift, digits, [=](T value, int p) {
        count_one(bins_here, is_nan(value) ? (u32)bins - 1 : (u32)p << digits | ((u32)(key_of(value) >> shift) & mask));
    });
    add_bins(bins_here, bins, counts);
    __threadfence();
    __syncthreads();
    if (last_block(arrived)) append_digits(sought, counts, digits);
}

template <class T>
__global__ void gather(const T* image, i64 n, const Sought* sought, int shift, i64 room, u64* until, T* found) {
    if (sought->candidates > (u64)room) return;
    for_prefixes(image, n, sought, shift, 0, [=](T value, int) { found[atomicAdd(until, 1ull)] = value; });
}
