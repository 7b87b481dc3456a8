// The Hessian of a smoothed image of N axes by differences, and its determinant. hessian.cu has
// the way of two axes, which smooths too.
//
// Image: float or double, C-contiguous. Results: of its type; the matrix as a stack of its
// N * (N + 1) / 2 elements' images, the upper triangle row by row. One launch; each element is
// read once (its neighbours again, from cache), each result is written once.
//
// Source: scikit-image `feature.hessian_matrix`, `hessian_matrix_det`, NumPy `gradient` and
// `linalg.det` (LAPACK's elimination with partial pivoting).
#include "common/types.cuh"

template <int N> struct Lengths {
    i64 along[N];
};

// An element of the image and its place.
template <class W, int N> struct Place {
    const W* here;
    i64 index[N], length[N], stride[N];

    __device__ Place(const W* image, i64 i, const Lengths<N>& lengths) : here(image + i) {
        i64 apart = 1;
#pragma unroll
        for (int axis = N - 1; axis >= 0; --axis) {
            length[axis] = lengths.along[axis];
            index[axis] = i % length[axis];
            i /= length[axis];
            stride[axis] = apart;
            apart *= length[axis];
        }
    }

    // numpy.gradient along an axis at `from`, whose index along it is given: half the
    // difference of both neighbours, at an end that to the only one.
    __device__ W slope(const W* from, int axis, i64 at) const {
        const bool first = at == 0, last = at == length[axis] - 1;
        const W apart = from[last ? 0 : stride[axis]] - from[first ? 0 : -stride[axis]];
        return first || last ? apart : apart / 2;
    }

    // The gradient along q of that along p.
    __device__ W slope_of_slopes(int p, int q) const {
        const int up = index[q] == length[q] - 1 ? 0 : 1, down = index[q] == 0 ? 0 : 1;
        const W after = slope(here + up * stride[q], p, index[p] + (p == q ? up : 0));
        const W before = slope(here - down * stride[q], p, index[p] - (p == q ? down : 0));
        return up + down == 2 ? (after - before) / 2 : after - before;
    }
};

template <class W, int N>
__global__ void __launch_bounds__(256)
    hessian_nd(const W* image, W* results, i64 n, const Lengths<N> lengths) {
    const i64 step = (i64)gridDim.x * blockDim.x;
    for (i64 i = (i64)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
        const Place<W, N> place(image, i, lengths);
        W* result = results + i;
#pragma unroll
        for (int p = 0; p < N; ++p)
#pragma unroll
            for (int q = p; q < N; ++q, result += n) *result = place.slope_of_slopes(p, q);
    }
}

// In double, as NumPy has it. The largest element of a column below the diagonal is its pivot.
template <int N> __device__ inline double determinant(double (&matrix)[N][N]) {
    double product = 1;
#pragma unroll
    for (int k = 0; k < N; ++k) {
#pragma unroll
        for (int r = k + 1; r < N; ++r)
            if (fabs(matrix[r][k]) > fabs(matrix[k][k])) {
                product = -product;
#pragma unroll
                for (int c = k; c < N; ++c) {
                    const double swapped = matrix[k][c];
                    matrix[k][c] = matrix[r][c];
                    matrix[r][c] = swapped;
                }
            }
        if (matrix[k][k] == 0) return 0;
        product *= matrix[k][k];
#pragma unroll
        for (int r = k + 1; r < N; ++r) {
            const double factor = matrix[r][k] / matrix[k][k];
#pragma unroll
            for (int c = k + 1; c < N; ++c) matrix[r][c] -= factor * matrix[k][c];
        }
    }
    return product;
}

template <class W, int N>
__global__ void __launch_bounds__(256)
    determinant_nd(const W* image, W* result, i64 n, const Lengths<N> lengths) {
    const i64 step = (i64)gridDim.x * blockDim.x;
    for (i64 i = (i64)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
        const Place<W, N> place(image, i, lengths);
        double matrix[N][N];
#pragma unroll
        for (int p = 0; p < N; ++p)
#pragma unroll
            for (int q = p; q < N; ++q) matrix[p][q] = matrix[q][p] = place.slope_of_slopes(p, q);
        result[i] = (W)determinant(matrix);
    }
}
