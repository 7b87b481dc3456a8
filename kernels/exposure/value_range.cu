// Minimum, maximum and first element of an image: result = {min, max, first}.
//
// image: n elements, n > 0, any alignment. NaN as in NumPy: where one element is NaN,
// minimum and maximum are. float16 comes out as float.
// partials: 2 values for each block; arrived: one 0.
//
// One launch; the image is read once. Method: numpy.ndarray.min and max.
#include "common/pack.cuh"
#include "common/range.cuh"

template <class T>
__global__ void value_range(const T* image, i64 n, typename RangeValue<T>::type* partials, u32* arrived,
                            typename RangeValue<T>::type* result) {
    using W = typename RangeValue<T>::type;
    constexpr int N = PackSize<T>::value;
    const bool aligned = is_aligned(image);
    const Span span = block_span(n, N);
    const i64 packed = span.begin + (span.end - span.begin) / N * N;

    const W first = (W)image[0];
    Lanes<W> lanes(first);
    for (i64 i = span.begin + N * (i64)threadIdx.x; i < packed; i += N * (i64)blockDim.x) {
        const Pack<T, N> pack = load_pack<N>(image + i, aligned);
#pragma unroll
        for (int k = 0; k < N; ++k) lanes.add(k % Lanes<W>::LANES, (W)pack.item[k]);
    }
    for (i64 i = packed + threadIdx.x; i < span.end; i += blockDim.x) lanes.add(0, (W)image[i]);

    __shared__ Range<W> scratch[256];
    grid_reduce(lanes.range(), scratch, (Range<W>*)partials, arrived, CombineRanges(),
                [=](const Range<W>& range) {
                    result[0] = range.low;
                    result[1] = range.high;
                    result[2] = first;
                });
}
