// Atomic functions, for exactly the types for which CUDA has them.
#pragma once
#include "keywords.hpp"

#define SIM_ATOMIC(name, T, builtin) \
    inline T name(T* p, T v) { return builtin(p, v, __ATOMIC_RELAXED); }
#define SIM_ATOMIC_INTEGERS(name, builtin) \
    SIM_ATOMIC(name, int, builtin) SIM_ATOMIC(name, unsigned, builtin)
#define SIM_ATOMIC_LONG(name, builtin) \
    SIM_ATOMIC_INTEGERS(name, builtin) SIM_ATOMIC(name, unsigned long long, builtin)
SIM_ATOMIC_LONG(atomicAdd, __atomic_fetch_add)
SIM_ATOMIC_INTEGERS(atomicSub, __atomic_fetch_sub)
SIM_ATOMIC_LONG(atomicAnd, __atomic_fetch_and)
SIM_ATOMIC_LONG(atomicOr, __atomic_fetch_or)
SIM_ATOMIC_LONG(atomicXor, __atomic_fetch_xor)
SIM_ATOMIC_LONG(atomicExch, __atomic_exchange_n)

// Compare-and-swap loop; B: the integer of the same size, `next`: from `old` and `v`.
#define SIM_ATOMIC_LOOP(name, T, B, next)                                                      \
    inline T name(T* p, T v) {                                                                 \
        B seen = __atomic_load_n((B*)p, __ATOMIC_RELAXED), wanted;                             \
        T old;                                                                                 \
        do {                                                                                   \
            __builtin_memcpy(&old, &seen, sizeof(T));                                          \
            const T made = next;                                                               \
            __builtin_memcpy(&wanted, &made, sizeof(T));                                       \
        } while (!__atomic_compare_exchange_n((B*)p, &seen, wanted, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)); \
        return old;                                                                            \
    }
SIM_ATOMIC_LOOP(atomicAdd, float, unsigned, old + v)
SIM_ATOMIC_LOOP(atomicAdd, double, unsigned long long, old + v)
SIM_ATOMIC_LOOP(atomicExch, float, unsigned, v)
SIM_ATOMIC_LOOP(atomicInc, unsigned, unsigned, old >= v ? 0u : old + 1u)
SIM_ATOMIC_LOOP(atomicDec, unsigned, unsigned, old == 0u || old > v ? v : old - 1u)
#define SIM_ATOMIC_ORDER(T)                                     \
    SIM_ATOMIC_LOOP(atomicMin, T, T, v < old ? v : old)         \
    SIM_ATOMIC_LOOP(atomicMax, T, T, v > old ? v : old)
SIM_ATOMIC_ORDER(int)
SIM_ATOMIC_ORDER(unsigned)
SIM_ATOMIC_ORDER(long long)
SIM_ATOMIC_ORDER(unsigned long long)

#define SIM_ATOMIC_CAS(T)                                                                        \
    inline T atomicCAS(T* p, T expected, T v) {                                                  \
        __atomic_compare_exchange_n(p, &expected, v, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED); \
        return expected;                                                                         \
    }
SIM_ATOMIC_CAS(unsigned short)
SIM_ATOMIC_CAS(int)
SIM_ATOMIC_CAS(unsigned)
SIM_ATOMIC_CAS(unsigned long long)
