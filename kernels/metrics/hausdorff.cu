// Hausdorff distances between the nonzero elements of two images: for each point of one, the
// nearest of the other, and of those distances the largest and the mean.
//
// Distances are taken along one axis after the other, as squares, which are integers and
// exact (below 2^31 - 1): `squared` holds, for both images one after the other, how far each
// element is from the nearest point within the axes done so far; FAR where there is none.
//
//     column_distances   first axis (common/nearest.cuh)
//     axis_distances     each axis between: squared[k] + distance^2, from near to far, as long
//                        as it can be less than what was found
//     farthest_points    last axis, for points only; a point that cannot be the farthest is
//                        left. The largest distances, with the first points that have them,
//                        and the means of all of them
//     nearest_points     the points at that distance from the farthest one
//
// The search costs no more than the distances are long, where pairs of points would cost
// their product. Two images of 1 to 8 bytes an element are read once; 8 bytes an element are
// written and read by each launch but the last.
//
// Source: A. Meijster et al., "A general algorithm for computing distance transforms in linear
// time", 2000 (axis by axis); A. A. Taha and A. Hanbury, "An efficient algorithm for
// calculating the exact Hausdorff distance", IEEE Transactions on Pattern Analysis and Machine
// Intelligence 37, 2015 (early break).
#include "common/nearest.cuh"
#include "common/reduce.cuh"

constexpr int FAR = Far<int>::value;

// Images are told apart by bits: `mask` leaves out the sign of zero.
//
// first, second: (rows, columns), C-contiguous, U the unsigned integer of their item size
// chunk: rows of a column that a thread takes
template <class U>
__global__ void column_distances(const U* first, const U* second, u64 mask_first, u64 mask_second,
                                 int rows, i64 columns, int chunk, int* squares) {
    const i64 n = (rows + chunk - 1) / chunk * 2 * columns, step = (i64)gridDim.x * blockDim.x;
    for (i64 i = (i64)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
        const int part = (int)(i / (2 * columns));
        const i64 line = i - part * 2 * columns;
        const bool is_first = line < columns;
        const U* const image = is_first ? first + line : second + (line - columns);
        const U mask = (U)(is_first ? mask_first : mask_second);
        int* const found = squares + (is_first ? line : rows * columns + (line - columns));
        const int begin = part * chunk, end = rows - begin < chunk ? rows : begin + chunk;
        nearest_along_first(
            begin, end, rows, rows, [&](int y) { return (image[y * columns] & mask) != 0; },
            [&](int y, int point) { found[y * columns] = point < 0 ? FAR : squared(0, point - y, 1); });
    }
}

// Squared distance of the element at `place` of an axis, from those within the axes before.
// `enough`: any distance up to that may be told too large.
__device__ inline int nearest_along(const int* line, int place, int size, i64 stride, int enough) {
    int best = line[place * stride];
    for (int k = 1; best > enough && k * k < best; ++k) {
        const bool before = k <= place, after = k < size - place;
        if (!before && !after) break;
        if (before) {
            const int other = line[(place - k) * stride];
            if (other < best - k * k) best = other + k * k;
        }
        if (after) {
            const int other = line[(place + k) * stride];
            if (other < best - k * k) best = other + k * k;
        }
    }
    return best;
}

// squared, result: (outer, rows, columns); the axis is that of the rows
__global__ void axis_distances(const int* squared, int* result, i64 outer, i64 rows, i64 columns) {
    const i64 n = outer * rows * columns, step = (i64)gridDim.x * blockDim.x;
    for (i64 i = (i64)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
        const i64 y = i / columns % rows;
        result[i] = nearest_along(squared + (i - y * columns), (int)y, (int)rows, columns, -1);
    }
}

// Of the points of one image: how far the farthest from the other is, the first such point,
// and the sum of all distances.
struct Farthest {
    double sum;
    i64 count, index;
    int squared;  // -1: no point
};

__device__ inline Farthest combined(const Farthest& a, const Farthest& b) {
    const bool second = b.squared > a.squared || (b.squared == a.squared && b.index < a.index);
    return {a.sum + b.sum, a.count + b.count, second ? b.index : a.index,
            second ? b.squared : a.squared};
}

struct Both {
    Farthest of[2];
};

constexpr int THREADS = 128;

// squared: (2, rows, columns), done but for the axis of the columns
// reached: two numbers, 0: the largest distances that any thread has seen, plus 1
// places: for each image the squared distance of its farthest point, -1 where it has none,
//         and the point's index
// means: for each image the mean distance of its points; without points 0
// all_of_them: whether means are asked for
__global__ void __launch_bounds__(THREADS, 1)
    farthest_points(const int* squared, i64 rows, i64 columns, bool all_of_them, int* reached,
                    double* partials, u32* arrived, i64* places, double* means) {
    __shared__ Both scratch[THREADS];
    const i64 n = rows * columns, step = (i64)gridDim.x * blockDim.x;
    Both mine = {{{0.0, 0, n, -1}, {0.0, 0, n, -1}}};
    for (i64 i = (i64)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
        for (int image = 0; image < 2; ++image) {
            if (squared[image * n + i] != 0) continue;
            Farthest& farthest = mine.of[image];
            int enough = -1;
            if (!all_of_them) {  // a later point is not the first of those that are as far
                const int others = *(volatile int*)(reached + image) - 2;
                enough = farthest.squared > others ? farthest.squared : others;
            }
            const i64 x = i % columns;
            const int found =
                nearest_along(squared + (1 - image) * n + (i - x), (int)x, (int)columns, 1, enough);
            farthest.count += 1;
            if (all_of_them) farthest.sum += sqrt((double)found);
            if (found > farthest.squared) {
                farthest.squared = found;
                farthest.index = i;
                if (found < FAR) atomicMax(reached + image, found + 1);
            }
        }
    }
    const auto combine = [](const Both& a, const Both& b) {
        return Both{{combined(a.of[0], b.of[0]), combined(a.of[1], b.of[1])}};
    };
    grid_reduce(mine, scratch, (Both*)partials, arrived, combine, [=](const Both& total) {
        for (int image = 0; image < 2; ++image) {
            const Farthest& farthest = total.of[image];
            places[2 * image] = farthest.squared;
            places[2 * image + 1] = farthest.index;
            means[image] = farthest.count ? farthest.sum / (double)farthest.count : 0.0;
        }
    });
}

constexpr int MOST_AXES = 8;

struct Shape {
    i64 size[MOST_AXES];  // 1 before the first axis
};

// squared: as farthest_points had it
// places: as farthest_points left it; then, of the points of the other image that are nearest
//         to the farther one of both farthest points: how many, and n less the first one's
//         index. Both 0 before the launch.
__global__ void nearest_points(const int* squared, i64 n, const Shape shape, i64* places) {
    const bool of_first = places[0] > places[2];
    const i64 distance = of_first ? places[0] : places[2];
    const i64 point = of_first ? places[1] : places[3];
    if (places[0] < 0 || places[2] < 0) return;
    const int* const others = squared + (of_first ? n : 0);
    u64* const found = (u64*)(places + 4);
    const i64 step = (i64)gridDim.x * blockDim.x;
    for (i64 i = (i64)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
        if (others[i] != 0) continue;
        i64 a = i, b = point, sum = 0;
        for (int axis = MOST_AXES - 1; axis >= 0; --axis) {
            const i64 size = shape.size[axis];
            const i64 apart = a % size - b % size;
            sum += apart * apart;
            a /= size;
            b /= size;
        }
        if (sum == distance) {
            atomicAdd(found, (u64)1);
            atomicMax(found + 1, (u64)(n - i));
        }
    }
}
