// Inpainting by the biharmonic equation: which pixels are wanted, and their systems of equations.
//
// What: an image and a mask come in; `known` makes the result of all pixels that are not wanted, and the
// range of each channel. Wanted pixels that are coupled form a hole, whose equations stand apart from
// those of all others. The other kernels number the pixels of each hole so that coupled ones are near
// each other, and write for each hole a symmetric band matrix and the right sides of all channels, which
// band_cholesky.cu solves; of holes too large for that conjugate_gradient.cu needs no matrix. Two wanted pixels are coupled where at most two steps along axes lead from
// one to the other.
//
//     known      image, mask -> result, ranges of channels
//     spread     mask -> what lies at most one step from it, whose components are the holes
//     measure    largest coordinates of each hole, from both ends
//     order      a key of each wanted pixel: its hole, then raster order, the hole's longest axis first
//     place      sorted keys -> pixels, their places, where each hole begins
//     couple     how far coupled pixels are apart in this order
//     level      a breadth-first search of each hole whose pixels are far apart in it
//     rank, move the order by its levels, where that brings them nearer (Cuthill, McKee)
//     lay_out    where the matrix of each hole begins
//     assemble   matrices and right sides
//
// Source: skimage/restoration/inpaint.py; Damelin, Hoang, On Surface Completion and Image Inpainting by
// Biharmonic Functions (2018); bands: Cuthill, McKee, Reducing the Bandwidth of Sparse Symmetric Matrices
// (1969), without the order within a level.
#include "restoration/holes.cuh"

// What the host is told.
struct Told {
    i64 odd, holes, elements, band, longest, work, large, largest;
};

// ranges[channel]: ~key of the least, ranges[channels + channel]: key of the largest known value.
// The image is read once, the result written once.
template <class T, class W>
__global__ void known(const T* image, const bool* mask, i64 pixels, i64 channels, W* result,
                      typename Ordered<W>::Key* ranges, Told* told) {
    using Key = typename Ordered<W>::Key;
    // a thread has pixels of one channel as long as it can
    const i64 threads = all_threads(), n = pixels * channels;
    const i64 stride = threads < channels ? channels : threads / channels * channels;
    // 2**112 and 2**1008: what the equations add up of such stays finite
    const W most = sizeof(W) == 4 ? (W)5.192296858534828e33 : (W)2.743062034396844e303;
    bool odd = false;
    for (i64 first = thread_index(); first < stride; first += threads) {
        Key low = 0, high = 0;
        for (i64 i = first; i < n; i += stride) {
            const W value = img_as_float<W>(image[i]);
            result[i] = value;
            if (mask[i / channels]) continue;
            odd = odd || !(value >= -most && value <= most);
            const Key key = Ordered<W>::key(value);
            if ((Key)~key > low) low = ~key;
            if (key > high) high = key;
        }
        const i64 channel = first % channels;
        if (low > ranges[channel]) atomicMax(&ranges[channel], low);
        if (high > ranges[channels + channel]) atomicMax(&ranges[channels + channel], high);
    }
    if (odd) told->odd = 1;
}

__global__ void spread(const bool* mask, const __grid_constant__ Grid grid, bool* result) {
    for (i64 i = thread_index(); i < grid.pixels; i += all_threads()) {
        bool any = mask[i];
        for (int a = 0; a < grid.axes; ++a) {
            const i64 at = along(grid, a, i);
            any = any || (at > 0 && mask[i - grid.strides[a]]);
            any = any || (at + 1 < grid.lengths[a] && mask[i + grid.strides[a]]);
        }
        result[i] = any;
    }
}

// boxes[(hole * axes + axis) * 2]: the largest coordinate; behind it that counted from the end.
template <class Index>
__global__ void measure(const i64* wanted, i64 count, const Index* labels, const __grid_constant__ Grid grid,
                        u64* boxes) {
    for (i64 i = thread_index(); i < count; i += all_threads()) {
        u64* box = boxes + (labels[wanted[i]] - 1) * (i64)(2 * grid.axes);
        for (int a = 0; a < grid.axes; ++a, box += 2) {
            const i64 at = along(grid, a, wanted[i]);
            const u64 first = (u64)at, last = (u64)(grid.lengths[a] - 1 - at);
            if (first > box[0]) atomicMax(&box[0], first);
            if (last > box[1]) atomicMax(&box[1], last);
        }
    }
}

