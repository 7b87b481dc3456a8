// Eigenvalues of a symmetric matrix of 2 x 2, in NumPy's operations: equal to the last bit.
//
// Source: skimage/feature/corner.py, _symmetric_compute_eigenvalues.
#pragma once
#include "common/rounded.cuh"

template <class V> struct Eigenvalues {
    V large, small;
};

// T: the type of NumPy's arrays, V what its values are computed in. Any thread.
template <class T, class V> __device__ inline Eigenvalues<V> eigenvalues_of(V first, V between, V last) {
    using A = NumpyArithmetic<T>;
    const V mean = A::divide(A::add(first, last), (V)2);
    const V half = A::divide(A::subtract(first, last), (V)2);
    const V squares = A::add(A::multiply(between, between), A::multiply(half, half));
    const V root = A::add((V)sqrt(squares), (V)0);  // rounded to the type
    return {A::add(mean, root), A::subtract(mean, root)};
}
