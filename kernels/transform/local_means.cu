// Means over boxes: images made smaller (or larger) by the mean of what each new element
// covers.
//
// The array is seen as (outer, a, between, b, inner); the axes a and b change their lengths.
// Each element of the result is the mean of a box of a and b, by two kinds of boxes:
//
//     block_means   whole blocks of `factor` elements; a constant stands beyond the end
//     area_means    boxes between given breaks, elements at their ends weighted by what of
//                   them lies within; weights are added up as the values are, so that the mean
//                   of equal ones is just one
//
// A box is one thread's, or, where there are few boxes, that of several neighbouring threads. What a line of boxes
// covers of a, and a column of b, with the weights of the first elements, is computed once for many
// boxes of area_means (transform/lines.cuh), where they are one thread's.
//
// Image: bool, (u)int8..64, float16/32/64. Result: float16, float or double. Sums in double; blocks
// of integers of up to 32 bits in integers, which gives the same; those of area_means for results in
// float, by one thread, in two floats (common/two_floats.cuh).
// One launch; each element is read once (those at the ends of area_means' boxes by neighbours
// too, from cache) and each result element is written once.
//
// Source: scikit-image `transform.downscale_local_mean` and `transform.resize_local_mean`
// (pixel mixing, http://entropymine.com/imageworsener/pixelmixing/).
#include "common/double_bits.cuh"
#include "common/half.cuh"
#include "common/rounded.cuh"
#include "common/split.cuh"
#include "common/tile.cuh"
#include "common/two_floats.cuh"
#include "filters/gaussian_taps.cuh"
#include "transform/lines.cuh"

constexpr int THREADS = 256;

struct View {
    i64 outer, a_size, between, b_size, inner;
};

// What of an axis, of less than 2^31 elements, one box covers: [first, last), and the ends of the box.
template <class W> struct Extent {
    int first, last;
    W lower, upper;
};

// What sums of whole elements are held in.
template <class T, bool WHOLE = !IS_FLOATING<T> && sizeof(T) <= 4> struct SumOf { typedef double type; };
template <class T> struct SumOf<T, true> { typedef i64 type; };

// Boxes of `factor` elements.
struct BlockAxis {
    static constexpr bool WEIGHTED = false;
    template <class T> using Sum = typename SumOf<T>::type;
    i64 factor;
    __device__ Extent<double> extent(i64 box, i64 size) const {
        const i64 first = box * factor;
        return {(int)first, (int)(first + factor < size ? first + factor : size), 0.0, 0.0};
    }
    __device__ static double weight(const Extent<double>&, int) { return 1.0; }
};

// Boxes between breaks, in the units of elements. Elements have their centres at half units
// (`cells`), or at whole ones: then those at both ends of the axis are halves.
template <class W> struct BreakAxis {
    static constexpr bool WEIGHTED = true;
    template <class T> using Sum = double;
    const double* breaks;
    bool cells;
    __device__ Extent<W> extent(i64 box, i64 size) const {
        const W lower = (W)breaks[box], upper = (W)breaks[box + 1];
        const W shift = cells ? (W)0 : (W)0.5;
        const int first = (int)floor(lower + shift), last = (int)ceil(upper + shift), end = (int)size;
        return {first < 0 ? 0 : first, last < end ? last : end, lower, upper};
    }
    // The part of element k within the box; `lower` and `upper` are inside of the axis.
    __device__ W weight(const Extent<W>& box, int k) const {
        const W begin = cells ? (W)k : (W)k - (W)0.5, end = begin + (W)1;
        const W part = (end < box.upper ? end : box.upper) - (begin > box.lower ? begin : box.lower);
        return part > (W)0 ? part : (W)0;
    }
};

template <class O> __device__ inline O stored(double value) { return (O)value; }
template <> __device__ inline float16 stored<float16>(double value) { return to_half((float)value); }

// What a line or a column of boxes covers of an axis, with the weights of the first elements.
constexpr int KEPT = 3;
template <class W> struct Covered {
    Extent<W> extent;
    W kept[KEPT];

    __device__ void set(const BreakAxis<W>& axis, i64 box, i64 size) {
        extent = axis.extent(box, size);
#pragma unroll
        for (int k = 0; k < KEPT; ++k) kept[k] = axis.weight(extent, extent.first + k);
    }
    __device__ int count() const { return extent.last - extent.first; }
};

