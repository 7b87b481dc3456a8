// What the Gaussian kernels share: conversion in the load, and the strip of results that
// one thread accumulates in registers.
#pragma once
#include "common/rounded.cuh"
#include "common/tile.cuh"

// Computing type for an image of T and a result of O: float where both hold no more.
template <class T, class O> struct Accumulator { typedef double type; };
template <> struct Accumulator<float, float> { typedef float type; };
template <> struct Accumulator<float16, float> { typedef float type; };

// Conversion of one element. Integers are scaled, and clipped below: by 1 and -inf this is
// preserve_range, by 1 / max and -1 it is skimage.util.img_as_float.
template <class T, class W> struct Scaled {
    W scale, lowest;
    __device__ Scaled(double scale, double lowest) : scale((W)scale), lowest((W)lowest) {}
    __device__ W operator()(T value) const {
        if constexpr (sizeof(W) == 8 && sizeof(T) <= 4 && !Limits<T>::is_signed) return scaled_bits(value, scale);
        const W scaled = rounded_product((W)value, scale);
        return Limits<T>::is_signed && scaled < lowest ? lowest : scaled;
    }
};
template <class W> struct Scaled<bool, W> {
    __device__ Scaled(double, double) {}
    __device__ W operator()(bool value) const { return value ? (W)1 : (W)0; }
};
template <class W> struct Scaled<float16, W> {
    __device__ Scaled(double, double) {}
    __device__ W operator()(float16 value) const { return (W)(float)value; }
};
template <class W> struct Scaled<float, W> {
    __device__ Scaled(double, double) {}
    __device__ W operator()(float value) const { return (W)value; }
};
template <class W> struct Scaled<double, W> {
    __device__ Scaled(double, double) {}
    __device__ W operator()(double value) const { return (W)value; }
};

constexpr int PAIR_RADIUS = 16;

// The weights of both axes, by value: no copy to the device.
template <class W, int MOST = PAIR_RADIUS> struct PairTaps {
    typedef W Tap;
    W along_a[2 * MOST + 1];
    W along_b[2 * MOST + 1];
    int radius_a, radius_b;
};

constexpr int ROW_RADIUS = 120;

// Weights along the rows alone, in place of PairTaps; the one along the first axis is 1.
template <class W> struct RowTaps {
    typedef W Tap;
    W along_a[1];
    W along_b[2 * ROW_RADIUS + 1];
    int radius_a, radius_b;
};

constexpr int USUAL_RADIUS = 4;  // of a sigma of 1, whose loops are unrolled

