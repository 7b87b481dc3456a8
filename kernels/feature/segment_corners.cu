// Corners by comparing a pixel with those around it, and the orientation of corners.
//
//     corner_fast          segments of a circle that are all brighter or all darker
//     corner_moravec       least sum of squared differences to windows beside a window
//     corner_orientations  direction of the intensity centroid around each corner
//
// image: bool, (u)int8..64, float16/32/64, (rows, columns), C-contiguous; computed in float
// for float16 and float32, else in double, after scikit-image's scaling of integers, with
// the host's roundings: thresholds decide as there. One launch each; the image is read once
// (halos and neighbourhoods from cache), the result is written once.
//
// Source: scikit-image `feature.corner_fast`, `corner_moravec`, `corner_orientations`
// (corner_cy.pyx); E. Rosten, T. Drummond, "Machine learning for high-speed corner
// detection", 2006; E. Rublee et al., "ORB: an efficient alternative to SIFT and SURF", 2011.
#include "common/double_bits.cuh"
#include "common/float_sums.cuh"
#include "common/rounded.cuh"
#include "common/shared.cuh"
#include "common/tile.cuh"

constexpr int ROWS = 16, COLUMNS = 64;  // of a tile

// A tile of the image with a halo in shared memory, in the type that is computed in.
template <class T> struct Halo {
    typedef typename Working<T>::type W;
    W* pixels;  // shared memory: (ROWS + 2 * reach) rows of `pitch`
    int reach, pitch;

    __device__ Halo(W* pixels, int reach) : pixels(pixels), reach(reach), pitch(COLUMNS + 2 * reach) {}

    // Loads the tile at (y0, x0); 0 stands beyond the border.
    //   called by: all threads of the block; contains the barriers before and after
    __device__ void load(const T* image, i64 rows, i64 columns, i64 y0, i64 x0) {
        __syncthreads();
        for (int i = threadIdx.x; i < (ROWS + 2 * reach) * pitch; i += blockDim.x) {
            const i64 y = y0 - reach + i / pitch, x = x0 - reach + i % pitch;
            const bool inside = y >= 0 && y < rows && x >= 0 && x < columns;
            pixels[i] = inside ? img_as_float<W>(image[y * columns + x]) : (W)0;
        }
        __syncthreads();
    }
    __device__ W at(int y, int x) const { return pixels[(y + reach) * pitch + x + reach]; }
};

// Whether `count` neighbours on a circle of 16 are all set. Any thread.
__device__ inline bool has_segment(u32 circle, int count) {
    if (count > 16) return circle == 0xffffu;
    if (__popc(circle) < count) return false;
    const u32 twice = circle | circle << 16;
    u32 runs = twice;  // bit i: a run of `length` begins there
    for (int length = 1; length < count; ++length) runs &= twice >> length;
    return count > 0 && (runs & 0xffffu) != 0;
}

// A pixel in an order that is quick to compare: of integers, which become no NaN and no -0, doubles by their bits.
template <class T> __device__ inline auto compared(typename Working<T>::type pixel) {
    if constexpr (IN_FLOATS && !IS_FLOATING<T>)
        return in_order(pixel);
    else
        return pixel;
}

// result[y, x] = response(tile, y - y0, x - x0) for pixels `margin` away from the border; 0 else.
template <class T, class Response>
__device__ inline void for_pixels(const T* image, typename Working<T>::type* result, i64 rows, i64 columns,
                                  int reach, i64 margin, Response response) {
    typedef typename Working<T>::type W;
    DYN_SHARED(W, shared);
    Halo<T> tile(shared, reach);
    const i64 down = (rows + ROWS - 1) / ROWS, strips = (columns + COLUMNS - 1) / COLUMNS;
    for (i64 item = blockIdx.x; item < down * strips; item += gridDim.x) {
        const i64 y0 = item / strips * ROWS, x0 = item % strips * COLUMNS;
        tile.load(image, rows, columns, y0, x0);
        for (int i = threadIdx.x; i < ROWS * COLUMNS; i += blockDim.x) {
            const i64 y = y0 + i / COLUMNS, x = x0 + i % COLUMNS;
            if (y >= rows || x >= columns) continue;
            const bool inside = y >= margin && y < rows - margin && x >= margin && x < columns - margin;
            result[y * columns + x] = inside ? response(tile, i / COLUMNS, i % COLUMNS) : (W)0;
        }
    }
}

