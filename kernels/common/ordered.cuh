// Values as unsigned integers of their size, in the same order: what a selection by the
// bits of values works on, whatever their dtype. Floats: -0 is below 0; NaN beyond infinity.
#pragma once
#include "common/types.cuh"

template <int BYTES> struct UnsignedOf;
template <> struct UnsignedOf<1> { typedef u8 type; };
template <> struct UnsignedOf<2> { typedef u16 type; };
template <> struct UnsignedOf<4> { typedef u32 type; };
template <> struct UnsignedOf<8> { typedef u64 type; };

template <class T> struct IsFloating { static constexpr bool value = false; };
template <> struct IsFloating<float> { static constexpr bool value = true; };
template <> struct IsFloating<double> { static constexpr bool value = true; };

// Arithmetic dtypes but float16; bool counts as u8. Any thread.
template <class T> struct Ordered {
    typedef typename UnsignedOf<sizeof(T)>::type Key;
    static constexpr Key SIGN = (Key)1 << (8 * sizeof(T) - 1);
    static constexpr bool IS_SIGNED = (T)-1 < (T)0;
    union Bits {
        T value;
        Key key;
    };

    // All bits of its own sign. Any thread.
    __device__ static Key negative(Key key) { return (Key)0 - (key >> (8 * sizeof(T) - 1)); }

    __device__ static Key key(T value) {
        Bits bits;
        bits.value = value;
        if (IsFloating<T>::value) return bits.key ^ (negative(bits.key) | SIGN);
        return IS_SIGNED ? (Key)(bits.key ^ SIGN) : bits.key;
    }

    __device__ static T value(Key key) {
        Bits bits;
        if (IsFloating<T>::value)
            bits.key = key ^ (~negative(key) | SIGN);
        else
            bits.key = IS_SIGNED ? (Key)(key ^ SIGN) : key;
        return bits.value;
    }
};

// What values are compared as: SciPy makes doubles of 64-bit integers, and loses digits.
template <class T> struct Sorted { typedef T type; };
template <> struct Sorted<i64> { typedef double type; };
template <> struct Sorted<u64> { typedef double type; };
