// Atomic functions, for exactly the types for which CUDA has them.
#pragma once
#include "keywords.hpp"

// `next` is made from `old` and `v`. Shared memory of a block that is one thread needs no
// atomic instruction, which costs as much as twenty others.
#define SIM_ATOMIC(name, T, builtin, next)             \
    inline T name(T* p, T v) {                         \
        if (sim_is_shared(p)) {                        \
            const T old = *p;                          \
            *p = next;                                 \
            return old;                                \
        }                                              \
        return builtin(p, v, __ATOMIC_RELAXED);        \
    }
#define SIM_ATOMIC_INTEGERS(name, builtin, next) \
    SIM_ATOMIC(name, int, builtin, next) SIM_ATOMIC(name, unsigned, builtin, next)
#define SIM_ATOMIC_LONG(name, builtin, next) \
    SIM_ATOMIC_INTEGERS(name, builtin, next) SIM_ATOMIC(name, unsigned long long, builtin, next)
SIM_ATOMIC_LONG(atomicAdd, __atomic_fetch_add, old + v)
SIM_ATOMIC_INTEGERS(atomicSub, __atomic_fetch_sub, old - v)
SIM_ATOMIC_LONG(atomicAnd, __atomic_fetch_and, old & v)
SIM_ATOMIC_LONG(atomicOr, __atomic_fetch_or, old | v)
SIM_ATOMIC_LONG(atomicXor, __atomic_fetch_xor, old ^ v)
SIM_ATOMIC_LONG(atomicExch, __atomic_exchange_n, v)

// The same by compare-and-swap; B: the integer of the same size.
#define SIM_ATOMIC_LOOP(name, T, B, next)                                                      \
    inline T name(T* p, T v) {                                                                 \
        if (sim_is_shared(p)) {                                                                \
            const T old = *p;                                                                  \
            *p = next;                                                                         \
            return old;                                                                        \
        }                                                                                      \
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
