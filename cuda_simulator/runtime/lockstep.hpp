// Threads of a warp in lockstep, for kernels that lean on it: compiled with -fsanitize=thread,
// whose calls at memory accesses come here (its library is not linked). Between a read of the
// block's shared memory and a write, and between a write and whatever follows it, a thread lets
// all threads of its warp come as far.
#pragma once
#include "thread.hpp"

#define SIM_HOOK extern "C" __attribute__((no_sanitize("thread"), visibility("hidden")))

__attribute__((no_sanitize("thread"), noinline)) static void sim_access(const void* address, bool writes) {
    SimThread* const self = sim_self;
    const char* const p = (const char*)address;
    if ((unsigned long long)(p - self->static_shared) >= self->static_shared_bytes &&
        (unsigned long long)(p - (const char*)self->dynamic_shared) >= self->dynamic_shared_bytes)
        return;
    if (self->has_written || (writes && self->has_read)) {
        sim_api->step(self);
        sim_self = self;
        self->has_read = self->has_written = false;
    }
    (writes ? self->has_written : self->has_read) = true;
}

#define SIM_ACCESS(suffix)                                                     \
    SIM_HOOK void __tsan_read##suffix(void* p) { sim_access(p, false); }       \
    SIM_HOOK void __tsan_write##suffix(void* p) { sim_access(p, true); }       \
    SIM_HOOK void __tsan_unaligned_read##suffix(void* p) { sim_access(p, false); } \
    SIM_HOOK void __tsan_unaligned_write##suffix(void* p) { sim_access(p, true); }
SIM_ACCESS(1)
SIM_ACCESS(2)
SIM_ACCESS(4)
SIM_ACCESS(8)
SIM_ACCESS(16)
#undef SIM_ACCESS
SIM_HOOK void __tsan_read_range(void* p, size_t) { sim_access(p, false); }
SIM_HOOK void __tsan_write_range(void* p, size_t) { sim_access(p, true); }
SIM_HOOK void __tsan_vptr_update(void*, void*) {}
SIM_HOOK void __tsan_func_entry(void*) {}
SIM_HOOK void __tsan_func_exit(void*) {}
SIM_HOOK void __tsan_init() {}

// Atomic functions arrive as calls too; they are steps of no thread but the calling one.
#define SIM_ATOMIC_HOOKS(bits, T)                                                                          \
    SIM_HOOK T __tsan_atomic##bits##_load(const volatile void* p, int) {                                   \
        return __atomic_load_n((const volatile T*)p, __ATOMIC_RELAXED);                                    \
    }                                                                                                      \
    SIM_HOOK void __tsan_atomic##bits##_store(volatile void* p, T v, int) {                                \
        __atomic_store_n((volatile T*)p, v, __ATOMIC_RELAXED);                                             \
    }                                                                                                      \
    SIM_HOOK T __tsan_atomic##bits##_exchange(volatile void* p, T v, int) {                                \
        return __atomic_exchange_n((volatile T*)p, v, __ATOMIC_RELAXED);                                   \
    }                                                                                                      \
    SIM_HOOK bool __tsan_atomic##bits##_compare_exchange_strong(volatile void* p, void* e, T v, int, int) { \
        return __atomic_compare_exchange_n((volatile T*)p, (T*)e, v, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED); \
    }                                                                                                      \
    SIM_HOOK bool __tsan_atomic##bits##_compare_exchange_weak(volatile void* p, void* e, T v, int, int) {  \
        return __atomic_compare_exchange_n((volatile T*)p, (T*)e, v, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED); \
    }                                                                                                      \
    SIM_FETCH_HOOK(bits, T, add) SIM_FETCH_HOOK(bits, T, sub) SIM_FETCH_HOOK(bits, T, and)                 \
    SIM_FETCH_HOOK(bits, T, or) SIM_FETCH_HOOK(bits, T, xor)
#define SIM_FETCH_HOOK(bits, T, name)                                                \
    SIM_HOOK T __tsan_atomic##bits##_fetch_##name(volatile void* p, T v, int) {      \
        return __atomic_fetch_##name((volatile T*)p, v, __ATOMIC_RELAXED);           \
    }
SIM_ATOMIC_HOOKS(8, unsigned char)
SIM_ATOMIC_HOOKS(16, unsigned short)
SIM_ATOMIC_HOOKS(32, unsigned)
SIM_ATOMIC_HOOKS(64, unsigned long)
#undef SIM_ATOMIC_HOOKS
#undef SIM_FETCH_HOOK
SIM_HOOK void __tsan_atomic_thread_fence(int) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
