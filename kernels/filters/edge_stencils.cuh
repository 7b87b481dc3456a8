// The stencils of the edge filters on a window of a tile in shared memory, and the
// erosion of their masks.
//
// A stencil is a struct that comes by value from the host, with RADIUS and
//
//     template <class View> void operator()(W* value, const View& window) const
//
// which writes LANES results. Any thread may call it; needs no barrier.
#pragma once
#include "common/tile.cuh"

// Elements of one thread's LANES columns, by their distance (dz, dy, dx) from its own.
template <class W, int DIMENSIONS, int RADIUS, int PITCH> struct Window {
    static constexpr int NDIM = DIMENSIONS;
    static constexpr int PLANES = NDIM == 3 ? 2 * RADIUS + 1 : 1;
    const W* plane[PLANES];  // at the thread's own row and first column

    __device__ const W* at(int dz, int dy, int dx) const {
        return plane[NDIM == 3 ? dz + RADIUS : 0] + dy * PITCH + dx;
    }
    // The same for distances (u, v, along), of which `along` goes along AXIS.
    template <int AXIS> __device__ const W* turned(int u, int v, int along) const {
        return AXIS == 0 ? at(along, u, v) : AXIS == 1 ? at(u, along, v) : at(u, v, along);
    }
};

// Gradients: a difference along an axis, smoothed along all others; R is 1 for three taps
// and 2 for five. The axes are numbered as in 3-D; a 2-D image has axes 1 and 2.
template <class W, int R> struct Gradient {
    static constexpr int RADIUS = R;
    W smooth[R + 1];   // weights at distance 0, 1, ...
    W edge[3][R];      // weights of the differences at distance 1, 2, ...
    W times[3];        // how often an axis counts; zero: not at all
    W norm;            // factor of the magnitude
    int is_magnitude;  // else the gradient itself, along the one axis that counts

    template <int AXIS, class View> __device__ void add(W* sum, const View& window) const {
        W gradient[LANES];
#pragma omp simd
        for (int l = 0; l < LANES; ++l) gradient[l] = 0;
        constexpr int U = View::NDIM == 3 ? R : 0;  // in 2-D there is only v beside AXIS
#pragma unroll
        for (int u = -U; u <= U; ++u)
#pragma unroll
            for (int v = -R; v <= R; ++v) {
                W weight = smooth[v < 0 ? -v : v];
                if (View::NDIM == 3) weight *= smooth[u < 0 ? -u : u];
#pragma unroll
                for (int k = 1; k <= R; ++k) {
                    const W* const after = window.template turned<AXIS>(u, v, k);
                    const W* const before = window.template turned<AXIS>(u, v, -k);
                    const W factor = weight * edge[AXIS][k - 1];
#pragma omp simd
                    for (int l = 0; l < LANES; ++l) gradient[l] += factor * (after[l] - before[l]);
                }
            }
#pragma omp simd
        for (int l = 0; l < LANES; ++l)
            sum[l] += is_magnitude ? times[AXIS] * (gradient[l] * gradient[l]) : gradient[l];
    }

    template <class View> __device__ void operator()(W* value, const View& window) const {
#pragma omp simd
        for (int l = 0; l < LANES; ++l) value[l] = 0;
        if (View::NDIM == 3 && times[0] != 0) add<0>(value, window);
        if (times[1] != 0) add<1>(value, window);
        if (times[2] != 0) add<2>(value, window);
        if (is_magnitude)
#pragma omp simd
            for (int l = 0; l < LANES; ++l) value[l] = sqrt(value[l]) * norm;
    }
};

// Differences to neighbours, without smoothing.
enum DifferenceKind { LAPLACE = 0, ROBERTS = 1, ROBERTS_POSITIVE = 2, ROBERTS_NEGATIVE = 3 };

template <class W> struct Difference {
    static constexpr int RADIUS = 1;
    int kind;

    template <class View> __device__ void operator()(W* value, const View& window) const {
        const W* const here = window.at(0, 0, 0);
        const W* const below = window.at(0, 1, 0);
        if (kind == ROBERTS) {
#pragma omp simd
            for (int l = 0; l < LANES; ++l) {
                const W positive = below[l + 1] - here[l], negative = below[l] - here[l + 1];
                value[l] = sqrt(positive * positive + negative * negative) *
                           (W)0.70710678118654752440;
            }
        } else if (kind == ROBERTS_POSITIVE) {
#pragma omp simd
            for (int l = 0; l < LANES; ++l) value[l] = below[l + 1] - here[l];
        } else if (kind == ROBERTS_NEGATIVE) {
#pragma omp simd
            for (int l = 0; l < LANES; ++l) value[l] = below[l] - here[l + 1];
        } else {
#pragma omp simd
            for (int l = 0; l < LANES; ++l) value[l] = 0;
#pragma unroll
            for (int axis = 3 - View::NDIM; axis < 3; ++axis) {
                const W* const after = window.at(axis == 0, axis == 1, axis == 2);
                const W* const before = window.at(-(axis == 0), -(axis == 1), -(axis == 2));
#pragma omp simd
                for (int l = 0; l < LANES; ++l)
                    value[l] += (here[l] - before[l]) + (here[l] - after[l]);
            }
        }
    }
};

// Whether all elements of the 3 x 3 (3-D: 3 x 3 x 3) neighbourhood of (z, y, x) are inside
// the mask; beyond the image's border nothing is.
template <int NDIM>
__device__ inline bool eroded(const u8* mask, i64 nz, i64 ny, i64 nx, i64 z, i64 y, i64 x) {
    if (y == 0 || y == ny - 1 || x == 0 || x == nx - 1) return false;
    if (NDIM == 3 && (z == 0 || z == nz - 1)) return false;
    constexpr int DEPTH = NDIM == 3 ? 1 : 0;
    for (int dz = -DEPTH; dz <= DEPTH; ++dz)
        for (int dy = -1; dy <= 1; ++dy) {
            const u8* const row = mask + ((z + dz) * ny + y + dy) * nx + x;
            if (row[-1] == 0 || row[0] == 0 || row[1] == 0) return false;
        }
    return true;
}
