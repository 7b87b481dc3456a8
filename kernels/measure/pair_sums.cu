// Sums over two images, where a mask is set: of their elements, squares and products, from which the
// host makes coefficients of colocalization.
//
//   pair_sums       elements, squares and products as NumPy has them: those of integers wrap around
//                   in their own type, and their sums are 64-bit integers; of floats in double
//   pair_products   squares and products of the differences from two means, in double
//
// first, second: n elements in the same memory order, of any types (common/any_type.cuh); mask: as
// these, 0 or 1, or null. A, B: int for booleans and integers of up to 16 bits, i64 for others, float where
// that holds all numbers of the type, else double. Types come as the bits that they have
// (`mask`; none of a product that is a float) and the one that tells a sign. partials: Sums of each block, 104 bytes each at most; arrived: one 0; found: Found.
//
// One launch each; each image is read once. The order of summation depends on n and the grid only.
//
// Source: scikit-image/measure/_colocalization.py.
#include "common/any_type.cuh"
#include "common/reduce.cuh"
#include "common/two_floats.cuh"

constexpr int THREADS = 256;

// What elements of an image may be that a coefficient refuses; all of them are asked whether they are
// 0 or 1, those inside the mask whether they are negative.
enum Seen { NEGATIVE = 1, NOT_A_NUMBER = 2, NOT_BINARY = 4, OF_SECOND = 8, OF_MASK = 64 };

struct IntegerType {
    u64 mask, sign;
};

// The number that an integer of the type has after its operation; of an unsigned one of 64 bits as i64.
// Of int the type has at most 16 bits, or 32 with a sign. Any thread.
__device__ inline i64 wrapped(i64 value, IntegerType type) {
    return (i64)((((u64)value & type.mask) ^ type.sign) - type.sign);
}
__device__ inline i64 wrapped(int value, IntegerType type) {
    return (int)((((u32)value & (u32)type.mask) ^ (u32)type.sign) - (u32)type.sign);
}

// A sum of floats: in two floats, where the card is slow in double, of those whose products have no subnormal
// part (common/two_floats.cuh).
struct FloatSum {
    TwoFloats held;
    double rest;

    __device__ static bool is_held(float x) { return IN_FLOATS && (x == 0 || (fabs(x) >= 2e-12f && fabs(x) <= 5e11f)); }
    __device__ FloatSum operator+(const FloatSum& other) const { return {held + other.held, rest + other.rest}; }
    __device__ operator double() const { return (double)held + rest; }
};

template <class T> struct Total { typedef FloatSum sum; typedef double found; };
template <> struct Total<double> { typedef double sum, found; };
template <> struct Total<i64> { typedef u64 sum, found; };
template <> struct Total<int> : Total<i64> {};

__device__ inline double number(double value, IntegerType) { return value; }
__device__ inline double number(int value, IntegerType) { return (double)value; }
__device__ inline double number(i64 value, IntegerType type) { return type.sign ? (double)value : (double)(u64)value; }

// The number as a float; UNHELD, of which no sum is held, where that may not be it.
constexpr float UNHELD = 1.2676506e30f;  // 2^100
__device__ inline float in_float(float value) { return value; }
__device__ inline float in_float(double) { return UNHELD; }
__device__ inline float in_float(int value) { return (float)value; }
__device__ inline float in_float(i64 value) {
    return (u64)value + (1 << 24) <= 1u << 25 ? (float)(int)value : UNHELD;
}

__device__ inline void add(u64& sum, i64 value) { sum += (u64)value; }
__device__ inline void add(double& sum, double value) { sum += value; }
__device__ inline void add(FloatSum& sum, float value) {
    if (FloatSum::is_held(value))
        sum.held = sum.held + TwoFloats(value);
    else
        sum.rest += (double)value;
}

template <class A, class B>
__device__ inline void add_product(FloatSum& sum, A a, B b, IntegerType of_a, IntegerType of_b) {
    const float x = in_float(a), y = in_float(b);
    if (FloatSum::is_held(x) && FloatSum::is_held(y))
        sum.held = sum.held + exact_product(x, y);
    else
        sum.rest += number(a, of_a) * number(b, of_b);
}

template <class A> __device__ inline void add_square(u64& sum, A value, IntegerType type) {
    sum += (u64)wrapped((A)((u64)value * (u64)value), type);
}
__device__ inline void add_square(double& sum, double value, IntegerType) { sum += value * value; }
__device__ inline void add_square(FloatSum& sum, float value, IntegerType type) { add_product(sum, value, value, type, type); }

