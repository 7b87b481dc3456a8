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
// Of 8-bit images what the first step makes of a channel alone (its scaled value, a linear one, a
// logarithm) is computed for the 256 values by each block, with the same functions, and looked up
// in shared memory: no pixel converts an integer, or takes a power of it, in double precision.
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

template <class T, class W, class First> __device__ inline W begun(T value, int channel, const First& first) {
    return first.each(img_as_float<W>(first.stored(value, channel)));
}

// What the first step makes of the channels of a pixel, one by one.
template <class T, class W, class First> struct Begin {
    const First& first;
    __device__ W operator()(T value, int channel) const { return begun<T, W>(value, channel, first); }
};
template <class T, class W, class First> struct LookUp {
    const First& first;
    const W* table;
    __device__ W operator()(T value, int channel) const { return table[(u8)first.stored(value, channel)]; }
};

template <class T, class W> struct HasTable { static constexpr bool value = false; };
template <> struct HasTable<u8, double> { static constexpr bool value = true; };
template <> struct HasTable<signed char, double> { static constexpr bool value = true; };

// Fills the table of 256 values; T is a type of 8 bits. By all threads of a block; ends with a barrier.
template <class T, class W, class First> __device__ inline void fill_table(W* table, const First& first) {
    for (int bits = threadIdx.x; bits < 256; bits += blockDim.x) table[bits] = first.each(img_as_float<W>((T)bits));
    __syncthreads();
}

template <class W, class Next> __device__ inline int convert_further(W* c, const Next& next) {
#pragma unroll
    for (int k = 0; k < 3; ++k) c[k] = next.each(c[k]);
    return next(c);
}
template <class T, class W, template <class> class First> __device__ inline int mixed(W* c, const First<W>& first) {
    return first(c);
}
template <class T, class W> __device__ inline int mixed(W* c, const RgbToHsv<W>& first) {
    return first.template of_image<T>(c);
}

// One pixel: channels at multiples of `stride` from `source`, through the steps, into `c`.
template <class T, class W, class Begun, class First, class... Rest>
__device__ inline int convert_pixel(const T* source, i64 stride, W* c, const Begun& begin, const First& first,
                                    const Rest&... rest) {
#pragma unroll
    for (int k = 0; k < First::INPUTS; ++k) c[k] = begin(source[k * stride], k);
    int clipped = mixed<T>(c, first);
    ((clipped += convert_further(c, rest)), ...);
    return clipped;
}

// Channels last and none to pass on. `out` is aligned to 16 bytes.
template <class T, class W, class Begun, class First, class... Rest>
__device__ inline int convert_interleaved(const T* in, W* out, i64 pixels, const Begun& begin, const First& first,
                                          const Rest&... rest) {
    constexpr int INPUTS = First::INPUTS, OUTPUTS = Last<First, Rest...>::type::OUTPUTS;
    alignas(16) __shared__ W tile[TILE * OUTPUTS];
    int clipped = 0;
    for (i64 start = (i64)blockIdx.x * TILE; start < pixels; start += (i64)gridDim.x * TILE) {
        const int count = pixels - start < TILE ? (int)(pixels - start) : TILE;
        const T* source = in + start * INPUTS;
        W* target = OUTPUTS == 1 ? out + start : tile;  // single channels are neighbours anyway
        for (int j = threadIdx.x; j < count; j += blockDim.x) {
            W c[4];
            clipped += convert_pixel(source + j * INPUTS, 1, c, begin, first, rest...);
#pragma unroll
            for (int k = 0; k < OUTPUTS; ++k) target[j * OUTPUTS + k] = c[k];
        }
        if constexpr (OUTPUTS > 1) {
            __syncthreads();
            write_tile(tile, out + start * OUTPUTS, count * OUTPUTS);
            __syncthreads();
        }
    }
    return clipped;
}

// Any channel axis and any number of channels.
template <class T, class W, class Begun, class First, class... Rest>
__device__ inline int convert_planes(const T* in, W* out, i64 pixels, i64 inner, i64 channels, const Begun& begin,
                                     const First& first, const Rest&... rest) {
    constexpr int INPUTS = First::INPUTS, OUTPUTS = Last<First, Rest...>::type::OUTPUTS;
    int clipped = 0;
    for (i64 start = (i64)blockIdx.x * TILE; start < pixels; start += (i64)gridDim.x * TILE) {
        const i64 end = pixels - start < TILE ? pixels : start + TILE;
        for (i64 p = start + threadIdx.x; p < end; p += blockDim.x) {
            const i64 outer = quotient(p, inner);
            const i64 plane = p - outer * inner;
            const T* source = in + outer * channels * inner + plane;
            W* target = out + outer * (channels - INPUTS + OUTPUTS) * inner + plane;
            W c[4];
            clipped += convert_pixel(source, inner, c, begin, first, rest...);
#pragma unroll
            for (int k = 0; k < OUTPUTS; ++k) target[k * inner] = c[k];
            if constexpr (First::KEEPS_EXTRA)
                for (i64 k = INPUTS; k < channels; ++k) target[k * inner] = img_as_float<W>(source[k * inner]);
        }
    }
    return clipped;
}

template <class T, class W, class Begun, class First, class... Rest>
__device__ inline int convert_all(const T* in, W* out, i64 pixels, i64 inner, i64 channels, const Begun& begin,
                                  const First& first, const Rest&... rest) {
    if (inner == 1 && channels == First::INPUTS) return convert_interleaved(in, out, pixels, begin, first, rest...);
    return convert_planes(in, out, pixels, inner, channels, begin, first, rest...);
}

template <class T, class W, class First, class... Rest>
__device__ inline int convert_any(const T* in, W* out, i64 pixels, i64 inner, i64 channels, const First& first,
                                  const Rest&... rest) {
    if constexpr (HasTable<T, W>::value) {
        __shared__ W table[256];
        fill_table<T>(table, first);
        const LookUp<T, W, First> begin{first, table};
        return convert_all(in, out, pixels, inner, channels, begin, first, rest...);
    } else {
        const Begin<T, W, First> begin{first};
        return convert_all(in, out, pixels, inner, channels, begin, first, rest...);
    }
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
