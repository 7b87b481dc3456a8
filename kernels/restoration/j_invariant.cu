// What makes a denoiser independent of a pixel's own value: some pixels are replaced by the mean of those beside
// them, the image is denoised, and of the result only these pixels are kept.
//
//   replaced           an image with the pixels of a grid replaced, read and written once; beside a pixel
//                      of the grid its neighbours are read again
//   replaced_by_mask   the same of pixels that a mask names, which is read once
//   keep               copies the pixels of a grid: they are read and written, and nothing else
//   keep_by_mask       copies those of a mask, which is read once
//
// Method: J. Batson and L. Royer, Noise2Self: blind denoising by self-supervision, 2019; the mean is that of
// scipy.ndimage.convolve, added in double precision in its order, with the image mirrored at its borders.
#include "common/boundary.cuh"
#include "common/reduce.cuh"

constexpr int AXES = 8;

// Pixels of C-contiguous memory, each of so many neighbouring elements, its channels. `span` has the elements from
// a pixel to the next along each axis. Those of the grid stand at phase, phase + stride, ...: `count` of them.
struct Grid {
    i64 length[AXES], span[AXES], phase[AXES], count[AXES];
    i64 stride, channels;
    double weight;  // of each neighbour in the mean
    int axes;
};

__device__ inline bool on_grid(const Grid& grid, i64 i) {
    for (int axis = 0; axis < grid.axes; ++axis)
        if (i / grid.span[axis] % grid.length[axis] % grid.stride != grid.phase[axis]) return false;
    return true;
}

// Value times weight of the neighbour a step away along an axis.
template <class T>
__device__ inline double beside(const T* image, const Grid& grid, i64 i, int axis, int step) {
    const i64 n = grid.length[axis], at = i / grid.span[axis] % n;
    const i64 other = boundary_index(at + step, n, MIRROR);
    return (double)image[i + (other - at) * grid.span[axis]] * grid.weight;
}

// Mean of the neighbours of element i.
template <class T> __device__ inline T mean_beside(const T* image, const Grid& grid, i64 i) {
    double sum = 0;
    for (int axis = 0; axis < grid.axes; ++axis) sum += beside(image, grid, i, axis, -1);
    for (int axis = grid.axes - 1; axis >= 0; --axis) sum += beside(image, grid, i, axis, 1);
    return (T)sum;
}

template <class T>
__global__ void replaced(const T* image, const __grid_constant__ Grid grid, T* result, i64 n) {
    const Span span = block_span(n, 1);
    for (i64 i = span.begin + threadIdx.x; i < span.end; i += blockDim.x)
        result[i] = on_grid(grid, i) ? mean_beside(image, grid, i) : image[i];
}

// mask: one for each `of_mask` neighbouring elements.
template <class T>
__global__ void replaced_by_mask(const T* image, const __grid_constant__ Grid grid, const bool* mask, i64 of_mask,
                                 T* result, i64 n) {
    const Span span = block_span(n, 1);
    for (i64 i = span.begin + threadIdx.x; i < span.end; i += blockDim.x)
        result[i] = mask[i / of_mask] ? mean_beside(image, grid, i) : image[i];
}

// n: elements on the grid.
template <class T> __global__ void keep(const T* made, const __grid_constant__ Grid grid, T* result, i64 n) {
    const Span span = block_span(n, 1);
    for (i64 k = span.begin + threadIdx.x; k < span.end; k += blockDim.x) {
        i64 left = k / grid.channels, i = k % grid.channels;
        for (int axis = grid.axes - 1; axis >= 0; --axis) {
            i += (grid.phase[axis] + left % grid.count[axis] * grid.stride) * grid.span[axis];
            left /= grid.count[axis];
        }
        result[i] = made[i];
    }
}

template <class T>
__global__ void keep_by_mask(const T* made, const bool* mask, i64 of_mask, T* result, i64 n) {
    const Span span = block_span(n, 1);
    for (i64 i = span.begin + threadIdx.x; i < span.end; i += blockDim.x)
        if (mask[i / of_mask]) result[i] = made[i];
}
