// Regions of labelled images that touch each other, for graphs of regions:
//
//     contacts   how many pixels touch one of another region behind them
//     pairs      the pairs of regions that touch, each with where it is met first
//     ends       the least and the largest region around each pixel
//     totals     the sums of an image over each region, in one order
//
// Regions are numbered from 0 on in the order of their labels. Index: int, or i64 from 2^31 pixels on.
// One launch each. `contacts`, `pairs` and `ends` read the regions once (pixels around again, from
// cache); `ends` writes 8 bytes a pixel. `totals` reads runs of pixels and each value of the image once,
// and writes the sums.
//
// Source: skimage.graph.RAG, rag_mean_color and rag_boundary, scipy.ndimage.generic_filter with the
// mode "nearest".
#include "common/any_type.cuh"
#include "common/reduce.cuh"
#include "graph/ways.cuh"
#include "measure/runs.cuh"

constexpr u64 NO_PAIR = ~0ull;
constexpr int TILE = 256, MOST_CHANNELS = 3, THREADS = 256;

// Calls visit(Index other, int way) with each pixel behind `pixel` that a way leads to; what lies outside
// is the nearest pixel inside. Any thread; no shared memory, no barrier.
template <class Index, class Visit>
__device__ inline void visit_behind(const Lattice<Index>& lattice, const Places<Index>& at, Index pixel,
                                    int connectivity, const Visit& visit) {
    visit_ways(lattice, at, pixel, connectivity, [&](Index other, int way, bool) {
        if (other > pixel) visit(other, way);
    });
}

// *total, 0 before, becomes how often a pixel touches one of another region behind it, at least.
template <class Index>
__global__ void __launch_bounds__(THREADS, 1)
    contacts(const int* regions, Index n, const __grid_constant__ Lattice<Index> lattice, int connectivity,
             u64* total) {
    __shared__ u64 sums[THREADS];
    u64 mine = 0;
    for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < n; i += (i64)gridDim.x * blockDim.x) {
        const Index pixel = (Index)i;
        const int region = regions[pixel];
        visit_behind(lattice, places(lattice, pixel), pixel, connectivity,
                     [&](Index other, int) { mine += regions[other] != region; });
    }
    sums[threadIdx.x] = mine;
    block_reduce(sums, blockDim.x, [](u64 a, u64 b) { return a + b; });
    if (threadIdx.x == 0 && sums[0]) atomicAdd(total, sums[0]);
}

// The slot of a pair in the table, which has one for it. Any thread.
__device__ inline u64 slot_of(u64* pairs, u64 mask, u64 pair) {
    u64 hash = pair;  // the finalizer of MurmurHash3
    hash = (hash ^ hash >> 33) * 0xff51afd7ed558ccdull;
    hash = (hash ^ hash >> 33) * 0xc4ceb9fe1a85ec53ull;
    for (u64 slot = (hash ^ hash >> 33) & mask;; slot = (slot + 1) & mask) {
        u64 found = ((volatile u64*)pairs)[slot];
        if (found == NO_PAIR) found = atomicCAS(pairs + slot, NO_PAIR, pair);
        if (found == NO_PAIR || found == pair) return slot;
    }
}

// A table of 2^k slots, more than there are pairs, in which all bits are 1 before.
//   pairs: the lesser region in the upper 32 bits, the larger one in the lower ones
//   first: where the pair is met first, (pixel * WAYS + way) * 2, and 1 more where the pixel is of
//          the larger region
template <class Index>
__global__ void __launch_bounds__(THREADS, 1)
    pairs(const int* regions, Index n, const __grid_constant__ Lattice<Index> lattice, int connectivity, u64 mask,
          u64* pairs, u64* first) {
    for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < n; i += (i64)gridDim.x * blockDim.x) {
        const Index pixel = (Index)i;
        const int region = regions[pixel];
        visit_behind(lattice, places(lattice, pixel), pixel, connectivity, [&](Index other, int way) {
            const int beside = regions[other];
            if (beside == region) return;
            const bool above = region > beside;
            const u64 pair = (u64)(above ? beside : region) << 32 | (u64)(above ? region : beside);
            const u64 slot = slot_of(pairs, mask, pair), here = ((u64)pixel * WAYS + way) * 2 + above;
            if (here < ((volatile u64*)first)[slot]) atomicMin(first + slot, here);  // it only falls
        });
    }
}

template <class Index>
__global__ void __launch_bounds__(THREADS, 1)
    ends(const int* regions, Index n, const __grid_constant__ Lattice<Index> lattice, int connectivity, int* least,
         int* largest) {
    for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < n; i += (i64)gridDim.x * blockDim.x) {
        const Index pixel = (Index)i;
        int low = regions[pixel], high = low;
        any_around(lattice, places(lattice, pixel), pixel, connectivity, [&](Index other) {
            const int region = regions[other];
            low = region < low ? region : low;
            high = region > high ? region : high;
            return false;
        });
        least[pixel] = low;
        largest[pixel] = high;
    }
}

// sums: `channels`, at most MOST_CHANNELS, for each region. A block for each region: its threads
// fetch pixels, and one for each channel adds them up in raster order.
//   firsts, places: the runs of all regions (measure/runs.cuh); region r has those from starts[r] to
//          starts[r + 1]
//   image: `channels` for each pixel, whose type is as common/any_type.cuh has it
template <class Index>
__global__ void __launch_bounds__(THREADS, 1)
    totals(const Index* firsts, const i64* places, const i64* starts, i64 count, const void* image, int type,
           int channels, double* sums) {
    __shared__ double values[TILE * MOST_CHANNELS];
    for (i64 region = blockIdx.x; region < count; region += gridDim.x) {
        const i64* const own = places + starts[region];
        const i64 runs = starts[region + 1] - starts[region];
        for (int c = threadIdx.x; c < channels; c += blockDim.x) sums[region * channels + c] = 0.0;
        for (i64 begin = own[0], end = own[runs]; begin < end; begin += TILE) {
            const int pixels = end - begin < TILE ? (int)(end - begin) : TILE;
            for (int i = threadIdx.x; i < pixels * channels; i += blockDim.x) {
                const i64 place = begin + i / channels, run = part_of(own, runs, place);
                const i64 element = (firsts[starts[region] + run] + place - own[run]) * channels + i % channels;
                values[i] = load_any<double, 1>(image, type, element).item[0];
            }
            __syncthreads();
            for (int c = threadIdx.x; c < channels; c += blockDim.x) {
                double sum = sums[region * channels + c];
                for (int i = 0; i < pixels; ++i) sum += values[i * channels + c];
                sums[region * channels + c] = sum;
            }
            __syncthreads();  // before the next tile
        }
    }
}
