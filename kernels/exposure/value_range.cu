// Minimum, maximum and first element of an image: result = {min, max, first}.
//
// image: n elements, n > 0, any alignment. NaN as in NumPy: where one element is NaN,
// minimum and maximum are. float16 comes out as float.
// partials: 2 values for each block; arrived: one 0.
//
// One launch; the image is read once. Method: numpy.ndarray.min and max.
#include "common/pack.cuh"
#include "common/reduce.cuh"

template <class T> struct RangeValue { using type = T; };
template <> struct RangeValue<float16> { using type = float; };

template <class W> struct Range {
    W low, high;
};

struct CombineRanges {
    template <class W> __device__ Range<W> operator()(const Range<W>& a, const Range<W>& b) const {
        return {b.low < a.low || b.low != b.low ? b.low : a.low,
                b.high > a.high || b.high != b.high ? b.high : a.high};
    }
};

// Range of one thread, in LANES independent ones; NaN is remembered apart, which leaves
// plain comparisons in the loop.
template <class W> struct Lanes {
    static constexpr int LANES = 4;
    W low[LANES], high[LANES];
    int nans[LANES];

    __device__ Lanes(W first) {
#pragma unroll
        for (int k = 0; k < LANES; ++k) {
            low[k] = high[k] = first;
            nans[k] = 0;
        }
    }

    __device__ void add(int k, W value) {
        low[k] = value < low[k] ? value : low[k];
        high[k] = value > high[k] ? value : high[k];
        nans[k] |= value != value;
    }

    __device__ Range<W> range() const {
        Range<W> range = {low[0], high[0]};
        int any = nans[0];
#pragma unroll
        for (int k = 1; k < LANES; ++k) {
            range = CombineRanges()(range, Range<W>{low[k], high[k]});
            any |= nans[k];
        }
        if (any) range.low = range.high = (W)__uint_as_float(0x7fc00000u);
        return range;
    }
};

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
