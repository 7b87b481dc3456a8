// Values by a table: result[i] is what the table says of image[i].
//
//   lookup   the table has an entry for each of the integers from `first` on; other values
//            become 0. Integers are seen as their bits, signed ones and binary16 too.
//   search   the table has sorted keys (as unsigned bits) and a value for each; other
//            values become 0.
//   listed   the list has keys in any order, as it was given, and a value for each; of several
//            values for one key the last counts, and what is no key becomes 0. Each block makes
//            a hash table of it.
//
// T: u8, u16, u32 or u64, the image's elements by their size; U: likewise of the result.
// image, result: n elements, any alignment. Values whose bits lie from refused_first to
// refused_last (none where that is less) are told in *refused, which is 0 before.
//
// One launch; the image is read once, the result written once, the table read once by
// each block where it fits into shared memory (`in_shared`).
// Source: skimage.util.map_array; exposure's tables come from scikit-image on the host.
#include "common/points.cuh"
#include "common/shared.cuh"

template <class T, class U>
__global__ void lookup(const T* image, i64 n, T first, const U* table, i64 entries, bool in_shared, T refused_first,
                       T refused_last, u32* refused, U* result) {
    u32 seen = 0;
    const bool all = sizeof(T) == 1 && entries == 256 && first == 0 && refused_first > refused_last;
    const auto run = [&](const U* entry) {
        if (all) {  // nothing is left out, or refused
            for_points(image, result, n, [&](T value) { return entry[value & 255]; });
            return;
        }
        for_points(image, result, n, [&](T value) {
            seen |= value >= refused_first && value <= refused_last;
            const T place = (T)(value - first);
            return (i64)place >= 0 && (i64)place < entries ? entry[place] : (U)0;
        });
    };
    if (in_shared) {
        DYN_SHARED(U, table_here);
        for (int k = threadIdx.x; k < (int)entries; k += blockDim.x) table_here[k] = table[k];
        __syncthreads();
        run(table_here);
    } else {
        run(table);
    }
    tell(refused, seen);
}

template <class T, class U>
__global__ void search(const T* image, i64 n, const T* keys, const U* values, i64 entries, U* result) {
    for_points(image, result, n, [=](T value) {
        i64 low = 0;  // the first key that is not less than the value lies in [low, low + left]
        for (i64 left = entries; left > 0;) {
            const i64 half = left / 2;
            const bool less = keys[low + half] < value;
            low = less ? low + half + 1 : low;
            left = less ? left - half - 1 : half;
        }
        return low < entries && keys[low] == value ? values[low] : (U)0;
    });
}

// slots: of a block's table, a power of two and more than there are keys
template <class T, class U>
__global__ void listed(const T* image, i64 n, const T* keys, const U* values, i64 entries, u32 slots, U* result) {
    DYN_SHARED(u32, places);  // in the list, from 1 on; 0 where a slot is free
    for (u32 s = threadIdx.x; s < slots; s += blockDim.x) places[s] = 0;
    __syncthreads();
    const auto first_slot = [=](T key) {
        return ((u32)key ^ (u32)((u64)key >> 32)) * 2654435769u >> 16 & (slots - 1);  // Fibonacci hashing
    };
    for (u32 k = threadIdx.x; k < (u32)entries; k += blockDim.x) {
        const T key = keys[k];
        for (u32 s = first_slot(key);; s = (s + 1) & (slots - 1)) {
            const u32 there = atomicCAS(&places[s], 0u, k + 1);
            if (there && keys[there - 1] != key) continue;
            if (there) atomicMax(&places[s], k + 1);
            break;
        }
    }
    __syncthreads();
    for_points(image, result, n, [=](T value) {
        for (u32 s = first_slot(value);; s = (s + 1) & (slots - 1)) {
            const u32 place = places[s];
            if (!place) return (U)0;
            if (keys[place - 1] == value) return values[place - 1];
        }
    });
}
