// Values of an image at the same rank in another one, for floating images. Two kernels:
//
//     match_runs    what becomes of each value that there is, at its first place in the sorted image
//     match_sorted  looks up each element there
//
// image: n elements, any alignment, with channels as in common/channels.cuh.
// sorted: `pixels` elements of each channel in ascending order; reference: `others` of
// each, likewise, of another image. U: type of the result; numbers are computed in double.
// made: of the size of `sorted`, written where a run of equal values begins.
// *refused, 0 before, tells of what is not finite: 1 in the reference, 2 (NaN) in the image.
//
// The rank of an element is the share of elements that are not larger. Between the ranks of
// two neighbouring values of the reference the result is interpolated, as numpy.interp does.
//
// Two launches; the image is read once, the result written once, both sorted ones are
// searched. Method: skimage/exposure/histogram_matching.py, with searches in sorted images
// for the counts of distinct values.
#include "common/channels.cuh"
#include "common/points.cuh"
#include "common/rounded.cuh"
#include "common/split.cuh"

// The first place in [low, high) whose element is not less than (or_equal: is larger than)
// the value, or `high`.
template <class T> __device__ inline i64 bound(const T* sorted, i64 low, i64 high, double value, bool or_equal) {
    while (low < high) {
        const i64 middle = low + (high - low) / 2;
        const double found = (double)sorted[middle];
        const bool before = found < value || (or_equal && found == value);
        low = before ? middle + 1 : low;
        high = before ? high : middle;
    }
    return low;
}

// For so many of `pixels` elements that are not larger.
template <class T> __device__ inline double matched(i64 rank, i64 pixels, const T* reference, i64 others) {
    const i64 place = (i64)((u64)rank * (u64)others / (u64)pixels);
    if (place >= others) return (double)reference[others - 1];
    const double above = (double)reference[place];
    // the run of this value; its neighbours are looked at first, since runs are often short
    const bool begins = place == 0 || (double)reference[place - 1] < above;
    const i64 first = begins ? place : bound(reference, 0, place, above, false);
    if (first == 0) return above;
    const bool ends = place + 1 == others || (double)reference[place + 1] > above;
    const i64 last = ends ? place + 1 : bound(reference, place + 1, others, above, true);
    const double below = (double)reference[first - 1];
    const double from = (double)first / (double)others, to = (double)last / (double)others;
    const double slope = (above - below) / (to - from);
    return plus_product(below, slope, (double)rank / (double)pixels - from);
}

template <class T, class U>
__global__ void match_runs(const T* sorted, i64 pixels, i64 channels, const T* reference, i64 others, u32* refused, U* made) {
    const i64 n = pixels * channels;
    const bool narrow = n >> 32 == 0;
    u32 seen = 0;
    for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < n; i += (i64)gridDim.x * blockDim.x) {
        i64 channel = i;
        const i64 place = split(channel, pixels, narrow);
        const T *const own = sorted + channel * pixels, *const other = reference + channel * others;
        const double value = (double)own[place], least = (double)other[0], most = (double)other[others - 1];
        seen |= (least - least != 0.0 || most - most != 0.0) | (value != value) << 1;
        if (place > 0 && (double)own[place - 1] == value) continue;
        const bool is_alone = place + 1 == pixels || (double)own[place + 1] > value;
        const i64 rank = is_alone ? place + 1 : bound(own, place + 1, pixels, value, true);
        made[i] = (U)matched(rank, pixels, other, others);
    }
    tell(refused, seen);
}

template <class T, class U>
__global__ void match_sorted(const T* image, i64 n, i64 inner, i64 channels, const T* sorted, i64 pixels, const U* made,
                             U* result) {
    const Channels places(n, inner, channels);
    for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < n; i += (i64)gridDim.x * blockDim.x) {
        const i64 before = places.at(i).channel * pixels;
        const i64 first = bound(sorted + before, 0, pixels, (double)image[i], false);
        result[i] = made[before + (first < pixels ? first : 0)];  // a NaN has no place, and is refused
    }
}
