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
#include "common/roots.cuh"
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
        const Index length = volumes.outer[a];
        all = all && lies(length == 1 ? 0 : number % length, inside.outer[a]);
        if (length > 1) number /= length;
    }
    return all;
}

// mask: where it is not null, false is the border.
// told: 1 where background is at the border, and 1 where a pixel is a number that no integer
// holds; both 0 before.
template <class T, class Index>
__global__ void __launch_bounds__(256, BLOCKS<T, Index>)
    label_boxes(const T* image, const bool* mask, const __grid_constant__ Volumes<Index> volumes,
                const __grid_constant__ Inside<Index> inside, i64* told, Index* labels) {
    typedef decltype(whole(T())) Value;
    __shared__ BoxTrees trees;
    __shared__ BoxValues<Value> values;
    const auto load = [&](const Strip<Index>& strip) {
        const Box<Index>& box = strip.box;
        const bool row_inside = lies<Index>(box.y0 + strip.y, inside.y) && lies<Index>(box.z0 + strip.z, inside.z) &&
                                lies_inside(volumes, inside, box.volume);
        const Pack<T, STRIP> pixels = load_strip(image + strip.pixel, strip.count);
        Value own[STRIP];
#pragma unroll
        for (int k = 0; k < STRIP; ++k) values.at(strip.number, k) = own[k] = whole(pixels.item[k]);
        u32 at_border = ~0u;
        if (mask) {
            const Pack<bool, STRIP> open = load_strip(mask + strip.pixel, strip.count);
            at_border = bits_of([&](int k) { return !open.item[k]; });
        } else if (row_inside) {
            at_border = bits_of([&](int k) { return !lies<Index>(box.x0 + strip.x + k, inside.x); });
        }
        const u32 fit = bits_of([&](int k) { return fits(own[k]); });
        const u32 here = fit & bits_of([&](int k) { return own[k] != 0; });
        if (~fit & strip.present()) told[1] = 1;
        if (at_border & ~here & strip.present()) told[0] = 1;
        return Marks{here, at_border};
    };
    label_in_boxes<UnionFind<int, BOX_PIXELS>, TwoKinds<Index>>(volumes, trees, values, labels, load);
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
    replace_roots<Find>(image, labels, n, (T)value, result, [&](Index root) {
        return root == BACKGROUND ? of_background : Find::is_better(root);
    });
}
