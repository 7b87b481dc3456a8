// Regions of equal pixels that touch the border of the image, or what a mask leaves out, are
// set to one value. Three kernels, in this order:
//
//     label_boxes   components inside each box (common/components.cuh); pixels at the border are of
//                   the better kind in union_find.cuh, so that a root tells whether one is in it
//     join_boxes    unites components across the borders of boxes
//     clear         looks up each pixel's root
//
// image: pixels as in measure/label.cu, whose background, 0, is cleared as if it were one region.
// Index: int, or i64 from 2^30 pixels on.
// Three launches, whatever the image shows: the image is read twice, and once more along the
// borders of boxes, the mask once; an index a pixel is written, joined along the borders and
// read, and the result is written once.
//
// Source: scikit-image `segmentation.clear_border`.
#include "common/components.cuh"
#include "common/whole.cuh"

// Places that are not at the border, along the axes of Volumes.
template <class Index> struct Inside {
    Index z[2], y[2], x[2], outer[OUTER_AXES][2];  // the first, and the first behind the last
};

template <class Index> __device__ inline bool lies(Index place, const Index* range) {
    return place >= range[0] && place < range[1];
}

// Whether volumes before the last three axes have none of their pixels at the border along these.
template <class Index>
__device__ inline bool lies_inside(const Volumes<Index>& volumes, const Inside<Index>& inside, Index number) {
    bool all = true;
#pragma unroll
    for (int a = OUTER_AXES - 1; a >= 0; --a) {
        all = all && lies(number % volumes.outer[a], inside.outer[a]);
        number /= volumes.outer[a];
    }
    return all;
}

// mask: where it is not null, false is the border.
// told: 1 where background is at the border, and 1 where a pixel is a number that no integer
// holds; both 0 before.
template <class T, class Index>
__global__ void __launch_bounds__(256, 1)
    label_boxes(const T* image, const bool* mask, const __grid_constant__ Volumes<Index> volumes,
                const __grid_constant__ Inside<Index> inside, i64* told, Index* labels) {
    typedef decltype(whole(T())) Value;
    __shared__ int parents[BOX_PIXELS];
    __shared__ Value values[BOX_PIXELS];
    const auto load = [&](int i, Index pixel, const Box<Index>& box) {
        const Value value = values[i] = whole(image[pixel]);
        const bool at_border = mask ? !mask[pixel]
                                    : !(lies<Index>(box.x0 + box.x(i), inside.x) &&
                                        lies<Index>(box.y0 + box.y(i), inside.y) &&
                                        lies<Index>(box.z0 + box.z(i), inside.z) &&
                                        lies_inside(volumes, inside, box.volume));
        if (!fits(value)) told[1] = 1;
        if (fits(value) && (i64)value != 0) return at_border ? BETTER : LESSER;
        if (at_border) told[0] = 1;
        return NONE;
    };
    const auto same = [&](int i, int j) { return parents[j] != BACKGROUND && values[i] == values[j]; };
    label_in_boxes<UnionFind<int, BOX_PIXELS>, TwoKinds<Index>>(volumes, parents, labels, load, same);
}

template <class T, class Index>
__global__ void __launch_bounds__(256, 1)
    join_boxes(const T* image, const __grid_constant__ Volumes<Index> volumes, Index* labels) {
    const auto same = [&](Index p, Index q) { return whole(image[p]) == whole(image[q]); };
    join_all_boxes<TwoKinds<Index>>(labels, volumes, same);
}

// T: the unsigned integer of the pixels' size.
template <class T, class Index>
__global__ void __launch_bounds__(256, 1)
    clear(const T* image, i64 n, const i64* told, u64 value, Index* labels, T* result) {
    typedef TwoKinds<Index> Find;
    const bool of_background = told[0];
    for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < n; i += (i64)gridDim.x * blockDim.x) {
        const bool cleared = labels[i] == BACKGROUND ? of_background
                                                     : Find::is_better(Find::shortened(labels, (Index)i));
        result[i] = cleared ? (T)value : image[i];
    }
}
