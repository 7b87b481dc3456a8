// Non-local means of a plane with channels or of a volume, every patch compared by itself.
//
// In: the image in float or double. Out: of the same type. The image is read once, the padded one
// written once; then a thread looks at all patches around its pixel, in scikit-image's order, so
// that the result is equal to the last bit. Neighbouring threads read neighbouring elements of the
// padded image, from cache.
//
// Source: skimage/restoration/_nl_means_denoising.pyx (Buades, Coll and Morel 2005).
#include "common/boundary.cuh"
#include "restoration/nl_means.cuh"

constexpr int GROUP = 4;  // channels that are added up in one pass over the patches of many

// The image: without a border. `margin` is how far the padded one reaches beyond it on both sides
// of planes (of volumes), rows and columns.
struct Field {
    i64 planes, rows, columns, channels;
    int plane_margin, margin;
};

// padded: the image with its mirrored border.
template <class W> __global__ void pad(const W* image, Field field, W* padded) {
    const i64 rows = field.rows + 2 * field.margin, columns = field.columns + 2 * field.margin;
    const i64 n = (field.planes + 2 * field.plane_margin) * rows * columns;
    for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < n; i += gridDim.x * (i64)blockDim.x) {
        const i64 z = boundary_index(i / columns / rows - field.plane_margin, field.planes, MIRROR);
        const i64 y = boundary_index(i / columns % rows - field.margin, field.rows, MIRROR);
        const i64 x = boundary_index(i % columns - field.margin, field.columns, MIRROR);
        const W* const pixel = image + ((z * field.rows + y) * field.columns + x) * field.channels;
        for (i64 c = 0; c < field.channels; ++c) padded[i * field.channels + c] = pixel[c];
    }
}

// result: the denoised image.
//   padded:  of `pad`, with half a patch as its margins
//   weights: of the places in a patch, side^2 or side^3
//   reach:   how far patches are looked for
//   AXES:    3 of a volume, else 2
//   KEPT:    channels that are added up at a time
template <class W, int AXES, int KEPT>
__global__ void __launch_bounds__(256, FEWER)
    compare_patches(const W* padded, Field field, const W* weights, int reach, W variance, W* result) {
    using A = NumpyArithmetic<W>;
    const int side = 2 * field.margin + 1, deep = AXES == 3 ? side : 1;
    const i64 rows = field.rows + 2 * field.margin;
    const i64 pitch = (field.columns + 2 * field.margin) * field.channels, slice = rows * pitch;
    const i64 n = field.planes * field.rows * field.columns;
    for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < n; i += gridDim.x * (i64)blockDim.x) {
        const i64 z = i / field.columns / field.rows, y = i / field.columns % field.rows, x = i % field.columns;
        const W* const here = padded + z * slice + y * pitch + x * field.channels;
        const i64 z0 = AXES == 3 && z > reach ? z - reach : 0, y0 = y > reach ? y - reach : 0, x0 = x > reach ? x - reach : 0;
        const i64 z1 = z + reach < field.planes ? z + reach + 1 : field.planes;
        const i64 y1 = y + reach < field.rows ? y + reach + 1 : field.rows;
        const i64 x1 = x + reach < field.columns ? x + reach + 1 : field.columns;
        for (i64 first = 0; first < field.channels; first += KEPT) {
            W sums[KEPT];
            W total = 0;
#pragma unroll
            for (int c = 0; c < KEPT; ++c) sums[c] = 0;
            for (i64 pz = z0; pz < z1; ++pz)
                for (i64 py = y0; py < y1; ++py)
                    for (i64 px = x0; px < x1; ++px) {
                        const W* const there = padded + pz * slice + py * pitch + px * field.channels;
                        W distance = 0;
                        bool far = false;
                        // the outermost axis of a patch is where scikit-image stops
                        for (int a = 0; a < side && !far; ++a) {
                            far = distance > (W)5;
                            for (int b = 0; b < deep && !far; ++b) {
                                const i64 line = AXES == 3 ? a * slice + b * pitch : a * pitch;
                                const W* weight = weights + (a * deep + b) * side;
                                for (int k = 0; k < side; ++k, ++weight)
                                    for (i64 c = 0; c < field.channels; ++c) {
                                        const i64 place = line + k * field.channels + c;
                                        const W t = A::subtract(here[place], there[place]);
                                        const W square = A::subtract(A::multiply(t, t), variance);
                                        distance = A::add(distance, A::multiply(*weight, square));
                                    }
                            }
                        }
                        const W weight = far ? (W)0 : (W)fast_exp(-(double)(distance > 0 ? distance : (W)0));
                        const i64 middle = (AXES == 3 ? field.margin * slice : 0) + field.margin * (pitch + field.channels);
                        total = A::add(total, weight);
#pragma unroll
                        for (int c = 0; c < KEPT; ++c)
                            if (KEPT == 1 || first + c < field.channels)
                                sums[c] = A::add(sums[c], A::multiply(weight, there[middle + first + c]));
                    }
#pragma unroll
            for (int c = 0; c < KEPT; ++c)
                if (KEPT == 1 || first + c < field.channels)
                    result[i * field.channels + first + c] = A::divide(sums[c], total);
        }
    }
}
