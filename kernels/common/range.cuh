// Minimum and maximum, NaN where an element is, as NumPy has them.
//
//     Lanes<W> lanes(first);                            // any element of the image
//     for (...) lanes.add(k % Lanes<W>::LANES, value);
//     grid_reduce(lanes.range(), scratch, (Range<W>*)partials, arrived, CombineRanges(), finish);
#pragma once
#include "common/reduce.cuh"
#include "common/types.cuh"

// Type in which the range of an image is told: its own, float for binary16.
template <class T> struct RangeValue { using type = T; };
template <> struct RangeValue<float16> { using type = float; };

template <class W> struct Range {
    W low, high;
};

struct CombineRanges {
    template <class W> __device__ Range<W> operator()(const Range<W>& a, const Range<W>& b) const {
        return {b.low < a.low || b.low != b.low ? b.low : a.low,
                b.high > a.high || b.high != b.high ? b.high : a.high};
    }
};

// Range of one thread, in LANES independent ones; NaN is remembered apart, which leaves
// plain comparisons in the loop. Which lane is to be known when compiled.
template <class W, int COUNT = 4> struct Lanes {
    static constexpr int LANES = COUNT;
    W low[LANES], high[LANES];
    int nans[LANES];

    __device__ Lanes(W first) {
#pragma unroll
        for (int k = 0; k < LANES; ++k) {
            low[k] = high[k] = first;
            nans[k] = 0;
        }
    }

    __device__ void add(int k, W value) {
        low[k] = value < low[k] ? value : low[k];
        high[k] = value > high[k] ? value : high[k];
        nans[k] |= value != value;
    }

    __device__ Range<W> range() const {
        Range<W> range = {low[0], high[0]};
        int any = nans[0];
#pragma unroll
        for (int k = 1; k < LANES; ++k) {
            range = CombineRanges()(range, Range<W>{low[k], high[k]});
            any |= nans[k];
        }
        if (any) range.low = range.high = (W)__uint_as_float(0x7fc00000u);
        return range;
    }
};
