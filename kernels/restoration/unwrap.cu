// Phase unwrapping: how reliable pixels and edges are, and what becomes of the image in the end.
//
//     reliabilities  of pixels: second differences, in all directions; at ends of axes mixed numbers
//     keys           of edges, the sum of both pixels'; the lowest is the most reliable one
//     unwrapped      the image and its increments
//     steps, added   the same along a line
//
// reliabilities reads 27 (9) neighbours and writes 8 bytes a pixel; keys reads 16 and writes 12 an edge.
//
// Source: scikit-image `restoration/unwrap_2d_ljmu.c` and `unwrap_3d_ljmu.c`, of M. Arevallilo Herraez,
// D. R. Burton, M. J. Lalor, M. A. Gdeisat, Applied Optics 41(35), 2002.
#include "restoration/phases.cuh"

constexpr int THREADS = 256;
constexpr double UNRELIABLE = 9999999;  // above what any phases between -pi and pi have

__device__ inline double wrap(double value) {
    return value > PI ? value - TWO_PI : value < -PI ? value + TWO_PI : value;
}

// The square of what the steps before and behind a value differ by.
__device__ inline double bend(double before, double value, double behind) {
    const double second = wrap(before - value) - wrap(value - behind);
    return second * second;
}

// Where one of the axes ends, and the others do not, its ends are joined if `wraps` says so. Pixels without
// all neighbours, for which scikit-image draws numbers, are joined last, those where most axes end after others.
template <int AXES>
__global__ void __launch_bounds__(THREADS, RESIDENT)
    reliabilities(const double* image, const __grid_constant__ Grid grid, double* result) {
    const i64 planes = grid.strides[0], rows = grid.strides[1], steps = grid.strides[2];
    for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < grid.pixels; i += (i64)gridDim.x * blockDim.x) {
        const i64 x = i / steps % grid.lengths[2], y = i / rows % grid.lengths[1], z = i / planes % grid.lengths[0];
        const bool left = x == 0, right = x == grid.lengths[2] - 1, top = y == 0, bottom = y == grid.lengths[1] - 1;
        const bool front = AXES == 3 && z == 0, back = AXES == 3 && z == grid.lengths[0] - 1;
        const bool ends_x = left || right, ends_y = top || bottom, ends_z = front || back;
        const bool is_joined = (!ends_x || grid.wraps[2]) && (!ends_y || grid.wraps[1]) && (!ends_z || grid.wraps[0]);
        const int ends = (int)ends_x + (int)ends_y + (int)ends_z;
        if (!is_joined || ends > 1) {
            result[i] = UNRELIABLE * ends;
            continue;
        }
        const i64 l = (left ? grid.lengths[2] - 1 : -1) * steps, r = (right ? 1 - grid.lengths[2] : 1) * steps;
        const i64 u = (top ? grid.lengths[1] - 1 : -1) * rows, d = (bottom ? 1 - grid.lengths[1] : 1) * rows;
        const double* const at = image + i;
        const double value = *at;
        double sum = bend(at[l], value, at[r]) + bend(at[u], value, at[d]);
        if (AXES == 3) {
            const i64 f = (front ? grid.lengths[0] - 1 : -1) * planes, b = (back ? 1 - grid.lengths[0] : 1) * planes;
            sum += bend(at[f], value, at[b]);
            sum += bend(at[u + l], value, at[d + r]);
            sum += bend(at[u + r], value, at[d + l]);
            sum += bend(at[f + u], value, at[b + d]);
            sum += bend(at[f + d], value, at[b + u]);
            sum += bend(at[f + l], value, at[b + r]);
            sum += bend(at[f + r], value, at[b + l]);
            sum += bend(at[f + u + l], value, at[b + d + r]);
            sum += bend(at[f + u + r], value, at[b + d + l]);
            sum += bend(at[f + d + l], value, at[b + u + r]);
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
    keys(const double* reliabilities, const __grid_constant__ Grid grid, double* result, int* odd) {
    for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < grid.edges; i += (i64)gridDim.x * blockDim.x) {
        const Edge edge = edge_of(grid, i);
        double key = reliabilities[edge.first] + reliabilities[edge.second];
        // ends of an axis that are to meet do so before others without all neighbours
        const bool joins_ends = edge.first > edge.second;
        if (joins_ends && key >= UNRELIABLE) key = UNRELIABLE / 2;
        result[i] = key;
        if (!(key - key == 0)) *odd = 1;
    }
}

// offsets: of pixels, how many times 2 pi are added; that of the head of all is to be 0
__global__ void __launch_bounds__(THREADS, RESIDENT)
    unwrapped(const double* image, const int* offsets, const int* head, i64 n, double* result) {
    const int base = offsets[*head];
    for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < n; i += (i64)gridDim.x * blockDim.x)
        result[i] = image[i] + TWO_PI * (offsets[i] - base);
}

__global__ void __launch_bounds__(THREADS, RESIDENT) steps(const double* image, i64 n, i64* periods) {
    for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < n; i += (i64)gridDim.x * blockDim.x)
        periods[i] = i ? find_wrap(image[i], image[i - 1]) : 0;
}

// periods: sums of steps
__global__ void __launch_bounds__(THREADS, RESIDENT) added(const double* image, const i64* periods, i64 n, double* result) {
    for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < n; i += (i64)gridDim.x * blockDim.x)
        result[i] = i ? image[i] + TWO_PI * periods[i] : image[i];
}
