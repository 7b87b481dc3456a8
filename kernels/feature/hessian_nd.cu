// The Hessian of a smoothed image of N axes by differences, and its determinant. hessian.cu and
// hessian_3d.cu smooth too, along two axes and by small Gaussians.
//
// Image: float or double, C-contiguous. Results: of its type; the matrix as a stack of its
// N * (N + 1) / 2 elements' images, the upper triangle row by row. One launch; each element is
// read once (its neighbours again, from cache), each result is written once.
//
// Source: scikit-image `feature.hessian_matrix`, `hessian_matrix_det`, NumPy `gradient` and
// `linalg.det` (LAPACK's elimination with partial pivoting).
#include "feature/second_slopes.cuh"

template <int N> struct Lengths {
    i64 along[N];
};

// into(i, slopes, get) for each of n elements. Called by all threads of all blocks.
template <class W, int N, class Into>
__device__ inline void for_places(const W* image, i64 n, const Lengths<N>& lengths, const Into& into) {
    const i64 step = (i64)gridDim.x * blockDim.x;
    for (i64 i = (i64)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
        SecondSlopes<N> slopes;
        i64 stride[N], rest = i, apart = 1;
#pragma unroll
        for (int axis = N - 1; axis >= 0; --axis) {
            const i64 length = slopes.length[axis] = lengths.along[axis];
            slopes.index[axis] = rest % length;
            rest /= length;
            stride[axis] = apart;
            apart *= length;
        }
        into(i, slopes, [&](const int (&to)[N]) {
            const W* there = image + i;
#pragma unroll
            for (int axis = 0; axis < N; ++axis) there += to[axis] * stride[axis];
            return *there;
        });
    }
}

template <class W, int N>
__global__ void __launch_bounds__(256, 1)
    hessian_nd(const W* image, W* results, i64 n, const Lengths<N> lengths) {
    for_places(image, n, lengths, MatrixInto<W>{results, n});
}

template <class W, int N>
__global__ void __launch_bounds__(256, 1)
    determinant_nd(const W* image, W* result, i64 n, const Lengths<N> lengths) {
    for_places(image, n, lengths, DeterminantInto<W>{result});
}
