// Magnitude of an image's gradient by derivatives of Gaussians, inverted.
//
// What: each axis is one launch. It reads a stack of `slopes` arrays, slopes along the axes before
// it, and behind them the image smoothed along these. It writes the slopes smoothed, the smoothed
// image's slope, and the image smoothed once more (gradient_lines); the last axis writes
// 1 / sqrt(1 + alpha * magnitude) instead (inverse_gradient). A tile of lines lies in shared memory:
//
//     for each array of the stack:
//         1. lines and their halo into `raw`, beyond the ends as the nearest element
//         2. filtered, by one filter or two, into `made`
//     3. what was made of one element goes to whoever takes it
//
// Image and result: float or double. Each axis is summed in double, in SciPy's order, and rounded
// to the image's type, as SciPy rounds it; results are equal to scikit-image's. Of floats they are the
// same without double where cards are slow in it (float_strip.cuh).
//
// Source: skimage/segmentation/morphsnakes.py, SciPy ndimage.gaussian_gradient_magnitude.
#include "filters/ridge_lines.cuh"

// Weights of images of T, and what a tile's elements are.
template <class T> using TapsFor = LineWeights<typename WeightOf<T>::type>;
template <class T> using ElementFor = typename SumOf<double, T, typename WeightOf<T>::type>::type;

// take(place, values, step): job j of the element at `place` is values[j * step].
// shared: lines * (line_pitch(width, 2 * radius) + jobs * width) elements, of slopes + 2 jobs; the
// last axis needs one less.
// Called by all threads of all blocks, with one-dimensional blocks.
template <class T, class Take>
__device__ inline void derive_lines(ElementFor<T>* shared, const T* sources, const LineView& view, int slopes,
                                    bool is_last, const TapsFor<T>& taps, Take take) {
    typedef ElementFor<T> S;
    const int radius = taps.radius, width = view.width, pitch = line_pitch(width, 2 * radius);
    S* const raw = shared;
    S* const made = raw + view.lines * pitch;
    const i64 size = view.outer * view.length * view.inner;
    for_line_tiles(view, [&](const LineTile& tile) {
        for (int j = 0; j <= slopes; ++j) {
            // 1
            const T* const source = sources + j * size + tile.start;
            const int here = tile.count + 2 * radius;
            for (int i = threadIdx.x; i < tile.lines * here; i += blockDim.x) {
                const int l = tile.line(i, here), p = tile.element(i, here);
                const i64 place = boundary_index(tile.begin - radius + p, view.length, NEAREST);
                raw[l * pitch + p] = (S)source[l * tile.stride + place * view.inner];
            }
            __syncthreads();
            // 2
            S* const of_source = made + j * view.lines * width;
            filter_lines(raw, pitch, of_source, width, view.lines, tile.count, j == slopes,
                         j == slopes ? taps.slope : taps.smooth, radius);
            if (j == slopes && !is_last)
                filter_lines(raw, pitch, of_source + view.lines * width, width, view.lines, tile.count, false,
                             taps.smooth, radius);
            __syncthreads();
        }
        // 3
        for (int i = threadIdx.x; i < tile.lines * tile.count; i += blockDim.x) {
            const int l = tile.line(i, tile.count), p = tile.element(i, tile.count);
            // SciPy multiplies the centre by 0: what is not finite stays so
            made[(slopes * view.lines + l) * width + p] += (S)0 * raw[l * pitch + p + radius];
            take(tile.start + l * tile.stride + (tile.begin + p) * view.inner, made + l * width + p,
                 view.lines * width);
        }
        __syncthreads();  // before the next tile goes into `raw`
    });
}

// sources: slopes + 1 arrays; results: slopes + 2.
template <class T>
__global__ void __launch_bounds__(256, RESIDENT)
    gradient_lines(const T* sources, T* results, i64 outer, i64 length, i64 inner, int lines, int width,
                   int slopes, const __grid_constant__ TapsFor<T> taps) {
    DYN_SHARED(ElementFor<T>, shared);
    const LineView view = {outer, length, inner, NEAREST, lines, width};
    derive_lines(shared, sources, view, slopes, false, taps, [&](i64 place, const ElementFor<T>* values, int step) {
        for (int j = 0; j < slopes + 2; ++j)
            results[j * (outer * length * inner) + place] = (T)values[j * step];
    });
}

// The same along the last axis; result: an array.
template <class T>
__global__ void __launch_bounds__(256, RESIDENT)
    inverse_gradient(const T* sources, T* result, i64 outer, i64 length, i64 inner, int lines, int width,
                     int slopes, const __grid_constant__ TapsFor<T> taps, double alpha) {
    using A = NumpyArithmetic<T>;
    DYN_SHARED(ElementFor<T>, shared);
    const LineView view = {outer, length, inner, NEAREST, lines, width};
    derive_lines(shared, sources, view, slopes, true, taps, [&](i64 place, const ElementFor<T>* values, int step) {
        const T first = (T)values[0];
        T sum = A::multiply(first, first);
        for (int j = 1; j <= slopes; ++j) {
            const T slope = (T)values[j * step];
            sum = A::add(sum, A::multiply(slope, slope));
        }
        result[place] = A::divide((T)1, sqrt(A::add((T)1, A::multiply((T)alpha, sqrt(sum)))));
    });
}
