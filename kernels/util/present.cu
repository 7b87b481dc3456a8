// Which values an image has, and how often, where these lie close to each other:
//
//     present   table[value - first] becomes 1
//     counted   counts[value - first] becomes how often it is there; 0 before
//
// T: the unsigned integer of the elements' size; no value less `first` is as large as the table.
// One launch each; the image is read once, one byte or count is written for each value.
//
// Source: numpy.unique, numpy.bincount.
#include "common/runs.cuh"

template <class T> __global__ void present(const T* image, i64 n, T first, u8* table) {
    for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < n; i += (i64)gridDim.x * blockDim.x) {
        u8* const entry = table + (T)(image[i] - first);
        if (!*entry) *entry = 1;  // regions are large: most find it written
    }
}

template <class T> __global__ void counted(const T* image, i64 n, T first, u64* counts) {
    count_runs<i64>(n, counts, [&](i64 i) { return (i64)(T)(image[i] - first); });
}
