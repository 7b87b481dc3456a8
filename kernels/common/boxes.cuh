// Values that change from pixel to pixel until none does any more, by boxes of 1024 pixels, in one launch.
//
// An image lies in a frame, with a border as wide as a neighbour is far. A rule says what becomes of a
// pixel's value beside another pixel: it goes one way only, so that there is one fixed point, whatever the
// order. Boxes are first to be done once each. A block takes any box that is to be done, reads its pixels
// and those around it, and lets values change in shared memory until none does. Boxes beside it of which a
// pixel has yet to change are to be done again. A block ends when no box is left, neither to be done nor in
// the hands of another block: it waits only for blocks that run.
//
//     struct Rule {
//         typedef ... Value; typedef ... Fixed;   // what changes; what it depends on besides
//         const Fixed* fixed; Value* values;      // of the frame
//         static Value nothing(); static Fixed outside();  // of what is no pixel: it never changes, nor others by it
//         static bool is_settled(Value, Fixed);   // whether no other pixel changes the value
//         // the value beside another one; other_fixed() reads what is fixed of that
//         static Value beside(Value, Fixed, Value other, const Read& other_fixed);
//     };
//
// Source: G. Teodoro et al., "Efficient irregular wavefront propagation algorithms on hybrid CPU-GPU
// machines", Parallel Computing 39, 2013.
#pragma once
#include "common/types.cuh"

constexpr int AXES = 8, BOX_BITS = 10, BOX_PIXELS = 1 << BOX_BITS;
constexpr int STEP = 5;  // numbers of a step: how far in the frame, whether out of the volume, dz, dy, dx

// Lengths of the image, of its frame, and of the border before the image; unused axes come first.
struct Frame {
    i64 lengths[AXES], framed[AXES], before[AXES];
};

// A frame as (volumes, depth, rows, columns), and the bits of a pixel's place in its box.
struct Boxes {
    i64 volumes, depth, rows, columns;
    int depth_bits, row_bits, column_bits;
};

// Where pixel i of the image is in its frame. Any thread.
__device__ inline i64 in_frame(const Frame& frame, i64 i) {
    i64 place = 0, stride = 1;
#pragma unroll
    for (int a = AXES - 1; a >= 0; --a) {
        if (frame.framed[a] == 1) continue;
        place += (i % frame.lengths[a] + frame.before[a]) * stride;
        i /= frame.lengths[a];
        stride *= frame.framed[a];
    }
    return place;
}

// Which pixel of the image is at a place of the frame that is none of its border. Any thread.
__device__ inline i64 in_image(const Frame& frame, i64 place) {
    i64 pixel = 0, stride = 1;
#pragma unroll
    for (int a = AXES - 1; a >= 0; --a) {
        if (frame.framed[a] == 1) continue;
        pixel += (place % frame.framed[a] - frame.before[a]) * stride;
        place /= frame.framed[a];
        stride *= frame.lengths[a];
    }
    return pixel;
}

// Calls inside(place, pixel) for what the frame has of the image, outside(place) for its border. All
// threads of the grid.
template <class Inside, class Outside>
__device__ inline void for_frame(const Frame& frame, const Inside& inside, const Outside& outside) {
    i64 n = 1;
#pragma unroll
    for (int a = 0; a < AXES; ++a) n *= frame.framed[a];
    for (i64 place = blockIdx.x * (i64)blockDim.x + threadIdx.x; place < n; place += (i64)gridDim.x * blockDim.x) {
        i64 left = place, pixel = 0, stride = 1;
        bool there = true;
#pragma unroll
        for (int a = AXES - 1; a >= 0; --a) {
            if (frame.framed[a] == 1) continue;
            const i64 at = left % frame.framed[a] - frame.before[a];
            left /= frame.framed[a];
            there = there && at >= 0 && at < frame.lengths[a];
            pixel += at * stride;
            stride *= frame.lengths[a];
        }
        if (there)
            inside(place, pixel);
        else
            outside(place);
    }
}

