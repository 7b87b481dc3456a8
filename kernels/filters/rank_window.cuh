// Windows of rank filters: the part of an image that a block needs, with its halo, in
// shared memory. What no window counts - beyond the image's borders, outside the mask -
// is a cell below 0, so that the loops over a footprint have no other test.
//
// Images are 3-D here; a 2-D one has a single plane.
#pragma once
#include "common/shared.cuh"
#include "common/split.cuh"
#include "common/tile.cuh"

// A value, or MISSING: so far below 0 that of the sum of up to PART cells the low BITS are the sum
// of the values, and the rest is minus the number of those that are missing.
constexpr int PART = 128;
template <class T> struct Cell;
template <> struct Cell<u8> {
    typedef short type;
    static constexpr int BITS = 15, MISSING = -(1 << BITS);
};
template <> struct Cell<u16> {
    typedef int type;
    static constexpr int BITS = 23, MISSING = -(1 << BITS);
};

// Results of a thread, where those of a warp are not one beside the other's: what is asked for all of
// them, as an offset of the footprint, is asked once, and what lies APART has no address of its own.
constexpr int APART = 32;
#ifdef SIM_FLAT
constexpr int MANY = 1;
#else
constexpr int MANY = 4;
#endif
// Where the l-th of a thread's results is, from the first: MANY times LANES, or those of one time.
__device__ constexpr int place_at(int l) { return l / LANES * APART + l % LANES; }

// Sizes along planes, rows and columns.
struct RankWindows {
    i64 shape[3];   // of the image
    i64 tiles[3];   // that cover it
    int tile[3];    // results of a block; a multiple of 32 columns
    int cells[3];   // cells that they need: tile + footprint - 1
    int before[3];  // cells before the tile: the place of the footprint's centre
};

// What distinguishes one rank filter from another of the same kernel.
struct RankFormula {
    int operation;       // RankOperation
    int bins;            // grey values that scikit-image's histogram has
    int result;          // dtype of the results: 0 u8, 1 u16, 2 double
    int below, above;    // bilateral: values lie less than this below and above the centre's
    double p0, p1;       // percentiles
};

// The tiles of an image, for a loop over `item`.
struct RankTile {
    i64 origin[3];
    int rows, columns, planes;  // results inside the image

    __device__ static i64 count(const RankWindows& w) { return w.tiles[0] * w.tiles[1] * w.tiles[2]; }
    RankTile() = default;
    __device__ RankTile(const RankWindows& w, i64 item) {
        const bool narrow = item >> 32 == 0;
#pragma unroll
        for (int a = 2; a >= 0; --a)
            origin[a] = (a == 0 ? item : split(item, w.tiles[a], narrow)) * w.tile[a];
        planes = inside(w, 0);
        rows = inside(w, 1);
        columns = inside(w, 2);
    }
    // visit(cell, place, left) for results of which each thread has TIMES times LANES at a time: the first
    // cell of the first one's footprint, its place in the image, and columns from there to the end.
    //   called by: all threads of the block
    template <int TIMES, class Visit> __device__ void for_results(const RankWindows& w, const Visit& visit) const {
        constexpr int APARTS = TIMES * APART;
        const i64 first = (origin[0] * w.shape[1] + origin[1]) * w.shape[2] + origin[2];
        const int strips = TIMES > 1 ? (columns + APARTS - 1) / APARTS * APART : columns;
        const i64 down = blockDim.y * w.shape[2];
        for (int z = 0; z < planes; ++z) {
            i64 row = first + (z * w.shape[1] + threadIdx.y) * w.shape[2];
            int cell = (z * w.cells[1] + threadIdx.y) * w.cells[2];
            for (int y = threadIdx.y; y < rows; y += blockDim.y, row += down, cell += blockDim.y * w.cells[2])
                for (int k = threadIdx.x * LANES; k < strips; k += blockDim.x * LANES) {
                    const int x = TIMES > 1 ? k / APART * APARTS + k % APART : k;
                    if (TIMES == 1 || x < columns) visit(cell + x, row + x, columns - x);
                }
        }
    }
    __device__ int inside(const RankWindows& w, int axis) const {
        const i64 rest = w.shape[axis] - origin[axis];
        return rest < w.tile[axis] ? (int)rest : w.tile[axis];
    }
};

