// The part of the runtime that is compiled once: launches, host threads, errors.
// Used from Python through `sim_launch`, from kernels through `SimApi`.
#ifdef __SSE2__
#include <immintrin.h>
#endif

#include <csetjmp>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>

#include "pool.hpp"
#include "scheduler.hpp"
#include "storage.hpp"

thread_local Scheduler* Scheduler::current = nullptr;

namespace {

struct Launch {
    const SimEntry* entry;
    const char* arguments;
    SimIndex grid, block;
    unsigned shared_bytes;
    Rules rules;
    bool watched;
    std::mutex lock;
    std::string error;  // the first one
    // Static shared memory that blocks came by, where it is watched: by variable, bytes and
    // alignment.
    std::map<const void*, std::pair<unsigned, unsigned>> fixed;

    void fail(const std::string& text) {
        std::lock_guard<std::mutex> guard(lock);
        if (error.empty()) error = text;
    }
    bool failed() {
        std::lock_guard<std::mutex> guard(lock);
        return !error.empty();
    }
};

thread_local Launch* running = nullptr;  // on this host thread

struct Running {
    Launch* const before = running;
    explicit Running(Launch& launch) { running = &launch; }
    ~Running() { running = before; }
};

void static_shared(const void* variable, unsigned bytes, unsigned align) {
    if (!running || !running->watched) return;
    std::lock_guard<std::mutex> guard(running->lock);
    running->fixed[variable] = {bytes, align};
}

// Bytes that a GPU's compiler lays out for them. What is aligned most comes first, and behind it
// begins dynamic shared memory.
unsigned laid_out(const Launch& launch) {
    constexpr unsigned dynamic_align = 16;
    unsigned total = 0;
    for (const auto& [variable, size] : launch.fixed)
        total += (size.first + size.second - 1) / size.second * size.second;
    return (total + dynamic_align - 1) / dynamic_align * dynamic_align;
}

// Where a failing flat kernel goes back to.
thread_local std::jmp_buf flat_return;
thread_local std::string flat_error;

void fail(const char* what, const char* file, int line) {
    if (Scheduler::current) Scheduler::current->fail(what, file, line);
    flat_error = std::string(what) + (line ? " at " + std::string(file) + ":" + std::to_string(line) : "");
    std::longjmp(flat_return, 1);
}

void barrier(SimThread* self, int kind, int predicate, const char* file, int line) {
    auto& thread = static_cast<Thread&>(*self);
    thread.kind = kind;
    thread.predicate = predicate;
    Scheduler::current->wait(thread, State::at_barrier, file, line);
}

void warp(SimThread* self, unsigned mask, unsigned long long value, const char* file, int line) {
    auto& thread = static_cast<Thread&>(*self);
    if (!(mask >> (thread.linear & 31u) & 1u))
        Scheduler::current->fail("warp operation whose mask leaves out the calling lane", file, line);
    thread.mask = mask;
    thread.value = value;
    Scheduler::current->wait(thread, State::at_warp, file, line);
}

unsigned live_lanes(SimThread* self) {
    return Scheduler::current->live_lanes(static_cast<Thread&>(*self));
}

void step(SimThread* self) {
    Scheduler::current->wait(static_cast<Thread&>(*self), State::ready, "", 0);
}

const SimApi api = {barrier, warp, live_lanes, step, fail, thread_storage, static_shared};

// Dynamic shared memory of one host thread, of exactly the size that was asked for, so
// that AddressSanitizer sees its end.
struct DynamicShared {
    char* place = nullptr;
    explicit DynamicShared(unsigned bytes) {
        void* made = nullptr;
        if (bytes && posix_memalign(&made, 128, bytes) != 0) throw std::bad_alloc();
        place = static_cast<char*>(made);
    }
    ~DynamicShared() { std::free(place); }
    DynamicShared(const DynamicShared&) = delete;
    DynamicShared& operator=(const DynamicShared&) = delete;
};

// Static shared memory of one host thread: all that a fibered module has in thread-local
// storage, beside what is set when a thread begins. Sanitized modules have it
// elsewhere; there, and where the C library does not tell, the size is 0.
struct StaticShared {
    char* place = nullptr;
    unsigned long long size = 0;
    explicit StaticShared(const SimEntry& entry) {
        entry.touch();
        const char* begin = nullptr;
        thread_storage(&entry, &begin, &size);
        place = const_cast<char*>(begin);
    }
};
constexpr int unset = 0xff;  // NaN in every floating type, never zero in another

void run_flat(Launch& launch, unsigned long long begin, unsigned long long end) {
    DynamicShared shared(launch.shared_bytes);
    Running here(launch);
    if (setjmp(flat_return) == 0)
        launch.entry->blocks(launch.arguments, launch.grid, shared.place, launch.shared_bytes, begin, end);
    else
        launch.fail(flat_error);
}

void run_fibered(Launch& launch, unsigned long long begin, unsigned long long end) {
    static thread_local Scheduler scheduler;
    DynamicShared shared(launch.shared_bytes);
    Running here(launch);
    StaticShared fixed(*launch.entry);
    const SimIndex grid = launch.grid;
    for (unsigned long long step = begin; step < end && !launch.failed(); ++step) {
        const unsigned long long b = launch.rules.order == Order::backward ? end - 1 - (step - begin) : step;
        const SimIndex index = {static_cast<unsigned>(b % grid.x), static_cast<unsigned>(b / grid.x % grid.y),
                                static_cast<unsigned>(b / grid.x / grid.y)};
        // What earlier blocks left is no more to be read than on a GPU.
        if (shared.place) std::memset(shared.place, unset, launch.shared_bytes);
        if (fixed.size) std::memset(fixed.place, unset, fixed.size);
        const Shared memory = {shared.place, launch.shared_bytes, fixed.place, fixed.size};
        if (!scheduler.run(*launch.entry, launch.arguments, grid, launch.block, index, memory, launch.rules))
            launch.fail(scheduler.error);
    }
}

// Subnormal numbers are 0 while this lives, on this host thread: those that instructions read and
// those that they make, double precision's too, since the processor has one switch for both.
struct Flushing {
#ifdef __SSE2__
    const unsigned before = _mm_getcsr();
    explicit Flushing(bool is_wanted) {
        if (is_wanted) _mm_setcsr(before | 0x8040);  // flush to zero, denormals are zero
    }
    ~Flushing() { _mm_setcsr(before); }
#else
    explicit Flushing(bool) {}
#endif
};

// One launch at a time uses the pool. A forked child has none of its threads: it starts
// with a pool of its own, and what the parent's lock protected is given up.
Pool* pool = new Pool;
std::mutex* pool_lock = new std::mutex;
void after_fork_in_child() {
    pool = new Pool;
    pool_lock = new std::mutex;
}
const int registered = pthread_atfork(nullptr, nullptr, after_fork_in_child);

thread_local std::string last_error;
thread_local unsigned last_static_shared;

}  // namespace