// In integers: of two of them, and of one and a binary image.
template <class A, class B> __device__ inline u64 whole_product(A a, B b, IntegerType type) {
    if constexpr (IS_FLOATING<A>) return 0;
    if constexpr (IS_FLOATING<B>) return b != 0 ? (u64)a : 0;
    if (!type.mask) return 0;
    if constexpr (sizeof(A) == 4 && sizeof(B) == 4) return (u64)wrapped((int)((u32)a * (u32)b), type);
    return (u64)wrapped((i64)((u64)a * (u64)b), type);
}

// What elements of an image are: of floats as `Seen`, of integers all bits that any of them has.
template <class A> struct Kinds {
    u32 anywhere, inside;
    __device__ void add(A value, bool is_inside) {
        anywhere |= !(value == 0 || value == 1) * NOT_BINARY;
        if (is_inside) inside |= (value < 0) * NEGATIVE + (value != value) * NOT_A_NUMBER;
    }
    __device__ u32 seen(IntegerType) const { return anywhere | inside; }
};
template <class I> struct Bits {
    I anywhere, inside;
    __device__ void add(I value, bool is_inside) {
        anywhere |= value;
        if (is_inside) inside |= value;
    }
    __device__ u32 seen(IntegerType type) const {
        return (type.sign && inside < 0) * NEGATIVE + ((anywhere & ~(I)1) != 0) * NOT_BINARY;
    }
};
template <> struct Kinds<int> : Bits<int> {};
template <> struct Kinds<i64> : Bits<i64> {};

// Of a thread, a block or the grid, held in the first two types and a third for products, or as the host
// reads them; `count` elements are in the mask.
template <class First, class Second, class Products> struct SumsIn {
    u64 count, seen;
    First first, first_squares;
    Second second, second_squares;
    u64 whole_products;
    Products products;

    __device__ SumsIn operator+(const SumsIn& other) const {
        return {count + other.count,
                seen | other.seen,
                first + other.first,
                first_squares + other.first_squares,
                second + other.second,
                second_squares + other.second_squares,
                whole_products + other.whole_products,
                products + other.products};
    }
    template <class F, class S, class P> __device__ operator SumsIn<F, S, P>() const {
        return {count, seen, first, first_squares, second, second_squares, whole_products, products};
    }
};
template <class A, class B> using Sums = SumsIn<typename Total<A>::sum, typename Total<B>::sum, FloatSum>;
template <class A, class B> using Found = SumsIn<typename Total<A>::found, typename Total<B>::found, double>;

// Calls add(a, b, inside) with packs of the elements of the block's share, which lie inside the mask or not, and
// tells whether the mask has others than 0 and 1.
template <int AT_ONCE, class A, class B, class Add>
__device__ inline u32 for_pairs(const void* first, int type_first, const void* second, int type_second, const void* mask,
                                int type_mask, i64 n, Add& add) {
    const Span span = block_span(n, AT_ONCE);
    const i64 packed = span.begin + (span.end - span.begin) / AT_ONCE * AT_ONCE;
    u32 odd = 0;
    const auto is_inside = [&](double m) {
        odd |= (m != 0 && m != 1) ? 1u : 0u;
        return m != 0;
    };
    for (i64 i = span.begin + AT_ONCE * (i64)threadIdx.x; i < packed; i += AT_ONCE * (i64)blockDim.x) {
        const Pack<A, AT_ONCE> a = load_any<A, AT_ONCE>(first, type_first, i);
        const Pack<B, AT_ONCE> b = load_any<B, AT_ONCE>(second, type_second, i);
        Pack<bool, AT_ONCE> inside;
#pragma unroll
        for (int k = 0; k < AT_ONCE; ++k) inside.item[k] = true;
        if (!mask) {
            add(a, b, inside);
            continue;
        }
        const Pack<double, AT_ONCE> m = load_any<double, AT_ONCE>(mask, type_mask, i);
#pragma unroll
        for (int k = 0; k < AT_ONCE; ++k) inside.item[k] = is_inside(m.item[k]);
        add(a, b, inside);
    }
    for (i64 i = packed + threadIdx.x; i < span.end; i += blockDim.x)
        add(load_any<A, 1>(first, type_first, i), load_any<B, 1>(second, type_second, i),
            Pack<bool, 1>{{!mask || is_inside(load_any<double, 1>(mask, type_mask, i).item[0])}});
    return odd * OF_MASK;
}

