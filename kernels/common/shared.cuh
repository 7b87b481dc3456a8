// Dynamic shared memory: `DYN_SHARED(T, name)` in a kernel's body declares `T* name`,
// the block's dynamic shared memory (as many bytes as the launch asks for, aligned to
// 16). All declarations in one kernel name the same memory.
//
//     __global__ void sum(const float* in, float* out) {
//         DYN_SHARED(float, partial);  // blockDim.x of them
//
// The raw `extern __shared__` is no C++ that a host compiler takes, and two templates
// that declare it under one name with different types clash in one module; hence bytes.
#pragma once

#ifdef CUDA_SIMULATOR
#define DYN_SHARED(T, name) T* const name = static_cast<T*>(sim_dynamic_shared())
#else
#define DYN_SHARED(T, name)                                       \
    extern __shared__ __align__(16) unsigned char shared_bytes[]; \
    T* const name = reinterpret_cast<T*>(shared_bytes)
#endif
