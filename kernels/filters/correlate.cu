// Correlation with any weights, in images of up to 8 axes: correlate_sparse, blurring of blur_effect, large kernels of
// gabor.
//
// What: a thread adds up one element of the result, or RUN of many, product by product in the order in which the
// weights are given, each rounded: equal to SciPy's and NumPy's to the last bit. Its elements are APART, so that
// neighbouring threads read neighbours; where RUN lie on one line and no weight reaches over an end, a
// weight and where it belongs are read once for all of them.
//
// image: of p.shape; result: n elements of p.result. For each weight `offsets` has the way in
// elements from an element to the one that it is multiplied with, `steps` the same for each of
// MOST_AXES axes, of which the image's are the last. W: the type of products and sums.
// Results are as SciPy stores them (stored.cuh).
// One launch; the image is read from cache but once, the result written once.
//
// Source: SciPy ni_filters.c, NI_Correlate; skimage/filters/_sparse.py.
#include "common/boundary.cuh"
#include "common/float_sums.cuh"
#include "common/rounded.cuh"
#include "common/split.cuh"
#include "filters/stored.cuh"

constexpr int MOST_AXES = 8, RUN = 4, APART = 32;

struct Correlation {
    i64 shape[MOST_AXES];
    i64 result[MOST_AXES];
    i64 low[MOST_AXES], high[MOST_AXES];  // how far weights reach along an axis
    double cval;
    int ndim, weights, mode;
    int run;  // elements of a thread, 1 or RUN
};

// The weights of sums of W: those of floats, which are rounded to float, are split.
template <class T, class U, class W> struct TapFor { typedef W type; };
template <> struct TapFor<float, float, double> { typedef Weight type; };

// The sum of `count` products of element(k) and weights[k].
template <class W, int UNROLLED, class Element, class Tap>
__device__ inline W sum_of(const Element& element, const Tap* weights, int count) {
    using A = NumpyArithmetic<W>;
    W sum = 0;
#pragma unroll UNROLLED
    for (int k = 0; k < count; ++k) sum = A::add(sum, A::multiply((W)element(k), (W)weights[k]));
    return sum;
}
// The same, rounded to float, without double; false where double has to decide.
template <int UNROLLED, class Element>
__device__ inline bool sum_in_floats(float& sum, const Element& element, const Weight* weights, int count) {
    float size = 0, low = 0;
#pragma unroll UNROLLED
    for (int k = 0; k < count; ++k) size = fma(fabs(element(k)), fabs(weights[k].high), size);
    const float start = start_of(enlarged(size, count));
    float high = start;
    u32 any = 0;
#pragma unroll UNROLLED
    for (int k = 0; k < count; ++k) {
        const float x = element(k);
        add_product(high, low, x, weights[k]);
        any |= __float_as_uint(x);
        if (k % FOLD == FOLD - 1) fold(high, low);
    }
    return rounded_sum(sum, size, start, high, low, any, error_of_folded(count));
}

// The sums of elements of which the first is at `centre`, far from the ends.
template <class W, class T, class Tap>
__device__ inline void sums_inside(W (&sums)[RUN], const T* centre, const i64* offsets, const Tap* weights, int count) {
    using A = NumpyArithmetic<W>;
#pragma unroll
    for (int r = 0; r < RUN; ++r) sums[r] = 0;
#pragma unroll 4
    for (int k = 0; k < count; ++k) {
        const T* const element = centre + offsets[k];
        const W weight = (W)weights[k];
#pragma unroll
        for (int r = 0; r < RUN; ++r) sums[r] = A::add(sums[r], A::multiply((W)element[r * APART], weight));
    }
}

template <class T, class U, class W>
__global__ void __launch_bounds__(256, RESIDENT)
    correlate(const T* image, const i64* offsets, const int* steps, const typename TapFor<T, U, W>::type* weights,
              const __grid_constant__ Correlation p, i64 n, U* result) {
    constexpr bool FLOATS = SPLIT<typename TapFor<T, U, W>::type>;
    i64 at[MOST_AXES], here;
    // where element i belongs, and whether all elements are the image's that it and those of `beyond` behind it take
    const auto place = [&](i64 i, int beyond) {
        i64 rest = i, stride = 1;
        bool inside = true;
        here = 0;
#pragma unroll
        for (int k = MOST_AXES - 1; k >= 0; --k) {
            at[k] = 0;
            if (k < MOST_AXES - p.ndim) continue;
            at[k] = split(rest, p.result[k], n >> 32 == 0);
            here += at[k] * stride;
            stride *= p.shape[k];
            inside &= at[k] >= p.low[k] && at[k] + beyond + p.high[k] < p.shape[k] && at[k] + beyond < p.result[k];
            beyond = 0;
        }
        return inside;
    };
    for (i64 thread = (i64)blockIdx.x * blockDim.x + threadIdx.x;; thread += (i64)gridDim.x * blockDim.x) {
        const i64 first = thread / APART * (p.run * APART) + thread % APART;
        if (first >= n) break;
        if constexpr (!FLOATS)
            if (p.run == RUN && first + (RUN - 1) * APART < n && place(first, (RUN - 1) * APART)) {
                W sums[RUN];
                sums_inside(sums, image + here, offsets, weights, p.weights);
#pragma unroll
                for (int r = 0; r < RUN; ++r) result[first + r * APART] = Stored<U, W>::of(sums[r]);
                continue;
            }
#pragma unroll 1
        for (int r = 0; r < p.run; ++r) {
            const i64 i = first + r * APART;
            if (i >= n) break;
            const bool inside = place(i, 0);
            float sum;
            if (inside) {
                const T* const centre = image + here;
                const auto element = [&](int k) { return centre[offsets[k]]; };
                if constexpr (FLOATS)
                    if (sum_in_floats<4>(sum, element, weights, p.weights)) {
                        result[i] = sum;
                        continue;
                    }
                result[i] = Stored<U, W>::of(sum_of<W, 4>(element, weights, p.weights));
            } else {
                const auto place_of = [&](int w) {
                    i64 place = 0;
#pragma unroll
                    for (int k = 0; k < MOST_AXES; ++k) {
                        if (k < MOST_AXES - p.ndim) continue;
                        const i64 j = boundary_index(at[k] + steps[w * MOST_AXES + k], p.shape[k], p.mode);
                        place = place < 0 || j < 0 ? -1 : place * p.shape[k] + j;
                    }
                    return place;
                };
                if constexpr (FLOATS) {
                    const float cval = (float)p.cval;
                    const auto element = [&](int k) {
                        const i64 place = place_of(k);
                        return place < 0 ? cval : image[place];
                    };
                    if (cval == p.cval && sum_in_floats<1>(sum, element, weights, p.weights)) {
                        result[i] = sum;
                        continue;
                    }
                }
                const auto element = [&](int k) {
                    const i64 place = place_of(k);
                    return place < 0 ? (W)p.cval : (W)image[place];
                };
                result[i] = Stored<U, W>::of(sum_of<W, 1>(element, weights, p.weights));
            }
        }
    }
}
