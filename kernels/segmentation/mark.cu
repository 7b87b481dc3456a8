// An image with boundaries of labels in colour.
//
//     mark           on the image itself
//     mark_between   on one twice as fine, which a cubic spline fills in
//
// T: the image's type (mark), which becomes W, float or double, by scikit-image's img_as_float.
// boundaries: one for each place; `channels` numbers of the result belong to it. A grey image has
// one number for `grays` of the result. colors: those of a place at a boundary, then those of one
// beside it (only where `outlined`; the result then is a plane of `rows` times `columns` places).
// One launch; image (or its coefficients) and boundaries are read once, the result is written once.
//
// Source: scikit-image `segmentation.mark_boundaries`, scipy.ndimage.zoom.
#include "common/boundary.cuh"
#include "common/types.cuh"

template <class Index> struct Marks {
    Index size;      // numbers of the result
    Index channels;  // of a place
    Index rows, columns;
    int grays;
    bool outlined;
};

// What is painted at a number of the result: 0 its boundary, 1 the outline, -1 nothing.
template <class Index>
__device__ inline int painted(const bool* boundaries, const Marks<Index>& marks, Index place) {
    if (boundaries[place]) return 0;
    if (!marks.outlined) return -1;
    const Index y = place / marks.columns, x = place - y * marks.columns;
    bool near = false;
    for (int dy = y > 0 ? -1 : 0; dy <= (y + 1 < marks.rows); ++dy)
        for (int dx = x > 0 ? -1 : 0; dx <= (x + 1 < marks.columns); ++dx)
            near = near || boundaries[place + dy * marks.columns + dx];
    return near ? 1 : -1;
}

template <class T, class W, class Index>
__global__ void __launch_bounds__(256, 1)
    mark(const T* image, const bool* boundaries, const W* colors, const __grid_constant__ Marks<Index> marks, W* result) {
    for (i64 k = blockIdx.x * (i64)blockDim.x + threadIdx.x; k < marks.size; k += (i64)gridDim.x * blockDim.x) {
        const Index i = (Index)k, place = i / marks.channels;
        const int color = painted(boundaries, marks, place);
        result[i] = color < 0 ? img_as_float<W>(image[i / marks.grays])
                              : colors[color * marks.channels + (i - place * marks.channels)];
    }
}

// Weights of a cubic spline at an element, or halfway between two; the first coefficient's place.
struct Weights {
    double weight[4];
    i64 first;
    int count;
    __device__ Weights(i64 place, bool halfway)
        : weight{halfway ? 1.0 / 48 : 1.0 / 6, halfway ? 23.0 / 48 : 4.0 / 6, halfway ? 23.0 / 48 : 1.0 / 6, 1.0 / 48},
          first(place - 1), count(halfway ? 4 : 3) {}
};

// image: coefficients of height x width pixels of `depth` numbers each, along all axes; the
// result has every second row and column between them.
template <class W, class Index>
__global__ void __launch_bounds__(256, 1)
    mark_between(const double* image, i64 height, i64 width, int depth, const bool* boundaries, const W* colors,
                 const __grid_constant__ Marks<Index> marks, W* result) {
    for (i64 k = blockIdx.x * (i64)blockDim.x + threadIdx.x; k < marks.size; k += (i64)gridDim.x * blockDim.x) {
        const Index i = (Index)k, place = i / marks.channels;
        const int color = painted(boundaries, marks, place);
        if (color >= 0) {
            result[i] = colors[color * marks.channels + (i - place * marks.channels)];
            continue;
        }
        const Index pixel = i / (depth * marks.grays), y = pixel / marks.columns, x = pixel - y * marks.columns;
        const int c = (int)((i - pixel * (depth * marks.grays)) / marks.grays);
        const Weights along_y(y / 2, y & 1), along_x(x / 2, x & 1), across(c, false);
        double sum = 0;
#pragma unroll
        for (int a = 0; a < 4; ++a) {
            if (a >= along_y.count) continue;
            const i64 row = boundary_index(along_y.first + a, height, MIRROR) * width;
            double line = 0;
#pragma unroll
            for (int b = 0; b < 4; ++b) {
                if (b >= along_x.count) continue;
                const double* const numbers =
                    image + (row + boundary_index(along_x.first + b, width, MIRROR)) * depth;
                double number = 0;
#pragma unroll
                for (int d = 0; d < 3; ++d)
                    number += across.weight[d] * numbers[boundary_index(across.first + d, depth, MIRROR)];
                line += along_x.weight[b] * number;
            }
            sum += along_y.weight[a] * line;
        }
        result[i] = (W)sum;
    }
}
