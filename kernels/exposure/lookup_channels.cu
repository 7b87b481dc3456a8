// Values by a table for each channel: element i belongs to channel i / inner % channels,
// and becomes table[channel * entries + image[i] - low]. Integers are seen as their bits.
//
// T: u8, u16, u32 or u64; image, result: n elements, any alignment.
// One launch; the image is read once, the result written once.
// Source: skimage/exposure/histogram_matching.py.
#include "common/channels.cuh"
#include "common/pack.cuh"
#include "common/reduce.cuh"

template <class T>
__global__ void lookup_channels(const T* image, i64 n, i64 inner, i64 channels, T low, const T* table,
                                i64 entries, T* result) {
    constexpr int N = PackSize<T>::value;
    const bool aligned = is_aligned(image) && is_aligned(result);
    const Channels places(n, inner, channels);
    const auto looked_up = [=](T value, u32 channel) { return table[channel * entries + (T)(value - low)]; };
    const Span span = block_span(n, N);
    const i64 packed = span.begin + (span.end - span.begin) / N * N;
    for (i64 i = span.begin + N * (i64)threadIdx.x; i < packed; i += N * (i64)blockDim.x) {
        const Pack<T, N> pack = load_pack<N>(image + i, aligned);
        auto place = places.at(i);
        Pack<T, N> found;
#pragma unroll
        for (int k = 0; k < N; ++k, place.next())
            found.item[k] = looked_up(pack.item[k], place.channel);
        store_pack(result + i, found, aligned);
    }
    for (i64 i = packed + threadIdx.x; i < span.end; i += blockDim.x) result[i] = looked_up(image[i], places.at(i).channel);
}
