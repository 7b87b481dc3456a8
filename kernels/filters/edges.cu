// Edge filters of 2-D and 3-D images: gradients by sobel, scharr, prewitt and farid along
// any axes, roberts and its diagonals, laplace.
//
// Of a plane a block filters tiles of 64 x 16 elements, and a thread four rows of a column, so that it reads
// each row of neighbours once:
//
//     1. the tile and its halo into shared memory, converted to the computing type
//     2. gradients or differences of the tile's elements, magnitude, mask, result
//
// Of a volume a block marches through `MARCH` planes of a tile of 64 x 8 elements. The planes that
// the stencil needs lie with their halos in a ring in shared memory; 1 loads the next one.
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

// A plane of ny x nx elements. The grid has a block for each 64 columns and, along its other axes, 16 rows.
// `mask` is read where MASKED.
template <bool MASKED, class T, class Stencil>
__device__ inline void filter_plane(const T* image, const u8* mask, typename Working<T>::type* result,
                                    i64 ny, i64 nx, int mode, double cval, const Stencil& stencil) {
    typedef typename Working<T>::type W;
    constexpr int R = Stencil::RADIUS, WIDTH = 64, HEIGHT = 16, RUN = 4, PITCH = WIDTH + 2 * R;
    constexpr u32 ELEMENTS = (HEIGHT + 2 * R) * PITCH, THREADS = 256;
    DYN_SHARED(W, tile);  // ELEMENTS

    const u32 thread = threadIdx.y * blockDim.x + threadIdx.x, threads = blockDim.x * blockDim.y;
    const i64 x0 = (i64)blockIdx.x * WIDTH, y0 = ((i64)blockIdx.z * gridDim.y + blockIdx.y) * HEIGHT;
    if (y0 >= ny) return;
    const int width = nx - x0 < WIDTH ? (int)(nx - x0) : WIDTH;
    const int height = ny - y0 < HEIGHT ? (int)(ny - y0) : HEIGHT;
    const auto convert = [](T value) { return img_as_float<W>(value); };
    // 1, without boundaries where tile and halo lie inside of the image
    if (threads == THREADS && nx >> 26 == 0 && x0 > 0 && y0 > 0 && nx - x0 >= WIDTH + R && ny - y0 >= HEIGHT + R) {
        const T* const corner = image + ((y0 - R) * nx + (x0 - R));
        const u32 jump = (u32)nx - PITCH;  // from the end of a row of the tile to the next one
#pragma unroll
        for (u32 n = 0; n < ELEMENTS; n += THREADS) {
            const u32 k = n + thread;
            if (n + THREADS <= ELEMENTS || k < ELEMENTS) tile[k] = convert(corner[k / PITCH * jump + k]);
        }
    } else {
        load_tile(tile, PITCH, image, {ny, nx, mode}, {nx, 1, mode}, y0 - R, x0 - R, height + 2 * R,
                  width + 2 * R, (W)cval, convert);
    }
    __syncthreads();
    // 2
    constexpr u32 ACROSS = WIDTH / LANES;
    for (u32 k = thread; k < HEIGHT / RUN * ACROSS; k += threads) {
        const int r = k / ACROSS * RUN, c = k % ACROSS * LANES;
        if (r >= height || c >= width) continue;
        const int rows = height - r, count = width - c < LANES ? width - c : LANES;
        Window<W, 2, R, PITCH> window = {{tile + (r + R) * PITCH + (c + R)}};
        W value[RUN][LANES];
        stencil.march(value, window);
        W* here = result + ((y0 + r) * nx + (x0 + c));
#pragma unroll
        for (int i = 0; i < RUN; ++i, here += nx) {
            if (i > 0 && i >= rows) break;
            if (MASKED) {
                for (int l = 0; l < count; ++l)
                    if (!eroded<2>(mask, 1, ny, nx, 0, y0 + r + i, x0 + c + l))
                        value[i][l] = stencil.outside(value[i][l], window, l);
                window.plane[0] += PITCH;
            }
            if (LANES == 1 || count == LANES) {
                for (int l = 0; l < LANES; ++l) here[l] = value[i][l];
            } else {
                for (int l = 0; l < count; ++l) here[l] = value[i][l];
            }
        }
    }
}

// A volume of nz x ny x nx elements. `mask` is read where MASKED.
template <bool MASKED, class T, class Stencil>
__device__ inline void filter_volume(const T* image, const u8* mask,
                                     typename Working<T>::type* result, i64 nz, i64 ny, i64 nx,
                                     int mode, double cval, const Stencil& stencil) {
    typedef typename Working<T>::type W;
    constexpr int R = Stencil::RADIUS;
    constexpr int WIDTH = 64, HEIGHT = 8, MARCH = 16;
    constexpr int PITCH = WIDTH + 2 * R, ROWS = HEIGHT + 2 * R;
    constexpr int PLANES = Window<W, 3, R, PITCH>::PLANES;
    DYN_SHARED(W, ring);  // PLANES * ROWS * PITCH

    const auto convert = [](T value) { return img_as_float<W>(value); };
    const Axis z_axis = {nz, ny * nx, mode}, y_axis = {ny, nx, mode}, x_axis = {nx, 1, mode};
    const i64 tiles_x = (nx + WIDTH - 1) / WIDTH, tiles_y = (ny + HEIGHT - 1) / HEIGHT;
    const i64 items = tiles_x * tiles_y * ((nz + MARCH - 1) / MARCH);
    const bool narrow = items >> 32 == 0;
    for (i64 item = blockIdx.x; item < items; item += gridDim.x) {
        i64 rest = item;
        const i64 x0 = split(rest, tiles_x, narrow) * WIDTH;
        const i64 y0 = split(rest, tiles_y, narrow) * HEIGHT;
        const i64 z0 = rest * MARCH;
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
                    Window<W, 3, R, PITCH> window;
#pragma unroll
                    for (int k = 0; k < PLANES; ++k)
                        window.plane[k] = ring + (p + 1 + k) % PLANES * (ROWS * PITCH) + (r + R) * PITCH + (c + R);
                    W value[LANES];
                    stencil(value, window);
                    const int count = width - c < LANES ? width - c : LANES;
                    if (MASKED)
                        for (int l = 0; l < count; ++l)
                            if (!eroded<3>(mask, nz, ny, nx, z0 + p - (PLANES - 1), y0 + r, x0 + c + l))
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
__global__ void __launch_bounds__(256, NDIM == 2 ? RESIDENT : FEWER)
    edges(const T* image, typename Working<T>::type* result, i64 nz, i64 ny, i64 nx, int mode,
          double cval, const __grid_constant__ Stencil stencil) {
    if constexpr (NDIM == 2)
        filter_plane<false>(image, nullptr, result, ny, nx, mode, cval, stencil);
    else
        filter_volume<false>(image, nullptr, result, nz, ny, nx, mode, cval, stencil);
}

template <class T, int NDIM, class Stencil>
__global__ void __launch_bounds__(256, NDIM == 2 ? RESIDENT : FEWER)
    edges_masked(const T* image, const u8* mask, typename Working<T>::type* result, i64 nz,
                 i64 ny, i64 nx, int mode, double cval, const __grid_constant__ Stencil stencil) {
    if constexpr (NDIM == 2)
        filter_plane<true>(image, mask, result, ny, nx, mode, cval, stencil);
    else
        filter_volume<true>(image, mask, result, nz, ny, nx, mode, cval, stencil);
}
