// The nearest of other descriptors, and which of these are matches. Two kernels:
//
//     nearest   of each descriptor the first nearest other one, its distance, and that of the second
//     matches   pairs that are each other's nearest, near enough, and nearer than the second by a ratio
//
// Descriptors: unsigned char, float or double, or words of 32 booleans, (descriptors, features),
// C-contiguous. Distances are those of SciPy's cdist, to the last bit: each sum is added up in the order
// of the features, in double; sums of 8-bit numbers and counts, which double holds exactly, in integers.
// Like numpy.argmin, the first of equal distances wins, and the first NaN wins over all.
//
// nearest: a block has 8 descriptors, with which it compares all others, 64 at a time and 16 of their
// features at a time in shared memory, so these are read once for 8 descriptors; 24 bytes a
// descriptor are written. No matrix of distances is. Where descriptors are few, blocks share the others.
// matches: one block; reads these, and of both ways the nearest one, and writes 16 bytes a match.
//
// Source: scikit-image `feature.match_descriptors`; SciPy `spatial.distance.cdist`
// (distance_metrics.h, distance_impl.h); D. Lowe, "Distinctive Image Features from Scale-Invariant
// Keypoints", 2004 (ratio).
#include "common/reduce.cuh"
#include "common/scan.cuh"
#include "common/types.cuh"

constexpr int ROWS = 8, OTHERS = 64, FEATURES = 16, STEP = 8;
constexpr int AT_ONCE = 2;  // rows that a thread compares with one of the others
constexpr int AT_A_TIME = 1024;  // descriptors of one round of `matches`

// What a feature is computed in.
template <class T> struct Feature { using Type = double; };
template <> struct Feature<u8> { using Type = int; };
template <> struct Feature<u32> { using Type = u32; };

__device__ inline int plus_product(int c, int a, int b) { return c + a * b; }
__device__ inline double absolute(double a) { return fabs(a); }
__device__ inline int absolute(int a) { return a < 0 ? -a : a; }

// What is added up of two descriptors, feature by feature; all bytes 0 is the beginning.
template <class V> struct SquaredEuclidean {
    V sum;
    __device__ void add(V a, V b) { sum = plus_product(sum, a - b, a - b); }
    __device__ double distance(double) const { return (double)sum; }
};

template <class V> struct Euclidean {
    V sum;
    __device__ void add(V a, V b) { sum = plus_product(sum, a - b, a - b); }
    __device__ double distance(double) const { return sqrt((double)sum); }
};

template <class V> struct CityBlock {
    V sum;
    __device__ void add(V a, V b) { sum += absolute(a - b); }
    __device__ double distance(double) const { return (double)sum; }
};

template <class V> struct Chebyshev {
    V most;
    __device__ void add(V a, V b) {
        const V difference = absolute(a - b);
        most = most < difference ? difference : most;
    }
    __device__ double distance(double) const { return (double)most; }
};

template <class V> struct Canberra {
    double sum;
    __device__ void add(V a, V b) {
        const double both = (double)(absolute(a) + absolute(b));
        sum += (double)absolute(a - b) / (both == 0 ? 1.0 : both);
    }
    __device__ double distance(double) const { return sum; }
};

template <class V> struct BrayCurtis {
    V differences, sums;
    __device__ void add(V a, V b) {
        differences += absolute(a - b);
        sums += absolute(a + b);
    }
    __device__ double distance(double) const { return (double)differences / (double)sums; }
};

template <class V> struct Cosine {
    V products, first, second;
    __device__ void add(V a, V b) {
        products = plus_product(products, a, b);
        first = plus_product(first, a, a);
        second = plus_product(second, b, b);
    }
    __device__ double distance(double) const {
        const double cosine = (double)products / (sqrt((double)first) * sqrt((double)second));
        return 1.0 - (fabs(cosine) > 1.0 ? copysign(1.0, cosine) : cosine);
    }
};

template <class V> struct Hamming {
    u32 differing;
    __device__ void add(V a, V b) { differing += a != b; }
    __device__ double distance(double features) const { return (double)differing / features; }
};

