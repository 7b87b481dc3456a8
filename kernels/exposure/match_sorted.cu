// Values of an image at the same rank in another one, for floating images. Two kernels:
//
//     match_runs    what becomes of each value that there is, at its first place in the sorted image, and
//                   where there the values of each of `buckets` buckets of equal width begin
//     match_sorted  looks up each element, in the bucket that it falls into; without buckets in all of the image
//
// image: n elements, any alignment, with channels as in common/channels.cuh.
// sorted: `pixels` elements of each channel in ascending order; reference: `others` of
// each, likewise, of another image. U: type of the result; numbers are computed in double.
// made: of the size of `sorted`, written where a run of equal values begins.
// starts: (channels, buckets + 1), nothing without buckets.
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

template <class T> using Value = typename NumpyArithmetic<T>::Value;

// The first place in [low, high) of which before(element) is not so, as it is of all before; or `high`.
template <class T, class Before> __device__ inline i64 bound(const T* sorted, i64 low, i64 high, const Before& before) {
    while (low < high) {
        const i64 middle = low + (high - low) / 2;
        const bool is_before = before((Value<T>)sorted[middle]);
        low = is_before ? middle + 1 : low;
        high = is_before ? high : middle;
    }
    return low;
}

// Buckets of equal width between the least and the largest of sorted elements: a larger value is in no lower one.
// What is not finite is in some of them.
template <class V> struct Buckets {
    V least, scale;
    int count;

    template <class T> __device__ Buckets(const T* sorted, i64 pixels, int count) : least((V)sorted[0]), count(count) {
        scale = (V)count / ((V)sorted[pixels - 1] - least);
    }
    __device__ int of(V value) const {
        const V place = (value - least) * scale;
        return place > 0 ? place < (V)count ? (int)place : count - 1 : 0;
    }
};

// For so many of `pixels` elements that are not larger.
template <class T> __device__ inline double matched(i64 rank, i64 pixels, const T* reference, i64 others) {
    const i64 place = (i64)((u64)rank * (u64)others / (u64)pixels);
    if (place >= others) return (double)reference[others - 1];
    const double above = (double)reference[place];
    // the run of this value; its neighbours are looked at first, since runs are often short
    const bool begins = place == 0 || (double)reference[place - 1] < above;
    const i64 first = begins ? place : bound(reference, 0, place, [=](Value<T> v) { return v < (Value<T>)above; });
    if (first == 0) return above;
    const bool ends = place + 1 == others || (double)reference[place + 1] > above;
    const i64 last =
        ends ? place + 1 : bound(reference, place + 1, others, [=](Value<T> v) { return v <= (Value<T>)above; });
    const double below = (double)reference[first - 1];
    const double from = (double)first / (double)others, to = (double)last / (double)others;
    const double slope = (above - below) / (to - from);
    return plus_product(below, slope, (double)rank / (double)pixels - from);
}

template <class T, class U>
__global__ void match_runs(const T* sorted, i64 pixels, i64 channels, const T* reference, i64 others, int buckets,
                           u32* refused, U* made, i64* starts) {
    const i64 n = pixels * channels, thread = blockIdx.x * (i64)blockDim.x + threadIdx.x;
    const i64 threads = (i64)gridDim.x * blockDim.x;
    const bool narrow = n >> 32 == 0;
    u32 seen = 0;
    for (i64 i = thread; i < n; i += threads) {
        i64 channel = i;
        const i64 place = split(channel, pixels, narrow);
        const T *const own = sorted + channel * pixels, *const other = reference + channel * others;
        const Value<T> value = (Value<T>)own[place], least = (Value<T>)other[0], most = (Value<T>)other[others - 1];
        seen |= (least - least != 0 || most - most != 0) | (value != value) << 1;
        if (place > 0 && (Value<T>)own[place - 1] == value) continue;
        const bool is_alone = place + 1 == pixels || (Value<T>)own[place + 1] > value;
        const i64 rank =
            is_alone ? place + 1 : bound(own, place + 1, pixels, [=](Value<T> v) { return v <= value; });
        made[i] = (U)matched(rank, pixels, other, others);
    }
    for (i64 i = thread; buckets && i < channels * (buckets + 1); i += threads) {
        const int bucket = (int)(i % (buckets + 1));
        const T* const own = sorted + i / (buckets + 1) * pixels;
        const Buckets<Value<T>> all(own, pixels, buckets);
        starts[i] = bound(own, 0, pixels, [=](Value<T> v) { return all.of(v) < bucket; });
    }
    tell(refused, seen);
}

template <class T, class U>
__global__ void match_sorted(const T* image, i64 n, i64 inner, i64 channels, const T* sorted, i64 pixels, int buckets,
                             const U* made, const i64* starts, U* result) {
    const Channels places(n, inner, channels);
    for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < n; i += (i64)gridDim.x * blockDim.x) {
        const i64 channel = channels > 1 ? places.at(i).channel : 0;
        const T* const own = sorted + channel * pixels;
        const Value<T> value = (Value<T>)image[i];
        i64 begin = 0, end = pixels;
        if (buckets) {
            const int bucket = Buckets<Value<T>>(own, pixels, buckets).of(value);
            const i64* const start = starts + (channel * (buckets + 1) + bucket);
            begin = start[0];
            end = (Value<T>)own[begin] < value ? start[1] : begin;  // often all of a bucket are equal
        }
        const i64 first = bound(own, begin, end, [=](Value<T> v) { return v < value; });
        result[i] = made[channel * pixels + (first < pixels ? first : 0)];  // a NaN has no place, and is refused
    }
}
