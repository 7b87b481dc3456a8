// Kitchen and Rosenfeld's corner response of a 2-D image: curvature of the isophote, times
// the slope.
//
//     1. Sobel's slopes of a tile and a halo of one element into shared memory
//     2. second slopes from there, and the response
//
// Image: bool, (u)int8..64, float16/32/64, as it is. Result: float for float16 and float32,
// else double, and computed in that with scikit-image's roundings: whether an element is flat
// is decided by an equality. One launch; each element is read once (its neighbours again, from
// cache), the result is written once.
//
// Source: scikit-image `feature.corner_kitchen_rosenfeld` (L. Kitchen and A. Rosenfeld 1982).
#include "common/rounded.cuh"
#include "common/shared.cuh"
#include "feature/slopes.cuh"

template <class W>
__device__ inline W kitchen_rosenfeld_of(const Nine<W>& down, const Nine<W>& across) {
    const W y = down.at[1][1], x = across.at[1][1];
    const W yy = down.down(), xy = across.down(), xx = across.across();
    const W squared_y = rounded_product(y, y), squared_x = rounded_product(x, x);
    const W denominator = squared_x + squared_y;
    if (denominator == (W)0) return 0;
    const W mixed = rounded_product(rounded_product(2 * xy, x), y);
    return (rounded_product(xx, squared_y) + rounded_product(yy, squared_x) - mixed) / denominator;
}

template <class T>
__global__ void __launch_bounds__(256, RESIDENT)
    kitchen_rosenfeld(const T* image, typename Working<T>::type* result, i64 rows, i64 columns, int mode) {
    typedef typename Working<T>::type W;
    constexpr int HEIGHT = 16, WIDTH = 64, PITCH = (WIDTH + 2 + LANES - 1) / LANES * LANES;
    __shared__ W down[(HEIGHT + 2) * PITCH], across[(HEIGHT + 2) * PITCH];
    const Extended<T> extended = {image, rows, columns, mode};
    const i64 tiles_a = (rows + HEIGHT - 1) / HEIGHT, tiles_b = (columns + WIDTH - 1) / WIDTH;
    for (i64 item = blockIdx.x; item < tiles_a * tiles_b; item += gridDim.x) {
        const i64 y0 = item / tiles_b * HEIGHT, x0 = item % tiles_b * WIDTH;
        const int height = rows - y0 < HEIGHT ? (int)(rows - y0) : HEIGHT;
        const int width = columns - x0 < WIDTH ? (int)(columns - x0) : WIDTH;
        // 1
        load_slopes(down, across, PITCH, extended, y0 - 1, x0 - 1, height + 2, width + 2,
                    [](T value) { return (W)value; });
        __syncthreads();
        // 2
        for (int r = threadIdx.y; r < height; r += blockDim.y)
            for (int c = threadIdx.x; c < width; c += blockDim.x) {
                Nine<W> by_row, by_column;
                for (int i = 0; i < 3; ++i)
                    for (int j = 0; j < 3; ++j) {
                        by_row.at[i][j] = down[(r + i) * PITCH + c + j];
                        by_column.at[i][j] = across[(r + i) * PITCH + c + j];
                    }
                result[(y0 + r) * columns + x0 + c] = kitchen_rosenfeld_of(by_row, by_column);
            }
        __syncthreads();  // before the next tile
    }
}
