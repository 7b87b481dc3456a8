// Smoothing and slope along one axis, each applied twice: the lines of an image in shared
// memory. The elements of a Hessian are made of these, axis by axis.
//
// S smooths by a Gaussian, D takes the slope by its derivative; both extend the line beyond
// its ends first. A job is a source and a pair of them: the line, extended, filtered by
// `first`, the result extended anew, filtered by `second`. A tile of lines goes through
// shared memory, `made` holding the results of all jobs:
//
//     1. lines and a halo of twice the radius into `raw`, where the source changes
//     2. `first` of `raw` with a halo of the radius into `once`
//     3. what lies beyond the ends of `once` is extended from what lies inside
//     4. `second` of `once` into `made`
//     5. whoever takes the results gets all of one element at once
//
// Any distance of neighbours: lines lie in shared memory one behind the other, whatever axis
// they run along. Threads follow the memory's order in 1 and 5. Sums are double, or two floats where
// they are rounded to float between the filters (common/two_floats.cuh), or whole numbers where the image is of
// 8 bits (common/fixed.cuh): slopes are small beside the numbers that they are slopes of.
#pragma once
#include "common/fixed.cuh"
#include "common/shared.cuh"
#include "filters/float_strip.cuh"

constexpr int LINE_RADIUS = 120;
constexpr int MOST_JOBS = 6;

// Weights from far to near, the centre's last, by value: no copy to the device.
template <class N> struct LineWeights {
    N smooth[LINE_RADIUS + 1];
    N slope[LINE_RADIUS + 1];
    int radius;
};
typedef LineWeights<double> LineTaps;

// Jobs of equal source, and among them of equal `first`, follow each other. 1 is D, 0 is S.
struct LineJobs {
    int source[MOST_JOBS], first[MOST_JOBS], second[MOST_JOBS];
    int count;
};

// The arrays are seen as (outer, length, inner); sources and results are stacks of them.
struct LineView {
    i64 outer, length, inner;
    int mode;
    int lines, width;  // of a tile: a multiple of LINE_RUN, a multiple of 16
};

// A tile: neighbouring lines of an array, of the inner axis or rows where there is none, and
// `count` of their elements from `begin` on. `start` is the place of the first line's first element.
struct LineTile {
    bool rows;
    i64 start, stride, begin;
    int lines, count;

    // Line and element of the i-th thread that works on `length` elements of each line: threads
    // follow the memory's order.
    __device__ int line(int i, int length) const { return rows ? i / length : i % lines; }
    __device__ int element(int i, int length) const { return rows ? i % length : i / lines; }
};

// body(tile) for the tiles of a block; called by all of its threads, as it calls.
template <class Body>
__device__ inline void for_line_tiles(const LineView& view, Body body) {
    const bool rows = view.inner == 1;
    const i64 groups = rows ? 1 : view.outer, members = rows ? view.outer : view.inner;
    const i64 stride = rows ? view.length : 1;
    const i64 across = (members + view.lines - 1) / view.lines;
    const i64 along = (view.length + view.width - 1) / view.width;
    for (i64 item = blockIdx.x; item < groups * across * along; item += gridDim.x) {
        const i64 line0 = item % across * view.lines;
        const i64 begin = item / across % along * view.width;
        const i64 start = item / across / along * (view.length * view.inner) + line0 * stride;
        const int lines = members - line0 < view.lines ? (int)(members - line0) : view.lines;
        const int count = view.length - begin < view.width ? (int)(view.length - begin) : view.width;
        body(LineTile{rows, start, stride, begin, lines, count});
    }
}

constexpr int LINE_RUN = 4;  // results that one thread computes

// What sums by such weights are made in, where they are not split.
template <class N> struct SummedIn { typedef N type; };
template <> struct SummedIn<Weight> { typedef double type; };

// The same where they are whole numbers or floats.
template <class From, class N> struct PairsOf { typedef FixedPairs<LINE_RUN, From> type; };
template <class From> struct PairsOf<From, Weight> { typedef FloatPairs<LINE_RUN> type; };

// sum += element * weight, and after - before, in two floats beside a `start` (common/float_sums.cuh).
__device__ inline void add_product(float& high, float& low, float element, const TwoFloats& weight) {
    add_product(high, low, element, weight.high);
    low = fma(element, weight.low, low);
}
__device__ inline void add_product(float& high, float& low, const TwoFloats& element, const TwoFloats& weight) {
    add_product(high, low, element.high, weight);
    low = fma(element.low, weight.high, low);
}
__device__ inline TwoFloats difference(float after, float before) {
    const float apart = after - before, share = apart - after;
    return {apart, (after - (apart - share)) - (before + share)};
}
__device__ inline TwoFloats difference(const TwoFloats& after, const TwoFloats& before) {
    const TwoFloats apart = difference(after.high, before.high);
    return {apart.high, apart.low + (after.low - before.low)};
}

