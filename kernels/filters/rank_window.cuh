// Windows of rank filters: the part of an image that a block needs, with its halo, in
// shared memory. What no window counts - beyond the image's borders, outside the mask -
// is a cell of -1, so that the loops over a footprint have no other test.
//
// Images are 3-D here; a 2-D one has a single plane.
#pragma once
#include "common/shared.cuh"
#include "common/split.cuh"
#include "common/tile.cuh"

// A value or -1.
template <class T> struct Cell;
template <> struct Cell<u8> { typedef short type; };
template <> struct Cell<u16> { typedef int type; };

// Sizes along planes, rows and columns.
struct RankWindows {
    i64 shape[3];   // of the image
    i64 tiles[3];   // that cover it
    int tile[3];    // results of a block; a multiple of 16 columns
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
    __device__ RankTile(const RankWindows& w, i64 item) {
        const bool narrow = item >> 32 == 0;
#pragma unroll
        for (int a = 2; a >= 0; --a)
            origin[a] = (a == 0 ? item : split(item, w.tiles[a], narrow)) * w.tile[a];
        planes = inside(w, 0);
        rows = inside(w, 1);
        columns = inside(w, 2);
    }
    // visit(cell, place, lanes) for LANES neighbours at a time, or as many as there are: the
    // first cell of the first one's footprint, and its place in the image.
    //   called by: all threads of the block
    template <class Visit> __device__ void for_strips(const RankWindows& w, const Visit& visit) const {
        for (int r = threadIdx.y; r < planes * w.tile[1]; r += blockDim.y) {
            const int z = planes == 1 ? 0 : r / w.tile[1], y = r - z * w.tile[1];
            if (y >= rows) continue;
            const i64 row = ((origin[0] + z) * w.shape[1] + origin[1] + y) * w.shape[2] + origin[2];
            for (int x = threadIdx.x * LANES; x < columns; x += blockDim.x * LANES)
                visit((z * w.cells[1] + y) * w.cells[2] + x, row + x, columns - x < LANES ? columns - x : LANES);
        }
    }
    __device__ int inside(const RankWindows& w, int axis) const {
        const i64 rest = w.shape[axis] - origin[axis];
        return rest < w.tile[axis] ? (int)rest : w.tile[axis];
    }
};

// Fills the cells of a tile. `mask` is read where `masked`.
//   called by: all threads of the block; a barrier must follow
template <class T, class V>
__device__ inline void load_cells(V* cells, const T* image, const u8* mask, bool masked,
                                  const RankWindows& w, const RankTile& tile) {
    const i64 x0 = tile.origin[2] - w.before[2];
    const int first = x0 < 0 ? (int)-x0 : 0;  // columns of the image
    const int last = w.shape[2] - x0 < w.cells[2] ? (int)(w.shape[2] - x0) : w.cells[2];
    for (int r = threadIdx.y; r < w.cells[0] * w.cells[1]; r += blockDim.y) {
        const int k = w.cells[0] == 1 ? 0 : r / w.cells[1];
        const i64 z = tile.origin[0] - w.before[0] + k, y = tile.origin[1] - w.before[1] + (r - k * w.cells[1]);
        const bool inside = z >= 0 && z < w.shape[0] && y >= 0 && y < w.shape[1];
        const i64 row = (z * w.shape[1] + y) * w.shape[2] + x0;
        for (int c = threadIdx.x; c < w.cells[2]; c += blockDim.x) {
            const bool counts = inside && c >= first && c < last && (!masked || mask[row + c]);
            cells[r * w.cells[2] + c] = counts ? (V)image[row + c] : (V)-1;
        }
    }
}

// Fills the cells of a tile: with the image's elements and, beyond its borders, with what stands
// there under `mode` (common/boundary.cuh), `beyond` under CONSTANT.
//   convert: callable that makes a V of a T
//   called by: all threads of the block; a barrier must follow
template <class T, class V, class Convert>
__device__ inline void load_extended(V* cells, const T* image, const RankWindows& w, const RankTile& tile,
                                     int mode, V beyond, const Convert& convert) {
    const Axis y_axis = {w.shape[1], w.shape[2], mode}, x_axis = {w.shape[2], 1, mode};
    const int plane = w.cells[1] * w.cells[2];
    for (int k = 0; k < w.cells[0]; ++k) {
        const i64 z = boundary_index(tile.origin[0] - w.before[0] + k, w.shape[0], mode);
        V* const dst = cells + k * plane;
        if (z < 0)
            for (int c = threadIdx.y * blockDim.x + threadIdx.x; c < plane; c += blockDim.x * blockDim.y) dst[c] = beyond;
        else
            load_tile(dst, w.cells[2], image + z * w.shape[1] * w.shape[2], y_axis, x_axis, tile.origin[1] - w.before[1],
                      tile.origin[2] - w.before[2], w.cells[1], w.cells[2], beyond, convert);
    }
}

// Writes a result as C casts it: towards zero, then the low bits.
__device__ inline void write_rank(u8* results, i64 place, double value, int result) {
    if (result == 2)
        reinterpret_cast<double*>(results)[place] = value;
    else if (result == 1)
        reinterpret_cast<u16*>(results)[place] = (u16)(i64)value;
    else
        results[place] = (u8)(i64)value;
}
