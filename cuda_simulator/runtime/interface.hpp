// What a compiled module and the engine know of each other: C structs only, read
// by engine.cpp, by every generated unit and (SimEntry, SimParameter) by library.py.
#pragma once

struct SimIndex { unsigned x, y, z; };

// One simulated thread, as its kernel sees it.
struct SimThread {
    SimIndex thread_index, block_index, block_shape, grid_shape;
    void* dynamic_shared;
    const char* static_shared;
    unsigned long long dynamic_shared_bytes, static_shared_bytes;  // the latter 0: not known
    bool has_read, has_written;    // shared memory since its warp's last step, in lockstep
    unsigned linear;               // index in the block
    int result;                    // of the last barrier with a predicate
    unsigned lanes_arrived;        // at the last warp operation
    unsigned long long lanes[32];  // what each lane of the warp brought to it
};

enum SimBarrier { sim_barrier_plain, sim_barrier_count, sim_barrier_and, sim_barrier_or };

// What a kernel asks of the engine. `fail` does not return.
struct SimApi {
    void (*barrier)(SimThread*, int kind, int predicate, const char* file, int line);
    void (*warp)(SimThread*, unsigned mask, unsigned long long value, const char* file, int line);
    unsigned (*live_lanes)(SimThread*);
    // Lets the other threads of the warp come as far.
    void (*step)(SimThread*);
    void (*fail)(const char* what, const char* file, int line);
    // Where this host thread keeps the thread-local variables of the module that has
    // `address` in it; no bytes where that is not known.
    void (*thread_storage)(const void* address, const char** begin, unsigned long long* size);
    // Tells of a variable in static shared memory that the launch on this host thread has.
    void (*static_shared)(const void* variable, unsigned bytes, unsigned align);
};

// kind: 'r' pointer to const, 'w' pointer, 'i' integer, 'b' bool, 'f' floating, 's' struct.
// For pointers `element_kind` and `element_size` say to what ('v' for void).
struct SimParameter {
    unsigned char kind, element_kind;
    unsigned size, offset, element_size;
};

// One specialization of one kernel. A flat module has `blocks`, a fibered one `thread`.
struct SimEntry {
    const char* name;
    unsigned parameter_count, arguments_size;
    const SimParameter* parameters;
    void (*blocks)(const char* arguments, SimIndex grid, char* dynamic_shared, unsigned shared_bytes,
                   unsigned long long begin, unsigned long long end);
    void (*thread)(const char* arguments, SimThread* self);
    // Makes this host thread have its thread-local variables of a fibered module: its static
    // shared memory, and nothing that outlives a block.
    void (*touch)();
    // Launches under way that are told of static shared memory; one number for the module.
    int* watched;
};
