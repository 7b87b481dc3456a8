// Conversions between colour spaces: the channels of each pixel go through one or more
// steps (color/steps.cuh, color/cie.cuh) in registers.
//
//     convert<unsigned char, double, RgbToXyz, XyzToLab>   rgb2lab of a uint8 image
//
// T: type of the image, any of the 12 of common/types.cuh; W: type of the computation and
// of the result, float or double. The image is C-contiguous, (outer, channels, inner), the
// result (outer, channels', inner); pixels = outer * inner. inner is 1 if channels are last.
// One launch; reads each element once and writes each once:
// INPUTS * sizeof(T) + OUTPUTS * sizeof(W) bytes per pixel.
//
// With channels last the results of TILE pixels are put together in shared memory, so that
// neighbouring threads write neighbouring words, 16 bytes each; else threads take
// neighbouring pixels of a plane. Any block and grid size gives the same result.
//
// convert_counted also adds to *clipped how many pixels a step clipped; the caller sets it
// to zero. Source: skimage.color.colorconv.
#include "color/cie.cuh"
#include "color/steps.cuh"
#include "color/tile.cuh"

constexpr int TILE = 256;

template <class First, class... Rest> struct Last { using type = typename Last<Rest...>::type; };
template <class Only> struct Last<Only> { using type = Only; };

// One pixel: channels at multiples of `stride` from `source`, through the steps, into `c`.
template <class T, class W, class First, class... Rest>
__device__ inline int convert_pixel(const T* source, i64 stride, W* c, const First& first, const Rest&... rest) {
#pragma unroll
    for (int k = 0; k < First::INPUTS; ++k) c[k] = first.load(source[k * stride], k);
    int clipped = first(c);
    ((clipped += rest(c)), ...);
    return clipped;
}

// Channels last and none to pass on. `out` is aligned to 16 bytes.
template <class T, class W, class First, class... Rest>
__device__ inline int convert_interleaved(const T* in, W* out, i64 pixels, const First& first, const Rest&... rest) {
    constexpr int INPUTS = First::INPUTS, OUTPUTS = Last<First, Rest...>::type::OUTPUTS;
    alignas(16) __shared__ W tile[TILE * OUTPUTS];
    int clipped = 0;
    for (i64 begin = (i64)blockIdx.x * TILE; begin < pixels; begin += (i64)gridDim.x * TILE) {
        const int count = pixels - begin < TILE ? (int)(pixels - begin) : TILE;
        const T* source = in + begin * INPUTS;
        W* target = OUTPUTS == 1 ? out + begin : tile;  // single channels are neighbours anyway
        for (int j = threadIdx.x; j < count; j += blockDim.x) {
            W c[4];
            clipped += convert_pixel(source + j * INPUTS, 1, c, first, rest...);
#pragma unroll
            for (int k = 0; k < OUTPUTS; ++k) target[j * OUTPUTS + k] = c[k];
        }
        if constexpr (OUTPUTS > 1) {
            __syncthreads();
            write_tile(tile, out + begin * OUTPUTS, count * OUTPUTS);
            __syncthreads();
        }
    }
    return clipped;
}

// Any channel axis and any number of channels.
template <class T, class W, class First, class... Rest>
__device__ inline int convert_planes(const T* in, W* out, i64 pixels, i64 inner, i64 channels, const First& first,
                                     const Rest&... rest) {
    constexpr int INPUTS = First::INPUTS, OUTPUTS = Last<First, Rest...>::type::OUTPUTS;
    int clipped = 0;
    for (i64 begin = (i64)blockIdx.x * TILE; begin < pixels; begin += (i64)gridDim.x * TILE) {
        const i64 end = pixels - begin < TILE ? pixels : begin + TILE;
        for (i64 p = begin + threadIdx.x; p < end; p += blockDim.x) {
            const i64 outer = quotient(p, inner);
            const i64 plane = p - outer * inner;
            const T* source = in + outer * channels * inner + plane;
            W* target = out + outer * (channels - INPUTS + OUTPUTS) * inner + plane;
            W c[4];
            clipped += convert_pixel(source, inner, c, first, rest...);
#pragma unroll
            for (int k = 0; k < OUTPUTS; ++k) target[k * inner] = c[k];
            if constexpr (First::KEEPS_EXTRA)
                for (i64 k = INPUTS; k < channels; ++k) target[k * inner] = img_as_float<W>(source[k * inner]);
        }
    }
    return clipped;
}

template <class T, class W, class First, class... Rest>
__device__ inline int convert_any(const T* in, W* out, i64 pixels, i64 inner, i64 channels, const First& first,
                                  const Rest&... rest) {
    if (inner == 1 && channels == First::INPUTS) return convert_interleaved(in, out, pixels, first, rest...);
    return convert_planes(in, out, pixels, inner, channels, first, rest...);
}

template <class T, class W, template <class> class... Steps>
__global__ void convert(const T* in, W* out, i64 pixels, i64 inner, i64 channels, Steps<W>... steps) {
    convert_any(in, out, pixels, inner, channels, steps...);
}

template <class T, class W, template <class> class... Steps>
__global__ void convert_counted(const T* in, W* out, u64* clipped, i64 pixels, i64 inner, i64 channels,
                                Steps<W>... steps) {
    const int count = convert_any(in, out, pixels, inner, channels, steps...);
    if (count) atomicAdd(clipped, (u64)count);
}
