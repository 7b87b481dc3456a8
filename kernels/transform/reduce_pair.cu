// Two axes of an image smoothed by Gaussians and made shorter, in one launch.
//
// What: what smooth_and_sample (transform/reduce.cu) makes of the first axis, a, and then of the second one, b, to
// the last bit, for order 1 and small radii. The first axis becomes shorter; the second one does so, too, or has no
// Gaussian and any length, and is then what resize_image (transform/resize.cu) makes of it. A tile of the result goes
// three ways:
//
//     1. where its rows and columns are on both axes
//     2. its rows, of all columns that it is made of, smoothed and sampled along a: from the image into `middle`
//     3. the same along b, into the result
//
// The image: bool to float64, seen as (outer, a, b, inner), with less than 2^31 elements behind `outer`. Result:
// float for float16 and float32 images, else double. Sums as in transform/reduce.cu. No constant stands beyond
// the ends. One launch; the image is read once (windows and tiles overlap, from cache), the result written once.
// Shared memory: `rows` * `pitch` elements of sums, and up to 40 bytes for each row and column of a tile.
//
// Source: scikit-image `transform.resize` with anti_aliasing, `transform.pyramid_reduce`;
// scipy.ndimage.gaussian_filter and zoom.
#include "common/interpolation.cuh"
#include "common/shared.cuh"
#include "common/split.cuh"
#include "filters/gaussian_line.cuh"
#include "transform/float_means.cuh"
#include "transform/smoothed.cuh"

constexpr int MOST_RADIUS = 16, THREADS = 256, MOST_ROWS = 32, MOST_COLUMNS = 64;

// One axis: its lengths, how it is extended and smoothed.
struct ReducedAxis {
    int size, made, mode;
    double zoom;
    Bell bell;
};

struct Reduction {
    ReducedAxis a, b;
    i64 tiles;  // of all planes
    int inner;
    int rows, columns;  // of a tile: of the result, and pixels of it
    int pitch;          // from row to row of `middle`
};

// Where an element of the result is on an axis: its window's first element, beyond the axis' ends, too, how far that
// is from the line's first, and the weights of the window's two sums.
template <class N> struct Window {
    N weight[2];
    int first, offset;
    bool inside;

    __device__ void set(int number, const ReducedAxis& axis, int step) {
        const int radius = (int)axis.bell.radius;
        const double at = __dadd_rn(__dmul_rn((double)number + 0.5, axis.zoom), -0.5);
        const double x = map_coordinate(at, axis.size, axis.mode), whole = floor(x);
        double parts[2];
        spline_weights<1>(x - whole, parts);
        first = (int)whole - radius;
        offset = first * step;
        inside = first >= 0 && first + 2 * radius + 2 <= axis.size;
        weight[0] = (N)parts[0];
        weight[1] = (N)parts[1];
    }
};

// The elements of a line from `place` on, which lies beyond an end, or whose window does.
template <class T> struct Edge {
    const T* line;
    int step, place, size, mode;
    __device__ T next() {
        const T element = ahead(0);
        ++place;
        return element;
    }
    __device__ T ahead(int count) const { return line[(int)boundary_index(place + count, size, mode) * step]; }
};

// An element of such sums, where they are held exactly enough, or of sums in double.
template <class O, class N, class T, class Elements>
__device__ inline O reduced(const Elements& elements, int radius, const N* taps, const Window<N>& window,
                            const Scaled<T, ElementOf<N>>& convert, const Scaled<T, double>& in_double) {
    ElementOf<N> mean;
    if (smoothed(mean, elements, radius, taps, window.weight, convert)) return (O)mean;
    const double weights[2] = {(double)window.weight[0], (double)window.weight[1]};
    double exact;
    smoothed(exact, elements, radius, taps, weights, in_double);
    return (O)exact;
}

// The mean of two elements by the weights of a window without a Gaussian, rounded as SciPy rounds it and kept between
// them; of floats in two floats, where these tell how to round.
template <class O> __device__ inline O mean_of_two(O first, O second, const double (&weight)[2]) {
    const double sum = __dadd_rn(__dadd_rn(0, __dmul_rn(first, weight[0])), __dmul_rn(second, weight[1]));
    return between((O)sum, first, second);
}
template <class O>
__device__ inline O mean_of_two(O first, O second, const Window<double>& window, int, const ReducedAxis&) {
    return mean_of_two(first, second, window.weight);
}
__device__ inline float mean_of_two(float first, float second, const Window<TwoFloats>& window, int number,
                                    const ReducedAxis& axis) {
    Magnitudes both;
    both.take(first);
    both.take(second);
    TwoFloats sum = product(first, window.weight[0]);
    accumulate(sum, second, window.weight[1]);
    float mean;
    if (rounded_mean(mean, sum, both, is_coarse(window.weight[1]))) return mean;
    Window<double> exact;
    exact.set(number, axis, 1);
    return mean_of_two(first, second, exact.weight);
}

