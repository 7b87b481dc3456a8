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
#include "common/roots.cuh"

// minima: of which there are those; within: whether pixels at the border, and regions with one of them,
// are none; beyond: whether each pixel has a neighbour outside, along an axis of length 1.
struct Wanted {
    int minima, within, beyond;
};

template <class Index> __device__ inline bool is_end(Index at, Index length) {
    return length > 1 && (at == 0 || at == length - 1);
}

// Whether all pixels of a row are at the border. Any thread.
template <class Index> __device__ inline bool row_at_border(const Volumes<Index>& volumes, const Place<Index>& place) {
    bool any = is_end(place.z, volumes.depth) || is_end(place.y, volumes.rows);
    Index number = place.volume;
#pragma unroll
    for (int a = OUTER_AXES - 1; a >= 0; --a) {
        if (volumes.outer[a] == 1) continue;
        any = any || is_end(number % volumes.outer[a], volumes.outer[a]);
        number /= volumes.outer[a];
    }
    return any;
}

// Whether a pixel by itself tells that its region is no maximum. Any thread.
//   range:  the lowest and the highest value of the image; null where they do not matter
//   told:   1 where there is such a pixel, and 1 where one is NaN; both 0 before
template <class T, class Index>
__device__ inline bool is_none(const T* image, const T* range, const Volumes<Index>& volumes,
                               const Neighbours& around, const Wanted& wanted, const Place<Index>& place,
                               Index pixel, i64* told) {
    const T value = image[pixel];
    bool higher = false;
    const bool at_end = visit_neighbours(volumes, around, place, pixel, [&](Index other) {
        higher = higher || (wanted.minima ? image[other] < value : image[other] > value);
    });
    const bool goes_on = range && (at_end || wanted.beyond) && value == range[wanted.minima];
    const bool at_border = row_at_border(volumes, place) || is_end(place.x, volumes.columns);
    const bool none = higher || (wanted.within ? at_border : goes_on);
    if (none && !told[0]) told[0] = 1;
    if (value != value) told[1] = 1;
    return none;
}

// A value whose order among others is the other way round. Any thread.
template <class T> __device__ inline T reversed(T value) {
    if constexpr (IS_FLOATING<T>)
        return -value;
    else
        return ~value;
}

template <class T, class Index>
__global__ void __launch_bounds__(256, BLOCKS<T, Index>)
    label_boxes(const T* image, const __grid_constant__ Volumes<Index> volumes,
                const __grid_constant__ Neighbours around, Wanted wanted, i64* told, Index* labels) {
    __shared__ BoxTrees trees;
    __shared__ BoxValues<T> values;
    typedef decltype(T() + 0) Level;  // of small integers int, which needs no conversions
    const auto upward = [&](T value) { return wanted.minima ? reversed((Level)value) : (Level)value; };
    const auto load = [&](const Strip<Index>& strip) {
        const Place<Index> place(strip.box, STRIP * strip.number);
        const Pack<T, STRIP> pixels = load_strip(image + strip.pixel, strip.count);
        Level own[STRIP], highest[STRIP];
#pragma unroll
        for (int k = 0; k < STRIP; ++k) {
            values.at(strip.number, k) = pixels.item[k];
            own[k] = highest[k] = upward(pixels.item[k]);
        }
        if (strip.count <= 0) return Marks{0, 0};
        visit_rows(volumes, around, place, strip.pixel, [&](u32 row, Index middle) {
            const Pack<T, STRIP> beside = load_strip(image + middle, strip.count);
            Level theirs[STRIP + 2];  // a pixel's own value in place of one that the image has not
            theirs[0] = place.x > 0 ? upward(image[middle - 1]) : own[0];
            theirs[STRIP + 1] = place.x + STRIP < volumes.columns ? upward(image[middle + STRIP]) : own[STRIP - 1];
#pragma unroll
            for (int k = 0; k < STRIP; ++k) theirs[k + 1] = upward(beside.item[k]);
            if (strip.count < STRIP)
#pragma unroll
                for (int k = 1; k < STRIP; ++k)
                    if (k >= strip.count) theirs[k + 1] = own[k - 1];
#pragma unroll
            for (int dx = 0; dx < 3; ++dx)
                if (row >> dx & 1)
#pragma unroll
                    for (int k = 0; k < STRIP; ++k)
                        highest[k] = theirs[k + dx] > highest[k] ? theirs[k + dx] : highest[k];
        });
        u32 none = bits_of([&](int k) { return highest[k] > own[k]; });
        if (wanted.within)
            none |= row_at_border(volumes, place)
                        ? ~0u
                        : bits_of([&](int k) { return is_end(place.x + k, volumes.columns); });
        if (none & strip.present() && !told[0]) told[0] = 1;
        if (bits_of([&](int k) { return own[k] != own[k]; })) told[1] = 1;
        return Marks{~0u, none};
    };
    label_in_boxes<UnionFind<int, BOX_PIXELS>, TwoKinds<Index>>(volumes, trees, values, labels, load);
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
        const bool none = is_none(image, range, volumes, around, wanted, place, (Index)i, told);
        labels[i] = TwoKinds<Index>::key((Index)i, none);
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
    tell_roots<Find>(labels, n, result, [&](Index root) { return !is_constant && !Find::is_better(root); });
}
