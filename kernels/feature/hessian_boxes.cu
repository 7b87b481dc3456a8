// Determinants of the Hessian of a 2-D image at many scales, by boxes in its integral image.
//
//     sum_columns    image -> running sums down the columns
//     sum_rows       those -> running sums along the rows, in place: the integral image
//     hessian_boxes  integral image -> cube (scales, rows, columns)
//
// Image: bool, (u)int8..64, float16/32/64; integers scaled as by img_as_float. Sums are double;
// the cube is float for float16 and float32 images, else double. One launch each: the image is
// read once, the sums are written, read, written, and read once (places in it again, from
// cache), the cube is written once. All sums are made in the order and with the roundings of
// NumPy: their differences are small beside them.
//
// Source: scikit-image `feature.blob_doh` (Bay et al., SURF: Speeded Up Robust Features).
#include "common/double_bits.cuh"
#include "common/scan.cuh"
#include "common/split.cuh"

// One thread goes down a column.
template <class T>
__global__ void sum_columns(const T* image, double* sums, i64 rows, i64 columns) {
    const i64 step = (i64)gridDim.x * blockDim.x;
    for (i64 x = (i64)blockIdx.x * blockDim.x + threadIdx.x; x < columns; x += step) {
        running_sums<32>(sums + x, rows, columns,
                         [=](i64 y) { return img_as_float<double>(image[y * columns + x]); });
    }
}

// A block goes along 32 rows, in tiles of 128 columns: of a tile it waits for memory once.
__global__ void sum_rows(double* sums, i64 rows, i64 columns) {
    constexpr int SIDE = 32, LENGTH = 128, AHEAD = 16;
    __shared__ double tile[SIDE][LENGTH + 1];
    for (i64 y0 = (i64)blockIdx.x * SIDE; y0 < rows; y0 += (i64)gridDim.x * SIDE) {
        const int height = rows - y0 < SIDE ? (int)(rows - y0) : SIDE;
        for (i64 x0 = 0; x0 < columns; x0 += LENGTH) {
            const int width = columns - x0 < LENGTH ? (int)(columns - x0) : LENGTH;
            double* const corner = sums + y0 * columns + x0;
            for (int first = threadIdx.x; first < height * LENGTH; first += AHEAD * blockDim.x) {
                double read[AHEAD];
#pragma unroll
                for (int k = 0; k < AHEAD; ++k) {
                    const int i = first + k * blockDim.x, r = i / LENGTH, c = i % LENGTH;
                    read[k] = corner[(r < height ? r : 0) * columns + (c < width ? c : 0)];
                }
#pragma unroll
                for (int k = 0; k < AHEAD; ++k) {
                    const int i = first + k * blockDim.x;
                    if (i < height * LENGTH) tile[i / LENGTH][i % LENGTH] = read[k];
                }
            }
            __syncthreads();
            for (int r = threadIdx.x; r < height; r += blockDim.x) {
                // the last sum of the tile before stands behind the row
                if (x0 > 0) tile[r][0] += tile[r][LENGTH];
                running_sums(tile[r], width, 1, [&](int c) { return tile[r][c]; });
                tile[r][LENGTH] = tile[r][width - 1];
            }
            __syncthreads();
            for (int i = threadIdx.x; i < height * LENGTH; i += blockDim.x)
                if (i % LENGTH < width)
                    corner[i / LENGTH * columns + i % LENGTH] = tile[i / LENGTH][i % LENGTH];
            __syncthreads();  // before the next tile
        }
    }
}

constexpr int MOST_SCALES = 64;

// Of each scale the side of the largest box, and 1 / side / side. By value.
struct BoxSizes {
    double weight[MOST_SCALES];
    int size[MOST_SCALES];
    int narrow;  // whether an int holds all numbers of elements, and places that boxes reach
};

// Index: int where it is wide enough.
template <class Index> struct IntegralImage {
    const double* sums;
    Index rows, columns;

    __device__ static Index inside(Index i, Index n) { return i > n - 1 ? n - 1 : i < 0 ? 0 : i; }

    // Sum of a box below and to the right of (y, x), 0 where rounding makes it negative, and
    // where it is NaN, as Cython's max(0, sum) has it. WITHIN: it does not reach over the border.
    template <bool WITHIN> __device__ double box(Index y, Index x, Index height, Index width) const {
        if (!WITHIN) {
            y = inside(y, rows);
            x = inside(x, columns);
        }
        const Index bottom = WITHIN ? y + height : inside(y + height, rows);
        const Index right = WITHIN ? x + width : inside(x + width, columns);
        const double* const upper = sums + y * columns;
        const double* const lower = sums + bottom * columns;
        const double sum = upper[x] + lower[right] - upper[right] - lower[x];
        return is_above(sum, 0.0) ? sum : 0.0;
    }

    // The determinant at (y, x).
    __device__ double determinant(Index y, Index x, int size, double weight) const {
        const int reach = size / 2 + 2;
        const bool within = y >= reach && x >= reach && y < rows - reach && x < columns - reach;
        return within ? determinant_of<true>(y, x, size, weight) : determinant_of<false>(y, x, size, weight);
    }

    template <bool WITHIN> __device__ double determinant_of(Index y, Index x, int size, double weight) const {
        const int half = (size - 1) / 2, third = size / 3, two = 2 * third - 1;
        const double top_left = box<WITHIN>(y - third, x - third, third, third);
        const double bottom_right = box<WITHIN>(y + 1, x + 1, third, third);
        const double bottom_left = box<WITHIN>(y - third, x + 1, third, third);
        const double top_right = box<WITHIN>(y + 1, x - third, third, third);
        const double xy = __dmul_rn(-(bottom_left + top_right - top_left - bottom_right), weight);

        double all = box<WITHIN>(y - third + 1, x - half, two, size);
        double middle = box<WITHIN>(y - third + 1, x - third / 2, two, third);
        const double xx = __dmul_rn(-__dadd_rn(all, -__dmul_rn(3.0, middle)), weight);

        all = box<WITHIN>(y - half, x - third + 1, size, two);
        middle = box<WITHIN>(y - third / 2, x - third + 1, third, two);
        const double yy = __dmul_rn(-__dadd_rn(all, -__dmul_rn(3.0, middle)), weight);

        return __dadd_rn(__dmul_rn(xx, yy), -__dmul_rn(0.81, __dmul_rn(xy, xy)));
    }
};

template <class Index, class W>
__device__ inline void determinants(const double* sums, W* cube, i64 rows, i64 columns, i64 scales,
                                    const BoxSizes& sizes) {
    const IntegralImage<Index> image = {sums, (Index)rows, (Index)columns};
    const i64 count = scales * rows * columns, step = (i64)gridDim.x * blockDim.x;
    const bool narrow = count >> 32 == 0;
    for (i64 i = (i64)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += step) {
        i64 rest = i;
        const i64 x = split(rest, columns, narrow), y = split(rest, rows, narrow);
        cube[i] = (W)image.determinant((Index)y, (Index)x, sizes.size[rest], sizes.weight[rest]);
    }
}

template <class W>
__global__ void hessian_boxes(const double* sums, W* cube, i64 rows, i64 columns, i64 scales,
                              const __grid_constant__ BoxSizes sizes) {
    if (sizes.narrow)
        determinants<int>(sums, cube, rows, columns, scales, sizes);
    else
        determinants<i64>(sums, cube, rows, columns, scales, sizes);
}
