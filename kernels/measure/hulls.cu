// Convex hulls of labelled regions of a plane, exactly. Four kernels, in this order:
//
//     extremes   the first and the last column of each region in each of its rows
//     hulls      those of its convex hull, and how many pixels lie between them
//     mark       an image that is true in all hulls
//     diameters  the largest distance between points of the hull's outline
//
// The hull is that of the middles of pixels' sides, and so are its outline's points, the ends of
// what scikit-image's contours consist of. A thread goes down both sides of a region (A. M. Andrew,
// "Another efficient algorithm for convex hulls in two dimensions", 1979), in integers.
//
// Runs are those of runs.cu, and region r has those from starts[r] to starts[r + 1]. They are read
// once; two columns a row are written and read, and up to 8 numbers a row between.
//
// Index: int, or i64 from 2^31 pixels on. Any blocks and grid.
//
// Source: scikit-image `morphology.convex_hull_image`, `measure.regionprops`.
#include "measure/regions.cuh"

constexpr int SHARE = 32, THREADS = 256;

// The first and the last column of each region in each row of its box; -1 where it has none there.
//   corners:  3 for each region: the first plane, row and column of its box
//   rows:     the first of the rows of each region, among those of all
//   first, last:  -1 before
template <class Index>
__global__ void __launch_bounds__(THREADS, 1)
    extremes(const Index* firsts, const i64* places, const i64* starts, i64 count, i64 columns, const i64* corners,
             const i64* rows, Index* first, Index* last) {
    const i64 shares = (starts[count] - starts[0] - 1) / SHARE + 1;
    for (i64 share = blockIdx.x * (i64)blockDim.x + threadIdx.x; share < shares; share += (i64)gridDim.x * blockDim.x) {
        const i64 begin = starts[0] + share * SHARE;
        const i64 stop = begin + SHARE < starts[count] ? begin + SHARE : starts[count];
        i64 region = part_of(starts, count, begin);
        for (i64 run = begin; run < stop; ++run) {
            if (run == starts[region + 1]) ++region;
            const Index pixel = firsts[run], row = pixel / (Index)columns, column = pixel - row * (Index)columns;
            const i64 place = rows[region] + row - corners[region * 3 + 1];
            if (run == starts[region] || firsts[run - 1] / (Index)columns != row) first[place] = column;
            if (run + 1 == starts[region + 1] || firsts[run + 1] / (Index)columns != row)
                last[place] = column + (Index)(places[run + 1] - places[run]) - 1;
        }
    }
}

// One side of a convex hull: x, as it is smallest, over y. Both count halves of pixels; y + 1 is
// the place of a point, from -1 on.
struct Side {
    i64 *y, *x;
    i64 points;

    // Adds the next point; those before it that are no longer corners go.
    __device__ void add(i64 at, i64 value) {
        while (points > 1 && (x[points - 1] - x[points - 2]) * (at - y[points - 1]) >=
                                 (value - x[points - 1]) * (y[points - 1] - y[points - 2]))
            --points;
        y[points] = at;
        x[points++] = value;
    }

    // The first whole pixel of row `row` that is inside; `corner` is that before it, and grows.
    __device__ i64 inside(i64 row, i64& corner) const {
        while (corner + 2 < points && y[corner + 1] <= 2 * row) ++corner;
        const i64 down = y[corner + 1] - y[corner];
        const i64 above = x[corner] * down + (2 * row - y[corner]) * (x[corner + 1] - x[corner]);
        const i64 below = 2 * down, floor = above / below - (above % below < 0);
        return floor + (floor * below != above);
    }
};

