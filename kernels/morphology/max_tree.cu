// The max-tree of an image: of each pixel the lowest one of the plateau that it stands on, among all
// pixels connected with it at its height or above. Pixels go by ranks, their places among all when
// sorted by value, those of equal value in the image's order, so that no two are equal. By rank a pixel's
// parent is the next lower one of its component.
//
// Components grow as Boruvka's do: in a round each one finds its highest pass, which is the lower end of
// the edge that leads out of it at the greatest height. Above that height nothing joins it any more: its
// pixels up there that are in no chain yet, sorted by rank, are a chain, in which each is the parent of
// the next, and the pass is the parent of the first. Then components are united along their passes
// (common/union_find.cuh). Each round at least halves those that are left. A pass is in a chain of a
// later round than those that hang below it. What is in no chain in the end is a chain of its own.
//
//     sort_keys   of floating values, to be sorted as integers: -0 is 0, and all NaN are the last ones
//     begin       each pixel's rank; each is a component
//     propose, join, flatten: a round; without work once no edge is left
//     close       the last chains
//     connect     once chains are sorted: parents, and where a chain and a round begin
//     jump        pointers to pointers become those to roots, some 32 times nearer a launch
//     show        what scikit-image returns: each parent as the lowest pixel of its plateau
//     lift, paint  filtering: an image whose pixels are as high as their nearest ancestor that is to stay
//     crown, tops, number: plateaus that are no parent, numbered from the highest one down
//
// Images of up to 8 axes and 2^31 - 1 pixels. NaN equals nothing, itself included. A round reads 16
// bytes a pixel and 8 of each one around it, and writes 12.
//
// Source: scikit-image `morphology.max_tree`; O. Boruvka, 1926, as in N. Blin et al., "Max-tree
// computation on GPUs", IEEE Transactions on Parallel and Distributed Systems 33(12), 2022, which goes by
// tiles.
#include "common/neighbours.cuh"
#include "common/ordered.cuh"

constexpr int THREADS = 256;
constexpr int HOPS = 32;
typedef UnionFind<int> Find;

template <class T>
__global__ void __launch_bounds__(THREADS, 1) sort_keys(const T* image, i64 n, typename Ordered<T>::Key* keys) {
    typedef typename Ordered<T>::Key Key;
    for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < n; i += (i64)gridDim.x * blockDim.x) {
        const T value = image[i];
        keys[i] = value != value ? (Key)~(Key)0 : Ordered<T>::key(value == (T)0 ? (T)0 : value);
    }
}

// order: pixels by rank
__global__ void __launch_bounds__(THREADS, 1) begin(const i64* order, i64 n, int* ranks, int* components) {
    for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < n; i += (i64)gridDim.x * blockDim.x) {
        ranks[order[i]] = (int)i;
        components[i] = (int)i;
    }
}

// components: of each pixel its component's root, itself a pixel. round: from 1 on. more: of each round,
// 1 where an edge leads out of a component; 0 before. passes: of roots, 1 more than the rank of the pass,
// then 32 bits of the rank on the other side; 0 before.
__global__ void __launch_bounds__(THREADS, 1)
    propose(const int* ranks, const int* components, i64 n, const __grid_constant__ Volumes<int> volumes,
            const __grid_constant__ Neighbours around, int round, int* more, u64* passes) {
    if (round > 1 && !more[round - 1]) return;
    for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < n; i += (i64)gridDim.x * blockDim.x) {
        const int component = components[i], rank = ranks[i];
        u64 best = 0;
        visit_neighbours(volumes, around, Place<int>(volumes, (int)i), (int)i, [&](int other) {
            if (components[other] == component) return;
            const int beyond = ranks[other], low = rank < beyond ? rank : beyond;
            const u64 pass = (u64)(low + 1) << 32 | (u32)beyond;
            best = best < pass ? pass : best;
        });
        if (!best) continue;
        if (!more[round]) more[round] = 1;
        const volatile u64* const seen = passes;
        if (seen[component] < best) atomicMax(&passes[component], best);
    }
}

// chains: of each rank the round and the root of its chain, 0 where there is none yet. below: of ranks in
// chains the rank of the chain's pass.
__global__ void __launch_bounds__(THREADS, 1)
    join(const i64* order, const int* ranks, const u64* passes, i64 n, int round, const int* more, int* components,
         u64* chains, int* below) {
    if (!more[round]) return;
    for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < n; i += (i64)gridDim.x * blockDim.x) {
        // a root that has a pass may have been united by another thread
        const int pixel = (int)i, component = passes[i] ? pixel : components[i], rank = ranks[i];
        const u64 pass = passes[component];
        if (!pass) continue;
        const int low = (int)(pass >> 32) - 1;
        if (rank > low && !chains[rank]) {
            chains[rank] = (u64)round << 32 | (u32)component;
            below[rank] = low;
        }
        if (component == pixel) Find::unite(components, pixel, (int)order[(u32)pass]);
    }
}

__global__ void __launch_bounds__(THREADS, 1)
    flatten(i64 n, int round, const int* more, int* components, u64* passes) {
    if (!more[round]) return;
    for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < n; i += (i64)gridDim.x * blockDim.x) {
        components[i] = Find::root(components, (int)i);
        passes[i] = 0;
    }
}

