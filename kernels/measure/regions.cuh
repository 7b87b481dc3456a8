// Labelled images as the kernels of regions see them: their pixels, and parts of sorted ones.
#pragma once
#include "common/types.cuh"

template <class Index> struct Volume {
    Index depth, rows, columns;
};

template <class Index> struct Place {
    Index z, y, x;

    __device__ Place(const Volume<Index>& shape, Index i) : x(i % shape.columns) {
        i /= shape.columns;
        y = i % shape.rows;
        z = i / shape.rows;
    }
};

// Labels of 1, 2, 4 or 8 bytes; only whether they are equal matters.
struct Labels {
    const void* labels;
    int bytes;

    __device__ u64 operator[](i64 i) const {
        switch (bytes) {
            case 1: return ((const u8*)labels)[i];
            case 2: return ((const u16*)labels)[i];
            case 4: return ((const u32*)labels)[i];
            default: return ((const u64*)labels)[i];
        }
    }
};

// The part that element i lies in. Any thread.
//   starts:  the first element of each of `count` parts, rising; that of the first is not behind i
__device__ inline i64 part_of(const i64* starts, i64 count, i64 i) {
    i64 low = 0, high = count;
    while (high - low > 1) {
        const i64 middle = (low + high) / 2;
        if (starts[middle] <= i)
            low = middle;
        else
            high = middle;
    }
    return low;
}
