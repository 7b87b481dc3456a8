// Sums of integers of 8 bits, and of such sums, by weights in double, without double precision: in fixed point,
// whose errors are as small as those of sums in double where numbers are near to the largest one. Sums that must be
// rounded as SciPy's are, and small ones whose own digits count, are not for it.
//
// A number is a multiple of 2^-46 and below 2^8, a weight a multiple of 2^-54; the magnitudes of a filter's weights
// add up to 1 at most, and there are less than 2^7 pairs of them (a Gaussian; its derivative: 0.95 at most).
// All is in whole numbers:
//
//     number  high 2^24 + low, 0 <= low < 2^24; of a sum or difference of two |high| < 2^31
//     weight  high 2^24 + low, |low| <= 2^23; those `high` of pairs add up to 2^29
//     sum     of high * high < 2^60, of high * low + low * high < 2^61
//
// A number is off by half of a unit by its rounding, and by 2^-7 of one for each pair, whose low * low is left
// out; of what differs between neighbours a weight's rounding, 2^-55, takes a part. A line of equal numbers
// gives equal numbers, and differences of exactly nothing.
#pragma once
#include "common/two_floats.cuh"

struct Fixed {
    i64 units;

    __device__ operator double() const { return (double)units * 1.4210854715202004e-14; }  // 2^-46
    __device__ explicit operator TwoFloats() const {  // three parts of 24, 15 and 15 bits
        TwoFloats number((float)(int)(units >> 30) * 1.52587890625e-05f);
        add(number, {(float)((int)(units >> 15) & 0x7fff) * 4.656612873077393e-10f,
                     (float)((int)units & 0x7fff) * 1.4210854715202004e-14f});
        return number;
    }
};

struct FixedWeight {
    int high, low;

    FixedWeight() = default;
    __device__ explicit FixedWeight(double weight) {
        const i64 units = __double2ll_rn(weight * 18014398509481984.0);  // 2^54
        high = (int)((units + (1 << 23)) >> 24);
        low = (int)(units - ((i64)high << 24));
    }
};

template <class N> constexpr bool IS_FIXED = false;
template <> constexpr bool IS_FIXED<FixedWeight> = true;

// What holds derivatives of integers of 8 bits.
template <bool SLOW> struct OfBytes { typedef double type; };
template <> struct OfBytes<true> { typedef Fixed type; };
typedef OfBytes<IN_FLOATS>::type Held;

// One sum: of integers, in units of 2^-54; of numbers, in two parts.
struct IntegerSum {
    i64 high = 0, low = 0;

    __device__ void add(int element, const FixedWeight& weight) {
        high += (i64)element * weight.high;
        low += (i64)element * weight.low;
    }
    __device__ Fixed rounded() const { return {((high << 24) + low + 128) >> 8}; }
};
struct FixedSum {
    i64 high = 0, low = 0;

    __device__ void add(i64 units, const FixedWeight& weight) {
        // by functions, which leave a compiler in no doubt that both have 32 bits
        const int its_high = (int)__funnelshift_r((u32)units, (u32)(units >> 32), 24);
        const int its_low = (int)__byte_perm((u32)units, 0, 0x4210);
        high += (i64)its_high * weight.high;
        low += (i64)its_high * weight.low;
        low += (i64)its_low * weight.high;
    }
    __device__ Fixed rounded() const { return {(high >> 6) + ((((high & 63) << 24) + low + (1 << 29)) >> 30)}; }
};
template <class Element> struct FixedSumOf { typedef IntegerSum type; };
template <> struct FixedSumOf<Fixed> { typedef FixedSum type; };

__device__ inline int units_of(int element) { return element; }
__device__ inline i64 units_of(const Fixed& number) { return number.units; }

// The sums of RUN lines for an element of each, by symmetric or antisymmetric filters: weights from far to near, the
// centre's last. Elements are in shared memory; any thread may call it.
template <int RUN, class Element> struct FixedPairs {
    typename FixedSumOf<Element>::type sum[RUN];

    template <bool SLOPE> __device__ void filter(const Element* src, int pitch, const FixedWeight* weights, int radius) {
        if (!SLOPE)
#pragma unroll
            for (int k = 0; k < RUN; ++k) sum[k].add(units_of(src[k * pitch + radius]), weights[radius]);
#pragma unroll 4
        for (int t = 0; t < radius; ++t) {
            const FixedWeight weight = weights[t];
#pragma unroll
            for (int k = 0; k < RUN; ++k) {
                const auto before = units_of(src[k * pitch + t]), after = units_of(src[k * pitch + 2 * radius - t]);
                sum[k].add(SLOPE ? after - before : after + before, weight);
            }
        }
    }

    __device__ void put(Fixed* dst, int pitch) const {
#pragma unroll
        for (int k = 0; k < RUN; ++k) dst[k * pitch] = sum[k].rounded();
    }
};
