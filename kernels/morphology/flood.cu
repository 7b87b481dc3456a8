// Pixels that are connected with a seed, and equal to it or within a tolerance. Kernels, in this order:
//
//     label_boxes   regions of such pixels inside each box (common/components.cuh)
//     join_boxes    unites regions across the borders of boxes
//     flood, fill   look up each pixel's root: a mask, or the image with a value in the seed's region
//
// For neighbours that are not those of a connectivity, label_pixels and join_pixels are in the place of
// the first two (common/neighbours.cuh): they unite one by one.
//
// image: (u)int8..64 or float32/64, booleans as uint8 whose highest value is 1; of up to 8 axes. Index:
// int, or i64 for 2^31 pixels or more. The seed is read on the device, by each thread.
// Three launches, whatever the image shows: the image is read once, an index a pixel is written, joined
// along the borders of boxes and read, the result is written once.
//
// Source: scikit-image `morphology.flood`, `flood_fill`.
#include "common/neighbours.cuh"
#include "common/roots.cuh"

template <class T> struct Range {
    T low, high;
};

// kind: 0 where there is none, 1 where it is `tolerance`, 2 where it is `whole`, of integers.
struct Tolerance {
    double tolerance;
    u64 whole;
    int kind;
};

// What scikit-image compares pixels with: Python's numbers, brought to the image's type, whose least
// and greatest ones are `low` and `high`.
template <class T>
__device__ inline Range<T> around_seed(T seed, const Tolerance& tolerance, T low, T high) {
    if (tolerance.kind == 0) return {seed, seed};
    if (tolerance.kind == 2) {
        const u64 below = (u64)seed - (u64)low, above = (u64)high - (u64)seed;
        return {tolerance.whole >= below ? low : (T)((u64)seed - tolerance.whole),
                tolerance.whole >= above ? high : (T)((u64)seed + tolerance.whole)};
    }
    const double least = (double)seed - tolerance.tolerance, most = (double)seed + tolerance.tolerance;
    Range<T> range{low, high};
    const bool is_float = (T)0.5 != (T)0;
    if (least > (double)low) range.low = is_float || least < (double)high ? (T)least : high;
    if (most < (double)high) range.high = (T)most;
    return range;
}

template <class T, class Index> struct Wanted {
    Index seed;
    Range<T> range;
    __device__ Wanted(const T* image, i64 seed, const Tolerance& tolerance, T low, T high)
        : seed((Index)seed), range(around_seed(image[seed], tolerance, low, high)) {}
    __device__ bool operator()(T value, Index pixel) const {
        return (value >= range.low && value <= range.high) || pixel == seed;
    }
};

template <class T, class Index>
__global__ void __launch_bounds__(256, BLOCKS<T, Index>)
    label_boxes(const T* image, const __grid_constant__ Volumes<Index> volumes, i64 seed, Tolerance tolerance,
                T low, T high, Index* labels) {
    __shared__ BoxTrees trees;
    const Wanted<T, Index> wanted(image, seed, tolerance, low, high);
    const auto load = [&](const Strip<Index>& strip) {
        const Pack<T, STRIP> pixels = load_strip(image + strip.pixel, strip.count);
        const u32 here = bits_of([&](int k) { return wanted(pixels.item[k], strip.pixel + k); });
        return Marks{here, here};
    };
    OneValue alike;
    label_in_boxes<UnionFind<int>, UnionFind<Index>>(volumes, trees, alike, labels, load);
}

template <class Index>
__global__ void __launch_bounds__(256, 1)
    join_boxes(const __grid_constant__ Volumes<Index> volumes, Index* labels) {
    join_all_boxes<UnionFind<Index>>(labels, volumes, [&](Index, Index q) { return labels[q] != BACKGROUND; });
}

template <class T, class Index>
__global__ void __launch_bounds__(256, 1)
    label_pixels(const T* image, i64 n, i64 seed, Tolerance tolerance, T low, T high, Index* labels) {
    const Wanted<T, Index> wanted(image, seed, tolerance, low, high);
    for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < n; i += (i64)gridDim.x * blockDim.x)
        labels[i] = wanted(image[i], (Index)i) ? (Index)i : (Index)BACKGROUND;
}

// before: those of the neighbours that come before a pixel.
template <class Index>
__global__ void __launch_bounds__(256, 1)
    join_pixels(i64 n, const __grid_constant__ Volumes<Index> volumes, const __grid_constant__ Neighbours before,
                Index* labels) {
    for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < n; i += (i64)gridDim.x * blockDim.x) {
        if (labels[i] == BACKGROUND) continue;
        visit_neighbours(volumes, before, Place<Index>(volumes, (Index)i), (Index)i, [&](Index other) {
            if (labels[other] != BACKGROUND) UnionFind<Index>::unite(labels, (Index)i, other);
        });
    }
}

template <class Index>
__global__ void __launch_bounds__(256, 1) flood(i64 n, i64 seed, Index* labels, bool* result) {
    const Index flooded = UnionFind<Index>::root(labels, (Index)seed);
    tell_roots<UnionFind<Index>>(labels, n, result, [&](Index root) { return root == flooded; });
}

// T: the unsigned integer of the pixels' size.
template <class T, class Index>
__global__ void __launch_bounds__(256, 1)
    fill(const T* image, i64 n, i64 seed, u64 value, Index* labels, T* result) {
    typedef UnionFind<Index> Find;
    const Index flooded = Find::root(labels, (Index)seed);
    replace_roots<Find>(image, labels, n, (T)value, result, [&](Index root) { return root == flooded; });
}
