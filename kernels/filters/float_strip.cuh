// Symmetric and antisymmetric filters of floats, as SciPy has them: added up in double, rounded to float. Computed in
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
template <class T> struct TapsOf {
    typedef PairTaps<typename WeightOf<typename Working<T>::type>::type> type;
};

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

    // The same of a radius that is known.
    template <int RADIUS> __device__ void filter(const Source& source, const Weight* weights) {
        if (!in_float<RADIUS>(source, weights, RADIUS)) in_double(source, weights, RADIUS);
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

// The same of RUN lines, an element of each, pair by pair of neighbours; and antisymmetric filters. Pairs are
// added or subtracted exactly, so that sums are certain where neighbours differ by little, too. The lines are in
// shared memory; all of the block's threads may work on lines at once.
template <int RUN> struct FloatPairs {
    float sum[RUN];

    // Weights from far to near, the centre's last. SLOPE: of the differences after - before alone.
    template <bool SLOPE> __device__ void filter(const float* src, int pitch, const Weight* weights, int radius) {
        float size[RUN], start[RUN], high[RUN], low[RUN];
        u32 any[RUN];
#pragma unroll
        for (int k = 0; k < RUN; ++k) size[k] = SLOPE ? 0 : fabs(src[k * pitch + radius]) * weights[radius].high;
#pragma unroll 4
        for (int t = 0; t < radius; ++t) {
            const float weight = weights[t].high;
#pragma unroll
            for (int k = 0; k < RUN; ++k) {
                const float after = src[k * pitch + 2 * radius - t], before = other<SLOPE>(src[k * pitch + t]);
                size[k] = fma(fabs(after + before), weight, size[k]);
            }
        }
#pragma unroll
        for (int k = 0; k < RUN; ++k) {
            high[k] = start[k] = start_of(enlarged(size[k], radius + 1));
            low[k] = 0;
            any[k] = 0;
            if (SLOPE) continue;
            const float centre = src[k * pitch + radius];
            add_product(high[k], low[k], centre, weights[radius]);
            any[k] = __float_as_uint(centre);
        }
#pragma unroll 4
        for (int t = 0; t < radius; ++t) {
            const Weight weight = weights[t];
#pragma unroll
            for (int k = 0; k < RUN; ++k) {
                const float after = src[k * pitch + 2 * radius - t], before = other<SLOPE>(src[k * pitch + t]);
                add_pair(high[k], low[k], after, before, weight);
                any[k] |= __float_as_uint(after + before);
            }
        }
        const float error = error_of_pairs(radius + 1);
#pragma unroll
        for (int k = 0; k < RUN; ++k)
            if (!rounded_sum(sum[k], size[k], start[k], high[k], low[k], any[k], error))
                sum[k] = (float)in_double<SLOPE>(src + k * pitch, weights, radius);
    }

    __device__ void put(float* dst, int pitch) const {
#pragma unroll
        for (int k = 0; k < RUN; ++k) dst[k * pitch] = sum[k];
    }

  private:
    template <bool SLOPE> __device__ static float other(float before) { return SLOPE ? -before : before; }

    template <bool SLOPE> __device__ static double in_double(const float* src, const Weight* weights, int radius) {
        Strip<1, double> strip;
        if (SLOPE)
            strip.filter_differences(src, 0, weights, radius);
        else
            strip.filter_pairs(src, 0, 1, weights, radius);
        return strip.sum[0][0];
    }
};
