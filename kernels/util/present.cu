// Which values an image has: table[value - first] becomes 1.
//
// T: the unsigned integer of the elements' size; no value less `first` is as large as the table.
// One launch; the image is read once, one byte is written for each value.
//
// Source: numpy.unique, for labels that lie close to each other.
#include "common/types.cuh"

template <class T> __global__ void present(const T* image, i64 n, T first, u8* table) {
    for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < n; i += (i64)gridDim.x * blockDim.x) {
        u8* const entry = table + (T)(image[i] - first);
        if (!*entry) *entry = 1;  // regions are large: most find it written
    }
}
