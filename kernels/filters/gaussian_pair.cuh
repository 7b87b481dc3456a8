// The Gaussian filter along two axes in one tile: what gaussian.cu and gaussian_detail.cu
// are made of.
//
// A tile and its halo go through shared memory twice:
//
//     1. tile and halo of a plane, converted to the computing type, into `raw`
//     2. filtered along a (down the columns): `raw` into `mid`
//     3. filtered along b (along the rows): `mid` to whoever takes the sums
//
// The halo is the radius. With it a tile is PAIR_PITCH columns wide, so that no warp is idle in part
// while it is loaded and filtered along a; its height is a multiple of RUN. Shared memory: 2 * (height + radius_a) rows of
// PAIR_PITCH, and LANES elements that no result is made of, at most 48 kB.
#pragma once
#include "common/shared.cuh"
#include "common/split.cuh"
#include "filters/float_strip.cuh"

constexpr int PAIR_PITCH = 64;

// The array is seen as (outer, a, between, b, inner).
struct PairView {
    i64 outer, a_size, between, b_size, inner;
    int a_mode, b_mode;

    __device__ Axis a() const { return {a_size, between * b_size * inner, a_mode}; }
    __device__ Axis b() const { return {b_size, inner, b_mode}; }
};

// Its tiles: how many there are along a, along b and in all, rows of results of one.
struct PairTiling {
    i64 down, across, all;
    int rows;
};

// One tile in shared memory, and where its results belong. Sums are of W; S is the type of
// the elements, to which the sums along the first axis are rounded.
template <class W, class S = W> struct PairTile {
    static constexpr int RUN = 4;  // rows that one thread computes
    template <class Tap> using Sums = Strip<RUN, typename SumOf<W, S, Tap>::type>;

    const S* raw;  // with its halo
    S* mid;
    int radius_a, radius_b;  // of the halo
    int height, width;       // of the results
    i64 offset;              // of the first one
    i64 a_stride, b_stride;

    // 2 and 3; `take(sums, r, c)` gets the strip of results at row r, column c of the tile, of W,
    // or rounded to S. The radii of `taps` may be smaller than the halo's. A strip is the same
    // thread's each time.
    //
    // Called by all threads of the block. Contains a barrier; another one must stand between
    // this and the next use of `raw` or `mid`.
    template <class Tap, class Take> __device__ void filter(const PairTaps<Tap>& taps, Take take) const {
        const S* const start = raw + (radius_a - taps.radius_a) * PAIR_PITCH + radius_b - taps.radius_b;
        for_strips<RUN>(height, width + 2 * taps.radius_b, [&](int r, int c) {
            const S* const src = start + r * PAIR_PITCH + c;
            S* const dst = mid + r * PAIR_PITCH + c;
            if constexpr (SPLIT<Tap>) {
                filter_floats(src, PAIR_PITCH, taps.along_a, taps.radius_a).put(dst, PAIR_PITCH);
            } else {
                Strip<RUN, W> sum;
                if (taps.radius_a == USUAL_RADIUS)
                    sum.template filter_down<USUAL_RADIUS>(src, PAIR_PITCH, taps.along_a);
                else
                    sum.filter_pairs(src, PAIR_PITCH, PAIR_PITCH, taps.along_a, taps.radius_a);
                sum.put(dst, PAIR_PITCH);
            }
        });
        __syncthreads();
        for (int r = threadIdx.y * RUN; r < height; r += blockDim.y * RUN)
            for (int c = threadIdx.x * LANES; c < width; c += blockDim.x * LANES) {
                const S* const src = mid + r * PAIR_PITCH + c;
                if constexpr (SPLIT<Tap>) {
                    take(filter_floats(src, 1, taps.along_b, taps.radius_b), r, c);
                } else {
                    Strip<RUN, W> sum;
                    if (taps.radius_b == USUAL_RADIUS)
                        sum.template filter_pairs<USUAL_RADIUS>(src, PAIR_PITCH, 1, taps.along_b);
                    else
                        sum.filter_pairs(src, PAIR_PITCH, 1, taps.along_b, taps.radius_b);
                    take(sum, r, c);
                }
            }
    }

    // RUN rows of sums in double, rounded to float, without double.
    __device__ Strip<RUN, S> filter_floats(const S* src, int step, const Weight* taps, int radius) const {
        Strip<RUN, S> sum;
#pragma unroll
        for (int k = 0; k < RUN; ++k) {
            FloatStrip<OneSource> strip;
            strip.filter(OneSource{src + k * PAIR_PITCH, step}, taps, radius);
            for (int l = 0; l < LANES; ++l) sum.sum[k][l] = strip.sum[0][l];
        }
        return sum;
    }

    // Index of the result at row r, column c of the tile.
    __device__ i64 place(int r, int c) const { return offset + r * a_stride + c * b_stride; }
    // The element itself there.
    __device__ S centre(int r, int c) const { return raw[(r + radius_a) * PAIR_PITCH + c + radius_b]; }
};