// The same in two floats, of floats or two floats. `start` (common/float_sums.cuh) is of the largest of a tile's elements,
// or of how far they are apart from one of them for slopes: the magnitudes of a filter's weights, or of both of a
// slope's pairs, add up to 1 at most. A sum of n elements is off by less than n^2 2^-46 of that, as a rule by less than
// n 2^-46. Equal neighbours leave exactly nothing of a slope.
template <int RUN, class From> struct TwoFloatPairs {
    TwoFloats sum[RUN];

    template <bool SLOPE>
    __device__ void filter(const From* src, int pitch, const TwoFloats* weights, int radius, float start) {
        float high[RUN], low[RUN];
#pragma unroll
        for (int k = 0; k < RUN; ++k) {
            high[k] = start;
            low[k] = 0;
            if (!SLOPE) add_product(high[k], low[k], src[k * pitch + radius], weights[radius]);
        }
#pragma unroll 4
        for (int t = 0; t < radius; ++t) {
            const TwoFloats weight = weights[t];
#pragma unroll
            for (int k = 0; k < RUN; ++k) {
                const From before = src[k * pitch + t], after = src[k * pitch + 2 * radius - t];
                if (SLOPE) {
                    add_product(high[k], low[k], difference(after, before), weight);
                } else {
                    add_product(high[k], low[k], before, weight);
                    add_product(high[k], low[k], after, weight);
                }
            }
        }
#pragma unroll
        for (int k = 0; k < RUN; ++k) sum[k] = {high[k] - start, low[k]};
    }

    template <class To> __device__ void put(To* dst, int pitch) const {
#pragma unroll
        for (int k = 0; k < RUN; ++k) dst[k * pitch] = (To)sum[k];
    }
};

template <class From> struct PairsOf<From, TwoFloats> { typedef TwoFloatPairs<LINE_RUN, From> type; };

// Elements of a row of shared memory for `width` results of a filter with this halo; lanes
// may run over its end. Rows begin at different banks.
__device__ inline int line_pitch(int width, int halo) { return (width + halo + 16 + 31) / 32 * 32 + 1; }

// Applies S or D to a tile of lines: `count` results of each, summed in the weights' type and
// rounded to the target's. By a `Weight` in double, or of floats what is rounded as if it were
// (common/float_sums.cuh). Called by all threads of the block.
//
// from, present  of weights in two floats: what their sums start at, and how many of the lines are the image's
//
// Returns the largest magnitude of the caller's results of these lines, of such weights where results are floats.
//
// On a GPU a thread's results are neighbours, which share all elements but one with each other, and 16
// threads have four of them in each of four lines: their doubles lie in different banks.
template <class From, class To, class N>
__device__ inline float filter_lines(const From* source, int source_pitch, To* target, int target_pitch, int lines,
                                     int count, bool slope, const N* weights, int radius, float from = 0,
                                     int present = 0) {
    float largest = 0;
    const bool neighbours = LANES == 1;
    const int next = neighbours ? 1 : source_pitch, next_result = neighbours ? 1 : target_pitch;
    const int groups = lines / LINE_RUN, across = (count + LANES - 1) / LANES;
    const int parts = (count + LINE_RUN * LINE_RUN - 1) / (LINE_RUN * LINE_RUN) * groups;
    for (int i = threadIdx.x; i < (neighbours ? parts * LINE_RUN * LINE_RUN : across * groups); i += blockDim.x) {
        int r, c;
        if (neighbours) {
            const int part = i / (LINE_RUN * LINE_RUN), place = i / LINE_RUN % LINE_RUN;
            r = part % groups * LINE_RUN + i % LINE_RUN;
            c = (part / groups * LINE_RUN + place) * LINE_RUN;
            if (c >= count) continue;
        } else {
            r = i / across * LINE_RUN;
            c = i % across * LANES;
        }
        const From* const start = source + r * source_pitch + c;
        To* const results = target + r * target_pitch + c;
        if constexpr (IS_TWO_FLOATS<N>) {
            typename PairsOf<From, N>::type sum;
            if (slope)
                sum.template filter<true>(start, next, weights, radius, from);
            else
                sum.template filter<false>(start, next, weights, radius, from);
            sum.put(results, next_result);
            if (sizeof(To) == sizeof(float) && r < present)
#pragma unroll
                for (int k = 0; k < LINE_RUN; ++k)
                    if (c + k < count) largest = fmax(largest, fabs((float)sum.sum[k]));
        } else if constexpr (SPLIT<N> || IS_FIXED<N>) {
            typename PairsOf<From, N>::type sum;
            if (slope)
                sum.template filter<true>(start, next, weights, radius);
            else
                sum.template filter<false>(start, next, weights, radius);
            sum.put(results, next_result);
        } else {
            Strip<LINE_RUN, typename SummedIn<N>::type> sum;
            if (slope)
                sum.filter_differences(start, next, weights, radius);
            else
                sum.filter_pairs(start, next, 1, weights, radius);
            sum.put(results, next_result);
        }
    }
    return largest;
}

