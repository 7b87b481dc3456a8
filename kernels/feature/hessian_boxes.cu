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

constexpr int THREADS = 256;
constexpr int COLUMNS = 8, ROWS = 4;  // that a block adds up at a time: few, so that a small image has many blocks

// body(r, c, i) for the elements of a tile of LINES lines, down columns or along rows, and LENGTH places; i is the
// place in the image, `first` that of the tile. On a GPU several of a line are on their way at a time, a CPU has
// vectors of a row.
template <bool DOWN, int LINES, int LENGTH, class Body>
__device__ inline void for_tile(i64 first, i64 columns, int height, int width, const Body& body) {
#ifdef SIM_FLAT
    for (int r = threadIdx.x; r < height; r += blockDim.x)
        for (int c = 0; c < width; ++c) body(r, c, first + r * columns + c);
#else
    constexpr int ALONG = THREADS / LINES;
    for (int t = threadIdx.x; t < THREADS; t += blockDim.x) {
        const int r = DOWN ? t / LINES : t / ALONG, c = DOWN ? t % LINES : t % ALONG;
        i64 i = first + r * columns + c;
        const i64 step = DOWN ? ALONG * columns : ALONG;
        const int count = DOWN ? c < width ? height - r : 0 : r < height ? width - c : 0;
#pragma unroll
        for (int k = 0; k < LENGTH; k += ALONG, i += step)
            if (k < count) body(DOWN ? r + k : r, DOWN ? c : c + k, i);
    }
#endif
}

// Running sums of LINES lines at a time, in tiles of LENGTH places: all threads of a block move a tile, one
// for each line adds up. load: of an element's place.
template <bool DOWN, int LINES, int LENGTH, class Load>
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
            for_tile<DOWN, LINES, LENGTH>(first, columns, height, width, [&](int r, int c, i64 i) {
                tile[r * PITCH + c] = load(i);
            });
            __syncthreads();
            const int count = DOWN ? height : width, there = DOWN ? width : height;
            for (int k = threadIdx.x; k < there; k += blockDim.x) {
                double* const own = tile + k * APART;
                if (place > 0) own[0] += before[k];
                running_sums(own, count, STEP, [&](int i) { return own[i * STEP]; });
                before[k] = own[(count - 1) * STEP];
            }
            __syncthreads();
            for_tile<DOWN, LINES, LENGTH>(first, columns, height, width, [&](int r, int c, i64 i) {
                sums[i] = tile[r * PITCH + c];
            });
            __syncthreads();  // before the next tile
        }
    }
}

template <class T>
__global__ void __launch_bounds__(THREADS, RESIDENT)
    sum_columns(const T* image, double* sums, i64 rows, i64 columns) {
    const auto load = [=](i64 i) { return img_as_float<double>(image[i]); };
    sum_lines<true, COLUMNS, 256>(sums, rows, columns, load);
}

__global__ void __launch_bounds__(THREADS, RESIDENT) sum_rows(double* sums, i64 rows, i64 columns) {
    sum_lines<false, ROWS, 512>(sums, rows, columns, [=](i64 i) { return sums[i]; });
}

constexpr int MOST_SCALES = 64;

// Of each scale the side of the largest box, and 1 / side / side. By value.
struct BoxSizes {
    double weight[MOST_SCALES];
    int size[MOST_SCALES];
    int narrow;  // whether an int holds all numbers of elements, and places that boxes and the grid reach
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
        return positive_part(upper[x] + lower[right] - upper[right] - lower[x]);
    }

    // The determinant at (y, x). The smallest boxes have many corners in common, which are read once.
    __device__ double determinant(Index y, Index x, int size, double weight) const {
        const int reach = size / 2 + 2;
        const bool within = y >= reach && x >= reach && y < rows - reach && x < columns - reach;
        if (!within) return determinant_of<false>(y, x, size, weight);
        return size == 3 ? determinant_of<true>(y, x, 3, weight) : determinant_of<true>(y, x, size, weight);
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

// Of one scale a block, tiles of HIGH x WIDE pixels.
constexpr int HIGH = 16, WIDE = 32;

template <class Index, class W>
__device__ inline void determinants(const double* sums, W* cube, i64 rows, i64 columns, const BoxSizes& sizes) {
    const IntegralImage<Index> image = {sums, (Index)rows, (Index)columns};
    const int size = sizes.size[blockIdx.z];
    const double weight = sizes.weight[blockIdx.z];
    W* const plane = cube + blockIdx.z * rows * columns;
    const Index left = (Index)(blockIdx.x * (i64)WIDE);
    for (Index top = (Index)(blockIdx.y * HIGH); top < image.rows; top += (Index)(gridDim.y * HIGH))
        for (int t = threadIdx.x; t < HIGH * WIDE; t += blockDim.x) {
            const Index y = top + t / WIDE, x = left + t % WIDE;
            if (y < image.rows && x < image.columns)
                plane[y * image.columns + x] = (W)image.determinant(y, x, size, weight);
        }
}

template <class W>
__global__ void __launch_bounds__(THREADS, RESIDENT)
    hessian_boxes(const double* sums, W* cube, i64 rows, i64 columns, const __grid_constant__ BoxSizes sizes) {
    if (sizes.narrow)
        determinants<int>(sums, cube, rows, columns, sizes);
    else
        determinants<i64>(sums, cube, rows, columns, sizes);
}
