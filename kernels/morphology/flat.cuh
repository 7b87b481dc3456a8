// What erosions and dilations by flat footprints share: keys of pixels, and what is done with
// the last of them.
//
// Pixels are compared as unsigned integers in the same order (common/ordered.cuh). A dilation
// is an erosion of the inverted keys: there is one kind of search, for the least.
#pragma once
#include "common/ordered.cuh"

// What a chain of erosions and dilations ends with: itself, or a top hat.
enum Finish { ITSELF = 0, IMAGE_MINUS = 1, MINUS_IMAGE = 2, OTHER_THAN_IMAGE = 3 };

// One search; `low` and `high` bound its part of a tile with its halo.
// All of it counts in pixels.
struct Search {
    int first, count;         // its offsets
    int target;               // where the copy begins that it writes; -1: the results, in flat_tile.cu
    int low[3], high[3];
    int inverts;              // whether a dilation follows an erosion, or the other way round
    int extends;              // 1 + whether a dilation comes next, where an image is complete; or 0
    int unused;
};

// Arithmetic dtypes but float16; bool counts as u8. Any thread.
template <class T> struct Flat {
    typedef Ordered<typename Sorted<T>::type> Order;
    typedef typename Order::Key Key;

    // of an erosion, or of a dilation
    __device__ static Key key(T value, int dilates) {
        const Key key = Order::key((typename Sorted<T>::type)value);
        return dilates ? (Key)~key : key;
    }
    __device__ static T value(Key key, int dilates) {
        return (T)Order::value(dilates ? (Key)~key : key);
    }
    // As NumPy subtracts: integers wrap around.
    __device__ static T difference(T a, T b) {
        if (IsFloating<T>::value) return a - b;
        return (T)((Key)a - (Key)b);
    }
    // Element `place` of the result.
    __device__ static T finished(Key key, int dilates, int finish, const T* image, i64 place) {
        const T made = value(key, dilates);
        if (finish == IMAGE_MINUS) return difference(image[place], made);
        if (finish == MINUS_IMAGE) return difference(made, image[place]);
        if (finish == OTHER_THAN_IMAGE) return (T)(image[place] != made);
        return made;
    }
};

// The bits of a result, where keys are in its place before.
template <class T> __device__ inline typename Flat<T>::Key bits_of(T value) {
    union {
        T value;
        typename Flat<T>::Key bits;
    } both;
    both.value = value;
    return both.bits;
}

template <class Key> __device__ inline Key lesser(Key a, Key b) { return b < a ? b : a; }