// work(r, c) for each `run` rows of a column, side by side over all threads of the block. Fewer than 2^20 of them.
template <class Work> __device__ inline void for_runs(int rows, int columns, int run, Work work) {
    const int count = (rows + run - 1) / run * columns;
    const float inverse = 1.0f / columns;
#pragma unroll 1
    for (int k = threadIdx.x; k < count; k += blockDim.x) {
        const int r = (int)((k + 0.5f) * inverse);  // k / columns: half a column is more than rounding
        work(r * run, k - r * columns);
    }
}

// SMOOTHED: along the second axis, too.
template <class T, class O, bool SMOOTHED>
__global__ void __launch_bounds__(THREADS, IN_FLOATS ? FEWER : RESIDENT)
    smooth_and_sample_pair(const T* image, O* result, const __grid_constant__ Reduction p, double scale, double lowest) {
    typedef typename NumberOf<O>::type N;
    DYN_SHARED(O, middle);
    __shared__ Window<N> down[MOST_ROWS], across[MOST_COLUMNS];
    __shared__ N taps_a[2 * MOST_RADIUS + 1], taps_b[2 * MOST_RADIUS + 1];
    const Scaled<T, ElementOf<N>> convert(scale, lowest);
    const Scaled<T, double> in_double(scale, lowest);
    const Scaled<O, ElementOf<N>> as_it_is(1, 0);
    const Scaled<O, double> widened(1, 0);
    const int inner = p.inner, radius_a = (int)p.a.bell.radius, radius_b = (int)p.b.bell.radius;
    make_taps(taps_a, -radius_a, 2 * radius_a + 1, p.a.bell);
    make_taps(taps_b, -radius_b, 2 * radius_b + 1, p.b.bell);
    const int run = p.rows < 8 ? 1 : p.rows / 4;
    const int tiles_b = (p.b.made + p.columns - 1) / p.columns, tiles_a = (p.a.made + p.rows - 1) / p.rows;
    const int line = p.b.size * inner, made = p.b.made * inner;
    const i64 plane = (i64)p.a.size * line;
    const bool narrow = p.tiles >> 32 == 0;
    for (i64 tile = blockIdx.x; tile < p.tiles; tile += gridDim.x) {
        i64 rest = tile;
        const int x0 = (int)split(rest, tiles_b, narrow) * p.columns, y0 = (int)split(rest, tiles_a, narrow) * p.rows;
        const int rows = p.a.made - y0 < p.rows ? p.a.made - y0 : p.rows;
        const int columns = p.b.made - x0 < p.columns ? p.b.made - x0 : p.columns;
        // 1
        for (int k = threadIdx.x; k < rows; k += blockDim.x) down[k].set(y0 + k, p.a, line);
        for (int k = threadIdx.x; k < columns; k += blockDim.x) across[k].set(x0 + k, p.b, inner);
        __syncthreads();
        const int begin = min(across[0].first, across[columns - 1].first);
        // the last place of all may be mirrored to before the one ahead of it
        const int end = max(across[0].first, across[columns - 1].first) + 2 * radius_b + (p.b.zoom < 1 ? 3 : 2);
        const bool within = begin >= 0 && end <= p.b.size;
        // 2
        const T* const its = image + rest * plane;
        const int wide = (end - begin) * inner;
        for_runs(rows, wide, run, [&](int r, int c) {
            int place = begin * inner + c;
            if (!within) {
                const int pixel = inner == 1 ? c : c / inner;
                place = (int)boundary_index(begin + pixel, p.b.size, p.b.mode) * inner + (c - pixel * inner);
            }
            const T* const column = its + place;
            O* there = middle + (r * p.pitch + c);
            const int last = min(r + run, rows);
#pragma unroll 1
            for (int y = r; y < last; ++y, there += p.pitch) {
                const Window<N>& window = down[y];
                if (window.inside) {
                    const Walk<T> elements = {column + window.offset, line};
                    *there = reduced<O>(elements, radius_a, taps_a, window, convert, in_double);
                } else {
                    const Edge<T> elements = {column, line, window.first, p.a.size, p.a.mode};
                    *there = reduced<O>(elements, radius_a, taps_a, window, convert, in_double);
                }
            }
        });
        __syncthreads();
        // 3
        O* const to = result + (rest * p.a.made + y0) * made + x0 * inner;
        for_runs(rows, columns * inner, run, [&](int r, int c) {
            const int pixel = inner == 1 ? c : c / inner, last = min(r + run, rows);
            const Window<N> window = across[pixel];
            const O* first = middle + (r * p.pitch + window.offset - begin * inner + (c - pixel * inner));
            O* there = to + (r * made + c);
#pragma unroll 1
            for (int y = r; y < last; ++y, first += p.pitch, there += made)
                if constexpr (SMOOTHED)
                    *there = reduced<O>(Walk<O>{first, inner}, radius_b, taps_b, window, as_it_is, widened);
                else
                    *there = mean_of_two(*first, first[inner], window, x0 + pixel, p.b);
        });
        __syncthreads();  // before the next tile's windows
    }
}
