// What the kernels of skimage.feature.peak_local_max have in common: marks of local maxima,
// a bit a pixel, and the list of peaks that is made of them.
//
// An image of any number of axes is seen as `lines` of its last axis; each line has words of
// 32 marks of its own.
#pragma once
#include "common/range.cuh"
#include "common/types.cuh"

constexpr int MOST_AXES = 8;

// What the host is told of an image; zeros before the launch.
template <class T> struct Told {
    alignas(8) T low;
    alignas(8) T high;
    u64 maxima;   // local maxima
    u32 arrived;  // for the reduction
};

// Where peaks may lie: [first, end) along each axis of the shape.
struct Region {
    int axes, unused;
    i64 shape[MOST_AXES], first[MOST_AXES], end[MOST_AXES];

    // Whether pixels of this line may be peaks, whatever their place in it. Any thread.
    __device__ bool has_line(i64 line) const {
        bool inside = true;
        for (int a = axes - 2; a >= 0; --a) {
            const i64 above = line / shape[a], at = line - above * shape[a];
            inside = inside && at >= first[a] && at < end[a];
            line = above;
        }
        return inside;
    }
};

// Values above a threshold: floating ones above `above`, integers from `least` on (the bits
// of an unsigned one).
struct Threshold {
    double above;
    i64 least;
    i64 nothing;  // no integer passes
    __device__ bool passes(float value) const { return (double)value > above; }
    __device__ bool passes(double value) const { return value > above; }
    template <class T> __device__ bool passes(T value) const { return !nothing && value >= (T)least; }
};

// Range of the pixels that one thread saw, and how many are local maxima.
template <class T> struct Seen {
    Lanes<T, 1> lanes;
    u32 maxima = 0;
    __device__ Seen(T first) : lanes(first) {}
    __device__ void add(T value, bool is_maximum) {
        lanes.add(0, value);
        maxima += is_maximum;
    }
};

// Tells the host what the threads saw.
//   called by: all threads of all blocks of up to 256 threads, once in a launch
//   partials:  one range for each block
template <class T> __device__ inline void tell_host(const Seen<T>& seen, Range<T>* partials, Told<T>* told) {
    __shared__ Range<T> scratch[256];
    __shared__ u32 total;
    const u32 maxima = block_sum(seen.maxima, &total);
    if (threadIdx.x == 0 && maxima) atomicAdd(&told->maxima, (u64)maxima);
    grid_reduce(seen.lanes.range(), scratch, partials, &told->arrived, CombineRanges(), [=](const Range<T>& range) {
        told->low = range.low;
        told->high = range.high;
    });
}

// Words of 32 marks in a line. Any thread.
__device__ inline i64 words_in(i64 columns) { return (columns + 31) / 32; }
