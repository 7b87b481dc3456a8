// Intensities, edges and textures of a plane that was smoothed in several ways.
//
// What: a block makes all features of a tile of 64 x 16 elements, of one smoothed plane after the other; a thread
// those of four rows of a column:
//
//     1. the tile and a halo of 2 into shared memory
//     2. the element itself, Sobel's magnitude, both eigenvalues of the Hessian by differences; 16 bytes at a time
//        where there are all four
//
// smooth: `count` planes of ny x nx elements. result: `step` features for each element, of which these begin at
// `first`. One launch; each plane is read once (halos again, from cache), each feature written once.
//
// Source: scikit-image `feature.multiscale_basic_features`, `filters.sobel`, NumPy `gradient`.
#include "common/pack.cuh"
#include "common/shared.cuh"
#include "feature/eigenvalues.cuh"
#include "feature/second_slopes.cuh"
#include "filters/edge_stencils.cuh"

constexpr int WIDTH = 64, HEIGHT = 16, RUN = 4, HALO = 2, PITCH = WIDTH + 2 * HALO;

enum Kinds { INTENSITY = 1, EDGES = 2, TEXTURE = 4, ALL = 7 };

// Called by any thread for an element, whose smoothed one is at `here` in the tile.
__device__ inline Eigenvalues<float> texture(const float* here, i64 y, i64 x, i64 ny, i64 nx) {
    float hessian[3];
    const bool inside = y >= HALO && x >= HALO && y < ny - HALO && x < nx - HALO;
    set_hessian(hessian, here, PITCH, inside, y, x, ny, nx);
    return eigenvalues_of<float>(hessian[0], hessian[1], hessian[2]);
}

__global__ void __launch_bounds__(256, RESIDENT)
basic_features(const float* smooth, i64 count, i64 ny, i64 nx, int kinds, i64 first, i64 step, float* result,
               const __grid_constant__ Gradient<float, 1> sobel) {
    DYN_SHARED(float, tile);  // (HEIGHT + 2 * HALO) * PITCH
    const int thread = threadIdx.y * blockDim.x + threadIdx.x, threads = blockDim.x * blockDim.y;
    const i64 x0 = (i64)blockIdx.x * WIDTH, y0 = ((i64)blockIdx.z * gridDim.y + blockIdx.y) * HEIGHT;
    if (y0 >= ny) return;
    const int width = nx - x0 < WIDTH ? (int)(nx - x0) : WIDTH, height = ny - y0 < HEIGHT ? (int)(ny - y0) : HEIGHT;
    const bool aligned = kinds == ALL && step % 4 == 0 && first % 4 == 0 && is_aligned(result);
    for (i64 k = 0; k < count; ++k, smooth += ny * nx) {
        // 1
        load_columns(tile, PITCH, smooth, {ny, nx, REFLECT}, {nx, 1, REFLECT}, y0 - HALO, x0 - HALO,
                     height + 2 * HALO, width + 2 * HALO, 0.0f, [](float element) { return element; });
        __syncthreads();
        // 2
        constexpr int ACROSS = WIDTH / LANES;
        for (int item = thread; item < HEIGHT / RUN * ACROSS; item += threads) {
            const int r = item / ACROSS * RUN, c = item % ACROSS * LANES;
            if (r >= height || c >= width) continue;
            const float* const corner = tile + (r + HALO) * PITCH + (c + HALO);
            float edges[RUN][LANES];
            if (kinds & EDGES) sobel.march(edges, Window<float, 2, 1, PITCH>{{corner}});
            const int rows = height - r, columns = width - c;
            float* features = result + ((y0 + r) * nx + x0 + c) * step + first;
#pragma unroll
            for (int i = 0; i < RUN; ++i, features += nx * step) {
                for (int l = 0; l < LANES; ++l) {
                    if (i >= rows || l >= columns) break;
                    const float* const here = corner + i * PITCH + l;
                    Eigenvalues<float> values = {0, 0};
                    if (kinds & TEXTURE) values = texture(here, y0 + r + i, x0 + c + l, ny, nx);
                    float* into = features + l * step;
                    if (aligned) {
                        store_pack(into, Pack<float, 4>{{*here, edges[i][l], values.large, values.small}}, true);
                        continue;
                    }
                    if (kinds & INTENSITY) *into++ = *here;
                    if (kinds & EDGES) *into++ = edges[i][l];
                    if (kinds & TEXTURE) {
                        into[0] = values.large;
                        into[1] = values.small;
                    }
                }
            }
        }
        first += (kinds & INTENSITY ? 1 : 0) + (kinds & EDGES ? 1 : 0) + (kinds & TEXTURE ? 2 : 0);
        __syncthreads();  // before the next plane
    }
}
