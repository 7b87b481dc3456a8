// Iterative Lucas-Kanade optical flow: one iteration, and flows of another size.
//
//     resized_flow   a flow for an image of another size: nearest elements, scaled
//     slopes         slopes of the moved image and the error that is left, (AXES + 1) numbers
//     system_down    volumes: means along the first axis of what the equations are made of
//     solved         these means along the other axes, and the solution for each element: a flow
//
// Images and flows: float or double, C-contiguous, two or three axes; a flow has one number for
// each axis in front. The third reads all twice as large a window as it goes down, from cache.
//
// Source: scikit-image `registration.optical_flow_ilk` (G. Le Besnerais and F. Champagnat, "Dense
// optical flow by iterative local window registration", 2005).
#include "common/shared.cuh"
#include "metrics/window_means.cuh"
#include "registration/flow.cuh"

constexpr int THREADS = 128;

template <int AXES> struct Resizing {
    i64 from[AXES], to[AXES];
    double scale[AXES];
};

// places: for each axis, one after the other, the place in `flow` of each place in `result`
template <int AXES, class W>
__global__ void resized_flow(const W* flow, const i64* places, const __grid_constant__ Resizing<AXES> how,
                             W* result) {
    i64 count = 1, before = 1;
#pragma unroll
    for (int a = 0; a < AXES; ++a) {
        count *= how.to[a];
        before *= how.from[a];
    }
    const i64 step = (i64)gridDim.x * blockDim.x;
    for (i64 i = (i64)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += step) {
        i64 rest = i, stride = 1, place = 0, skipped = 0;
#pragma unroll
        for (int a = 0; a < AXES; ++a) skipped += how.to[a];
#pragma unroll
        for (int a = AXES - 1; a >= 0; --a) {
            skipped -= how.to[a];
            place += places[skipped + rest % how.to[a]] * stride;
            rest /= how.to[a];
            stride *= how.from[a];
        }
#pragma unroll
        for (int a = 0; a < AXES; ++a)
            result[a * count + i] = rounded_product((W)how.scale[a], flow[a * before + place]);
    }
}

// result: (AXES + 1, image's shape): the slopes along each axis, and the error
template <int AXES, class W>
__global__ void __launch_bounds__(THREADS)
    slopes(const W* reference, const W* moving, const W* flow, const __grid_constant__ Extent<AXES> extent,
           W* result) {
    typedef NumpyArithmetic<W> Do;
    const Moved<AXES, W> moved(moving, flow, extent);
    const i64 step = (i64)gridDim.x * blockDim.x;
    for (i64 i = (i64)blockIdx.x * blockDim.x + threadIdx.x; i < moved.count; i += step) {
        W slope[AXES], along;
        const W here = moved.linear(i, slope, along);
#pragma unroll
        for (int a = 0; a < AXES; ++a) result[a * moved.count + i] = slope[a];
        result[AXES * moved.count + i] = Do::subtract(Do::add(along, reference[i]), here);
    }
}

// Numbers of the equations of an element: the upper triangle of the matrix, then the right side.
template <int AXES> struct Terms {
    static constexpr int MATRIX = AXES * (AXES + 1) / 2, COUNT = MATRIX + AXES;
};

// What is averaged, of the slopes and errors.
template <int AXES, class W> struct Products {
    const W* slopes;
    i64 count;
    __device__ Values<W, Terms<AXES>::COUNT> operator()(i64 index) const {
        W slope[AXES];
#pragma unroll
        for (int a = 0; a < AXES; ++a) slope[a] = slopes[a * count + index];
        const W error = slopes[AXES * count + index];
        Values<W, Terms<AXES>::COUNT> made;
        int n = 0;
#pragma unroll
        for (int a = 0; a < AXES; ++a)
#pragma unroll
            for (int b = a; b < AXES; ++b) made.of[n++] = rounded_product(slope[a], slope[b]);
#pragma unroll
        for (int a = 0; a < AXES; ++a) made.of[n++] = rounded_product(slope[a], error);
        return made;
    }
};

