// Hough transform of circles.
//
//     pack_marked   pixels that are not 0, as bits of a plane with a margin of zeros
//     circle_votes  for each radius and place the pixels that lie on the circle around it
//
// image: any dtype, (rows, columns), C-contiguous. Result: double, (radii, rows, columns) or, with a
// margin of the largest radius, larger. Two launches: the image is read once, a bit a pixel is
// written and read from cache for every pixel of a circle, the result is written once.
//
// Votes are gathered, 32 places at a time: a word of counters for each binary digit, to which seven
// words of pixels are added at once by full adders, so that no two threads write one place.
//
// Source: scikit-image `transform.hough_circle` (_hough_transform.pyx); R. O. Duda, P. E. Hart, "Use of the Hough
// transformation to detect lines and curves in pictures", 1972; adders of words: W. Mula, N. Kurz, D. Lemire,
// "Faster population counts using AVX2 instructions", 2018.
#include "common/types.cuh"

// plane   words of `across` a row, rows + 2 margin rows; bit k of word w is column 32 w + k - margin
// mask    bits of which one is set in a pixel that is not 0: all, but for a float's sign
template <class T>
__global__ void pack_marked(const T* image, i64 rows, i64 columns, i64 margin, i64 across, T mask, u32* plane) {
    const i64 n = (rows + 2 * margin) * across;
    for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < n; i += gridDim.x * (i64)blockDim.x) {
        const i64 line = i / across, y = line - margin, x0 = (i - line * across) * 32 - margin;
        u32 bits = 0;
        if (y >= 0 && y < rows)
            for (int k = 0; k < 32; ++k)
                if (x0 + k >= 0 && x0 + k < columns) bits |= (u32)((image[y * columns + x0 + k] & mask) != 0) << k;
        plane[i] = bits;
    }
}

// Adds three bits of each place: their sum, and what is carried. Any thread.
struct Added {
    u32 sum, carry;
};
__device__ inline Added add(u32 a, u32 b, u32 c) { return {a ^ b ^ c, (a & b) | (c & (a ^ b))}; }

// Counters of 32 places: `digit[k]` has their k-th binary digits.
template <int DIGITS> struct Counters {
    u32 digit[DIGITS];

    __device__ Counters() {
#pragma unroll
        for (int k = 0; k < DIGITS; ++k) digit[k] = 0;
    }

    // Counts seven words at once.
    __device__ void count(const u32 (&word)[7]) {
        const Added one = add(word[0], word[1], word[2]), two = add(word[3], word[4], word[5]);
        const Added ones = add(one.sum, two.sum, word[6]), twos = add(one.carry, two.carry, ones.carry);
        const u32 sum[3] = {ones.sum, twos.sum, twos.carry};
        u32 carry = 0;
#pragma unroll
        for (int k = 0; k < DIGITS; ++k) {
            const Added added = add(digit[k], k < 3 ? sum[k] : 0u, carry);
            digit[k] = added.sum;
            carry = added.carry;
        }
    }
};

// A block takes words of 32 places in a row of the result, for one radius at a time.
//
// offsets  for each radius, from firsts[radius] to firsts[radius + 1], where the pixels of its circle
//          lie in the plane from a place's own word on: words * 32 + bits
// values   for each radius, from the place firsts[radius] + radius on: what so many votes are
template <int DIGITS>
__global__ void __launch_bounds__(256, 2)
    circle_votes(const u32* plane, const i64* offsets, const i64* firsts, const double* values, double* result,
                 i64 radii, i64 rows, i64 columns, i64 across) {
    __shared__ u32 digits[DIGITS][256];
    __shared__ i64 places[256];
    __shared__ u32 widths[256];
    const i64 words = (columns + 31) / 32, items = rows * words, chunks = (items + blockDim.x - 1) / blockDim.x;
    i64 radius = 0;
    for (i64 chunk = blockIdx.x;; chunk += gridDim.x) {
        for (; chunk >= chunks; chunk -= chunks) ++radius;
        if (radius >= radii) return;
        const i64 item = chunk * blockDim.x + threadIdx.x;
        const i64 first = firsts[radius], end = firsts[radius + 1];
        const u32 row = (u32)item / (u32)words, word = (u32)item - row * (u32)words;
        if (item < items) {
            Counters<DIGITS> votes;
            const u32* const here = plane + (row * across + word);
            for (i64 k = first; k < end; k += 7) {
                u32 pixels[7];
#pragma unroll
                for (int j = 0; j < 7; ++j) {
                    pixels[j] = 0;
                    if (k + j >= end) continue;
                    const i64 offset = offsets[k + j];
                    const u32* const at = here + (offset >> 5);
                    const int shift = (int)(offset & 31);
                    pixels[j] = shift ? at[0] >> shift | at[1] << (32 - shift) : at[0];
                }
                votes.count(pixels);
            }
#pragma unroll
            for (int k = 0; k < DIGITS; ++k) digits[k][threadIdx.x] = votes.digit[k];
        }
        // neighbouring threads write neighbouring places
        places[threadIdx.x] = item < items ? row * columns + (i64)word * 32 : -1;
        widths[threadIdx.x] = (u32)(columns - (i64)word * 32);  // 32 and more: all of the word
        __syncthreads();
        const double* const value = values + first + radius;
        for (u32 i = threadIdx.x; i < 32 * blockDim.x; i += blockDim.x) {
            const u32 owner = i / 32, bit = i % 32;
            const i64 place = places[owner];
            if (place < 0 || bit >= widths[owner]) continue;
            u32 count = 0;
#pragma unroll
            for (int k = 0; k < DIGITS; ++k) count |= (digits[k][owner] >> bit & 1u) << k;
            result[radius * rows * columns + place + bit] = value[count];
        }
        __syncthreads();  // before the next task
    }
}
