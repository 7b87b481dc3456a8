// One host thread's runner of fibered blocks.
//
// Threads of a block run one after the other on one fiber; only when a thread waits, at a
// barrier or a warp operation, the next threads get a fiber of their own. A round visits
// every thread that can run, in the chosen order; between rounds complete warps and the
// complete block are released. In lockstep a round takes one warp after the other, each step
// by step until all its threads wait or have finished.
#pragma once
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "fiber.hpp"
#include "interface.hpp"

enum class Order { forward, backward, shuffled };
enum class State : unsigned char { fresh, ready, at_barrier, at_warp, finished };

struct Thread : SimThread {
    State state;
    Fiber* fiber;
    int kind, predicate;
    unsigned mask;
    unsigned long long value;
    const char* file;
    int line;
};

// A block's shared memory.
struct Shared {
    char* dynamic;
    unsigned long long dynamic_bytes;
    const char* fixed;
    unsigned long long fixed_bytes;
};

// How the threads of a block are run. `returned_count`: a barrier waits for threads that have
// returned, and so reports them. A GPU does not wait; CUDA's programming guide leaves it
// undefined.
struct Rules {
    Order order;
    bool returned_count, lockstep;
};

class Scheduler {
public:
    // Set while a block runs on this host thread.
    static thread_local Scheduler* current;

    std::string error;

    // Runs one block; false, with `error` set, where the kernel misuses barriers or fails.
    bool run(const SimEntry& entry, const char* arguments, SimIndex grid, SimIndex block,
             SimIndex index, const Shared& shared, const Rules& rules) {
        current = this;
        rules_ = rules;
        entry_ = &entry;
        arguments_ = arguments;
        block_index_ = index;
        prepare(grid, block, index, shared);
        error.clear();
        while (finished_ < threads_.size() && error.empty()) {
            arrange();
            round();
            if (error.empty()) release();
        }
        for (Thread& thread : threads_)
            if (thread.fiber) give_back(thread.fiber);
        current = nullptr;
        return error.empty();
    }

    // Called on a thread's fiber: waits until `release` makes it ready.
    void wait(Thread& thread, State state, const char* file, int line) {
        thread.state = state;
        thread.file = file;
        thread.line = line;
        thread.fiber = running_;
        ++position_;
        leave_to(next());
    }

    // Called on a thread's fiber: ends the block.
    [[noreturn]] void fail(const char* what, const char* file, int line) {
        error = std::string(what) + place(file, line) + where(threads_[visited()]);
        abandon();
    }
    [[noreturn]] void abandon() {
        threads_[visited()].fiber = running_;
        leave_to(&host_);
        __builtin_unreachable();
    }

    unsigned live_lanes(const Thread& thread) const {
        const std::size_t first = thread.linear & ~31u;
        unsigned lanes = 0;
        for (std::size_t lane = 0; lane < 32 && first + lane < threads_.size(); ++lane)
            if (threads_[first + lane].state != State::finished) lanes |= 1u << lane;
        return lanes;
    }

private:
    std::vector<Thread> threads_;
    std::vector<unsigned> order_;
    std::vector<std::unique_ptr<Fiber>> fibers_;
    std::vector<Fiber*> idle_;
    Fiber host_;
    Fiber* running_ = nullptr;
    Fiber* left_ = nullptr;  // what ran before it
    std::size_t position_ = 0, group_end_ = 0, finished_ = 0;
    const SimEntry* entry_ = nullptr;
    const char* arguments_ = nullptr;
    SimIndex block_index_{};
    Rules rules_{};
    std::mt19937 random_{20240229};

    unsigned visited() const { return order_[position_]; }

    void prepare(SimIndex grid, SimIndex block, SimIndex index, const Shared& shared) {
        const unsigned count = block.x * block.y * block.z;
        threads_.resize(count);
        order_.resize(count);
        finished_ = 0;
        for (unsigned i = 0; i < count; ++i) {
            Thread& thread = threads_[i];
            thread.thread_index = {i % block.x, i / block.x % block.y, i / (block.x * block.y)};
            thread.block_index = index;
            thread.block_shape = block;
            thread.grid_shape = grid;
            thread.dynamic_shared = shared.dynamic;
            thread.dynamic_shared_bytes = shared.dynamic_bytes;
            thread.static_shared = shared.fixed;
            thread.static_shared_bytes = shared.fixed_bytes;
            thread.has_read = thread.has_written = false;
            thread.linear = i;
            thread.state = State::fresh;
            thread.fiber = nullptr;
            order_[i] = i;
        }
    }

    void arrange() {
        const Order order = rules_.order;
        if (order == Order::shuffled)
            std::shuffle(order_.begin(), order_.end(), random_);
        else if (order == Order::backward && order_.front() == 0)
            std::reverse(order_.begin(), order_.end());
        if (rules_.lockstep && order == Order::shuffled)
            std::stable_sort(order_.begin(), order_.end(), [](unsigned a, unsigned b) { return a / 32 < b / 32; });
    }

    void round() {
        for (std::size_t first = 0; first < order_.size() && error.empty(); first = group_end_) {
            group_end_ = rules_.lockstep ? first + 1 : order_.size();
            while (group_end_ < order_.size() && order_[group_end_] / 32 == order_[first] / 32) ++group_end_;
            do {
                position_ = first;
                running_ = &host_;
                leave_to(next());
            } while (error.empty() && rules_.lockstep && can_go_on(first));
        }
    }
    bool can_go_on(std::size_t first) const {
        for (std::size_t i = first; i < group_end_; ++i)
            if (threads_[order_[i]].state == State::ready) return true;
        return false;
    }

