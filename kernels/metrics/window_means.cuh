// Means (or sums) over a window at each element of several quantities at once, weighted equally
// or by a Gaussian: what structural similarity and matching of templates are made of.
//
// The array is seen as (outer, height, between, breadth, inner); windows lie in the planes of
// height and breadth, `rows` x `columns` of them. A block does a strip of columns, some rows at
// a time:
//
//     1. means down each column of the strip and its halo, into shared memory: by running
//        sums (equal weights), or by the taps
//     2. means along the rows of those, to whoever takes them
//
// Sums are in double and each mean is rounded to W, the images' floating type, as
// scipy.ndimage rounds what passes from one axis to the next. Beyond the border the image is
// reflected, or goes on as MODE of common/boundary.cuh says.
//
// Shared memory, with pitch = (128 + window.columns - 1) | 1:
//     8 * (taps: window's radius + 1, or running sums: N * pitch) + 8 * pitch
//     + group * N * pitch * sizeof(W)
//
// Source: scipy.ndimage uniform_filter and gaussian_filter.
#pragma once
#include "common/boundary.cuh"
#include "common/types.cuh"

template <class W, int N> struct Values {
    W of[N];
};

// The array; how many windows there are, and how large: of the window at (y, x) the first
// element is that at (y - above, x - left). Along an axis of window 1 nothing is filtered.
// A Gaussian's windows are odd and lie around their element.
struct Windows {
    i64 outer, height, between, breadth, inner;
    i64 rows, columns, down, across, above, left;
    double exponent, norm;  // a Gaussian's weight is exp(exponent * t * t) * norm
    bool sums;              // equal weights: the sums themselves, not divided by their count
    i64 chunk;              // rows that a block goes down before it begins anew
    int group;              // rows of means that are in shared memory at a time
};

template <class W> struct Mean;
template <> struct Mean<float> {
    static __device__ float of(double sum, double, double inverse) { return (float)(sum * inverse); }
};
template <> struct Mean<double> {
    static __device__ double of(double sum, double count, double) { return sum / count; }
};

