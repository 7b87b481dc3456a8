// Sums of an array along one axis, weighted with powers of the distance from a center: applied to
// one axis after the other they make an image's moments. And the moments of a list of points.
//
//   axis_moments    result[line, p] = sum over x of array[line, x] * (x * spacing - center)^p
//   point_moments   result[p, q, ...] = sum over points of (y - center_y)^p * (x - center_x)^q ...
//
// array: `lines` lines of `length` elements, any alignment; elements of a line are `inner` apart, as
// are lines of inner indices: line = outer * inner + i begins at outer * length * inner + i.
// coords: `points` points of `axes` numbers each. result: doubles; exponents 0 to orders - 1.
//
// axis_moments: one launch for each axis, the first of which reads the image once for exponents up
// to 3, and once more for each 4 more. `lanes` threads share a line.
// point_moments: one launch; the points are read once for each 4 results. Sums are in double, in an
// order that depends on the shape and the grid only. 0^0 is 1.
//
// Source: scikit-image/measure/_moments.py.
#include "common/pack.cuh"
#include "common/reduce.cuh"

constexpr int THREADS = 256, AT_ONCE = 4, MOST_AXES = 16;

__device__ inline double as_double(float16 value) { return (double)(float)value; }
template <class T> __device__ inline double as_double(T value) { return (double)value; }

// base^exponent. Any thread.
__device__ inline double power(double base, int exponent) {
    double result = 1;
    for (int i = 0; i < exponent; ++i) result *= base;
    return result;
}

template <class T>
__global__ void __launch_bounds__(THREADS, 1)
    axis_moments(const T* array, i64 lines, i64 length, i64 inner, double spacing, double center, int orders,
                 int lanes, double* result) {
    __shared__ double scratch[AT_ONCE][THREADS];
    const u32 sharing = (u32)lanes < blockDim.x ? lanes : blockDim.x, groups = blockDim.x / sharing;
    const u32 group = threadIdx.x / sharing, lane = threadIdx.x % sharing;
    for (i64 base = (i64)blockIdx.x * groups; base < lines; base += (i64)gridDim.x * groups) {
        const i64 line = base + group;
        const bool works = group < groups && line < lines;
        const i64 outer = line / inner;
        const T* const first_element = array + outer * length * inner + (line - outer * inner);
        for (int first = 0; first < orders; first += AT_ONCE) {
            double sums[AT_ONCE] = {};
            if (works)
                for (i64 x = lane; x < length; x += sharing) {
                    const double distance = (double)x * spacing - center;
                    const double value = as_double(first_element[x * inner]);
                    double weight = power(distance, first);
#pragma unroll
                    for (int k = 0; k < AT_ONCE; ++k) {
                        sums[k] += value * weight;
                        weight *= distance;
                    }
                }
#pragma unroll
            for (int k = 0; k < AT_ONCE; ++k) scratch[k][threadIdx.x] = sums[k];
            for (u32 active = sharing; active > 1;) {
                const u32 half = (active + 1) / 2;
                __syncthreads();
                if (works && lane + half < active) {
#pragma unroll
                    for (int k = 0; k < AT_ONCE; ++k) scratch[k][threadIdx.x] += scratch[k][threadIdx.x + half];
                }
                active = half;
            }
            if (works && lane == 0) {
#pragma unroll
                for (int k = 0; k < AT_ONCE; ++k)
                    if (first + k < orders) result[line * orders + first + k] = scratch[k][threadIdx.x];
            }
            __syncthreads();
        }
    }
}

struct Sums {
    double item[AT_ONCE];
};

// centers: of each axis. partials: room for Sums of each block; arrived: a 0 for each row of blocks,
// which makes some of the results.
template <class T>
__global__ void __launch_bounds__(THREADS, 1)
    point_moments(const T* coords, i64 points, int axes, const double* centers, int orders, double* partials,
                  u32* arrived, double* result) {
    __shared__ Sums scratch[THREADS];
    __shared__ int exponents[MOST_AXES];
    // this row's results: exponents of all axes but the last, and the first of its exponents
    const int chunks = (orders + AT_ONCE - 1) / AT_ONCE, first = blockIdx.y % chunks * AT_ONCE;
    const u32 prefix = blockIdx.y / chunks;
    if (threadIdx.x == 0)
        for (int axis = axes - 2, rest = prefix; axis >= 0; --axis, rest /= orders) exponents[axis] = rest % orders;
    __syncthreads();
    Sums mine = {};
    const Span span = block_span(points, 1);
    for (i64 i = span.begin + threadIdx.x; i < span.end; i += blockDim.x) {
        const T* const point = coords + i * axes;
        double product = 1;
        for (int axis = 0; axis < axes - 1; ++axis)
            product *= power(as_double(point[axis]) - centers[axis], exponents[axis]);
        const double distance = as_double(point[axes - 1]) - centers[axes - 1];
        double last = power(distance, first);
#pragma unroll
        for (int k = 0; k < AT_ONCE; ++k) {
            mine.item[k] += product * last;
            last *= distance;
        }
    }
    const auto add = [](const Sums& a, const Sums& b) {
        Sums both;
#pragma unroll
        for (int k = 0; k < AT_ONCE; ++k) both.item[k] = a.item[k] + b.item[k];
        return both;
    };
    grid_reduce(mine, scratch, (Sums*)partials + (i64)blockIdx.y * gridDim.x, arrived + blockIdx.y, add,
                [&](const Sums& total) {
#pragma unroll
                    for (int k = 0; k < AT_ONCE; ++k)
                        if (first + k < orders) result[(i64)prefix * orders + first + k] = total.item[k];
                });
}
