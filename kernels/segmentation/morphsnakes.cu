// Morphological snakes: active contours by morphology, on planes and volumes.
//
// What: `sum_sides` finds the means outside and inside of a contour, `chan_vese` and `geodesic` do
// an iteration, `smooth` the smoothing that does not fit into it. An iteration happens in a box
// of pixels and a halo, in shared memory, whatever it consists of:
//
//     1. the level set of the box and its halo
//     2. for a balloon: what it pushes, where the image lets it
//     3. the image's own force, where the level set changes
//     4. smoothing: for each step two operators, each over the pixels that are still known
//     5. the box
//
// Level sets: one byte a pixel, 0 or 1; what is outside of the image is 0. Images: bool, (u)int8..64,
// float, double; of `geodesic` float and double. One launch reads image and level set once (halos
// again, from cache) and writes a level set.
//
// Sums are added in NumPy's order and every operation is rounded as NumPy rounds it: level sets are
// scikit-image's to the last pixel.
//
// Source: skimage/segmentation/morphsnakes.py, NumPy loops_utils.h.src (pairwise sums).
#include "common/pairwise.cuh"
#include "common/rounded.cuh"
#include "common/shared.cuh"

// The type of sums of an image of T, and that of what is computed of it.
template <class T> struct Working { using Sum = i64; using Value = double; };
template <> struct Working<u64> { using Sum = double; using Value = double; };
template <> struct Working<float> { using Sum = float; using Value = float; };
template <> struct Working<double> { using Sum = double; using Value = double; };

__device__ inline i64 plus(i64 a, i64 b) { return (i64)((u64)a + (u64)b); }
__device__ inline float plus(float a, float b) { return __fadd_rn(a, b); }
__device__ inline double plus(double a, double b) { return __dadd_rn(a, b); }
__device__ inline i64 times(i64 a, i64 b) { return a * b; }
__device__ inline float times(float a, float b) { return __fmul_rn(a, b); }
__device__ inline double times(double a, double b) { return __dmul_rn(a, b); }

// Sums of an image outside and inside, and the pixels inside.
template <class Sum> struct Sides {
    Sum outside, inside;
    i64 pixels;
    __device__ Sides operator+(const Sides& other) const {
        return {plus(outside, other.outside), plus(inside, other.inside), pixels + other.pixels};
    }
};

template <class T>
__device__ inline Sides<typename Working<T>::Sum> side(const T* image, const signed char* levels, i64 i) {
    using Sum = typename Working<T>::Sum;
    const Sum value = (Sum)image[i];
    const int level = levels[i];
    return {times(value, (Sum)(1 - level)), times(value, (Sum)level), (i64)level};
}

// means[0] and means[1]: of the image outside and inside.
//   depth, halves, partials, arrived: of PairwiseSum
template <class T>
__global__ void sum_sides(const T* image, const signed char* levels, i64 n, int depth, int halves, void* partials,
                          u32* arrived, typename Working<T>::Value* means) {
    using Value = typename Working<T>::Value;
    using Sum = Sides<typename Working<T>::Sum>;
    __shared__ Sum sums[PairwiseSum<Sum>::SHARED];
    const auto add = [&](Sum sum, i64 first, int count, int step) {
        for (i64 i = first; count > 0; --count, i += step) sum = sum + side(image, levels, i);
        return sum;
    };
    PairwiseSum<Sum>{n, depth, halves, sums, (Sum*)partials, arrived}.run(add, [&](const Sum& sum) {
        means[0] = (Value)sum.outside / (Value)((double)(n - sum.pixels) + 1e-8);
        means[1] = (Value)sum.inside / (Value)((double)sum.pixels + 1e-8);
    });
}

// Lines through a pixel of a plane, planes through one of a volume: bits of the 3 pixels along
// each axis around it.
template <int AXES> struct Flats;
template <> struct Flats<2> {
    static constexpr int COUNT = 4, ALL = 0x1ff;
    static __device__ u32 at(int i) {
        constexpr u32 bits[COUNT] = {0x111, 0x92, 0x54, 0x38};
        return bits[i];
    }
};
template <> struct Flats<3> {
    static constexpr int COUNT = 9, ALL = 0x7ffffff;
    static __device__ u32 at(int i) {
        constexpr u32 bits[COUNT] = {0x2492492, 0xe07038, 0x3fe00, 0x4462311, 0x150a854,
                                        0x4912449, 0x1252524, 0x7007007, 0x1c71c0};
        return bits[i];
    }
};

// A volume, or a plane of depth 1.
struct Extent {
    i64 depth, rows, columns;
};