// Does all windows of the launch.
//   called by: all threads of all blocks
//   source:    Values<W, N>(i64 index): the quantities of one element
//   take:      void(i64 index, i64 plane, i64 y, i64 x, Values<W, N> means), once for each
//              window; index is that of element (y, x); plane counts (outer, between, inner)
//   done:      void(i64 plane, i64 tile), by all threads of the block, after the last element
//              of a tile was taken; tiles of a plane count from 0
//   odd:       becomes 1 where a running sum is not finite: it is wrong from there on
//   contains barriers
template <bool BELL, int N, class W, int MODE = REFLECT, class Source, class Take, class Done>
__device__ inline void for_window_means(unsigned char* shared, const Windows& view, double* odd,
                                        Source source, Take take, Done done) {
    constexpr int WIDTH = 128;  // columns of a strip
    constexpr int RUN = 4;      // neighbours that one thread computes
    const int halo = (int)view.across - 1;
    const int pitch = (WIDTH + halo) | 1;  // odd: rows begin at different banks
    const int radius_down = (int)view.above, radius_across = (int)view.left;
    const int radius = radius_down > radius_across ? radius_down : radius_across;
    const i64 below = view.down - 1 - view.above;
    double* const running = reinterpret_cast<double*>(shared);  // or taps
    i64* const places = reinterpret_cast<i64*>(running + (BELL ? radius + 1 : N * pitch));
    W* const lines = reinterpret_cast<W*>(places + pitch);
    const double count_down = view.sums ? 1.0 : (double)view.down, inverse_down = 1.0 / count_down;
    const double count_across = view.sums ? 1.0 : (double)view.across;
    const double inverse_across = 1.0 / count_across;

    if (BELL)
        for (int t = threadIdx.x; t <= radius; t += blockDim.x)
            running[t] = radius ? exp(view.exponent * ((double)t * t)) * view.norm : 1.0;

    const i64 strips = (view.columns + WIDTH - 1) / WIDTH;
    const i64 chunks = (view.rows + view.chunk - 1) / view.chunk;
    const i64 row_stride = view.between * view.breadth * view.inner;
    const i64 items = view.outer * view.between * chunks * strips * view.inner;
    for (i64 item = blockIdx.x; item < items; item += gridDim.x) {
        // inner planes run fastest: interleaved channels share their cache lines
        const i64 i = item % view.inner, strip = item / view.inner % strips;
        const i64 chunk = item / (view.inner * strips) % chunks;
        const i64 stack = item / (view.inner * strips * chunks);
        const i64 plane = stack * view.inner + i;
        const i64 x0 = strip * WIDTH, y0 = chunk * view.chunk;
        const i64 base = stack / view.between * (view.height * row_stride) +
                         stack % view.between * (view.breadth * view.inner) + i;
        const i64 end = y0 + view.chunk < view.rows ? y0 + view.chunk : view.rows;
        const int width = view.columns - x0 < WIDTH ? (int)(view.columns - x0) : WIDTH;
        const auto element = [&](i64 y, i64 place) {
            return source(base + boundary_index(y, view.height, MODE) * row_stride + place);
        };

        // places and running sums of a column are one thread's: no barrier
        for (int c = threadIdx.x; c < width + halo; c += blockDim.x)
            places[c] = boundary_index(x0 + c - view.left, view.breadth, MODE) * view.inner;
        if (BELL) __syncthreads();  // taps
        for (i64 y = y0; y < end; y += view.group) {
            const int here = end - y < view.group ? (int)(end - y) : view.group;
            // 1
            for (int c = threadIdx.x; c < width + halo; c += blockDim.x) {
                const i64 place = places[c];
                if (BELL) {
                    for (int g = 0; g < here; g += RUN) {
                        double sum[RUN][N] = {};
#pragma unroll 1
                        for (int k = -radius_down; k < radius_down + RUN; ++k) {
                            const Values<W, N> values = element(y + g + k, place);
#pragma unroll
                            for (int j = 0; j < RUN; ++j) {
                                const int t = k < j ? j - k : k - j;
                                if (t > radius_down) continue;
                                const double tap = radius_down ? running[t] : 1.0;
#pragma unroll
                                for (int m = 0; m < N; ++m) sum[j][m] += tap * values.of[m];
                            }
                        }
#pragma unroll
                        for (int j = 0; j < RUN; ++j)
                            if (g + j < here)
#pragma unroll
                                for (int m = 0; m < N; ++m)
                                    lines[((g + j) * N + m) * pitch + c] = (W)sum[j][m];
                    }
                } else {
                    double sum[N];
                    for (int g = 0; g < here; ++g) {
                        if (y + g == y0 || view.down == 1) {  // one element is no running sum
                            for (int m = 0; m < N; ++m) sum[m] = 0.0;
                            for (i64 k = -view.above; k <= below; ++k) {
                                const Values<W, N> values = element(y + g + k, place);
                                for (int m = 0; m < N; ++m) sum[m] += values.of[m];
                            }
                        } else {
                            if (g == 0)
                                for (int m = 0; m < N; ++m) sum[m] = running[m * pitch + c];
                            const Values<W, N> enters = element(y + g + below, place);
                            const Values<W, N> leaves = element(y + g - view.above - 1, place);
                            for (int m = 0; m < N; ++m) {
                                sum[m] += enters.of[m];
                                sum[m] -= leaves.of[m];
                            }
                        }
                        for (int m = 0; m < N; ++m)
                            lines[(g * N + m) * pitch + c] =
                                Mean<W>::of(sum[m], count_down, inverse_down);
                    }
                    for (int m = 0; m < N; ++m) running[m * pitch + c] = sum[m];
                }
            }
            __syncthreads();
            // 2
            for (int piece = threadIdx.x; piece < view.group * (WIDTH / RUN); piece += blockDim.x) {
                const int g = piece % view.group, c = piece / view.group * RUN;
                if (g >= here || c >= width) continue;
                const W* const line = lines + g * N * pitch + c;
                double sum[N] = {};
                if (!BELL)
                    for (int k = 0; k < halo; ++k)
#pragma unroll
                        for (int m = 0; m < N; ++m) sum[m] += line[m * pitch + k];
#pragma unroll 1
                for (int k = 0; k < RUN && c + k < width; ++k) {
                    Values<W, N> means;
                    if (BELL) {
#pragma unroll
                        for (int m = 0; m < N; ++m) {
                            const W* const centre = line + m * pitch + k + radius_across;
                            double total = radius_across ? running[0] * centre[0] : centre[0];
#pragma unroll 2
                            for (int t = radius_across; t > 0; --t)
                                total += running[t] * ((double)centre[-t] + centre[t]);
                            means.of[m] = (W)total;
                        }
                    } else {
#pragma unroll
                        for (int m = 0; m < N; ++m) {
                            sum[m] += line[m * pitch + k + halo];
                            means.of[m] = Mean<W>::of(sum[m], count_across, inverse_across);
                            if (!isfinite(means.of[m])) *odd = 1.0;
                            sum[m] -= line[m * pitch + k];
                        }
                    }
                    take(base + (y + g) * row_stride + (x0 + c + k) * view.inner, plane, y + g,
                         x0 + c + k, means);
                }
            }
            __syncthreads();  // before the next rows' means
        }
        done(plane, chunk * strips + strip);
    }
}