// The axis along which a hole is longest. Any thread.
__device__ inline int longest(const Grid& grid, const u64* boxes, i64 hole) {
    const u64* box = boxes + hole * 2 * grid.axes;
    int axis = 0;
    i64 most = -1;
    for (int a = 0; a < grid.axes; ++a) {
        const i64 length = (i64)(box[2 * a] + box[2 * a + 1]) - grid.lengths[a];
        if (a == 0 || length > most) {
            axis = a;
            most = length;
        }
    }
    return axis;
}

template <class Index>
__global__ void order(const i64* wanted, i64 count, const Index* labels, const __grid_constant__ Grid grid,
                      const u64* boxes, i64* keys) {
    for (i64 i = thread_index(); i < count; i += all_threads()) {
        const i64 pixel = wanted[i], hole = labels[pixel] - 1;
        const int a = longest(grid, boxes, hole);
        const i64 stride = grid.strides[a], length = grid.lengths[a];
        const i64 rest = pixel / (stride * length) * stride + pixel % stride;
        keys[i] = hole << grid.bits | (along(grid, a, pixel) * (grid.pixels / length) + rest);
    }
}

// places: of each wanted pixel, where the labels were.
template <class Index>
__global__ void place(const i64* keys, i64 count, const __grid_constant__ Grid grid, const u64* boxes,
                      i64* pixels, Index* places, i64* starts, Told* told) {
    for (i64 p = thread_index(); p < count; p += all_threads()) {
        const i64 hole = keys[p] >> grid.bits, ordered = keys[p] & ((1ll << grid.bits) - 1);
        const int a = longest(grid, boxes, hole);
        const i64 stride = grid.strides[a], others = grid.pixels / grid.lengths[a], rest = ordered % others;
        const i64 pixel = (rest / stride * grid.lengths[a] + ordered / others) * stride + rest % stride;
        pixels[p] = pixel;
        places[pixel] = (Index)p;
        if (p == 0 || keys[p - 1] >> grid.bits != hole) starts[hole] = p;
        if (p + 1 < count) continue;
        starts[hole + 1] = count;
        told->holes = hole + 1;
    }
}

// reaches[p]: how many places behind p the last pixel is that is coupled to it.
template <class Index>
__global__ void couple(const i64* keys, const i64* pixels, i64 count, const bool* mask, const Index* places,
                       const __grid_constant__ Grid grid, i64* reaches, u64* bands) {
    for (i64 p = thread_index(); p < count; p += all_threads()) {
        i64 reach = 0;
        for_coupled(grid, pixels[p], [&](i64 other, int) {
            if (!mask[other]) return;
            const i64 distance = places[other] - p;
            if (distance > reach) reach = distance;
        });
        reaches[p] = reach;
        u64* band = bands + (keys[p] >> grid.bits);
        if ((u64)reach > *band) atomicMax(band, (u64)reach);
    }
}

// levels[p]: 1 and more, from the first pixel of the hole on; from the first one that is not reached again
// one more than the last. 0 where the order by levels would not be narrower, or the band is at most `narrow`.
//   levels: zeros
//   queue:  for each hole, as many places as it has pixels
template <class Index>
__global__ void level(const i64* starts, i64 holes, const u64* bands, i64 narrow, const i64* pixels,
                      const bool* mask, const Index* places, const __grid_constant__ Grid grid, int* levels,
                      int* queue) {
    __shared__ u64 tail;
    for (i64 hole = blockIdx.x; hole < holes; hole += gridDim.x) {
        const i64 start = starts[hole], n = starts[hole + 1] - start, band = (i64)bands[hole];
        if (band <= narrow) continue;
        i64 head = 0, next = 0, before = 0, width = 0;
        int now = 1;
        if (threadIdx.x == 0) tail = 0;
        __syncthreads();
        while (head < n) {
            if (threadIdx.x == 0 && (i64)tail == head) {  // another part, or the first one
                while (levels[start + next]) ++next;
                levels[start + next] = now;
                queue[start + head] = (int)next;
                tail = head + 1;
            }
            __syncthreads();
            const i64 end = (i64)tail;
            __syncthreads();
            for (i64 i = head + threadIdx.x; i < end; i += blockDim.x)
                for_coupled(grid, pixels[start + queue[start + i]], [&](i64 other, int) {
                    if (!mask[other]) return;
                    const i64 place = places[other];
                    if (levels[place] == 0 && atomicCAS(&levels[place], 0, now + 1) == 0)
                        queue[start + (i64)atomicAdd(&tail, 1ull)] = (int)(place - start);
                });
            __syncthreads();
            if (before + end - head > width) width = before + end - head;
            before = end - head;
            head = end;
            ++now;
        }
        if (width >= band)
            for (i64 i = threadIdx.x; i < n; i += blockDim.x) levels[start + i] = 0;
        __syncthreads();
    }
}