// The same of words of bits.
template <class V> struct HammingOfBits {
    u32 differing;
    __device__ void add(V a, V b) { differing += __popc(a ^ b); }
    __device__ double distance(double features) const { return (double)differing / features; }
};

// Whether a distance comes before another one; NaN comes first.
__device__ inline bool is_nearer(double a, double b) { return a < b || (a != a && b == b); }

// The nearest that was seen so far, and the distance of the second.
struct Nearest {
    double best, second;
    i64 index;  // -1: none yet

    __device__ void see(double distance, i64 other) {
        if (index < 0 || is_nearer(distance, best)) {
            second = best;
            best = distance;
            index = other;
        } else if (is_nearer(distance, second)) {
            second = distance;
        }
    }

    __device__ void join(const Nearest& other) {
        if (other.index < 0) return;
        const bool same = !is_nearer(best, other.best) && !is_nearer(other.best, best);
        const bool wins = index < 0 || is_nearer(other.best, best) || (same && other.index < index);
        const double loser = wins ? best : other.best, next = wins ? other.second : second;
        if (wins) {
            best = other.best;
            index = other.index;
        }
        second = is_nearer(loser, next) ? loser : next;
    }
};

// features: of a descriptor, as many as `length` unless that counts words. found: for each row the index
// of the nearest; distances: of the nearest, then of the second (infinite where there is none).
// The grid's second axis shares the others; what its blocks find of a row goes into `partials` (blocks,
// count), and the last that arrives at these rows, of which `arrived` counts each 8, joins them.
template <class T, template <class> class Metric>
__global__ void __launch_bounds__(256, RESIDENT)
nearest(const T* rows, const T* others, i64 count, i64 many, i64 length, double features, i64* found,
        double* distances, Nearest* partials, u32* arrived) {
    using V = typename Feature<T>::Type;
    using Sum = Metric<V>;
    __shared__ V x[ROWS][FEATURES], y[FEATURES][OTHERS + 1];
    __shared__ Sum sums[ROWS][OTHERS];
    __shared__ Nearest best[ROWS][OTHERS];
    const int thread = threadIdx.x, threads = blockDim.x;
    const double infinity = (double)__uint_as_float(0x7f800000u);
    const auto write = [=](const Nearest& all, i64 row) {
        found[row] = all.index;
        distances[row] = all.best;
        distances[count + row] = all.second;
    };
    const i64 share = (many + OTHERS * (i64)gridDim.y - 1) / (OTHERS * (i64)gridDim.y) * OTHERS;
    const i64 end = (blockIdx.y + 1) * share < many ? (blockIdx.y + 1) * share : many;
    for (i64 first = blockIdx.x * (i64)ROWS; first < count; first += gridDim.x * (i64)ROWS) {
        const int here = count - first < ROWS ? (int)(count - first) : ROWS;
        __syncthreads();  // the rows before are joined
        for (int i = thread; i < ROWS / AT_ONCE * OTHERS; i += threads)
            for (int k = 0; k < AT_ONCE; ++k)
                best[i / OTHERS * AT_ONCE + k][i % OTHERS] = Nearest{infinity, infinity, -1};
        for (i64 from = blockIdx.y * share; from < end; from += OTHERS) {
            const int across = end - from < OTHERS ? (int)(end - from) : OTHERS;
            for (int i = thread; i < ROWS / AT_ONCE * OTHERS; i += threads)
                for (int k = 0; k < AT_ONCE; ++k) sums[i / OTHERS * AT_ONCE + k][i % OTHERS] = Sum{};
            for (i64 f = 0; f < length; f += FEATURES) {
                const int deep = length - f < FEATURES ? (int)(length - f) : FEATURES;
                __syncthreads();
                for (int i = thread; i < ROWS * FEATURES; i += threads) {
                    const int row = i / FEATURES, j = i % FEATURES;
                    x[row][j] = row < here && j < deep ? (V)rows[(first + row) * length + f + j] : (V)0;
                }
                for (int i = thread; i < across * FEATURES; i += threads) {
                    const int other = i / FEATURES, j = i % FEATURES;
                    y[j][other] = j < deep ? (V)others[(from + other) * length + f + j] : (V)0;
                }
                __syncthreads();
                for (int i = thread; i < ROWS / AT_ONCE * OTHERS; i += threads) {
                    const int row = i / OTHERS * AT_ONCE, other = i % OTHERS;
                    if (row >= here || other >= across) continue;
                    Sum sum[AT_ONCE];
#pragma unroll
                    for (int k = 0; k < AT_ONCE; ++k) sum[k] = sums[row + k][other];
                    for (int j = 0; j < deep; j += STEP) {  // what is behind the last is 0 in both
#pragma unroll
                        for (int s = 0; s < STEP; ++s) {
                            const V value = y[j + s][other];
#pragma unroll
                            for (int k = 0; k < AT_ONCE; ++k) sum[k].add(x[row + k][j + s], value);
                        }
                    }
#pragma unroll
                    for (int k = 0; k < AT_ONCE; ++k) sums[row + k][other] = sum[k];
                }
            }
            for (int i = thread; i < ROWS / AT_ONCE * OTHERS; i += threads) {
                const int row = i / OTHERS * AT_ONCE, other = i % OTHERS;
                if (row >= here || other >= across) continue;
                for (int k = 0; k < AT_ONCE; ++k)
                    best[row + k][other].see(sums[row + k][other].distance(features), from + other);
            }
        }
        __syncthreads();
        for (int row = thread; row < here; row += threads) {
            Nearest all = best[row][0];
            for (int other = 1; other < OTHERS; ++other) all.join(best[row][other]);
            if (gridDim.y > 1)
                partials[blockIdx.y * count + first + row] = all;
            else
                write(all, first + row);
        }
        __threadfence();
        __syncthreads();
        if (gridDim.y == 1 || !last_of(gridDim.y, arrived + first / ROWS)) continue;
        for (i64 row = first + thread; row < first + here; row += threads) {
            Nearest all = partials[row];
            for (int part = 1; part < gridDim.y; ++part) all.join(partials[part * count + row]);
            write(all, row);
        }
    }
}

