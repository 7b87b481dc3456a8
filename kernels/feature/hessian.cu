// The Hessian of a smoothed 2-D image by differences, and what is made of it: its determinant,
// the shape index. smooth_tile.cuh has the smoothing.
//
// Image: bool, (u)int8..64, float16/32/64; integers scaled as by img_as_float. Results: float
// for float16 and float32, else double. One launch; each element is read once (its neighbours
// again, from cache), each result is written once. Shared memory: at most 48 kB.
//
// Source: scikit-image `feature.hessian_matrix`, `hessian_matrix_det`, `shape_index`
// (J. J. Koenderink and A. J. van Doorn 1992), NumPy `gradient`, SciPy
// `ndimage.gaussian_filter`.
#include "feature/second_slopes.cuh"
#include "feature/smooth_tile.cuh"

enum HessianKind { DETERMINANT = 0, SHAPE_INDEX = 1 };

// take(place, elements) for each element of the image: (0, 0), (0, 1), (1, 1) of its Hessian.
// Called by all threads of all blocks.
template <class S, class T, class Taps, class Take>
__device__ inline void for_hessians(S* shared, const Plane<T>& plane, const SmoothSize& size,
                                    const Taps& taps, Take take) {
    const i64 rows = plane.rows, columns = plane.columns;
    SmoothTile<S> tile;
    tile.pitch = smooth_pitch(size, taps.radius_b);
    tile.elements = shared;
    S* const mid = shared + raw_elements(size, tile.pitch, taps.radius_a);
    for (i64 item = blockIdx.x; place_tile(tile, item, rows, columns, size); item += gridDim.x) {
        smooth(shared, mid, tile, plane, taps, [](T value) { return img_as_float<S>(value); });
        __syncthreads();
        const bool whole = tile.is_whole(size);
        const S* const first = tile.elements + ((int)(tile.y0 - tile.top) * tile.pitch + (int)(tile.x0 - tile.left));
        for (int r = threadIdx.y; r < tile.height; r += blockDim.y)
            for (int c = threadIdx.x; c < tile.width; c += blockDim.x) {
                const i64 y = tile.y0 + r, x = tile.x0 + c;
                const S* const here = first + (r * tile.pitch + c);
                S elements[3];
                set_hessian(elements, here, tile.pitch, whole, y, x, rows, columns);
                take(y * columns + x, elements);
            }
        __syncthreads();  // before the next tile
    }
}

// rr, rc, cc: elements (0, 0), (0, 1) and (1, 1).
template <class T, class Taps = typename TapsOf<T>::type>
__global__ void __launch_bounds__(256, IN_FLOATS ? RESIDENT - 1 : RESIDENT)
    hessian_matrix(const T* image, typename Working<T>::type* rr, typename Working<T>::type* rc,
                   typename Working<T>::type* cc, i64 rows, i64 columns, int mode, double cval,
                   const SmoothSize size, const __grid_constant__ Taps taps) {
    typedef typename Working<T>::type S;
    DYN_SHARED(S, shared);
    for_hessians(shared, Plane<T>{image, rows, columns, mode, cval}, size, taps,
                 [&](i64 place, const S (&hessian)[3]) {
                     rr[place] = hessian[0];
                     rc[place] = hessian[1];
                     cc[place] = hessian[2];
                 });
}

// As scikit-image rounds it: a flat surface, where this is 0 / 0, is decided by an equality.
template <class S> __device__ inline S shape_index_of(const S (&hessian)[3]) {
    const S mean = (hessian[0] + hessian[2]) / 2, half = (hessian[0] - hessian[2]) / 2;
    const S root = sqrt(rounded_product(hessian[1], hessian[1]) + rounded_product(half, half));
    const S large = mean + root, small = mean - root;
    return (S)0.63661977236758134308 * atan((small + large) / (small - large));
}

template <class T, class Taps = typename TapsOf<T>::type>
__global__ void __launch_bounds__(256, IN_FLOATS ? RESIDENT - 1 : RESIDENT)
    of_hessian(const T* image, typename Working<T>::type* result, i64 rows, i64 columns, int mode,
               double cval, const SmoothSize size, const __grid_constant__ Taps taps,
               int kind) {
    typedef typename Working<T>::type S;
    DYN_SHARED(S, shared);
    for_hessians(shared, Plane<T>{image, rows, columns, mode, cval}, size, taps,
                 [&](i64 place, const S (&hessian)[3]) {
                     double matrix[2][2] = {{hessian[0], hessian[1]}, {hessian[1], hessian[2]}};
                     result[place] =
                         kind == SHAPE_INDEX ? shape_index_of(hessian) : (S)determinant(matrix);
                 });
}
