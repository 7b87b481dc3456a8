// Watershed with scikit-image's labels: floods that rise from markers, a pixel to the one that reaches it first.
//
// scikit-image takes pixels from a queue, the lowest first, of equal ones that which came first; one that is
// taken gives its label to all around it that have none, and these come into the queue. So a pixel's label is
// that of the one around it that was taken first, and all that matters is the order in which pixels are taken:
//
//   1. by level: the lowest that a way from a marker to the pixel has as its highest pixel;
//   2. of one level by generation: 0 are markers, and what lower levels have reached; then each pixel is a
//      generation after the first one around it;
//   3. of one generation those first whose pixel of generation 0 came first: markers, then the others in the
//      order of the first pixels around them, of lower levels.
//
// flood finds levels and generations as one number, which spreads like the lengths of shortest ways. What 3 says
// is refined in passes: `ranks` are the order as far as it is known, begin_wave and wave give each pixel the least
// rank from which its generation 0 was reached, and ranks of both numbers together are a finer order. It is
// fine enough once, for each pixel, all the first ones around it have one label. Where an order that no pass
// refines leaves two labels, markers of one value decide, which scikit-image takes in no order that can be told.
// Pixels that come one after the other and have one label may go in any order: no label depends on it.
//
// Where that is so is seen early: an even number, of a time, a rank or an order, is one that no pass refines.
// Markers of one value are such; so are pixels which were reached from pixels of one such number, and no earlier
// from others.
//
//     levels, sources   image and mask into a frame (common/boxes.cuh); markers
//     flood             levels and generations
//     begin_wave, wave  the least ranks
//     refine            both numbers as one
//     parents           the first pixel around each; then pointers are followed to markers (jump of max_tree.cu)
//     disagree          whether two labels are left
//     differ, rank      a sorted image's ranks, equal ones for equal numbers
//     finish            the result
//
// Images of up to 8 axes whose frame has up to 2^30 pixels. flood reads 4 bytes a pixel and rewrites 8; a pass
// reads 8 and rewrites 4 in wave, reads 16 and writes 4 in parents, reads 20 and the markers in disagree.
//
// Source: scikit-image `segmentation.watershed` (_watershed_cy.pyx); the order is our own account of it.
#include "common/boxes.cuh"
#include "common/ordered.cuh"

constexpr u32 WALL = 0xFFFFFFFF;  // the level of what is no pixel
constexpr u64 NEVER = ~(u64)0;    // when floods reach what they do not reach

// A time: 32 bits of the level, 31 of the generation, and 1 but for markers, which come before others.
constexpr u64 REACHED = 1, GENERATION = 2;
__device__ inline u32 level_of(u64 time) { return (u32)(time >> 32); }
__device__ inline bool begins(u64 time) { return (u32)time <= REACHED; }
__device__ inline bool is_marker(u64 time) { return !(time & REACHED); }
__device__ inline bool is_final(u64 order) { return !(order & 1); }

struct Flood {
    typedef u64 Value;
    typedef u32 Fixed;
    const u32* fixed;
    u64* values;

    __device__ static u64 nothing() { return NEVER; }
    __device__ static u32 outside() { return WALL; }
    __device__ static bool is_settled(u64 time, u32 level) { return level == WALL || (time >> 32 == level && begins(time)); }
    template <class Read> __device__ static u64 beside(u64 time, u32 level, u64 other, const Read&) {
        if (level == WALL || other == NEVER) return time;
        const u64 first = (u64)level << 32 | REACHED, next = (other | REACHED) + GENERATION;
        const u64 then = level_of(other) < level ? first : next;
        return then < time ? then : time;
    }
};

// Whether a pixel's level is that of another one which is taken a generation earlier.
__device__ inline bool follows(u64 time, u64 other) { return other >> 1 == (time >> 1) - 1; }

// Ranks from which pixels were reached.
struct Wave {
    typedef u32 Value;
    typedef u64 Fixed;
    const u64* fixed;
    u32* values;

    __device__ static u32 nothing() { return WALL; }
    __device__ static u64 outside() { return NEVER; }
    __device__ static bool is_settled(u32, u64 time) { return time == NEVER || begins(time); }
    template <class Read> __device__ static u32 beside(u32 rank, u64 time, u32 other, const Read& other_time) {
        return other < rank && !is_settled(rank, time) && follows(time, other_time()) ? other : rank;
    }
};

// ranks: of doubles, of which 32 bits cannot tell all apart; else nullptr. told: zero; whether there is NaN in
// the mask.
template <class T>
__global__ void __launch_bounds__(256, 1)
    levels(const T* image, const u32* ranks, const u8* mask, const __grid_constant__ Frame frame, u32* told,
           u32* levels) {
    bool nan = false;
    for_frame(
        frame,
        [&](i64 place, i64 pixel) {
            const T value = image[pixel];
            const bool inside = !mask || mask[pixel];
            nan = nan || (inside && value != value);
            levels[place] = !inside ? WALL : ranks ? ranks[pixel] : (u32)Ordered<T>::key(value == (T)0 ? (T)0 : value);
        },
        [&](i64 place) { levels[place] = WALL; });
    if (nan) atomicOr(told, 1u);
}

template <class M>
__global__ void __launch_bounds__(256, 1)
    sources(const M* markers, const u32* levels, const __grid_constant__ Frame frame, u64* times) {
    for_frame(
        frame,
        [&](i64 place, i64 pixel) {
            const u32 level = levels[place];
            times[place] = markers[pixel] && level != WALL ? (u64)level << 32 : NEVER;
        },
        [&](i64 place) { times[place] = NEVER; });
}

