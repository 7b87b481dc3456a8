// Local binary patterns: each pixel's neighbours on a circle, compared with the pixel.
//
//     local_binary_pattern   one number a pixel, by one of five methods
//     multiblock_pattern     one number for one place of an integral image
//
// image: bool, (u)int8..64, float16/32/64, (rows, columns), C-contiguous. Computed in double,
// each operation rounded as scikit-image's loop rounds it, so that what is equal there is
// equal here; but what single precision tells apart, of elements that it holds, is not computed
// again. Beyond the border stands 0. One launch; the image is read once (neighbours
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

// Part of an image. (Far from the first row of the whole the place of a neighbour is rounded otherwise than
// near it.)
template <class T> struct Plane {
    const T* image;
    i64 rows, columns;
    // of the part's own rows and columns
    __device__ T at(i64 y, i64 x) const {
        return (u64)y < (u64)rows && (u64)x < (u64)columns ? image[y * columns + x] : T{};
    }
};

// (1 - t) * a + t * b, with the roundings of the host.
__device__ inline double between(double a, double b, double t) {
    return __dadd_rn(__dmul_rn(1 - t, a), __dmul_rn(t, b));
}

// A neighbour's way from a pixel: to the element above and to the left of it, and how far it is from there. Ways
// are rounded to five decimals, so that places below 2^31 are between the same elements.
struct Neighbour {
    int down, across;
    float below, right;
    double rows, columns;  // as `down` and `across`
};

template <class T>
__device__ inline double bilinear(const Plane<T>& plane, double y, double x, i64 row, i64 column, const Neighbour& to,
                                  double down, double across) {
    const i64 y0 = row + to.down, x0 = column + to.across, y1 = y0 + (to.below != 0), x1 = x0 + (to.right != 0);
    const double below = (y + down) - (y + to.rows), right = (x + across) - (x + to.columns);
    const T a = plane.at(y0, x0), b = plane.at(y0, x1), c = plane.at(y1, x0), d = plane.at(y1, x1);
    const double above = between((double)a, (double)b, right);
    return between(above, c == a && d == b ? above : between((double)c, (double)d, right), below);
}

// Biased variance of so many neighbours; NaN where they are all equal.
template <class Value> __device__ inline double variance(int count, const Value& value_of) {
    double sum = 0, squares = 0;
    for (int i = 0; i < count; ++i) {
        const double value = value_of(i);
        sum += value;
        squares = plus_product(squares, value, value);
    }
    const double points = count;
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
    u32 bits = 0;  // 2^i where neighbour i is not darker, of the first 32
    int ones = 0, changes = 0, first_one = -1, first_zero = -1;

    __device__ void add(int i, bool one, bool before) {
        changes += i > 0 && one != before;
        if (!one) {
            if (first_zero < 0) first_zero = i;
            return;
        }
        ++ones;
        if (first_one < 0) first_one = i;
        if (i < 32) bits |= 1u << i;
    }

    __device__ double number(const Circle& circle) const {
        const int points = circle.points;
        if (circle.method == DEFAULT) return (int)bits;  // as int32 has their sum
        if (circle.method == ROR) return least_rotation(bits, points);
        if (circle.method == UNIFORM) return changes <= 2 ? ones : points + 1;
        if (changes > 2) return points * (points - 1) + 2;
        if (ones == 0) return 0;
        if (ones == points) return points * (points - 1) + 1;
        const int rotations = first_one == 0 ? ones - first_zero : points - first_one;
        return 1 + (ones - 1) * points + rotations;
    }
};

// Whether elements are floats exactly.
template <class T> constexpr bool IN_SINGLE = sizeof(T) <= 2 || (IS_FLOATING<T> && sizeof(T) == 4);

// Whether a neighbour is not darker than `centre`: 1 or -1, or 0 where single precision does not tell.
//
// It misses the difference of exact numbers, of sizes up to `size`, by less than 2^-19 of that: each of three
// interpolations by 2^-24 of four sizes, what distances are rounded by 2^-24 of two, and in double, where
// places are below 2^31, by 2^-21. What rounding in double leaves is much less; at an element nothing.
template <class T>
__device__ inline int told_in_single(const Plane<T>& plane, i64 y, i64 x, const Neighbour& to, float centre) {
    y += to.down, x += to.across;
    const float a = plane.at(y, x);
    if (to.right == 0 && to.below == 0 && fabs(a) < 1e30f) return a >= centre ? 1 : -1;
    float b, c, d;
    if ((u64)y < (u64)(plane.rows - 1) && (u64)x < (u64)(plane.columns - 1)) {
        const T* const first = plane.image + y * plane.columns + x;
        b = first[1], c = first[plane.columns], d = first[plane.columns + 1];
    } else {
        b = plane.at(y, x + 1), c = plane.at(y + 1, x), d = plane.at(y + 1, x + 1);
    }
    const float above = fma(b - a, to.right, a), under = fma(d - c, to.right, c);
    const float found = fma(under - above, to.below, above) - centre;
    const float size = fmax(fmax(fmax(fabs(a), fabs(b)), fmax(fabs(c), fabs(d))), fabs(centre));
    const bool tells = size > 1e-30f && size < 1e30f && fabs(found) > size * 0x1p-18f;
    return !tells ? 0 : found > 0 ? 1 : -1;
}

// top, left: place of the first element in the whole image.
template <class T>
__global__ void local_binary_pattern(const T* image, double* result, i64 rows, i64 columns, i64 top, i64 left,
                                     const Circle circle) {
    __shared__ Neighbour neighbours[MOST_POINTS];
    const Plane<T> plane = {image, rows, columns};
    for (int k = threadIdx.x; k < circle.points; k += blockDim.x) {
        const double down = floor(circle.down[k]), across = floor(circle.across[k]);
        const float below = (float)(circle.down[k] - down), right = (float)(circle.across[k] - across);
        neighbours[k] = {(int)down, (int)across, below, right, down, across};
    }
    __syncthreads();
    for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < rows * columns; i += gridDim.x * (i64)blockDim.x) {
        const i64 row = i / columns, column = i - row * columns;
        const double y = (double)(top + row), x = (double)(left + column);
        const auto value_of = [&](int k) {
            return bilinear(plane, y, x, row, column, neighbours[k], circle.down[k], circle.across[k]);
        };
        if (circle.method == VAR) {
            result[i] = variance(circle.points, value_of);
            continue;
        }
        const T centre = image[i];
        Pattern pattern;
        bool before = false;
        for (int k = 0; k < circle.points; ++k) {
            int told = 0;
            if constexpr (IN_SINGLE<T>) told = told_in_single(plane, row, column, neighbours[k], (float)centre);
            const bool one = told ? told > 0 : value_of(k) - (double)centre >= 0;
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