// take(element, row's weight, column's weight) for each element of a box, row by row.
//   first:  the box's first element
//   rows:   in shared memory
template <class W, class T, class Take>
__device__ inline void for_box(const T* first, i64 a_stride, i64 b_stride, const BreakAxis<W>& a, const BreakAxis<W>& b,
                               const Covered<W>& rows, const Covered<W>& columns, const Take& take) {
    const int height = rows.count(), width = columns.count();
#pragma unroll 1
    for (int r = 0; r < height; ++r, first += a_stride) {
        const W row = r < KEPT ? rows.kept[r] : a.weight(rows.extent, rows.extent.first + r);
        const T* element = first;
        if (width <= KEPT) {
#pragma unroll
            for (int c = 0; c < KEPT; ++c, element += b_stride)
                if (c < width) take(*element, row, columns.kept[c]);
        } else {
#pragma unroll 1
            for (int c = 0; c < width; ++c, element += b_stride)
                take(*element, row, b.weight(columns.extent, columns.extent.first + c));
        }
    }
}

// What is known of a line of boxes, and of a column: what it covers, and where that begins in the image.
template <class W> struct BoxesLine {
    Covered<W> covered;
    i64 first;
};

// Weighted sums over all boxes.
//   team:   threads for each box
//   load:   what is added up, of a T
//   finish: O(Axis::Sum sum, double total, extent of a, extent of b)
//           total: the sum of weights, 0 where Axis has none
//   called by: all threads of all blocks; contains barriers
template <class Axis, class T, class O, class Load, class Finish>
__device__ inline void for_boxes(const T* image, O* result, const View& view, i64 a_boxes, i64 b_boxes,
                                 const Axis& a, const Axis& b, int team, Load load, Finish finish) {
    using Sum = typename Axis::template Sum<T>;
    __shared__ Sum sums[THREADS];
    __shared__ double totals[Axis::WEIGHTED ? THREADS : 1];
    const int boxes = (int)blockDim.x > team ? (int)blockDim.x / team : 1;  // at a time
    team = (int)blockDim.x / boxes;
    const int mine = (int)threadIdx.x / team, lane = (int)threadIdx.x % team;
    const i64 b_stride = view.inner, a_stride = view.between * view.b_size * view.inner;
    const i64 n = view.outer * a_boxes * view.between * b_boxes * view.inner;
    const bool narrow = n < 1ll << 32;
    for (i64 start = (i64)blockIdx.x * boxes; start < n; start += (i64)gridDim.x * boxes) {
        const i64 index = start + mine;
        const bool exists = mine < boxes && index < n;
        Sum sum = 0;
        double total = 0.0;
        // the box's place: the index taken apart, last axis first
        i64 o = exists ? index : 0;
        const i64 i = split(o, view.inner, narrow), x = split(o, b_boxes, narrow);
        const i64 j = split(o, view.between, narrow), y = split(o, a_boxes, narrow);
        const auto rows = a.extent(y, view.a_size);
        const auto columns = b.extent(x, view.b_size);
        const T* const plane = image + o * view.a_size * a_stride + j * view.b_size * b_stride + i;
        if (exists) {
            const auto add = [&](const T& element, double row, int xb) {
                if constexpr (Axis::WEIGHTED) {
                    const double weight = rounded_product(row, (double)b.weight(columns, xb));
                    sum += (double)load(element) * weight;
                    total += weight;
                } else {
                    sum += load(element);
                }
            };
            const int width = columns.last - columns.first;
            if (team == 1) {
                for (int ya = rows.first; ya < rows.last; ++ya) {
                    const double row = (double)a.weight(rows, ya);
                    const T* element = plane + ya * a_stride + columns.first * b_stride;
                    for (int xb = columns.first; xb < columns.last; ++xb, element += b_stride) add(*element, row, xb);
                }
            } else {
                const i64 area = (i64)(rows.last - rows.first) * width;
                int ya = rows.first - 1;
                i64 ahead = 0;
                for (i64 q = lane; q < area; q += team) {
                    while (q >= ahead) {  // of the next row
                        ++ya;
                        ahead += width;
                    }
                    const int xb = columns.last - (int)(ahead - q);
                    add(plane[ya * a_stride + xb * b_stride], (double)a.weight(rows, ya), xb);
                }
            }
        }
        if (team > 1) {
            sums[threadIdx.x] = sum;
            if constexpr (Axis::WEIGHTED) totals[threadIdx.x] = total;
            for (int active = team; active > 1;) {
                const int half = (active + 1) / 2;
                __syncthreads();
                if (lane + half < active) {
                    sums[threadIdx.x] += sums[threadIdx.x + half];
                    if constexpr (Axis::WEIGHTED) totals[threadIdx.x] += totals[threadIdx.x + half];
                }
                active = half;
            }
            sum = sums[threadIdx.x];
            if constexpr (Axis::WEIGHTED) total = totals[threadIdx.x];
            __syncthreads();
        }
        if (exists && lane == 0) result[index] = finish(sum, total, rows, columns);
    }
}

