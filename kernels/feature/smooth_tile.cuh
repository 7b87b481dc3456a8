// A tile of a 2-D image, smoothed by a Gaussian, in shared memory, with neighbours as far as they
// lie inside the image: for functions of differences of smoothed elements. Its radius is up to 16
// along both axes (PairTaps), or up to 120 along the rows of an image that others have smoothed
// down the columns (RowTaps).
//
//     1. tile and halo of the image into `raw`
//     2. filtered down the columns: `raw` into `mid`
//     3. filtered along the rows: `mid` into `raw`, where nobody reads any more
//
// As SciPy does it: sums in double, rounded to the image's floating type after each axis; of floats
// they are the same without double (float_strip.cuh). So the smoothed elements are SciPy's bit for
// bit. Differences of neighbours, which are small beside them, would not be scikit-image's
// otherwise, nor decisions that hang on these.
#pragma once
#include "common/shared.cuh"
#include "filters/float_strip.cuh"

// Results of a tile, and the neighbours around them that it smooths too.
struct SmoothSize {
    int height, width, margin;
};

// A C-contiguous image, and what stands beyond its border.
template <class T> struct Plane {
    const T* image;
    i64 rows, columns;
    int mode;
    double cval;
};

// Smoothed elements in shared memory; S is their type.
template <class S> struct SmoothTile {
    const S* elements;
    int pitch;
    i64 top, left;                // of the first one
    int smooth_rows, smooth_columns;  // as many as there are
    i64 y0, x0;                   // of the first result
    int height, width;            // of the results

    // Whether the tile has all neighbours of its results that `size` asks for.
    __device__ bool is_whole(const SmoothSize& size) const {
        return smooth_rows == height + 2 * size.margin && smooth_columns == width + 2 * size.margin;
    }
    __device__ S at(i64 y, i64 x) const { return elements[(y - top) * pitch + (x - left)]; }
};

// LANES neighbours from `src` on, filtered and rounded, into `dst`.
template <class S, class Tap>
__device__ inline void filter_lanes(S* dst, const S* src, int step, const Tap* taps, int radius) {
    if constexpr (SPLIT<Tap>) {
        FloatStrip<OneSource> strip;
        strip.filter(OneSource{src, step}, taps, radius);
        for (int l = 0; l < LANES; ++l) dst[l] = strip.sum[0][l];
    } else {
        Strip<1, double> strip;
        if (radius == USUAL_RADIUS)
            strip.template filter_pairs<USUAL_RADIUS>(src, 0, step, taps);
        else
            strip.filter_pairs(src, 0, step, taps, radius);
        strip.put(dst, 0);
    }
}

// Stage 2 of the usual radius: four rows at once, of which each element is read once.
template <class S, class Tap>
__device__ inline void filter_columns(S* dst, const S* src, int pitch, int rows, int columns, const Tap* taps) {
    constexpr int RUN = 4;
    for_strips<RUN>(rows, columns, [&](int r, int c) {
        Strip<RUN, double> strip;
        strip.template filter_down<USUAL_RADIUS>(src + (r * pitch + c), pitch, taps);
#pragma unroll
        for (int i = 0; i < RUN; ++i)
            for (int l = 0; l < LANES; ++l)
                if (r + i < rows) dst[(r + i) * pitch + c + l] = (S)strip.sum[i][l];
    });
}

// Stage 3 of the usual radius: two neighbours at once, of which the last may be beyond the end of its row.
template <class S, class Tap>
__device__ inline void filter_rows(S* dst, const S* src, int pitch, int rows, int columns, const Tap* taps) {
    for_strips<1>(rows, (columns + 1) / 2, [&](int r, int pair) {
        const int at = r * pitch + 2 * pair;
        Strip<2, double> strip;
        strip.template filter_down<USUAL_RADIUS>(src + at, 1, taps);
        strip.put(dst + at, 1);
    });
}

// Stages 1 to 3. The tile's places are given; `raw` becomes its elements.
//
// Called by all threads of the block. A barrier must follow.
template <class S, class T, class Taps, class Convert>
__device__ inline void smooth(S* raw, S* mid, const SmoothTile<S>& tile, const Plane<T>& plane,
                              const Taps& taps, const Convert& convert) {
    const int pitch = tile.pitch, radius_a = taps.radius_a, radius_b = taps.radius_b;
    const Axis a = {plane.rows, plane.columns, plane.mode}, b = {plane.columns, 1, plane.mode};
    load_tile(raw, pitch, plane.image, a, b, tile.top - radius_a, tile.left - radius_b,
              tile.smooth_rows + 2 * radius_a, tile.smooth_columns + 2 * radius_b, (S)plane.cval, convert);
    __syncthreads();
    if (!SPLIT<typename Taps::Tap> && radius_a == USUAL_RADIUS) {
        filter_columns(mid, (const S*)raw, pitch, tile.smooth_rows, tile.smooth_columns + 2 * radius_b, taps.along_a);
    } else {
        for_strips<1>(tile.smooth_rows, tile.smooth_columns + 2 * radius_b, [&](int r, int c) {
            filter_lanes(mid + r * pitch + c, (const S*)raw + r * pitch + c, pitch, taps.along_a, radius_a);
        });
    }
    __syncthreads();
    if (LANES == 1 && !SPLIT<typename Taps::Tap> && radius_b == USUAL_RADIUS) {
        filter_rows(raw, (const S*)mid, pitch, tile.smooth_rows, tile.smooth_columns, taps.along_b);
        return;
    }
    for_strips<1>(tile.smooth_rows, tile.smooth_columns, [&](int r, int c) {
        filter_lanes(raw + r * pitch + c, (const S*)mid + r * pitch + c, 1, taps.along_b, radius_b);
    });
}

// The places of tile number `item`; false where there is no such tile. Any thread.
template <class S>
__device__ inline bool place_tile(SmoothTile<S>& tile, i64 item, i64 rows, i64 columns,
                                  const SmoothSize& size) {
    const i64 across = (columns + size.width - 1) / size.width;
    tile.y0 = item / across * size.height;
    tile.x0 = item % across * size.width;
    if (tile.y0 >= rows) return false;
    tile.height = rows - tile.y0 < size.height ? (int)(rows - tile.y0) : size.height;
    tile.width = columns - tile.x0 < size.width ? (int)(columns - tile.x0) : size.width;
    const i64 bottom = tile.y0 + tile.height + size.margin, right = tile.x0 + tile.width + size.margin;
    tile.top = tile.y0 < size.margin ? 0 : tile.y0 - size.margin;
    tile.left = tile.x0 < size.margin ? 0 : tile.x0 - size.margin;
    tile.smooth_rows = (int)((bottom < rows ? bottom : rows) - tile.top);
    tile.smooth_columns = (int)((right < columns ? right : columns) - tile.left);
    return true;
}

// Elements of shared memory in a row of a tile, whose lanes may run over its end, and in `raw`.
__device__ inline int smooth_pitch(const SmoothSize& size, int radius) {
    return (size.width + 2 * size.margin + 2 * radius + 15) / 16 * 16;
}
__device__ inline int raw_elements(const SmoothSize& size, int pitch, int radius) {
    return (size.height + 2 * size.margin + 2 * radius) * pitch;
}
