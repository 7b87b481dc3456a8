// Memory that host and device both address: two mappings of the same pages. While crossings
// are watched only one of them is open at a time; an access through the other one moves the
// allocation over (closes the one, opens the other) and is counted, as a GPU's driver moves
// managed memory at page faults. Called from pages.py.
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <vector>

namespace {

enum Side { host, device };

struct Allocation {
    char* place[2];      // by Side
    std::size_t mapped;  // bytes, whole pages
    std::size_t size;    // bytes that were asked for, and are counted
    Side side;           // that had the last access, as far as was watched
};

struct Crossings {
    unsigned long long to_host, bytes_to_host, to_device, bytes_to_device;
};

std::vector<Allocation>* allocations = new std::vector<Allocation>;
Crossings crossings = {};
bool watching = false;
struct sigaction previous;

// Held by the handler of faults too: nothing under it touches an allocation's pages.
std::atomic_flag busy = ATOMIC_FLAG_INIT;
struct Guard {
    Guard() {
        while (busy.test_and_set(std::memory_order_acquire)) {
        }
    }
    ~Guard() { busy.clear(std::memory_order_release); }
};

void set_open(const Allocation& a, Side side, bool open) {
    mprotect(a.place[side], a.mapped, open ? PROT_READ | PROT_WRITE : PROT_NONE);
}

// Bring an allocation to a side; the other one is closed. What moves to the device is no
// longer mapped on the host, as on a GPU, so that /proc/self/pagemap tells where pages are.
void move(Allocation& a, Side to) {
    if (a.side == to) return;
    a.side = to;
    set_open(a, to, true);
    set_open(a, to == host ? device : host, false);
    if (to == device) madvise(a.place[host], a.mapped, MADV_DONTNEED);
    (to == host ? crossings.to_host : crossings.to_device) += 1;
    (to == host ? crossings.bytes_to_host : crossings.bytes_to_device) += a.size;
}

Allocation* find(const char* address, Side& side) {
    for (auto& a : *allocations)
        for (Side s : {host, device})
            if (address >= a.place[s] && address < a.place[s] + a.mapped) {
                side = s;
                return &a;
            }
    return nullptr;
}

void on_fault(int signal, siginfo_t* info, void* context) {
    {
        Guard guard;
        Side side;
        if (Allocation* a = find(static_cast<char*>(info->si_addr), side)) {
            if (watching) move(*a, side);
            return;  // and the access is tried again
        }
    }
    if (previous.sa_flags & SA_SIGINFO)
        previous.sa_sigaction(signal, info, context);
    else if (previous.sa_handler == SIG_DFL || previous.sa_handler == SIG_IGN)
        sigaction(SIGSEGV, &previous, nullptr);  // the access is tried again, and ends there
    else
        previous.sa_handler(signal);
}

void handle_faults() {
    struct sigaction now;
    sigaction(SIGSEGV, nullptr, &now);
    if ((now.sa_flags & SA_SIGINFO) && now.sa_sigaction == on_fault) return;
    previous = now;
    struct sigaction ours = {};
    ours.sa_sigaction = on_fault;
    ours.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    sigaction(SIGSEGV, &ours, nullptr);
}

}  // namespace

#define SIM_EXPORT extern "C" __attribute__((visibility("default")))

// New memory of `size` bytes, its address on each side; 0 or, where there is none, 1.
SIM_EXPORT int sim_pages_map(std::size_t size, char** on_host, char** on_device) {
    const std::size_t page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    Allocation a = {{nullptr, nullptr}, (size + page - 1) / page * page, size, device};
    const int file = memfd_create("managed", MFD_CLOEXEC);
    if (file < 0) return 1;
    bool failed = ftruncate(file, static_cast<off_t>(a.mapped)) != 0;
    for (Side side : {host, device}) {
        if (failed) break;
        void* place = mmap(nullptr, a.mapped, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        failed = place == MAP_FAILED;
        if (failed) break;
        a.place[side] = static_cast<char*>(place);
        madvise(place, a.mapped, MADV_DONTFORK);  // as the driver has it
    }
    close(file);
    if (failed) {
        if (a.place[host]) munmap(a.place[host], a.mapped);
        return 1;
    }
    *on_host = a.place[host];
    *on_device = a.place[device];
    Guard guard;
    if (watching) set_open(a, host, false);
    allocations->push_back(a);
    return 0;
}

// Give memory back, by its address on the host.
SIM_EXPORT void sim_pages_unmap(char* on_host) {
    Guard guard;
    for (auto a = allocations->begin(); a != allocations->end(); ++a)
        if (a->place[host] == on_host) {
            for (Side side : {host, device}) munmap(a->place[side], a->mapped);
            allocations->erase(a);
            return;
        }
}

// Begin or end to count crossings.
SIM_EXPORT void sim_pages_watch(int on) {
    if (on) handle_faults();
    Guard guard;
    watching = on != 0;
    for (auto& a : *allocations) {
        set_open(a, a.side, true);
        set_open(a, a.side == host ? device : host, !watching);
    }
}

// Bring the allocation with this address to the device, as a prefetch does.
SIM_EXPORT void sim_pages_to_device(const char* address) {
    Guard guard;
    Side side;
    Allocation* a = find(address, side);
    if (a && watching) move(*a, device);
}

// Crossings since the last time that this was asked.
SIM_EXPORT void sim_pages_crossings(Crossings* result) {
    Guard guard;
    *result = crossings;
    crossings = {};
}
