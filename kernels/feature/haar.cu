// Haar-like features of a window of an integral image: sums of rectangles beside each other, those with
// odd numbers minus those with even ones. One kernel:
//
//     haar_features   all features, by type, then in the order of place, height and width of a rectangle
//
// sums: (u)int8..64, float32/64, (rows, columns), C-contiguous. Sums of rectangles are made in its type T, as
// scikit-image makes them; integers are then taken as signed ones of the same size (S) and added up in 64
// bits (U). One launch; the window is read from cache, up to 16 elements a feature, each of which is written
// once. A thread finds its feature in tables.
//
// Source: scikit-image `feature.haar_like_feature` (_haar.pyx); P. Viola, M. Jones, "Robust real-time face
// detection", 2004.
#include "common/types.cuh"

// Last index at which the ascending `table`, times `factor`, is not above `value`.
__device__ inline i64 last_up_to(const i64* table, i64 length, i64 factor, i64 value) {
    i64 low = 0, high = length;
    while (high - low > 1) {
        const i64 middle = (low + high) / 2;
        if (table[middle] * factor <= value)
            low = middle;
        else
            high = middle;
    }
    return low;
}

// The window: its elements from `corner` on, a row of the image `pitch` elements behind the one before.
template <class T> struct Window {
    const T* corner;
    i64 pitch;
    __device__ T rectangle(i64 top, i64 left, i64 rows, i64 columns) const {
        const i64 bottom = top + rows - 1, right = left + columns - 1;
        T sum = corner[bottom * pitch + right];
        if (top > 0 && left > 0) sum = (T)(sum + corner[(top - 1) * pitch + left - 1]);
        if (top > 0) sum = (T)(sum - corner[(top - 1) * pitch + right]);
        if (left > 0) sum = (T)(sum - corner[bottom * pitch + left - 1]);
        return sum;
    }
};

// types: of each type how many rectangles a feature has along the axes (1 x 2, 2 x 1, 1 x 3, 3 x 1 or 2 x 2),
// and where in `result` its features begin. heights, widths: of each type, for each place along an axis, and
// the one behind the last, how many heights or widths there are at those before it.
template <class T, class S, class U>
__global__ void __launch_bounds__(256, 1)
haar_features(const T* sums, i64 pitch, i64 row, i64 column, i64 height, i64 width, const i64* types, i64 type_count,
              const i64* heights, const i64* widths, i64 count, U* result) {
    const Window<T> window = {sums + row * pitch + column, pitch};
    for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < count; i += gridDim.x * (i64)blockDim.x) {
        i64 type = type_count - 1;
        while (types[3 * type + 2] > i) --type;
        const int down = (int)types[3 * type], across = (int)types[3 * type + 1];
        const i64* const high_before = heights + type * (height + 1);
        const i64* const wide_before = widths + type * (width + 1);
        const i64 number = i - types[3 * type + 2], all_widths = wide_before[width];
        const i64 y = last_up_to(high_before, height, all_widths, number);
        const i64 at_y = number - high_before[y] * all_widths, high = high_before[y + 1] - high_before[y];
        const i64 x = last_up_to(wide_before, width, high, at_y), at_x = at_y - high * wide_before[x];
        const i64 wide = wide_before[x + 1] - wide_before[x], rows = at_x / wide + 1, columns = at_x % wide + 1;
        const auto sum = [&](int v, int u) {
            return (U)(S)window.rectangle(y + v * rows, x + u * columns, rows, columns);
        };
        const int v = down > 1, u = across > 1;
        U odd, even = sum(0, 0);
        if (v && u) {  // number 2 is below number 1
            odd = sum(0, 1) + sum(1, 0);
            even += sum(1, 1);
        } else {
            odd = sum(v, u);
            if (down * across == 3) even += sum(2 * v, 2 * u);
        }
        result[i] = odd - even;
    }
}
