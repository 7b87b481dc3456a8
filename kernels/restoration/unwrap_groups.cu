// Groups of pixels, joined edge by edge in the order of their ranks, all at once: the edges that join two
// groups are those of the minimum spanning tree, which Boruvka's rounds find. Each pixel has an offset, how
// many times 2 pi it is above its group's root.
//
//     lightest  of each group the first edge that leads out of it
//     hook      each group below the one on that edge's other side, with the offset
//     jump      pointers to pointers become those to roots
//     relabel   groups and offsets of pixels
//
// In scikit-image the smaller one of two groups is moved to the larger one, so one pixel is never moved,
// the head. The tree of joins, whose nodes are edges and whose leaves are pixels, is made as a max-tree
// (morphology/max_tree.cu), of which
//
//     nodes     numbers the edges of the spanning tree, the last one 0, and pixels behind them
//     propose   is the only part that knows what is beside what
//     heavier   finds the child of each node that is not moved; from the first node down they lead to the head
//
// A round reads 24 bytes an edge and 30 a pixel, and writes 20 a pixel.
//
// Source: scikit-image `restoration/unwrap_2d_ljmu.c`: gatherPIXELs; O. Boruvka, 1926.
#include "restoration/phases.cuh"

constexpr int THREADS = 256;
constexpr int HOPS = 32;
constexpr u32 NONE = 0xffffffffu;

__device__ inline u64 packed(int group, int offset) { return (u64)(u32)group << 32 | (u32)offset; }
__device__ inline int group_of(u64 link) { return (int)(link >> 32); }
__device__ inline int offset_of(u64 link) { return (int)(u32)link; }

// groups: of pixels. best: of roots, NONE before. more: of each round, 1 where an edge joins two; 0 before.
__global__ void __launch_bounds__(THREADS, 1)
    lightest(const int* edges, const __grid_constant__ Grid grid, const int* groups, int round, int* more, u32* best) {
    if (round && !more[round - 1]) return;
    for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < grid.edges; i += (i64)gridDim.x * blockDim.x) {
        const Edge edge = edge_of(grid, edges[i]);
        const int a = groups[edge.first], b = groups[edge.second];
        if (a == b) continue;
        if (!more[round]) more[round] = 1;
        const volatile u32* const seen = best;
        if ((u32)i < seen[a]) atomicMin(&best[a], (u32)i);
        if ((u32)i < seen[b]) atomicMin(&best[b], (u32)i);
    }
}

// links: of roots. tree: of ranks, 1 where the edge is of the spanning tree; 0 before.
__global__ void __launch_bounds__(THREADS, 1)
    hook(const double* image, const int* edges, const __grid_constant__ Grid grid, const int* groups,
         const int* offsets, const u32* best, int round, const int* more, u64* links, int* tree) {
    if (!more[round]) return;
    for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < grid.pixels; i += (i64)gridDim.x * blockDim.x) {
        const int group = (int)i;
        if (groups[i] != group) continue;
        const u32 rank = best[i];
        links[i] = packed(group, 0);
        if (rank == NONE) continue;
        const Edge edge = edge_of(grid, edges[rank]);
        const int a = groups[edge.first], b = groups[edge.second], other = a == group ? b : a;
        tree[rank] = 1;
        if (best[other] == rank && group < other) continue;
        const int wraps = find_wrap(image[edge.first], image[edge.second]);
        const int up = offsets[edge.second] - offsets[edge.first] + wraps;
        links[i] = packed(other, a == group ? up : -up);
    }
}

// pass: from 0 on, of `moved`, 1 where a link may not lead to a root yet; 0 before. Others write meanwhile,
// but only what says the same by fewer steps.
__global__ void __launch_bounds__(THREADS, 1)
    jump(const int* groups, i64 n, int round, int pass, const int* more, int* moved, u64* links) {
    if (!more[round] || (pass && !moved[pass - 1])) return;
    volatile u64* const seen = links;
    for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < n; i += (i64)gridDim.x * blockDim.x) {
        if (groups[i] != (int)i) continue;
        const u64 first = seen[i];
        int at = group_of(first), offset = offset_of(first), hops = 0;
        for (; hops < HOPS; ++hops) {
            const u64 next = seen[at];
            if (group_of(next) == at) break;
            at = group_of(next);
            offset += offset_of(next);
        }
        const u64 found = packed(at, offset);
        if (found != first) seen[i] = found;
        if (hops == HOPS && !moved[pass]) moved[pass] = 1;
    }
}

__global__ void __launch_bounds__(THREADS, 1)
    relabel(const u64* links, i64 n, int round, const int* more, int* groups, int* offsets, u32* best) {
    if (!more[round]) return;
    for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < n; i += (i64)gridDim.x * blockDim.x) {
        const u64 link = links[groups[i]];
        groups[i] = group_of(link);
        offsets[i] += offset_of(link);
        best[i] = NONE;
    }
}

// sums: of `tree`, up to and with each rank. nodes: edges, by node.
__global__ void __launch_bounds__(THREADS, 1)
    nodes(const int* edges, const int* tree, const int* sums, const __grid_constant__ Grid grid, int* nodes) {
    for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < grid.edges; i += (i64)gridDim.x * blockDim.x)
        if (tree[i]) nodes[grid.pixels - 1 - sums[i]] = edges[i];
}

// As that of morphology/max_tree.cu, of nodes that are beside their edges' pixels.
__global__ void __launch_bounds__(THREADS, 1)
    propose(const int* nodes, const __grid_constant__ Grid grid, const int* components, int round, int* more,
            u64* passes) {
    if (round > 1 && !more[round - 1]) return;
    const i64 joins = grid.pixels - 1;
    for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < joins; i += (i64)gridDim.x * blockDim.x) {
        const Edge edge = edge_of(grid, nodes[i]);
        const int own = components[i];
#pragma unroll
        for (int side = 0; side < 2; ++side) {
            const int pixel = (int)joins + (side ? edge.second : edge.first), other = components[pixel];
            if (own == other) continue;
            if (!more[round]) more[round] = 1;
            const u64 low = (u64)(i + 1) << 32;
            atomicMax(&passes[own], low | (u32)pixel);
            atomicMax(&passes[other], low | (u32)i);
        }
    }
}

// parents: of nodes and pixels. sizes: of those their numbers of pixels. links: pixels are their own; nodes
// have the child that is not moved. All of them are written by somebody.
__global__ void __launch_bounds__(THREADS, 1)
    heavier(const int* nodes, const __grid_constant__ Grid grid, const int* parents, const int* sizes, int* links) {
    const i64 joins = grid.pixels - 1, n = joins + grid.pixels;
    for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < n; i += (i64)gridDim.x * blockDim.x) {
        if (i >= joins) links[i] = (int)i;
        const int above = parents[i];
        if (above == (int)i) continue;
        const int size = sizes[i], both = sizes[above];
        if (2 * size < both) continue;
        if (2 * size == both) {
            // of two pixels the first one stays, of larger groups of one size the second one
            const Edge edge = edge_of(grid, nodes[above]);
            int at = (int)joins + (both == 2 ? edge.first : edge.second);
            while (parents[at] != above) at = parents[at];
            if (at != (int)i) continue;
        }
        links[above] = (int)i;
    }
}

// The pixel to which the first node leads.
__global__ void __launch_bounds__(THREADS, 1) head_of(const int* links, i64 joins, int* head) {
    if (blockIdx.x == 0 && threadIdx.x == 0) *head = links[0] - (int)joins;
}
