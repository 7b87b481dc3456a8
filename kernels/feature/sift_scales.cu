// The scale space of SIFT: what stands around its Gaussians. Two kernels:
//
//     enlarge   the image at 2 or 4 times its size, as scipy.ndimage.zoom of order 1 makes it
//     halve     every second pixel of every second row
//
// S: bool, (u)int8..64, float16/32/64; T: float or double; planes are C-contiguous. A thread makes one pixel and
// writes it once; `enlarge` reads four pixels (neighbours' from cache), as img_as_float has them, and rounds each
// product and sum as SciPy does, which computes in double; then it clips to the image's range, as scikit-image
// does.
//
// Source: SciPy's NI_ZoomShift (ni_interpolation.c) with `grid_mode` and mode "mirror"; scikit-image
// `transform.rescale`, `feature.SIFT`.
#include "common/half.cuh"
#include "common/types.cuh"

// The two pixels between which a place lies, and the weight of the second.
struct Between {
    i64 first, second;
    double weight;
};

__device__ inline Between between(i64 place, double step, i64 length) {
    const double there = (place + 0.5) * step - 0.5, at = there < 0 ? -there : there, before = floor(at);
    const i64 first = (i64)before, beyond = length > 1 ? length - 2 : 0;
    return {first, first + 1 < length ? first + 1 : beyond, at - before};
}

// range: least and largest pixel, as img_as_float has them
template <class S, class T>
__global__ void enlarge(const S* image, const double* range, T* result, i64 rows, i64 columns, i64 factor) {
    const i64 width = columns * factor, count = rows * factor * width;
    const double step = 1.0 / (double)factor;
    const T low = (T)range[0], high = (T)range[1];
    const i64 stride = gridDim.x * (i64)blockDim.x;
    for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < count; i += stride) {
        const i64 y = i / width;
        const Between down = between(y, step, rows), across = between(i - y * width, step, columns);
        double sum = 0;
#pragma unroll
        for (int v = 0; v < 2; ++v) {
#pragma unroll
            for (int u = 0; u < 2; ++u) {
                const i64 at = (v ? down.second : down.first) * columns + (u ? across.second : across.first);
                const double half = rounded_product((double)img_as_float<T>(image[at]), v ? down.weight : 1 - down.weight);
                sum = plus_product(sum, half, u ? across.weight : 1 - across.weight);
            }
        }
        const T value = (T)sum;
        result[i] = value < low ? low : value > high ? high : value;
    }
}

// result: ((rows + 1) / 2, (columns + 1) / 2)
template <class T> __global__ void halve(const T* image, T* result, i64 rows, i64 columns) {
    const i64 width = (columns + 1) / 2, count = (rows + 1) / 2 * width;
    const i64 stride = gridDim.x * (i64)blockDim.x;
    for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < count; i += stride) {
        const i64 y = i / width;
        result[i] = image[2 * y * columns + 2 * (i - y * width)];
    }
}