template <int AXES, class W> struct Averaged {
    const W* means;
    i64 count;
    __device__ Values<W, Terms<AXES>::COUNT> operator()(i64 index) const {
        return ((const Values<W, Terms<AXES>::COUNT>*)means)[index];
    }
};

// means: (count, terms)
template <int AXES, bool BELL, class W>
__global__ void __launch_bounds__(THREADS, 3)
    system_down(const W* slopes, i64 count, const Windows view, W* means, double* odd) {
    DYN_SHARED(unsigned char, shared);
    constexpr int N = Terms<AXES>::COUNT;
    for_window_means<BELL, N, W, MIRROR>(
        shared, view, odd, Products<AXES, W>{slopes, count},
        [&](i64 index, i64, i64, i64, const Values<W, N>& made) { ((Values<W, N>*)means)[index] = made; },
        [](i64, i64) {});
}

// The solution of the equations by elimination, 0 where the determinant is below 1e-14.
template <int AXES, class W>
__device__ inline void solve(const Values<W, Terms<AXES>::COUNT>& terms, W (&solution)[AXES]) {
    double row[AXES][AXES + 1];
    int n = 0;
#pragma unroll
    for (int a = 0; a < AXES; ++a)
#pragma unroll
        for (int b = a; b < AXES; ++b) row[a][b] = row[b][a] = (double)terms.of[n++];
#pragma unroll
    for (int a = 0; a < AXES; ++a) row[a][AXES] = (double)terms.of[n++];
    double determinant = 1.0;
#pragma unroll
    for (int a = 0; a < AXES; ++a) {
#pragma unroll
        for (int b = a + 1; b < AXES; ++b)
            if (fabs(row[b][a]) > fabs(row[a][a])) {
                determinant = -determinant;
#pragma unroll
                for (int c = 0; c <= AXES; ++c) {
                    const double other = row[a][c];
                    row[a][c] = row[b][c];
                    row[b][c] = other;
                }
            }
        determinant *= row[a][a];
#pragma unroll
        for (int b = a + 1; b < AXES; ++b) {
            const double share = row[a][a] == 0.0 ? 0.0 : row[b][a] / row[a][a];  // then both are 0
#pragma unroll
            for (int c = a + 1; c <= AXES; ++c) row[b][c] -= share * row[a][c];
        }
    }
    const bool badly = fabs((W)determinant) < (W)1e-14;
#pragma unroll
    for (int a = AXES - 1; a >= 0; --a) {
        double value = row[a][AXES];
#pragma unroll
        for (int c = a + 1; c < AXES; ++c) value -= row[a][c] * row[c][AXES];
        row[a][AXES] = value / row[a][a];
        solution[a] = badly ? (W)0 : (W)row[a][AXES];
    }
}

// source: slopes (planes) or system_down's means (volumes)
// odd:    becomes 1 where something is not finite
template <int AXES, bool BELL, class W>
__global__ void __launch_bounds__(THREADS, 3)
    solved(const W* source, i64 count, const Windows view, W* flow, double* odd) {
    DYN_SHARED(unsigned char, shared);
    constexpr int N = Terms<AXES>::COUNT;
    const auto take = [&](i64 index, i64, i64, i64, const Values<W, N>& made) {
        W solution[AXES];
        solve<AXES, W>(made, solution);
#pragma unroll
        for (int a = 0; a < AXES; ++a) {
            flow[a * count + index] = solution[a];
            if (!isfinite(solution[a])) *odd = 1.0;
        }
    };
    if constexpr (AXES == 2)
        for_window_means<BELL, N, W, MIRROR>(shared, view, odd, Products<AXES, W>{source, count}, take,
                                             [](i64, i64) {});
    else
        for_window_means<BELL, N, W, MIRROR>(shared, view, odd, Averaged<AXES, W>{source, count}, take,
                                             [](i64, i64) {});
}
