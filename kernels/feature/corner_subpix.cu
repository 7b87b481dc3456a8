// Corners to a fraction of a pixel, by the gradients in a window around each: nine sums of squares and
// products of gradients, two systems of two equations, which place a dot and where edges meet, their residuals,
// and the place by the one that fits. A block has a corner; it reads the window twice (from cache).
//
// image: bool, (u)int8..64, float16/32/64, (rows, columns), C-contiguous; 0 stands beyond the border.
// Gradients and places are float for float16 and float32, else double; sums are double.
//
// Source: scikit-image `feature.corner_subpix`; W. Förstner, E. Gülch, "A fast operator for detection
// and precise location of distinct points, corners and centres of circular features", 1987.
#include "common/reduce.cuh"
#include "common/tile.cuh"

constexpr int THREADS = 64;  // of a block, at most

// The gradients of an image by Sobel's operator without weights.
template <class T> struct Gradients {
    typedef typename Working<T>::type W;
    const T* image;
    i64 rows, columns;

    __device__ W at(i64 y, i64 x) const {
        return y < 0 || y >= rows || x < 0 || x >= columns ? (W)0 : (W)image[y * columns + x];
    }
    // One axis' difference, and the other's smoothing.
    static __device__ W difference(double before, double behind) {
        return (W)(behind - before);
    }
    static __device__ W smooth(double before, double here, double behind) {
        return (W)(here * 2.0 + (before + behind));
    }
    __device__ W down(i64 y, i64 x) const {
        const W left = difference(at(y - 1, x - 1), at(y + 1, x - 1));
        const W here = difference(at(y - 1, x), at(y + 1, x));
        return smooth(left, here, difference(at(y - 1, x + 1), at(y + 1, x + 1)));
    }
    __device__ W across(i64 y, i64 x) const {
        const W above = difference(at(y - 1, x - 1), at(y - 1, x + 1));
        const W here = difference(at(y, x - 1), at(y, x + 1));
        return smooth(above, here, difference(at(y + 1, x - 1), at(y + 1, x + 1)));
    }
};

// Products of an element's gradients.
template <class W> struct Products {
    W xx, xy, yy;
    template <class T> __device__ Products(const Gradients<T>& gradients, i64 y, i64 x) {
        const W across = gradients.across(y, x), down = gradients.down(y, x);
        xx = across * across;
        xy = across * down;
        yy = down * down;
    }
};

// Of products, and of these by their places from the window's middle.
struct Sums {
    double xx, xy, yy, xx_x, xx_y, xy_x, xy_y, yy_x, yy_y;
    __device__ Sums operator+(const Sums& other) const {
        return {xx + other.xx,     xy + other.xy,     yy + other.yy,     xx_x + other.xx_x, xx_y + other.xx_y,
                xy_x + other.xy_x, xy_y + other.xy_y, yy_x + other.yy_x, yy_y + other.yy_y};
    }
};
struct Residuals {
    double dot, edge;
    __device__ Residuals operator+(const Residuals& other) const { return {dot + other.dot, edge + other.edge}; }
};

// Where a dot or an edge is, from the window's middle; nowhere if its equations are singular.
struct Place {
    double y, x;
    bool is_singular;
};

// Of a y + b x = e and b y + d x = f, whose numbers are rounded to W, by elimination from the larger pivot.
template <class W> __device__ inline Place solved(double of_a, double of_b, double of_d, double of_e, double of_f) {
    double a = (W)of_a, b = (W)of_b, c = b, d = (W)of_d, e = (W)of_e, f = (W)of_f;
    if (fabs(c) > fabs(a)) {
        const double rows[3] = {a, b, e};
        a = c, b = d, e = f;
        c = rows[0], d = rows[1], f = rows[2];
    }
    const double factor = c / a, rest = d - factor * b;
    if (a == 0 || rest == 0) return {0, 0, true};
    const double x = (f - factor * e) / rest;
    return {(W)((e - b * x) / a), (W)x, false};
}

// The sum over a block of what its threads have, for all of them. A barrier must not follow.
template <class T> __device__ inline T block_total(const T& mine, T* scratch) {
    __syncthreads();
    scratch[threadIdx.x] = mine;
    block_reduce(scratch, blockDim.x, [](const T& a, const T& b) { return a + b; });
    __syncthreads();
    return scratch[0];
}

// result: places, not a number where neither test decides. outside: becomes 1 where a corner lies on the border or
// outside.
template <class T>
__global__ void __launch_bounds__(THREADS, 1)
refine_corners(const T* image, const i64* corners, i64 rows, i64 columns, i64 count, i64 reach, double most_of_edge,
               double least_of_dot, int* outside, typename Working<T>::type* result) {
    typedef typename Working<T>::type W;
    __shared__ Sums of_sums[THREADS];
    __shared__ Residuals of_residuals[THREADS];
    const Gradients<T> gradients = {image, rows, columns};
    const i64 side = 2 * reach + 1;
    for (i64 corner = blockIdx.x; corner < count; corner += gridDim.x) {
        const i64 top = corners[2 * corner], left = corners[2 * corner + 1];
        if (top < 1 || top > rows - 2 || left < 1 || left > columns - 2) {
            if (threadIdx.x == 0) *outside = 1;
            continue;
        }
        Sums mine = {};
        for (i64 k = threadIdx.x; k < side * side; k += blockDim.x) {
            const i64 y = k / side - reach, x = k % side - reach;
            const Products<W> products(gradients, top + y, left + x);
            const double xx = products.xx, xy = products.xy, yy = products.yy;
            mine = mine + Sums{xx, xy, yy, xx * x, xx * y, xy * x, xy * y, yy * x, yy * y};
        }
        const Sums sums = block_total(mine, of_sums);
        const auto dot = solved<W>(sums.xx, -sums.xy, sums.yy, sums.xx_y - sums.xy_x, sums.yy_x - sums.xy_y);
        const auto edge = solved<W>(sums.yy, sums.xy, sums.xx, sums.yy_y + sums.xy_x, sums.xx_x + sums.xy_y);
        Residuals rest = {};
        for (i64 k = threadIdx.x; k < side * side; k += blockDim.x) {
            const i64 y = k / side - reach, x = k % side - reach;
            const Products<W> products(gradients, top + y, left + x);
            const double xx = products.xx, xy2 = 2 * products.xy, yy = products.yy;
            const double dy = y - dot.y, dx = x - dot.x, ey = y - edge.y, ex = x - edge.x;
            rest = rest + Residuals{xx * dy * dy - xy2 * dx * dy + yy * dx * dx, yy * ey * ey + xy2 * ex * ey + xx * ex * ex};
        }
        const Residuals residuals = block_total(rest, of_residuals);
        if (threadIdx.x > 1) continue;
        const double spacing = 2.220446049250313e-16;
        const double infinity = (double)__uint_as_float(0x7f800000u), none = infinity - infinity;
        const double ratio = residuals.dot < spacing && residuals.edge < spacing ? none
                             : residuals.dot == 0                               ? infinity
                                                                                : residuals.edge / residuals.dot;
        const int kind = dot.is_singular || edge.is_singular ? 0 : (int)(ratio < most_of_edge) - (int)(ratio > least_of_dot);
        const double y = kind < 0 ? dot.y : edge.y, x = kind < 0 ? dot.x : edge.x;
        for (int axis = threadIdx.x; axis < 2; axis += blockDim.x) {
            const double moved = (double)(corners[2 * corner + axis] + reach) + (axis ? x : y);
            result[2 * corner + axis] = kind ? (W)((W)moved - (W)reach) : (W)none;
        }
    }
}
