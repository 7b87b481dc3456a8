// Local maxima: connected regions of equal pixels without a higher one beside them. Three kernels, in
// this order:
//
//     label_boxes   regions inside each box (common/components.cuh); pixels that are no maximum, since
//                   one beside them is higher, are of the better kind in union_find.cuh, so that a root
//                   tells whether one of them is in its region
//     join_boxes    unites regions across the borders of boxes
//     tell          looks up each pixel's root
//
// For neighbours that are not those of a connectivity, label_pixels and join_pixels are in the place of
// the first two (common/neighbours.cuh): they unite one by one.
//
// image: (u)int8..64 or float32/64, booleans as uint8; of up to 8 axes. Index: int, or i64 above 2^30
// pixels. `minima`: lower pixels are looked for in place of higher ones.
// scikit-image takes what is outside of the image for the lowest value that the image has, so that a
// region of it that goes on there is no maximum. All other pixels of that value are next to one that is
// higher; so, where neighbours lead from each pixel to each other, such a region is the whole image, and
// no pixel has been found that is none.
// Three launches, whatever the image shows: the image is read once with what is around each pixel, and
// once more along the borders of boxes; an index a pixel is written, joined along these borders and read,
// the result is written once.
//
// Source: scikit-image `morphology.local_maxima`.
#include "common/neighbours.cuh"

// minima: of which there are those; within: whether pixels at the border, and regions with one of them,
// are none; beyond: whether each pixel has a neighbour outside, along an axis of length 1.
struct Wanted {
    int minima, within, beyond;
};

template <class Index>
__device__ inline bool at_border(const Volumes<Index>& volumes, const Place<Index>& place) {
    const auto ends = [](Index at, Index length) { return length > 1 && (at == 0 || at == length - 1); };
    bool any = ends(place.z, volumes.depth) || ends(place.y, volumes.rows) || ends(place.x, volumes.columns);
    Index number = place.volume;
#pragma unroll
    for (int a = OUTER_AXES - 1; a >= 0; --a) {
        any = any || ends(number % volumes.outer[a], volumes.outer[a]);
        number /= volumes.outer[a];
    }
    return any;
}

// Whether a pixel by itself tells that its region is no maximum: BETTER, else LESSER. Any thread.
//   range:  the lowest and the highest value of the image; null where they do not matter
//   told:   1 where there is such a pixel, and 1 where one is NaN; both 0 before
template <class T, class Index>
__device__ inline Kind kind_of(const T* image, const T* range, const Volumes<Index>& volumes,
                               const Neighbours& around, const Wanted& wanted, const Place<Index>& place,
                               Index pixel, i64* told) {
    const T value = image[pixel];
    bool higher = false;
    const bool at_end = visit_neighbours(volumes, around, place, pixel, [&](Index other) {
        higher = higher || (wanted.minima ? image[other] < value : image[other] > value);
    });
    const bool goes_on = range && (at_end || wanted.beyond) && value == range[wanted.minima];
    const bool is_none = higher || (wanted.within ? at_border(volumes, place) : goes_on);
    if (is_none && !told[0]) told[0] = 1;
    if (value != value) told[1] = 1;
    return is_none ? BETTER : LESSER;
}

template <class T, class Index>
__global__ void __launch_bounds__(256, 1)
    label_boxes(const T* image, const __grid_constant__ Volumes<Index> volumes,
                const __grid_constant__ Neighbours around, Wanted wanted, i64* told, Index* labels) {
    __shared__ int parents[BOX_PIXELS];
    __shared__ T values[BOX_PIXELS];
    const auto load = [&](int i, Index pixel, const Box<Index>& box) {
        values[i] = image[pixel];
        return kind_of(image, (const T*)nullptr, volumes, around, wanted, Place<Index>(box, i), pixel, told);
    };
    const auto same = [&](int i, int j) { return parents[j] != BACKGROUND && values[i] == values[j]; };
    label_in_boxes<UnionFind<int, BOX_PIXELS>, TwoKinds<Index>>(volumes, parents, labels, load, same);
}

template <class T, class Index>
__global__ void __launch_bounds__(256, 1)
    join_boxes(const T* image, const __grid_constant__ Volumes<Index> volumes, Index* labels) {
    join_all_boxes<TwoKinds<Index>>(labels, volumes, [&](Index p, Index q) { return image[p] == image[q]; });
}

template <class T, class Index>
__global__ void __launch_bounds__(256, 1)
    label_pixels(const T* image, i64 n, const T* range, const __grid_constant__ Volumes<Index> volumes,
                 const __grid_constant__ Neighbours around, Wanted wanted, i64* told, Index* labels) {
    for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < n; i += (i64)gridDim.x * blockDim.x) {
        const Place<Index> place(volumes, (Index)i);
        const Kind kind = kind_of(image, range, volumes, around, wanted, place, (Index)i, told);
        labels[i] = TwoKinds<Index>::key((Index)i, kind == BETTER);
    }
}

// before: those of the neighbours that come before a pixel.
template <class T, class Index>
__global__ void __launch_bounds__(256, 1)
    join_pixels(const T* image, i64 n, const __grid_constant__ Volumes<Index> volumes,
                const __grid_constant__ Neighbours before, Index* labels) {
    for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < n; i += (i64)gridDim.x * blockDim.x) {
        const T value = image[i];
        visit_neighbours(volumes, before, Place<Index>(volumes, (Index)i), (Index)i, [&](Index other) {
            if (image[other] == value) TwoKinds<Index>::unite(labels, (Index)i, other);
        });
    }
}

// connected: whether neighbours lead from each pixel to each other.
template <class Index>
__global__ void __launch_bounds__(256, 1) tell(i64 n, const i64* told, bool connected, Index* labels, bool* result) {
    typedef TwoKinds<Index> Find;
    const bool is_constant = connected && !told[0];
    for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < n; i += (i64)gridDim.x * blockDim.x)
        result[i] = !is_constant && !Find::is_better(Find::shortened(labels, (Index)i));
}
