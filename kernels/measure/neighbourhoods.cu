// Histograms of what surrounds the pixels of a binary image, of which the host makes a perimeter or
// an Euler number by weights.
//
//   corners   of pixels above 0: for each corner of the pixel grid, which of the 4 pixels that meet
//             there (8 of a volume) are set: 1 where the last one is, 4 the one before it in its row,
//             2 and 8 those of the row before, 16 to 128 those of the plane before. 16 or 256 bins.
//             Corners that all or none of them are at are not counted: no weight has them
//   borders   of pixels that are not 0 and have a neighbour that is 0, along axes or in any
//             direction, or lie at the edge of the image: 1 + 2 for each neighbour along an axis that
//             is such a pixel + 10 for each oblique one. 50 bins, of which the first becomes 1 where
//             a pixel is neither 0 nor 1 as a byte
//
// image: planes of rows of columns, any alignment. Outside of it there is 0. counts are 0 before. One
// launch each; the image is read once, and once more along the borders of boxes.
//
// Source: scikit-image `measure.euler_number`, `perimeter_crofton` and `perimeter`.
#include "common/histogram.cuh"
#include "measure/bit_rows.cuh"

struct Planes {
    i64 depth, rows, columns;
};

template <class T> __device__ inline bool is_set(T value) { return value > 0; }
template <> __device__ inline bool is_set(bool value) { return value; }
template <> __device__ inline bool is_set(float16 value) { return (float)value > 0; }

// A pixel's byte as a cast gives it: 0, 1, or 2 for what is neither.
template <class T> __device__ inline int byte_of(T value) { return value == 0 ? 0 : value == 1 ? 1 : 2; }
template <> __device__ inline int byte_of(bool value) { return value; }
template <> __device__ inline int byte_of(double value) { return value > -1 && value < 1 ? 0 : value >= 1 && value < 2 ? 1 : 2; }
template <> __device__ inline int byte_of(float value) { return byte_of((double)value); }
template <> __device__ inline int byte_of(float16 value) { return byte_of((double)(float)value); }

// In planes 32 corners at a time.
template <class T>
__device__ inline void corners_of_planes(const T* image, const Planes& size, u32* bins_here) {
    __shared__ u32 bits[(BIT_ROWS + 2) * BIT_WORDS];
    u32 found[16] = {};
    const i64 across = size.columns / BIT_COLUMNS + 1, down = size.rows / BIT_ROWS + 1;
    for (i64 box = blockIdx.x; box < across * down; box += gridDim.x) {
        const i64 y0 = box / across * BIT_ROWS, x0 = box % across * BIT_COLUMNS;
        load_bits(bits, image, size.rows, size.columns, y0, x0, 1, [](T pixel) { return is_set(pixel); });
        __syncthreads();
        for (int i = threadIdx.x; i < BIT_ROWS * BIT_WORDS; i += blockDim.x) {
            const int w = i % BIT_WORDS;
            const u32 *const row = bits + (i / BIT_WORDS + 1) * BIT_WORDS, *const before = row - BIT_WORDS;
            const u32 meeting[4] = {row[w], before[w], beside(row, w, -1), beside(before, w, -1)};
            const u32 some = meeting[0] | meeting[1] | meeting[2] | meeting[3];
            const u32 all = meeting[0] & meeting[1] & meeting[2] & meeting[3];
            if (!(some & ~all & own_bits(w))) continue;
#pragma unroll
            for (int bin = 1; bin < 15; ++bin) {
                u32 those = own_bits(w);
#pragma unroll
                for (int k = 0; k < 4; ++k) those &= bin >> k & 1 ? meeting[k] : ~meeting[k];
                found[bin] += (u32)__popc(those);
            }
        }
        __syncthreads();  // before the next box
    }
#pragma unroll
    for (int bin = 1; bin < 15; ++bin)
        if (found[bin]) atomicAdd(&bins_here[bin], found[bin]);
}

template <class T>
__device__ inline void corners_of_volumes(const T* image, const Planes& size, u32* bins_here) {
    constexpr int Z = 8, Y = 8, X = 32, WIDE = X + 1, HIGH = Y + 1, DEEP = Z + 1;
    __shared__ bool set[DEEP * HIGH * WIDE];
    const i64 across = size.columns / X + 1, down = size.rows / Y + 1, deep = size.depth / Z + 1;
    for (i64 box = blockIdx.x; box < across * down * deep; box += gridDim.x) {
        const i64 x0 = box % across * X - 1, y0 = box / across % down * Y - 1, z0 = box / across / down * Z - 1;
        for (int i = threadIdx.x; i < DEEP * HIGH * WIDE; i += blockDim.x) {
            const i64 x = x0 + i % WIDE, y = y0 + i / WIDE % HIGH, z = z0 + i / (WIDE * HIGH);
            const bool inside = x >= 0 && x < size.columns && y >= 0 && y < size.rows && z >= 0 && z < size.depth;
            set[i] = inside && is_set(image[(z * size.rows + y) * size.columns + x]);
        }
        __syncthreads();
        for (int i = threadIdx.x; i < Z * Y * X; i += blockDim.x) {
            const bool* const here = set + (i / (X * Y) + 1) * HIGH * WIDE + (i / X % Y + 1) * WIDE + i % X + 1;
            const bool* const behind = here - HIGH * WIDE;
            const u32 bin = here[0] + 4 * here[-1] + 2 * here[-WIDE] + 8 * here[-WIDE - 1] + 16 * behind[0] +
                            64 * behind[-1] + 32 * behind[-WIDE] + 128 * behind[-WIDE - 1];
            if (bin != 0 && bin != 255) count_one(bins_here, bin);
        }
        __syncthreads();
    }
}

