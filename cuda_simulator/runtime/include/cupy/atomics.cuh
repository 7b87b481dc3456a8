// The atomic functions that CuPy adds to CUDA's.
#pragma once
#include "atomics.hpp"
#include "cupy/carray.cuh"

inline long long atomicAdd(long long* p, long long v) {
    return (long long)atomicAdd((unsigned long long*)p, (unsigned long long)v);
}
SIM_ATOMIC_LOOP(atomicMin, float, unsigned, fminf(v, old))
SIM_ATOMIC_LOOP(atomicMax, float, unsigned, fmaxf(v, old))
SIM_ATOMIC_LOOP(atomicMin, double, unsigned long long, fmin(v, old))
SIM_ATOMIC_LOOP(atomicMax, double, unsigned long long, fmax(v, old))

// A template, since float16 may be no more than declared.
template <class T, class = typename cupy::type_traits::enable_if<cupy::type_traits::is_same<T, float16>::value>::type>
inline T atomicAdd(T* p, T v) {
    unsigned short seen = __atomic_load_n((unsigned short*)p, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n((unsigned short*)p, &seen, T((float)T::from_bits(seen) + (float)v).to_bits(),
                                        true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
    return T::from_bits(seen);
}
