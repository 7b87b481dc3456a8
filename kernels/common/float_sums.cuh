// Sums of floats as SciPy has them - added up in double, rounded to float at the end - without
// double precision, but for the few where it decides. Many cards compute in double 32 to 64
// times slower than in float.
//
// A sum is held in two floats, whose error is bounded. Where all numbers within that bound round
// to the same float, SciPy's sum, which is one of them, rounds to it too (A. Ziv 1991); else the
// caller adds up in double. Error-free steps: T. J. Dekker 1971, D. E. Knuth.
#pragma once
#include "common/types.cuh"

// Not on cards for data centres, which compute in double at half the rate of float (compute
// capability 6.0, 7.0, 8.0, 9.0, 10.0), nor where a CPU's vectors do (SIM_FLAT): there all is done in
// double.
#if defined(SIM_FLAT)
constexpr bool IN_FLOATS = false;
#elif defined(__CUDA_ARCH__)
constexpr bool IN_FLOATS = __CUDA_ARCH__ != 600 && __CUDA_ARCH__ != 700 && __CUDA_ARCH__ != 800 &&
                           __CUDA_ARCH__ != 900 && __CUDA_ARCH__ != 1000;
#else
constexpr bool IN_FLOATS = true;
#endif

// A weight in double, the nearest float, and the nearest one to the rest.
struct Weight {
    double whole;
    float high, low;
    __device__ operator double() const { return whole; }
};

// Weights of sums of W of elements of S.
template <class S, class W = double> struct WeightOf { typedef W type; };
template <> struct WeightOf<float> { typedef Weight type; };

// Whether sums by such weights are made in float.
template <class Tap> constexpr bool SPLIT = false;
template <> constexpr bool SPLIT<Weight> = IN_FLOATS;

// Below this sums of magnitudes are left to double: parts of them would be subnormal, and a
// compiler may make these 0.
constexpr float LEAST_SUM = 3.30872245e-24f;  // 2^-78

// Sums of n products x * weight, in the vector's lanes or one: three numbers of each.
//
//     size    of |x * weight|, added up in float, or more; 2^e is the largest power up to that
//     start   6 * 2^e, where `high` begins
//     high    `start` and the sum, a multiple of 2^(e - 21) or finer
//     low     what is missing there
//
// No partial sum is above 2^(e + 1) * (1 + 2^-16), so `high` stays between 4 * 2^e and 8 * 2^e but
// for its rounding, changes by less than half of itself, and its change is exact (P. H. Sterbenz).
__device__ inline float start_of(float size) {
    return 6 * __uint_as_float(__float_as_uint(size) & 0x7f800000u);
}
__device__ inline void add_product(float& high, float& low, float x, const Weight& weight) {
    const float sum = fma(x, weight.high, high);
    low += fma(x, weight.high, high - sum);
    low = fma(x, weight.low, low);
    high = sum;
}

// The same of a weight that is a float.
__device__ inline void add_product(float& high, float& low, float x, float weight) {
    const float sum = fma(x, weight, high);
    low += fma(x, weight, high - sum);
    high = sum;
}

// The same of (x + y) * weight: what is missing in x + y is a float (D. E. Knuth). `size` is of x + y as rounded.
__device__ inline void add_pair(float& high, float& low, float x, float y, const Weight& weight) {
    const float both = x + y, part = both - x;
    const float missing = (x - (both - part)) + (y - part);
    const float sum = fma(both, weight.high, high);
    low += fma(missing, weight.high, fma(both, weight.low, fma(both, weight.high, high - sum)));
    high = sum;
}

// A `size` of n roundings, no less than exactly added up, by 2^-16 at least.
__device__ inline float enlarged(float size, int n) { return fma(size, n * 1.1920929e-7f + 1.5258789e-5f, size); }

// How far two floats may be from SciPy's sum, in units of `start`. In units of u = 2^(e - 46):
// each product leaves half of an ulp of `high` at most, 2^24 u, to `low`, so that this is below
// (n + 1) 2^24 u. Its n + n roundings, and those of what is left, n, take n^2 + 3 n at most;
// what is left of weights 2^-48 of 2^(e + 1), 1; SciPy's own roundings, 2^-53 of that each, less than
// n; and `low` with this bound added or subtracted n + 2. All together that is less than
// (n + 3)^2 u, which is (n + 3)^2 start / (6 * 2^46), 2.369e-15 for each; the rest is for what
// underflows.
__device__ inline float error_of(int n) { return (float)((n + 3) * (n + 3)) * 2.487e-15f; }

