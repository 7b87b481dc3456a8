// Histograms of what surrounds the pixels of a binary image, of which the host makes a perimeter or
// an Euler number by weights.
//
//   corners   of pixels above 0: for each corner of the pixel grid, which of the 4 pixels that meet
//             there (8 of a volume) are set: 1 where the last one is, 4 the one before it in its row,
//             2 and 8 those of the row before, 16 to 128 those of the plane before. 16 or 256 bins.
//             Corners that all or none of them are at are not counted: no weight has them
//   borders   of pixels that are not 0 and have a neighbour that is 0, along axes or in any
//             direction, or lie at the edge of the image: 1 + 2 for each neighbour along an axis that
//             is such a pixel + 10 for each oblique one. 50 bins. told: 1 where a pixel is neither 0
//             nor 1 as a byte
//
// image: planes of rows of columns, any alignment. Outside of it there is 0. counts and told are 0
// before. One launch each; the image is read once, and once more along the borders of boxes.
//
// Source: scikit-image `measure.euler_number`, `perimeter_crofton` and `perimeter`.
#include "common/histogram.cuh"

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

template <class T, bool VOLUME>
__global__ void __launch_bounds__(256, 1)
    corners(const T* image, const __grid_constant__ Planes size, u64* counts) {
    // corners of a box, and pixels that meet there
    constexpr int BEFORE = VOLUME ? 1 : 0, Z = VOLUME ? 8 : 1, Y = VOLUME ? 8 : 32, X = VOLUME ? 32 : 64;
    constexpr int WIDE = X + 1, HIGH = Y + 1, DEEP = Z + BEFORE, BINS = VOLUME ? 256 : 16;
    __shared__ bool set[DEEP * HIGH * WIDE];
    __shared__ u32 bins_here[BINS];
    clear_bins(bins_here, BINS);
    const i64 across = size.columns / X + 1, down = size.rows / Y + 1, deep = VOLUME ? size.depth / Z + 1 : 1;
    for (i64 box = blockIdx.x; box < across * down * deep; box += gridDim.x) {
        const i64 x0 = box % across * X - 1, y0 = box / across % down * Y - 1, z0 = box / across / down * Z - BEFORE;
        for (int i = threadIdx.x; i < DEEP * HIGH * WIDE; i += blockDim.x) {
            const i64 x = x0 + i % WIDE, y = y0 + i / WIDE % HIGH, z = z0 + i / (WIDE * HIGH);
            const bool inside = x >= 0 && x < size.columns && y >= 0 && y < size.rows && z >= 0 && z < size.depth;
            set[i] = inside && is_set(image[(z * size.rows + y) * size.columns + x]);
        }
        __syncthreads();
        for (int i = threadIdx.x; i < Z * Y * X; i += blockDim.x) {
            const bool* const here = set + (i / (X * Y) + BEFORE) * HIGH * WIDE + (i / X % Y + 1) * WIDE + i % X + 1;
            u32 bin = here[0] + 4 * here[-1] + 2 * here[-WIDE] + 8 * here[-WIDE - 1];
            if (VOLUME) {
                const bool* const behind = here - HIGH * WIDE;
                bin += 16 * behind[0] + 64 * behind[-1] + 32 * behind[-WIDE] + 128 * behind[-WIDE - 1];
            }
            if (bin != 0 && bin != BINS - 1) count_one(bins_here, bin);
        }
        __syncthreads();
    }
    add_bins(bins_here, BINS, counts);
}

template <class T, bool OBLIQUE>
__global__ void __launch_bounds__(256, 1)
    borders(const T* image, const __grid_constant__ Planes size, u64* counts, u32* told) {
    constexpr int Y = 32, X = 64, WIDE = X + 4, HIGH = Y + 4, BINS = 50;
    __shared__ bool set[HIGH * WIDE], border[HIGH * WIDE];
    __shared__ u32 bins_here[BINS];
    bool odd = false;
    clear_bins(bins_here, BINS);
    const i64 across = (size.columns - 1) / X + 1, down = (size.rows - 1) / Y + 1;
    for (i64 box = blockIdx.x; box < across * down; box += gridDim.x) {
        const i64 x0 = box % across * X - 2, y0 = box / across * Y - 2;
        for (int i = threadIdx.x; i < HIGH * WIDE; i += blockDim.x) {
            const i64 x = x0 + i % WIDE, y = y0 + i / WIDE;
            const bool inside = x >= 0 && x < size.columns && y >= 0 && y < size.rows;
            const int value = inside ? byte_of(image[y * size.columns + x]) : 0;
            odd = odd || value == 2;
            set[i] = value;
        }
        __syncthreads();
        for (int i = threadIdx.x; i < (Y + 2) * (X + 2); i += blockDim.x) {
            const int place = (i / (X + 2) + 1) * WIDE + i % (X + 2) + 1;
            const bool* const here = set + place;
            const bool axes = here[-1] && here[1] && here[-WIDE] && here[WIDE];
            const bool sides = here[-WIDE - 1] && here[-WIDE + 1] && here[WIDE - 1] && here[WIDE + 1];
            border[place] = here[0] && !(axes && (sides || !OBLIQUE));
        }
        __syncthreads();
        for (int i = threadIdx.x; i < Y * X; i += blockDim.x) {
            const bool* const here = border + (i / X + 2) * WIDE + i % X + 2;
            if (!here[0]) continue;
            count_one(bins_here, 1 + 2 * (here[-1] + here[1] + here[-WIDE] + here[WIDE]) +
                                     10 * (here[-WIDE - 1] + here[-WIDE + 1] + here[WIDE - 1] + here[WIDE + 1]));
        }
        __syncthreads();
    }
    add_bins(bins_here, BINS, counts);
    if (odd) *told = 1;
}
