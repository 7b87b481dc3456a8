// Keypoints of CENSURE: what is an extremum among its neighbours in space and scale, and not on a line. Three kernels:
//
//     box_extrema       extrema of differences of boxes, from the integral image
//     response_extrema  extrema of a cube of responses (planes, rows, columns)
//     suppress_lines    those that lie on no line of the image
//
// One launch each. Responses to boxes are made where they are needed, eight sums each (neighbours' from cache), and
// never stored; a cube is read once. A tile of three planes lies in shared memory, 15 kB, and goes up through the
// scales. The extrema are listed in any order. Of each one suppress_lines makes the structure tensor at this place
// alone, from the window that its Gaussian sees. All is rounded as NumPy, SciPy and Cython round it, so that the
// list is scikit-image's.
//
// Source: scikit-image `feature.CENSURE` (M. Agrawal, K. Konolige, M. R. Blas, "CENSURE: Center Surround Extremas for
// Realtime Feature Detection and Matching", 2008).
#include "feature/slopes.cuh"

constexpr int MOST_PLANES = 96, MOST_RADIUS = 128;
constexpr int TILE_ROWS = 16, TILE_COLUMNS = 32, TILE_PITCH = TILE_COLUMNS + 2;

// What the host is told; zeros before.
struct Told {
    u64 extrema, odd, kept;
};

struct Search {
    i64 rows, columns, capacity;
    double threshold;         // responses below are none
    double largest;           // of pixels, whose tensors are finite
    int planes, first_scale;  // of the filters
    int border[MOST_PLANES];  // where there are none, for each plane
    double outer[MOST_PLANES], total[MOST_PLANES];  // weights of boxes: the outer one's, and both
};

// Responses to boxes of 2 * n + 1 pixels within others of 4 * n + 1; 0 where these do not fit.
struct BoxResponses {
    const double* sums;
    i64 rows, columns;
    const Search& p;

    __device__ double sum(i64 y, i64 x) const { return y < 0 || x < 0 ? 0 : sums[y * columns + x]; }

    __device__ double box(i64 y, i64 x, i64 reach) const {
        const double corners = sum(y + reach, x + reach) + sum(y - reach - 1, x - reach - 1);
        return corners - sum(y + reach, x - reach - 1) - sum(y - reach - 1, x + reach);
    }

    __device__ double at(int plane, i64 y, i64 x) const {
        const i64 n = p.first_scale + plane, reach = 2 * n;
        if (y < reach || x < reach || y >= rows - reach || x >= columns - reach) return 0;
        return rounded_product(p.outer[plane], box(y, x, reach)) - rounded_product(p.total[plane], box(y, x, n));
    }
};

template <class W> struct StoredResponses {
    const W* cube;
    i64 rows, columns;

    __device__ double at(int plane, i64 y, i64 x) const { return (double)cube[(plane * rows + y) * columns + x]; }
};

__device__ inline i64 nearest(i64 i, i64 size) { return i < 0 ? 0 : i < size ? i : size - 1; }
__device__ inline bool is_finite(double value) { return value - value == 0; }

// Whether the one in the middle is the least or the largest of its neighbours in all three planes.
__device__ inline bool is_extremum(const double* below, const double* here, const double* above, int at) {
    const double value = here[at];
    bool is_least = true, is_largest = true;
#pragma unroll
    for (int k = 0; k < 9; ++k) {
        const int there = at + (k / 3 - 1) * TILE_PITCH + k % 3 - 1;
        is_least &= value <= below[there] && value <= here[there] && value <= above[there];
        is_largest &= value >= below[there] && value >= here[there] && value >= above[there];
    }
    return is_least || is_largest;
}

// Called by all threads of all blocks, once in a launch.
//
// image   floating pixels, or null where none can be too large
// places  of the extrema: pixel * planes + plane
template <class W, class Responses>
__device__ inline void list_extrema(const W* image, const Responses& responses, Told* told, i64* places,
                                    const Search& p) {
    __shared__ double tile[3][(TILE_ROWS + 2) * TILE_PITCH];
    // no memory holds 2^32 tiles
    const u32 across = (u32)((p.columns + TILE_COLUMNS - 1) / TILE_COLUMNS);
    const u32 down = (u32)((p.rows + TILE_ROWS - 1) / TILE_ROWS);
    bool is_odd = false;
    for (u32 item = blockIdx.x; item < down * across; item += gridDim.x) {
        const i64 y0 = (i64)(item / across) * TILE_ROWS, x0 = (i64)(item % across) * TILE_COLUMNS;
        for (int plane = 0; plane < p.planes; ++plane) {
            for (int i = threadIdx.x; i < (TILE_ROWS + 2) * TILE_PITCH; i += blockDim.x) {
                const i64 y = nearest(y0 + i / TILE_PITCH - 1, p.rows);
                const i64 x = nearest(x0 + i % TILE_PITCH - 1, p.columns);
                const double value = responses.at(plane, y, x);
                is_odd |= !is_finite(value);
                tile[plane % 3][i] = value;
            }
            __syncthreads();
            const int middle = plane - 1;
            const i64 border = middle > 0 ? p.border[middle] : 0;
            for (int i = threadIdx.x; middle > 0 && i < TILE_ROWS * TILE_COLUMNS; i += blockDim.x) {
                const i64 y = y0 + i / TILE_COLUMNS, x = x0 + i % TILE_COLUMNS;
                if (y >= p.rows || x >= p.columns) continue;
                if (y < border || x < border || y > p.rows - border || x > p.columns - border) continue;
                const int at = (i / TILE_COLUMNS + 1) * TILE_PITCH + i % TILE_COLUMNS + 1;
                if (tile[middle % 3][at] < p.threshold) continue;
                if (!is_extremum(tile[(plane - 2) % 3], tile[middle % 3], tile[plane % 3], at)) continue;
                const i64 to = (i64)atomicAdd(&told->extrema, (u64)1);
                if (to < p.capacity) places[to] = (y * p.columns + x) * p.planes + middle;
            }
            __syncthreads();  // before the plane after the next goes where the lowest one was
        }
        for (int i = threadIdx.x; image && i < TILE_ROWS * TILE_COLUMNS; i += blockDim.x) {
            const i64 y = y0 + i / TILE_COLUMNS, x = x0 + i % TILE_COLUMNS;
            if (y >= p.rows || x >= p.columns) continue;
            const double value = (double)image[y * p.columns + x];
            is_odd |= !(value <= p.largest && value >= -p.largest);
        }
    }
    if (is_odd) atomicExch(&told->odd, (u64)1);
}

