// DAISY descriptors: histograms of orientations at points on rings, smoothed more the farther
// out they lie.
//
//     daisy_maps         image -> a map for each orientation
//     daisy_columns      maps -> for each ring the maps, smoothed down the columns
//     daisy_descriptors  those -> descriptors: smoothed along the rows at the points of the
//                        rings only, and normalized
//
// Image: bool, (u)int8..64, float32/64, of two axes. Maps and descriptors are float for float32
// images, else double, and computed in that type.
// One launch each: daisy_maps reads the image once (two neighbours again, from cache) and
// writes all maps once; daisy_columns reads them and writes `rings` times as much, which
// daisy_descriptors reads and writes the descriptors once.
//
// Source: scikit-image `feature.daisy` (Tola et al., IEEE PAMI 32.5, 2010).
#include "common/shared.cuh"
#include "filters/gaussian_line.cuh"

// n elements in maps of rows x columns. shared: `orientations` elements.
template <class T>
__global__ void daisy_maps(const T* image, typename Working<T>::type* maps, i64 rows, i64 columns,
                           int orientations) {
    typedef typename Working<T>::type W;
    constexpr double PI = 3.14159265358979323846;
    const W kappa = (W)(orientations / PI);
    DYN_SHARED(W, middles);  // of the orientations
    for (int k = threadIdx.x; k < orientations; k += blockDim.x) middles[k] = (W)(2 * k * PI / orientations - PI);
    __syncthreads();
    const i64 n = rows * columns, step = (i64)gridDim.x * blockDim.x;
    for (i64 i = (i64)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
        const i64 x = i % columns;
        const W here = img_as_float<W>(image[i]);
        const W dx = x < columns - 1 ? img_as_float<W>(image[i + 1]) - here : (W)0;
        const W dy = i < n - columns ? img_as_float<W>(image[i + columns]) - here : (W)0;
        const W length = sqrt(dx * dx + dy * dy);
        const W angle = atan2(dy, dx);
        for (int k = 0; k < orientations; ++k) {
            // weighed by the circular normal distribution
            maps[k * n + i] = exp(kappa * cos(angle - middles[k])) * length;
        }
    }
}

constexpr int DAISY_RINGS = 8;
constexpr int DAISY_HISTOGRAMS = 128;

struct DaisyBells {
    Bell ring[DAISY_RINGS];
};

// The grid is a multiple of `rings` blocks: neighbours do different rings of the same maps.
//
// maps    (orientations, rows, columns)
// result  (rings, orientations, rows, columns)
// shared  (32 + 63) * 32 + 32 * 32 + 64 elements
template <class W>
__global__ void __launch_bounds__(256, RESIDENT)
    daisy_columns(const W* maps, W* result, const __grid_constant__ DaisyBells bells, int rings,
                  i64 orientations, i64 rows, i64 columns) {
    DYN_SHARED(W, shared);
    const int ring = (int)(blockIdx.x % rings);
    const W* const images[1] = {maps};
    const Bell bell[1] = {bells.ring[ring]};
    const LineShape shape = {orientations, rows, columns, REFLECT};
    filter_columns(shared, images, bell, shape, (W)0, [](W value) { return value; },
                   (i64)(blockIdx.x / rings), (i64)(gridDim.x / rings),
                   Stored<W>{result + ring * orientations * rows * columns});
}

enum DaisyNorm { DAISY_OFF = 0, DAISY_L1 = 1, DAISY_L2 = 2, DAISY_EACH = 3 };

// Histograms of a descriptor: first that of the centre, then ring by ring those at
// (down, across) from it. `down_step` rows and columns are between descriptors.
struct DaisyShape {
    i64 rows, columns, descriptor_rows, descriptor_columns;
    int radius, step, orientations, histograms, histograms_of_ring, norm;
    int down[DAISY_HISTOGRAMS], across[DAISY_HISTOGRAMS];
};

