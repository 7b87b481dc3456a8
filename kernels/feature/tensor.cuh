// The structure tensor of a 2-D image, all of its three elements at once: what
// structure_tensor.cu and corner_response.cu are made of.
//
// A tile goes through shared memory:
//
//     1. Sobel's slopes along both axes, with a halo, into `down` and `across`
//     2. the products of slopes, filtered down the columns by a Gaussian, into `mid`
//     3. these filtered along the rows, to whoever takes the three sums
//
// Products are not stored: 2 makes them where it needs them. As SciPy does it: sums in double,
// rounded to the image's floating type after each axis; of floats they are the same
// without double (float_strip.cuh). Responses to corners are small beside the tensor's elements, and would not be scikit-image's otherwise.
#pragma once
#include "common/shared.cuh"
#include "feature/slopes.cuh"
#include "filters/float_strip.cuh"

// Height and width of a tile's results.
struct TileSize {
    int height, width;
};

// Products of two arrays, one element each, as a source of Strip::filter_pairs.
template <class W> struct Products {
    const W *a, *b;
    __device__ Products operator+(int offset) const { return {a + offset, b + offset}; }
    __device__ W operator[](int i) const { return rounded_product(a[i], b[i]); }
};

// Sources of FloatStrip.
struct ThreeProducts {
    static constexpr int COUNT = 3;
    const float *a, *b;
    int step;
    __device__ void get(int t, int l, float (&x)[3]) const {
        const float first = a[t * step + l], second = b[t * step + l];
        x[0] = __fmul_rn(first, first);
        x[1] = __fmul_rn(first, second);
        x[2] = __fmul_rn(second, second);
    }
};
struct ThreeArrays {
    static constexpr int COUNT = 3;
    const float* elements;
    int apart;  // from array to array
    __device__ void get(int t, int l, float (&x)[3]) const {
#pragma unroll
        for (int k = 0; k < 3; ++k) x[k] = elements[k * apart + t + l];
    }
};

// The three sums of LANES neighbours, rounded to W, in one thread's registers. RADIUS: 0 where it is known at run
// time alone.
template <class W, int RADIUS> struct TensorSums {
    W sum[3][LANES];

    // Of products of `a` and `b`, which begin at the first tap, down the columns.
    template <class Tap> __device__ void of_products(const W* a, const W* b, int pitch, const Tap* taps, int radius) {
        if constexpr (SPLIT<Tap>) {
            filter(ThreeProducts{a, b, pitch}, taps, radius);
        } else {
            const W* const first[3] = {a, a, b};
            const W* const second[3] = {a, b, b};
#pragma unroll
            for (int k = 0; k < 3; ++k) filter(k, Products<W>{first[k], second[k]}, pitch, taps, radius);
        }
    }
    // Of three arrays, `apart` from each other, along the rows.
    template <class Tap> __device__ void of_arrays(const W* elements, int apart, const Tap* taps, int radius) {
        if constexpr (SPLIT<Tap>) {
            filter(ThreeArrays{elements, apart}, taps, radius);
        } else {
#pragma unroll
            for (int k = 0; k < 3; ++k) filter(k, elements + k * apart, 1, taps, radius);
        }
    }

  private:
    template <class Source, class Tap>
    __device__ void filter(int k, Source source, int step, const Tap* taps, int radius) {
        Strip<1, double> strip;
        strip.template filter_pairs<RADIUS>(source, 0, step, taps, radius);
        for (int l = 0; l < LANES; ++l) sum[k][l] = (W)strip.sum[0][l];
    }
    template <class Source> __device__ void filter(const Source& source, const Weight* taps, int radius) {
        FloatStrip<Source> strip;
        strip.filter(source, taps, radius);
#pragma unroll
        for (int k = 0; k < 3; ++k)
            for (int l = 0; l < LANES; ++l) sum[k][l] = strip.sum[k][l];
    }
};

// Down the columns, of the usual radius: the three sums of up to RUN rows, into arrays that are `apart`
// from each other. Each product is made once for all rows.
constexpr int RUN = 4;
template <class W, class Tap>
__device__ inline void filter_products(W* dst, int apart, int rows, const W* a, const W* b, int pitch, const Tap* taps) {
    const W* const first[3] = {a, a, b};
    const W* const second[3] = {a, b, b};
#pragma unroll
    for (int k = 0; k < 3; ++k) {
        Strip<RUN, double> strip;
        strip.template filter_down<USUAL_RADIUS>(Products<W>{first[k], second[k]}, pitch, taps);
#pragma unroll
        for (int i = 0; i < RUN; ++i)
            for (int l = 0; l < LANES; ++l)
                if (i < rows) dst[k * apart + i * pitch + l] = (W)strip.sum[i][l];
    }
}

// Elements of shared memory in a row of such a tile; lanes may run over the width's end.
__device__ inline int tensor_pitch(int width, int radius) { return (width + 2 * radius + 15) / 16 * 16; }

