// Sums of an image's edges along one axis, and of what blurring along that axis takes from them.
//
// image, blurred: of the same shape. Each element of the inside is a sum of its `taps` neighbours,
// at `offsets` elements from it, by `weights`: a Sobel filter along the axis, which SciPy adds up in
// double in this order and stores as T; of floats edges and their sums are made without double where cards are
// slow in it and it does not decide. No edge is below the smallest that scikit-image knows.
// inside: of all elements but the first two and the last along each axis; its first one is at
// `begin`, neighbours along axis k of the image are `strides[k]` apart. n: its elements.
// partials: Edges of each block; arrived: one 0; found: the two sums, in double.
//
// One launch; each image is read once, neighbours from cache. The order of summation depends on n and
// the grid only.
//
// Source: scikit-image/measure/_blur_effect.py.
#include "common/products.cuh"
#include "common/reduce.cuh"
#include "common/split.cuh"
#include "common/two_floats.cuh"

constexpr int THREADS = 256, MOST_AXES = 8;
constexpr int USUAL_TAPS = 6;  // of a plane, whose loops are unrolled
constexpr double SMALLEST = 2.220446049250313e-16;

struct Inside {
    i64 shape[MOST_AXES], strides[MOST_AXES];  // of axes that are not there: 1 and 0, first
    i64 begin;
};

struct Edges {
    double sharp, lost;
};

// The taps of a filter, COUNT of them, or of 0 as many as is known at run time alone. HELD: in a thread's registers.
template <int COUNT, class Tap, bool HELD = COUNT && !SPLIT<Tap>> struct Taps {
    const i64* offsets;
    const Tap* weights;
    int count;
    __device__ Taps(const i64* from, const Tap* by, int number)
        : offsets(from), weights(by), count(COUNT ? COUNT : number) {}
};
template <int COUNT, class Tap> struct Taps<COUNT, Tap, true> {
    static constexpr int count = COUNT;
    i64 offsets[COUNT];
    Tap weights[COUNT];
    __device__ Taps(const i64* from, const Tap* by, int) {
#pragma unroll
        for (int k = 0; k < COUNT; ++k) {
            offsets[k] = from[k];
            weights[k] = by[k];
        }
    }
};

// The edge at an element, not below the smallest. Any thread.
template <int COUNT, class T, class Tap> __device__ inline double edge_at(const T* element, const Taps<COUNT, Tap>& taps) {
    double sum = 0;
#pragma unroll(COUNT ? COUNT : 1)
    for (int k = 0; k < taps.count; ++k) sum += rounded_product((double)element[taps.offsets[k]], (double)taps.weights[k]);
    const double edge = fabs((double)(T)sum);
    return edge < SMALLEST ? SMALLEST : edge;  // NaN stays
}

// The same without double, by weights that are powers of two; false where double has to decide.
//
// As other sums of products (common/float_sums.cuh), but products are exact, and so is what `high` leaves of them,
// 2^24 u each at most. It goes into `low` in the same way, which begins at 6 * 2^24 u * rough, the smallest power
// of two not below their number. Where `low` leaves nothing the sum is exact, as is SciPy's, of less than 53
// bits, and is rounded once. That decides ties, of which images of few digits are full. Else each product
// loses half of an ulp of `low` at most, 4 u * rough.
template <int COUNT>
__device__ inline bool edge_in_floats(float& edge, const float* element, const Taps<COUNT, Weight>& taps, float rough) {
    constexpr float LEAST = (float)SMALLEST, MOST = 1 / LEAST_SUM;
    const int count = taps.count;
    float size = 0;
#pragma unroll(COUNT ? COUNT : 1)
    for (int k = 0; k < count; ++k) size = fma(fabs(element[taps.offsets[k]]), fabs(taps.weights[k].high), size);
    const float start = start_of(enlarged(size, count)), second = start * (rough * 2.3841858e-7f);  // 2^-22
    float high = start, low = second;
    u32 left = 0;
#pragma unroll(COUNT ? COUNT : 1)
    for (int k = 0; k < count; ++k) {
        const float x = element[taps.offsets[k]], weight = taps.weights[k].high;
        const float sum = fma(x, weight, high), rest = fma(x, weight, high - sum), part = low + rest;
        left |= __float_as_uint(rest - (part - low));
        high = sum;
        low = part;
    }
    const float whole = high - start, rest = low - second;
    const float apart = left << 1 == 0 ? 0 : second * (count * 5.9604645e-8f);  // 2^-24
    const float above = whole + (rest + apart), below = whole + (rest - apart);
    const bool none = size < LEAST / 2;
    edge = none || fabs(above) < LEAST ? LEAST : fabs(above);
    return none || (above == below && size < MOST);
}

