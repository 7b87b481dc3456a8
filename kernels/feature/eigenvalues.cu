// Eigenvalues of symmetric matrices that are given element by element, in decreasing order.
//
//   eigenvalues_2x2   float16, float or double, in NumPy's operations: equal to the last bit
//   eigenvalues_3x3   float or double, by Jacobi's method, in double
//
// m00, m01, ...: the elements of the upper triangles, an image of n each; result: the largest
// eigenvalues of all matrices, then the next ones. One launch; each element is read and each
// eigenvalue written once.
//
// Source: skimage/feature/corner.py, _symmetric_compute_eigenvalues.
#include "common/half.cuh"
#include "feature/eigenvalues.cuh"
#include "filters/ridge_formulas.cuh"

template <class T> struct Stored {
    static __device__ T of(T value) { return value; }
};
template <> struct Stored<float16> {
    static __device__ float16 of(float value) { return to_half(value); }
};

template <class T>
__global__ void eigenvalues_2x2(const T* m00, const T* m01, const T* m11, i64 n, T* result) {
    using V = typename NumpyArithmetic<T>::Value;
    const i64 step = (i64)gridDim.x * blockDim.x;
    for (i64 i = (i64)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
        const Eigenvalues<V> values = eigenvalues_of<T>((V)m00[i], (V)m01[i], (V)m11[i]);
        result[i] = Stored<T>::of(values.large);
        result[n + i] = Stored<T>::of(values.small);
    }
}

template <class T>
__global__ void eigenvalues_3x3(const T* m00, const T* m01, const T* m02, const T* m11, const T* m12, const T* m22,
                                i64 n, T* result) {
    const i64 step = (i64)gridDim.x * blockDim.x;
    for (i64 i = (i64)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
        const double upper[6] = {m00[i], m01[i], m02[i], m11[i], m12[i], m22[i]};
        double values[3];
        eigenvalues(upper, values);
#pragma unroll
        for (int k = 0; k < 3; ++k) result[k * n + i] = (T)values[k];
    }
}