template <class T>
__global__ void corner_fast(const T* image, typename Working<T>::type* result, i64 rows, i64 columns, int count,
                            double threshold) {
    typedef typename Working<T>::type W;
    for_pixels(image, result, rows, columns, 3, 3, [=](const Halo<T>& tile, int y, int x) {
        const int down[16] = {0, 1, 2, 3, 3, 3, 2, 1, 0, -1, -2, -3, -3, -3, -2, -1};
        const int across[16] = {3, 3, 2, 1, 0, -1, -2, -3, -3, -3, -2, -1, 0, 1, 2, 3};
        if (!is_number(threshold)) return (W)0;
        const W pixel = tile.at(y, x);
        const auto below = compared<T>(pixel - (W)threshold), above = compared<T>(pixel + (W)threshold);
        u32 brighter = 0, darker = 0;
#pragma unroll
        for (int k = 0; k < 16; ++k) {
            const auto other = compared<T>(tile.at(y + down[k], x + across[k]));
            const bool is_brighter = other > above;
            brighter |= (u32)is_brighter << k;
            darker |= (u32)(!is_brighter && other < below) << k;
        }
        if (!has_segment(brighter, count) && !has_segment(darker, count)) return (W)0;
        W sum = 0;
#pragma unroll
        for (int k = 0; k < 16; ++k) sum += fabs(tile.at(y + down[k], x + across[k]) - pixel);
        return sum;
    });
}

template <class T>
__global__ void corner_moravec(const T* image, typename Working<T>::type* result, i64 rows, i64 columns, int window) {
    typedef typename Working<T>::type W;
    for_pixels(image, result, rows, columns, 2 * window, 2 * window, [=](const Halo<T>& tile, int y, int x) {
        W least = (W)__longlong_as_double(0x7fefffffffffffffll);  // the largest double
        for (int dy = -window; dy <= window; ++dy) {
            for (int dx = -window; dx <= window; ++dx) {
                if (dy == 0 || dx == 0) continue;
                W sum = 0;
                for (int v = y - window; v <= y + window; ++v) {
                    for (int u = x - window; u <= x + window; ++u) {
                        const W difference = tile.at(v, u) - tile.at(v + dy, u + dx);
                        sum = plus_product(sum, difference, difference);
                    }
                }
                // NaN goes with the next sum, as in scikit-image
                least = least < sum ? least : sum;
            }
        }
        return least;
    });
}

// One thread for each corner: the sums are added in scikit-image's order.
//
// corners  (count, 2): rows and columns
// mask     (mask_rows, mask_columns), both odd
template <class T>
__global__ void corner_orientations(const T* image, const i64* corners, const u8* mask,
                                    typename Working<T>::type* result, i64 rows, i64 columns, i64 count,
                                    i64 mask_rows, i64 mask_columns) {
    typedef typename Working<T>::type W;
    for (i64 k = blockIdx.x * (i64)blockDim.x + threadIdx.x; k < count; k += gridDim.x * (i64)blockDim.x) {
        const i64 y0 = corners[2 * k] - mask_rows / 2, x0 = corners[2 * k + 1] - mask_columns / 2;
        W down = 0, across = 0;
        for (i64 v = 0; v < mask_rows; ++v) {
            W sum = 0;
            for (i64 u = 0; u < mask_columns; ++u) {
                const i64 y = y0 + v, x = x0 + u;
                if (!mask[v * mask_columns + u]) continue;
                const bool inside = y >= 0 && y < rows && x >= 0 && x < columns;
                const W pixel = inside ? img_as_float<W>(image[y * columns + x]) : (W)0;
                across += rounded_product(pixel, (W)(u - mask_columns / 2));
                sum += rounded_product(pixel, (W)1);
            }
            down += rounded_product(sum, (W)(v - mask_rows / 2));
        }
        result[k] = (W)atan2((double)down, (double)across);
    }
}
