// Median of each pixel's footprint, in 1-D to 3-D images extended beyond their borders.
//
// A block of (32, 8) threads has a tile of results:
//
//     1. the tile and its halo into shared memory, as unsigned integers in the same order
//     2. for each pixel, the value in the middle place of its sorted footprint: of 9 and of 25
//        elements by a network of minima and maxima; of other few ones the one that has the
//        right number of others below it; else by bisection over the bits of the values, one
//        pass of counting for each bit
//
// Squares of 3 x 3 elements in planes have a kernel of their own: a thread makes results below each
// other, which share sorted rows; nothing is in shared memory.
//
// image: bool, (u)int8..64, float32/64, C-contiguous; result: the same dtype. offsets: of the
// footprint's elements from its first cell, in cells. place: in the sorted footprint.
// One launch; each element is read once (the halos again, from cache) and written once.
// Shared memory: an element's bytes for each cell.
//
// Source: scipy.ndimage.median_filter; the networks: A. W. Paeth, "Median finding on a 3 x 3
// grid", Graphics Gems (1990); J. L. Smith, "Implementing median filters in XC4000E FPGAs", 1996,
// for sorted rows; the bisection as in rank_footprint.cuh.
#include "common/ordered.cuh"
#include "filters/rank_window.cuh"

// Value in `place` of the sorted footprint whose cells are here[offsets[k]].
template <class Key>
__device__ inline void select_by_bits(const Key* here, const int* offsets, int elements, int place,
                                      Key* found) {
    for (int l = 0; l < LANES; ++l) found[l] = 0;
    for (Key bit = (Key)1 << (8 * sizeof(Key) - 1); bit; bit = (Key)(bit >> 1)) {
        int lower[LANES];
        for (int l = 0; l < LANES; ++l) lower[l] = 0;
        for (int k = 0; k < elements; ++k) {
            const Key* cells = here + offsets[k];
#pragma omp simd
            for (int l = 0; l < LANES; ++l) lower[l] += cells[l] < (Key)(found[l] | bit);
        }
        for (int l = 0; l < LANES; ++l) found[l] |= lower[l] <= place ? bit : (Key)0;
    }
}

template <class Key>
__device__ inline void select_by_pairs(const Key* here, const int* offsets, int elements, int place,
                                       Key* found) {
    for (int l = 0; l < LANES; ++l) found[l] = 0;
    for (int e = 0; e < elements; ++e) {
        const Key* own = here + offsets[e];
        int lower[LANES], equal[LANES];
        for (int l = 0; l < LANES; ++l) lower[l] = equal[l] = 0;
        for (int k = 0; k < elements; ++k) {
            const Key* cells = here + offsets[k];
#pragma omp simd
            for (int l = 0; l < LANES; ++l) {
                lower[l] += cells[l] < own[l];
                equal[l] += cells[l] == own[l];
            }
        }
        for (int l = 0; l < LANES; ++l)
            if (lower[l] <= place && place < lower[l] + equal[l]) found[l] = own[l];
    }
}

template <class Key>
__device__ inline void sort_two(Key* low, Key* high) {
#pragma omp simd
    for (int l = 0; l < LANES; ++l) {
        const Key a = low[l], b = high[l];
        low[l] = a < b ? a : b;
        high[l] = a < b ? b : a;
    }
}

// Median of N cells, N odd. The least and the greatest of N / 2 + 2 values cannot be it: both
// are dropped and one more value is taken, until three are left and none remains to be taken.
template <int N, class Key>
__device__ inline void median_of(const Key* here, const int* offsets, Key* found) {
    constexpr int LAST = N / 2 + 1;
    Key kept[LAST + 1][LANES];
#pragma unroll
    for (int k = 0; k <= LAST; ++k)
        for (int l = 0; l < LANES; ++l) kept[k][l] = here[offsets[k] + l];
#pragma unroll
    for (int first = 0; first <= LAST - 2; ++first) {  // the least to `first`, the greatest to LAST
        const int pairs = (LAST - first + 1) / 2, more = (LAST - first + 2) / 2;
#pragma unroll
        for (int i = 0; i < pairs; ++i) sort_two(kept[first + i], kept[LAST - i]);
#pragma unroll
        for (int i = 1; i < more; ++i) {
            sort_two(kept[first], kept[first + i]);
            sort_two(kept[LAST - i], kept[LAST]);
        }
        if (first < LAST - 2)
            for (int l = 0; l < LANES; ++l) kept[LAST][l] = here[offsets[LAST + 1 + first] + l];
    }
    for (int l = 0; l < LANES; ++l) found[l] = kept[LAST - 1][l];
}

