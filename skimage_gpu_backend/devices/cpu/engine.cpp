// Runs kernels that are compiled for the host with one thread per block.
//
// Launches may come from several threads at once. Each is worked on by the thread that calls, and
// by threads of one pool that take chunks of blocks from any launch. At most `cores` threads run,
// callers included, unless callers alone are more.
#include <fenv.h>
#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <csetjmp>
#include <cstdlib>
#include <mutex>
#include <string>
#include <vector>

#include "interface.hpp"
#include "storage.hpp"

namespace {

using Count = unsigned long long;

// Where a failing kernel goes back to, and why it fails, on this thread.
thread_local std::jmp_buf* way_out;
thread_local std::string reason;

void fail(const char* what, const char* file, int line) {
    reason = what;
    if (line) reason += " at " + std::string(file) + ":" + std::to_string(line);
    std::longjmp(*way_out, 1);
}

// With one thread per block, kernels never call the other functions.
const SimApi api = {nullptr, nullptr, nullptr, nullptr, fail, thread_storage, nullptr};

// Dynamic shared memory of this thread's blocks, which is kept for the next launch.
class DynamicShared {
public:
    ~DynamicShared() { std::free(place_); }
    char* of(unsigned bytes) {
        if (bytes > size_) {
            std::free(place_);
            size_ = 0;
            void* place = nullptr;
            if (posix_memalign(&place, 128, bytes) == 0) size_ = bytes;
            place_ = static_cast<char*>(place);
        }
        return place_;
    }

private:
    char* place_ = nullptr;
    unsigned size_ = 0;
};
thread_local DynamicShared dynamic_shared;

// What Python passes; the kernel's arguments follow. `threads` are at most used.
struct Request {
    const SimEntry* entry;
    SimIndex grid;
    unsigned shared_bytes, threads, unused;
};

class Launch {
public:
    explicit Launch(const Request& request)
        : request_(request), blocks_(1ull * request.grid.x * request.grid.y * request.grid.z) {}

    void run(Count begin, Count end) {
        const unsigned bytes = request_.shared_bytes;
        char* const shared = dynamic_shared.of(bytes);
        const auto arguments = reinterpret_cast<const char*>(&request_ + 1);
        std::jmp_buf here;
        way_out = &here;
        if (bytes && !shared)
            stop("no memory for shared memory");
        else if (setjmp(here) == 0)
            request_.entry->blocks(arguments, request_.grid, shared, bytes, begin, end);
        else
            stop(reason);
    }

    // Runs the next chunk; false where none is left.
    bool run_next() {
        const Count begin = next_.fetch_add(chunk_, std::memory_order_relaxed);
        if (begin >= blocks_) return false;
        run(begin, std::min(begin + chunk_, blocks_));
        return true;
    }

    // Runs a few blocks, which tell how long the others take. Where these are not worth waking
    // other threads, it runs them, too, and returns false.
    bool run_first() {
        const Count parts = 8ull * request_.threads;
        const Count few = std::max(blocks_ / (4 * parts), Count(1));
        const auto started = std::chrono::steady_clock::now();
        run(0, few);
        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - started;
        const Count left = blocks_ - few;
        if (took.count() * static_cast<double>(left) < worth_waking * static_cast<double>(few)) {
            if (!is_stopped_) run(few, blocks_);
            return false;
        }
        next_ = is_stopped_ ? blocks_ : few;
        chunk_ = std::max(blocks_ / parts, Count(1));
        return true;
    }

    Count blocks() const { return blocks_; }
    unsigned threads() const { return request_.threads; }
    Count chunks_left() const {
        const Count next = next_.load(std::memory_order_relaxed);
        return next < blocks_ ? (blocks_ - next + chunk_ - 1) / chunk_ : 0;
    }
    const std::string& error() const { return error_; }  // when all threads have left

    // Of the pool, under its lock: its threads that work on this launch, and what wakes the caller
    // when they have left.
    unsigned helpers = 0;
    std::condition_variable has_no_helpers;
    fenv_t environment;  // the caller's rounding and treatment of subnormal numbers

private:
    static constexpr double worth_waking = 30e-6;  // seconds
    const Request& request_;
    const Count blocks_;
    Count chunk_ = 1;
    std::atomic<Count> next_{0};
    std::atomic<bool> is_stopped_{false};
    std::string error_;

    void stop(const std::string& why) {
        if (!is_stopped_.exchange(true)) error_ = why;
        next_.store(blocks_, std::memory_order_relaxed);
    }
};

std::atomic<int> cores{1};  // that the process may use

class Pool {
public:
    // While it lives, the calling thread counts as running.
    class Caller {
    public:
        explicit Caller(Pool& pool) : pool_(pool) { ++pool_.running_; }
        ~Caller() {
            --pool_.running_;
            if (pool_.shared_) pool_.wake(1);  // the core is free for another launch
        }