// found, distances: of `nearest`; back: the nearest of the first ones for each of the others, where it is
// `checked`. A limit that is infinite, or a ratio from 1 on, excludes none. told: the number of matches, and
// whether a ratio was infinity by infinity. One block.
__global__ void __launch_bounds__(256, RESIDENT)
matches(const i64* found, const double* distances, const i64* back, bool checked, i64 count, double most,
        double ratio, i64* pairs, i64* told) {
    __shared__ u32 until[AT_A_TIME], sums[1024];
    if (blockIdx.x) return;
    const double infinity = (double)__uint_as_float(0x7f800000u);
    i64 before = 0;
    bool odd = false;
    for (i64 first = 0; first < count; first += AT_A_TIME) {
        const int here = count - first < AT_A_TIME ? (int)(count - first) : AT_A_TIME;
        for (int i = threadIdx.x; i < here; i += blockDim.x) {
            const i64 row = first + i;
            const double best = distances[row];
            bool is_match = (!checked || back[found[row]] == row) && !(most < infinity && !(best < most));
            if (is_match && ratio < 1) {
                const double second = distances[count + row];
                odd |= best == infinity && second == infinity;
                is_match = best / (second == 0 ? 2.220446049250313e-16 : second) < ratio;
            }
            until[i] = is_match;
        }
        __syncthreads();
        block_scan(until, here, sums);
        for (int i = threadIdx.x; i < here; i += blockDim.x) {
            const u32 place = i ? until[i - 1] : 0;
            if (until[i] == place) continue;
            pairs[2 * (before + place)] = first + i;
            pairs[2 * (before + place) + 1] = found[first + i];
        }
        before += until[here - 1];
        __syncthreads();  // before the next round's
    }
    if (odd) atomicExch((u64*)told + 1, (u64)1);
    if (threadIdx.x == 0) told[0] = before;
}
