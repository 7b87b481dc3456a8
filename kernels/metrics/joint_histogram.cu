// Joint histogram of two images: counts[a * bins_second + b] is how many places have a value
// of bin a in the first image and of bin b in the second.
//
// first, second: n elements in the same memory order, of any types (common/any_type.cuh).
// edges: bins_first + 1 edges of the first image, then those of the second; no value lies
// outside. counts: zeros before the launch.
//
// One launch; each image is read once. The bins are those of numpy.histogramdd, which
// searches for a value among the edges (both compared in double) and adds the upper edge to
// the last bin: here a position by arithmetic is corrected by the edges around it.
#include "common/any_type.cuh"
#include "common/histogram.cuh"
#include "common/reduce.cuh"
#include "common/shared.cuh"

// scale: bins / (last edge - first edge), or 0
__device__ inline int searched_bin(double value, const double* edges, int bins, double scale) {
    const double position = (value - edges[0]) * scale;
    int bin = position < bins ? (int)position : bins - 1;
    while (bin > 0 && value < edges[bin]) --bin;
    while (bin < bins - 1 && value >= edges[bin + 1]) ++bin;
    return bin;
}

__global__ void joint_histogram(const void* first, int type_first, const void* second, int type_second,
                                i64 n, const double* edges, int bins_first, int bins_second,
                                double scale_first, double scale_second, bool in_shared, u64* counts) {
    constexpr int N = 4;
    DYN_SHARED(u32, bins_here);  // all bins, where `in_shared`
    const int bins = bins_first * bins_second;
    if (in_shared) clear_bins(bins_here, bins);
    const auto count = [&](double a, double b) {
        const int bin = searched_bin(a, edges, bins_first, scale_first) * bins_second +
                        searched_bin(b, edges + bins_first + 1, bins_second, scale_second);
        if (in_shared)
            count_one(bins_here, bin);
        else
            atomicAdd(&counts[bin], (u64)1);
    };
    const Span span = block_span(n, N);
    const i64 packed = span.begin + (span.end - span.begin) / N * N;
    for (i64 i = span.begin + N * (i64)threadIdx.x; i < packed; i += N * (i64)blockDim.x) {
        const Pack<double, N> a = load_any<double, N>(first, type_first, i);
        const Pack<double, N> b = load_any<double, N>(second, type_second, i);
#pragma unroll
        for (int k = 0; k < N; ++k) count(a.item[k], b.item[k]);
    }
    for (i64 i = packed + threadIdx.x; i < span.end; i += blockDim.x)
        count(load_any<double, 1>(first, type_first, i).item[0],
              load_any<double, 1>(second, type_second, i).item[0]);
    if (in_shared) add_bins(bins_here, bins, counts);
}
