// Local maxima of an image in footprints of any form, and of each labelled region apart.
// In this order:
//
//     footprint_maxima   marks each pixel that no other of its footprint exceeds, and tells
//                        the range of the image
//     rank_labelled      marked pixels of labels, above a threshold, counted in the image's order;
//                        list_peaks of peaks.cu lists them
//
// image: (u)int8..64, float32/64, C-contiguous, of up to 8 axes; labels: i64. A pixel's
// neighbours are looked at until one exceeds it: few, but on plateaus. One launch each;
// image and labels are read once (neighbours from cache), the marks are a bit a pixel.
//
// Source: scikit-image `feature.peak_local_max`.
#include "common/ranks.cuh"
#include "feature/peaks.cuh"

// Coordinates of one pixel, in registers: loops over axes are unrolled.
struct Place {
    i64 at[MOST_AXES];
    __device__ Place(const Region& region, i64 i) {
#pragma unroll
        for (int a = MOST_AXES - 1; a >= 0; --a) {
            if (a >= region.axes) continue;
            const i64 above = i / region.shape[a];
            at[a] = i - above * region.shape[a];
            i = above;
        }
    }
    __device__ bool is_in(const Region& region) const {
        bool inside = true;
#pragma unroll
        for (int a = 0; a < MOST_AXES; ++a)
            inside = inside && (a >= region.axes || (at[a] >= region.first[a] && at[a] < region.end[a]));
        return inside;
    }
};

// Pixel at an offset from a place: the nearest one where that is beyond the border.
__device__ inline i64 neighbour(const Region& region, const Place& place, const int* offset) {
    i64 i = 0;
#pragma unroll
    for (int a = 0; a < MOST_AXES; ++a) {
        if (a >= region.axes) break;
        const i64 at = place.at[a] + offset[a], last = region.shape[a] - 1;
        i = i * region.shape[a] + (at < 0 ? 0 : at < last ? at : last);
    }
    return i;
}

// Whether the pixel at an offset, a number for each axis, lies in the region and has the label.
template <class Offset>
__device__ inline bool is_of(const i64* labels, i64 label, const Region& region, const Place& place,
                             const Offset& offset, i64& i) {
    i = 0;
#pragma unroll
    for (int a = 0; a < MOST_AXES; ++a) {
        if (a >= region.axes) break;
        const i64 at = place.at[a] + offset[a];
        if (at < region.first[a] || at >= region.end[a]) return false;
        i = i * region.shape[a] + at;
    }
    return labels[i] == label;
}

// labels   null: the image is one region, its border included. Else pixels are compared with
//          those of their label inside `region`; the footprint is then a box
// offsets  of the footprint, `region.axes` numbers each
// marks    zeros before
// uneven   zeros before; 1 for each label that has a pixel that is no local maximum
template <class T>
__global__ void footprint_maxima(const T* image, const i64* labels, const int* offsets, i64 count, Region region,
                                 i64 n, u32* marks, u8* uneven, Range<T>* partials, Told<T>* told) {
    const i64 columns = region.shape[region.axes - 1];
    Seen<T> seen(image[0]);
    for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < n; i += gridDim.x * (i64)blockDim.x) {
        const T value = image[i];
        const Place place(region, i);
        bool is_maximum = true;
        if (!labels) {
            bool equals = false;  // a footprint without its centre may hold no equal pixel
            for (i64 k = 0; is_maximum && k < count; ++k) {
                const T other = image[neighbour(region, place, offsets + k * region.axes)];
                is_maximum = !(other > value);
                equals = equals || other == value;
            }
            is_maximum = is_maximum && equals;
        } else if (labels[i] > 0 && place.is_in(region)) {
            for (i64 k = 0, j; is_maximum && k < count; ++k)
                if (is_of(labels, labels[i], region, place, offsets + k * region.axes, j))
                    is_maximum = !(image[j] > value);
            if (!is_maximum) uneven[labels[i]] = 1;
        } else {
            is_maximum = false;
        }
        seen.add(value, is_maximum);
        if (is_maximum) {
            const i64 line = i / columns, x = i - line * columns;
            atomicOr(&marks[line * words_in(columns) + x / 32], 1u << (x % 32));
        }
    }
    tell_host(seen, partials, told);
}

// An arm of a cross: one step up or down along an axis, both for each axis in turn; none for -1.
struct Arm {
    int number;
    __device__ int operator[](int axis) const { return number < 0 || axis != number / 2 ? 0 : number % 2 ? 1 : -1; }
};

// From the centre of a cross to its arm, and on to an arm of that.
struct Arms {
    Arm first, second;
    __device__ int operator[](int axis) const { return first[axis] + second[axis]; }
};

// Whether a pixel vanishes when its label is opened by the cross of its neighbours: then no
// pixel of the cross has all of its own neighbours in the label.
__device__ inline bool is_isolated(const i64* labels, i64 label, const Region& region, const Place& place) {
    i64 unused;
    for (int c = -1; c < 2 * region.axes; ++c) {
        bool whole = true;
        for (int k = -1; whole && k < 2 * region.axes; ++k)
            whole = is_of(labels, label, region, place, Arms{{c}, {k}}, unused);
        if (whole) return false;
    }
    return true;
}

// As `rank_peaks`, of pixels that have a label.
//
// marks, uneven  null where all pixels are local maxima. Of a label whose pixels all are, those
//                are peaks that are isolated
// any            becomes 1 where a pixel inside the region has a label
template <class T>
__global__ void __launch_bounds__(RANK_THREADS, 1)
    rank_labelled(const T* image, const i64* labels, const u32* marks, const u8* uneven,
                  const __grid_constant__ Region region, const __grid_constant__ Threshold threshold, i64 n,
                  u64* words, i64* bases, u32* arrived, i64* count, u64* any) {
    const i64 columns = region.shape[region.axes - 1], across = words_in(columns);
    bool found = false;
    const auto is_peak = [&](i64 i) {
        const i64 line = i / 32 / across, x = i - line * across * 32, pixel = line * columns + x;
        if (x >= columns) return false;
        const i64 label = labels[pixel];
        if (label <= 0) return false;
        const Place place(region, pixel);
        if (!place.is_in(region)) return false;
        found = true;
        if (marks && !(marks[i / 32] >> i % 32 & 1u)) return false;
        if (!threshold.passes(image[pixel])) return false;
        return !marks || uneven[label] || is_isolated(labels, label, region, place);
    };
    rank_marked(n, words, bases, arrived, is_peak, count);
    if (found) *any = 1;
}