// keys of an order by hole, level and place; there are fewer than 2^31 pixels.
__global__ void rank(const i64* holes, int bits, const i64* starts, i64 count, const int* levels, i64* keys) {
    for (i64 p = thread_index(); p < count; p += all_threads())
        keys[p] = (starts[holes[p] >> bits] + levels[p]) << 32 | p;
}

// Pixels and places in the order of the sorted keys. Each hole is where it was.
template <class Index>
__global__ void move(const i64* keys, const i64* pixels, i64 count, i64* moved, Index* places) {
    for (i64 p = thread_index(); p < count; p += all_threads()) {
        const i64 pixel = pixels[keys[p] & 0xffffffffll];
        moved[p] = pixel;
        places[pixel] = (Index)p;
    }
}

// offsets[hole]: elements of the matrices before its own; NO_MATRIX where its band is above `widest`, or
// pixels times the square of the band above `most`. One block.
__global__ void lay_out(const i64* starts, const u64* bands, i64 widest, i64 most, i64* offsets, Told* told) {
    __shared__ i64 sums[1024];
    const i64 holes = told->holes, share = (holes + blockDim.x - 1) / blockDim.x;
    const i64 begin = threadIdx.x * share, end = begin + share < holes ? begin + share : holes;
    const auto elements = [&](i64 hole) {
        const i64 pixels = starts[hole + 1] - starts[hole], band = (i64)bands[hole];
        return band > widest || pixels * band * band > most ? (i64)0 : pixels * (band + 1);
    };
    i64 sum = 0;
    for (i64 hole = begin; hole < end; ++hole) sum += elements(hole);
    sums[threadIdx.x] = sum;
    __syncthreads();
    sum = 0;
    for (int k = 0; k < (int)threadIdx.x; ++k) sum += sums[k];
    for (i64 hole = begin; hole < end; ++hole) {
        const i64 own = elements(hole), pixels = starts[hole + 1] - starts[hole];
        offsets[hole] = own ? sum : NO_MATRIX;
        sum += own;
        if (own) {
            atomicMax((u64*)&told->band, (u64)bands[hole]);
            atomicMax((u64*)&told->longest, (u64)pixels);
            atomicAdd((u64*)&told->work, (u64)(pixels * (i64)(bands[hole] * bands[hole])));
        } else {
            atomicAdd((u64*)&told->large, (u64)pixels);
            atomicMax((u64*)&told->largest, (u64)pixels);
        }
    }
    if (threadIdx.x == blockDim.x - 1) told->elements = sum;
}

// matrices: zeros; band + 1 elements of each column from the diagonal down. sides: of each pixel and
// channel. A thread makes one right side, that of the first channel also the column of its pixel.
template <class W, class Index>
__global__ void assemble(const i64* keys, const i64* pixels, i64 count, const bool* mask, const Index* places,
                         const __grid_constant__ Grid grid, const i64* starts, const u64* bands, const i64* offsets,
                         const W* result, i64 channels, double* matrices, double* sides) {
    for (i64 i = thread_index(); i < count * channels; i += all_threads()) {
        const i64 p = i / channels, channel = i % channels, hole = keys[p] >> grid.bits;
        const bool has_column = channel == 0 && offsets[hole] != NO_MATRIX;
        double* column = matrices + offsets[hole] + (p - starts[hole]) * ((i64)bands[hole] + 1);
        double side = 0;
        for_coupled(grid, pixels[p], [&](i64 other, int coefficient) {
            if (!mask[other])
                side = fma(-(double)coefficient, (double)result[other * channels + channel], side);
            else if (has_column && places[other] >= p)
                column[places[other] - p] = coefficient;
        });
        sides[i] = side;
    }
}
