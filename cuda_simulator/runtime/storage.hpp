// Finds where a host thread keeps the thread-local variables of a module.
#pragma once
#include <link.h>

#include <cstddef>
#include <cstdint>

struct ThreadStorage {
    std::uintptr_t address;
    const char* begin;
    unsigned long long size;
};

inline int look_at_library(dl_phdr_info* info, std::size_t, void* data) {
    auto& wanted = *static_cast<ThreadStorage*>(data);
    bool inside = false;
    unsigned long long size = 0;
    for (int i = 0; i < info->dlpi_phnum; ++i) {
        const auto& segment = info->dlpi_phdr[i];
        if (segment.p_type == PT_LOAD) inside |= wanted.address - info->dlpi_addr - segment.p_vaddr < segment.p_memsz;
        if (segment.p_type == PT_TLS) size = segment.p_memsz;
    }
    if (!inside) return 0;
    wanted.begin = static_cast<const char*>(info->dlpi_tls_data);
    wanted.size = wanted.begin ? size : 0;
    return 1;
}

// As `SimApi` has it; the module is the one with `address` in it.
inline void thread_storage(const void* address, const char** begin, unsigned long long* size) {
    static const char unknown = 0;
    ThreadStorage storage{reinterpret_cast<std::uintptr_t>(address), nullptr, 0};
    dl_iterate_phdr(look_at_library, &storage);
    *begin = storage.begin ? storage.begin : &unknown;
    *size = storage.size;
}
