// Symmetric filters of floats, as SciPy has them: added up in double, rounded to float. Computed in
// float where that is certain to give the same (common/float_sums.cuh).
#pragma once
#include "common/float_sums.cuh"
#include "filters/gaussian_taps.cuh"

// Where a filter's elements come from: COUNT arrays at once. get(t, l, x): those of tap t and lane
// l. One array:
struct OneSource {
    static constexpr int COUNT = 1;
    const float* elements;  // the first tap's
    int step;               // from tap to tap

    __device__ void get(int t, int l, float (&x)[1]) const { x[0] = elements[t * step + l]; }
};

// The weights of both axes of filters of images of T, or of sums of W of elements of S.
template <class S, class W = double> struct WeightOf { typedef W type; };
template <> struct WeightOf<float> { typedef Weight type; };
template <class T> struct TapsOf {
    typedef PairTaps<typename WeightOf<typename Working<T>::type>::type> type;
};

// Whether filters with such weights are done in float.
template <class Tap> constexpr bool SPLIT = false;
template <> constexpr bool SPLIT<Weight> = IN_FLOATS;

// The type of a filter's sums: W, or rounded to S.
template <class W, class S, class Tap, bool ROUNDED = SPLIT<Tap>> struct SumOf { typedef W type; };
template <class W, class S, class Tap> struct SumOf<W, S, Tap, true> { typedef S type; };

// The sums of COUNT arrays' elements in LANES columns, in one thread's registers. The sources are
// in shared memory; all of the block's threads may work on strips at once.
template <class Source> struct FloatStrip {
    static constexpr int COUNT = Source::COUNT;
    float sum[COUNT][LANES];

    // The sum over t of weights[t] * x[t], rounded as if it were added up in double: the centre,
    // then pairs of neighbours from far to near, which is SciPy's order.
    __device__ void filter(const Source& source, const Weight* weights, int radius) {
        const bool sure = radius == USUAL_RADIUS ? in_float<USUAL_RADIUS>(source, weights, radius) : in_float<0>(source, weights, radius);
        if (!sure) in_double(source, weights, radius);
    }

  private:
    // Whether it is certain. RADIUS: 0 where it is known at run time alone.
    template <int RADIUS> __device__ bool in_float(const Source& source, const Weight* weights, int radius) {
        constexpr int TIMES = RADIUS ? 2 * RADIUS + 1 : 4;
        const int count = RADIUS ? TIMES : 2 * radius + 1;
        float size[COUNT][LANES] = {}, start[COUNT][LANES], high[COUNT][LANES], low[COUNT][LANES];
#pragma unroll TIMES
        for (int t = 0; t < count; ++t) {
            const float weight = weights[t].high;
#pragma omp simd
            for (int l = 0; l < LANES; ++l) {
                float x[COUNT];
                source.get(t, l, x);
#pragma unroll
                for (int k = 0; k < COUNT; ++k) size[k][l] = fma(fabs(x[k]), weight, size[k][l]);
            }
        }
        u32 any[COUNT][LANES];
#pragma unroll
        for (int k = 0; k < COUNT; ++k)
            for (int l = 0; l < LANES; ++l) {
                high[k][l] = start[k][l] = start_of(size[k][l]);
                low[k][l] = 0;
                any[k][l] = 0;
            }
#pragma unroll TIMES
        for (int t = 0; t < count; ++t) {
            const Weight weight = weights[t];
#pragma omp simd
            for (int l = 0; l < LANES; ++l) {
                float x[COUNT];
                source.get(t, l, x);
#pragma unroll
                for (int k = 0; k < COUNT; ++k) {
                    add_product(high[k][l], low[k][l], x[k], weight);
                    any[k][l] |= __float_as_uint(x[k]);
                }
            }
        }
        const float error = error_of(count);
        bool sure = true;
#pragma unroll
        for (int k = 0; k < COUNT; ++k)
            for (int l = 0; l < LANES; ++l)
                sure &= rounded_sum(sum[k][l], size[k][l], start[k][l], high[k][l], low[k][l], any[k][l], error);
        return sure;
    }

    __device__ void in_double(const Source& source, const Weight* weights, int radius) {
#pragma unroll
        for (int k = 0; k < COUNT; ++k) {
            double sums[LANES];
#pragma omp simd
            for (int l = 0; l < LANES; ++l) sums[l] = plus_product(0.0, (double)weights[radius], of(source, radius, l, k));
#pragma unroll 1
            for (int t = 0; t < radius; ++t) {
                const double weight = (double)weights[t];
#pragma omp simd
                for (int l = 0; l < LANES; ++l) {
                    const double both = of(source, t, l, k) + of(source, 2 * radius - t, l, k);
                    sums[l] = plus_product(sums[l], weight, both);
                }
            }
            for (int l = 0; l < LANES; ++l) sum[k][l] = (float)sums[l];
        }
    }

    __device__ static double of(const Source& source, int t, int l, int k) {
        float x[COUNT];
        source.get(t, l, x);
        return x[k];
    }
};