// The sums of a thread.
template <class A, class B> struct PairSums {
    static constexpr bool IN_INT = sizeof(A) + sizeof(B) == 8 && !IS_FLOATING<A> && !IS_FLOATING<B>;
    static constexpr int AT_ONCE = IN_INT ? 8 : 4;
    const IntegerType of_first, of_second, of_both;
    Sums<A, B> sums;
    Kinds<A> of_a;
    Kinds<B> of_b;
    u32 count;

    template <int N>
    __device__ void operator()(const Pack<A, N>& a, const Pack<B, N>& b, const Pack<bool, N>& inside) {
        if constexpr (IN_INT) {
            add_integers(a, b, inside);
        } else {
#pragma unroll
            for (int k = 0; k < N; ++k) add_pair(a.item[k], b.item[k], inside.item[k]);
        }
    }

  private:
    __device__ void add_pair(A a, B b, bool inside) {
        of_a.add(a, inside);
        of_b.add(b, inside);
        if (!inside) return;
        count += 1;
        add(sums.first, a);
        add(sums.second, b);
        add_square(sums.first_squares, a, of_first);
        add_square(sums.second_squares, b, of_second);
        sums.whole_products += whole_product(a, b, of_both);
        if (!of_both.mask) add_product(sums.products, a, b, of_first, of_second);
    }
    // Elements and squares of up to 16 bits, of which int holds the sums of a pack; products are no floats.
    template <int N>
    __device__ void add_integers(const Pack<int, N>& a, const Pack<int, N>& b, const Pack<bool, N>& inside) {
        int first = 0, second = 0, first_squares = 0, second_squares = 0;
#pragma unroll
        for (int k = 0; k < N; ++k) {
            of_a.add(a.item[k], inside.item[k]);
            of_b.add(b.item[k], inside.item[k]);
            const int x = inside.item[k] ? a.item[k] : 0, y = inside.item[k] ? b.item[k] : 0;
            count += inside.item[k];
            first += x;
            second += y;
            first_squares += wrapped((int)((u32)x * (u32)x), of_first);
            second_squares += wrapped((int)((u32)y * (u32)y), of_second);
            sums.whole_products += whole_product(x, y, of_both);
        }
        sums.first += (i64)first;
        sums.second += (i64)second;
        sums.first_squares += (i64)first_squares;
        sums.second_squares += (i64)second_squares;
    }
};

template <class A, class B>
__global__ void __launch_bounds__(THREADS, RESIDENT)
    pair_sums(const void* first, int type_first, const void* second, int type_second, const void* mask,
              int type_mask, i64 n, const __grid_constant__ IntegerType of_first,
              const __grid_constant__ IntegerType of_second, const __grid_constant__ IntegerType of_both,
              void* partials, u32* arrived, void* found) {
    __shared__ Sums<A, B> scratch[THREADS];
    PairSums<A, B> mine = {of_first, of_second, of_both};
    const u32 odd = for_pairs<mine.AT_ONCE, A, B>(first, type_first, second, type_second, mask, type_mask, n, mine);
    mine.sums.count = mine.count;
    mine.sums.seen = mine.of_a.seen(of_first) + mine.of_b.seen(of_second) * OF_SECOND + odd;
    const auto both = [](const Sums<A, B>& a, const Sums<A, B>& b) { return a + b; };
    grid_reduce(mine.sums, scratch, (Sums<A, B>*)partials, arrived, both,
                [=](const Sums<A, B>& total) { *(Found<A, B>*)found = total; });
}

// The squares and products of a thread.
struct Differences {
    const double mean_first, mean_second;
    Sums<double, double> sums;

    template <int N>
    __device__ void operator()(const Pack<double, N>& a, const Pack<double, N>& b, const Pack<bool, N>& inside) {
#pragma unroll
        for (int k = 0; k < N; ++k) {
            if (!inside.item[k]) continue;
            const double x = a.item[k] - mean_first, y = b.item[k] - mean_second;
            sums.first_squares += x * x;
            sums.second_squares += y * y;
            sums.products.rest += x * y;
        }
    }
};

__global__ void __launch_bounds__(THREADS, RESIDENT)
    pair_products(const void* first, int type_first, const void* second, int type_second, const void* mask,
                  int type_mask, i64 n, double mean_first, double mean_second, void* partials, u32* arrived,
                  void* found) {
    typedef Sums<double, double> Products;
    __shared__ Products scratch[THREADS];
    Differences mine = {mean_first, mean_second};
    for_pairs<4, double, double>(first, type_first, second, type_second, mask, type_mask, n, mine);
    const auto add = [](const Products& a, const Products& b) { return a + b; };
    grid_reduce(mine.sums, scratch, (Products*)partials, arrived, add,
                [=](const Products& total) { *(Found<double, double>*)found = total; });
}
