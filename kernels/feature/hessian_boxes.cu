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

constexpr int LINES = 32, LENGTH = 128;

// body(r, c) for the elements of a tile. On a GPU several of a column are on their way at a time, a CPU has
// vectors of a row.
template <class Body> __device__ inline void for_tile(int height, int width, const Body& body) {
#ifdef SIM_FLAT
    for (int r = threadIdx.y; r < height; r += blockDim.y)
        for (int c = threadIdx.x; c < width; c += blockDim.x) body(r, c);
#else
    for (int c = threadIdx.x; c < width; c += blockDim.x)
#pragma unroll 8
        for (int r = threadIdx.y; r < height; r += blockDim.y) body(r, c);
#endif
}

// Running sums of LINES lines at a time, in tiles of LENGTH places: all threads of a block move a tile, one
// for each line adds up. Lines go down columns or along rows. load: of an element's place.
template <bool DOWN, class Load>
__device__ inline void sum_lines(double* sums, i64 rows, i64 columns, const Load& load) {
    constexpr int HIGH = DOWN ? LENGTH : LINES, WIDE = DOWN ? LINES : LENGTH, PITCH = WIDE + 1;
    constexpr int STEP = DOWN ? PITCH : 1, APART = DOWN ? 1 : PITCH;
    __shared__ double tile[HIGH * PITCH], before[LINES];
    const i64 lines = DOWN ? columns : rows, length = DOWN ? rows : columns;
    for (i64 line = (i64)blockIdx.x * LINES; line < lines; line += (i64)gridDim.x * LINES) {
        for (i64 place = 0; place < length; place += LENGTH) {
            const i64 y0 = DOWN ? place : line, x0 = DOWN ? line : place;
            const int height = rows - y0 < HIGH ? (int)(rows - y0) : HIGH;
            const int width = columns - x0 < WIDE ? (int)(columns - x0) : WIDE;
            const i64 first = y0 * columns + x0;
            for_tile(height, width, [&](int r, int c) { tile[r * PITCH + c] = load(first + r * columns + c); });
            __syncthreads();
            const int count = DOWN ? height : width, there = DOWN ? width : height;
            for (int k = threadIdx.y * blockDim.x + threadIdx.x; k < there; k += blockDim.x * blockDim.y) {
                double* const own = tile + k * APART;
                if (place > 0) own[0] += before[k];
                running_sums(own, count, STEP, [&](int i) { return own[i * STEP]; });
                before[k] = own[(count - 1) * STEP];
            }
            __syncthreads();
            for_tile(height, width, [&](int r, int c) { sums[first + r * columns + c] = tile[r * PITCH + c]; });
            __syncthreads();  // before the next tile
        }
    }
}

template <class T>
__global__ void __launch_bounds__(256, RESIDENT) sum_columns(const T* image, double* sums, i64 rows, i64 columns) {
    sum_lines<true>(sums, rows, columns, [=](i64 i) { return img_as_float<double>(image[i]); });
}

__global__ void __launch_bounds__(256, RESIDENT) sum_rows(double* sums, i64 rows, i64 columns) {
    sum_lines<false>(sums, rows, columns, [=](i64 i) { return sums[i]; });
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
