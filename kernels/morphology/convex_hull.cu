// Convex hull of what is not 0 in an image: what the host needs of it, and what it has made of that. A row is
// a line along the last axis. Three kernels, one launch each:
//
//     row_ends    the first and the last pixel of each row
//     cut_rows    of volumes: between which columns each row is inside of all sides of the hull
//     fill_rows   true between two columns of each row
//
// In row_ends a few threads share a row, and look from its ends on: a row is read once at most, a full one hardly.
// The result is written once. Columns are int, pixels any number. Any blocks and grid.
//
// Source: scikit-image `morphology._convex_hull.possible_hull`, of which rows are enough; and
// `morphology.convex_hull._check_coords_in_hull`.
#include "common/types.cuh"

constexpr int PIXELS = 32;  // of a row, for a thread

// firsts: `columns` less the first pixel's column, lasts: the last one's and 1; 0 before, and where a row
// has none. A pixel counts where it has one of the bits that `counts` has. T: the unsigned integer of its size.
template <class T>
__global__ void __launch_bounds__(256, 1)
    row_ends(const T* image, T counts, i64 rows, int columns, int* firsts, int* lasts) {
    const int across = (columns - 1) / PIXELS + 1;
    for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < rows * across; i += (i64)gridDim.x * blockDim.x) {
        const i64 row = i / across;
        const T* const pixels = image + row * columns;
        int first = (int)(i - row * across);
        int last = first + (columns - 1 - first) / across * across;
        while (first <= last && !(pixels[first] & counts)) first += across;
        if (first > last) continue;
        while (!(pixels[last] & counts)) last -= across;
        atomicMax(firsts + row, columns - first);
        atomicMax(lasts + row, last + 1);
    }
}

template <int AXES> struct Lengths {
    i64 of[AXES];
};

// sides: of each one its normal, then its offset; a place is inside of it where both products come to less
// than `tolerance`. close: 1 where that is so near to it that rounding decides, 0 before. begins, ends: as
// fill_rows has them.
template <int AXES>
__global__ void __launch_bounds__(256, 1)
    cut_rows(const double* sides, int count, const __grid_constant__ Lengths<AXES> lengths, double tolerance,
             double rounding, i64 rows, int* begins, int* ends, int* close) {
    const double most = (double)(lengths.of[AXES - 1] - 1);
    bool is_close = false;
    for (i64 row = blockIdx.x * (i64)blockDim.x + threadIdx.x; row < rows; row += (i64)gridDim.x * blockDim.x) {
        double at[AXES - 1];
        i64 left = row;
#pragma unroll
        for (int axis = AXES - 2; axis >= 0; --axis) {
            at[axis] = (double)(left % lengths.of[axis]);
            left /= lengths.of[axis];
        }
        double first = 0, last = most;
        for (int i = 0; i < count && first <= last; ++i) {
            const double* const side = sides + (i64)i * (AXES + 1);
            double height = side[AXES];
#pragma unroll
            for (int axis = 0; axis < AXES - 1; ++axis) height += side[axis] * at[axis];
            const double slope = side[AXES - 1], room = tolerance - height;
            const double cut = slope != 0 ? room / slope : room, near = fmin(fmax(rint(cut), 0.0), most);
            is_close = is_close || fabs(slope * near - room) <= rounding;
            if (slope > 0)
                last = fmin(last, ceil(cut) - 1);
            else if (slope < 0)
                first = fmax(first, floor(cut) + 1);
            else if (!(room > 0))
                last = -1;
        }
        begins[row] = first <= last ? (int)first : 0;
        ends[row] = first <= last ? (int)last : -1;
    }
    if (is_close) *close = 1;
}

// begins, ends: of each row the first column that is true, and the last
__global__ void __launch_bounds__(256, 1)
    fill_rows(const int* begins, const int* ends, i64 rows, int columns, bool* result) {
    for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < rows * columns; i += (i64)gridDim.x * blockDim.x) {
        const i64 row = i / columns;
        const int column = (int)(i - row * columns);
        result[i] = begins[row] <= column && column <= ends[row];
    }
}