// A box of pixels and its halo in shared memory.
template <int AXES> struct Box {
    static constexpr int DEPTH = AXES == 3 ? 8 : 1, ROWS = AXES == 3 ? 8 : 32, COLUMNS = AXES == 3 ? 32 : 64;
    int halo, depth, rows, columns;  // with it
    i64 z0, y0, x0;                  // of the first pixel of the halo
    int z_end, y_begin, y_end, x_begin, x_end;  // of what lies inside of the image
    Extent image;

    __device__ Box(const Extent& image, i64 number, int halo) : halo(halo), image(image) {
        const i64 across = (image.columns + COLUMNS - 1) / COLUMNS, down = (image.rows + ROWS - 1) / ROWS;
        depth = AXES == 3 ? DEPTH + 2 * halo : 1;
        rows = ROWS + 2 * halo;
        columns = COLUMNS + 2 * halo;
        x0 = number % across * COLUMNS - halo;
        y0 = number / across % down * ROWS - halo;
        z0 = AXES == 3 ? number / across / down * DEPTH - halo : 0;
        z_end = end(z0, depth, image.depth);
        y_begin = begin(y0), y_end = end(y0, rows, image.rows);
        x_begin = begin(x0), x_end = end(x0, columns, image.columns);
    }
    // visit(cell, z, y, x, place) of each pixel that is not in the outer `margin` of the box: its
    // place in the image, or -1 outside.
    template <class Visit> __device__ void each(int margin, const Visit& visit) const {
        const int first = AXES == 3 ? margin : 0;
        const int height = rows - 2 * margin, width = columns - 2 * margin, threads = blockDim.x;
        const int count = (depth - 2 * first) * height * width;
        const int step_x = threads % width, step_y = threads / width;
        int x = threadIdx.x % width + margin, y = threadIdx.x / width + margin, z = first;
#pragma unroll 2
        for (int i = threadIdx.x; i < count; i += threads) {
            if (AXES == 3)
                for (; y >= height + margin; y -= height) ++z;
            const bool is_inside = (AXES == 2 || (z + z0 >= 0 && z < z_end)) && y >= y_begin && y < y_end &&
                                   x >= x_begin && x < x_end;
            const i64 gz = z0 + z, gy = y0 + y, gx = x0 + x;
            visit((z * rows + y) * columns + x, gz, gy, gx,
                  is_inside ? (gz * image.rows + gy) * image.columns + gx : (i64)-1);
            x += step_x;
            y += step_y;
            if (x >= width + margin) x -= width, ++y;
        }
    }
    static __device__ int begin(i64 first) { return first < 0 ? (int)-first : 0; }
    static __device__ int end(i64 first, int count, i64 length) {
        return length - first < count ? (int)(length - first) : count;
    }
    // Bits of the pixels around a cell.
    __device__ u32 around(const signed char* levels, int cell) const {
        u32 bits = 0;
        int bit = 0;
#pragma unroll
        for (int dz = AXES == 3 ? -1 : 0; dz <= (AXES == 3 ? 1 : 0); ++dz)
#pragma unroll
            for (int dy = -1; dy <= 1; ++dy)
#pragma unroll
                for (int dx = -1; dx <= 1; ++dx)
                    bits |= (u32)levels[cell + (dz * rows + dy) * columns + dx] << bit++;
        return bits;
    }
};

// What smoothing does: so many times one operator, then the other; the next time the other way.
struct Smoothing {
    int steps;
    bool dilates_first;
};

// numpy.gradient along one axis, as a multiple of a half: the neighbours' values, one of them the
// pixel itself at an end.
template <class W> __device__ inline W slope(W before, W after, bool is_inner) {
    const W difference = NumpyArithmetic<W>::subtract(after, before);
    return is_inner ? NumpyArithmetic<W>::divide(difference, (W)2) : difference;
}

// One launch's work on all boxes. move(box, from, to, margin): steps 2 and 3; it swaps the buffers
// where `to` has the result, and adds to `margin` by how much it has narrowed the box.
template <int AXES, class Move>
__device__ inline void evolve(const signed char* levels, signed char* result, const Extent& image, int reach,
                              const Smoothing& smoothing, const Move& move) {
    DYN_SHARED(signed char, shared);
    using B = Box<AXES>;
    const int halo = reach + 2 * smoothing.steps;
    const i64 boxes = (image.columns + B::COLUMNS - 1) / B::COLUMNS * ((image.rows + B::ROWS - 1) / B::ROWS) *
                      ((image.depth + B::DEPTH - 1) / B::DEPTH);
    for (i64 number = blockIdx.x; number < boxes; number += gridDim.x) {
        const B box(image, number, halo);
        signed char* from = shared;
        signed char* to = shared + box.depth * box.rows * box.columns;
        // 1
        box.each(0, [&](int cell, i64, i64, i64, i64 place) { from[cell] = place < 0 ? 0 : levels[place]; });
        __syncthreads();
        // 2, 3
        int margin = 0;
        move(box, from, to, margin);
        // 4
        bool dilates = smoothing.dilates_first;
        for (int i = 0; i < 2 * smoothing.steps; ++i) {
            box.each(++margin, [&](int cell, i64, i64, i64, i64 place) {
                const u32 bits = box.around(from, cell);
                // complements: of a line or plane that is there, nothing
                const u32 those = dilates ? bits : ~bits;
                bool all = true;
#pragma unroll
                for (int k = 0; k < Flats<AXES>::COUNT; ++k) all = all && (those & Flats<AXES>::at(k));
                to[cell] = place >= 0 && all == dilates;
            });
            __syncthreads();
            signed char* const swapped = from;
            from = to;
            to = swapped;
            if (i % 2 == 0) dilates = !dilates;  // of the next step the first is this one's second
        }
        // 5
        box.each(halo, [&](int cell, i64, i64, i64, i64 place) {
            if (place >= 0) result[place] = from[cell];
        });
        __syncthreads();  // before the next box
    }
}

