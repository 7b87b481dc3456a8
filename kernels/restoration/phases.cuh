// A grid of pixels and its edges, numbered along the last axis, in the order of the pixels that they begin at,
// then those that join its ends, then the same of the axes before it. The axes are in any order.
#pragma once
#include "common/types.cuh"

struct Grid {
    i64 lengths[3], strides[3];
    i64 starts[6];  // of each axis, from the last one on, its edges between neighbours, then those of its ends
    i64 pixels, edges;
    int wraps[3], unused;
};

struct Edge {
    int first, second;
};

__device__ inline Edge edge_of(const Grid& grid, i64 number) {
    Edge edge = {0, 0};
#pragma unroll
    for (int a = 0; a < 3; ++a) {
        const i64 length = grid.lengths[2 - a], stride = grid.strides[2 - a];
        if (number >= grid.starts[2 * a] && number < grid.starts[2 * a + 1]) {
            const i64 k = number - grid.starts[2 * a], run = (length - 1) * stride;
            edge.first = (int)(k / run * length * stride + k % run);
            edge.second = edge.first + (int)stride;
        }
        const i64 end = a < 2 ? grid.starts[2 * a + 2] : grid.edges;
        if (number >= grid.starts[2 * a + 1] && number < end) {
            const i64 k = number - grid.starts[2 * a + 1];
            edge.second = (int)(k / stride * length * stride + k % stride);
            edge.first = edge.second + (int)((length - 1) * stride);
        }
    }
    return edge;
}

constexpr double PI = 3.14159265358979323846, TWO_PI = 2 * PI;

// How many times 2 pi a step from `left` to `right` is to be lowered.
__device__ inline int find_wrap(double left, double right) {
    const double difference = left - right;
    return difference > PI ? -1 : difference < -PI ? 1 : 0;
}
