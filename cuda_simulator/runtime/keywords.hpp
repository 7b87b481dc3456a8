// CUDA's keywords, built-in types and index variables for a host compiler. No
// standard header is included anywhere in this runtime: the sources see exactly
// what NVRTC gives them, and a unit compiles in a fraction of a second.
//
// SIM_FLAT: one thread per block; thread indices are compile-time constants and
// barriers are empty, so that the compiler vectorizes the block's loops. Without
// it each thread of a block runs on its own fiber, scheduled by engine.cpp.
#pragma once
#include "interface.hpp"

// What is called while no thread runs, and so must not call back (lockstep.hpp).
#define SIM_OUTSIDE __attribute__((no_sanitize("thread")))

#define CUDA_SIMULATOR 1

typedef decltype(sizeof(0)) size_t;
typedef decltype((char*)0 - (char*)0) ptrdiff_t;

#define __global__
#define __device__
#define __host__
#define __constant__
#define __managed__
#define __grid_constant__
#define __launch_bounds__(...)
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __attribute__((aligned(n)))
// Blocks run on several host threads. Sanitized builds (SIM_ONE_THREAD) use one, since
// thread-local storage has no red zones.
#ifdef SIM_ONE_THREAD
#define __shared__ static
#else
#define __shared__ static __thread
#endif

#define SIM_VECTOR(T, name)                                        \
    struct name##1 { T x; };                                       \
    inline name##1 make_##name##1(T x) { return {x}; }             \
    inline name##3 make_##name##3(T x, T y, T z) { return {x, y, z}; }
#define SIM_VECTOR_ALIGNED(T, name, align2, align4)                \
    struct alignas(align2) name##2 { T x, y; };                    \
    struct alignas(align4) name##4 { T x, y, z, w; };              \
    inline name##2 make_##name##2(T x, T y) { return {x, y}; }     \
    inline name##4 make_##name##4(T x, T y, T z, T w) { return {x, y, z, w}; }
#define SIM_VECTORS(T, name, align2, align4) SIM_VECTOR(T, name) SIM_VECTOR_ALIGNED(T, name, align2, align4)
typedef SimIndex uint3;
#define SIM_VECTOR3(T, name) struct name##3 { T x, y, z; };
SIM_VECTOR3(signed char, char)
SIM_VECTOR3(unsigned char, uchar)
SIM_VECTOR3(short, short)
SIM_VECTOR3(unsigned short, ushort)
SIM_VECTOR3(int, int)
SIM_VECTOR3(long, long)
SIM_VECTOR3(unsigned long, ulong)
SIM_VECTOR3(long long, longlong)
SIM_VECTOR3(unsigned long long, ulonglong)
SIM_VECTOR3(float, float)
SIM_VECTOR3(double, double)
SIM_VECTORS(signed char, char, 2, 4)
SIM_VECTORS(unsigned char, uchar, 2, 4)
SIM_VECTORS(short, short, 4, 8)
SIM_VECTORS(unsigned short, ushort, 4, 8)
SIM_VECTORS(int, int, 8, 16)
SIM_VECTORS(unsigned, uint, 8, 16)
SIM_VECTORS(long, long, 16, 16)
SIM_VECTORS(unsigned long, ulong, 16, 16)
SIM_VECTORS(long long, longlong, 16, 16)
SIM_VECTORS(unsigned long long, ulonglong, 16, 16)
SIM_VECTORS(float, float, 8, 16)
SIM_VECTORS(double, double, 16, 16)

struct dim3 {
    unsigned x, y, z;
    constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
    constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
};

static constexpr int warpSize = 32;
static const SimApi* sim_api;

// Stands behind each declaration of static shared memory in a function (translate.py).
static int sim_watched;
#define SIM_STATIC_SHARED(name)             \
    static const char sim_place_##name = 0; \
    if (__builtin_expect(sim_watched, 0)) sim_api->static_shared(&sim_place_##name, sizeof(name), __alignof__(name));

#ifdef SIM_FLAT
// Never address-taken, so that stores through the kernel's pointers cannot alias them.
static constexpr uint3 threadIdx = {0, 0, 0};
static constexpr SimIndex blockDim = {1, 1, 1};
static __thread SimIndex blockIdx, gridDim;
static __thread char* sim_shared;
static __thread unsigned sim_shared_bytes;
static __thread const char* sim_storage;
static __thread unsigned long long sim_storage_bytes;
inline void* sim_dynamic_shared() { return sim_shared; }
// Whether an address is in the block's shared memory, which only this host thread uses.
inline bool sim_is_shared(const void* address) {
    const char* const p = (const char*)address;
    return (unsigned long long)(p - sim_storage) < sim_storage_bytes ||
           (unsigned long long)(p - sim_shared) < sim_shared_bytes;
}
#else
// Makes this host thread have the module's static shared memory.
static __thread volatile char sim_touched;
SIM_OUTSIDE inline void sim_touch() { sim_touched = 0; }
#define threadIdx (sim_self->thread_index)
#define blockIdx (sim_self->block_index)
#define blockDim (sim_self->block_shape)
#define gridDim (sim_self->grid_shape)
inline bool sim_is_shared(const void*) { return false; }
#endif

extern "C" int printf(const char*, ...);
extern "C" void* memcpy(void*, const void*, size_t);
extern "C" void* memset(void*, int, size_t);
#define assert(condition) \
    ((condition) ? (void)0 : sim_api->fail("assertion `" #condition "` failed", __FILE__, __LINE__))
inline void __trap() { sim_api->fail("__trap()", "", 0); }
inline void __brkpt() {}
