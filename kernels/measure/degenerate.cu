// Triangles of which two vertices lie at one place, and the vertices that are then one.
//
//     unite_vertices  trees of the vertices that such triangles name (common/union_find.cuh)
//     key_faces       for each such triangle the root of its tree, and its own number
//     merge_vertices  what a pass over those triangles, in their order, makes of the vertices
//
// Each is read once; the vertices of triangles are read where they lie. scikit-image goes from triangle to
// triangle and gives two vertices the lower one of what they have become. Only triangles of one tree have
// to do with each other: those of each tree are taken in their order, all trees at once.
//
// Source: scikit-image, remove_degenerate_faces of _marching_cubes_lewiner_cy.pyx.
#include "common/union_find.cuh"

__device__ inline bool is_one(const float* vertices, i64 a, i64 b) {
    return vertices[3 * a] == vertices[3 * b] && vertices[3 * a + 1] == vertices[3 * b + 1] &&
           vertices[3 * a + 2] == vertices[3 * b + 2];
}

// Calls function(a, b) for each pair of a triangle's vertices that lie at one place; whether there is one.
template <class Function>
__device__ inline bool for_pairs(const float* vertices, const int* face, const Function& function) {
    bool any = false;
    for (int k = 0; k < 3; ++k) {  // first and second, first and third, second and third
        const i64 a = face[k >> 1], b = face[k ? 2 : 1];
        if (!is_one(vertices, a, b)) continue;
        function(a, b);
        any = true;
    }
    return any;
}

// parents  each vertex its own before
// flat     whether a triangle is of this kind
__global__ void unite_vertices(const float* vertices, const int* faces, i64 n, int* parents, bool* flat) {
    for (i64 i = (i64)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (i64)gridDim.x * blockDim.x)
        flat[i] = for_pairs(vertices, faces + 3 * i, [&](i64 a, i64 b) { UnionFind<int>::unite(parents, a, b); });
}

// listed  the triangles of this kind, n of them
// keys    root and number, 32 bits of each
__global__ void key_faces(const float* vertices, const int* faces, const i64* listed, i64 n, const int* parents,
                          i64* keys) {
    for (i64 i = (i64)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (i64)gridDim.x * blockDim.x) {
        i64 one = 0;
        for_pairs(vertices, faces + 3 * listed[i], [&](i64 a, i64) { one = a; });
        keys[i] = (i64)UnionFind<int>::root(parents, (int)one) << 32 | listed[i];
    }
}

// keys    in order
// become  each vertex itself before
__global__ void merge_vertices(const float* vertices, const int* faces, const i64* keys, i64 n, int* become) {
    for (i64 i = (i64)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (i64)gridDim.x * blockDim.x) {
        const i64 root = keys[i] >> 32;
        if (i && keys[i - 1] >> 32 == root) continue;
        for (i64 k = i; k < n && keys[k] >> 32 == root; ++k)
            for_pairs(vertices, faces + 3 * (keys[k] & 0xffffffff), [&](i64 a, i64 b) {
                const int lower = become[a] < become[b] ? become[a] : become[b];
                become[a] = become[b] = lower;
            });
    }
}
