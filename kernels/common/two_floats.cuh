// Sums in double whose last bits nobody asks for, in two floats where cards are slow in double
// (common/float_sums.cuh has those that must be rounded as SciPy's are).
//
//     typedef typename NumberOf<O>::type N;  // of sums and weights for results of O
//     N sum = {};
//     accumulate(sum, element, weight);      // sum += element * weight
//     ElementOf<N> result = (ElementOf<N>)sum;
//
// A sum of n products in two floats is off by less than n 2^-46 of the largest partial sum, as one in
// double is by n 2^-53, both long before it is rounded to float. Not so where parts of products are
// subnormal or too large: of such elements, `is_held` tells, sums are made in double.
//
// Error-free steps: T. J. Dekker 1971, D. E. Knuth.
#pragma once
#include "common/float_sums.cuh"
#include "common/products.cuh"

struct TwoFloats {
    float high, low;

    TwoFloats() = default;
    __device__ TwoFloats(float high, float low) : high(high), low(low) {}
    __device__ explicit TwoFloats(const Weight& weight) : high(weight.high), low(weight.low) {}
    __device__ explicit TwoFloats(float number) : high(number), low(0) {}
    __device__ explicit TwoFloats(int number) : TwoFloats((i64)number) {}
    __device__ explicit TwoFloats(double number) : high((float)number), low((float)(number - (double)high)) {}
    __device__ explicit TwoFloats(i64 number);  // exactly, below 2^48
    __device__ operator double() const { return (double)high + (double)low; }
    __device__ explicit operator float() const { return high + low; }
};

// What sums and weights are held in, for results of O; and numbers made of integers below 2^48.
template <class O, bool SLOW = IN_FLOATS> struct NumberOf { typedef double type; };
template <> struct NumberOf<float, true> { typedef TwoFloats type; };
template <> struct NumberOf<int, true> { typedef TwoFloats type; };
template <> struct NumberOf<i64, true> { typedef TwoFloats type; };

// What the elements are, of which there are sums of N.
template <class N> struct ElementsOf { typedef double type; };
template <> struct ElementsOf<TwoFloats> { typedef float type; };
template <class N> using ElementOf = typename ElementsOf<N>::type;

template <class N> constexpr bool IS_TWO_FLOATS = false;
template <> constexpr bool IS_TWO_FLOATS<TwoFloats> = true;

// sum += number
__device__ inline void add(TwoFloats& sum, const TwoFloats& number) {
    const float whole = sum.high + number.high, share = whole - sum.high;
    sum.low += (sum.high - (whole - share)) + (number.high - share) + number.low;
    sum.high = whole;
}

// The same of one float, off by less than 2^-47 of the new sum (M. Joldes et al., "Tight and rigorous error
// bounds for basic building blocks of double-word arithmetic", 2017, algorithm 4).
__device__ inline void add(TwoFloats& sum, float number) {
    const float whole = sum.high + number, share = whole - sum.high;
    const float left = sum.low + ((sum.high - (whole - share)) + (number - share));
    sum.high = whole + left;
    sum.low = left - (sum.high - whole);
}

__device__ inline TwoFloats::TwoFloats(i64 number)
    : high((float)(int)(number >> 24) * 16777216.0f), low(0) {
    add(*this, TwoFloats((float)(int)(number & 0xffffff)));
}

__device__ inline TwoFloats exact_product(float a, float b) {
    const float whole = rounded_product(a, b);
    return {whole, fma(a, b, -whole)};
}

// sum += element * weight
__device__ inline void accumulate(double& sum, double element, double weight) { sum += element * weight; }
__device__ inline void accumulate(TwoFloats& sum, float element, const TwoFloats& weight) {
    const TwoFloats its = exact_product(element, weight.high);
    add(sum, {its.high, fma(element, weight.low, its.low)});
}
__device__ inline TwoFloats rounded_product(const TwoFloats& weight, const TwoFloats& number) {
    const TwoFloats its = exact_product(number.high, weight.high);
    return {its.high, fma(number.low, weight.high, fma(number.high, weight.low, its.low))};
}
__device__ inline void accumulate(TwoFloats& sum, const TwoFloats& number, const TwoFloats& weight) {
    add(sum, rounded_product(weight, number));
}

// In these names a filter is written once for double and for two floats (common/products.cuh).
__device__ inline TwoFloats operator+(TwoFloats a, const TwoFloats& b) {
    add(a, b);
    return a;
}
__device__ inline TwoFloats operator-(TwoFloats a, const TwoFloats& b) {
    add(a, {-b.high, -b.low});
    return a;
}
__device__ inline TwoFloats plus_product(TwoFloats sum, const TwoFloats& weight, const TwoFloats& number) {
    accumulate(sum, number, weight);
    return sum;
}

// a / b, off by less than 2^-44 of itself.
__device__ inline TwoFloats operator/(const TwoFloats& a, const TwoFloats& b) {
    const float first = a.high / b.high;
    const float rest = fma(-first, b.high, a.high) + fma(-first, b.low, a.low);
    return TwoFloats(first) + TwoFloats(rest / b.high);
}

// Whether sums of elements of this magnitude and of weights between 2^-24 and 2^24 are held so exactly.
__device__ inline bool is_held(float size) {
    return size == 0 || (size >= LEAST_SUM && size <= 1 / LEAST_SUM);
}

// The sum as a float, where all numbers within `apart` of it round to the same one (A. Ziv 1991); false where
// double has to decide. `size` as of `is_held`. A sum in double is rounded as it is.
__device__ inline bool rounded(float& result, const TwoFloats& sum, float size, float apart) {
    result = sum.high + (sum.low + apart);
    return result == sum.high + (sum.low - apart) && (size >= LEAST_SUM || size == 0);
}
template <class O> __device__ inline bool rounded(O& result, double sum, O, O) {
    result = (O)sum;
    return true;
}