// As settle_boxes of common/boxes.cuh.
__global__ void __launch_bounds__(256, 1)
    flood(const u32* levels, const __grid_constant__ Boxes boxes, i64 n, const i64* steps, int count, int most,
          u64* times, u32* states, int* counted) {
    __shared__ u64 inside[BOX_PIXELS];
    __shared__ u32 fixed[BOX_PIXELS];
    __shared__ int found;
    settle_boxes(Flood{levels, times}, boxes, n, steps, count, most, states, counted, inside, fixed, &found);
}

__global__ void __launch_bounds__(256, 1)
    wave(const u64* times, const __grid_constant__ Boxes boxes, i64 n, const i64* steps, int count, int most,
         u32* waves, u32* states, int* counted) {
    __shared__ u32 inside[BOX_PIXELS];
    __shared__ u64 fixed[BOX_PIXELS];
    __shared__ int found;
    settle_boxes(Wave{times, waves}, boxes, n, steps, count, most, states, counted, inside, fixed, &found);
}

// turns: twice the turn of each of the lowest markers, 0 of others; or nullptr.
__global__ void __launch_bounds__(256, 1)
    begin_wave(const u64* times, const u32* ranks, const u32* turns, i64 n, const i64* steps, int count,
               u32* waves) {
    for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < n; i += (i64)gridDim.x * blockDim.x) {
        const u64 time = times[i];
        u32 first = WALL;
        if (time != NEVER && begins(time)) {
            if (is_marker(time)) first = turns ? turns[i] : 0;
            for (int k = 0; k < count && first; ++k) {
                const i64 other = i - steps[k * STEP];
                if (level_of(times[other]) < level_of(time) && ranks[other] + 2 < first) first = ranks[other] + 2;
            }
        }
        waves[i] = first;
    }
}

// order: what pixels are sorted by, once ranks are known.
__global__ void __launch_bounds__(256, 1) refine(const u32* ranks, const u32* waves, i64 n, u64* order) {
    for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < n; i += (i64)gridDim.x * blockDim.x)
        order[i] = (u64)ranks[i] << 32 | waves[i];
}

// Calls visit(place) with each of the first pixels around one that a flood reaches and that is no marker, those
// from which it may have its label. order: the times, before ranks are known.
template <class Visit>
__device__ inline void visit_first(const u64* times, const u64* order, const i64* steps, int count, i64 place,
                                   u64 time, const Visit& visit) {
    u64 first = NEVER;
    for (int turn = 0; turn < 2; ++turn)
        for (int k = 0; k < count; ++k) {
            const i64 other = place - steps[k * STEP];
            const u64 then = times[other];
            if (begins(time) ? level_of(then) >= level_of(time) : !follows(time, then)) continue;
            const u64 at = order[other];
            if (turn == 0)
                first = at < first ? at : first;
            else if (at == first)
                visit(other);
        }
}

// links: to the first pixel around one, or to itself.
__global__ void __launch_bounds__(256, 1)
    parents(const u64* times, const u64* order, i64 n, const i64* steps, int count, int* links) {
    for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < n; i += (i64)gridDim.x * blockDim.x) {
        const u64 time = times[i];
        i64 parent = i;
        if (time != NEVER && !is_marker(time))
            visit_first(times, order, steps, count, i, time, [&](i64 other) { parent = other; });
        links[i] = (int)parent;
    }
}

// told: two zeros; UNEQUAL where a pixel may have two labels, and TIED where no pass tells which. Then the highest
// level of the markers that are tied.
constexpr u32 UNEQUAL = 1, TIED = 2;
template <class M>
__global__ void __launch_bounds__(256, 1)
    disagree(const M* markers, const __grid_constant__ Frame frame, const u64* times, const u64* order,
             const i64* steps, int count, const int* links, u32* told) {
    u32 found = 0, highest = 0;
    for_frame(
        frame,
        [&](i64 place, i64) {
            const u64 time = times[place];
            if (time == NEVER || is_marker(time)) return;
            const int root = links[place];
            const M label = markers[in_image(frame, root)];
            visit_first(times, order, steps, count, place, time, [&](i64 other) {
                if (links[other] == root || markers[in_image(frame, links[other])] == label) return;
                found |= UNEQUAL;
                if (!is_final(order[other])) return;
                const u32 level = level_of(times[root]);
                found |= TIED, highest = level > highest ? level : highest;
            });
        },
        [&](i64) {});
    if (found) atomicOr(told, found);
    if (found & TIED) atomicMax(told + 1, highest);
}

// sorted: places by their numbers. differs: whether a number is another one than that before it.
__global__ void __launch_bounds__(256, 1) differ(const u64* numbers, const i64* sorted, i64 n, u32* differs) {
    for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < n; i += (i64)gridDim.x * blockDim.x)
        differs[i] = i > 0 && numbers[sorted[i]] != numbers[sorted[i - 1]];
}

// sums: of `differs`, up to each and with it. A rank is even where the number is.
__global__ void __launch_bounds__(256, 1)
    rank(const u64* numbers, const i64* sorted, const u32* sums, i64 n, u32* ranks) {
    for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < n; i += (i64)gridDim.x * blockDim.x)
        ranks[sorted[i]] = 2 * sums[i] | (u32)(numbers[sorted[i]] & 1);
}

template <class M>
__global__ void __launch_bounds__(256, 1)
    finish(const M* markers, i64 n, const __grid_constant__ Frame frame, const u64* times, const int* links,
           M* result) {
    for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < n; i += (i64)gridDim.x * blockDim.x) {
        const i64 place = in_frame(frame, i);
        result[i] = times[place] == NEVER ? (M)0 : markers[in_image(frame, links[place])];
    }
}
