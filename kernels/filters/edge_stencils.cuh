// The stencils of the edge filters on a window of a tile in shared memory, and the
// erosion of their masks.
//
// A stencil is a struct that comes by value from the host, with RADIUS and
//
//     template <class View> void operator()(W* value, const View& window) const
//
// which writes LANES results of a volume,
//
//     template <int RUN, class View> void march(W (&value)[RUN][LANES], const View& window) const
//
// which writes as many of a plane for each of RUN rows, of which the window is at the first, and
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
    static constexpr bool ORDERED = sizeof(W) == 8;
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
        // 5 x 5 x 5 elements in double, all at once, are more than the registers hold
        constexpr int ROWS_AT_ONCE = ORDERED && R > 1 ? 1 : 2 * R + 1;
#pragma unroll
        for (int dz = ORDERED || AXIS != 0 ? -R : 1; dz <= R; ++dz)
#ifdef CUDA_SIMULATOR
#pragma GCC unroll 5
#else
#pragma unroll(ROWS_AT_ONCE)
#endif
            for (int dy = ORDERED || AXIS != 1 ? -R : 1; dy <= R; ++dy)
#pragma unroll
                for (int dx = ORDERED || AXIS != 2 ? -R : 1; dx <= R; ++dx) {
                    if ((AXIS == 0 ? dz : AXIS == 1 ? dy : dx) == 0) continue;
                    const W factor = weight<AXIS>(dz, dy, dx);
                    const W* const line = window.at(dz, dy, dx);
                    const W* const opposite = window.at(AXIS == 0 ? -dz : dz, AXIS == 1 ? -dy : dy,
                                                        AXIS == 2 ? -dx : dx);
#pragma omp simd
                    for (int l = 0; l < LANES; ++l)
                        gradient[l] = added<EXACT>(gradient[l], factor,
                                                   ORDERED ? line[l] : line[l] - opposite[l]);
                }
