// What an elementwise or a reduction kernel sees that knows nothing of its thread; precompiled by compiler.py.
#pragma once
#include "arithmetic.hpp"
#include "cupy/complex.cuh"
#include "cupy/carray.cuh"
#include "cupy/atomics.cuh"
#include "cupy/math_constants.h"
#include "cupy/float16.cuh"
#include "cupy/cuda_workaround.h"

// What an assignment `output = value` stores, converted as CUDA converts it where a host's
// conversion would differ: to an integer, through one of 32 bits or more, saturated there.
template <class I, class V> inline auto sim_stored(const V& value) {
    if constexpr (std::is_floating_point<V>::value && std::is_integral<I>::value && !std::is_same<I, bool>::value) {
        typedef std::conditional_t<std::is_signed<I>::value, int, unsigned> Narrow;
        return (I)sim_to_integer<std::conditional_t<(sizeof(I) < 4), Narrow, I>>(value);
    } else {
        return value;
    }
}
template <class I> inline I sim_stored(const float16& value) { return sim_stored<I>((float)value); }
