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
// A box is one thread's, or, where there are few boxes, that of several neighbouring threads.
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

// Mean of a weighted box in two floats, by one thread; returns whether it is exact enough.
//   plane:  the first element of the array at the box's place of all other axes
//   load:   float(T value)
template <class T, class Load>
__device__ inline bool mean_in_floats(float& mean, const T* plane, i64 a_stride, i64 b_stride, const BreakAxis<float>& a,
                                      const BreakAxis<float>& b, const Extent<float>& rows,
                                      const Extent<float>& columns, const Load& load) {
    TwoFloats sum = {}, total = {};
    float size = 0;
    for (int ya = rows.first; ya < rows.last; ++ya) {
        const float row = a.weight(rows, ya);
        const T* element = plane + ya * a_stride + columns.first * b_stride;
        for (int xb = columns.first; xb < columns.last; ++xb, element += b_stride) {
            const float value = load(*element);
            const TwoFloats weight = exact_product(row, b.weight(columns, xb));
            size = fmax(size, fabs(value));
            accumulate(sum, value, weight);
            add(total, weight);
        }
    }
    mean = (float)(sum / total);
    return is_held(size);
}

// Weighted sums over all boxes.
//   IN_TWO: whether those of one thread are made in two floats
//   team:   threads for each box
//   load:   what is added up, of a T
//   finish: O(Axis::Sum sum, double total, extent of a, extent of b)
//           total: the sum of weights, 0 where Axis has none
//   called by: all threads of all blocks; contains barriers
template <bool IN_TWO, class Axis, class T, class O, class Load, class Finish>
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
        if constexpr (IN_TWO) {
            O mean;
            if (exists && team == 1 && mean_in_floats(mean, plane, a_stride, b_stride, a, b, rows, columns, load)) {
                result[index] = mean;
                continue;
            }
        }
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
    for_boxes<false>(
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
__global__ void __launch_bounds__(THREADS, 2)
    area_means(const T* image, O* result, u32* odd, const View view, const double* breaks, i64 a_boxes,
               i64 b_boxes, bool a_cells, bool b_cells, double scale, double lowest, int team) {
    using W = typename Working<T>::type;
    using Axis = BreakAxis<W>;
    const W by = (W)scale, least = (W)lowest;
    for_boxes<IN_FLOATS && sizeof(W) == 4>(
        image, result, view, a_boxes, b_boxes, Axis{breaks, a_cells},
        Axis{breaks + a_boxes + 1, b_cells}, team,
        [=](T value) {
            const W scaled = rounded_product((W)value, by);
            if (!isfinite(scaled)) *odd = 1;
            return scaled < least ? least : scaled;
        },
        [](double sum, double total, const Extent<W>&, const Extent<W>&) { return (O)(sum / total); });
}
