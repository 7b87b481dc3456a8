// Mask of a polygon: true at the pixels inside, at its corners and on its edges.
//
// verts: rows and columns of `vertices` corners, one at least. No pixel beyond rows `top` to `bottom`
// and columns `first` to `last` is in the polygon. The mask is of `height` rows from row `y` on and of
// `width` columns from column `x` on, made in pieces of rows, as many columns wide as a block has threads.
// Any blocks and grid; one launch, one thread a column of the piece. A block looks through all edges
// once for each of its pieces, together, and each thread at those only that its row crosses or that end
// in it; the mask is written once. All is in double, each operation rounded by itself.
//
// Source: skimage/draw/_draw.pyx (_polygon), skimage/_shared/geometry.pyx (point_in_polygon).
#include "common/types.cuh"

constexpr int CHUNK = 256;  // edges in shared memory

// An edge from corner `before` to corner `here`: their columns, and how far below the row they lie.
struct Edge {
    double x, before_x, dy, before_dy;
};

__global__ void polygon_mask(const double* verts, i64 vertices, i64 top, i64 bottom, i64 first, i64 last, i64 y,
                             i64 x, i64 height, i64 width, bool* mask) {
    constexpr double NEAR = 1e-12;
    const i64 per_row = (width + blockDim.x - 1) / blockDim.x, tiles = height * per_row;
    __shared__ Edge edges[CHUNK];
    __shared__ int found;
    for (i64 tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        const i64 line = tile / per_row, start = (tile - line * per_row) * blockDim.x;
        const i64 row = y + line, begin = x + start, column = begin + threadIdx.x;
        const bool reached = row >= top && row <= bottom && begin <= last && begin + blockDim.x > first;
        bool right = false, left = false, corner = false;  // crossings on either side: their parities
        for (i64 chunk = 0; reached && chunk < vertices; chunk += CHUNK) {
            __syncthreads();
            if (threadIdx.x == 0) found = 0;
            __syncthreads();
            for (i64 k = threadIdx.x; k < CHUNK && chunk + k < vertices; k += blockDim.x) {
                const i64 i = chunk + k, before = i ? i - 1 : vertices - 1;
                const double dy = verts[2 * i] - (double)row, before_dy = verts[2 * before] - (double)row;
                if ((dy > 0) == (before_dy > 0) && (dy < 0) == (before_dy < 0) && !(fabs(dy) < NEAR)) continue;
                edges[atomicAdd(&found, 1)] = {verts[2 * i + 1], verts[2 * before + 1], dy, before_dy};
            }
            __syncthreads();
            for (int e = 0; e < found; ++e) {
                const Edge edge = edges[e];
                const double dx = edge.x - (double)column, before_dx = edge.before_x - (double)column;
                const double dy = edge.dy, before_dy = edge.before_dy;
                corner |= fabs(dx) < NEAR && fabs(dy) < NEAR;
                const bool above = (dy > 0) != (before_dy > 0), below = (dy < 0) != (before_dy < 0);
                if (!above && !below) continue;
                const double cross = rounded_product(dx, before_dy) - rounded_product(before_dx, dy);
                const double at = cross / (before_dy - dy);
                right ^= above && at > 0;
                left ^= below && at < 0;
            }
        }
        const bool within = column >= first && column <= last && (corner || right || left);
        if (column < x + width) mask[line * width + start + threadIdx.x] = within;
    }
}