// 1 for every tile of the block, with a halo of the radii of `taps`, by load(o, m, i, y0, x0, rows, columns), which fills
// `shared` with so many rows, PAIR_PITCH apart, of so many elements of a plane, from (y0, x0) on; o, m and i are its
// places along the other axes. Then work(tile). Both by all threads of the block.
//
// shared  the block's dynamic shared memory
template <class W, class S, class Tap, class Load, class Work>
__device__ inline void for_loaded_pair_tiles(S* shared, const PairView& view, const PairTiling& tiling,
                                             const PairTaps<Tap>& taps, const Load& load, const Work& work) {
    const int most_rows = tiling.rows, most_columns = PAIR_PITCH - 2 * taps.radius_b;
    const i64 between = view.between, inner = view.inner;
    const Axis a = view.a(), b = view.b();
    PairTile<W, S> tile;
    tile.raw = shared;
    tile.radius_a = taps.radius_a;
    tile.radius_b = taps.radius_b;
    tile.mid = shared + (most_rows + 2 * tile.radius_a) * PAIR_PITCH;
    tile.a_stride = a.stride;
    tile.b_stride = b.stride;

    const bool narrow = tiling.all >> 32 == 0;
    for (i64 item = blockIdx.x; item < tiling.all; item += gridDim.x) {
        // inner planes run fastest: interleaved channels share their cache lines
        i64 rest = item;
        const i64 i = split(rest, inner, narrow), b0 = split(rest, tiling.across, narrow) * most_columns;
        const i64 a0 = split(rest, tiling.down, narrow) * most_rows, place = split(rest, between, narrow);
        const i64 plane = rest * (a.size * a.stride) + place * (b.size * inner) + i;
        tile.height = a.size - a0 < most_rows ? (int)(a.size - a0) : most_rows;
        tile.width = b.size - b0 < most_columns ? (int)(b.size - b0) : most_columns;
        tile.offset = plane + a0 * a.stride + b0 * b.stride;

        load(rest, place, i, a0 - tile.radius_a, b0 - tile.radius_b, tile.height + 2 * tile.radius_a,
             tile.width + 2 * tile.radius_b);
        __syncthreads();
        work(tile);
        // The next tile may go into `raw` at once: who loads it is past the barrier before 3,
        // and `mid` is written only behind the barrier before 2. Work that uses `raw` in 3
        // ends with a barrier.
    }
}

// The same of an image.
//
// cval    stands beyond the ends under CONSTANT
template <class W, class S, class T, class Tap, class Convert, class Work>
__device__ inline void for_pair_tiles(S* shared, const T* image, const PairView& view,
                                      const PairTiling& tiling, const PairTaps<Tap>& taps, S cval,
                                      const Convert& convert, Work work) {
    const Axis a = view.a(), b = view.b();
    const auto load = [&](i64 o, i64 m, i64 i, i64 y0, i64 x0, int rows, int columns) {
        const i64 plane = o * (a.size * a.stride) + m * (b.size * b.stride) + i;
        load_columns(shared, PAIR_PITCH, image + plane, a, b, y0, x0, rows, columns, cval, convert);
    };
    for_loaded_pair_tiles<W>(shared, view, tiling, taps, load, work);
}
