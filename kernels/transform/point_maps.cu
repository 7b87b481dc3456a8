// Points of a plane, moved by a polynomial or by a thin-plate spline.
//
//     polynomial          sums of products of powers of x and y
//     thin_plate_spline   an affine map and what each control point adds, by its distance
//
// A thread moves one point: it reads two coordinates and writes two in double. The numbers of the map are
// read by all (from cache; control points by way of shared memory), so that the matrix of all distances,
// which scikit-image makes, is not there.
//
// Powers and products are those of NumPy: integers wrap around in their own type, powers of floats are
// rounded in theirs. The products of a thin-plate spline are added up in the order of the control points,
// where NumPy leaves it to a library for linear algebra.
//
// Source: scikit-image `transform.PolynomialTransform` and `ThinPlateSplineTransform` (F. L. Bookstein,
// "Principal warps: thin-plate splines and the decomposition of deformations", 1989).
#include "common/half.cuh"

constexpr int TILE = 256;  // control points in shared memory

// `base` to the power of `exponent`, in the type of `base`.
template <class T> struct Power {
    static __device__ double of(T base, int exponent) {
        u64 product = 1;  // of which the last bits are those of the type
        for (int k = 0; k < exponent; ++k) product *= (u64)base;
        return (double)(T)product;
    }
};
template <> struct Power<double> {
    static __device__ double of(double base, int exponent) {
        return exponent == 0 ? 1.0 : exponent == 1 ? base : exponent == 2 ? base * base : pow(base, (double)exponent);
    }
};
template <> struct Power<float> {
    static __device__ double of(float base, int exponent) {
        return (double)(float)Power<double>::of((double)base, exponent);
    }
};
template <> struct Power<float16> {
    static __device__ double of(float16 base, int exponent) {
        return (double)round_to_half((float)Power<double>::of((double)(float)base, exponent));
    }
};

// coords, result: (count, columns), of which the first two are x and y; the others become 0
// params:         (2, terms), for powers of x from `order` down and those of y up, order by order
template <class T>
__global__ void polynomial(const T* coords, const double* params, i64 count, i64 columns, int order, i64 terms,
                           double* result) {
    const i64 stride = gridDim.x * (i64)blockDim.x;
    for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < count; i += stride) {
        const T x = coords[i * columns], y = coords[i * columns + 1];
        double sums[2] = {0, 0};
        i64 term = 0;
        for (int degree = 0; degree <= order; ++degree)
            for (int k = 0; k <= degree; ++k, ++term) {
                const double across = Power<T>::of(x, degree - k), down = Power<T>::of(y, k);
                sums[0] += params[term] * across * down;
                sums[1] += params[terms + term] * across * down;
            }
        for (i64 k = 0; k < columns; ++k) result[i * columns + k] = k == 0 ? sums[0] : k == 1 ? sums[1] : 0.0;
    }
}

struct Pair {
    double x, y;
};

// controls: of each of n points its place; mapping: its weights, and then those of 1, x and y
__global__ void thin_plate_spline(const Pair* coords, const Pair* controls, const Pair* mapping, i64 count, i64 n,
                                  Pair* result) {
    __shared__ Pair places[TILE];
    __shared__ Pair weights[TILE];
    const i64 stride = gridDim.x * (i64)blockDim.x;
    for (i64 first = blockIdx.x * (i64)blockDim.x; first < count; first += stride) {
        const i64 i = first + threadIdx.x;
        const Pair at = i < count ? coords[i] : Pair{0, 0};
        Pair sum = {0, 0};
        for (i64 begin = 0; begin < n; begin += TILE) {
            const int here = n - begin < TILE ? (int)(n - begin) : TILE;
            __syncthreads();
            for (int k = threadIdx.x; k < here; k += blockDim.x) {
                places[k] = controls[begin + k];
                weights[k] = mapping[begin + k];
            }
            __syncthreads();
            for (int k = 0; k < here; ++k) {
                const double dx = places[k].x - at.x, dy = places[k].y - at.y;
                const double distance = sqrt(dx * dx + dy * dy), square = distance * distance;
                const double bend = distance == 0 ? 0.0 : square * log(square + 1e-8);
                sum.x += bend * weights[k].x;
                sum.y += bend * weights[k].y;
            }
        }
        const Pair one = mapping[n], x = mapping[n + 1], y = mapping[n + 2];
        if (i < count)
            result[i] = {one.x + (at.x * x.x + at.y * y.x) + sum.x, one.y + (at.x * x.y + at.y * y.y) + sum.y};
    }
}
