// A scale space: Gaussians of many widths of one image, their differences, and their
// Laplacians, all widths in one launch an axis.
//
//     scale_lines  image or stack -> stack: arrays filtered along one axis
//     scale_sums   stack -> cube (scales, ...): filtered along the last axis; of each scale
//                  the sum of several arrays, or the difference to the next scale
//
// Image: bool, (u)int8..64, float16/32/64. Stacks and cubes are float for float16 and float32
// images, else double. Sums are made in double, in SciPy's order and with its roundings, since
// of two pixels that mirror each other none may be larger for rounding alone.
// Each launch reads its input once from memory (the neighbours again, from cache) and writes
// its output once. Beyond the border the image is reflected.
//
// Source: SciPy `ndimage.gaussian_filter` and `gaussian_laplace` as scikit-image `blob_dog` and
// `blob_log` call them.
#include "common/rounded.cuh"
#include "filters/gaussian_taps.cuh"

constexpr int MOST_TERMS = 3;

// What is filtered, by source, and the filter: 0 smooths, 1 is the second derivative.
struct ScaleTerms {
    int count, sources, kinds;  // sources: arrays of each scale in the stack
    int source[MOST_TERMS], kind[MOST_TERMS];
};

// The arrays are seen as (outer, length, inner).
struct ScaleShape {
    i64 scales, outer, length, inner;
    __device__ i64 size() const { return outer * length * inner; }
};

// A row of the table of filters: its radius, the factor of the scale, and the weights from the
// centre outwards.
struct ScaleFilter {
    const double* row;
    __device__ i64 radius() const { return (i64)row[0]; }
    __device__ double factor() const { return row[1]; }
    __device__ double weight(i64 t) const { return row[2 + t]; }
};

__device__ inline i64 reflected(i64 i, i64 n) {
    const i64 above = i < 0 ? -1 - i : i;
    const i64 place = above < n ? above : 2 * n - 1 - above;
    return place >= 0 ? place : boundary_index(i, n, REFLECT);
}

// Filters LANES neighbours of an array from element `p` on. Any thread.
template <class S, class Convert>
__device__ inline void filter_scale(const S* array, const ScaleShape& shape, i64 p,
                                    const ScaleFilter& filter, Convert convert,
                                    double (&sum)[LANES]) {
    const i64 inner = shape.inner, length = shape.length, radius = filter.radius();
    const i64 last = p + LANES <= shape.size() ? p + LANES - 1 : shape.size() - 1;
    const i64 first_line = p / inner, last_line = last / inner;
    const i64 begin = first_line % length, end = begin + (last_line - first_line);
    const S* const here = array + p;
    const int lanes = (int)(last - p) + 1;
    if (lanes == LANES && (first_line == last_line || (begin >= radius && end < length - radius))) {
#pragma omp simd
        for (int l = 0; l < LANES; ++l)
            sum[l] = plus_product(0.0, filter.weight(0), convert(here[l]));
        for (i64 t = radius; t > 0; --t) {
            // beyond the border all lanes are at the same place of the axis
            const i64 before = (reflected(begin - t, length) - begin) * inner;
            const i64 after = (reflected(begin + t, length) - begin) * inner;
            const double weight = filter.weight(t);
#pragma omp simd
            for (int l = 0; l < LANES; ++l)
                sum[l] = plus_product(sum[l], weight,
                                      convert(here[before + l]) + convert(here[after + l]));
        }
        return;
    }
    for (int l = 0; l < lanes; ++l) {
        const i64 at = (p + l) / inner % length;
        double total = plus_product(0.0, filter.weight(0), convert(here[l]));
        for (i64 t = radius; t > 0; --t)
            total = plus_product(total, filter.weight(t),
                                 convert(here[l + (reflected(at - t, length) - at) * inner]) +
                                     convert(here[l + (reflected(at + t, length) - at) * inner]));
        sum[l] = total;
    }
}

// do_this(scale, p) for each scale and LANES elements. Called by all threads of all blocks.
template <class Do> __device__ inline void for_scales(const ScaleShape& shape, Do do_this) {
    const i64 items = (shape.size() + LANES - 1) / LANES;
    const i64 step = (i64)gridDim.x * blockDim.x;
    for (i64 i = (i64)blockIdx.x * blockDim.x + threadIdx.x; i < shape.scales * items; i += step)
        do_this(i / items, i % items * LANES);
}

// One array of the result for each term and scale: image filtered by each filter, or, where
// `stacked`, arrays of a stack.
//
// table  rows of `pitch` numbers, `kinds` for each scale
template <class T, class W>
__global__ void scale_lines(const T* image, W* result, const double* table, i64 pitch, bool stacked,
                            const ScaleShape shape, const __grid_constant__ ScaleTerms terms, double scale,
                            double lowest) {
    const Scaled<T, double> convert(scale, lowest);
    const i64 n = shape.size();
    for_scales(shape, [&](i64 k, i64 p) {
        for (int j = 0; j < terms.count; ++j) {
            const ScaleFilter filter = {table + (k * terms.kinds + terms.kind[j]) * pitch};
            const T* const source = image + (stacked ? k * terms.sources + terms.source[j] : 0) * n;
            W* const into = result + (k * terms.count + j) * n + p;
            double sum[LANES];
            filter_scale(source, shape, p, filter, convert, sum);
            for (int l = 0; l < LANES; ++l)
                if (p + l < n) into[l] = (W)sum[l];
        }
    });
}

// One array of the cube for each scale: the sum of all terms times a factor, or, where
// `differences`, the first term minus that of the next scale.
template <class W>
__global__ void scale_sums(const W* stack, W* cube, const double* table, i64 pitch,
                           bool differences, const ScaleShape shape, const __grid_constant__ ScaleTerms terms) {
    const i64 n = shape.size();
    const auto convert = [](W value) { return (double)value; };
    for_scales(shape, [&](i64 k, i64 p) {
        W total[LANES];
        for (int j = 0; j < terms.count; ++j) {
            const i64 scale = differences ? k + j : k;
            const ScaleFilter filter = {table + (scale * terms.kinds + terms.kind[j]) * pitch};
            const W* const source = stack + (scale * terms.sources + terms.source[j]) * n;
            double sum[LANES];
            filter_scale(source, shape, p, filter, convert, sum);
            for (int l = 0; l < LANES; ++l)
                if (p + l < n) {
                    const W term = (W)sum[l];
                    total[l] = j == 0 ? term : differences ? total[l] - term : total[l] + term;
                }
        }
        const ScaleFilter filter = {table + k * terms.kinds * pitch};
        for (int l = 0; l < LANES; ++l)
            if (p + l < n) cube[k * n + p + l] = (W)((double)total[l] * filter.factor());
    });
}
