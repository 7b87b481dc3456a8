// Labels in colours, over an image that is less saturated, in one launch: from each pixel's label
// and channels to its three numbers, in registers.
//
// T: type of the image, any of the 12 of common/types.cuh; W: the type that scikit-image works in,
// float or double. CHANNELS: 3, 1 of a grey image, 0 without an image (T and W are of no meaning).
// Reads 4 bytes of rank and the channels of each pixel once, and writes three numbers in double; the
// results of TILE pixels are put together in shared memory (color/tile.cuh). Any blocks and grid.
//
// Source: scikit-image `color.label2rgb`, whose roundings these are.
#include "color/steps.cuh"
#include "color/tile.cuh"

constexpr int TILE = 256;

template <class W> struct Blend {
    W saturation;
    W opacity, lift;  // of the image, and what is added to it
    W through;        // how much of it is seen below colours
};

// ranks: which of the colours each pixel has.
// colors: three numbers for each rank, as they are added; bare: ranks that show the image alone.
// told: becomes 1 where the image is below 0, and 1 where it is NaN; both 0 before.
template <class T, class W, int CHANNELS>
__global__ void __launch_bounds__(TILE, 1)
    paint(const int* ranks, const T* image, i64 pixels, const double* colors, const bool* bare,
          const __grid_constant__ Blend<W> blend, u32* told, double* result) {
    alignas(16) __shared__ double tile[3 * TILE];
    bool negative = false, not_a_number = false;
    for (i64 begin = (i64)blockIdx.x * TILE; begin < pixels; begin += (i64)gridDim.x * TILE) {
        const int count = pixels - begin < TILE ? (int)(pixels - begin) : TILE;
        for (int j = threadIdx.x; j < count; j += blockDim.x) {
            W c[3] = {(W)0, (W)0, (W)0};
#pragma unroll
            for (int k = 0; k < CHANNELS; ++k) {
                c[k] = img_as_float<W>(image[(begin + j) * CHANNELS + k]);
                negative = negative || c[k] < (W)0;
                not_a_number = not_a_number || c[k] != c[k];
            }
            if constexpr (CHANNELS == 3) {
                RgbToHsv<W>()(c);
                c[1] = c[1] * blend.saturation;
                HsvToRgb<W>()(c);
            }
            const int rank = ranks[begin + j];
#pragma unroll
            for (int k = 0; k < 3; ++k) {
                W below = (W)0;
                if (CHANNELS) below = rounded_product(c[CHANNELS == 3 ? k : 0], blend.opacity) + blend.lift;
                const double blended = colors[3 * rank + k] + (double)rounded_product(below, blend.through);
                tile[3 * j + k] = bare[rank] ? (double)below : blended;
            }
        }
        __syncthreads();
        write_tile(tile, result + 3 * begin, 3 * count);
        __syncthreads();
    }
    if (negative) told[0] = 1;
    if (not_a_number) told[1] = 1;
}
