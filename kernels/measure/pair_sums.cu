// Sums over two images, where a mask is set: of their elements, squares and products, from which the
// host makes coefficients of colocalization.
//
//   pair_sums       elements, squares and products as NumPy has them: those of integers wrap around
//                   in their own type, and their sums are 64-bit integers; of floats in double
//   pair_products   squares and products of the differences from two means, in double
//
// first, second: n elements in the same memory order, of any types (common/any_type.cuh); mask: as
// these, 0 or 1, or null. A, B: i64 for integers and booleans, else double. Types come as bits (1 of
// booleans, 8 to 64) and a sign; `bits` of the product are 0 where it is a float.
// partials: Sums of each block; arrived: one 0; found: Sums.
//
// One launch each; each image is read once. The order of summation depends on n and the grid only.
//
// Source: scikit-image/measure/_colocalization.py.
#include "common/any_type.cuh"
#include "common/reduce.cuh"

constexpr int THREADS = 256, AT_ONCE = 4;

// What elements of an image may be that a coefficient refuses; all of them are asked whether they are
// 0 or 1, those inside the mask whether they are negative.
enum Seen { NEGATIVE = 1, NOT_A_NUMBER = 2, NOT_BINARY = 4, OF_SECOND = 8, OF_MASK = 64 };

struct IntegerType {
    int bits;
    bool is_signed;
};

// The number that an integer of the type has after its operation. Any thread.
__device__ inline u64 wrapped(u64 value, IntegerType type) {
    const int above = 64 - type.bits;
    return type.is_signed ? (u64)((i64)(value << above) >> above) : value << above >> above;
}

__device__ inline double number(double value, IntegerType) { return value; }
__device__ inline double number(i64 value, IntegerType type) { return type.is_signed ? (double)value : (double)(u64)value; }
__device__ inline double square(double value, IntegerType) { return value * value; }
__device__ inline u64 square(i64 value, IntegerType type) { return wrapped((u64)value * (u64)value, type); }
__device__ inline u64 product(i64 a, i64 b, IntegerType type) { return type.bits ? wrapped((u64)a * (u64)b, type) : 0; }
__device__ inline u64 product(i64 a, double b, IntegerType) { return b != 0 ? (u64)a : 0; }  // of a binary image
template <class B> __device__ inline u64 product(double, B, IntegerType) { return 0; }

__device__ inline u32 kind(double value, IntegerType) {
    return (value < 0) * NEGATIVE + (value != value) * NOT_A_NUMBER + !(value == 0 || value == 1) * NOT_BINARY;
}
__device__ inline u32 kind(i64 value, IntegerType type) {
    return (type.is_signed && value < 0) * NEGATIVE + !(value == 0 || value == 1) * NOT_BINARY;
}

template <class T> struct Total { using Type = double; };
template <> struct Total<i64> { using Type = u64; };

// Of a thread, a block or the grid; `count` elements are in the mask.
template <class A, class B> struct Sums {
    u64 count, seen;
    typename Total<A>::Type first, first_squares;
    typename Total<B>::Type second, second_squares;
    u64 whole_products;
    double products;

    __device__ Sums operator+(const Sums& other) const {
        return {count + other.count,
                seen | other.seen,
                first + other.first,
                first_squares + other.first_squares,
                second + other.second,
                second_squares + other.second_squares,
                whole_products + other.whole_products,
                products + other.products};
    }
};

// Calls add(a, b, inside) for the elements of the block's share, which lie inside the mask or not, and
// tells whether the mask has others than 0 and 1.
template <class A, class B, class Add>
__device__ inline u32 for_pairs(const void* first, int type_first, const void* second, int type_second, const void* mask,
                                int type_mask, i64 n, Add add) {
    const Span span = block_span(n, AT_ONCE);
    const i64 packed = span.begin + (span.end - span.begin) / AT_ONCE * AT_ONCE;
    u32 odd = 0;
    const auto take = [&](A a, B b, double m) {
        odd |= (m != 0 && m != 1) ? 1u : 0u;
        add(a, b, m != 0);
    };
    for (i64 i = span.begin + AT_ONCE * (i64)threadIdx.x; i < packed; i += AT_ONCE * (i64)blockDim.x) {
        const Pack<A, AT_ONCE> a = load_any<A, AT_ONCE>(first, type_first, i);
        const Pack<B, AT_ONCE> b = load_any<B, AT_ONCE>(second, type_second, i);
        Pack<double, AT_ONCE> m = {{1, 1, 1, 1}};
        if (mask) m = load_any<double, AT_ONCE>(mask, type_mask, i);
#pragma unroll
        for (int k = 0; k < AT_ONCE; ++k) take(a.item[k], b.item[k], m.item[k]);
    }
    for (i64 i = packed + threadIdx.x; i < span.end; i += blockDim.x)
        take(load_any<A, 1>(first, type_first, i).item[0], load_any<B, 1>(second, type_second, i).item[0],
             mask ? load_any<double, 1>(mask, type_mask, i).item[0] : 1.0);
    return odd * OF_MASK;
}

template <class A, class B>
__global__ void __launch_bounds__(THREADS, 1)
    pair_sums(const void* first, int type_first, const void* second, int type_second, const void* mask,
              int type_mask, i64 n, const __grid_constant__ IntegerType of_first,
              const __grid_constant__ IntegerType of_second, const __grid_constant__ IntegerType of_both,
              void* partials, u32* arrived, void* found) {
    __shared__ Sums<A, B> scratch[THREADS];
    Sums<A, B> mine = {};
    const u32 odd = for_pairs<A, B>(first, type_first, second, type_second, mask, type_mask, n, [&](A a, B b, bool inside) {
        const u64 seen = kind(a, of_first) + kind(b, of_second) * OF_SECOND;
        mine.seen |= inside ? seen : seen & NOT_BINARY * (1 + OF_SECOND);
        if (!inside) return;
        mine.count += 1;
        mine.first += a;
        mine.second += b;
        mine.first_squares += square(a, of_first);
        mine.second_squares += square(b, of_second);
        mine.whole_products += product(a, b, of_both);
        mine.products += number(a, of_first) * number(b, of_second);
    });
    mine.seen |= odd;
    const auto add = [](const Sums<A, B>& a, const Sums<A, B>& b) { return a + b; };
    grid_reduce(mine, scratch, (Sums<A, B>*)partials, arrived, add,
                [=](const Sums<A, B>& total) { *(Sums<A, B>*)found = total; });
}

__global__ void __launch_bounds__(THREADS, 1)
    pair_products(const void* first, int type_first, const void* second, int type_second, const void* mask,
                  int type_mask, i64 n, double mean_first, double mean_second, void* partials, u32* arrived,
                  void* found) {
    typedef Sums<double, double> Found;
    __shared__ Found scratch[THREADS];
    Found mine = {};
    for_pairs<double, double>(first, type_first, second, type_second, mask, type_mask, n, [&](double a, double b, bool inside) {
        if (!inside) return;
        const double x = a - mean_first, y = b - mean_second;
        mine.first_squares += x * x;
        mine.second_squares += y * y;
        mine.products += x * y;
    });
    const auto add = [](const Found& a, const Found& b) { return a + b; };
    grid_reduce(mine, scratch, (Found*)partials, arrived, add, [=](const Found& total) { *(Found*)found = total; });
}