#pragma omp simd
        for (int l = 0; l < LANES; ++l)
            sum[l] = is_magnitude ? with_square<AXIS>(sum[l], gradient[l]) : gradient[l];
    }

    template <int AXIS> __device__ W with_square(W sum, W gradient) const {
        const W square = rounded_product(gradient, gradient);
        return times[AXIS] == 1 ? sum + square : plus_product(sum, (W)times[AXIS], square);
    }

    template <class View> __device__ void operator()(W* value, const View& window) const {
#pragma omp simd
        for (int l = 0; l < LANES; ++l) value[l] = 0;
        if (times[0] != 0) add<0>(value, window);
        if (times[1] != 0) add<1>(value, window);
        if (times[2] != 0) add<2>(value, window);
        if (is_magnitude)
#pragma omp simd
            for (int l = 0; l < LANES; ++l) value[l] = divided(sqrt(value[l]), norm);
    }

    template <int RUN, class View> __device__ void march(W (&value)[RUN][LANES], const View& window) const {
        if (R == 1 && CAN_BE_EXACT && is_exact)
            march_along<R == 1 && CAN_BE_EXACT>(value, window);
        else
            march_along<false>(value, window);
    }

    template <bool EXACT, int RUN, class View>
    __device__ void march_along(W (&value)[RUN][LANES], const View& window) const {
        if (is_magnitude) {
            W across[RUN][LANES];
            add_rows<true, true, EXACT>(value, across, window);
            add_squares(value, across);
#pragma unroll
            for (int i = 0; i < RUN; ++i)
#pragma omp simd
                for (int l = 0; l < LANES; ++l) value[i][l] = divided(sqrt(value[i][l]), norm);
        } else if (times[1] != 0) {
            add_rows<true, false, EXACT>(value, value, window);
        } else {
            add_rows<false, true, EXACT>(value, value, window);
        }
    }

    // The sums of squares that are magnitudes, of gradients `value` down and others across.
    template <int RUN> __device__ void add_squares(W (&value)[RUN][LANES], const W (&across)[RUN][LANES]) const {
        const bool once = times[1] == 1 && times[2] == 1;
#pragma unroll
        for (int i = 0; i < RUN; ++i)
#pragma omp simd
            for (int l = 0; l < LANES; ++l) {
                const W first = rounded_product(value[i][l], value[i][l]);
                const W second = rounded_product(across[i][l], across[i][l]);
                if (once) {
                    value[i][l] = first + second;
                } else {
                    const W sum = times[1] != 0 ? rounded_product((W)times[1], first) : (W)0;
                    value[i][l] = times[2] != 0 ? plus_product(sum, (W)times[2], second) : sum;
                }
            }
    }

    // Gradients along both axes, or one of them, of RUN rows. Each row of elements goes into all gradients that it
    // is a part of, which so have the rows one after the other, and is multiplied once for two of them.
    template <bool DOWN, bool ACROSS, bool EXACT, int RUN, class View>
    __device__ void add_rows(W (&down)[RUN][LANES], W (&across)[RUN][LANES], const View& window) const {
#pragma unroll
        for (int i = 0; i < RUN; ++i)
#pragma omp simd
            for (int l = 0; l < LANES; ++l) {
                if (DOWN) down[i][l] = 0;
                if (ACROSS) across[i][l] = 0;
            }
#pragma unroll
        for (int j = -R; j < RUN + R; ++j)
#pragma unroll
            for (int d = 0; d <= R; ++d)
#pragma unroll
                for (int dx = -R; dx <= R; ++dx) {
                    const int above = j - d, below = j + d;  // rows of gradients
                    const W* const line = window.at(0, j, dx);
                    if (DOWN && d > 0) {
                        const W factor = weight<1>(0, d, dx);
                        if (above >= 0 && above < RUN)
                            add_to<EXACT>(down[above], factor, line, window.at(0, j - 2 * d, dx));
                        if (ORDERED && below >= 0 && below < RUN) subtract_from<EXACT>(down[below], factor, line);
                    }
                    if (ACROSS && dx != 0 && (ORDERED || dx > 0)) {
                        const W factor = weight<2>(0, d, dx < 0 ? -dx : dx);
                        const W* const opposite = window.at(0, j, -dx);
#pragma unroll
                        for (int side = 0; side < (d > 0 ? 2 : 1); ++side) {
                            const int i = side == 0 ? above : below;
                            if (i < 0 || i >= RUN) continue;
                            if (dx > 0)
                                add_to<EXACT>(across[i], factor, line, opposite);
                            else
                                subtract_from<EXACT>(across[i], factor, line);
                        }
                    }
                }
    }

    // A part of a gradient; in float that of both of a difference's elements.
    template <bool EXACT>
    static __device__ void add_to(W (&gradient)[LANES], W factor, const W* line, const W* opposite) {
#pragma omp simd
        for (int l = 0; l < LANES; ++l)
            gradient[l] = added<EXACT>(gradient[l], factor, ORDERED ? line[l] : line[l] - opposite[l]);
    }
    template <bool EXACT> static __device__ void subtract_from(W (&gradient)[LANES], W factor, const W* line) {
#pragma omp simd
        for (int l = 0; l < LANES; ++l)
            gradient[l] = EXACT ? fma(-factor, line[l], gradient[l]) : gradient[l] - rounded_product(factor, line[l]);
    }

    template <class View> __device__ W outside(W value, const View&, int) const { return value * 0; }
};

// Differences to neighbours, without smoothing.
enum DifferenceKind { LAPLACE = 0, ROBERTS = 1, ROBERTS_POSITIVE = 2, ROBERTS_NEGATIVE = 3 };

template <class W> struct Difference {
    static constexpr int RADIUS = 1;
    int kind;

    template <class View> __device__ void operator()(W* value, const View& window) const {
        laplacian(value, window);
    }

    template <int RUN, class View> __device__ void march(W (&value)[RUN][LANES], const View& window) const {
        if (kind == ROBERTS)
            march_as<ROBERTS>(value, window);
        else if (kind == ROBERTS_POSITIVE)
            march_as<ROBERTS_POSITIVE>(value, window);
        else if (kind == ROBERTS_NEGATIVE)
            march_as<ROBERTS_NEGATIVE>(value, window);
        else
            march_as<LAPLACE>(value, window);
    }

    template <DifferenceKind KIND, int RUN, class View>
    static __device__ void march_as(W (&value)[RUN][LANES], View window) {
#pragma unroll
        for (int i = 0; i < RUN; ++i, window.plane[0] = window.at(0, 1, 0)) {
            if (KIND == LAPLACE) {
                laplacian(value[i], window);
                continue;
            }
            const W *const here = window.at(0, 0, 0), *const below = window.at(0, 1, 0);
#pragma omp simd
            for (int l = 0; l < LANES; ++l) {
                const W positive = below[l + 1] - here[l], negative = below[l] - here[l + 1];
                if (KIND == ROBERTS) {
                    const W sum = plus_product(plus_product((W)0, positive, positive), negative, negative);
                    value[i][l] = divided(sqrt(sum), divisor_of((W)1.41421356237309504880));
                } else {
                    value[i][l] = KIND == ROBERTS_POSITIVE ? positive : negative;
                }
            }
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
