// Two neighbours on a line of an image, smoothed by a Gaussian and weighted: what an image that is made smaller
// has in place of the line.
//
// Both sums run along one window of 2 * radius + 2 elements: each is read and converted once.
#pragma once
#include "common/range.cuh"
#include "common/two_floats.cuh"
#include "filters/gaussian_taps.cuh"

// Roundings may lead out of the range of the elements that `mean` is made of. Whether they may have, told from the
// element of the largest weight w: the exact mean then is no further from the end of the range than roundings, and
// so is, divided by w, that element. Of n elements w is 1 / (2 n) at least, and roundings n 2^-52 of the mean at
// most, or, where products are subnormal, n 2^-1074: for n below 2^12 less than this.
__device__ inline bool may_be_beyond(double mean, double middle) {
    return fabs(middle - mean) <= fma(fabs(mean), 0x1p-24, 0x1p-1000);
}

template <class E> __device__ inline void widen(Range<E>& seen, E value) {
    if (value < seen.low) seen.low = value;
    if (value > seen.high) seen.high = value;
}
template <class E> __device__ inline E within(const Range<E>& seen, E value) {
    return value < seen.low ? seen.low : value > seen.high ? seen.high : value;
}
template <class E> __device__ inline Range<E> no_range() {
    const E infinity = (E)__uint_as_float(0x7f800000u);
    return {infinity, -infinity};
}

// Sums begin with their first product, in place of 0: that differs in the sign of a zero, which the mean does not show.
__device__ inline double product(double element, double weight) { return element * weight; }
__device__ inline TwoFloats product(float element, const TwoFloats& weight) {
    const TwoFloats its = exact_product(element, weight.high);
    return {its.high, fma(element, weight.low, its.low)};
}

// Elements of a line one after the other, `step` apart.
template <class T> struct Walk {
    const T* at;
    int step;
    __device__ T next() {
        const T element = *at;
        at += step;
        return element;
    }
    __device__ T ahead(int count) const { return at[count * step]; }
};

// The mean of the sums around elements `radius` and `radius` + 1 of a window, by `weight`, kept in the range of the
// window's elements. Returns whether it is held exactly enough.
//   elements  a Walk from the window's first on, or what has the same
//   taps      2 * radius + 1
template <class N, class Elements, class Tap, class Convert>
__device__ inline bool smoothed(ElementOf<N>& mean, Elements elements, int radius, const Tap* taps,
                                const N (&weight)[2], const Convert& convert) {
    typedef ElementOf<N> E;
    Range<E> seen = no_range<E>();
    const auto take = [&] {
        const E value = convert(elements.next());
        // A NaN that is compared does not matter, since then the sums are NaN, too.
        if constexpr (IS_TWO_FLOATS<N>) widen(seen, value);
        return value;
    };
    N last = (N)*taps;
    N sums[2] = {product(take(), last), N{}};
#pragma unroll 1
    for (int t = 0; t < radius; ++t) {
        const N first = (N)*++taps, second = (N)*++taps;
        const E value = take();
        accumulate(sums[0], value, first);
        accumulate(sums[1], value, last);
        const E other = take();
        accumulate(sums[0], other, second);
        accumulate(sums[1], other, first);
        last = second;
    }
    accumulate(sums[1], take(), last);
    N sum = {};
    accumulate(sum, sums[0], weight[0]);
    accumulate(sum, sums[1], weight[1]);
    mean = (E)sum;
    if constexpr (IS_TWO_FLOATS<N>) {
        mean = within(seen, mean);
        return is_held(seen.high > -seen.low ? seen.high : -seen.low);
    } else {
        if (may_be_beyond(mean, convert(elements.ahead((weight[1] > weight[0]) - radius - 2)))) {
            // elements are compared as they are: conversion keeps their order
            auto low = elements.ahead(-1), high = low;
#pragma unroll 1
            for (int t = 2 * radius + 2; t > 1; --t) {
                const auto element = elements.ahead(-t);
                if (element < low) low = element;
                if (element > high) high = element;
            }
            mean = within(Range<E>{convert(low), convert(high)}, mean);
        }
        return true;
    }
}
