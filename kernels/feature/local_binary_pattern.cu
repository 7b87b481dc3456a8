// Local binary patterns: each pixel's neighbours on a circle, compared with the pixel.
//
//     local_binary_pattern   one number a pixel, by one of five methods
//     multiblock_pattern     one number for one place of an integral image
//
// image: bool, (u)int8..64, float16/32/64, (rows, columns), C-contiguous. Computed in double,
// each operation rounded as scikit-image's loop rounds it, so that what is equal there is
// equal here. Beyond the border stands 0. One launch; the image is read once (neighbours
// from cache), the result, of double, is written once.
//
// Source: scikit-image `feature.local_binary_pattern`, `multiblock_lbp` (_texture.pyx); T.
// Ojala, M. Pietikainen, T. Maenpaa, "Multiresolution gray-scale and rotation invariant
// texture classification with local binary patterns", 2002.
#include "common/rounded.cuh"
#include "common/types.cuh"

constexpr int MOST_POINTS = 127;

enum Method { DEFAULT = 0, ROR = 1, UNIFORM = 2, NRI_UNIFORM = 3, VAR = 4 };

// The neighbours' distances along rows and columns.
struct Circle {
    double down[MOST_POINTS], across[MOST_POINTS];
    int points, method;
};

// Part of an image, whose places are those of the whole: far from the first row the place of a
// neighbour is rounded otherwise than near it.
template <class T> struct Plane {
    const T* image;
    i64 rows, columns, top, left;
    __device__ double at(i64 y, i64 x) const {
        y -= top, x -= left;
        return y < 0 || y >= rows || x < 0 || x >= columns ? 0.0 : (double)image[y * columns + x];
    }
};

// (1 - t) * a + t * b, with the roundings of the host.
__device__ inline double between(double a, double b, double t) {
    return __dadd_rn(__dmul_rn(1 - t, a), __dmul_rn(t, b));
}

template <class T> __device__ inline double bilinear(const Plane<T>& plane, double y, double x) {
    const i64 y0 = (i64)floor(y), x0 = (i64)floor(x), y1 = (i64)ceil(y), x1 = (i64)ceil(x);
    const double across = x - (double)x0;
    const double top = between(plane.at(y0, x0), plane.at(y0, x1), across);
    const double bottom = between(plane.at(y1, x0), plane.at(y1, x1), across);
    return between(top, bottom, y - (double)y0);
}

// Biased variance of the neighbours; NaN where they are all equal.
template <class T>
__device__ inline double variance(const Plane<T>& plane, const Circle& circle, double y, double x) {
    double sum = 0, squares = 0;
    for (int i = 0; i < circle.points; ++i) {
        const double value = bilinear(plane, y + circle.down[i], x + circle.across[i]);
        sum += value;
        squares = plus_product(squares, value, value);
    }
    const double points = circle.points;
    const double found = (squares - __dmul_rn(sum, sum) / points) / points;
    return found != 0 ? found : (double)__uint_as_float(0x7fc00000u);
}

// Least of all rotations of `points` bits.
__device__ inline double least_rotation(int pattern, int points) {
    int least = pattern;
    for (int i = 1; i < points; ++i) {
        pattern = (pattern >> 1) | ((pattern & 1) << (points - 1));
        least = pattern < least ? pattern : least;
    }
    return least;
}

// What was seen of the comparisons while going around the circle.
struct Pattern {
    double weighted = 0;  // sum of 2^i where neighbour i is not darker; as int32 has it from 31 on
    int bits = 0;         // the same for less than 32 neighbours
    int ones = 0, changes = 0, first_one = -1, first_zero = -1;

    __device__ void add(int i, bool one, bool before) {
        changes += i > 0 && one != before;
        if (!one) {
            if (first_zero < 0) first_zero = i;
            return;
        }
        ++ones;
        if (first_one < 0) first_one = i;
        if (i < 31) {
            weighted += (double)(1 << i);
            bits |= 1 << i;
        } else if (i == 31) {
            weighted -= 2147483648.0;
        }
    }

    __device__ double number(const Circle& circle) const {
        const int points = circle.points;
        if (circle.method == DEFAULT) return weighted;
        if (circle.method == ROR) return least_rotation(bits, points);
        if (circle.method == UNIFORM) return changes <= 2 ? ones : points + 1;
        if (changes > 2) return points * (points - 1) + 2;
        if (ones == 0) return 0;
        if (ones == points) return points * (points - 1) + 1;
        const int rotations = first_one == 0 ? ones - first_zero : points - first_one;
        return 1 + (ones - 1) * points + rotations;
    }
};

// top, left: place of the first element in the whole image.
template <class T>
__global__ void local_binary_pattern(const T* image, double* result, i64 rows, i64 columns, i64 top, i64 left,
                                     const Circle circle) {
    const Plane<T> plane = {image, rows, columns, top, left};
    for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < rows * columns; i += gridDim.x * (i64)blockDim.x) {
        const i64 row = i / columns;
        const double y = (double)(top + row), x = (double)(left + i - row * columns);
        if (circle.method == VAR) {
            result[i] = variance(plane, circle, y, x);
            continue;
        }
        const double centre = (double)image[i];
        Pattern pattern;
        bool before = false;
        for (int k = 0; k < circle.points; ++k) {
            const double value = bilinear(plane, y + circle.down[k], x + circle.across[k]);
            const bool one = value - centre >= 0;
            pattern.add(k, one, before);
            before = one;
        }
        result[i] = pattern.number(circle);
    }
}

// Sum over one rectangle, in the order of skimage._shared.transform.integrate.
template <class T>
__device__ inline float rectangle(const T* sums, i64 columns, i64 y, i64 x, i64 height, i64 width) {
    const auto at = [=](i64 row, i64 column) { return (float)sums[row * columns + column]; };
    float sum = at(y + height - 1, x + width - 1);
    if (y > 0 && x > 0) sum += at(y - 1, x - 1);
    if (y > 0) sum -= at(y - 1, x + width - 1);
    if (x > 0) sum -= at(y + height - 1, x - 1);
    return sum;
}

// Nine rectangles that lie inside the integral image, the first at (y, x); one bit for each
// of the eight around the middle one, clockwise. One thread does it.
template <class T>
__global__ void multiblock_pattern(const T* sums, int* result, i64 columns, i64 y, i64 x, i64 height, i64 width) {
    if (blockIdx.x || threadIdx.x) return;
    const int down[8] = {0, 0, 0, 1, 2, 2, 2, 1}, across[8] = {0, 1, 2, 2, 2, 1, 0, 0};
    const float middle = rectangle(sums, columns, y + height, x + width, height, width);
    int pattern = 0;
    for (int k = 0; k < 8; ++k) {
        const float sum = rectangle(sums, columns, y + down[k] * height, x + across[k] * width, height, width);
        pattern |= (sum >= middle) << (7 - k);
    }
    *result = pattern;
}