// Where element `i` of the inside lies. Any thread.
__device__ inline i64 place_of(const Inside& inside, i64 i, bool narrow) {
    i64 place = inside.begin + split(i, inside.shape[MOST_AXES - 1], narrow) * inside.strides[MOST_AXES - 1];
    if (inside.strides[MOST_AXES - 3] == 0) return place + i * inside.strides[MOST_AXES - 2];  // of a plane
#pragma unroll
    for (int k = MOST_AXES - 2; k >= 0; --k) {
        if (inside.strides[k] == 0) continue;
        place += split(i, inside.shape[k], narrow) * inside.strides[k];
    }
    return place;
}

// The sums of a thread's share of a block's elements. Any thread.
template <int COUNT, class T, class Tap>
__device__ inline Edges edges_of(const T* image, const T* blurred, const Taps<COUNT, Tap>& taps, const Inside& inside,
                                 const Span& span, bool narrow) {
    float rough = 1;
    while (rough < taps.count) rough *= 2;
    Edges mine = {0, 0};
    TwoFloats sharps = {}, losses = {};
    for (i64 i = span.begin + threadIdx.x; i < span.end; i += blockDim.x) {
        const i64 place = place_of(inside, i, narrow);
        if constexpr (SPLIT<Tap>) {
            float sharp, left;
            const bool sure = edge_in_floats(sharp, image + place, taps, rough);
            if (edge_in_floats(left, blurred + place, taps, rough) && sure) {
                add(sharps, sharp);
                if (left < sharp) {
                    add(losses, sharp);
                    add(losses, -left);
                }
                continue;
            }
        }
        const double sharp = edge_at(image + place, taps), left = edge_at(blurred + place, taps), lost = sharp - left;
        mine.sharp += sharp;
        // SciPy's running sums carry infinity on as NaN
        mine.lost += isfinite(left) ? (lost < 0 ? 0 : lost) : left - left;
    }
    if constexpr (SPLIT<Tap>) {
        mine.sharp += (double)sharps;
        mine.lost += (double)losses;
    }
    return mine;
}

template <class T>
__global__ void __launch_bounds__(THREADS, SPLIT<typename WeightOf<T>::type> ? FEWER : RESIDENT)
    lost_edges(const T* image, const T* blurred, const i64* offsets, const typename WeightOf<T>::type* weights, int taps,
               const __grid_constant__ Inside inside, i64 n, void* partials, u32* arrived, double* found) {
    typedef typename WeightOf<T>::type Tap;
    __shared__ Edges scratch[THREADS];
    const Span span = block_span(n, 1);
    const bool narrow = n < 1ll << 32;
    const Edges mine =
        taps == USUAL_TAPS
            ? edges_of(image, blurred, Taps<USUAL_TAPS, Tap>(offsets, weights, taps), inside, span, narrow)
            : edges_of(image, blurred, Taps<0, Tap>(offsets, weights, taps), inside, span, narrow);
    const auto add = [](const Edges& a, const Edges& b) { return Edges{a.sharp + b.sharp, a.lost + b.lost}; };
    grid_reduce(mine, scratch, (Edges*)partials, arrived, add, [=](const Edges& total) {
        found[0] = total.sharp;
        found[1] = total.lost;
    });
}
