// Area of a surface of triangles.
//
// Vertices: float or double, (n, 3); faces: int or i64, rows of `columns`, of which the first three number
// a triangle's vertices, negative ones from the last vertex on; all have to name one. One launch: faces are read once, the
// vertices of each where they lie; a number and a flag are written.
//
// Areas are added in NumPy's order, in the vertices' type.
//
// Source: scikit-image `measure.mesh_surface_area`; the products of NumPy's `cross`.
#include "common/pairwise.cuh"

template <class T> struct Vector {
    T x, y, z;
};

template <class T> __device__ inline Vector<T> difference(const T* vertices, i64 a, i64 b) {
    return {vertices[3 * a] - vertices[3 * b], vertices[3 * a + 1] - vertices[3 * b + 1],
            vertices[3 * a + 2] - vertices[3 * b + 2]};
}

// Twice the area.
template <class T> __device__ inline T doubled_area(const T* vertices, i64 first, i64 second, i64 third) {
    const Vector<T> a = difference(vertices, first, second), b = difference(vertices, first, third);
    const T x = rounded_product(a.y, b.z) - rounded_product(a.z, b.y);
    const T y = rounded_product(a.z, b.x) - rounded_product(a.x, b.z);
    const T z = rounded_product(a.x, b.y) - rounded_product(a.y, b.x);
    return sqrt(rounded_product(x, x) + rounded_product(y, y) + rounded_product(z, z));
}

// n      triangles
// depth, halves, partials, arrived: of PairwiseSum
// wrong  0 before; not 0 afterwards where a face names no vertex
// found  twice the area
template <class T, class Index>
__global__ void mesh_area(const T* vertices, i64 count, const Index* faces, i64 columns, i64 n, int depth, int halves,
                          T* partials, u32* arrived, u32* wrong, T* found) {
    __shared__ T sums[PairwiseSum<T>::SHARED];
    bool odd = false;
    const auto vertex = [&](i64 face, i64 k) {
        const i64 number = faces[face * columns + k], place = number < 0 ? number + count : number;
        if (place >= 0 && place < count) return place;
        odd = true;
        return (i64)0;
    };
    const auto add = [&](T sum, i64 first, int triangles, int step) {
        for (i64 i = first; triangles > 0; --triangles, i += step) {
            sum = sum + doubled_area(vertices, vertex(i, 0), vertex(i, 1), vertex(i, 2));
            for (i64 k = 3; k < columns; ++k) vertex(i, k);
        }
        return sum;
    };
    PairwiseSum<T>{n, depth, halves, sums, partials, arrived}.run(add, [&](T sum) { *found = sum; });
    if (odd) atomicOr(wrong, 1u);
}