#define SIM_EXPORT extern "C" __attribute__((visibility("default")))

SIM_EXPORT const SimApi* sim_engine_api() { return &api; }
SIM_EXPORT const char* sim_engine_error() { return last_error.c_str(); }
// Bytes of static shared memory that the last launch had, where it was watched.
SIM_EXPORT unsigned sim_static_shared() { return last_static_shared; }
SIM_EXPORT unsigned sim_engine_host_threads() { return Pool::host_threads(); }

// Runs a grid; 0, or 1 with `sim_engine_error` set. `flags`: 1, not on the pool; 2, barriers do
// not wait for threads that have returned; 4, the threads of a warp go in lockstep; 8, static
// shared memory is watched; 16, subnormal numbers are 0.
SIM_EXPORT int sim_launch(const SimEntry* entry, const char* arguments, unsigned grid_x, unsigned grid_y,
                          unsigned grid_z, unsigned block_x, unsigned block_y, unsigned block_z,
                          unsigned shared_bytes, int order, int flags) {
    const bool one_thread = flags & 1;
    const Rules rules = {static_cast<Order>(order), !(flags & 2), (flags & 4) != 0};
    Launch launch{entry, arguments, {grid_x, grid_y, grid_z}, {block_x, block_y, block_z},
                  shared_bytes, rules, (flags & 8) != 0, {}, {}, {}};
    if (launch.watched) __atomic_fetch_add(entry->watched, 1, __ATOMIC_SEQ_CST);
    const unsigned long long blocks = 1ull * grid_x * grid_y * grid_z;
    const auto work = [&](unsigned long long begin, unsigned long long end) {
        const Flushing flushing(flags & 16);
        if (entry->blocks)
            run_flat(launch, begin, end);
        else
            run_fibered(launch, begin, end);
    };
    if (one_thread) {
        std::lock_guard<std::mutex> guard(*pool_lock);  // sanitized shared memory is one for all
        work(0, blocks);
    } else if (blocks == 1) {
        work(0, blocks);
    } else {
        std::lock_guard<std::mutex> guard(*pool_lock);
        const unsigned long long parts = 8ull * Pool::host_threads();
        pool->run(blocks, blocks / parts + 1, work);
    }
    if (launch.watched) __atomic_fetch_sub(entry->watched, 1, __ATOMIC_SEQ_CST);
    last_static_shared = laid_out(launch);
    last_error = launch.error;
    return launch.error.empty() ? 0 : 1;
}
