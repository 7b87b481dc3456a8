// Connected components by union-find: trees of elements of equal label, all at once, in an
// array of parents in shared or in global memory.
//
// Each element has a key: its index, plus BIT where it is of the lesser of two kinds. A
// component's root is the element of the smallest key; so the root tells whether there is an
// element of the better kind in it (a pixel above the higher threshold) without another pass,
// and where all are of one kind it is the first element.
// parents[i] is the key of an element of the same component, never larger than that of i;
// BACKGROUND where i is of no component.
//
//     parents[i] = UnionFind<int, BIT>::key(i, better);  // for all i
//     barrier or next launch
//     UnionFind<int, BIT>::unite(parents, i, j);         // for all pairs of neighbours
//     barrier or next launch
//     int root = UnionFind<int, BIT>::root(parents, i);  // the same for a whole component
//
// Index is int or i64. BIT is a power of two, larger than each index; 0 where all elements are of
// one kind, whose keys are indices. Without warp operations; the result does not depend on the
// order of the threads.
//
// Source: Y. Komura, "GPU-based cluster-labeling algorithm without the use of conventional
// iteration", Computer Physics Communications 194, 2015; D. P. Playne and K. Hawick, "A new
// algorithm for parallel connected-component labelling on GPUs", IEEE Transactions on
// Parallel and Distributed Systems 29, 2018.
#pragma once
#include "common/types.cuh"

constexpr int BACKGROUND = -1;

template <class Index, Index BIT = 0> struct UnionFind {
    static constexpr bool TWO_KINDS = BIT != 0;

    // Key of element i. Any thread.
    __device__ static Index key(Index i, bool better = true) { return better ? i : i + BIT; }

    // Element that a key belongs to. Any thread.
    __device__ static Index element(Index key) { return BIT ? key & (BIT - 1) : key; }

    // Whether an element of the better kind has this key. Any thread.
    __device__ static bool is_better(Index key) { return !BIT || key < BIT; }

    // Key of the root of element i, which is not background. Any thread; while others unite,
    // it is the key of some ancestor.
    __device__ static Index root(const Index* parents, Index i) {
        const volatile Index* const seen = parents;  // others write meanwhile
        return above(parents, seen[i]);
    }

    // Key of the root of an element with one of its keys. Any thread, as above.
    __device__ static Index above(const Index* parents, Index key) {
        const volatile Index* const seen = parents;
        for (Index next = seen[element(key)]; next != key; next = seen[element(key)]) key = next;
        return key;
    }

    // The same where nobody unites any more. The element of the key hangs below the root then, so that those
    // below the same element find it in two steps, however long the way was. Any thread.
    __device__ static Index above(Index* parents, Index key) {
        volatile Index* const seen = parents;
        const Index next = seen[element(key)];
        if (next == key) return key;
        const Index found = above((const Index*)parents, next);
        if (found != next) seen[element(key)] = found;
        return found;
    }
    __device__ static Index shortened(Index* parents, Index i) { return above(parents, parents[i]); }

    // Hangs element i below what its parent hangs below, until that is a root. Threads that do so with a
    // chain of elements all at once take as many steps as its length has bits. Any thread, as above.
    __device__ static void lift(Index* parents, Index i) {
        volatile Index* const seen = parents;
        Index above = seen[i];
        for (Index next = seen[element(above)]; next != above; next = seen[element(above)]) seen[i] = above = next;
    }

    // Makes one component of those of elements i and j, which are not background. Any thread.
    __device__ static void unite(Index* parents, Index i, Index j) {
        Index a = root(parents, i), b = root(parents, j);
        while (a != b) {
            if (a < b) {
                const Index c = a;
                a = b;
                b = c;
            }
            const Index before = atomicMin(&parents[element(a)], b);
            if (before == a) return;  // a was a root: its tree hangs below b now
            a = root(parents, element(before));
            b = root(parents, element(b));
        }
    }
};

// Of the elements of an image, which are of two kinds.
template <class Index> using TwoKinds = UnionFind<Index, (Index)1 << (8 * sizeof(Index) - 2)>;