// One value of a map, smoothed along its row.
//
// taps  weights from the centre outwards, radius + 1 of them
template <class W>
__device__ inline W daisy_smoothed(const W* row, i64 x, i64 columns, const W* taps, int radius) {
    W sum = taps[0] * row[x];
    if (x >= radius && x < columns - radius) {
#pragma unroll 4
        for (int t = 1; t <= radius; ++t) sum += taps[t] * (row[x - t] + row[x + t]);
    } else {
        for (int t = 1; t <= radius; ++t)
            sum += taps[t] * (row[boundary_index(x - t, columns, REFLECT)] +
                              row[boundary_index(x + t, columns, REFLECT)]);
    }
    return sum;
}

// A block takes `at_once` descriptors beside each other:
//
//     1. the weights of all rings into shared memory, once
//     2. all histograms
//     3. the norm of each histogram, and of each descriptor
//     4. the descriptors, divided by their norms
//
// maps    (rings, orientations, rows, columns)
// shared  all weights, then at_once * histograms * (orientations + 1) elements
template <class W>
__global__ void daisy_descriptors(const W* maps, W* result,
                                  const __grid_constant__ DaisyBells bells, int rings,
                                  const __grid_constant__ DaisyShape shape, int at_once) {
    DYN_SHARED(W, shared);
    const int orientations = shape.orientations, histograms = shape.histograms;
    const int size = histograms * orientations;
    const i64 plane = shape.rows * shape.columns;
    // 1
    W* values = shared;
    for (int ring = 0; ring < rings; ++ring) {
        const int count = (int)bells.ring[ring].radius + 1;
        make_taps(values, 0, count, bells.ring[ring]);
        values += count;
    }
    W* const norms = values + at_once * size;

    const i64 groups = (shape.descriptor_columns + at_once - 1) / at_once;
    for (i64 item = blockIdx.x; item < shape.descriptor_rows * groups; item += gridDim.x) {
        const i64 row = item / groups, first = item % groups * at_once;
        const i64 left = shape.descriptor_columns - first;
        const int here = (int)(left < at_once ? left : at_once);
        __syncthreads();  // the weights are there, and nobody reads the last values any more
        // 2
        for (int i = threadIdx.x; i < here * size; i += blockDim.x) {
            const int d = i % here, k = i / here % orientations, h = i / here / orientations;
            const int ring = h > 0 ? (h - 1) / shape.histograms_of_ring : 0;
            const W* taps = shared;
            for (int inner = 0; inner < ring; ++inner) taps += bells.ring[inner].radius + 1;
            const i64 y = shape.radius + row * shape.step + shape.down[h];
            const i64 x = shape.radius + (first + d) * shape.step + shape.across[h];
            const W* const line =
                maps + ((i64)ring * orientations + k) * plane + y * shape.columns;
            const W value = daisy_smoothed(line, x, shape.columns, taps,
                                           (int)bells.ring[ring].radius);
            values[d * size + h * orientations + k] =
                shape.norm == DAISY_OFF ? value : value + (W)1e-10;
        }
        __syncthreads();
        // 3
        for (int i = threadIdx.x; i < here * histograms; i += blockDim.x) {
            W sum = 0;
            for (int k = 0; k < orientations; ++k) {
                const W value = values[i * orientations + k];
                sum += shape.norm == DAISY_L1 ? value : value * value;
            }
            norms[i] = shape.norm == DAISY_EACH ? sqrt(sum) : sum;
        }
        __syncthreads();
        if (shape.norm == DAISY_L1 || shape.norm == DAISY_L2)
            for (int d = threadIdx.x; d < here; d += blockDim.x) {
                W sum = 0;
                for (int h = 0; h < histograms; ++h) sum += norms[d * histograms + h];
                norms[d * histograms] = shape.norm == DAISY_L2 ? sqrt(sum) : sum;
            }
        __syncthreads();
        // 4
        W* const into = result + (row * shape.descriptor_columns + first) * size;
        for (int i = threadIdx.x; i < here * size; i += blockDim.x) {
            const int norm = shape.norm == DAISY_EACH ? i / orientations : i / size * histograms;
            into[i] = shape.norm == DAISY_OFF ? values[i] : values[i] / norms[norm];
        }
    }
}
