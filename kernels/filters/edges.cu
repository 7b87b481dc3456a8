// Edge filters of 2-D and 3-D images: gradients by sobel, scharr, prewitt and farid along
// any axes, roberts and its diagonals, laplace.
//
// A block marches through `MARCH` planes (2-D: the only one) of a tile of 64 x 32 (3-D:
// 64 x 8) elements. The planes that the stencil needs lie with their halos in a ring in
// shared memory, converted to the computing type:
//
//     1. the next plane and its halo into the ring
//     2. gradients or differences of the tile's elements, magnitude, mask, result
//
// Differences are taken before they are smoothed, so that a bright background costs a
// float32 image no digits.
//
// Image: bool, (u)int8..64, float16/32/64; integers scaled as by img_as_float. Result:
// float for float16 and float32, else double. Mask: one byte an element, nonzero inside.
// One launch; each element is read once and written once (the halos again, from cache).
// Shared memory: at most 33 kB.
//
// Source: scikit-image `filters.edges`, SciPy `ndimage.convolve`. The ring of planes:
// P. Micikevicius, "3D finite difference computation on GPUs using CUDA", GPGPU 2009.
#include "common/shared.cuh"
#include "common/split.cuh"
#include "common/tile.cuh"
#include "filters/edge_stencils.cuh"

// The image is (nz, ny, nx), with nz == 1 in 2-D. `mask` is read where MASKED.
template <int NDIM, bool MASKED, class T, class Stencil>
__device__ inline void filter_edges(const T* image, const u8* mask,
                                    typename Working<T>::type* result, i64 nz, i64 ny, i64 nx,
                                    int mode, double cval, const Stencil& stencil) {
    typedef typename Working<T>::type W;
    constexpr int R = Stencil::RADIUS;
    constexpr int WIDTH = 64, HEIGHT = NDIM == 3 ? 8 : 32, MARCH = NDIM == 3 ? 16 : 1;
    constexpr int PITCH = WIDTH + 2 * R, ROWS = HEIGHT + 2 * R;
    constexpr int PLANES = Window<W, NDIM, R, PITCH>::PLANES;
    DYN_SHARED(W, ring);  // PLANES * ROWS * PITCH

    const auto convert = [](T value) { return img_as_float<W>(value); };
    const Axis z_axis = {nz, ny * nx, mode}, y_axis = {ny, nx, mode}, x_axis = {nx, 1, mode};
    const i64 tiles_x = (nx + WIDTH - 1) / WIDTH, tiles_y = (ny + HEIGHT - 1) / HEIGHT;
    const i64 items = tiles_x * tiles_y * ((nz + MARCH - 1) / MARCH);
    const bool narrow = items >> 32 == 0;
    for (i64 item = blockIdx.x; item < items; item += gridDim.x) {
        i64 rest = item;
        const i64 x0 = split(rest, tiles_x, narrow) * WIDTH;
        const i64 y0 = (NDIM == 3 ? split(rest, tiles_y, narrow) : rest) * HEIGHT;
        const i64 z0 = NDIM == 3 ? rest * MARCH : 0;
        const int width = nx - x0 < WIDTH ? (int)(nx - x0) : WIDTH;
        const int height = ny - y0 < HEIGHT ? (int)(ny - y0) : HEIGHT;
        const int depth = nz - z0 < MARCH ? (int)(nz - z0) : MARCH;

        // plane z0 + p - (PLANES - 1) / 2 of the image is in slot p % PLANES of the ring
        for (int p = 0; p < depth + PLANES - 1; ++p) {
            // 1
            const i64 z = boundary_index(z0 + p - PLANES / 2, nz, mode);
            W* const slot = ring + p % PLANES * (ROWS * PITCH);
            if (z >= 0) {
                load_tile(slot, PITCH, image + z * z_axis.stride, y_axis, x_axis, y0 - R, x0 - R,
                          height + 2 * R, width + 2 * R, (W)cval, convert);
            } else {
                for (int r = threadIdx.y; r < height + 2 * R; r += blockDim.y)
                    for (int c = threadIdx.x; c < PITCH; c += blockDim.x)
                        slot[r * PITCH + c] = (W)cval;
            }
            if (p < PLANES - 1) continue;
            __syncthreads();
            // 2
            i64 place = (z0 + p - (PLANES - 1)) * z_axis.stride + (y0 + threadIdx.y) * nx + x0;
            for (int r = threadIdx.y; r < height; r += blockDim.y, place += blockDim.y * nx)
                for (int c = threadIdx.x * LANES; c < width; c += blockDim.x * LANES) {
                    Window<W, NDIM, R, PITCH> window;
#pragma unroll
                    for (int k = 0; k < PLANES; ++k)
                        window.plane[k] = ring + (p + 1 + k) % PLANES * (ROWS * PITCH) + (r + R) * PITCH + (c + R);
                    W value[LANES];
                    stencil(value, window);
                    const int count = width - c < LANES ? width - c : LANES;
                    if (MASKED)
                        for (int l = 0; l < count; ++l)
                            if (!eroded<NDIM>(mask, nz, ny, nx, z0 + p - (PLANES - 1), y0 + r, x0 + c + l))
                                value[l] = stencil.outside(value[l], window, l);
                    W* const here = result + place + c;
                    if (LANES > 1 && count == LANES) {
                        for (int l = 0; l < LANES; ++l) here[l] = value[l];
                    } else {
                        for (int l = 0; l < count; ++l) here[l] = value[l];
                    }
                }
            __syncthreads();  // before the next plane goes into the ring
        }
    }
}

template <class T, int NDIM, class Stencil>
__global__ void __launch_bounds__(256, RESIDENT - 1)
    edges(const T* image, typename Working<T>::type* result, i64 nz, i64 ny, i64 nx, int mode,
          double cval, const __grid_constant__ Stencil stencil) {
    filter_edges<NDIM, false>(image, nullptr, result, nz, ny, nx, mode, cval, stencil);
}

template <class T, int NDIM, class Stencil>
__global__ void __launch_bounds__(256, RESIDENT - 1)
    edges_masked(const T* image, const u8* mask, typename Working<T>::type* result, i64 nz,
                 i64 ny, i64 nx, int mode, double cval, const __grid_constant__ Stencil stencil) {
    filter_edges<NDIM, true>(image, mask, result, nz, ny, nx, mode, cval, stencil);
}
