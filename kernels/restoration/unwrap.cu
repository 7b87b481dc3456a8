// Phase unwrapping: how reliable pixels and edges are, and what becomes of the image in the end.
//
//     grow           C's random numbers, from those before them
//     reliabilities  of pixels: second differences, in all directions; at ends of axes random numbers
//     keys           of edges, the sum of both pixels'; the lowest is the most reliable one
//     unwrapped      the image and its increments
//     steps, added   the same along a line
//
// reliabilities reads 27 (9) neighbours and writes 8 bytes a pixel; keys reads 16 and writes 12 an edge.
//
// Source: scikit-image `restoration/unwrap_2d_ljmu.c` and `unwrap_3d_ljmu.c`, of M. Arevallilo Herraez,
// D. R. Burton, M. J. Lalor, M. A. Gdeisat, Applied Optics 41(35), 2002; glibc `stdlib/random_r.c`.
#include "common/products.cuh"
#include "restoration/phases.cuh"

constexpr int THREADS = 256;
constexpr int WORDS = 31;  // of the generator's state

struct Polynomial {
    u32 factors[WORDS];
};

// draws: the first `known` are there; those behind them come, up to n, each from WORDS that are
// `known` - WORDS places before. x[i + 31] = x[i + 28] + x[i] is a recurrence, so far steps are sums.
__global__ void __launch_bounds__(THREADS, RESIDENT)
    grow(const u32* before, i64 known, i64 n, const __grid_constant__ Polynomial far, u32* draws) {
    const i64 shift = known - WORDS, count = n - known;
    for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < count; i += (i64)gridDim.x * blockDim.x) {
        u32 sum = 0;
#pragma unroll
        for (int k = 0; k < WORDS; ++k) sum += far.factors[k] * before[known - shift + i + k];
        draws[known + i] = sum;
    }
}

__device__ inline double wrap(double value) {
    return value > PI ? value - TWO_PI : value < -PI ? value + TWO_PI : value;
}

// The square of what the steps before and behind a value differ by.
__device__ inline double bend(double before, double value, double behind) {
    const double second = wrap(before - value) - wrap(value - behind);
    return rounded_product(second, second);
}

// Where one of the axes ends, and the others do not, its ends are joined if `wraps` says so.
template <int AXES>
__global__ void __launch_bounds__(THREADS, RESIDENT)
    reliabilities(const double* image, const u32* draws, const __grid_constant__ Grid grid, double* result) {
    const i64 planes = grid.strides[0], rows = grid.strides[1];
    for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < grid.pixels; i += (i64)gridDim.x * blockDim.x) {
        const i64 x = i % grid.lengths[2], y = i / rows % grid.lengths[1], z = i / planes;
        const bool left = x == 0, right = x == grid.lengths[2] - 1, top = y == 0, bottom = y == grid.lengths[1] - 1;
        const bool front = AXES == 3 && z == 0, back = AXES == 3 && z == grid.lengths[0] - 1;
        const bool ends_x = left || right, ends_y = top || bottom, ends_z = front || back;
        const bool is_joined = (!ends_x || grid.wraps[2]) && (!ends_y || grid.wraps[1]) && (!ends_z || grid.wraps[0]);
        if (!is_joined || (int)ends_x + (int)ends_y + (int)ends_z > 1) {
            result[i] = (double)(draws[i] >> 1);
            continue;
        }
        const i64 l = left ? grid.lengths[2] - 1 : -1, r = right ? 1 - grid.lengths[2] : 1;
        const i64 u = (top ? grid.lengths[1] - 1 : -1) * rows, d = (bottom ? 1 - grid.lengths[1] : 1) * rows;
        const double* const at = image + i;
        const double value = *at;
        double sum = bend(at[l], value, at[r]) + bend(at[u], value, at[d]);
        if (AXES == 3) {
            const i64 f = (front ? grid.lengths[0] - 1 : -1) * planes, b = (back ? 1 - grid.lengths[0] : 1) * planes;
            sum += bend(at[f], value, at[b]);
            sum += bend(at[u + l], value, at[d + r]);
            sum += bend(at[u + r], value, at[d + l]);
            sum += bend(at[f + u + l], value, at[b + d + r]);
            // scikit-image adds these in another order at some of the ends
            const double up = bend(at[f + u], value, at[b + d]), corner = bend(at[f + u + r], value, at[b + d + l]);
            if (!right) sum += bottom || back ? corner : up;
            if (!right) sum += bottom || back ? up : corner;
            if (right) sum += corner;
            sum += bend(at[f + l], value, at[b + r]);
            sum += bend(at[f + r], value, at[b + l]);
            if (right) sum += up;
            sum += bend(at[f + d + l], value, at[b + u + r]);
            sum += bend(at[f + d], value, at[b + u]);
            sum += bend(at[f + d + r], value, at[b + u + l]);
        } else {
            sum += bend(at[u + l], value, at[d + r]);
            sum += bend(at[u + r], value, at[d + l]);
        }
        result[i] = sum;
    }
}

// odd: 1 where a key is no number; 0 before
__global__ void __launch_bounds__(THREADS, RESIDENT)
    keys(const double* reliabilities, const __grid_constant__ Grid grid, double* result, int* edges, int* odd) {
    for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < grid.edges; i += (i64)gridDim.x * blockDim.x) {
        const Edge edge = edge_of(grid, i);
        const double key = reliabilities[edge.first] + reliabilities[edge.second];
        result[i] = key;
        edges[i] = (int)i;
        if (!(key - key == 0)) *odd = 1;
    }
}

// offsets: of pixels, how many times 2 pi are added; that of the head of all is to be 0
__global__ void __launch_bounds__(THREADS, RESIDENT)
    unwrapped(const double* image, const int* offsets, const int* head, i64 n, double* result) {
    const int base = offsets[*head];
    for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < n; i += (i64)gridDim.x * blockDim.x)
        result[i] = plus_product(image[i], TWO_PI, (double)(offsets[i] - base));
}

__global__ void __launch_bounds__(THREADS, RESIDENT) steps(const double* image, i64 n, i64* periods) {
    for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < n; i += (i64)gridDim.x * blockDim.x)
        periods[i] = i ? find_wrap(image[i], image[i - 1]) : 0;
}

// periods: sums of steps
__global__ void __launch_bounds__(THREADS, RESIDENT) added(const double* image, const i64* periods, i64 n, double* result) {
    for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < n; i += (i64)gridDim.x * blockDim.x)
        result[i] = i ? plus_product(image[i], TWO_PI, (double)periods[i]) : image[i];
}