    private:
        Pool& pool_;
    };

    // Works on a launch together with threads of the pool, until it is done.
    void run(Launch& launch) {
        fegetenv(&launch.environment);
        {
            std::lock_guard<std::mutex> guard(lock_);
            launches_.push_back(&launch);
            ++shared_;
        }
        wake(std::min<Count>(launch.threads(), launch.chunks_left()) - 1);
        while (launch.run_next()) {
        }
        std::unique_lock<std::mutex> guard(lock_);
        launches_.erase(std::find(launches_.begin(), launches_.end(), &launch));
        --shared_;
        launch.has_no_helpers.wait(guard, [&] { return launch.helpers == 0; });
    }

private:
    std::mutex lock_;
    std::condition_variable has_work_;
    std::vector<Launch*> launches_;  // those that are shared
    int threads_ = 0;                // of the pool
    int idle_ = 0;                   // of these, those that wait and are not called
    int called_ = 0;                 // those that wait and are called
    std::atomic<int> running_{0};    // callers, and threads of the pool that work
    std::atomic<int> shared_{0};     // launches

    // Has threads of the pool look for work, at most as many as cores are free.
    void wake(Count wanted) {
        std::unique_lock<std::mutex> guard(lock_);
        const int free = static_cast<int>(std::min<Count>(wanted, std::max(cores - running_, 0)));
        const int waiting = std::min(free, idle_);
        for (int i = waiting; i < free && threads_ < cores - 1; ++i)
            if (!start()) break;
        idle_ -= waiting;
        called_ += waiting;
        guard.unlock();
        for (int i = 0; i < waiting; ++i) has_work_.notify_one();
    }

    // Starts a thread, which lives as long as the process; false where the system has none.
    bool start() {
        // Signals are for the callers' threads, but those of faults stay on the one that has them.
        sigset_t blocked, before;
        sigfillset(&blocked);
        for (int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL}) sigdelset(&blocked, fault);
        pthread_sigmask(SIG_SETMASK, &blocked, &before);
        pthread_t thread;
        const auto serve = [](void* pool) -> void* { static_cast<Pool*>(pool)->serve(); };
        const bool is_started = pthread_create(&thread, nullptr, serve, this) == 0;
        pthread_sigmask(SIG_SETMASK, &before, nullptr);
        if (!is_started) return false;
        pthread_setname_np(thread, "skimage-cpu");
        pthread_detach(thread);
        ++threads_;
        return true;
    }

    [[noreturn]] void serve() {
        std::unique_lock<std::mutex> guard(lock_);
        for (;;) {
            Launch* const launch = find();
            if (!launch || !enter()) {
                ++idle_;
                has_work_.wait(guard, [this] { return called_ > 0; });
                --called_;
                continue;
            }
            ++launch->helpers;
            guard.unlock();
            fesetenv(&launch->environment);
            while (launch->run_next() && !is_surplus()) {
            }
            --running_;
            guard.lock();
            if (--launch->helpers == 0) launch->has_no_helpers.notify_one();
        }
    }

    // The launch with the fewest helpers of those that want more, or null.
    Launch* find() const {
        Launch* found = nullptr;
        for (Launch* launch : launches_) {
            const bool wants_more = launch->helpers + 1 < launch->threads() && launch->chunks_left();
            if (wants_more && (!found || launch->helpers < found->helpers)) found = launch;
        }
        return found;
    }

    // Counts this thread of the pool as running, where a core is free.
    bool enter() {
        int running = running_;
        while (running < cores)
            if (running_.compare_exchange_weak(running, running + 1)) return true;
        return false;
    }
    bool is_surplus() const { return running_ > cores; }
};

// A forked child has none of the threads, and starts with a new pool.
Pool* pool = new Pool;
void after_fork_in_child() { pool = new Pool; }
const int registered = pthread_atfork(nullptr, nullptr, after_fork_in_child);

thread_local std::string last_error;

}  // namespace

#define EXPORT extern "C" __attribute__((visibility("default")))

EXPORT const SimApi* engine_api() { return &api; }
EXPORT const char* engine_error() { return last_error.c_str(); }
EXPORT void engine_set_cores(int count) { cores = count; }

// Runs a grid; 0, or 1 with `engine_error` set for this thread.
EXPORT int engine_launch(const Request* request) {
    Launch launch(*request);
    const Pool::Caller here(*pool);
    if (launch.threads() == 1 || launch.blocks() <= 1)
        launch.run(0, launch.blocks());
    else if (launch.run_first())
        pool->run(launch);
    if (launch.error().empty()) return 0;
    last_error = launch.error();
    return 1;
}