// Both sides of the convex hull of the middles of pixels' sides; the right one has x below 0. Any thread.
template <class Index> struct Sides {
    Side left, right;

    //   first, last:  of each of `height` rows; -1 where there is no pixel
    //   points:       4 (2 height + 1) numbers
    __device__ Sides(const Index* first, const Index* last, i64 height, i64* points)
        : left{points, points + 2 * height + 1, 0},
          right{points + 2 * (2 * height + 1), points + 3 * (2 * height + 1), 0} {
        for (i64 row = 0; row <= height; ++row) {
            const bool is_before = row > 0 && first[row - 1] >= 0;
            const bool is_here = row < height && first[row] >= 0;
            if (is_before || is_here) {  // where both rows' pixels have their sides
                const i64 a = is_before ? first[row - 1] : first[row], b = is_here ? first[row] : a;
                const i64 c = is_before ? last[row - 1] : last[row], d = is_here ? last[row] : c;
                left.add(2 * row - 1, 2 * (a < b ? a : b));
                right.add(2 * row - 1, -2 * (c > d ? c : d));
            }
            if (is_here) {
                left.add(2 * row, 2 * (i64)first[row] - 1);
                right.add(2 * row, -2 * (i64)last[row] - 1);
            }
        }
    }
};

// A thread for each region.
//   rows, first, last:  as of extremes; the columns of the hull come into the place of the region's
//   points:  4 numbers for each of 2 points a row, and one more point a region
//   areas:   pixels in each hull
template <class Index>
__global__ void __launch_bounds__(THREADS, 1)
    hulls(i64 count, const i64* rows, Index* first, Index* last, i64* points, i64* areas) {
    for (i64 region = blockIdx.x * (i64)blockDim.x + threadIdx.x; region < count;
         region += (i64)gridDim.x * blockDim.x) {
        const i64 begin = rows[region], height = rows[region + 1] - begin;
        const Sides<Index> sides(first + begin, last + begin, height, points + 4 * (2 * begin + region));
        i64 area = 0, corner = 0, other = 0;
        for (i64 row = 0; row < height; ++row) {
            const i64 from = sides.left.inside(row, corner), to = -sides.right.inside(row, other);
            first[begin + row] = from;
            last[begin + row] = to;
            if (to >= from) area += to - from + 1;
        }
        areas[region] = area;
    }
}

// mask: false before; a pixel of several hulls is written by each of them. A few threads for each row of a region.
//   corners, rows, first, last:  of the hulls, as above
template <class Index>
__global__ void __launch_bounds__(THREADS, 1)
    mark(i64 count, i64 columns, const i64* corners, const i64* rows, const Index* first, const Index* last,
         bool* mask) {
    for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < rows[count] * SHARE;
         i += (i64)gridDim.x * blockDim.x) {
        const i64 at = i / SHARE, region = part_of(rows, count, at);
        bool* const row = mask + (corners[region * 3 + 1] + at - rows[region]) * columns;
        for (i64 column = first[at] + i % SHARE; column <= last[at]; column += SHARE) row[column] = true;
    }
}

// squares: the largest square of a distance between two points of each hull's outline, in
// scikit-image's roundings: coordinates count from two pixels before the box. A thread for each region.
//   first, last:  of the hull
//   corners, rows, points:  as above
//   down, across: distances from a row, and a column, to the next
template <class Index>
__global__ void __launch_bounds__(THREADS, 1)
    diameters(i64 count, const i64* corners, const i64* rows, const Index* first, const Index* last, double down,
              double across, i64* points, double* squares) {
    for (i64 region = blockIdx.x * (i64)blockDim.x + threadIdx.x; region < count;
         region += (i64)gridDim.x * blockDim.x) {
        const i64 begin = rows[region], height = rows[region + 1] - begin, before = 2 * (corners[region * 3 + 2] - 2);
        const Sides<Index> sides(first + begin, last + begin, height, points + 4 * (2 * begin + region));
        double largest = 0;
        // the farthest two points are corners of both sides: the topmost and the lowest are of each
        for (i64 i = 0; i < sides.left.points; ++i) {
            const double y = rounded_product((sides.left.y[i] + 4) * 0.5, down);
            const double x = rounded_product((sides.left.x[i] - before) * 0.5, across);
            for (i64 j = 0; j < sides.right.points; ++j) {
                const double dy = y - rounded_product((sides.right.y[j] + 4) * 0.5, down);
                const double dx = x - rounded_product((-sides.right.x[j] - before) * 0.5, across);
                const double square = rounded_product(dy, dy) + rounded_product(dx, dx);
                largest = square > largest ? square : largest;
            }
        }
        squares[region] = largest;
    }
}
