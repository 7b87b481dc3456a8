// What the pixels at and above each one in a max-tree come to: how many they are, or how far they reach
// along an axis. max_tree.cu has the tree, in chains of pixels by rank. One round after the other, since a
// chain hangs below one of a later round: its pixels are added up from the top down, and then go to the one
// that it hangs below. A round takes two launches:
//
//     sum_chains   what the round's places come to in each block's share, behind the last chain's end
//     scan_chains  the same of each place, with what the blocks before have
//
// A is Area, or Extent, of which span makes the values to begin with. Sums of integers, so the order of
// threads does not matter. A pixel's value is read twice and written once.
//
// A tree that is given (given_tree.cu) has no chains; there one launch does it, as many steps as the tree is deep:
//
//     climb   from pixels that are no parent down; the last of those that meet goes on
//
// Source: scikit-image `morphology.area_opening`, `diameter_opening`; climb: T. Karras, "Maximizing parallelism in
// the construction of BVHs, octrees, and k-d trees", High-Performance Graphics 2012.
#include "common/types.cuh"

constexpr int THREADS = 256;

// Number of pixels.
struct Area {
    typedef int Value;
    __device__ static Value none() { return 0; }
    __device__ static Value both(Value a, Value b) { return a + b; }
    __device__ static void add(Value* place, Value value) { atomicAdd(place, value); }
    __device__ static Value added(const volatile Value* place) { return *place; }
};

// First and last place along an axis.
struct Span {
    int low, high;
};
struct Extent {
    typedef Span Value;
    __device__ static Value none() { return {0x7fffffff, -1}; }
    __device__ static Value both(Value a, Value b) {
        return {a.low < b.low ? a.low : b.low, a.high > b.high ? a.high : b.high};
    }
    __device__ static void add(Value* place, Value value) {
        atomicMin(&place->low, value.low);
        atomicMax(&place->high, value.high);
    }
    __device__ static Value added(const volatile Value* place) { return {place->low, place->high}; }
};

// What a stretch of places comes to, behind the last beginning of a chain in it, if there is one.
template <class A> struct Run {
    typename A::Value value;
    int begins;

    __device__ static Run none() { return {A::none(), 0}; }
    __device__ Run then(const Run& next) const {
        return next.begins ? next : Run{A::both(value, next.value), begins};
    }
};

// Calls store(i, run) for each of `count` places, with the run of all up to it.
//   called by: all threads of the block, after a barrier behind the last write to `before`
//   load:      Run(int i)
//   runs:      shared memory for blockDim.x of them
//   before:    shared memory, what comes before the first place; then what all come to
//   contains barriers; none must follow
template <class A, class Load, class Store>
__device__ inline void scan_runs(int count, Run<A>* runs, Run<A>* before, const Load& load, const Store& store) {
    const int thread = threadIdx.x, threads = blockDim.x;
    for (int first = 0; first < count; first += threads) {
        const int i = first + thread;
        Run<A> run = i < count ? load(i) : Run<A>::none();
        runs[thread] = run;
        for (int distance = 1; distance < threads; distance *= 2) {
            __syncthreads();
            if (thread >= distance) run = runs[thread - distance].then(run);
            __syncthreads();
            runs[thread] = run;
        }
        __syncthreads();
        if (i < count) store(i, before->then(run));
        __syncthreads();
        if (thread == 0) *before = before->then(runs[threads - 1]);
        __syncthreads();
    }
}

// A block's share of the places of a round, from the last one down.
struct Share {
    int end, count;

    __device__ Share(const int* starts, int round) {
        const int places = starts[round + 1] - starts[round];
        const i64 each = (places + (i64)gridDim.x - 1) / gridDim.x, first = each * blockIdx.x;
        const i64 left = places - first;
        end = starts[round + 1] - (int)(left > 0 ? first : places);
        count = (int)(left <= 0 ? 0 : left < each ? left : each);
    }
    __device__ int place(int i) const { return end - 1 - i; }
};

template <class A>
__device__ inline Run<A> load_run(const i64* places, const bool* heads, int place, i64 n,
                                  const typename A::Value* values) {
    return {values[places[place]], place + 1 == n || heads[place + 1]};
}

// places, heads, starts: as connect of max_tree.cu makes them. values: of ranks. sums: of blocks, Run<A>
template <class A>
__global__ void __launch_bounds__(THREADS, 1)
    sum_chains(const i64* places, const bool* heads, const int* starts, i64 n, int round,
               const typename A::Value* values, Run<A>* sums) {
    __shared__ Run<A> runs[THREADS], before;
    const Share share(starts, round);
    if (threadIdx.x == 0) before = Run<A>::none();
    __syncthreads();
    scan_runs(
        share.count, runs, &before, [&](int i) { return load_run<A>(places, heads, share.place(i), n, values); },
        [](int, const Run<A>&) {});
    if (threadIdx.x == 0) sums[blockIdx.x] = before;
}

// The grid is that of sum_chains.
template <class A>
__global__ void __launch_bounds__(THREADS, 1)
    scan_chains(const i64* places, const bool* heads, const int* starts, const int* parents, i64 n, int round,
                const Run<A>* sums, typename A::Value* values) {
    __shared__ Run<A> runs[THREADS], before;
    const Share share(starts, round);
    if (share.count == 0) return;
    if (threadIdx.x == 0) before = Run<A>::none();
    __syncthreads();
    scan_runs(blockIdx.x, runs, &before, [&](int i) { return sums[i]; }, [](int, const Run<A>&) {});
    scan_runs(
        share.count, runs, &before, [&](int i) { return load_run<A>(places, heads, share.place(i), n, values); },
        [&](int i, const Run<A>& run) {
            const int place = share.place(i), rank = (int)places[place], parent = parents[rank];
            values[rank] = run.value;
            if (heads[place] && parent != rank) A::add(&values[parent], run.value);
        });
}

// parents: of ranks, roots have themselves. children: of how many others each is the parent. arrived: 0 before.
// What all have added to a rank is there for the last one: it fences before it tells that it was there.
template <class A>
__global__ void __launch_bounds__(THREADS, 1)
    climb(const int* parents, const int* children, i64 n, int* arrived, typename A::Value* values) {
    for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < n; i += (i64)gridDim.x * blockDim.x) {
        if (children[i]) continue;
        for (int rank = (int)i; parents[rank] != rank;) {
            const int parent = parents[rank];
            A::add(&values[parent], A::added(&values[rank]));
            __threadfence();
            if (atomicAdd(&arrived[parent], 1) != children[parent] - 1) break;
            __threadfence();
            rank = parent;
        }
    }
}

// spans: of ranks their place along an axis of so many pixels, `stride` apart
__global__ void __launch_bounds__(THREADS, 1) span(const i64* order, i64 stride, i64 length, i64 n, Span* spans) {
    for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < n; i += (i64)gridDim.x * blockDim.x) {
        const int at = (int)(order[i] / stride % length);
        spans[i] = {at, at};
    }
}

// extents: of ranks the largest one of all axes, in pixels
__global__ void __launch_bounds__(THREADS, 1) widen(const Span* spans, i64 n, int* extents) {
    for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < n; i += (i64)gridDim.x * blockDim.x) {
        const int extent = spans[i].high - spans[i].low + 1;
        if (extent > extents[i]) extents[i] = extent;
    }
}
