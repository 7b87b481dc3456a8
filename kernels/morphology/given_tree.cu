// A max-tree that is given as scikit-image has it: of each pixel its parent, and the pixels in an order in which
// parents come first. It becomes one of ranks, as max_tree.cu has it, where a pixel's rank is its place in the
// order. The first pixel is the root, whatever its parent is.
//
//     rank_pixels   each pixel's rank
//     link_ranks    parents by rank, and how many each rank is the parent of
//
// What is given may be no tree: then it is told so, and nothing is read beyond the arrays. Images of up to
// 2^31 - 1 pixels. Both launches read 8 bytes a pixel and more of each array, and write 16.
//
// Source: scikit-image `morphology._max_tree._direct_filter`, `_max_tree_local_maxima`.
#include "common/types.cuh"

// order: pixels by rank, as given. ranks: -1 before, and where the order leaves a pixel out.
__global__ void __launch_bounds__(256, 1) rank_pixels(const i64* order, i64 n, int* ranks) {
    for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < n; i += (i64)gridDim.x * blockDim.x) {
        const i64 pixel = order[i];
        if (0 <= pixel && pixel < n) ranks[pixel] = (int)i;
    }
}

// given: of each pixel its parent. parents: of ranks. links: the same where the parent is as high, else the
// rank itself. children: of ranks, 0 before. told: 1 where this is no tree, and where a pixel's parent is as
// high as its own one; 0 before.
template <class T>
__global__ void __launch_bounds__(256, 1)
    link_ranks(const T* image, const i64* order, const i64* given, const int* ranks, i64 n, int* parents, int* links,
               int* children, int* told) {
    const auto is_pixel = [n](i64 pixel) { return 0 <= pixel && pixel < n; };
    for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < n; i += (i64)gridDim.x * blockDim.x) {
        const i64 pixel = order[i];
        bool is_right = is_pixel(pixel) && ranks[pixel] == (int)i, is_level = false;
        int parent = (int)i;
        if (is_right && i) {
            const i64 above = given[pixel];
            const int rank = is_pixel(above) ? ranks[above] : -1;
            is_right = 0 <= rank && rank <= (int)i;
            if (is_right && rank < (int)i) {
                parent = rank;
                is_level = image[pixel] == image[above];
                const i64 next = given[above];
                if (rank && next != above && is_pixel(next) && image[above] == image[next]) told[1] = 1;
                atomicAdd(children + rank, 1);
            }
        }
        if (!is_right) told[0] = 1;
        parents[i] = parent;
        links[i] = is_level ? parent : (int)i;
    }
}