template <class T>
__global__ void __launch_bounds__(256, RESIDENT)
    median(const T* image, const int* offsets, int elements, int place,
           const __grid_constant__ RankWindows w, int mode, T cval, T* result) {
    typedef typename Sorted<T>::type S;
    typedef typename Ordered<S>::Key Key;
    DYN_SHARED(Key, cells);  // w.cells[0] * w.cells[1] * w.cells[2]

    const auto convert = [](T value) { return Ordered<S>::key((S)value); };
    const i64 tiles = RankTile::count(w);
    for (i64 item = blockIdx.x; item < tiles; item += gridDim.x) {
        const RankTile tile(w, item);
        // 1
        load_extended(cells, image, w, tile, mode, convert(cval), convert);
        __syncthreads();
        // 2
        tile.for_results<1>(w, [&](int cell, i64 first, int left) {
            const Key* here = cells + cell;
            Key found[LANES];
            if (elements == 9)
                median_of<9>(here, offsets, found);
            else if (elements == 25)
                median_of<25>(here, offsets, found);
            else if (elements < (int)(8 * sizeof(Key)))
                select_by_pairs(here, offsets, elements, place, found);
            else
                select_by_bits(here, offsets, elements, place, found);
            for (int l = 0; l < LANES && l < left; ++l) result[first + l] = (T)Ordered<S>::value(found[l]);
        });
        __syncthreads();  // before the next tile's cells
    }
}

constexpr int DOWN = 4;  // results of a thread

template <class Key> __device__ inline Key lower(Key a, Key b) { return b < a ? b : a; }
template <class Key> __device__ inline Key higher(Key a, Key b) { return a < b ? b : a; }
template <class Key> __device__ inline Key between(Key a, Key b, Key c) {
    return higher(lower(a, b), lower(higher(a, b), c));
}

// Three neighbours of a row, sorted.
template <class Key> struct Three {
    Key low, middle, high;
    __device__ Three(Key a, Key b, Key c)
        : low(lower(lower(a, b), c)), middle(between(a, b, c)), high(higher(higher(a, b), c)) {}
};

// Rows around those of a thread, from the one above them on: of which all elements are in the image.
template <class T> struct Inside {
    typedef Ordered<typename Sorted<T>::type> Order;
    typedef Three<typename Order::Key> Row;
    const T* first;
    i64 columns;

    __device__ static typename Order::Key key(T value) { return Order::key((typename Sorted<T>::type)value); }
    __device__ Row operator()(int k) const {
        const T* const row = first + k * columns;
        return Row(key(row[-1]), key(row[0]), key(row[1]));
    }
};

// And of which some are not.
template <class T> struct Extended {
    typedef typename Inside<T>::Row Row;
    const T* image;
    i64 rows, columns, x, y;
    int mode;
    T beyond;

    __device__ Row operator()(int k) const {
        const i64 from = boundary_index(y + k, rows, mode);
        T values[3];
        for (int c = 0; c < 3; ++c) {
            const i64 at = boundary_index(x + c - 1, columns, mode);
            values[c] = from < 0 || at < 0 ? beyond : image[from * columns + at];
        }
        return Row(Inside<T>::key(values[0]), Inside<T>::key(values[1]), Inside<T>::key(values[2]));
    }
};

// Medians of up to DOWN squares below each other.
template <class T, class Rows>
__device__ inline void median_down(const Rows& rows, int count, i64 columns, T* result) {
    typedef typename Rows::Row Row;
    Row above = rows(0), centre = rows(1);
#pragma unroll
    for (int d = 0; d < DOWN; ++d) {
        if (d >= count) break;
        const Row below = rows(d + 2);
        const auto low = higher(higher(above.low, centre.low), below.low);
        const auto high = lower(lower(above.high, centre.high), below.high);
        const auto middle = between(above.middle, centre.middle, below.middle);
        result[d * columns] = (T)Inside<T>::Order::value(between(low, middle, high));
        above = centre;
        centre = below;
    }
}

template <class T>
__global__ void __launch_bounds__(256, sizeof(T) == 8 ? FEWER : RESIDENT)
    median_of_squares(const T* image, i64 rows, i64 columns, int mode, T cval, T* result) {
    const i64 height = blockDim.y * DOWN;
    const i64 across = (columns - 1) / blockDim.x + 1, tiles = across * ((rows - 1) / height + 1);
    for (i64 item = blockIdx.x; item < tiles; item += gridDim.x) {
        i64 down = item;
        const i64 x = split(down, across, tiles >> 32 == 0) * blockDim.x + threadIdx.x;
        const i64 y = down * height + threadIdx.y * DOWN;
        if (x >= columns || y >= rows) continue;
        T* const to = result + y * columns + x;
        if (x > 0 && y > 0 && x + 1 < columns && y + DOWN < rows)
            median_down(Inside<T>{image + (y - 1) * columns + x, columns}, DOWN, columns, to);
        else
            median_down(Extended<T>{image, rows, columns, x, y - 1, mode, cval},
                        rows - y < DOWN ? (int)(rows - y) : DOWN, columns, to);
    }
}
