// The thread that runs. In no precompiled header: g++ forgets there that a variable has a register.
#pragma once
#include "keywords.hpp"

#ifndef SIM_FLAT
// Every use of an index goes through it, and thread-local storage costs a call each time: where the
// compiler can, a register that no one else touches has it.
#if defined(__x86_64__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__)
register SimThread* sim_self asm("r15");
#else
static __thread SimThread* sim_self;
#endif
// Holds while a thread's kernel runs; the register belongs to the caller.
struct SimCurrent {
    SimThread* const before = sim_self;
    explicit SimCurrent(SimThread* self) { sim_self = self; }
    ~SimCurrent() { sim_self = before; }
};
inline void* sim_dynamic_shared() { return sim_self->dynamic_shared; }
#endif
