// Steps of Li's threshold for floating images of n elements, n > 0, all finite.
//
//   split_sums   result = {sum above, number above, sum of the rest, number of the rest}
//                of the values image - low, split at `level`
//   least_gap    result = smallest difference, but 0, of neighbours of a sorted image,
//                after `low` was taken off them; largest finite value if there is none
//
// image: any alignment; differences are rounded in its type, sums are double.
// partials: 4 doubles (least_gap: one value) for each block; arrived: one 0.
// One launch each; the image is read once.
//
// Method: skimage/filters/thresholding.py (threshold_li).
#include "common/pack.cuh"
#include "common/reduce.cuh"

constexpr int MAX_THREADS = 256;

struct Split {
    double above, above_count, below, below_count;
};

struct AddSplits {
    __device__ Split operator()(const Split& a, const Split& b) const {
        return {a.above + b.above, a.above_count + b.above_count, a.below + b.below,
                a.below_count + b.below_count};
    }
};

// Sums of one thread, in LANES independent ones: additions need not wait for each other.
template <class T> struct SplitSums {
    static constexpr int LANES = 4;
    T low, level;
    double above[LANES] = {}, below[LANES] = {};
    i64 above_count[LANES] = {}, count = 0;

    __device__ SplitSums(T low, T level) : low(low), level(level) {}

    __device__ void add(int k, T item) {
        const T value = item - low;
        const bool is_above = value > level;
        above[k] += is_above ? (double)value : 0.0;
        below[k] += is_above ? 0.0 : (double)value;
        above_count[k] += is_above;
    }

    __device__ Split total() const {
        Split total = {};
        for (int k = 0; k < LANES; ++k)
            total = AddSplits()(total, {above[k], (double)above_count[k], below[k], 0.0});
        total.below_count = (double)count - total.above_count;
        return total;
    }
};

template <class T>
__global__ void split_sums(const T* image, i64 n, T low, T level, double* partials, u32* arrived,
                           double* result) {
    constexpr int N = PackSize<T>::value;
    const bool aligned = is_aligned(image);
    const Span span = block_span(n, N);
    const i64 packed = span.begin + (span.end - span.begin) / N * N;
    SplitSums<T> sums(low, level);
    for (i64 i = span.begin + N * (i64)threadIdx.x; i < packed; i += N * (i64)blockDim.x) {
        const Pack<T, N> pack = load_pack<N>(image + i, aligned);
#pragma unroll
        for (int k = 0; k < N; ++k) sums.add(k % SplitSums<T>::LANES, pack.item[k]);
        sums.count += N;
    }
    for (i64 i = packed + threadIdx.x; i < span.end; i += blockDim.x, ++sums.count) sums.add(0, image[i]);

    __shared__ Split scratch[MAX_THREADS];
    grid_reduce(sums.total(), scratch, (Split*)partials, arrived, AddSplits(), [=](const Split& total) {
        result[0] = total.above;
        result[1] = total.above_count;
        result[2] = total.below;
        result[3] = total.below_count;
    });
}

struct Smaller {
    template <class T> __device__ T operator()(T a, T b) const { return b < a ? b : a; }
};

// largest: the largest finite value of T
template <class T>
__global__ void least_gap(const T* sorted, i64 n, T low, T largest, T* partials, u32* arrived, T* result) {
    const Span span = block_span(n - 1, 1);
    T least = largest;
    for (i64 i = span.begin + threadIdx.x; i < span.end; i += blockDim.x) {
        const T gap = (sorted[i + 1] - low) - (sorted[i] - low);
        least = gap > (T)0 && gap < least ? gap : least;
    }
    __shared__ T scratch[MAX_THREADS];
    grid_reduce(least, scratch, partials, arrived, Smaller(), [=](T found) { *result = found; });
}