template <class T, class O>
__global__ void __launch_bounds__(THREADS, 2)  // else 7.0 keeps numbers on a stack
    block_means(const T* image, O* result, const View view, i64 a_factor, i64 b_factor, double cval,
                int team) {
    using Sum = typename SumOf<T>::type;
    const i64 count = a_factor * b_factor;
    const Divisor<double> divisor = divisor_of((double)count);
    for_boxes(
        image, result, view, (view.a_size + a_factor - 1) / a_factor,
        (view.b_size + b_factor - 1) / b_factor, BlockAxis{a_factor}, BlockAxis{b_factor}, team,
        [](T value) { return (Sum)value; },
        [=](Sum whole, double, const Extent<double>& rows, const Extent<double>& columns) {
            const i64 inside = (i64)(rows.last - rows.first) * (columns.last - columns.first);
            double sum = (double)whole;
            if (inside < count) sum += cval * (double)(count - inside);
            return stored<O>(count <= 1 << 20 ? divided(sum, divisor) : sum / divisor.value);
        });
}

// breaks: those of a, then those of b
// scale, lowest: conversion to floating point, as skimage.util.img_as_float
// odd: becomes 1 where an element is not finite
template <class T, class O>
__global__ void __launch_bounds__(THREADS, RESIDENT)
    area_means(const T* image, O* result, u32* odd, const View view, const double* breaks, i64 a_boxes,
               i64 b_boxes, bool a_cells, bool b_cells, double scale, double lowest, const LinesShape shape) {
    using W = typename Working<T>::type;
    const Scaled<T, W> load(scale, lowest);
    const BreakAxis<W> a = {breaks, a_cells}, b = {breaks + a_boxes + 1, b_cells};
    typedef BoxesLine<W> Line;
    __shared__ Line lines[MOST_LINES];
    const i64 b_stride = view.inner, a_stride = view.between * view.b_size * view.inner;
    const auto set_line = [&](Line& line, i64 rest) {
        const i64 between = split(rest, view.between, shape.narrow), box = split(rest, a_boxes, shape.narrow);
        line.covered.set(a, box, view.a_size);
        line.first = (rest * view.a_size + line.covered.extent.first) * a_stride + between * view.b_size * b_stride;
    };
    const auto column_of = [&](i64 rest) {
        Line column;
        const i64 inner = split(rest, view.inner, shape.narrow);
        column.covered.set(b, rest, view.b_size);
        column.first = column.covered.extent.first * b_stride + inner;
        return column;
    };
    for_lines(shape, lines, set_line, column_of, [&](i64 place, const Line& line, const Line& column) {
        const T* const first = image + line.first + column.first;
        if constexpr (IN_FLOATS && sizeof(W) == 4) {
            TwoFloats sum = {}, total = {};
            float size = 0;
            for_box(first, a_stride, b_stride, a, b, line.covered, column.covered, [&](T element, float row, float by) {
                const float value = load(element);
                const TwoFloats weight = exact_product(row, by);
                size = fmax(size, fabs(value));
                accumulate(sum, value, weight);
                add(total, weight);
            });
            const float mean = (float)(sum / total);
            if (is_held(size) && isfinite(mean)) {
                result[place] = mean;
                return;
            }
        }
        double sum = 0, total = 0;
        for_box(first, a_stride, b_stride, a, b, line.covered, column.covered, [&](T element, W row, W by) {
            const double weight = rounded_product((double)row, (double)by);
            sum += (double)load(element) * weight;
            total += weight;
        });
        if constexpr (IS_FLOATING<T>)
            if (!isfinite(sum))  // as of any element that is not finite, and of large ones
                for_box(first, a_stride, b_stride, a, b, line.covered, column.covered,
                        [&](T element, W, W) { if (!isfinite(load(element))) *odd = 1; });
        result[place] = (O)(sum / total);
    });
}

// The same, with `team` threads for each box.
template <class T, class O>
__global__ void __launch_bounds__(THREADS, 2)
    shared_area_means(const T* image, O* result, u32* odd, const View view, const double* breaks, i64 a_boxes,
                      i64 b_boxes, bool a_cells, bool b_cells, double scale, double lowest, int team) {
    using W = typename Working<T>::type;
    using Axis = BreakAxis<W>;
    const Scaled<T, W> load(scale, lowest);
    for_boxes(
        image, result, view, a_boxes, b_boxes, Axis{breaks, a_cells}, Axis{breaks + a_boxes + 1, b_cells}, team,
        [=](T value) {
            const W element = load(value);
            if (IS_FLOATING<T> && !isfinite(element)) *odd = 1;
            return element;
        },
        [](double sum, double total, const Extent<W>&, const Extent<W>&) { return (O)(sum / total); });
}