template <class T, bool VOLUME>
__global__ void __launch_bounds__(256, 1)
    corners(const T* image, const __grid_constant__ Planes size, u64* counts) {
    constexpr int BINS = VOLUME ? 256 : 16;
    __shared__ u32 bins_here[BINS];
    clear_bins(bins_here, BINS);
    if constexpr (VOLUME)
        corners_of_volumes(image, size, bins_here);
    else
        corners_of_planes(image, size, bins_here);
    add_bins(bins_here, BINS, counts);
}

// How many of four bits are set, in each of 32 places.
struct Sums {
    u32 ones, twos, fours;

    __device__ Sums(u32 a, u32 b, u32 c, u32 d) {
        const u32 odd = a ^ b, other = c ^ d, carried = odd & other;
        ones = odd ^ other;
        twos = (a & b) ^ (c & d) ^ carried;
        fours = a & b & c & d;
    }

    // Where there are n of them.
    __device__ u32 are(int n) const {
        return n == 4 ? fours : (n & 1 ? ones : ~ones) & (n & 2 ? twos : ~twos) & ~fours;
    }
};

template <class T, bool OBLIQUE>
__global__ void __launch_bounds__(256, 1)
    borders(const T* image, const __grid_constant__ Planes size, u64* counts) {
    constexpr int BINS = 50, HIGH = BIT_ROWS + 4;
    __shared__ u32 bits[HIGH * BIT_WORDS], border[HIGH * BIT_WORDS], bins_here[BINS];
    bool odd = false;
    u32 found[5][5] = {};
    clear_bins(bins_here, BINS);
    const i64 across = (size.columns - 1) / BIT_COLUMNS + 1, down = (size.rows - 1) / BIT_ROWS + 1;
    for (i64 box = blockIdx.x; box < across * down; box += gridDim.x) {
        const i64 y0 = box / across * BIT_ROWS, x0 = box % across * BIT_COLUMNS;
        load_bits(bits, image, size.rows, size.columns, y0, x0, 2, [&](T pixel) {
            const int value = byte_of(pixel);
            odd = odd || value == 2;
            return value != 0;
        });
        __syncthreads();
        for (int i = BIT_WORDS + threadIdx.x; i < (HIGH - 1) * BIT_WORDS; i += blockDim.x) {
            const int w = i % BIT_WORDS;
            const u32 *const row = bits + i - w, *const above = row - BIT_WORDS, *const below = row + BIT_WORDS;
            u32 around = beside(row, w, -1) & beside(row, w, 1) & above[w] & below[w];
            if (OBLIQUE)
                around &= beside(above, w, -1) & beside(above, w, 1) & beside(below, w, -1) & beside(below, w, 1);
            border[i] = row[w] & ~around;
        }
        __syncthreads();
        for (int i = 2 * BIT_WORDS + threadIdx.x; i < (HIGH - 2) * BIT_WORDS; i += blockDim.x) {
            const int w = i % BIT_WORDS;
            const u32 *const row = border + i - w, *const above = row - BIT_WORDS, *const below = row + BIT_WORDS;
            const u32 here = row[w] & own_bits(w);
            if (!here) continue;
            const Sums sides(beside(row, w, -1), beside(row, w, 1), above[w], below[w]);
            const Sums oblique(beside(above, w, -1), beside(above, w, 1), beside(below, w, -1), beside(below, w, 1));
#pragma unroll
            for (int m = 0; m < 5; ++m) {
#pragma unroll
                for (int n = 0; n < 5; ++n) found[m][n] += (u32)__popc(here & oblique.are(m) & sides.are(n));
            }
        }
        __syncthreads();  // before the next box
    }
#pragma unroll
    for (int m = 0; m < 5; ++m) {
#pragma unroll
        for (int n = 0; n < 5; ++n)
            if (found[m][n]) atomicAdd(&bins_here[1 + 2 * n + 10 * m], found[m][n]);
    }
    add_bins(bins_here, BINS, counts);
    if (odd) counts[0] = 1;
}