// last: the round of chains that hang below none
__global__ void __launch_bounds__(THREADS, 1)
    close(const int* ranks, const int* components, i64 n, int last, u64* chains, int* below) {
    for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < n; i += (i64)gridDim.x * blockDim.x) {
        const int rank = ranks[i];
        if (chains[rank]) continue;
        chains[rank] = (u64)last << 32 | (u32)components[i];
        below[rank] = -1;
    }
}

// places: ranks, by chain, each from its lowest one on. parents: of ranks, roots have themselves. links:
// the same where the parent is as high, else the rank itself. heads: whether a place is a chain's first
// one. starts: of rounds, their first places; from `last` + 1 on, n.
template <class T>
__global__ void __launch_bounds__(THREADS, 1)
    connect(const T* image, const i64* order, const i64* places, const u64* chains, const int* below, i64 n, int last,
            int* parents, int* links, bool* heads, int* starts) {
    for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < n; i += (i64)gridDim.x * blockDim.x) {
        const int rank = (int)places[i], lower = i ? (int)places[i - 1] : -1;
        const u64 chain = chains[rank], before = i ? chains[lower] : 0;
        const bool is_head = chain != before;
        int parent = is_head ? below[rank] : lower;
        if (parent < 0) parent = rank;
        heads[i] = is_head;
        parents[rank] = parent;
        links[rank] = image[order[rank]] == image[order[parent]] ? parent : rank;
        for (int round = (int)(before >> 32) + 1; round <= (int)(chain >> 32); ++round) starts[round] = (int)i;
        if (i == n - 1) starts[last + 1] = (int)n;
    }
}

// pass: from 0 on. moved: of each pass, 1 where a link may not lead to a root yet; 0 before. Others write
// meanwhile, but only what is nearer to the same root.
__global__ void __launch_bounds__(THREADS, 1) jump(i64 n, int pass, int* moved, int* links) {
    if (pass && !moved[pass - 1]) return;
    volatile int* const seen = links;
    for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < n; i += (i64)gridDim.x * blockDim.x) {
        const int first = seen[i];
        int at = first, hops = 0;
        for (; hops < HOPS; ++hops) {
            const int next = seen[at];
            if (next == at) break;
            at = next;
        }
        if (at != first) seen[i] = at;
        if (hops == HOPS && !moved[pass]) moved[pass] = 1;
    }
}

// plateaus: of each rank the lowest one of equal value, by jump. result: of each pixel its parent
__global__ void __launch_bounds__(THREADS, 1)
    show(const i64* order, const int* parents, const int* plateaus, i64 n, i64* result) {
    for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < n; i += (i64)gridDim.x * blockDim.x)
        result[order[i]] = order[plateaus[parents[i]]];
}

// attributes: of ranks; what is not below the threshold stays, and so do roots. links: by jump they become
// the nearest one that stays.
__global__ void __launch_bounds__(THREADS, 1)
    lift(const int* parents, const int* plateaus, const int* attributes, double threshold, i64 n, int* links) {
    for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < n; i += (i64)gridDim.x * blockDim.x) {
        const int rank = (int)i, plateau = plateaus[i], parent = parents[i];
        const bool stays = parent == rank || !((double)attributes[i] < threshold);
        links[i] = plateau != rank ? plateau : stays ? rank : plateaus[parent];
    }
}

// links: of each rank the nearest one that stays. The lowest pixel of all becomes 0 where its attribute is
// below the threshold. T: the unsigned integer of the values' size.
template <class T>
__global__ void __launch_bounds__(THREADS, 1)
    paint(const T* image, const i64* order, const int* links, const int* attributes, double threshold, i64 n,
          T* result) {
    const bool is_empty = (double)attributes[0] < threshold;
    for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < n; i += (i64)gridDim.x * blockDim.x) {
        const int link = links[i];
        result[order[i]] = link == 0 && is_empty ? (T)0 : image[order[link]];
    }
}

// crowned: of ranks, whether they are the lowest of a plateau and another one's parent; false before. A
// root that is NaN counts as its own, but for the lowest pixel of all, which is looked at by none.
template <class T>
__global__ void __launch_bounds__(THREADS, 1)
    crown(const T* image, const i64* order, const int* parents, const int* plateaus, i64 n, bool* crowned) {
    for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < n; i += (i64)gridDim.x * blockDim.x) {
        const int rank = (int)i, parent = parents[i];
        if (plateaus[i] != rank || rank == 0) continue;
        const T value = image[order[i]];
        if (parent != rank || value != value) crowned[plateaus[parent]] = true;
    }
}

// found: from the highest rank down, 1 where a plateau begins that is neither crowned nor a root
__global__ void __launch_bounds__(THREADS, 1)
    tops(const int* parents, const int* plateaus, const bool* crowned, i64 n, int* found) {
    for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < n; i += (i64)gridDim.x * blockDim.x)
        found[n - 1 - i] = plateaus[i] == (int)i && parents[i] != (int)i && !crowned[i];
}

// numbers: sums of `found`. A root that is no parent has 1.
__global__ void __launch_bounds__(THREADS, 1)
    number(const i64* order, const int* parents, const int* plateaus, const bool* crowned, const int* numbers, i64 n,
           u64* result) {
    for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < n; i += (i64)gridDim.x * blockDim.x) {
        const int plateau = plateaus[i];
        result[order[i]] = crowned[plateau] ? 0 : parents[plateau] == plateau ? 1 : (u64)numbers[n - 1 - plateau];
    }
}
