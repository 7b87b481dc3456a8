// The Hessian of a volume by differences, and its determinant: smoothing along the last two axes
// by Gaussians of a radius up to 16, or along the last one alone of up to 120 (RowTaps), and what
// is made of the smoothed elements. Along the other axes others have smoothed it (gaussian.cu,
// gaussian_line.cu).
//
// A block goes down a column of tiles, plane by plane:
//
//     1. a tile of the plane and its halo, smoothed (smooth_tile.cuh)
//     2. into the ring of the last five planes, as many as differences of differences reach
//     3. results of the plane two before; after the volume's last plane also of this and the
//        one before
//
// Volume: float or double, C-contiguous. Results: of its type; the matrix as a stack of its six
// elements' volumes, the upper triangle row by row. One launch; each element is read once (halos
// again, from cache), each result is written once. Shared memory: at most 48 kB.
//
// Source: scikit-image `feature.hessian_matrix`, `hessian_matrix_det`, NumPy `gradient`, SciPy
// `ndimage.gaussian_filter`.
#include "feature/second_slopes.cuh"
#include "feature/smooth_tile.cuh"

constexpr int RING = 5;
constexpr int DEPTH = 16;  // planes of results that a block makes one after the other

// into(place, slopes, get) for each element of the volume, C-contiguous.
//
// shared  raw, mid as smooth_tile.cuh has them, and RING * (height + 4) * (width + 4) elements
//
// Called by all threads of all blocks.
template <class W, class Taps, class Into>
__device__ inline void for_planes(W* shared, const Plane<W>& first, i64 depth, const SmoothSize& size,
                                  const Taps& taps, const Into& into) {
    const i64 rows = first.rows, columns = first.columns;
    SmoothTile<W> tile;
    tile.pitch = smooth_pitch(size, taps.radius_b);
    tile.elements = shared;
    W* const mid = shared + raw_elements(size, tile.pitch, taps.radius_a);
    W* const ring = mid + raw_elements(size, tile.pitch, 0);
    const int ring_pitch = size.width + 2 * size.margin;
    const int ring_plane = (size.height + 2 * size.margin) * ring_pitch;
    const i64 tiles = ((rows + size.height - 1) / size.height) * ((columns + size.width - 1) / size.width);

    for (i64 item = blockIdx.x; item < tiles * ((depth + DEPTH - 1) / DEPTH); item += gridDim.x) {
        place_tile(tile, item % tiles, rows, columns, size);
        const i64 begin = item / tiles * DEPTH, end = begin + DEPTH < depth ? begin + DEPTH : depth;
        const i64 stop = end + 2 < depth ? end + 2 : depth;
        for (i64 there = begin < 2 ? 0 : begin - 2; there < stop; ++there) {
            // 1
            Plane<W> plane = first;
            plane.image += there * rows * columns;
            smooth(shared, mid, tile, plane, taps, [](W value) { return value; });
            __syncthreads();
            // 2
            W* const slot = ring + (int)(there % RING) * ring_plane;
            for (int r = threadIdx.y; r < tile.smooth_rows; r += blockDim.y)
                for (int c = threadIdx.x; c < tile.smooth_columns; c += blockDim.x)
                    slot[r * ring_pitch + c] = shared[r * tile.pitch + c];
            __syncthreads();
            // 3
            for (i64 z = there - 2; z <= (there == depth - 1 ? there : there - 2); ++z) {
                if (z < begin || z >= end) continue;
                const int middle = (int)(z % RING);
                for (int r = threadIdx.y; r < tile.height; r += blockDim.y)
                    for (int c = threadIdx.x; c < tile.width; c += blockDim.x) {
                        const i64 y = tile.y0 + r, x = tile.x0 + c;
                        const int here = (int)(y - tile.top) * ring_pitch + (int)(x - tile.left);
                        const SecondSlopes<3> slopes = {{z, y, x}, {depth, rows, columns}};
                        into((z * rows + y) * columns + x, slopes, [&](const int (&to)[3]) {
                            int slot = middle + to[0];
                            slot += slot < 0 ? RING : slot >= RING ? -RING : 0;
                            return ring[slot * ring_plane + here + to[1] * ring_pitch + to[2]];
                        });
                    }
            }
            // `raw` and `mid` are free for the next plane, and the ring behind its barriers
        }
    }
}

template <class W, class Taps = typename TapsOf<W>::type>
__global__ void __launch_bounds__(256, 2)
    hessian_3d(const W* volume, W* results, i64 depth, i64 rows, i64 columns, int mode, double cval,
               const SmoothSize size, const __grid_constant__ Taps taps) {
    DYN_SHARED(W, shared);
    for_planes(shared, Plane<W>{volume, rows, columns, mode, cval}, depth, size, taps,
               MatrixInto<W>{results, depth * rows * columns});
}

template <class W, class Taps = typename TapsOf<W>::type>
__global__ void __launch_bounds__(256, 2)
    determinant_3d(const W* volume, W* result, i64 depth, i64 rows, i64 columns, int mode,
                   double cval, const SmoothSize size, const __grid_constant__ Taps taps) {
    DYN_SHARED(W, shared);
    for_planes(shared, Plane<W>{volume, rows, columns, mode, cval}, depth, size, taps,
               DeterminantInto<W>{result});
}