    // The fiber of the next thread of the group that can run, from `position_` on; else the host.
    Fiber* next() {
        for (; position_ < group_end_; ++position_) {
            Thread& thread = threads_[visited()];
            if (thread.state == State::fresh) return take();
            if (thread.state != State::ready) continue;
            Fiber* fiber = thread.fiber;
            thread.fiber = nullptr;
            return fiber;
        }
        return &host_;
    }
    void leave_to(Fiber* fiber) {
        if (fiber == running_) return;
        left_ = running_;
        running_ = fiber;
        Fiber::switch_to(*left_, *fiber);
    }

    // The body of every fiber: runs threads as long as none of them has to wait.
    static void body() {
        Fiber::arrived(*current->running_, current->left_ == &current->host_ ? current->left_ : nullptr);
        for (;;) {
            Thread& thread = current->threads_[current->visited()];
            current->entry_->thread(current->arguments_, &thread);
            Scheduler* self = current;
            thread.state = State::finished;
            ++self->finished_;
            ++self->position_;
            // A thread that waited owns the fiber that it ends on, and so may go on too.
            self->idle_.push_back(self->running_);
            self->leave_to(self->next());
        }
    }

    Fiber* take() {
        if (idle_.empty()) {
            fibers_.push_back(std::make_unique<Fiber>(body));
            return fibers_.back().get();
        }
        Fiber* fiber = idle_.back();
        idle_.pop_back();
        return fiber;
    }
    void give_back(Fiber* fiber) {
        fiber->restart(body);
        idle_.push_back(fiber);
    }

    void release() {
        bool any = false;
        for (std::size_t first = 0; first < threads_.size(); first += 32) any |= release_warp(first);
        if (any || finished_ == threads_.size()) return;
        const Thread* at_barrier = find(State::at_barrier);
        const Thread* at_warp = find(State::at_warp);
        if (at_warp) {
            error = "deadlock: a thread waits at a warp operation" + place(at_warp->file, at_warp->line) +
                    " for lanes of its mask that do not come" + where(*at_warp);
            return;
        }
        if (finished_ && rules_.returned_count) {
            const Thread* gone = find(State::finished);
            error = "barrier" + place(at_barrier->file, at_barrier->line) +
                    " that not every thread of the block reaches: a thread returned before it" + where(*gone);
            return;
        }
        const auto elsewhere = [at_barrier](const Thread& thread) {
            return thread.line != at_barrier->line ||
                   (thread.file != at_barrier->file && std::strcmp(thread.file, at_barrier->file) != 0);
        };
        for (const Thread& thread : threads_)
            if (thread.state != State::finished && elsewhere(thread)) {
                error = "threads of one block wait at different barriers:" + place(at_barrier->file, at_barrier->line) +
                        " and" + place(thread.file, thread.line) + where(thread);
                return;
            }
        release_block();
    }

    void release_block() {
        int count = 0;
        for (const Thread& thread : threads_)
            if (thread.state != State::finished) count += thread.predicate;
        const int all = count == static_cast<int>(threads_.size() - finished_);
        for (Thread& thread : threads_) {
            if (thread.state == State::finished) continue;
            thread.result = thread.kind == sim_barrier_count ? count
                            : thread.kind == sim_barrier_and ? all : count != 0;
            thread.state = State::ready;
            thread.has_read = thread.has_written = false;
        }
    }

    // Releases the groups of lanes, of the warp that begins at `first`, that are complete.
    bool release_warp(std::size_t first) {
        const std::size_t end = std::min(first + 32, threads_.size());
        bool any = false;
        for (std::size_t i = first; i < end; ++i) {
            Thread& leader = threads_[i];
            if (leader.state != State::at_warp) continue;
            unsigned arrived = 0;
            bool complete = true;
            for (std::size_t j = first; j < end; ++j) {
                const Thread& other = threads_[j];
                if (!(leader.mask >> (j - first) & 1u) || other.state == State::finished) continue;
                const bool here = other.state == State::at_warp && other.mask == leader.mask &&
                                  other.line == leader.line;
                complete &= here;
                if (here) arrived |= 1u << (j - first);
            }
            if (!complete) continue;
            any = true;
            for (std::size_t j = first; j < end; ++j) {
                if (!(arrived >> (j - first) & 1u)) continue;
                Thread& other = threads_[j];
                other.state = State::ready;
                other.lanes_arrived = arrived;
                for (std::size_t k = first; k < end; ++k) other.lanes[k - first] = threads_[k].value;
            }
        }
        return any;
    }

    const Thread* find(State state) const {
        for (const Thread& thread : threads_)
            if (thread.state == state) return &thread;
        return nullptr;
    }
    static std::string place(const char* file, int line) {
        return line ? " at " + std::string(file) + ":" + std::to_string(line) : std::string();
    }
    std::string where(const Thread& thread) const {
        char text[160];
        std::snprintf(text, sizeof text, " (block (%u, %u, %u), thread (%u, %u, %u))", block_index_.x,
                      block_index_.y, block_index_.z, thread.thread_index.x, thread.thread_index.y,
                      thread.thread_index.z);
        return text;
    }
};
