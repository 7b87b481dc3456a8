// Hough transform of ellipses.
//
//     list_marked    pixels that are not 0 (marked.cuh)
//     ellipse_votes  for each pair of them, the ends of a major axis, the minor axis that most
//                    others vote for
//
// One block a pair: each other pixel is on an ellipse of a certain minor axis, whose square votes in
// a histogram in shared memory. Numbers are scikit-image's, in its order of operations, so that each
// square falls into its bin.
//
// Source: scikit-image `transform.hough_ellipse` (_hough_transform.pyx); Y. Xie, Q. Ji, "A new efficient ellipse
// detection method", 2002.
#include "common/shared.cuh"
#include "common/types.cuh"
#include "transform/marked.cuh"

struct Bounds {
    double most, bin, per_bin;  // square of the largest minor axis; width of a bin, and its inverse
    i64 threshold, least;       // votes, and length of a major axis, that are more
};

// One found ellipse.
struct Ellipse {
    u64 pair;
    u32 votes, bin;
};

struct Pair {
    i64 x1, y1;
    double a, xc, yc;
};

// Square of the minor axis of the ellipse that a pixel is on; -1 where it does not vote. Any thread.
__device__ inline double minor_squared(const Pair& pair, i64 x, i64 y, const Bounds& limits) {
    const double from_center_x = (double)x - pair.xc, from_center_y = (double)y - pair.yc;
    const double d = sqrt(from_center_x * from_center_x + from_center_y * from_center_y);  // exact but for the root
    if (!(d > (double)limits.least)) return -1;
    const double dx = (double)(x - pair.x1), dy = (double)(y - pair.y1);
    const double aa = rounded_product(pair.a, pair.a), dd = rounded_product(d, d);
    const double above = aa + dd - dx * dx - dy * dy;
    const double cosine = above / rounded_product(2 * pair.a, d);
    const double squared = rounded_product(cosine, cosine);
    const double k = aa - rounded_product(dd, squared);
    if (!(k > 0 && squared < 1)) return -1;
    const double found = rounded_product(rounded_product(rounded_product(aa, d), d), 1 - squared) / k;
    return found <= limits.most ? found : -1;
}

// Bin of a square: the last one whose lower edge, a rounded product, is not above it. Any thread.
__device__ inline i64 bin_of(double square, const Bounds& limits) {
    i64 bin = (i64)(square * limits.per_bin);
    while (bin > 0 && square < rounded_product((double)bin, limits.bin)) --bin;
    while (square >= rounded_product((double)(bin + 1), limits.bin)) ++bin;
    return bin;
}

struct Larger {
    template <class T> __device__ T operator()(T a, T b) const { return b > a ? b : a; }
};

// The largest value of all threads, for all of them.
//   called by: all threads of the block, of up to 256; contains barriers, none must follow
template <class T> __device__ inline T block_most(T mine, T* scratch) {
    __syncthreads();
    scratch[threadIdx.x] = mine;
    block_reduce(scratch, blockDim.x, Larger());
    __syncthreads();
    return scratch[0];
}

// points  columns and rows of n pixels, in raster order
// first   the first pair of this launch: pair p1 (p1 - 1) / 2 + p2 is of pixels p1 and p2 < p1
// window  bins that fit into shared memory
// found   zero before
// odd     zero before; 1 where scikit-image makes a histogram without bins
__global__ void __launch_bounds__(256, 2)
    ellipse_votes(const int* points, i64 n, i64 first, i64 pairs, const __grid_constant__ Bounds limits, i64 window,
                  u64* found, Ellipse* ellipses, u32* odd) {
    DYN_SHARED(u32, bins);
    __shared__ double squares[256];
    __shared__ u64 keys[256];
    __shared__ u32 total;
    for (i64 place = blockIdx.x; place < pairs; place += gridDim.x) {
        // 1. the pair
        const i64 index = first + place;
        i64 p1 = (i64)((1 + sqrt(1 + 8 * (double)index)) / 2);
        while (p1 * (p1 - 1) / 2 > index) --p1;
        while ((p1 + 1) * p1 / 2 <= index) ++p1;
        const i64 p2 = index - p1 * (p1 - 1) / 2;
        const i64 x1 = points[2 * p1], y1 = points[2 * p1 + 1], x2 = points[2 * p2], y2 = points[2 * p2 + 1];
        const double dx = (double)(x1 - x2), dy = (double)(y1 - y2);
        const Pair pair = {x1, y1, 0.5 * sqrt(dx * dx + dy * dy), 0.5 * (double)(x1 + x2), 0.5 * (double)(y1 + y2)};
        if (!(pair.a > 0.5 * (double)limits.least)) continue;

        // 2. votes of all pixels, and the largest square
        __syncthreads();
        for (i64 i = threadIdx.x; i < window; i += blockDim.x) bins[i] = 0;
        __syncthreads();
        double largest = -1;
        u32 mine = 0;
        for (i64 p = threadIdx.x; p < n; p += blockDim.x) {
            const double square = minor_squared(pair, points[2 * p], points[2 * p + 1], limits);
            if (square < 0) continue;
            ++mine;
            largest = square > largest ? square : largest;
            const i64 bin = bin_of(square, limits);
            if (bin < window) atomicAdd(&bins[bin], 1u);
        }
        const i64 votes = (i64)block_sum(mine, &total);
        if (votes == 0 || votes <= limits.threshold) continue;
        largest = block_most(largest, squares);

        // 3. numpy.arange(0, largest + bin, bin): the last bin has its upper edge, what is above is in none
        const i64 edges = (i64)ceil((largest + limits.bin) / limits.bin);
        if (edges < 2) {
            if (threadIdx.x == 0) atomicOr(odd, 1u);
            continue;
        }
        const i64 top = edges - 2;
        const double end = rounded_product((double)(edges - 1), limits.bin);
        u32 at_end = 0;
        if (largest >= end) {
            mine = 0;
            for (i64 p = threadIdx.x; p < n; p += blockDim.x)
                mine += minor_squared(pair, points[2 * p], points[2 * p + 1], limits) == end;
            at_end = block_sum(mine, &total);
        }

        // 4. the first of the fullest bins
        u64 best = 0xffffffffull;
        for (i64 begin = 0; begin <= top; begin += window) {
            if (begin) {
                __syncthreads();
                for (i64 i = threadIdx.x; i < window; i += blockDim.x) bins[i] = 0;
                __syncthreads();
                for (i64 p = threadIdx.x; p < n; p += blockDim.x) {
                    const double square = minor_squared(pair, points[2 * p], points[2 * p + 1], limits);
                    if (square < 0) continue;
                    const i64 bin = bin_of(square, limits) - begin;
                    if (bin >= 0 && bin < window) atomicAdd(&bins[bin], 1u);
                }
                __syncthreads();
            }
            for (i64 i = threadIdx.x; i < window && begin + i <= top; i += blockDim.x) {
                const u32 count = bins[i] + (begin + i == top ? at_end : 0);
                const u64 key = (u64)count << 32 | (u32)~(u32)(begin + i);
                best = key > best ? key : best;
            }
        }
        best = block_most(best, keys);
        if (threadIdx.x == 0 && (i64)(best >> 32) > limits.threshold) {
            const u64 to = atomicAdd(found, (u64)1);
            ellipses[to].pair = (u64)index;
            ellipses[to].votes = (u32)(best >> 32);
            ellipses[to].bin = ~(u32)best;
        }
    }
}
