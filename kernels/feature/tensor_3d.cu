// Products of Sobel's slopes along the three axes of a volume, smoothed by a Gaussian along the
// first one: what its structure tensor is made of. The other axes are smoothed by other launches
// (gaussian.cu). structure_tensor.cu is the way of two axes.
//
// A thread computes a few neighbours along the first axis. It goes over all places whose products
// they need, makes the slopes there from the 27 elements around, which it finds in cache as a
// rule, and adds the products to the sums.
//
// Image: bool, (u)int8..64, float16/32/64; integers scaled as by img_as_float. Results: float
// for float16 and float32, else double, and computed in that; a stack of six arrays, elements
// (0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2) of the tensor. One launch; each element is read
// once, each result is written once. No shared memory. Radius: up to 16.
//
// Source: scikit-image `feature.structure_tensor`, SciPy `ndimage.sobel` and
// `ndimage.gaussian_filter`.
#include "feature/slopes.cuh"
#include "filters/gaussian_pair.cuh"

constexpr int PRODUCTS = 6;

// [1, 2, 1] along both axes.
template <class W> __device__ inline W smoothed(const W (&plane)[3][3]) {
    return smoothed(smoothed(plane[0][0], plane[1][0], plane[2][0]), smoothed(plane[0][1], plane[1][1], plane[2][1]),
                    smoothed(plane[0][2], plane[1][2], plane[2][2]));
}

// An element and its 26 neighbours.
template <class W> struct Cube {
    W at[3][3][3];

    // The slope along an axis, with scikit-image's roundings.
    template <int AXIS> __device__ W slope() const {
        W plane[3][3];
#pragma unroll
        for (int a = 0; a < 3; ++a)
#pragma unroll
            for (int b = 0; b < 3; ++b)
                plane[a][b] = AXIS == 0   ? difference<false>(at[0][a][b], at[1][a][b], at[2][a][b])
                              : AXIS == 1 ? difference<false>(at[a][0][b], at[a][1][b], at[a][2][b])
                                          : difference<false>(at[a][b][0], at[a][b][1], at[a][b][2]);
        return smoothed(plane);
    }
};

// Three neighbours along an axis: what each adds to the address, or -1 where zero stands.
struct Steps {
    i64 to[3];
    __device__ Steps(i64 index, i64 length, i64 stride, int mode) {
#pragma unroll 1
        for (int d = 0; d < 3; ++d) {
            const i64 there = boundary_index(index + d - 1, length, mode);
            const i64 step = there < 0 ? -1 : there * stride;
            // moved up, since at a place that only a loop knows it would lie in local memory
            to[0] = to[1];
            to[1] = to[2];
            to[2] = step;
        }
    }
};

template <class T>
__global__ void __launch_bounds__(256, 1)
    tensor_3d(const T* image, typename Working<T>::type* results, i64 depth, i64 rows, i64 columns,
              int mode, const __grid_constant__ PairTaps<typename Working<T>::type> taps) {
    typedef typename Working<T>::type W;
    constexpr int RUN = 32 / (int)sizeof(W);  // results of a thread
    const int radius = taps.radius_a;
    const i64 plane = rows * columns;
    const i64 items = (depth + RUN - 1) / RUN * plane, threads = (i64)gridDim.x * blockDim.x;
    for (i64 item = (i64)blockIdx.x * blockDim.x + threadIdx.x; item < items; item += threads) {
        const i64 first = item / plane * RUN, place = item % plane;
        const Steps down(place / columns, rows, columns, mode);
        const Steps across(place % columns, columns, 1, mode);
        W sums[RUN][PRODUCTS] = {};
#pragma unroll 1
        for (int there = -radius; there < RUN + radius; ++there) {
            const i64 index = boundary_index(first + there, depth, mode);
            if (index < 0) continue;
            const Steps deep(index, depth, plane, mode);
            Cube<W> cube;
#pragma unroll
            for (int a = 0; a < 3; ++a)
#pragma unroll
                for (int b = 0; b < 3; ++b)
#pragma unroll
                    for (int c = 0; c < 3; ++c) {
                        const bool outside = (deep.to[a] | down.to[b] | across.to[c]) < 0;
                        const i64 address = deep.to[a] + down.to[b] + across.to[c];
                        cube.at[a][b][c] = outside ? (W)0 : img_as_float<W>(image[address]);
                    }
            const W slope[3] = {cube.template slope<0>(), cube.template slope<1>(), cube.template slope<2>()};
            W products[PRODUCTS];
            for (int p = 0, k = 0; p < 3; ++p)
                for (int q = p; q < 3; ++q, ++k) products[k] = rounded_product(slope[p], slope[q]);
#pragma unroll
            for (int r = 0; r < RUN; ++r) {
                const int t = there - r + radius;
                if (t < 0 || t > 2 * radius) continue;
                const W tap = taps.along_a[t];
#pragma unroll
                for (int k = 0; k < PRODUCTS; ++k) sums[r][k] += tap * products[k];
            }
        }
#pragma unroll
        for (int r = 0; r < RUN; ++r)
            if (first + r < depth)
#pragma unroll
                for (int k = 0; k < PRODUCTS; ++k)
                    results[k * depth * plane + (first + r) * plane + place] = sums[r][k];
    }
}