template <int AXES>
__global__ void __launch_bounds__(256, RESIDENT) smooth(const signed char* levels, signed char* result, Extent image, Smoothing smoothing) {
    evolve<AXES>(levels, result, image, 0, smoothing,
                 [](const Box<AXES>&, signed char*&, signed char*&, int&) {});
}

// visit(step, stride, at, length) for each axis of the image, the first one first: the way to a
// neighbour in the box and in the image, where the pixel is along the axis, and the axis's length.
template <int AXES, class Visit>
__device__ inline void each_axis(const Box<AXES>& box, i64 z, i64 y, i64 x, const Visit& visit) {
    if (AXES == 3) visit(box.rows * box.columns, box.image.rows * box.image.columns, z, box.image.depth);
    visit(box.columns, box.image.columns, y, box.image.rows);
    visit(1, (i64)1, x, box.image.columns);
}

template <int AXES, class T>
__global__ void __launch_bounds__(256, RESIDENT) chan_vese(const T* pixels, const signed char* levels, signed char* result, Extent image,
                          Smoothing smoothing, const typename Working<T>::Value* means, double lambda1,
                          double lambda2) {
    using W = typename Working<T>::Value;
    using A = NumpyArithmetic<W>;
    const W outside = means[0], inside = means[1];
    evolve<AXES>(levels, result, image, 1, smoothing,
                 [&](const Box<AXES>& box, signed char*& from, signed char*& to, int& margin) {
        box.each(++margin, [&](int cell, i64 z, i64 y, i64 x, i64 place) {
            int change = 0;  // sizes of slopes, in halves
            if (place >= 0)
                each_axis(box, z, y, x, [&](int step, i64, i64 at, i64 length) {
                    const bool first = at == 0, last = at == length - 1;
                    const int before = from[first ? cell : cell - step], after = from[last ? cell : cell + step];
                    change += (before != after) << (first || last);
                });
            int level = from[cell];
            if (change > 0) {
                const W value = (W)pixels[place];
                const W a = A::subtract(value, inside), b = A::subtract(value, outside);
                const W force = A::subtract(A::multiply((W)lambda1, A::multiply(a, a)),
                                            A::multiply((W)lambda2, A::multiply(b, b)));
                // which a float's product in double has the sign of
                const W moved = sizeof(W) == 4 ? force : A::multiply((W)0.5 * change, force);
                level = moved < 0 ? 1 : moved > 0 ? 0 : level;
            }
            to[cell] = (signed char)level;
        });
        __syncthreads();
        signed char* const swapped = from;
        from = to;
        to = swapped;
    });
}

template <int AXES, class T>
__global__ void __launch_bounds__(256, RESIDENT) geodesic(const T* pixels, const signed char* levels, signed char* result, Extent image,
                         Smoothing smoothing, int balloon, double threshold) {
    using A = NumpyArithmetic<T>;
    evolve<AXES>(levels, result, image, balloon ? 2 : 1, smoothing,
                 [&](const Box<AXES>& box, signed char*& from, signed char*& to, int& margin) {
        if (balloon) {
            box.each(++margin, [&](int cell, i64, i64, i64, i64 place) {
                signed char level = from[cell];
                if (place >= 0 && (double)pixels[place] > threshold) {
                    const u32 bits = box.around(from, cell);
                    level = balloon > 0 ? bits != 0 : bits == Flats<AXES>::ALL;
                }
                to[cell] = level;
            });
            __syncthreads();
            signed char* const swapped = from;
            from = to;
            to = swapped;
        }
        box.each(++margin, [&](int cell, i64 z, i64 y, i64 x, i64 place) {
            T force = 0;
            if (place >= 0)
                each_axis(box, z, y, x, [&](int step, i64 stride, i64 at, i64 length) {
                    const bool first = at == 0, last = at == length - 1;
                    const int before = from[first ? cell : cell - step], after = from[last ? cell : cell + step];
                    const double change = slope((double)before, (double)after, !first && !last);
                    const T here = slope(pixels[first ? place : place - stride],
                                         pixels[last ? place : place + stride], !first && !last);
                    force = (T)__dadd_rn((double)force, __dmul_rn((double)here, change));
                });
            to[cell] = force > 0 ? 1 : force < 0 ? 0 : from[cell];
        });
        __syncthreads();
        signed char* const swapped = from;
        from = to;
        to = swapped;
    });
}
