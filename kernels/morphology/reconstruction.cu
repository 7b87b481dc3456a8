// Values of one image that spread below another one. Kernels, in this order:
//
//     begin, lower   copy both into frames: arrays with a border as wide as a neighbour is far; `lower`
//                    makes the first image of the second one
//     spread         raises each pixel to the highest around it, up to its limit, until none rises
//     finish, mark   the result from its frame; or where it is lower than the image by a height
//
// In a frame are keys, unsigned integers in the order of the values (common/ordered.cuh), or in the
// opposite one for reconstruction by erosion; the border has the lowest, which never rises.
//
// spread: boxes of 1024 pixels, each first to be done once. A block takes any box that is to be done,
// reads its pixels and those around it, and lets them rise in shared memory until none does. Boxes of
// which a pixel has yet to rise are to be done again. A block ends when no box is left, neither to be
// done nor in the hands of another block: it waits only for blocks that run. The result is the one
// fixed point, whatever the order. One launch, whatever the image shows; a box is done again only when a
// pixel beside it has risen above one of it.
//
// Images of up to 8 axes: begin reads both and writes two frames, spread reads them and writes one,
// finish reads one and writes the result; lower reads one image, mark reads both frames.
//
// Source: scikit-image `morphology.reconstruction`, `h_maxima`, `h_minima`; G. Teodoro et al., "Efficient irregular
// wavefront propagation algorithms on hybrid CPU-GPU machines", Parallel Computing 39, 2013.
#include "common/ordered.cuh"

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

template <class T, class Key> __device__ inline Key to_key(T value, int erosion) {
    const Key key = Ordered<T>::key(value);
    return erosion ? (Key)~key : key;
}

template <class T, class Key> __device__ inline T from_key(Key key, int erosion) {
    return Ordered<T>::value(erosion ? (Key)~key : key);
}

// told: zeros; whether a seed is beyond its mask, and whether there is NaN.
template <class T, class Key>
__global__ void __launch_bounds__(256, 1)
    begin(const T* seed, const T* mask, const __grid_constant__ Frame frame, int erosion, Key* values,
          Key* limits, u32* told) {
    bool beyond = false, nan = false;
    for_frame(
        frame,
        [&](i64 place, i64 pixel) {
            const T from = seed[pixel], most = mask[pixel];
            const Key key = to_key<T, Key>(from, erosion), limit = to_key<T, Key>(most, erosion);
            beyond = beyond || (erosion ? from < most : from > most);
            nan = nan || from != from || most != most;
            values[place] = key < limit ? key : limit;
            limits[place] = limit;
        },
        [&](i64 place) { values[place] = limits[place] = 0; });
    if (beyond) atomicOr(told, 1u);
    if (nan) atomicOr(told + 1, 1u);
}

// value - h, or for minima value + h: of integers not beyond `end`, the dtype's last; of floats what
// rounding may cost further away. resolution: of floats, that part of a value. H: double, where h is that
// and the image is not.
template <class T> struct Shifted {
    static __device__ T of(T value, T h, T end, T, int minima) {
        typedef typename UnsignedOf<sizeof(T)>::type Word;
        const Word left = minima ? (Word)((Word)end - (Word)value) : (Word)((Word)value - (Word)end);
        if (left < (Word)h) return end;
        return minima ? (T)((Word)value + (Word)h) : (T)((Word)value - (Word)h);
    }
};
template <class T> struct ShiftedFloat {
    template <class H> static __device__ T of(T value, H h, T, T resolution, int minima) {
        const T rounding = rounded_product(resolution, value < 0 ? -value : value);
        return (T)(minima ? (value + h) + rounding : (value - h) - rounding);
    }
};
template <> struct Shifted<float> : ShiftedFloat<float> {};
template <> struct Shifted<double> : ShiftedFloat<double> {};

template <class T, class Key, class H = T>
__global__ void __launch_bounds__(256, 1)
    lower(const T* image, const __grid_constant__ Frame frame, H h, T end, T resolution, int minima,
          Key* values, Key* limits) {
    for_frame(
        frame,
        [&](i64 place, i64 pixel) {
            const T value = image[pixel];
            values[place] = to_key<T, Key>(Shifted<T>::of(value, h, end, resolution, minima), minima);
            limits[place] = to_key<T, Key>(value, minima);
        },
        [&](i64 place) { values[place] = limits[place] = 0; });
}

