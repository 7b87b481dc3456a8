// Hysteresis threshold: pixels above a low threshold that are connected to one above a high
// threshold. Three kernels, in this order:
//
//     label_boxes   components inside each box, in shared memory, then the key of each
//                   pixel's root in its box (common/components.cuh)
//     join_boxes    unites components across the boxes' borders
//     above_low     looks up each pixel's root
//
// image: bool, (u)int8..64, float16/32/64, of up to 8 axes. Pixels above the high threshold are
// of the better kind in union_find.cuh, so no launch is needed to mark components. Up to 2^30
// pixels.
// Three launches, whatever the image shows: the image is read once, 4 bytes a pixel are
// written, joined along the borders and read, and the result is written once.
//
// Source: scikit-image `filters.apply_hysteresis_threshold`.
#include "common/components.cuh"
#include "common/roots.cuh"

typedef UnionFind<int, BOX_PIXELS> Local;
typedef TwoKinds<int> Global;

// Thresholds that are numbers. The low one is at most `ceiling`: the high one in the dtype
// in which numpy.clip compares them.
struct Thresholds {
    double low, high, ceiling;
};

// Type in which pixels of T are compared with numbers: without double, which many cards are slow in. A pixel
// is above a number where it is above the largest one of its type that the number is not below: the host
// gives this one.
template <class T> struct Compared { typedef double type; };  // 64 bits, as NumPy compares them with a double
template <> struct Compared<bool> { typedef int type; };
template <> struct Compared<signed char> { typedef int type; };
template <> struct Compared<u8> { typedef int type; };
template <> struct Compared<short> { typedef int type; };
template <> struct Compared<u16> { typedef int type; };
template <> struct Compared<int> { typedef i64 type; };
template <> struct Compared<u32> { typedef i64 type; };
template <> struct Compared<float16> { typedef float type; };
template <> struct Compared<float> { typedef float type; };

// As numpy.minimum: NaN wherever there is one.
__device__ inline double at_most(double low, double ceiling) {
    return low != low || low < ceiling ? low : ceiling;
}

// `odd` becomes 1 where a pixel above the high threshold is not above the low one, which
// only NaN as the low one brings about.
template <class T>
__global__ void __launch_bounds__(256, RESIDENT)
    label_boxes(const T* image, const double* lows, const double* highs, Thresholds limits,
                const __grid_constant__ Volumes<int> volumes, int* odd, int* labels) {
    __shared__ BoxTrees trees;
    typedef typename Compared<T>::type Number;
    const bool of_numbers = !lows && !highs;
    const Number low_number = (Number)limits.low, high_number = (Number)limits.high;
    const auto load = [&](const Strip<int>& strip) {
        const Pack<T, STRIP> pixels = load_strip(image + strip.pixel, strip.count);
        if (of_numbers)
            return Marks{bits_of([&](int k) { return (Number)pixels.item[k] > low_number; }),
                         bits_of([&](int k) { return (Number)pixels.item[k] > high_number; })};
        Marks marks{0, 0};
#pragma unroll
        for (int k = 0; k < STRIP; ++k) {
            if (k >= strip.count) break;
            const int pixel = strip.pixel + k;
            const double value = (double)(Number)pixels.item[k];
            const double high = highs ? highs[pixel] : limits.high;
            const double ceiling = highs ? high : limits.ceiling;
            const bool above_low = value > at_most(lows ? lows[pixel] : limits.low, ceiling);
            const bool above_high = value > high;
            if (above_high && !above_low) *odd = 1;
            if (above_low) marks.here |= 1u << k;
            if (above_high) marks.better |= 1u << k;
        }
        return marks;
    };
    OneValue alike;
    label_in_boxes<Local, Global>(volumes, trees, alike, labels, load);
}

__global__ void __launch_bounds__(256, 1)
    join_boxes(const __grid_constant__ Volumes<int> volumes, int* labels) {
    join_all_boxes<Global>(labels, volumes, [&](int, int q) { return labels[q] != BACKGROUND; });
}

// ndimage.label calls the background 0, and scikit-image asks of it too whether a pixel in
// it is above the high threshold: `odd`, where there is one.
__global__ void __launch_bounds__(256, 1) above_low(const int* labels, const int* odd, int n, bool* result) {
    const bool of_background = odd && *odd;
    tell_roots<Global>(labels, n, result, [&](int root) {
        return root == BACKGROUND ? of_background : Global::is_better(root);
    });
}
