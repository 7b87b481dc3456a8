// Fibers: stacks that a block's threads run on, and the switch between them.
//
// The switch is hand-written for x86-64, since every barrier costs one per thread and
// ucontext makes two system calls each (ten times slower); Boost.Context, which does the
// same, has no package on PyPI. Other CPUs use ucontext.
#pragma once
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#define SIM_ASAN 1
#endif

#if defined(__x86_64__)
extern "C" void sim_switch_stack(void** save, void* load);
asm(R"(
.text
.globl sim_switch_stack
.hidden sim_switch_stack
.type sim_switch_stack, @function
sim_switch_stack:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    popq %rcx
    jmp *%rcx
.size sim_switch_stack, .-sim_switch_stack
)");
#else
#include <ucontext.h>
#endif

struct Fiber {
    // CUDA allows 512 KB of local memory a thread; pages are committed when touched, and
    // the page below the stack is never accessible.
    static constexpr std::size_t stack_size = 1u << 20;
    char* stack = nullptr;
#if defined(__x86_64__)
    void* stack_pointer = nullptr;
#else
    ucontext_t context;
#endif
    void* fake_stack = nullptr;         // AddressSanitizer's, of a suspended fiber
    const void* bottom = nullptr;       // of the stack, for AddressSanitizer
    std::size_t size = 0;

    // The host thread's own stack.
    Fiber() = default;

    // A fiber that will run `body`, which never returns.
    explicit Fiber(void (*body)()) {
        const std::size_t page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
        void* place = mmap(nullptr, stack_size + page, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (place == MAP_FAILED) throw std::bad_alloc();
        mprotect(place, page, PROT_NONE);
        stack = static_cast<char*>(place) + page;
        bottom = stack;
        size = stack_size;
        restart(body);
    }
    Fiber(const Fiber&) = delete;
    Fiber& operator=(const Fiber&) = delete;
    ~Fiber() {
        const std::size_t page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
        if (stack) munmap(stack - page, stack_size + page);
    }

    // Forgets where the fiber was suspended; what stood on its stack is not destroyed.
    void restart(void (*body)()) {
#if defined(__x86_64__)
        auto* top = reinterpret_cast<std::uintptr_t*>(stack + stack_size) - 2;
        *--top = 0;  // a return address of `body`, which keeps the ABI's alignment
        *--top = reinterpret_cast<std::uintptr_t>(body);
        for (int i = 0; i < 6; ++i) *--top = 0;
        stack_pointer = top;
#else
        getcontext(&context);
        context.uc_stack.ss_sp = stack;
        context.uc_stack.ss_size = stack_size;
        context.uc_link = nullptr;
        makecontext(&context, body, 0);
#endif
        fake_stack = nullptr;
    }

    // Suspends `from`, which is running, and resumes `to`.
    static void switch_to(Fiber& from, Fiber& to) {
#ifdef SIM_ASAN
        __sanitizer_start_switch_fiber(&from.fake_stack, to.bottom, to.size);
#endif
#if defined(__x86_64__)
        sim_switch_stack(&from.stack_pointer, to.stack_pointer);
#else
        swapcontext(&from.context, &to.context);
#endif
        arrived(from, nullptr);
    }

    // First thing on a stack that was switched to. `origin` learns the bounds of the
    // stack that control came from.
    static void arrived(Fiber& self, Fiber* origin) {
#ifdef SIM_ASAN
        __sanitizer_finish_switch_fiber(self.fake_stack, origin ? &origin->bottom : nullptr,
                                        origin ? &origin->size : nullptr);
#else
        (void)self, (void)origin;
#endif
    }
};
