// Where points lie to a polygon: outside, inside, at a vertex or on an edge.
//
//   points_in_poly   of a list: true but outside
//   grid_in_poly     of all points (row, column) of a grid: true but outside, or the label below
//
// points: `count` rows of `columns` numbers, of which the first two count; their type is told as in
// any_type.cuh. verts: `vertices` rows of `vert_columns` numbers, likewise; one at least.
// Any blocks and grid; one launch, one thread a point. Points are read once, the vertices, which are
// few, by each thread, the result is written once. All is in double, each operation rounded by itself.
//
// Source: skimage/_shared/geometry.pyx.
#include "common/any_type.cuh"
#include "common/products.cuh"

enum Label : u8 { OUTSIDE, INSIDE, VERTEX, EDGE };

// The label of one point: edges are counted that cross the ray to its right and that to its left; the
// counts differ in parity on an edge only. Any thread.
__device__ inline Label label_of(double x, double y, const double* verts, i64 vert_columns, i64 vertices) {
    constexpr double NEAR = 1e-12;
    bool right = false, left = false;  // parities
    const double* const last = verts + (vertices - 1) * vert_columns;
    double before_x = last[0] - x, before_y = last[1] - y;
    for (i64 i = 0; i < vertices; ++i) {
        const double dx = verts[i * vert_columns] - x, dy = verts[i * vert_columns + 1] - y;
        if (fabs(dx) < NEAR && fabs(dy) < NEAR) return VERTEX;
        const bool above = (dy > 0) != (before_y > 0), below = (dy < 0) != (before_y < 0);
        if (above || below) {
            const double cross = rounded_product(dx, before_y) - rounded_product(before_x, dy);
            const double at = cross / (before_y - dy);
            right ^= above && at > 0;
            left ^= below && at < 0;
        }
        before_x = dx, before_y = dy;
    }
    return right != left ? EDGE : right ? INSIDE : OUTSIDE;
}

__global__ void points_in_poly(const u8* points, int type, i64 columns, i64 count, const double* verts,
                               i64 vert_columns, i64 vertices, bool* result) {
    const i64 step = (i64)gridDim.x * blockDim.x;
    for (i64 i = (i64)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += step) {
        const double x = load_any<double, 1>(points, type, i * columns).item[0];
        const double y = load_any<double, 1>(points, type, i * columns + 1).item[0];
        result[i] = label_of(x, y, verts, vert_columns, vertices) != OUTSIDE;
    }
}

// T: bool, or u8 for labels. `count` points in rows of `width`.
template <class T>
__global__ void grid_in_poly(const double* verts, i64 vert_columns, i64 vertices, i64 width, i64 count, T* result) {
    const i64 step = (i64)gridDim.x * blockDim.x;
    for (i64 i = (i64)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += step) {
        const i64 row = i / width, column = i - row * width;
        result[i] = (T)label_of((double)row, (double)column, verts, vert_columns, vertices);
    }
}