// Cells that a thread fills at a time.
template <class V, int MANY> struct alignas(MANY * sizeof(V) < 16 ? MANY * sizeof(V) : 16) Cells {
    V cell[MANY];
};

// Fills rows of a tile, without borders, MANY cells at a time: `from` is the first element, `down` those
// from one row to the next; less than 2^31 in all. `columns` is a multiple of MANY.
//   called by: all threads of the block; a barrier must follow
template <int MANY, class T, class V, class Convert>
__device__ inline void load_by(V* cells, const T* from, int down, int rows, int columns, const Convert& convert) {
    const int threads = blockDim.x * blockDim.y, start = threadIdx.y * blockDim.x + threadIdx.x;
    const int groups = columns / MANY, more = threads / groups, rest = threads - more * groups;
    const u32 step = more * down + rest * MANY, over = down - columns;
    int x = start % groups;
    u32 at = start / groups * down + x * MANY;
    for (int k = start; k < rows * groups; k += threads) {
        Cells<V, MANY> made;
        for (int i = 0; i < MANY; ++i) made.cell[i] = convert(from[at + i]);
        reinterpret_cast<Cells<V, MANY>*>(cells)[k] = made;
        at += step;
        x += rest;
        if (x >= groups) {
            x -= groups;
            at += over;
        }
    }
}
// The same; `cells` begin at a multiple of 16 bytes, or of as many as `columns` have.
template <class T, class V, class Convert>
__device__ inline void load_block(V* cells, const T* from, int down, int rows, int columns, const Convert& convert) {
    if (columns % 4 == 0)
        load_by<4>(cells, from, down, rows, columns, convert);
    else if (columns % 2 == 0)
        load_by<2>(cells, from, down, rows, columns, convert);
    else
        load_by<1>(cells, from, down, rows, columns, convert);
}

// Fills the cells of a tile: with the image's elements and, beyond its borders, with what stands
// there under `mode` (common/boundary.cuh), `beyond` under CONSTANT.
//   convert: callable that makes a V of a T
//   called by: all threads of the block; a barrier must follow
template <class T, class V, class Convert>
__device__ inline void load_extended(V* cells, const T* image, const RankWindows& w, const RankTile& tile,
                                     int mode, V beyond, const Convert& convert) {
    i64 first[3];
    bool within = LANES == 1 && w.shape[2] < 0x7fffffff / w.cells[1];  // a CPU's vectors are for rows
    for (int a = 0; a < 3; ++a) {
        first[a] = tile.origin[a] - w.before[a];
        within = within && first[a] >= 0 && first[a] + w.cells[a] <= w.shape[a];
    }
    const Axis y_axis = {w.shape[1], w.shape[2], mode}, x_axis = {w.shape[2], 1, mode};
    const int plane = w.cells[1] * w.cells[2];
    for (int k = 0; k < w.cells[0]; ++k) {
        const i64 z = boundary_index(first[0] + k, w.shape[0], mode);
        V* const dst = cells + k * plane;
        if (within)
            load_block(dst, image + (z * w.shape[1] + first[1]) * w.shape[2] + first[2], (int)w.shape[2],
                       w.cells[1], w.cells[2], convert);
        else if (z < 0)
            for (int c = threadIdx.y * blockDim.x + threadIdx.x; c < plane; c += blockDim.x * blockDim.y) dst[c] = beyond;
        else
            load_tile(dst, w.cells[2], image + z * w.shape[1] * w.shape[2], y_axis, x_axis, first[1],
                      first[2], w.cells[1], w.cells[2], beyond, convert);
    }
}

// Fills the cells of a tile with what windows count. `mask` is read where `masked`.
//   called by: all threads of the block; a barrier must follow
template <class T, class V>
__device__ inline void load_cells(V* cells, const T* image, const u8* mask, bool masked,
                                  const RankWindows& w, const RankTile& tile) {
    constexpr V missing = Cell<T>::MISSING;
    if (masked)
        load_extended(cells, image, w, tile, CONSTANT, missing,
                      [&](const T& value) { return mask[&value - image] ? (V)value : missing; });
    else
        load_extended(cells, image, w, tile, CONSTANT, missing, [](T value) { return (V)value; });
}
