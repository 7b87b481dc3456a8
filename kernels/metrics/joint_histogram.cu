// Joint histogram of two images: counts[a * bins_second + b] is how many places have a value
// of bin a in the first image and of bin b in the second.
//
// first, second: n elements in the same memory order, of any types (common/any_type.cuh), any alignment.
// edges: bins_first + 1 edges of the first image, then those of the second; no value lies
// outside. counts: zeros before the launch.
//
//   joint_histogram         bins are found among the edges.
//   joint_histogram_bytes   of 8-bit images, seen as bytes, each of which has its place: places[a] + places[256 + b]
//                           is a pair's bin.
//
// Blocks are as large as blocks get, since each clears and adds up all bins.
//
// One launch; each image is read once. The bins are those of numpy.histogramdd, which
// searches for a value among the edges (both compared in double) and adds the upper edge to
// the last bin: here a position by arithmetic is corrected by the edges around it. Images that floats
// hold have their positions in float, where these are so far from an edge that all arithmetic agrees.
#include "common/any_type.cuh"
#include "common/histogram.cuh"
#include "common/reduce.cuh"
#include "common/shared.cuh"

constexpr int THREADS = 1024, N = 4;
constexpr int PLACES = 2 * 256;  // of the bytes of two images

// Edges of an image's bins, as good as evenly apart: to the last bits of float.
struct Edges {
    const double* at;
    int bins;
    double scale;  // bins / (last edge - first edge), or 0
    float first, by, least, most;

    __device__ Edges(const double* at, int bins, double scale) : at(at), bins(bins), scale(scale) {
        first = (float)at[0];
        by = (float)scale;
        // of a position: the first edge, a value, the edge beside it and their difference are each off by
        // 2^-24 of the largest edge, `by` and the product by 2^-24 of the position; that, and as much again
        const float largest = fmax(fabs(first), fabs((float)at[bins]));
        least = by > 1e-30f ? (largest * by * 4 + (float)bins * 2) * 1.1920929e-7f : 1;
        most = 1 - least;
    }
    __device__ int bin(double value) const {
        const double position = (value - at[0]) * scale;
        int bin = position < bins ? (int)position : bins - 1;
        while (bin > 0 && value < at[bin]) --bin;
        while (bin < bins - 1 && value >= at[bin + 1]) ++bin;
        return bin;
    }
    __device__ int bin(float value) const {
        const float position = (value - first) * by;
        const int near = (int)position;
        const float beyond = position - (float)near;
        const bool is_clear = ((beyond > least) | (near == 0)) & ((beyond < most) | (near == bins - 1));
        return is_clear & (near < bins) ? near : bin((double)value);
    }
};

// Counts the pairs of the block's share of n, in shared memory first where all bins are there.
//   called by: all threads of the block; contains barriers
//   pairs:     bins<M>(i) gives those of M pairs from i on, a multiple of M
template <class Pairs>
__device__ inline void count_share(const Pairs& pairs, i64 n, u32* bins_here, int bins, bool in_shared, u64* counts) {
    if (in_shared) clear_bins(bins_here, bins);
    const auto count = [&](int bin) {
        if (in_shared)
            count_one(bins_here, bin);
        else
            atomicAdd(&counts[bin], (u64)1);
    };
    const Span span = block_span(n, N);
    const i64 packed = span.begin + (span.end - span.begin) / N * N;
    for (i64 i = span.begin + N * (i64)threadIdx.x; i < packed; i += N * (i64)blockDim.x) {
        const Pack<int, N> found = pairs.template bins<N>(i);
#pragma unroll
        for (int k = 0; k < N; ++k) count(found.item[k]);
    }
    for (i64 i = packed + threadIdx.x; i < span.end; i += blockDim.x) count(pairs.template bins<1>(i).item[0]);
    if (in_shared) add_bins(bins_here, bins, counts);
}

template <class Value> struct Values {
    const void *first, *second;
    int type_first, type_second;
    Edges of_first, of_second;

    template <int M> __device__ Pack<int, M> bins(i64 i) const {
        const Pack<Value, M> a = load_any<Value, M>(first, type_first, i);
        const Pack<Value, M> b = load_any<Value, M>(second, type_second, i);
        Pack<int, M> found;
#pragma unroll
        for (int k = 0; k < M; ++k) found.item[k] = of_first.bin(a.item[k]) * of_second.bins + of_second.bin(b.item[k]);
        return found;
    }
};

struct Bytes {
    const u8 *first, *second;
    const int* places;  // in shared memory
    bool aligned;

    template <int M> __device__ Pack<int, M> bins(i64 i) const {
        const Pack<u8, M> a = load_pack<M>(first + i, aligned && M > 1), b = load_pack<M>(second + i, aligned && M > 1);
        Pack<int, M> found;
#pragma unroll
        for (int k = 0; k < M; ++k) found.item[k] = places[a.item[k]] + places[256 + b.item[k]];
        return found;
    }
};

// Value: float, which holds all numbers of both types, or double.
template <class Value>
__global__ void __launch_bounds__(THREADS, 1)
    joint_histogram(const void* first, int type_first, const void* second, int type_second, i64 n, const double* edges,
                    int bins_first, int bins_second, double scale_first, double scale_second, bool in_shared,
                    u64* counts) {
    DYN_SHARED(u32, bins_here);  // all bins, where `in_shared`
    const Values<Value> pairs = {first,
                                 second,
                                 type_first,
                                 type_second,
                                 Edges(edges, bins_first, scale_first),
                                 Edges(edges + bins_first + 1, bins_second, scale_second)};
    count_share(pairs, n, bins_here, bins_first * bins_second, in_shared, counts);
}

__global__ void __launch_bounds__(THREADS, 1)
    joint_histogram_bytes(const u8* first, const u8* second, i64 n, const int* places, int bins, bool in_shared,
                          u64* counts) {
    DYN_SHARED(int, places_here);  // then all bins, where `in_shared`
    for (int k = threadIdx.x; k < PLACES; k += blockDim.x) places_here[k] = places[k];
    __syncthreads();
    const Bytes pairs = {first, second, places_here, is_aligned(first) && is_aligned(second)};
    count_share(pairs, n, (u32*)places_here + PLACES, bins, in_shared, counts);
}
