// The finite Radon transform of square planes and its inverse: sums along the lines of a torus.
//
// What: element (m, j) of the transform sums the elements (row, j + m * row) of all rows, those of
// the last row sum a row each; the inverse goes the other way along the lines. Elements are
// gathered: no row is rolled. Sums are of 32 bits, modulo 2^32, which is what becomes of
// scikit-image's 64 bits when it stores them, so that results are equal.
//
// Plane: (n, n), bool and integers; transform: (n + 1, n), u32; inverse: (n, n), double. One launch
// each; what comes in is read once (n times, from cache), the result is written once. Threads that
// are neighbours read neighbouring elements.
//
// Source: skimage/transform/finite_radon_transform.py; A. Kingston and I. Svalbe, "Projective
// transforms on periodic discrete image arrays", Advances in Imaging and Electron Physics 139, 2006.
#include "common/types.cuh"

template <class T> __global__ void frt(const T* plane, u32* result, i64 n) {
    const i64 step = (i64)gridDim.x * blockDim.x;
    for (i64 i = (i64)blockIdx.x * blockDim.x + threadIdx.x; i < (n + 1) * n; i += step) {
        const i64 m = i / n, j = i - m * n;
        u32 sum = 0;
        i64 at = j;
        for (i64 row = 0; row < n; ++row) {
            sum += (u32)(i64)plane[m < n ? row * n + at : j * n + row];
            at += m;
            if (at >= n) at -= n;
        }
        result[i] = sum;
    }
}

// Wide: of the sum of the first row, from which scikit-image's differences have their type.
template <class T> struct Wide { typedef u64 type; };
template <> struct Wide<bool> { typedef i64 type; };

template <class T> __global__ void ifrt(const T* transform, double* result, i64 n) {
    typedef typename Wide<T>::type S;
    const i64 step = (i64)gridDim.x * blockDim.x;
    for (i64 i = (i64)blockIdx.x * blockDim.x + threadIdx.x; i < n * n; i += step) {
        const i64 m = i / n, j = i - m * n;
        u32 sum = (u32)transform[n * n + m];
        S all = 0;
        i64 at = j;
        for (i64 row = 0; row < n; ++row) {
            sum += (u32)transform[row * n + at];
            all += (S)transform[row];
            at -= m;
            if (at < 0) at += n;
        }
        result[i] = (double)((S)sum - all) / (double)n;
    }
}
