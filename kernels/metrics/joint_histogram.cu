// Joint histogram of two images: counts[a * bins_second + b] is how many places have a value
// of bin a in the first image and of bin b in the second.
//
// first, second: n elements in the same memory order, of any types (common/any_type.cuh).
// edges: bins_first + 1 edges of the first image, then those of the second; no value lies
// outside. counts: zeros before the launch.
//
// One launch; each image is read once. The bins are those of numpy.histogramdd, which
// searches for a value among the edges (both compared in double) and adds the upper edge to
// the last bin: here a position by arithmetic is corrected by the edges around it. Images that floats
// hold have their positions in float, where these are so far from an edge that all arithmetic agrees.
#include "common/any_type.cuh"
#include "common/histogram.cuh"
#include "common/reduce.cuh"
#include "common/shared.cuh"

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
        const bool is_clear = (beyond > least || near == 0) && (beyond < most || near == bins - 1);
        return is_clear && near < bins ? near : bin((double)value);
    }
};

// Value: float, which holds all numbers of both types, or double.
template <class Value>
__global__ void joint_histogram(const void* first, int type_first, const void* second, int type_second,
                                i64 n, const double* edges, int bins_first, int bins_second,
                                double scale_first, double scale_second, bool in_shared, u64* counts) {
    constexpr int N = 4;
    DYN_SHARED(u32, bins_here);  // all bins, where `in_shared`
    const int bins = bins_first * bins_second;
    if (in_shared) clear_bins(bins_here, bins);
    const Edges of_first(edges, bins_first, scale_first), of_second(edges + bins_first + 1, bins_second, scale_second);
    const auto count = [&](Value a, Value b) {
        const int bin = of_first.bin(a) * bins_second + of_second.bin(b);
        if (in_shared)
            count_one(bins_here, bin);
        else
            atomicAdd(&counts[bin], (u64)1);
    };
    const Span span = block_span(n, N);
    const i64 packed = span.begin + (span.end - span.begin) / N * N;
    for (i64 i = span.begin + N * (i64)threadIdx.x; i < packed; i += N * (i64)blockDim.x) {
        const Pack<Value, N> a = load_any<Value, N>(first, type_first, i);
        const Pack<Value, N> b = load_any<Value, N>(second, type_second, i);
#pragma unroll
        for (int k = 0; k < N; ++k) count(a.item[k], b.item[k]);
    }
    for (i64 i = packed + threadIdx.x; i < span.end; i += blockDim.x)
        count(load_any<Value, 1>(first, type_first, i).item[0], load_any<Value, 1>(second, type_second, i).item[0]);
    if (in_shared) add_bins(bins_here, bins, counts);
}