// States of boxes, bits; one of zeros is to be done.
enum { CLEAN = 1, BUSY = 2 };

// A box that is to be done, which is this block's from now on, or -1 where none is left
// or boxes were done `most` times.
// All threads of the block; contains barriers. `found` is shared; `from` is where to look first.
__device__ inline i64 take_box(i64 boxes, i64 from, int most, u32* states, int* counted, int* found) {
    const int nothing = 1 << 30;
    const volatile u32* const seen = states;
    for (;;) {
        __syncthreads();
        if (threadIdx.x == 0) *found = ((volatile int*)counted)[1] >= most;
        __syncthreads();
        if (*found) return -1;
        for (i64 first = 0; first < boxes; first += blockDim.x) {
            __syncthreads();  // before `found` is written again
            if (threadIdx.x == 0) *found = nothing;
            __syncthreads();
            const i64 place = first + threadIdx.x;
            if (place < boxes && seen[(from + place) % boxes] == 0) atomicMin(found, (int)threadIdx.x);
            __syncthreads();
            if (*found == nothing) continue;
            const i64 box = (from + first + *found) % boxes;
            __syncthreads();
            if (threadIdx.x == 0) *found = atomicCAS(states + box, 0u, CLEAN | BUSY) == 0;
            __syncthreads();
            if (!*found) continue;
            __threadfence();
            return box;
        }
        __syncthreads();
        if (threadIdx.x == 0) *found = *(volatile int*)counted + (int)boxes;
        __syncthreads();
        if (*found == 0) return -1;
    }
}

// A box, and where pixels are in it.
struct Box {
    i64 volume, z0, y0, x0;
    int depth_bits, row_bits, column_bits;

    __device__ Box(const Boxes& boxes, i64 box)
        : depth_bits(boxes.depth_bits), row_bits(boxes.row_bits), column_bits(boxes.column_bits) {
        const i64 across = ((boxes.columns - 1) >> column_bits) + 1, down = ((boxes.rows - 1) >> row_bits) + 1;
        const i64 deep = ((boxes.depth - 1) >> depth_bits) + 1;
        x0 = box % across << column_bits;
        y0 = box / across % down << row_bits;
        z0 = box / (across * down) % deep << depth_bits;
        volume = box / (across * down * deep);
    }
    __device__ int x(int i) const { return i & ((1 << column_bits) - 1); }
    __device__ int y(int i) const { return i >> column_bits & ((1 << row_bits) - 1); }
    __device__ int z(int i) const { return i >> (column_bits + row_bits); }
    // Where pixel i of the box is in the frame, or -1 where the frame ends before.
    __device__ i64 place(const Boxes& boxes, int i) const {
        const i64 at_z = z0 + z(i), at_y = y0 + y(i), at_x = x0 + x(i);
        if (at_z >= boxes.depth || at_y >= boxes.rows || at_x >= boxes.columns) return -1;
        return ((volume * boxes.depth + at_z) * boxes.rows + at_y) * boxes.columns + at_x;
    }
    // Pixel of the box that is a step, `sign` times, away from its pixel i, or -1 where that is another box's.
    __device__ int beside(int i, const i64* step, int sign) const {
        const int at_z = z(i) + sign * (int)step[2], at_y = y(i) + sign * (int)step[3];
        const int at_x = x(i) + sign * (int)step[4];
        if (step[1] || at_z >> depth_bits || at_y >> row_bits || at_x >> column_bits) return -1;
        return (at_z << (row_bits + column_bits)) + (at_y << column_bits) + at_x;
    }
};

