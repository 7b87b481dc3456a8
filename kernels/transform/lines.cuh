// Results of a resampling as lines and columns, so that what depends on a line or on a column alone is
// computed once for many elements:
//
//     for_lines(shape, lines, set_line, column_of, [&](i64 place, const Line& line, auto& column) {...});
//
// A tile has 256 places: `across` columns, 32 to 256, of 256 / across lines, and up to DOWN of them below
// each other: fewer where there would be too few tiles. Coordinates, indices, weights and 64-bit divisions are
// those of lines, which stand in shared memory, and of columns, which a thread keeps for its elements.
#pragma once
#include "common/interpolation.cuh"
#include "common/split.cuh"

constexpr int TILE_THREADS = 256, DOWN = 8, MOST_LINES = TILE_THREADS / 32 * DOWN;

struct LinesShape {
    i64 lines, columns;
    int across_bits;  // 2^across_bits columns in a tile
    int narrow;       // whether all numbers of elements fit into 32 bits
    int down;         // places of a thread below each other, up to DOWN
};

//   called by:  all threads of all blocks
//   lines:      shared memory for MOST_LINES
//   set_line:   void(Line& line, i64 number), once for each line of a tile
//   column_of:  Column(i64 number), what a thread keeps of a column
//   make:       void(i64 place, const Line& line, Column& column), for each element of the result
//   contains barriers
template <class Line, class SetLine, class ColumnOf, class Make>
__device__ inline void for_lines(const LinesShape& shape, Line* lines, const SetLine& set_line,
                                 const ColumnOf& column_of, const Make& make) {
    const int across = 1 << shape.across_bits, groups = TILE_THREADS >> shape.across_bits, height = groups * shape.down;
    const i64 strips = ((shape.columns - 1) >> shape.across_bits) + 1;
    const i64 tiles = (shape.lines + height - 1) / height * strips;
    for (i64 tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        i64 above = tile;
        const i64 x0 = split(above, strips, shape.narrow) << shape.across_bits, y0 = above * height;
        const int here = shape.lines - y0 < height ? (int)(shape.lines - y0) : height;
        for (int y = threadIdx.x; y < here; y += blockDim.x) set_line(lines[y], y0 + y);
        __syncthreads();
        for (int t = threadIdx.x; t < TILE_THREADS; t += blockDim.x) {
            const i64 x = x0 + (t & (across - 1));
            if (x >= shape.columns) continue;
            auto column = column_of(x);
            for (int y = t >> shape.across_bits; y < here; y += groups)
                make((y0 + y) * shape.columns + x, lines[y], column);
        }
        __syncthreads();  // before the next tile's lines
    }
}
