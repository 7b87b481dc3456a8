// Colour differences between two Lab images, pixel by pixel.
//
//     delta_e<float, float, Ciede2000>
//
// T: type of both images, any of the 12 of common/types.cuh; values are taken as they are.
// W: type of the computation and of the result, float or double. Each image is C-contiguous,
// (outer, channels, inner), with at least three channels, or one pixel for all of the other.
// One launch; reads each image once, writes the result once: 6 sizeof(T) + sizeof(W) bytes
// per pixel where there are no further channels.
// Source and references: skimage.color.delta_e.
#include "color/formulas.cuh"
#include "color/tile.cuh"
#include "common/types.cuh"

struct LabLayout {
    i64 inner, channels;
    i64 step;  // 1, or 0 for one pixel
};

template <class W, class T> __device__ inline Lab<W> load_lab(const T* source, i64 inner) {
    return {(W)source[0], (W)source[inner], (W)source[2 * inner]};
}

// First channel of pixel p.
__device__ inline i64 place(const LabLayout& layout, i64 p) {
    const i64 pixel = p * layout.step;
    return quotient(pixel, layout.inner) * (layout.channels - 1) * layout.inner + pixel;
}

template <class T, class W, template <class> class Formula>
__global__ void delta_e(const T* lab1, const T* lab2, W* out, i64 pixels, LabLayout layout1,
                        LabLayout layout2, Formula<W> formula) {
    constexpr int TILE = 256;  // neighbouring pixels for each block, whatever its size
    const bool channels_last = layout1.inner == 1 && layout2.inner == 1;
    const i64 stride1 = layout1.channels * layout1.step, stride2 = layout2.channels * layout2.step;
    for (i64 begin = (i64)blockIdx.x * TILE; begin < pixels; begin += (i64)gridDim.x * TILE) {
        const i64 end = pixels - begin < TILE ? pixels : begin + TILE;
        if (channels_last) {  // no division
            for (i64 p = begin + threadIdx.x; p < end; p += blockDim.x)
                out[p] = formula(load_lab<W>(lab1 + p * stride1, 1), load_lab<W>(lab2 + p * stride2, 1));
        } else {
            for (i64 p = begin + threadIdx.x; p < end; p += blockDim.x)
                out[p] = formula(load_lab<W>(lab1 + place(layout1, p), layout1.inner),
                                 load_lab<W>(lab2 + place(layout2, p), layout2.inner));
        }
    }
}