constexpr float LARGEST_IN_PAIRS = 4.25352959e37f;  // 2^125: two of them may be added up in float

// Whether numbers are held in one or two floats.
template <class N> constexpr bool IS_SINGLE = IS_TWO_FLOATS<N>;
template <> constexpr bool IS_SINGLE<float> = true;

// The largest magnitudes in a tile, as bits of floats: of a source's elements, of what they are apart from one of
// them, of what `first` makes of them.
struct LineSizes {
    u32 elements, apart, once;
};
__device__ inline void make_at_least(u32& size, float magnitude) { atomicMax(&size, __float_as_uint(magnitude)); }

// A source's lines of a tile, and their halo, as numbers of N. Called by all threads of the block;
// behind a barrier, and a barrier is in it.
//
// sizes  of numbers in floats alone
template <class N, class T, class Convert>
__device__ inline void fetch_lines(N* raw, int pitch, const T* source, const LineView& view, const LineTile& tile,
                                   int radius, const Convert& convert, LineSizes* sizes) {
    const int here = tile.count + 4 * radius;
    const auto number_at = [&](int l, int p) {
        const i64 place = boundary_index(tile.begin - 2 * radius + p, view.length, view.mode);
        N number = {};
        if (place >= 0) convert(source[l * tile.stride + place * view.inner], number);
        return number;
    };
    float largest = 0, farthest = 0;
    N one = {};
    if constexpr (IS_SINGLE<N>) one = number_at(0, 2 * radius);
    for (int i = threadIdx.x; i < tile.lines * here; i += blockDim.x) {
        const int l = tile.line(i, here), p = tile.element(i, here);
        const N number = number_at(l, p);
        raw[l * pitch + p] = number;
        if constexpr (IS_SINGLE<N>) {
            largest = fmax(largest, fabs((float)number));
            farthest = fmax(farthest, fabs((float)difference(number, one)));
        }
    }
    if constexpr (IS_SINGLE<N>) {
        make_at_least(sizes->elements, largest);
        make_at_least(sizes->apart, farthest);
    }
    __syncthreads();
}

// Elements of lines of T, weights and results where what `first` gives is rounded to Once.
template <class N, class T> struct ElementFrom { typedef N type; };
template <> struct ElementFrom<TwoFloats, float> { typedef float type; };
template <> struct ElementFrom<TwoFloats, float16> { typedef float type; };
template <class Once, class T> struct LinesOf {
    typedef typename NumberOf<Once>::type Number;
    typedef typename ElementFrom<Number, T>::type Element;
    typedef double Made;
};
template <class T> struct LinesOf<Fixed, T> {
    typedef int Element;
    typedef FixedWeight Number;
    typedef Fixed Made;
};
template <> struct LinesOf<Fixed, Fixed> {
    typedef Fixed Element, Made;
    typedef FixedWeight Number;
};

