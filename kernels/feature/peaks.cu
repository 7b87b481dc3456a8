// Local maxima of an image in boxes around each pixel, and the list of those that are peaks.
// In this order:
//
//     line_maxima   maxima along one axis, for axes before the last two and for large boxes
//     box_maxima    maxima along the last two axes; marks each pixel that equals its own, and
//                   tells the range of the image
//     rank_peaks    marked pixels above a threshold and inside a region, counted in the image's order
//     list_peaks    their places and values, in that order
//
// image: (u)int8..64, float32/64, C-contiguous, of up to 8 axes. Beyond the border stands
// the nearest pixel. 2-D: three launches; one reads the image, the others its marked pixels, and a
// bit and a quarter of a byte a pixel.
//
// Source: scikit-image `feature.peak_local_max`, SciPy `ndimage.maximum_filter`.
#include "common/ranks.cuh"
#include "common/shared.cuh"
#include "feature/peaks.cuh"

template <class T> __device__ inline T larger(T a, T b) { return b > a ? b : a; }

// The array is seen as (outer, size, inner); a window reaches from `before` to `after`.
template <class T>
__global__ void line_maxima(const T* image, T* result, i64 outer, i64 size, i64 inner, i64 before, i64 after) {
    const i64 n = outer * size * inner;
    for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < n; i += gridDim.x * (i64)blockDim.x) {
        const i64 row = i / inner, at = row % size;
        const i64 first = at - before > 0 ? at - before : 0;
        const i64 last = at + after < size ? at + after : size - 1;
        T most = image[i];
        for (i64 k = first; k <= last; ++k) most = larger(most, image[i + (k - at) * inner]);
        result[i] = most;
    }
}

// A window from -before to +after along rows (down) and columns (across).
struct Window {
    int up, down, left, right;
};

constexpr int TILE_ROWS = 32, TILE_COLUMNS = 64;

// Cells of a tile along an axis, `count` from `first` on, that lie in an image of `size`.
struct Cells {
    int low, high;
    __device__ Cells(i64 first, i64 size, int count)
        : low(first < 0 ? (int)-first : 0), high(size - first < count ? (int)(size - first) - 1 : count - 1) {}
    __device__ i64 inside(int cell) const { return cell < low ? low : cell < high ? cell : high; }
};

// The array is seen as (planes, rows, columns).
//
// lines  maxima of the image along other axes; null where there are none: the image itself
template <class T>
__global__ void __launch_bounds__(256, RESIDENT)
    box_maxima(const T* image, const T* lines, u32* marks, Range<T>* partials, Told<T>* told, i64 planes,
               i64 rows, i64 columns, Window window) {
    DYN_SHARED(T, tile);  // (TILE_ROWS + up + down) rows of (TILE_COLUMNS + left + right)
    __shared__ u32 words[TILE_ROWS * TILE_COLUMNS / 32];
    const int height = TILE_ROWS + window.up + window.down;
    const int width = TILE_COLUMNS + window.left + window.right;
    T* const across = tile + height * width;  // height rows of TILE_COLUMNS: maxima along rows

    const T* const source = lines ? lines : image;
    const int down_of_step = blockDim.x / width, right_of_step = blockDim.x - down_of_step * width;
    Seen<T> seen(image[0]);
    const i64 strips = (columns + TILE_COLUMNS - 1) / TILE_COLUMNS, down = (rows + TILE_ROWS - 1) / TILE_ROWS;
    for (i64 item = blockIdx.x; item < planes * down * strips; item += gridDim.x) {
        const i64 x0 = item % strips * TILE_COLUMNS, y0 = item / strips % down * TILE_ROWS;
        const i64 plane = item / strips / down * rows;
        // 1. the tile with its halo: cells beyond the image have the nearest one's element
        const Cells of_rows(y0 - window.up, rows, height), of_columns(x0 - window.left, columns, width);
        const i64 origin = (plane + y0 - window.up) * columns + x0 - window.left;
        for (int i = threadIdx.x, y = i / width, x = i - y * width; i < height * width; i += blockDim.x) {
            tile[i] = source[origin + of_rows.inside(y) * columns + of_columns.inside(x)];
            y += down_of_step;
            x += right_of_step;
            if (x >= width) {
                x -= width;
                ++y;
            }
        }
        for (int i = threadIdx.x; i < TILE_ROWS * TILE_COLUMNS / 32; i += blockDim.x) words[i] = 0;
        __syncthreads();
        // 2. maxima along rows
        for (int i = threadIdx.x; i < height * TILE_COLUMNS; i += blockDim.x) {
            const int y = i / TILE_COLUMNS, x = i % TILE_COLUMNS;
            const T* const here = tile + y * width + x;
            T most = here[0];
            for (int k = 1; k <= window.left + window.right; ++k) most = larger(most, here[k]);
            across[i] = most;
        }
        __syncthreads();
        // 3. maxima along columns, and marks
        for (int i = threadIdx.x; i < TILE_ROWS * TILE_COLUMNS; i += blockDim.x) {
            const int y = i / TILE_COLUMNS, x = i % TILE_COLUMNS;
            if (y0 + y >= rows || x0 + x >= columns) continue;
            T most = across[i];
            for (int k = 1; k <= window.up + window.down; ++k) most = larger(most, across[i + k * TILE_COLUMNS]);
            const T value = image[(plane + y0 + y) * columns + x0 + x];
            seen.add(value, value == most);
            if (value == most) atomicOr(&words[i / 32], 1u << (i % 32));
        }
        __syncthreads();
        // 4. words of marks
        for (int i = threadIdx.x; i < TILE_ROWS * TILE_COLUMNS / 32; i += blockDim.x) {
            const i64 y = y0 + i / (TILE_COLUMNS / 32), word = x0 / 32 + i % (TILE_COLUMNS / 32);
            if (y < rows && word < words_in(columns)) marks[(plane + y) * words_in(columns) + word] = words[i];
        }
        __syncthreads();  // before the next tile
    }
    tell_host(seen, partials, told);
}

