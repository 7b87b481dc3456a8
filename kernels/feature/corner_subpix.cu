// Corners to a fraction of a pixel, by the gradients in a window around each. Two kernels:
//
//     gradient_sums    of each window nine sums of squares and products of gradients
//     refine_corners   the residuals of two estimates, a dot and where edges meet; the place by the one that fits
//
// image: bool, (u)int8..64, float16/32/64, (rows, columns), C-contiguous; 0 stands beyond the border.
// Computed in float for float16 and float32, else in double, where scikit-image does, which sums
// weighted ones in double; each operation rounded, and sums added up, as NumPy does it. Between both
// kernels the host solves two equations of two unknowns for each corner, as LAPACK rounds them. A
// window is read once by a launch (its neighbours from cache).
//
// Source: scikit-image `feature.corner_subpix`; W. Förstner, E. Gülch, "A fast operator for detection
// and precise location of distinct points, corners and centres of circular features", 1987.
#include "common/pairwise.cuh"
#include "common/tile.cuh"

constexpr int SUMS = 9;       // A_xx A_xy A_yy, then b_xx b_xy b_yy, each by x and by y
constexpr int THREADS = 64;   // of a block, at most
constexpr int EIGHTHS = 8;    // sums of every eighth element
constexpr int DEPTH = 8;      // sums of halves that wait for the other half, at most
constexpr int PLACES = EIGHTHS + DEPTH;

// The gradients of an image by Sobel's operator as SciPy rounds them, without weights.
template <class T> struct Gradients {
    typedef typename Working<T>::type W;
    const T* image;
    i64 rows, columns;

    __device__ W at(i64 y, i64 x) const {
        return y < 0 || y >= rows || x < 0 || x >= columns ? (W)0 : (W)image[y * columns + x];
    }
    // One axis' difference, and the other's smoothing, of the neighbours and what is between them.
    static __device__ W difference(double before, double here, double behind) {
        return (W)(here * 0.0 + (before - behind) * -1.0);
    }
    static __device__ W smooth(double before, double here, double behind) {
        return (W)(here * 2.0 + (before + behind));
    }
    __device__ W down(i64 y, i64 x) const {
        const W left = difference(at(y - 1, x - 1), at(y, x - 1), at(y + 1, x - 1));
        const W here = difference(at(y - 1, x), at(y, x), at(y + 1, x));
        return smooth(left, here, difference(at(y - 1, x + 1), at(y, x + 1), at(y + 1, x + 1)));
    }
    __device__ W across(i64 y, i64 x) const {
        const W above = difference(at(y - 1, x - 1), at(y - 1, x), at(y - 1, x + 1));
        const W here = difference(at(y, x - 1), at(y, x), at(y, x + 1));
        return smooth(above, here, difference(at(y + 1, x - 1), at(y + 1, x), at(y + 1, x + 1)));
    }
};

// Products of an element's gradients.
template <class W> struct Products {
    W xx, xy, yy;
    template <class T> __device__ Products(const Gradients<T>& gradients, i64 y, i64 x) {
        const W across = gradients.across(y, x), down = gradients.down(y, x);
        xx = rounded_product(across, across);
        xy = rounded_product(across, down);
        yy = rounded_product(down, down);
    }
};

// The sum of up to 128 elements as NumPy adds them up, of which `value` gives the i-th. Any thread.
//   lanes: shared memory of this thread, a place in every THREADS
template <class A, class Value> __device__ inline A sum_of_part(Part part, double* lanes, const Value& value) {
    const int length = (int)part.length, whole = length / EIGHTHS * EIGHTHS;
    const auto joined = [&]() {
        const auto lane = [&](int k) { return (A)lanes[k * THREADS]; };
        return ((lane(0) + lane(1)) + (lane(2) + lane(3))) + ((lane(4) + lane(5)) + (lane(6) + lane(7)));
    };
    A sum = 0;
#pragma unroll 1
    for (int i = 0; i < length; ++i) {
        const A element = value(part.begin + i);
        if (i < whole) {
            double* const lane = lanes + i % EIGHTHS * THREADS;
            *lane = i < EIGHTHS ? element : (A)*lane + element;
        } else {
            sum = (i == whole && whole ? joined() : sum) + element;
        }
    }
    return whole && whole == length ? joined() : sum;
}

// The same of n elements that are halved `depth` times until the first part has 128 at most.
//   places: shared memory of this thread, a place in every THREADS: EIGHTHS, and then DEPTH for sums that wait
template <class A, class Value> __device__ inline A pairwise_sum(i64 n, int depth, double* places, const Value& value) {
    double* const waiting = places + EIGHTHS * THREADS;
    A sum = 0;
    for (i64 number = 0; number < (i64)1 << depth; ++number) {
        const Part part = pairwise_part(n, depth, number);
        const i64 low = part.length > 128 ? lower_half(part.length) : part.length;
#pragma unroll 1
        for (int half = 0; half < 2; ++half) {
            if (half && low == part.length) break;
            const Part here = half ? Part{part.begin + low, part.length - low} : Part{part.begin, low};
            const A found = sum_of_part<A>(here, places, value);
            sum = half ? sum + found : found;
        }
        int level = 0;
        for (; number >> level & 1; ++level) sum = (A)waiting[level * THREADS] + sum;
        waiting[level * THREADS] = sum;
    }
    return sum;
}