// sums: the integral image
template <class W>
__global__ void __launch_bounds__(256, RESIDENT)
    box_extrema(const W* image, const double* sums, Told* told, i64* places, const __grid_constant__ Search p) {
    list_extrema(image, BoxResponses{sums, p.rows, p.columns, p}, told, places, p);
}

template <class W>
__global__ void __launch_bounds__(256, RESIDENT)
    response_extrema(const W* image, const W* cube, Told* told, i64* places, const __grid_constant__ Search p) {
    list_extrema(image, StoredResponses<W>{cube, p.rows, p.columns}, told, places, p);
}

// The Gaussian of each plane: its radius, and where its weights stand, the outermost first.
struct Lines {
    i64 rows, columns, capacity;
    double threshold;
    int planes, unused;
    int radius[MOST_PLANES], first[MOST_PLANES];
};

// The three products of slopes at a pixel, 0 outside of the image. Any thread.
template <class W, class T>
__device__ inline void products_at(const Extended<T>& image, i64 y, i64 x, W (&products)[3]) {
    products[0] = products[1] = products[2] = 0;
    if (y < 0 || x < 0 || y >= image.rows || x >= image.columns) return;
    const Nine<W> nine = image.template around<W>(y, x, [](T value) { return img_as_float<W>(value); });
    const W down = nine.down(), across = nine.across();
    products[0] = rounded_product(down, down);
    products[1] = rounded_product(down, across);
    products[2] = rounded_product(across, across);
}

// A block goes through the extrema; a thread sums down a column of the window, in SciPy's order: the middle, then
// pairs from far to near.
//
// kept: places of the extrema that pass
template <class T>
__global__ void suppress_lines(const T* image, const i64* places, const double* weights, Told* told, i64* kept,
                               const __grid_constant__ Lines p) {
    typedef typename Working<T>::type W;
    __shared__ W columns[3][2 * MOST_RADIUS + 1];
    __shared__ W tensor[3];
    const Extended<T> extended = {image, p.rows, p.columns, CONSTANT};
    const i64 found = (i64)told->extrema, count = found < p.capacity ? found : p.capacity;
    for (i64 item = blockIdx.x; item < count; item += gridDim.x) {
        const i64 place = places[item], pixel = place / p.planes;
        const i64 y = pixel / p.columns, x = pixel % p.columns;
        const int plane = (int)(place % p.planes), radius = p.radius[plane];
        const double* const taps = weights + p.first[plane];
        for (int c = threadIdx.x; c <= 2 * radius; c += blockDim.x) {
            W before[3], after[3];
            double sums[3];
            products_at(extended, y, x + c - radius, before);
#pragma unroll
            for (int k = 0; k < 3; ++k) sums[k] = rounded_product((double)before[k], taps[radius]);
            for (int t = 0; t < radius; ++t) {
                products_at(extended, y + t - radius, x + c - radius, before);
                products_at(extended, y + radius - t, x + c - radius, after);
#pragma unroll
                for (int k = 0; k < 3; ++k)
                    sums[k] = plus_product(sums[k], (double)before[k] + (double)after[k], taps[t]);
            }
#pragma unroll
            for (int k = 0; k < 3; ++k) columns[k][c] = (W)sums[k];
        }
        __syncthreads();
        for (int k = threadIdx.x; k < 3; k += blockDim.x) {
            const W* const line = columns[k];
            double sum = rounded_product((double)line[radius], taps[radius]);
            for (int t = 0; t < radius; ++t)
                sum = plus_product(sum, (double)line[t] + (double)line[2 * radius - t], taps[t]);
            tensor[k] = (W)sum;
        }
        __syncthreads();
        if (threadIdx.x == 0) {
            const W trace = tensor[0] + tensor[2];
            const W flat = rounded_product(tensor[0], tensor[2]) - rounded_product(tensor[1], tensor[1]);
            if (!(rounded_product(trace, trace) > rounded_product((W)p.threshold, flat)))
                kept[atomicAdd(&told->kept, (u64)1)] = place;
        }
    }
}