// Pixels are counted as the bits of marks are: each line begins a word.
//
// marks   null where all pixels are local maxima
// n       32 for each word of marks
// others  as `rank_words` has them
template <class T>
__global__ void __launch_bounds__(RANK_THREADS, RESIDENT)
    rank_peaks(const T* image, const u32* marks, const __grid_constant__ Region region,
               const __grid_constant__ Threshold threshold, i64 n, u64* words, i64* bases, u32* arrived, i64* count) {
    const i64 columns = region.shape[region.axes - 1], across = words_in(columns);
    const i64 first = region.first[region.axes - 1], end = region.end[region.axes - 1];
    const auto peaks = [&](i64 w) {
        u32 marked = marks ? marks[w] : ~0u;
        const i64 line = w / across, x0 = (w - line * across) * 32;
        if (!marked || !region.has_line(line)) return 0u;
        const T* const pixels = image + line * columns + x0;
        for (int k = 0; k < 32; ++k) {
            const bool is_peak = marked >> k & 1u && x0 + k >= first && x0 + k < end && threshold.passes(pixels[k]);
            if (!is_peak) marked &= ~(1u << k);
        }
        return marked;
    };
    rank_words(n, words, bases, arrived, peaks, count);
}

// labels    of the image's pixels; null where there are none, nor `of`
// capacity  peaks that there is room for: their places in the image, in C order, values and labels
template <class T>
__global__ void list_peaks(const T* image, const i64* labels, i64 columns, i64 n, const u64* words, const i64* bases,
                           i64 capacity, i64* places, T* values, i64* of) {
    const i64 across = words_in(columns);
    for (i64 w = blockIdx.x * (i64)blockDim.x + threadIdx.x; 32 * w < n; w += (i64)gridDim.x * blockDim.x) {
        const u64 word = words[w];
        if (!(u32)word) continue;
        i64 peak = bases[w / RANK_WORDS] + (i64)(word >> 32);
        const i64 line = w / across, begin = line * columns + (w - line * across) * 32;
        for (u32 bits = (u32)word; bits && peak < capacity; bits &= bits - 1, ++peak) {
            const i64 i = begin + __popc((bits & (~bits + 1)) - 1);
            places[peak] = i;
            values[peak] = image[i];
            if (labels) of[peak] = labels[i];
        }
    }
}
