// Sums of an image's edges along one axis, and of what blurring along that axis takes from them.
//
// image, blurred: of the same shape. Each element of the inside is a sum of its `taps` neighbours,
// at `offsets` elements from it, by `weights`: a Sobel filter along the axis, which SciPy adds up in
// double in this order and stores as T. No edge is below the smallest that scikit-image knows.
// inside: of all elements but the first two and the last along each axis; its first one is at
// `begin`, neighbours along axis k of the image are `strides[k]` apart. n: its elements.
// partials: Edges of each block; arrived: one 0; found: the two sums, in double.
//
// One launch; each image is read once, neighbours from cache. The order of summation depends on n and
// the grid only.
//
// Source: scikit-image/measure/_blur_effect.py.
#include "common/products.cuh"
#include "common/reduce.cuh"

constexpr int THREADS = 256, MOST_AXES = 8;
constexpr double SMALLEST = 2.220446049250313e-16;

struct Inside {
    i64 shape[MOST_AXES], strides[MOST_AXES];  // of axes that are not there: 1 and 0, first
    i64 begin;
};

struct Edges {
    double sharp, lost;
};

// The edge at an element, not below the smallest. Any thread.
template <class T>
__device__ inline double edge_at(const T* element, const i64* offsets, const double* weights, int taps) {
    double sum = 0;
    for (int k = 0; k < taps; ++k) sum += rounded_product((double)element[offsets[k]], weights[k]);
    const double edge = fabs((double)(T)sum);
    return edge < SMALLEST ? SMALLEST : edge;  // NaN stays
}

template <class T>
__global__ void __launch_bounds__(THREADS, 1)
    lost_edges(const T* image, const T* blurred, const i64* offsets, const double* weights, int taps,
               const __grid_constant__ Inside inside, i64 n, void* partials, u32* arrived, double* found) {
    __shared__ Edges scratch[THREADS];
    const Span span = block_span(n, 1);
    Edges mine = {0, 0};
    for (i64 i = span.begin + threadIdx.x; i < span.end; i += blockDim.x) {
        i64 place = inside.begin, rest = i;
#pragma unroll
        for (int k = MOST_AXES - 1; k >= 0; --k) {
            if (inside.strides[k] == 0) continue;
            place += rest % inside.shape[k] * inside.strides[k];
            rest /= inside.shape[k];
        }
        const double sharp = edge_at(image + place, offsets, weights, taps);
        const double left = edge_at(blurred + place, offsets, weights, taps), lost = sharp - left;
        mine.sharp += sharp;
        // SciPy's running sums carry infinity on as NaN
        mine.lost += isfinite(left) ? (lost < 0 ? 0 : lost) : left - left;
    }
    const auto add = [](const Edges& a, const Edges& b) { return Edges{a.sharp + b.sharp, a.lost + b.lost}; };
    grid_reduce(mine, scratch, (Edges*)partials, arrived, add, [=](const Edges& total) {
        found[0] = total.sharp;
        found[1] = total.lost;
    });
}
