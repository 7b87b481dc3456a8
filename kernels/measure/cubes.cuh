// Cells of marching cubes: where they lie, their corners and edges, and scikit-image's tables.
//
// A cell has its first corner at (z, y, x); corners and edges are numbered as by Lorensen and Cline:
//
//          7 ________ 6           ____6___
//          /|       /|         7 /|       /|
//        /  |     /  |         /  |    5/  |
//    4 /_______ /5   |       /__4____ /    10
//     |    3|__|_____|2     |    11  |     |
//     |    /   |    /       |     |__|__2__|
//     |  /     |  /         8   3/   9    /
//     |/_______|/           |  /     |  /1
//    0          1           |/___0___|/
//
// z goes up, y back, x to the right. Edge 12 is the cell's center.
#pragma once
#include "common/types.cuh"

constexpr int EDGES = 13, CENTER = 12;
constexpr double TINY = 2.220446049250313e-16;  // scikit-image's FLT_EPSILON

// A volume of elements, of which every `step`-th one is a corner of cells.
struct Cells {
    i64 rows, columns, step;  // elements along y and x
    i64 nz, ny, nx;           // cells
    __device__ i64 count() const { return nz * ny * nx; }
};

struct Place {
    i64 z, y, x;  // counted in cells
    __device__ Place moved(int dz, int dy, int dx) const { return {z + dz, y + dy, x + dx}; }
};

__device__ inline Place place_of(const Cells& cells, i64 cell) {
    const i64 line = cell / cells.nx;
    return {line / cells.ny, line % cells.ny, cell % cells.nx};
}
__device__ inline i64 cell_at(const Cells& cells, const Place& at) { return (at.z * cells.ny + at.y) * cells.nx + at.x; }
__device__ inline bool is_cell(const Cells& cells, const Place& at) {
    return at.z >= 0 && at.y >= 0 && at.x >= 0 && at.z < cells.nz && at.y < cells.ny && at.x < cells.nx;
}

// Which of two places along an axis a corner has.
__device__ inline int corner_x(int corner) { return (corner ^ corner >> 1) & 1; }
__device__ inline int corner_y(int corner) { return corner >> 1 & 1; }
__device__ inline int corner_z(int corner) { return corner >> 2; }

// The volume's elements at the corners of one cell, as scikit-image takes them: in single precision.
template <class T> struct Corners {
    const T* first;
    i64 step, row, plane;  // to the next corner along x, y and z
    double level;

    __device__ Corners(const T* volume, const Cells& cells, const Place& at, double level)
        : first(volume + ((at.z * cells.rows + at.y) * cells.columns + at.x) * cells.step), step(cells.step),
          row(cells.step * cells.columns), plane(cells.step * cells.columns * cells.rows), level(level) {}
    __device__ float element(int z, int y, int x) const { return (float)first[z * plane + y * row + x * step]; }
    __device__ double above(int z, int y, int x) const { return (double)element(z, y, x) - level; }
    __device__ double operator[](int corner) const {
        return above(corner_z(corner), corner_y(corner), corner_x(corner));
    }
};

// What a kind of cell (a bit for each corner above the level) tests: faces, signed, 0 behind the last
// one; their answers are bits of the place of its outcome, counted from `first`.
struct Kind {
    u16 first;
    signed char faces[6];
};

// What the answers give: the tiling `yes`, or where there is a test of the interior one of the two.
struct Outcome {
    u16 yes, no;
    int test;
};

// Triangles of a cell.
struct Tiling {
    u16 used;           // edges, a bit for each
    u16 triangles;
    u16 before[EDGES];  // for each edge those that come in earlier
    u8 times[EDGES];    // how often it comes
    u8 edges[36];       // three for each triangle
    u8 unused;
};

// Tables as _cube_tables.py makes them.
struct Tables {
    const u8* bytes;
    i64 tilings;  // where they begin
    __device__ const Kind& kind(int index) const { return reinterpret_cast<const Kind*>(bytes)[index]; }
    __device__ const Outcome& outcome(int number) const {
        return reinterpret_cast<const Outcome*>(bytes + 256 * sizeof(Kind))[number];
    }
    __device__ const Tiling& tiling(int number) const {
        return reinterpret_cast<const Tiling*>(bytes + tilings)[number];
    }
};

// An edge by its direction, and which of its four places in a cell it has along the two other axes:
// p along the earlier one of z, y, x, q along the later one.
struct Edge {
    int axis, p, q;  // axis 0: along x, 1: along y, 2: along z
    __device__ static Edge of(int edge) {
        const int place = edge & 3;
        if (edge >= 8) return {2, place >> 1, (place ^ place >> 1) & 1};
        const int axis = place & 1;
        return {axis, edge >> 2, axis ? place == 1 : place >> 1};
    }
    __device__ int number() const {
        return axis == 2 ? 8 + 2 * p + (p ^ q) : 4 * p + (axis ? 3 - 2 * q : 2 * q);
    }
    // The same edge in the neighbour whose p and q are these, and where it lies seen from here.
    __device__ Edge in(int other_p, int other_q) const { return {axis, other_p, other_q}; }
    __device__ Place neighbour(const Place& at, int other_p, int other_q) const {
        const int dp = p - other_p, dq = q - other_q;
        if (axis == 2) return at.moved(0, dp, dq);
        return axis ? at.moved(dp, 0, dq) : at.moved(dp, dq, 0);
    }
};