// States of boxes, bits; one of zeros is to be done.
enum { CLEAN = 1, BUSY = 2 };

// A box that is to be done, which is this block's from now on, or -1 where none is left.
// All threads of the block; contains barriers. `found` is shared; `from` is where to look first.
__device__ inline i64 take_box(i64 boxes, i64 from, u32* states, int* left, int* found) {
    const int nothing = 1 << 30;
    const volatile u32* const seen = states;
    for (;;) {
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
        if (threadIdx.x == 0) *found = *(volatile int*)left + (int)boxes;
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

// steps: `count` of them, from a pixel to those that it raises. states: zeros, one for each of `n` boxes.
// counted: zeros; boxes to be done, minus n, and how often one was done.
template <class Key>
__global__ void __launch_bounds__(256, 1)
    spread(const Key* limits, const __grid_constant__ Boxes boxes, i64 n, const i64* steps, int count, Key* values,
           u32* states, int* counted) {
    __shared__ Key inside[BOX_PIXELS], most[BOX_PIXELS];
    __shared__ int found;
    volatile Key* const seen = values;
    volatile Key* const rising = inside;
    i64 taken = (i64)blockIdx.x * n / gridDim.x;
    for (;;) {
        taken = take_box(n, taken, states, counted, &found);
        if (taken < 0) return;
        const Box box(boxes, taken);
        for (int i = threadIdx.x; i < BOX_PIXELS; i += blockDim.x) {
            const i64 place = box.place(boxes, i);
            const Key limit = place < 0 ? (Key)0 : limits[place];
            Key value = place < 0 ? (Key)0 : seen[place];
            for (int k = 0; k < count && value < limit; ++k) {
                if (box.beside(i, steps + k * STEP, -1) >= 0) continue;
                const Key other = seen[place - steps[k * STEP]];
                if (other > value) value = other < limit ? other : limit;
            }
            rising[i] = value;
            most[i] = limit;
        }
        __syncthreads();
        bool risen = true, backward = false;
        while (__syncthreads_or(risen)) {
            risen = false;
            for (int j = threadIdx.x; j < BOX_PIXELS; j += blockDim.x) {
                const int i = backward ? BOX_PIXELS - 1 - j : j;
                const Key limit = most[i], before = rising[i];
                Key value = before;
                for (int k = 0; k < count && value < limit; ++k) {
                    const int beside = box.beside(i, steps + k * STEP, -1);
                    if (beside < 0) continue;
                    const Key other = rising[beside];
                    if (other > value) value = other < limit ? other : limit;
                }
                if (value == before) continue;
                rising[i] = value;
                risen = true;
            }
            backward = !backward && blockDim.x == 1;  // of many threads each keeps its pixels
        }
        for (int i = threadIdx.x; i < BOX_PIXELS; i += blockDim.x) {
            const i64 place = box.place(boxes, i);
            if (place < 0 || rising[i] <= seen[place]) continue;
            const Key value = rising[i];
            seen[place] = value;
            __threadfence();  // before a box beside it is taken to look at it
            for (int k = 0; k < count; ++k) {
                const i64* const step = steps + k * STEP;
                if (box.beside(i, step, 1) >= 0) continue;
                const i64 other = place + step[0];
                const Key there = seen[other];
                if (there >= value || there >= limits[other]) continue;
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

template <class T, class Key, class F>
__global__ void __launch_bounds__(256, 1)
    finish(const Key* values, i64 n, const __grid_constant__ Frame frame, int erosion, F* result) {
    for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < n; i += (i64)gridDim.x * blockDim.x)
        result[i] = (F)from_key<T, Key>(values[in_frame(frame, i)], erosion);
}

template <class T, class Key, class F, class H = F>
__global__ void __launch_bounds__(256, 1)
    mark(const Key* values, const Key* limits, i64 n, const __grid_constant__ Frame frame, H h, int minima,
         u8* result) {
    for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < n; i += (i64)gridDim.x * blockDim.x) {
        const i64 place = in_frame(frame, i);
        const F low = (F)from_key<T, Key>(values[place], minima), high = (F)from_key<T, Key>(limits[place], minima);
        result[i] = (minima ? low - high : high - low) >= h;
    }
}