// Calls function(i, places of this thread) for all i < n.
//   called by: all threads of all blocks
//   places: shared memory, PLACES * THREADS
template <class Function> __device__ inline void for_each(i64 n, double* places, const Function& function) {
    const int threads = blockDim.x < THREADS ? blockDim.x : THREADS;
    if (threadIdx.x >= threads) return;
    for (i64 i = blockIdx.x * (i64)threads + threadIdx.x; i < n; i += gridDim.x * (i64)threads)
        function(i, places + threadIdx.x);
}

// reach: of the windows; depth: how often their elements are halved. sums: SUMS for each corner; -1 where the
// corner lies on the border or outside.
template <class T>
__global__ void __launch_bounds__(THREADS, 1)
gradient_sums(const T* image, const i64* corners, i64 rows, i64 columns, i64 count, i64 reach, int depth,
              double* sums) {
    typedef typename Working<T>::type W;
    __shared__ double shared[PLACES * THREADS];
    const Gradients<T> gradients = {image, rows, columns};
    const i64 side = 2 * reach + 1;
    for_each(SUMS * count, shared, [&](i64 i, double* places) {
        const i64 corner = i / SUMS, top = corners[2 * corner], left = corners[2 * corner + 1];
        const int kind = (int)(i - corner * SUMS);
        if (top < 1 || top > rows - 2 || left < 1 || left > columns - 2) {
            sums[i] = -1;
            return;
        }
        const auto product = [&](i64 v, i64 u, int which) {
            const Products<W> products(gradients, top - reach + v, left - reach + u);
            return which == 0 ? products.xx : which == 1 ? products.xy : products.yy;
        };
        const i64 all = side * side;
        if (kind < 3) {
            sums[i] = pairwise_sum<W>(all, depth, places, [&](i64 k) {
                const i64 v = k / side;
                return product(v, k - v * side, kind);
            });
        } else {
            sums[i] = pairwise_sum<double>(all, depth, places, [&](i64 k) {
                const i64 v = k / side, u = k - v * side;
                return (double)product(v, u, (kind - 3) / 2) * (double)((kind - 3) % 2 ? v - reach : u - reach);
            });
        }
    });
}

// estimates: of each corner the dot's place and the edge's, each (y, x) from the window's middle; not a number
// where there is none. result: places, not a number where neither test decides.
template <class T>
__global__ void __launch_bounds__(THREADS, 1)
refine_corners(const T* image, const i64* corners, const typename Working<T>::type* estimates, i64 rows, i64 columns,
               i64 count, i64 reach, int depth, double most_of_edge, double least_of_dot,
               typename Working<T>::type* result) {
    typedef typename Working<T>::type W;
    __shared__ double shared[PLACES * THREADS];
    const Gradients<T> gradients = {image, rows, columns};
    const i64 side = 2 * reach + 1;
    for_each(count, shared, [&](i64 corner, double* places) {
        const i64 top = corners[2 * corner], left = corners[2 * corner + 1];
        const W* const dot = estimates + 4 * corner;
        const W* const edge = dot + 2;
        double of_dot = 0, of_edges = 0;
#pragma unroll 1
        for (int of_edge = 0; of_edge < 2; ++of_edge) {
            const double down = of_edge ? edge[0] : dot[0], across = of_edge ? edge[1] : dot[1];
            const double variance = pairwise_sum<double>(side * side, depth, places, [&](i64 k) {
                const i64 v = k / side, u = k - v * side;
                const Products<W> products(gradients, top - reach + v, left - reach + u);
                const double ry = (double)(v - reach) - down, rx = (double)(u - reach) - across;
                const double first = of_edge ? products.yy : products.xx, last = of_edge ? products.xx : products.yy;
                const double mixed = __dmul_rn((double)((W)2 * products.xy), __dmul_rn(rx, ry));
                const double begun = __dmul_rn(first, __dmul_rn(ry, ry));
                const double both = of_edge ? __dadd_rn(begun, mixed) : __dsub_rn(begun, mixed);
                return plus_product(both, last, __dmul_rn(rx, rx));
            });
            (of_edge ? of_edges : of_dot) = variance;
        }
        const double spacing = 2.220446049250313e-16;
        const double infinity = (double)__uint_as_float(0x7f800000u), none = infinity - infinity;
        const double ratio = of_dot < spacing && of_edges < spacing ? none : of_dot == 0 ? infinity : of_edges / of_dot;
        const int kind = (int)(ratio < most_of_edge) - (int)(ratio > least_of_dot);
        for (int axis = 0; axis < 2; ++axis) {
            const double padded = (double)(corners[2 * corner + axis] + reach);
            const W place = (W)(padded + (double)(kind < 0 ? dot[axis] : edge[axis]));
            result[2 * corner + axis] = kind ? (W)(place - (W)reach) : (W)none;
        }
    });
}