// The tile of the usual radius: with the halo along a row as many elements as two warps have threads.
constexpr int USUAL_PITCH = 64;
constexpr TileSize USUAL_SIZE = {16, USUAL_PITCH - 2 * USUAL_RADIUS};

// One tile of for_tensors. USUAL: of that size and radius.
template <bool USUAL, class W, class T, class Taps, class Take>
__device__ inline void for_tile(W* shared, const Extended<T>& image, TileSize given, const Taps& taps, const Take& take) {
    typedef typename Taps::Tap Tap;
    constexpr int ROWS = USUAL && !SPLIT<Tap> ? RUN : 1;
    const TileSize size = USUAL ? USUAL_SIZE : given;
    const int radius_a = USUAL ? USUAL_RADIUS : taps.radius_a, radius_b = USUAL ? USUAL_RADIUS : taps.radius_b;
    const int pitch = USUAL ? USUAL_PITCH : tensor_pitch(size.width, radius_b);
    const int mids = size.height * pitch;
    W* const mid = shared;
    W* const down = mid + 3 * mids;
    W* const across = down + (size.height + 2 * radius_a) * pitch;

    const i64 y0 = ((i64)blockIdx.z * gridDim.y + blockIdx.y) * size.height, x0 = (i64)blockIdx.x * size.width;
    if (y0 >= image.rows) return;
    const int height = image.rows - y0 < size.height ? (int)(image.rows - y0) : size.height;
    const int width = image.columns - x0 < size.width ? (int)(image.columns - x0) : size.width;
    // 1
    load_slopes(down, across, pitch, image, y0 - radius_a, x0 - radius_b, height + 2 * radius_a,
                width + 2 * radius_b, [](T value) { return img_as_float<W>(value); });
    __syncthreads();
    // 2
    for_strips<ROWS>(height, width + 2 * radius_b, [&](int r, int c) {
        const int at = r * pitch + c;
        if constexpr (ROWS > 1) {
            const int rows = height - r < ROWS ? height - r : ROWS;
            filter_products(mid + at, mids, rows, (const W*)down + at, (const W*)across + at, pitch, taps.along_a);
        } else {
            TensorSums<W, USUAL ? USUAL_RADIUS : 0> sums;
            sums.of_products(down + at, across + at, pitch, taps.along_a, radius_a);
#pragma unroll
            for (int k = 0; k < 3; ++k)
                for (int l = 0; l < LANES; ++l) mid[k * mids + at + l] = sums.sum[k][l];
        }
    });
    __syncthreads();
    // 3
    if constexpr (ROWS > 1 && LANES == 1) {  // two neighbours at once
        for_strips<1>(height, (width + 1) / 2, [&](int r, int pair) {
            const int c = 2 * pair;
            W elements[2][3];
#pragma unroll
            for (int k = 0; k < 3; ++k) {
                Strip<2, double> strip;
                strip.template filter_down<USUAL_RADIUS>((const W*)mid + (k * mids + r * pitch + c), 1, taps.along_b);
                for (int i = 0; i < 2; ++i) elements[i][k] = (W)strip.sum[i][0];
            }
            const i64 place = (y0 + r) * image.columns + (x0 + c);
            take(place, elements[0]);
            if (c + 1 < width) take(place + 1, elements[1]);
        });
        return;
    }
    for_strips<1>(height, width, [&](int r, int c) {
        TensorSums<W, USUAL ? USUAL_RADIUS : 0> sums;
        sums.of_arrays(mid + r * pitch + c, mids, taps.along_b, radius_b);
        const int count = width - c < LANES ? width - c : LANES;
#pragma unroll
        for (int l = 0; l < LANES; ++l) {
            if (l >= count) break;
            const W elements[3] = {sums.sum[0][l], sums.sum[1][l], sums.sum[2][l]};
            take((y0 + r) * image.columns + (x0 + c + l), elements);
        }
    });
}

// take(place, elements) for each element of the image: rows * columns, C-contiguous; elements
// are (0, 0), (0, 1), (1, 1) of its tensor. The grid has a block for each tile across and, along its other axes,
// down.
//
// shared  pitch * (3 * height + 2 * (height + 2 * radius_a)) elements, as tensor_pitch has it
// taps    weights along the first and second axis: PairTaps, or RowTaps along the second alone
//
// Called by all threads of all blocks.
template <class W, class T, class Taps, class Take>
__device__ inline void for_tensors(W* shared, const Extended<T>& image, TileSize size, const Taps& taps,
                                   Take take) {
    if constexpr (sizeof(Taps::along_a) > sizeof(typename Taps::Tap)) {
        if (taps.radius_a == USUAL_RADIUS && taps.radius_b == USUAL_RADIUS && size.height == USUAL_SIZE.height &&
            size.width == USUAL_SIZE.width) {
            for_tile<true>(shared, image, size, taps, take);
            return;
        }
    }
    for_tile<false>(shared, image, size, taps, take);
}
