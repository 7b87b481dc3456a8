// Least and largest number of an image, in double, as interpolated values are clipped to them.
//
// image: n elements, n > 0, any alignment and dtype; converted first. NaN is passed over; where
// nothing else is there, both are NaN. partials: 2 values for each block; arrived: one 0.
//
// One launch; the image is read once. Method: numpy.nanmin and nanmax.
#include "common/pack.cuh"
#include "common/range.cuh"
#include "filters/gaussian_taps.cuh"

template <class T>
__global__ void number_range(const T* image, i64 n, double scale, double lowest, double* partials,
                             u32* arrived, double* range) {
    typedef typename Working<T>::type W;
    constexpr int N = PackSize<T>::value;
    const Scaled<T, W> convert(scale, lowest);
    const bool aligned = is_aligned(image);
    const Span span = block_span(n, N);
    const i64 packed = span.begin + (span.end - span.begin) / N * N;

    const W infinity = (W)__uint_as_float(0x7f800000u);
    Range<W> mine = {infinity, -infinity};
    const auto add = [&](T element) {
        const W value = convert(element);
        mine.low = value < mine.low ? value : mine.low;
        mine.high = value > mine.high ? value : mine.high;
    };
    for (i64 i = span.begin + N * (i64)threadIdx.x; i < packed; i += N * (i64)blockDim.x) {
        const Pack<T, N> pack = load_pack<N>(image + i, aligned);
#pragma unroll
        for (int k = 0; k < N; ++k) add(pack.item[k]);
    }
    for (i64 i = packed + threadIdx.x; i < span.end; i += blockDim.x) add(image[i]);

    __shared__ Range<double> scratch[256];
    const Range<double> all = {(double)mine.low, (double)mine.high};
    grid_reduce(all, scratch, (Range<double>*)partials, arrived, CombineRanges(),
                [=](const Range<double>& found) {
                    const bool none = found.low > found.high;
                    range[0] = none ? (double)__uint_as_float(0x7fc00000u) : found.low;
                    range[1] = none ? range[0] : found.high;
                });
}
