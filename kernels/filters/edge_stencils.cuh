// The stencils of the edge filters on a window of a tile in shared memory, and the
// erosion of their masks.
//
// A stencil is a struct that comes by value from the host, with RADIUS and
//
//     template <class View> void operator()(W* value, const View& window) const
//
// which writes LANES results, and
//
//     template <class View> W outside(W value, const View& window, int l) const
//
// which is what becomes of the result `value` of lane l where the mask is eroded: 0, or NaN where
// scikit-image multiplies by 0 what is not finite. Any thread may call them; they need no barrier.
#pragma once
#include "common/double_bits.cuh"
#include "common/rounded.cuh"
#include "common/tile.cuh"

// Elements of one thread's LANES columns, by their distance (dz, dy, dx) from its own.
template <class W, int DIMENSIONS, int RADIUS, int PITCH> struct Window {
    static constexpr int NDIM = DIMENSIONS;
    static constexpr int PLANES = NDIM == 3 ? 2 * RADIUS + 1 : 1;
    const W* plane[PLANES];  // at the thread's own row and first column

    __device__ const W* at(int dz, int dy, int dx) const {
        return plane[NDIM == 3 ? dz + RADIUS : 0] + dy * PITCH + dx;
    }
};

// Gradients: a difference along an axis, smoothed along all others; R is 1 for three taps
// and 2 for five. The axes are numbered as in 3-D; a 2-D image has axes 1 and 2.
//
// In double, weights are multiplied and elements are added in the order of scikit-image
// and SciPy, for equal results. In float, differences are taken first: SciPy sums in double
// there, and the digits of a faint edge on a bright background must not drown.
template <class W, int R> struct Gradient {
    static constexpr int RADIUS = R;
    // Weight of an element before that at distance 1, ... of the difference along an axis, and
    // at distances 0, 1, ... along the two others, the first of them first.
    W weights[3][R][R + 1][R + 1];
    Divisor<W> norm;   // of the magnitude
    int times[3];      // how often an axis counts; zero: not at all
    int is_magnitude;  // else the gradient itself, along the one axis that counts
    // Whether products with weights are exact: all are powers of two, and elements fractions that
    // integers made. Then one operation adds a product.
    int is_exact;

    template <int AXIS> __device__ W weight(int dz, int dy, int dx) const {
        const int along = AXIS == 0 ? dz : AXIS == 1 ? dy : dx;
        const int first = AXIS == 0 ? dy : dz, second = AXIS == 2 ? dy : dx;
        const W w = weights[AXIS][(along < 0 ? -along : along) - 1][first < 0 ? -first : first][second < 0 ? -second : second];
        return along < 0 ? -w : w;
    }

    // The simulator's CPUs may have no such operation.
#ifdef SIM_FLAT
    static constexpr bool CAN_BE_EXACT = false;
#else
    static constexpr bool CAN_BE_EXACT = sizeof(W) == 8;
#endif
    template <bool EXACT> static __device__ W added(W sum, W factor, W value) {
        return EXACT ? fma(factor, value, sum) : plus_product(sum, factor, value);
    }

    template <int AXIS, class View> __device__ void add(W* sum, const View& window) const {
        if (CAN_BE_EXACT && is_exact)
            add_as<AXIS, CAN_BE_EXACT>(sum, window);
        else
            add_as<AXIS, false>(sum, window);
    }

    template <int AXIS, bool EXACT, class View> __device__ void add_as(W* sum, const View& window) const {
        W gradient[LANES];
#pragma omp simd
        for (int l = 0; l < LANES; ++l) gradient[l] = 0;
        constexpr bool ordered = sizeof(W) == 8;
        constexpr int Z = View::NDIM == 3 ? R : 0;
        // 5 x 5 x 5 elements in double, all at once, are more than the registers hold
        constexpr int ROWS_AT_ONCE = ordered && View::NDIM == 3 && R > 1 ? 1 : 2 * R + 1;
#pragma unroll
        for (int dz = ordered || AXIS != 0 ? -Z : 1; dz <= Z; ++dz)
#ifdef CUDA_SIMULATOR
#pragma GCC unroll 5
#else
#pragma unroll(ROWS_AT_ONCE)
#endif
            for (int dy = ordered || AXIS != 1 ? -R : 1; dy <= R; ++dy)
#pragma unroll
                for (int dx = ordered || AXIS != 2 ? -R : 1; dx <= R; ++dx) {
                    if ((AXIS == 0 ? dz : AXIS == 1 ? dy : dx) == 0) continue;
                    const W factor = weight<AXIS>(dz, dy, dx);
                    const W* const line = window.at(dz, dy, dx);
                    const W* const opposite = window.at(AXIS == 0 ? -dz : dz, AXIS == 1 ? -dy : dy,
                                                        AXIS == 2 ? -dx : dx);
#pragma omp simd
                    for (int l = 0; l < LANES; ++l)
                        gradient[l] = added<EXACT>(gradient[l], factor,
                                                   ordered ? line[l] : line[l] - opposite[l]);
                }
#pragma omp simd
        for (int l = 0; l < LANES; ++l)
            sum[l] = !is_magnitude      ? gradient[l]
                     : times[AXIS] == 1 ? sum[l] + squared(gradient[l])
                                        : plus_product(sum[l], (W)times[AXIS], squared(gradient[l]));
    }

    static __device__ W squared(W x) { return rounded_product(x, x); }

    template <class View> __device__ void operator()(W* value, const View& window) const {
#pragma omp simd
        for (int l = 0; l < LANES; ++l) value[l] = 0;
        if (View::NDIM == 3 && times[0] != 0) add<0>(value, window);
        if (times[1] != 0) add<1>(value, window);
        if (times[2] != 0) add<2>(value, window);
        if (is_magnitude)
#pragma omp simd
            for (int l = 0; l < LANES; ++l) value[l] = divided(sqrt(value[l]), norm);
    }

    template <class View> __device__ W outside(W value, const View&, int) const { return value * 0; }
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
                const W sum = plus_product(plus_product((W)0, positive, positive), negative, negative);
                value[l] = sqrt(sum) / (W)1.41421356237309504880;
            }
        } else if (kind == ROBERTS_POSITIVE) {
#pragma omp simd
            for (int l = 0; l < LANES; ++l) value[l] = below[l + 1] - here[l];
        } else if (kind == ROBERTS_NEGATIVE) {
#pragma omp simd
            for (int l = 0; l < LANES; ++l) value[l] = below[l] - here[l + 1];
        } else {
            laplacian(value, window);
        }
    }

    // Of Roberts' cross scikit-image masks both diagonals, before their squares may be infinite.
    template <class View> __device__ W outside(W value, const View& window, int l) const {
        if (kind != ROBERTS) return value * 0;
        const W *const here = window.at(0, 0, 0) + l, *const below = window.at(0, 1, 0) + l;
        return fabs((below[1] - here[0]) * 0) + fabs((below[0] - here[1]) * 0);
    }

    // As for gradients: SciPy's order in double (neighbours before, the centre, neighbours
    // after), differences in float.
    template <class View> static __device__ void laplacian(W* value, const View& window) {
        constexpr bool ordered = sizeof(W) == 8;
        const W* const here = window.at(0, 0, 0);
#pragma omp simd
        for (int l = 0; l < LANES; ++l) value[l] = 0;
#pragma unroll
        for (int axis = 3 - View::NDIM; axis < 3; ++axis) {
            const W* const before = window.at(-(axis == 0), -(axis == 1), -(axis == 2));
#pragma omp simd
            for (int l = 0; l < LANES; ++l) value[l] += ordered ? -before[l] : here[l] - before[l];
        }
        if (ordered)
#pragma omp simd
            for (int l = 0; l < LANES; ++l)
                value[l] = plus_product(value[l], (W)(2 * View::NDIM), here[l]);
#pragma unroll
        for (int axis = 2; axis >= 3 - View::NDIM; --axis) {
            const W* const after = window.at(axis == 0, axis == 1, axis == 2);
#pragma omp simd
            for (int l = 0; l < LANES; ++l) value[l] += ordered ? -after[l] : here[l] - after[l];
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
