// Host threads that share the blocks of one launch with the launching thread.
#pragma once
#include <pthread.h>
#include <sched.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

class Pool {
public:
    // Calls `work(begin, end)` on several threads until all of `count` items are taken.
    void run(unsigned long long count, unsigned long long chunk,
             const std::function<void(unsigned long long, unsigned long long)>& work) {
        // Waking the others costs as much as a small launch: the first items tell whether
        // the rest is worth it.
        const auto started = std::chrono::steady_clock::now();
        unsigned long long done = count < chunk ? count : chunk;
        work(0, done);
        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - started;
        if (took.count() * static_cast<double>((count - done) / chunk) < worth_waking) {
            if (done < count) work(done, count);
            return;
        }
        start();
        {
            std::lock_guard<std::mutex> guard(lock_);
            work_ = &work;
            count_ = count;
            chunk_ = chunk;
            next_.store(done, std::memory_order_relaxed);
            busy_ = static_cast<unsigned>(threads_);
            ++generation_;
        }
        wake_.notify_all();
        take_all();
        std::unique_lock<std::mutex> guard(lock_);
        done_.wait(guard, [this] { return busy_ == 0; });
    }

    static unsigned host_threads() {
        cpu_set_t set;
        if (sched_getaffinity(0, sizeof set, &set) == 0) return static_cast<unsigned>(CPU_COUNT(&set));
        return 1;
    }

private:
    static constexpr double worth_waking = 30e-6;  // seconds
    std::mutex lock_;
    std::condition_variable wake_, done_;
    const std::function<void(unsigned long long, unsigned long long)>* work_ = nullptr;
    unsigned long long count_ = 0, chunk_ = 1, generation_ = 0;
    std::atomic<unsigned long long> next_{0};
    unsigned busy_ = 0, threads_ = 0;

    void take_all() {
        for (;;) {
            const unsigned long long begin = next_.fetch_add(chunk_, std::memory_order_relaxed);
            if (begin >= count_) return;
            (*work_)(begin, begin + chunk_ < count_ ? begin + chunk_ : count_);
        }
    }

    void start() {
        if (threads_) return;
        const unsigned wanted = host_threads() - 1;
        for (unsigned i = 0; i < wanted; ++i) {
            std::thread([this] { serve(); }).detach();  // until the process ends
            ++threads_;
        }
    }

    void serve() {
        unsigned long long seen = 0;
        for (;;) {
            std::unique_lock<std::mutex> guard(lock_);
            wake_.wait(guard, [&] { return generation_ != seen; });
            seen = generation_;
            guard.unlock();
            take_all();
            guard.lock();
            if (--busy_ == 0) done_.notify_one();
        }
    }
};