// The same of a centre, added first, and pairs, n all together, of an enlarged `size`.
// Each leaves half of an ulp of `high` at most, 2^24 u, to `low`, and all together what is missing in pairs and
// in weights' halves, 2^23 u each: `low` is below (n + 1) 2^24 u. Its n roundings take n (n + 3) / 2 at most;
// those of what is left, three for each, 3 n + 2; what is left of weights and of both halves 1; SciPy's own
// n / 16; and `low` with this bound added or subtracted n + 2. All together that is less than (n + 6)^2 / 2 u.
__device__ inline float error_of_pairs(int n) { return (float)((n + 6) * (n + 6)) * 1.2435e-15f; }

// The same of sums of many products, of an enlarged `size`, where two floats are folded behind each FOLDed one, so that `low` is below
// half of an ulp of `high` again: it is always below 2^24 (FOLD + 2) u. Its roundings take 8 u for each product
// on average, those of what is left 1; what is left of weights 1; SciPy's own n / 16; and `low` with this bound
// added or subtracted 7. All together that is less than 10 (n + 1) u.
constexpr int FOLD = 4;
__device__ inline void fold(float& high, float& low) {
    const float sum = high + low;
    low -= sum - high;
    high = sum;
}
__device__ inline float error_of_folded(int n) { return (float)(n + 1) * 2.487e-14f; }

// The same of weights that are floats, where two floats are folded behind each eighth product. `low` is below
// 2^24 j u behind the j-th of these, up to 2^24 9 u: its roundings take 1, 2, 4, 4, 4, 4, 8 and 8 u, less than 4.5 u
// on average, those of what is left 0.5, what underflows 0.5; SciPy's own n / 16; and `low` with this bound added or
// subtracted 9. All together that is less than (6 n + 10) u.
constexpr int FOLD_OF_FLOATS = 8;
__device__ inline float error_of_floats(int n) { return (float)(6 * n + 10) * 2.487e-15f; }

// The sum, rounded to float; false where double has to decide.
//
// any  all x, their bits joined by `or`: of nothing but zeros the sum is zero
__device__ inline bool rounded_sum(float& sum, float size, float start, float high, float low, u32 any,
                                   float error) {
    const float whole = high - start, apart = start * error;  // exact; not more than known
    const float above = whole + (low + apart), below = whole + (low - apart);
    const bool nothing = any << 1 == 0;
    sum = nothing ? 0.0f : above;
    return nothing || (above == below && size >= LEAST_SUM);
}

// before + 2 * centre + after in double, rounded to float; and the same without double.
//
// Two sums whose errors are floats: the exact result is sum + (lost + left). Where that last sum
// is exact, and no error so small that double would not hold it beside its sum, double is exact
// until it rounds at the end, as here; this is the rule, and decides ties. Else Ziv's test: double
// loses at most 2^-53 of either sum, and `rest` 2^-24 of itself, as does what is added to it.
__device__ inline float smoothed_in_double(float before, float centre, float after) {
    return (float)(2 * (double)centre + ((double)before + (double)after));
}
__device__ inline float smoothed_in_float(float before, float centre, float after) {
    if (!IN_FLOATS) return smoothed_in_double(before, centre, after);
    const float twice = 2 * centre;
    const float pair = before + after, part = pair - before;
    const float lost = (before - (pair - part)) + (after - part);
    const float sum = twice + pair, share = sum - twice;
    const float left = (twice - (sum - share)) + (pair - share);
    const float rest = lost + left;
    constexpr float LEAST = 3.7252903e-9f;  // 2^-28: an error has 24 bits more, double 53
    const bool exact = rest - left == lost && rest - lost == left;
    const bool held = (lost == 0 || fabs(lost) >= LEAST * fabs(pair)) && (rest == 0 || fabs(rest) >= LEAST * fabs(sum));
    if (exact && held) return rest == 0 ? sum : sum + rest;
    const float apart = 2.3841858e-7f * fabs(rest) + 1.7763568e-15f * (fabs(pair) + fabs(sum));  // 2^-22, 2^-49
    const float above = sum + (rest + apart), below = sum + (rest - apart);
    if (above == below && fabs(sum) >= LEAST_SUM) return above;
    return smoothed_in_double(before, centre, after);
}
