// The iterations of Richardson and Lucy with small point spread functions, in planes. Two kernels in turn:
//
//     ratios      the image divided by the estimate that was blurred
//     corrected   the estimate multiplied by the ratios that were blurred with the mirrored function
//
// A block blurs a tile of 32 x 32 elements, product by product, in double; what is beyond the plane is 0. Shared
// memory: the tile with its halo, and the function. A launch reads its arrays once (halos again, from cache) and
// writes its result once.
//
// Source: skimage/restoration/deconvolution.py, after Richardson, J. Opt. Soc. Am. 62 (1972), and Lucy, Astron. J.
// 79 (1974).
#include "common/any_type.cuh"
#include "common/shared.cuh"
#include "common/tile.cuh"
#include "restoration/relative_blur.cuh"

constexpr int TILE = 32, RUN = 4;

struct Plane {
    i64 ny, nx;
    int height, width;  // of the function
};

// finish(i, sum) for each element i of the plane: the sum of what is around it, `weights` reading from left to right.
template <class Finish>
__device__ inline void blurred(const double* plane, const double* weights, const Plane& p, Finish finish) {
    DYN_SHARED(double, tile);
    const int pitch = TILE + p.width - 1, rows = TILE + p.height - 1, taps = p.height * p.width;
    double* const tap = tile + rows * pitch;
    for (int k = threadIdx.y * blockDim.x + threadIdx.x; k < taps; k += blockDim.x * blockDim.y) tap[k] = weights[k];
    const Axis y_axis = {p.ny, p.nx, CONSTANT}, x_axis = {p.nx, 1, CONSTANT};
    const i64 x = blockIdx.x * (i64)TILE, down = (i64)gridDim.y * gridDim.z * TILE;
    const int columns = p.nx - x < TILE ? (int)(p.nx - x) : TILE;
    for (i64 y = (blockIdx.z * (i64)gridDim.y + blockIdx.y) * TILE; y < p.ny; y += down) {
        const int lines = p.ny - y < TILE ? (int)(p.ny - y) : TILE;
        load_columns(tile, pitch, plane, y_axis, x_axis, y - p.height / 2, x - p.width / 2, rows, pitch, 0.0,
                     [](double element) { return element; });
        __syncthreads();
        for_strips<RUN>(lines, columns, [&](int r, int c) {
            double sums[RUN][LANES] = {}, held[RUN][LANES];
            for (int j = 0; j < p.width; ++j) {
                const double* element = tile + r * pitch + c + j;
#pragma unroll
                for (int k = 0; k < RUN - 1; ++k, element += pitch)
                    for (int lane = 0; lane < LANES; ++lane) held[k][lane] = element[lane];
#pragma unroll 4
                for (int i = 0; i < p.height; ++i, element += pitch) {
                    const double weight = tap[i * p.width + j];
#pragma omp simd
                    for (int lane = 0; lane < LANES; ++lane) {
                        held[RUN - 1][lane] = element[lane];
#pragma unroll
                        for (int k = 0; k < RUN; ++k) sums[k][lane] = fma(held[k][lane], weight, sums[k][lane]);
#pragma unroll
                        for (int k = 0; k < RUN - 1; ++k) held[k][lane] = held[k + 1][lane];
                    }
                }
            }
            i64 first = (y + r) * p.nx + x + c;
            const int run = lines - r, across = columns - c;
#pragma unroll
            for (int k = 0; k < RUN; ++k, first += p.nx)
                for (int lane = 0; lane < LANES; ++lane)
                    if (k < run && lane < across) finish(first + lane, sums[k][lane]);
        });
        __syncthreads();  // before the next tile
    }
}

// ratios: 0 where the estimate is below `least`. odd becomes 1 where an element of the image is not below `most`,
// whatever its sign.
__global__ void __launch_bounds__(256, RESIDENT)
ratios(const double* estimate, const void* image, int type, const double* weights, const __grid_constant__ Plane plane,
       double least, double most, double* result, u32* odd) {
    bool seen = false;
    blurred(estimate, weights, plane, [&](i64 i, double sum) {
        const double pixel = load_any<double, 1>(image, type, i).item[0];
        result[i] = relative_blur(pixel, sum, least);
        seen = seen || !(fabs(pixel) < most);
    });
    if (seen) atomicOr(odd, 1u);
}

// `result` may be the estimate. odd as above, of the result.
__global__ void __launch_bounds__(256, RESIDENT)
corrected(const double* ratios, const double* weights, const __grid_constant__ Plane plane, double most,
          const double* estimate, double* result, u32* odd) {
    bool seen = false;
    blurred(ratios, weights, plane, [&](i64 i, double sum) {
        const double value = estimate[i] * sum;
        result[i] = value;
        seen = seen || !(fabs(value) < most);
    });
    if (seen) atomicOr(odd, 1u);
}
