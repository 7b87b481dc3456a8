// Mean squared error of two images and, where asked for, a statistic of the first one,
// for normalized_root_mse and peak_signal_noise_ratio.
//
// image_true, image_test: n elements in the same memory order, any alignment.
// result: {mean of (true - test)^2, statistic}, the statistic being
//         NONE      nothing: result has one element
//         SQUARES   mean of true^2
//         MEAN      mean of true
//         RANGE     min and max of true: result has three elements
// partials: 3 doubles for each block; arrived: one 0.
//
// One launch; each image is read once. Differences and squares are taken in the type
// that scikit-image takes (float where both images are float16 or float32, else
// double) and summed in double; 8- and 16-bit integers and booleans are summed
// exactly in 64-bit integers. The order of summation depends on n and the grid only.
//
// Method: skimage/metrics/simple_metrics.py.
#include "common/any_type.cuh"
#include "common/pack.cuh"
#include "common/reduce.cuh"

// VALUE: differences are taken in it. SUM: sums of one thread. PACK_SUM: sums of one
// pack, which it holds without overflow.
template <class T> struct Arithmetic { using Value = double; using Sum = double; using PackSum = double; };
template <> struct Arithmetic<float> { using Value = float; using Sum = double; using PackSum = double; };
template <> struct Arithmetic<float16> { using Value = float; using Sum = double; using PackSum = double; };
template <> struct Arithmetic<bool> { using Value = int; using Sum = i64; using PackSum = int; };
template <> struct Arithmetic<u8> { using Value = int; using Sum = i64; using PackSum = int; };
template <> struct Arithmetic<signed char> { using Value = int; using Sum = i64; using PackSum = int; };
template <> struct Arithmetic<u16> { using Value = int; using Sum = i64; using PackSum = i64; };
template <> struct Arithmetic<short> { using Value = int; using Sum = i64; using PackSum = i64; };

enum Statistic { NONE, SQUARES, MEAN, RANGE };

// sum + x^2
__device__ inline int plus_square(int sum, int x) { return sum + x * x; }
__device__ inline i64 plus_square(i64 sum, int x) { return sum + (i64)x * x; }
__device__ inline double plus_square(double sum, float x) { return sum + __fmul_rn(x, x); }
__device__ inline double plus_square(double sum, double x) { return fma(x, x, sum); }

// Sums of a block or of the grid. `first` and `second`: sum of the statistic and nothing,
// or minimum and maximum, both NaN where an element was.
struct Totals {
    double error, first, second;
};

template <Statistic STATISTIC> struct CombineTotals {
    __device__ Totals operator()(const Totals& a, const Totals& b) const {
        if (STATISTIC != RANGE) return {a.error + b.error, a.first + b.first, 0.0};
        return {a.error + b.error, b.first < a.first || b.first != b.first ? b.first : a.first,
                b.second > a.second || b.second != b.second ? b.second : a.second};
    }
};

// Sums of one thread, in LANES independent ones: additions need not wait for each other.
template <class T, Statistic STATISTIC> struct Sums {
    using A = Arithmetic<T>;
    using Value = typename A::Value;
    static constexpr int LANES = 4;
    typename A::Sum error[LANES], sum[LANES];
    Value low[LANES], high[LANES];
    int nan[LANES];

    // `first` is any element of the image: minimum and maximum start from it.
    __device__ Sums(Value first) {
#pragma unroll
        for (int k = 0; k < LANES; ++k) {
            error[k] = sum[k] = 0;
            low[k] = high[k] = first;
            nan[k] = 0;
        }
    }

    // Adds N elements, N a multiple of LANES or 1.
    template <int N> __device__ void add(const Pack<Value, N>& truth, const Pack<Value, N>& test) {
        using PackSum = typename A::PackSum;
        constexpr int USED = N < LANES ? N : LANES;
        PackSum e[USED] = {}, s[USED] = {};
#pragma unroll
        for (int k = 0; k < N; ++k) {
            const Value value = truth.item[k];
            const int lane = k % USED;
            e[lane] = plus_square(e[lane], value - test.item[k]);
            if (STATISTIC == SQUARES) s[lane] = plus_square(s[lane], value);
            if (STATISTIC == MEAN) s[lane] += (PackSum)value;
            if (STATISTIC == RANGE) {
                low[lane] = value < low[lane] ? value : low[lane];
                high[lane] = value > high[lane] ? value : high[lane];
                nan[lane] |= value != value;  // comparisons pass over it
            }
        }
#pragma unroll
        for (int k = 0; k < USED; ++k) {
            error[k] += e[k];
            sum[k] += s[k];
        }
    }

    __device__ Totals totals() const {
        Totals total = lane_totals(0);
#pragma unroll
        for (int k = 1; k < LANES; ++k) total = CombineTotals<STATISTIC>()(total, lane_totals(k));
        return total;
    }

    __device__ Totals lane_totals(int k) const {
        if (STATISTIC != RANGE) return {(double)error[k], (double)sum[k], 0.0};
        const double none = (double)__uint_as_float(0x7fc00000u);
        return {(double)error[k], nan[k] ? none : (double)low[k], nan[k] ? none : (double)high[k]};
    }
};

