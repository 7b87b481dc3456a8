// Histograms of an image of n elements, n > 0, any alignment; counts are 0 before.
//
//   histogram_bytes     8-bit and bool images: 256 bins, bin = the value's byte
//   histogram_integers  wider integers: one bin for each value from `low` on
//   histogram_uniform   floating images: bins of equal width between given edges, as numpy.histogram
//   histogram_range     the same between two values that are on the device; none are counted
//                       where these are one, or too far apart
//   histogram_channels  integers: as histogram_integers, `bins` bins for each channel
//   histogram_edges     floating images: `bins` bins between given edges for each channel;
//                       values outside of them, and NaN, are not counted
//
// Channels: element i belongs to channel i / inner % channels.
// One launch each; the image is read once. A block counts in shared memory; with
// `in_shared` false the bins do not fit there, and all blocks count in global memory.
//
// Method: skimage/exposure/exposure.py (_bincount_histogram), numpy.histogram.
#include "common/channels.cuh"
#include "common/histogram.cuh"
#include "common/pack.cuh"
#include "common/reduce.cuh"
#include "common/shared.cuh"

// Bin of an element that is in none.
constexpr u32 NO_BIN = 0xffffffffu;

// Calls count(bin_of(value, channel)) for each element of the block's share.
template <class T, class Places, class Bin, class Count>
__device__ inline void for_share(const T* image, i64 n, const Places& places, Bin bin_of, Count count) {
    constexpr int N = PackSize<T>::value;
    const bool aligned = is_aligned(image);
    const Span span = block_span(n, N);
    const i64 packed = span.begin + (span.end - span.begin) / N * N;
    for (i64 i = span.begin + N * (i64)threadIdx.x; i < packed; i += N * (i64)blockDim.x) {
        const Pack<T, N> pack = load_pack<N>(image + i, aligned);
        auto place = places.at(i);
        u32 bins[N];
#pragma unroll
        for (int k = 0; k < N; ++k, place.next()) bins[k] = bin_of(pack.item[k], place.channel);
#pragma unroll
        for (int k = 0; k < N; ++k) count(bins[k]);
    }
    for (i64 i = packed + threadIdx.x; i < span.end; i += blockDim.x)
        count(bin_of(image[i], places.at(i).channel));
}

// Counts in shared memory where the bins of all channels fit there, else in global memory.
template <class T, class Places, class Bin>
__device__ inline void count_share(const T* image, i64 n, const Places& places, int bins, bool in_shared,
                                   u64* counts, Bin bin_of) {
    DYN_SHARED(u32, bins_here);
    const auto count_here = [=](u32 bin) {
        if (bin != NO_BIN) count_one(bins_here, bin);
    };
    const auto count_there = [=](u32 bin) {
        if (bin != NO_BIN) atomicAdd(&counts[bin], 1ull);
    };
    if (in_shared) {
        clear_bins(bins_here, bins);
        for_share(image, n, places, bin_of, count_here);
        add_bins(bins_here, bins, counts);
    } else {
        for_share(image, n, places, bin_of, count_there);
    }
}

template <class T> __global__ void histogram_bytes(const T* image, i64 n, u64* counts) {
    __shared__ u32 bins_here[256];
    clear_bins(bins_here, 256);
    const auto bin_of = [](T value, u32) { return (u32)(u8)value; };
    for_share(image, n, NoChannels(), bin_of, [](u32 bin) { count_one(bins_here, bin); });
    add_bins(bins_here, 256, counts);
}

template <class T>
__global__ void histogram_integers(const T* image, i64 n, i64 low, int bins, bool in_shared, u64* counts) {
    count_share(image, n, NoChannels(), bins, in_shared, counts,
                [=](T value, u32) { return (u32)((u64)value - (u64)low); });
}

template <class T>
__global__ void histogram_uniform(const T* image, i64 n, const typename NumpyArithmetic<T>::Value* edges, int bins,
                                  typename NumpyArithmetic<T>::Value width, bool in_shared, u64* counts) {
    using Value = typename NumpyArithmetic<T>::Value;
    const Value first = edges[0];
    count_share(image, n, NoChannels(), bins, in_shared, counts, [=](T value, u32) {
        return (u32)uniform_bin<T, Value>((Value)value, edges, bins, first, width);
    });
}

// range: the least and the largest value. Dynamic shared memory: the edges, then the bins.
template <class T>
__global__ void histogram_range(const T* image, i64 n, const typename NumpyArithmetic<T>::Value* range, int bins,
                                u64* counts) {
    using A = NumpyArithmetic<T>;
    using Value = typename A::Value;
    DYN_SHARED(Value, edges);
    u32* const bins_here = (u32*)(edges + bins + 1);
    const Value low = range[0], high = range[1], width = A::subtract(high, low);
    if (!(width > 0 && width - width == 0)) return;
    const Value step = A::divide(width, A::add((Value)bins, 0));  // numpy.linspace, in the image's type
    for (int i = threadIdx.x; i <= bins; i += blockDim.x)
        edges[i] = i == bins ? high : A::add(A::multiply(A::add((Value)i, 0), step), low);
    clear_bins(bins_here, bins);
    const auto bin_of = [=](T value, u32) { return (u32)uniform_bin<T, Value>((Value)value, edges, bins, low, width); };
    for_share(image, n, NoChannels(), bin_of, [=](u32 bin) { count_one(bins_here, bin); });
    add_bins(bins_here, bins, counts);
}

template <class T>
__global__ void histogram_channels(const T* image, i64 n, i64 inner, i64 channels, i64 low, int bins,
                                   bool in_shared, u64* counts) {
    const Channels places(n, inner, channels);
    count_share(image, n, places, bins * (int)channels, in_shared, counts, [=](T value, u32 channel) {
        return channel * (u32)bins + (u32)((u64)value - (u64)low);
    });
}

template <class T>
__global__ void histogram_edges(const T* image, i64 n, i64 inner, i64 channels,
                                const typename NumpyArithmetic<T>::Value* edges, int bins, bool in_shared,
                                u64* counts) {
    using Value = typename NumpyArithmetic<T>::Value;
    const Value first = edges[0], last = edges[bins], scale = (Value)bins / (last - first);
    const Channels places(n, inner, channels);
    count_share(image, n, places, bins * (int)channels, in_shared, counts, [=](T item, u32 channel) {
        const Value value = (Value)item;
        if (!(value >= first && value <= last)) return NO_BIN;
        const Value near = (value - first) * scale;  // infinite or NaN among the least of numbers
        int bin = near < bins ? (int)near : bins - 1;
        while (value < edges[bin]) --bin;
        while (bin + 1 < bins && value >= edges[bin + 1]) ++bin;
        return channel * (u32)bins + (u32)bin;
    });
}
