// Barriers, fences, votes, ballots and shuffles. In a flat module a block is one
// thread; a source that uses a warp operation is never compiled flat.
#pragma once
#include "thread.hpp"

inline void __threadfence() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
inline void __threadfence_block() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
inline void __threadfence_system() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }

#ifdef SIM_FLAT
inline void __syncthreads() {}
inline int __syncthreads_count(int predicate) { return predicate != 0; }
inline int __syncthreads_and(int predicate) { return predicate != 0; }
inline int __syncthreads_or(int predicate) { return predicate != 0; }
#else

// The call's place in the source, taken as default arguments, names the barrier.
#define SIM_PLACE const char *file = __builtin_FILE(), int line = __builtin_LINE()

inline int sim_barrier(int kind, int predicate, const char* file, int line) {
    SimThread* self = sim_self;
    sim_api->barrier(self, kind, predicate, file, line);
    sim_self = self;  // other threads have run on this host thread
    return self->result;
}
inline void __syncthreads(SIM_PLACE) { sim_barrier(sim_barrier_plain, 0, file, line); }
inline int __syncthreads_count(int p, SIM_PLACE) { return sim_barrier(sim_barrier_count, p != 0, file, line); }
inline int __syncthreads_and(int p, SIM_PLACE) { return sim_barrier(sim_barrier_and, p != 0, file, line); }
inline int __syncthreads_or(int p, SIM_PLACE) { return sim_barrier(sim_barrier_or, p != 0, file, line); }

// Every lane of `mask` brings a value; on return `lanes` holds them all.
inline SimThread* sim_warp(unsigned mask, unsigned long long value, const char* file, int line) {
    SimThread* self = sim_self;
    sim_api->warp(self, mask, value, file, line);
    sim_self = self;
    return self;
}
inline void __syncwarp(unsigned mask = 0xffffffffu, SIM_PLACE) { sim_warp(mask, 0, file, line); }
inline unsigned __activemask() { return sim_api->live_lanes(sim_self); }

inline unsigned __ballot_sync(unsigned mask, int predicate, SIM_PLACE) {
    SimThread* self = sim_warp(mask, predicate != 0, file, line);
    unsigned ballot = 0;
    for (int lane = 0; lane < 32; ++lane)
        if (self->lanes_arrived >> lane & 1u) ballot |= (unsigned)self->lanes[lane] << lane;
    return ballot;
}
inline int __any_sync(unsigned mask, int predicate, SIM_PLACE) { return __ballot_sync(mask, predicate, file, line) != 0; }
inline int __all_sync(unsigned mask, int predicate, SIM_PLACE) { return __ballot_sync(mask, !predicate, file, line) == 0; }

template <class T> inline unsigned long long sim_bits(T value) {
    unsigned long long bits = 0;
    __builtin_memcpy(&bits, &value, sizeof(T));
    return bits;
}
template <class T> inline T sim_lane(SimThread* self, int source, T own) {
    if (source == (int)(self->linear & 31u)) return own;
    unsigned long long bits = ~0ull;  // undefined in CUDA: the lane takes no part
    if (self->lanes_arrived >> source & 1u) bits = self->lanes[source];
    T value;
    __builtin_memcpy(&value, &bits, sizeof(T));
    return value;
}
#define SIM_SHUFFLE(T)                                                                              \
    inline T __shfl_sync(unsigned mask, T v, int source, int width = 32, SIM_PLACE) {               \
        SimThread* self = sim_warp(mask, sim_bits(v), file, line);                                  \
        const int lane = self->linear & 31u, base = lane & ~(width - 1);                            \
        return sim_lane(self, base + (source & (width - 1)), v);                                    \
    }                                                                                               \
    inline T __shfl_up_sync(unsigned mask, T v, unsigned delta, int width = 32, SIM_PLACE) {        \
        SimThread* self = sim_warp(mask, sim_bits(v), file, line);                                  \
        const int lane = self->linear & 31u, base = lane & ~(width - 1);                            \
        return lane - (int)delta < base ? v : sim_lane(self, lane - (int)delta, v);                 \
    }                                                                                               \
    inline T __shfl_down_sync(unsigned mask, T v, unsigned delta, int width = 32, SIM_PLACE) {      \
        SimThread* self = sim_warp(mask, sim_bits(v), file, line);                                  \
        const int lane = self->linear & 31u, base = lane & ~(width - 1);                            \
        return lane + (int)delta >= base + width ? v : sim_lane(self, lane + (int)delta, v);        \
    }                                                                                               \
    inline T __shfl_xor_sync(unsigned mask, T v, int bits, int width = 32, SIM_PLACE) {             \
        SimThread* self = sim_warp(mask, sim_bits(v), file, line);                                  \
        const int lane = self->linear & 31u, base = lane & ~(width - 1), source = lane ^ bits;      \
        return source >= base + width ? v : sim_lane(self, source, v);                              \
    }                                                                                               \
    inline unsigned __match_any_sync(unsigned mask, T v, SIM_PLACE) {                               \
        SimThread* self = sim_warp(mask, sim_bits(v), file, line);                                  \
        unsigned same = 0;                                                                          \
        for (int lane = 0; lane < 32; ++lane)                                                       \
            if ((self->lanes_arrived >> lane & 1u) && self->lanes[lane] == sim_bits(v)) same |= 1u << lane; \
        return same;                                                                                \
    }
SIM_SHUFFLE(int)
SIM_SHUFFLE(unsigned)
SIM_SHUFFLE(long)
SIM_SHUFFLE(unsigned long)
SIM_SHUFFLE(long long)
SIM_SHUFFLE(unsigned long long)
SIM_SHUFFLE(float)
SIM_SHUFFLE(double)
#undef SIM_SHUFFLE

#define SIM_REDUCE(T, name, combine)                                       \
    inline T name(unsigned mask, T v, SIM_PLACE) {                         \
        SimThread* self = sim_warp(mask, sim_bits(v), file, line);         \
        for (int lane = 0; lane < 32; ++lane)                              \
            if (lane != (int)(self->linear & 31u) && (self->lanes_arrived >> lane & 1u)) { \
                const T w = (T)self->lanes[lane];                          \
                v = combine;                                               \
            }                                                              \
        return v;                                                          \
    }
SIM_REDUCE(int, __reduce_add_sync, (int)((unsigned)v + (unsigned)w))
SIM_REDUCE(unsigned, __reduce_add_sync, v + w)
SIM_REDUCE(int, __reduce_min_sync, v < w ? v : w)
SIM_REDUCE(unsigned, __reduce_min_sync, v < w ? v : w)
SIM_REDUCE(int, __reduce_max_sync, v > w ? v : w)
SIM_REDUCE(unsigned, __reduce_max_sync, v > w ? v : w)
SIM_REDUCE(unsigned, __reduce_and_sync, v & w)
SIM_REDUCE(unsigned, __reduce_or_sync, v | w)
SIM_REDUCE(unsigned, __reduce_xor_sync, v ^ w)
#undef SIM_REDUCE
#endif