constexpr int MAX_THREADS = 256;

template <Statistic STATISTIC>
__device__ inline void write_result(const Totals& mine, i64 n, Totals* partials, u32* arrived, double* result) {
    __shared__ Totals scratch[MAX_THREADS];
    grid_reduce(mine, scratch, partials, arrived, CombineTotals<STATISTIC>(), [=](const Totals& total) {
        result[0] = total.error / (double)n;
        if (STATISTIC == SQUARES || STATISTIC == MEAN) result[1] = total.first / (double)n;
        if (STATISTIC == RANGE) {
            result[1] = total.first;
            result[2] = total.second;
        }
    });
}

// Both images of one type.
template <class T, Statistic STATISTIC>
__global__ void errors(const T* image_true, const T* image_test, i64 n, double* partials, u32* arrived,
                       double* result) {
    using Value = typename Arithmetic<T>::Value;
    constexpr int N = PackSize<T>::value;
    const bool aligned = is_aligned(image_true) && is_aligned(image_test);
    const Span span = block_span(n, N);
    const i64 packed = span.begin + (span.end - span.begin) / N * N;

    Sums<T, STATISTIC> sums((Value)image_true[0]);
    for (i64 i = span.begin + N * (i64)threadIdx.x; i < packed; i += N * (i64)blockDim.x)
        sums.add(converted<Value>(load_pack<N>(image_true + i, aligned)),
                 converted<Value>(load_pack<N>(image_test + i, aligned)));
    for (i64 i = packed + threadIdx.x; i < span.end; i += blockDim.x)
        sums.add(Pack<Value, 1>{{(Value)image_true[i]}}, Pack<Value, 1>{{(Value)image_test[i]}});

    write_result<STATISTIC>(sums.totals(), n, (Totals*)partials, arrived, result);
}

// Images of two types. VALUE: float for a float16 and a float32 image, else double.
template <class VALUE, Statistic STATISTIC>
__global__ void errors_mixed(const void* image_true, int type_true, const void* image_test, int type_test,
                             i64 n, double* partials, u32* arrived, double* result) {
    constexpr int N = 4;
    const Span span = block_span(n, N);
    const i64 packed = span.begin + (span.end - span.begin) / N * N;

    Sums<VALUE, STATISTIC> sums(load_any<VALUE, 1>(image_true, type_true, 0).item[0]);
    for (i64 i = span.begin + N * (i64)threadIdx.x; i < packed; i += N * (i64)blockDim.x)
        sums.add(load_any<VALUE, N>(image_true, type_true, i), load_any<VALUE, N>(image_test, type_test, i));
    for (i64 i = packed + threadIdx.x; i < span.end; i += blockDim.x)
        sums.add(load_any<VALUE, 1>(image_true, type_true, i), load_any<VALUE, 1>(image_test, type_test, i));

    write_result<STATISTIC>(sums.totals(), n, (Totals*)partials, arrived, result);
}
