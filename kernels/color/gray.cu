// Grey images to RGB and RGBA: the grey value three times, then alpha if there is one.
// Bits are copied, so that U is any type of the image's size; only where alpha is an array
// of floating numbers it is their type, since NaN is counted.
//
//     gray2rgb<unsigned char>          any 1-byte image
//     gray2rgba<unsigned short>        one alpha for all pixels
//     gray2rgba_each<float>            an alpha for each pixel
//
// The image is C-contiguous; pixels = outer * inner; the result is (outer, 3 or 4, inner).
// One launch; reads the image (and alpha) once, writes the result once: 4, 5 or 6 elements
// per pixel. Source: skimage.color.gray2rgb, gray2rgba.
#include "color/tile.cuh"
#include "common/types.cuh"

template <class U> struct TilePixels {
    static constexpr int value = 2048 / (int)sizeof(U);
};

template <class U> __device__ inline bool is_nan(U value) { return value != value; }
__device__ inline bool is_nan(float16 value) { return (value.bits & 0x7fffu) > 0x7c00u; }

// One pixel of four channels, written at once.
template <class U> struct alignas(sizeof(U) < 8 ? 4 * sizeof(U) : 16) Rgba {
    U r, g, b, a;
};

template <class U> __global__ void gray2rgb(const U* in, U* out, i64 pixels, i64 inner) {
    constexpr int TILE = TilePixels<U>::value;
    alignas(16) __shared__ U tile[TILE * 3];
    for (i64 begin = (i64)blockIdx.x * TILE; begin < pixels; begin += (i64)gridDim.x * TILE) {
        const int count = pixels - begin < TILE ? (int)(pixels - begin) : TILE;
        if (inner == 1) {
            for (int j = threadIdx.x; j < count; j += blockDim.x) {
                const U value = in[begin + j];
#pragma unroll
                for (int k = 0; k < 3; ++k) tile[3 * j + k] = value;
            }
            __syncthreads();
            write_tile(tile, out + begin * 3, count * 3);
            __syncthreads();
        } else {
            for (int j = threadIdx.x; j < count; j += blockDim.x) {
                const i64 p = begin + j;
                U* target = out + quotient(p, inner) * 2 * inner + p;
#pragma unroll
                for (int k = 0; k < 3; ++k) target[k * inner] = in[p];
            }
        }
    }
}

// `alpha(p)` is the alpha of pixel p.
template <class U, class Alpha>
__device__ inline void add_alpha(const U* in, U* out, i64 pixels, i64 inner, const Alpha& alpha) {
    constexpr int TILE = TilePixels<U>::value;
    for (i64 begin = (i64)blockIdx.x * TILE; begin < pixels; begin += (i64)gridDim.x * TILE) {
        const i64 end = pixels - begin < TILE ? pixels : begin + TILE;
        if (inner == 1) {
            Rgba<U>* target = reinterpret_cast<Rgba<U>*>(out);  // a new array: aligned
            for (i64 p = begin + threadIdx.x; p < end; p += blockDim.x)
                target[p] = {in[p], in[p], in[p], alpha(p)};
        } else {
            for (i64 p = begin + threadIdx.x; p < end; p += blockDim.x) {
                U* target = out + quotient(p, inner) * 3 * inner + p;
#pragma unroll
                for (int k = 0; k < 3; ++k) target[k * inner] = in[p];
                target[3 * inner] = alpha(p);
            }
        }
    }
}

template <class U> __global__ void gray2rgba(const U* in, U* out, U alpha, i64 pixels, i64 inner) {
    add_alpha(in, out, pixels, inner, [=](i64) { return alpha; });
}

// Adds to *unequal the number of alphas that are not equal to themselves; the caller sets it to 0.
template <class U>
__global__ void gray2rgba_each(const U* in, const U* alpha, U* out, u64* unequal, i64 pixels, i64 inner) {
    u64 count = 0;
    add_alpha(in, out, pixels, inner, [&](i64 p) {
        const U value = alpha[p];
        count += is_nan(value);
        return value;
    });
    if (count) atomicAdd(unequal, count);
}