// The sums of RUN rows and LANES columns of one tile, in one thread's registers. The
// sources are in shared memory; all of the block's threads may work on strips at once.
template <int RUN, class W> struct Strip {
    typedef W Value;
    W sum[RUN][LANES];

    __device__ Strip() {
#pragma unroll
        for (int k = 0; k < RUN; ++k)
            for (int l = 0; l < LANES; ++l) sum[k][l] = W();
    }

    // Adds the sum over t of taps[t] * src[t * step], for each row and lane: along the rows
    // with a step of 1, down the columns with a step of `pitch`.
    template <class Taps>
    __device__ void filter(const W* src, int pitch, int step, Taps taps, int count) {
#pragma unroll 4
        for (int t = 0; t < count; ++t) {
            const W tap = (W)taps[t];
#pragma unroll
            for (int k = 0; k < RUN; ++k) {
                const W* const line = src + (k * pitch + t * step);
#pragma omp simd
                for (int l = 0; l < LANES; ++l) sum[k][l] += tap * line[l];
            }
        }
    }

    // The whole filter of a symmetric set of taps, 2 * radius + 1 of them: the centre, then
    // pairs of neighbours from far to near, which is SciPy's order. Source: a pointer, or
    // what can be moved and indexed like one. RADIUS: 0 where it is known at run time alone.
    template <int RADIUS = 0, class Source, class Taps>
    __device__ void filter_pairs(Source src, int pitch, int step, Taps taps, int given = RADIUS) {
        const int radius = RADIUS ? RADIUS : given;
#pragma unroll
        for (int k = 0; k < RUN; ++k) {
            const Source centre = src + (k * pitch + radius * step);
#pragma omp simd
            for (int l = 0; l < LANES; ++l)
                sum[k][l] = rounded_product((W)taps[radius], (W)centre[l]);
        }
#pragma unroll(RADIUS ? RADIUS : 4)
        for (int t = 0; t < radius; ++t) {
            const W tap = (W)taps[t];
#pragma unroll
            for (int k = 0; k < RUN; ++k) {
                const Source before = src + (k * pitch + t * step);
                const Source after = src + (k * pitch + (2 * radius - t) * step);
#pragma omp simd
                for (int l = 0; l < LANES; ++l)
                    sum[k][l] = plus_product(sum[k][l], tap, (W)before[l] + (W)after[l]);
            }
        }
    }

    // The same down the columns, of a radius that is known: each element is read once.
    template <int RADIUS, class Source, class Taps>
    __device__ void filter_down(Source src, int pitch, Taps taps) {
        W line[RUN + 2 * RADIUS][LANES];
#pragma unroll
        for (int k = 0; k < RUN + 2 * RADIUS; ++k)
            for (int l = 0; l < LANES; ++l) line[k][l] = (W)src[k * pitch + l];
        filter_line<RADIUS>(line, taps);
    }

    // The same of elements in registers.
    template <int RADIUS, class Taps>
    __device__ void filter_line(const W (&line)[RUN + 2 * RADIUS][LANES], Taps taps) {
#pragma unroll
        for (int k = 0; k < RUN; ++k) {
#pragma omp simd
            for (int l = 0; l < LANES; ++l) sum[k][l] = rounded_product((W)taps[RADIUS], line[k + RADIUS][l]);
#pragma unroll
            for (int t = 0; t < RADIUS; ++t) {
#pragma omp simd
                for (int l = 0; l < LANES; ++l)
                    sum[k][l] = plus_product(sum[k][l], (W)taps[t], line[k + t][l] + line[k + 2 * RADIUS - t][l]);
            }
        }
    }

    // The whole filter of an antisymmetric set of taps: taps[t] for t < radius, from far to
    // near, times the difference of two neighbours. Equal neighbours leave exactly nothing.
    template <class S, class Taps>
    __device__ void filter_differences(const S* src, int pitch, Taps taps, int radius) {
#pragma unroll 4
        for (int t = 0; t < radius; ++t) {
            const W tap = (W)taps[t];
#pragma unroll
            for (int k = 0; k < RUN; ++k) {
                const S* const before = src + (k * pitch + t);
                const S* const after = src + (k * pitch + 2 * radius - t);
#pragma omp simd
                for (int l = 0; l < LANES; ++l)
                    sum[k][l] = plus_product(sum[k][l], tap, (W)after[l] - (W)before[l]);
            }
        }
    }

    // All sums from shared memory.
    __device__ void get(const W* src, int pitch) {
#pragma unroll
        for (int k = 0; k < RUN; ++k)
            for (int l = 0; l < LANES; ++l) sum[k][l] = src[k * pitch + l];
    }

    // All sums into shared memory, rounded to its type.
    template <class S> __device__ void put(S* dst, int pitch) const {
#pragma unroll
        for (int k = 0; k < RUN; ++k)
            for (int l = 0; l < LANES; ++l) dst[k * pitch + l] = (S)sum[k][l];
    }

    // The sums of the first `rows` rows and `columns` columns into the result.
    template <class O>
    __device__ void store(O* dst, i64 row_stride, i64 stride, int rows, int columns) const {
#pragma unroll
        for (int k = 0; k < RUN; ++k)
            if (k < rows) {
                if (LANES > 1 && columns >= LANES && stride == 1) {
                    for (int l = 0; l < LANES; ++l) dst[k * row_stride + l] = (O)sum[k][l];
                } else {
                    for (int l = 0; l < LANES; ++l)
                        if (l < columns) dst[k * row_stride + l * stride] = (O)sum[k][l];
                }
            }
    }

    // take(k, l, sum) for each of the sums in the first `rows` rows and `columns` columns.
    template <class Take> __device__ void each(int rows, int columns, Take take) const {
#pragma unroll
        for (int k = 0; k < RUN; ++k)
            for (int l = 0; l < LANES; ++l)
                if (k < rows && l < columns) take(k, l, sum[k][l]);
    }
};
