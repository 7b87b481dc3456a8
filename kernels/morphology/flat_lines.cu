// Erosions and dilations along one axis, by lines of any length.
//
//     line_across  along the last axis: a block has a piece of a row and what lies around it in
//                  shared memory, and finds the least of lengths that double; two of the longest
//                  make the line
//     line_down    along any other: the least from each place to the end of its stretch, which is
//                  as long as the line, then the least from the next stretch's beginning
//                  (van Herk 1992, Gil and Werman 1993); both together are the line
//
// The array is seen as (outer, size, inner), with inner 1 across. image: bool, (u)int8..64,
// float32/64; result: the same dtype. beside: the image of a top hat, null where it is `image`. One launch; each
// element is read once (line_down: twice, and the results written twice, from cache).
// Shared memory of line_across: 2 * (piece + length - 1) keys. line_down takes three accesses to
// memory for each element, whatever the line's length.
//
// Source: scikit-image `morphology.erosion`, SciPy `ndimage.minimum_filter1d`.
#include "common/shared.cuh"
#include "common/tile.cuh"
#include "morphology/flat.cuh"

// piece   results of a block
// before  elements of the line before its place; may lie outside of the line
template <class T>
__global__ void __launch_bounds__(256, 2)
    line_across(const T* image, const T* beside, i64 lines, i64 size, int piece, int length, i64 before, int mode,
                T under, int dilates, int finish, T* result) {
    typedef typename Flat<T>::Key Key;
    if (!beside) beside = image;
    DYN_SHARED(Key, cells);  // two rows of `width`

    const int width = piece + length - 1;
    const Key beyond = Flat<T>::key(under, dilates);
    const i64 pieces = (size + piece - 1) / piece;
    for (i64 item = blockIdx.x; item < lines * pieces; item += gridDim.x) {
        const i64 line = item / pieces, x0 = (item - line * pieces) * piece;
        Key *from = cells, *to = cells + width;
        load_row(from, image + line * size, {size, 1, mode}, x0 - before, width, 1, beyond,
                 [&](T value) { return Flat<T>::key(value, dilates); });
        __syncthreads();
        int reached = 1;  // each cell of `from` is the least of so many
        for (; 2 * reached <= length; reached *= 2) {
            const int left = width - 2 * reached + 1;
#pragma omp simd
            for (int c = threadIdx.x; c < left; c += blockDim.x) to[c] = lesser(from[c], from[c + reached]);
            __syncthreads();
            Key* const other = from;
            from = to;
            to = other;
        }
        const int results = size - x0 < piece ? (int)(size - x0) : piece;
        const i64 first = line * size + x0;
        for (int c = threadIdx.x; c < results; c += blockDim.x)
            result[first + c] =
                Flat<T>::finished(lesser(from[c], from[c + length - reached]), dilates, finish, beside, first + c);
        __syncthreads();  // before the next piece
    }
}

// result: first keys, then the bits of what they stand for.
template <class T>
__global__ void line_down(const T* image, const T* beside, i64 outer, i64 size, i64 inner, i64 length, i64 before,
                          int mode, T under, int dilates, int finish, typename Flat<T>::Key* result) {
    typedef typename Flat<T>::Key Key;
    if (!beside) beside = image;
    const Key beyond = Flat<T>::key(under, dilates);
    const i64 stretches = (size + length - 1) / length, n = outer * stretches * inner;
    for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < n; i += gridDim.x * (i64)blockDim.x) {
        const i64 row = i / inner, x = i - row * inner, stretch = row % stretches;
        const i64 column = row / stretches * size * inner + x;
        const i64 first = stretch * length, end = first + length < size ? first + length : size;
        const auto key = [&](i64 y) {
            const i64 from = boundary_index(y, size, mode);
            return from < 0 ? beyond : Flat<T>::key(image[column + from * inner], dilates);
        };
        // the line of y begins at y - before
        Key most = key(first - before + length - 1);
        for (i64 y = first + length - 1; y >= first; --y) {
            most = lesser(most, key(y - before));
            if (y < end) result[column + y * inner] = most;
        }
        most = 0;
        for (i64 y = first; y < end; ++y) {
            const i64 place = column + y * inner;
            Key found = result[place];
            if (y > first) {
                const Key next = key(y - before + length - 1);
                most = y == first + 1 ? next : lesser(most, next);
                found = lesser(found, most);
            }
            result[place] = bits_of(Flat<T>::finished(found, dilates, finish, beside, place));
        }
    }
}