// The box of a place in the frame.
__device__ inline i64 box_of(const Boxes& boxes, i64 place) {
    const i64 x = place % boxes.columns >> boxes.column_bits;
    place /= boxes.columns;
    const i64 y = place % boxes.rows >> boxes.row_bits;
    place /= boxes.rows;
    const i64 z = place % boxes.depth >> boxes.depth_bits;
    const i64 across = ((boxes.columns - 1) >> boxes.column_bits) + 1, down = ((boxes.rows - 1) >> boxes.row_bits) + 1;
    const i64 deep = ((boxes.depth - 1) >> boxes.depth_bits) + 1;
    return ((place / boxes.depth * deep + z) * down + y) * across + x;
}

// steps: `count` of them, from a pixel to those that it changes. states: zeros, one for each of `n` boxes.
// counted: zeros; boxes to be done, minus n, and how often one was done. most: blocks end once boxes were
// done so often.
// All threads of the grid; contains barriers. values, fixed, found: shared memory.
template <class Rule>
__device__ inline void settle_boxes(const Rule& rule, const Boxes& boxes, i64 n, const i64* steps, int count,
                                    int most, u32* states, int* counted, typename Rule::Value* values,
                                    typename Rule::Fixed* fixed, int* found) {
    typedef typename Rule::Value Value;
    typedef typename Rule::Fixed Fixed;
    volatile Value* const seen = rule.values;
    volatile Value* const changing = values;
    i64 taken = (i64)blockIdx.x * n / gridDim.x;
    for (;;) {
        taken = take_box(n, taken, most, states, counted, found);
        if (taken < 0) return;
        const Box box(boxes, taken);
        for (int i = threadIdx.x; i < BOX_PIXELS; i += blockDim.x) {
            const i64 place = box.place(boxes, i);
            const Fixed own = place < 0 ? Rule::outside() : rule.fixed[place];
            Value value = place < 0 ? Rule::nothing() : seen[place];
            for (int k = 0; k < count && !Rule::is_settled(value, own); ++k) {
                if (box.beside(i, steps + k * STEP, -1) >= 0) continue;
                const i64 other = place - steps[k * STEP];
                value = Rule::beside(value, own, seen[other], [&] { return rule.fixed[other]; });
            }
            changing[i] = value;
            fixed[i] = own;
        }
        __syncthreads();
        bool changed = true, backward = false;
        while (__syncthreads_or(changed)) {
            changed = false;
            for (int j = threadIdx.x; j < BOX_PIXELS; j += blockDim.x) {
                const int i = backward ? BOX_PIXELS - 1 - j : j;
                const Fixed own = fixed[i];
                const Value before = changing[i];
                Value value = before;
                for (int k = 0; k < count && !Rule::is_settled(value, own); ++k) {
                    const int other = box.beside(i, steps + k * STEP, -1);
                    if (other < 0) continue;
                    value = Rule::beside(value, own, changing[other], [&] { return fixed[other]; });
                }
                if (value == before) continue;
                changing[i] = value;
                changed = true;
            }
            backward = !backward && blockDim.x == 1;  // of many threads each keeps its pixels
        }
        for (int i = threadIdx.x; i < BOX_PIXELS; i += blockDim.x) {
            const i64 place = box.place(boxes, i);
            if (place < 0 || changing[i] == seen[place]) continue;
            const Value value = changing[i];
            seen[place] = value;
            __threadfence();  // before a box beside it is taken to look at it
            for (int k = 0; k < count; ++k) {
                const i64* const step = steps + k * STEP;
                if (box.beside(i, step, 1) >= 0) continue;
                const i64 other = place + step[0];
                const Value there = seen[other];
                if (Rule::beside(there, rule.fixed[other], value, [&] { return fixed[i]; }) == there) continue;
                u32* const state = states + box_of(boxes, other);
                if (atomicAnd(state, ~(u32)CLEAN) & CLEAN) atomicAdd(counted, 1);
            }
        }
        __threadfence();
        __syncthreads();
        if (threadIdx.x == 0) {
            atomicAnd(states + taken, ~(u32)BUSY);
            atomicAdd(counted + 1, 1);
            __threadfence();
            atomicSub(counted, 1);
        }
    }
}