// All jobs for all elements of the arrays. Once: type to which the results of `first` are rounded.
//
// shared   lines * (line_pitch(width, 4 * radius) + line_pitch(width, 2 * radius) + jobs * width)
//          + 2 * (radius + 1) doubles
// sources  stack of arrays
// convert  convert(element, number) sets a number: a double, a float or two, an int or a Fixed
// take     take(place, values, step): the result of job j for the element at `place` of the
//          array is values[j * step]
//
// Called by all threads of all blocks, with one-dimensional blocks.
template <class Once, class T, class Convert, class Take>
__device__ inline void for_lines(double* shared, const T* sources, const LineView& view,
                                 const LineJobs& jobs, const LineTaps& taps, const Convert& convert,
                                 Take take) {
    typedef typename LinesOf<Once, T>::Element Element;
    typedef typename LinesOf<Once, T>::Number N;
    typedef typename LinesOf<Once, T>::Made Made;
    const int radius = taps.radius, width = view.width;
    const int raw_pitch = line_pitch(width, 4 * radius), once_pitch = line_pitch(width, 2 * radius);
    double* const raw = shared;
    Element* const numbers = reinterpret_cast<Element*>(raw);
    Made* const made = reinterpret_cast<Made*>(raw + view.lines * raw_pitch);
    Once* const once = reinterpret_cast<Once*>(made + jobs.count * view.lines * width);
    const N *smooth, *slope;
    if constexpr (!IS_TWO_FLOATS<N> && !IS_FIXED<N>) {
        smooth = taps.smooth, slope = taps.slope;
    } else {
        N* const weights = reinterpret_cast<N*>(once + view.lines * once_pitch);
        for (int t = threadIdx.x; t <= radius; t += blockDim.x) {
            weights[t] = N(taps.smooth[t]);
            weights[radius + 1 + t] = N(taps.slope[t]);
        }
        smooth = weights, slope = weights + radius + 1;
    }

    __shared__ LineSizes sizes[2][MOST_JOBS];  // of this tile and the next one
    const auto forget = [&](int turn) {
        for (int j = threadIdx.x; j < MOST_JOBS; j += blockDim.x) sizes[turn][j] = {};
    };
    if constexpr (IS_TWO_FLOATS<N>) {
        forget(0);
        __syncthreads();
    }
    int turn = 0;
    const i64 size = view.outer * view.length * view.inner;
    for_line_tiles(view, [&](const LineTile& tile) {
        bool held = true;
        LineSizes* its = sizes[turn];  // of what is in `raw`
        LineSizes* once_its = its;
        for (int j = 0; j < jobs.count; ++j) {
            const bool new_source = j == 0 || jobs.source[j] != jobs.source[j - 1];
            // 1
            if (new_source) {
                const T* const source = sources + jobs.source[j] * size + tile.start;
                its = sizes[turn] + j;
                fetch_lines(numbers, raw_pitch, source, view, tile, radius, convert, its);
                if constexpr (IS_TWO_FLOATS<N>) {
                    held = __uint_as_float(its->elements) <= LARGEST_IN_PAIRS;
                    if (!held) fetch_lines(raw, raw_pitch, source, view, tile, radius, convert, its);
                    if (j == 0) forget(1 - turn);
                }
            }
            if (new_source || jobs.first[j] != jobs.first[j - 1]) {
                // 2
                if (!new_source) __syncthreads();  // nobody reads `once` any more
                const int here = tile.count + 2 * radius;
                const bool slopes = jobs.first[j] == 1;
                if (held) {
                    const float from = start_of(__uint_as_float(slopes ? its->apart : its->elements));
                    const float largest = filter_lines(numbers, raw_pitch, once, once_pitch, view.lines, here, slopes,
                                                       slopes ? slope : smooth, radius, from, tile.lines);
                    once_its = sizes[turn] + j;
                    if constexpr (IS_TWO_FLOATS<N>) make_at_least(once_its->once, largest);
                } else if constexpr (IS_TWO_FLOATS<N>) {
                    filter_lines(raw, raw_pitch, once, once_pitch, view.lines, here, slopes,
                                 slopes ? taps.slope : taps.smooth, radius);
                }
                __syncthreads();
                // 3
                const i64 first = tile.begin - radius;
                const int before = first < 0 ? (int)-first : 0;
                const int after = first + here > view.length ? (int)(first + here - view.length) : 0;
                if (before + after > 0 && view.mode != WRAP) {
                    for (int i = threadIdx.x; i < tile.lines * (before + after); i += blockDim.x) {
                        const int l = i % tile.lines, k = i / tile.lines;
                        const int p = k < before ? k : here - (before + after) + k;
                        const i64 place = boundary_index(first + p, view.length, view.mode);
                        once[l * once_pitch + p] =
                            place < 0 ? Once{} : once[l * once_pitch + (int)(place - first)];
                    }
                    __syncthreads();
                }
            }
            // 4
            Made* const results = made + j * view.lines * width;
            const bool slopes = jobs.second[j] == 1;
            if (held)
                filter_lines(once, once_pitch, results, width, view.lines, tile.count, slopes,
                             slopes ? slope : smooth, radius, start_of(__uint_as_float(once_its->once)));
            else if constexpr (IS_TWO_FLOATS<N>)
                filter_lines(once, once_pitch, results, width, view.lines, tile.count, slopes,
                             slopes ? taps.slope : taps.smooth, radius);
        }
        turn = 1 - turn;
        __syncthreads();
        // 5
        for (int i = threadIdx.x; i < tile.lines * tile.count; i += blockDim.x) {
            const int l = tile.line(i, tile.count), p = tile.element(i, tile.count);
            take(tile.start + l * tile.stride + (tile.begin + p) * view.inner, made + l * width + p,
                 view.lines * width);
        }
        // `raw` and `once` are free for the next tile, and `made` behind its barriers
    });
}
