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
// scipy.ndimage rounds what passes from one axis to the next; of floats the same without double, where
// the card is slow in it. Where W is an integer type, the sums themselves are passed on, exactly.
// Beyond the border the image is reflected, or goes on as MODE of common/boundary.cuh says.
//
// Shared memory, with pitch = (128 + window.columns - 1) | 1:
//     8 * pitch + (taps: 8 * (window's radius + 1), or running sums: N * pitch, 8 bytes each, or 12 where
//     W takes 4)
//     + group * N * pitch * sizeof(W)
//
// Source: scipy.ndimage uniform_filter and gaussian_filter.
#pragma once
#include "common/boundary.cuh"
#include "common/two_floats.cuh"

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
    int group;              // rows of means that are in shared memory at a time, up to MOST_ROWS
};

// A sum over a window of equal weights, which elements enter and leave, and what is passed on of it.
//
//     Scale scale(count, steps);     // for sums that at most so many elements have entered or left
//     WindowSum<W> sum = {};
//     sum.enter(x), sum.leave(x);
//     if (!sum.mean(result, scale))  // double has to decide
//         result = scale.of(a sum in double);
//
// Integers pass the sums themselves on.
template <class W, bool SLOW = IN_FLOATS> struct WindowSum {
    W sum;

    struct Scale {
        __device__ Scale(double, i64) {}
        __device__ W of(double sum) const { return (W)sum; }
    };
    __device__ void enter(W x) { sum += x; }
    __device__ void leave(W x) { sum -= x; }
    __device__ bool mean(W& result, const Scale&) const {
        result = sum;
        return true;
    }
};

// In double.
template <class W, class Divisor> struct SumInDouble {
    double sum;

    typedef Divisor Scale;
    __device__ void enter(W x) { sum += x; }
    __device__ void leave(W x) { sum -= x; }
    __device__ bool mean(W& result, const Scale& scale) const {
        result = scale.of(sum);
        return true;
    }
};
struct ByCount {
    double count;
    __device__ ByCount(double count, i64) : count(count) {}
    __device__ double of(double sum) const { return sum / count; }
};
struct ByInverse {
    double inverse;
    __device__ ByInverse(double count, i64) : inverse(1.0 / count) {}
    __device__ float of(double sum) const { return (float)(sum * inverse); }
};
template <bool SLOW> struct WindowSum<double, SLOW> : SumInDouble<double, ByCount> {};
template <> struct WindowSum<float, false> : SumInDouble<float, ByInverse> {};

// Of floats in two floats, where the card is slow in double, with Ziv's test (common/float_sums.cuh).
//
// A step is off by 2^-47 of its sum at most, and so of `size`, the largest; the mean by 2^-46 of itself, and
// sums in the test by 2^-48: six steps more. Means of few digits are often in the middle of two floats.
// Then what the first quotient leaves over, and the second one, are exact, and their sum goes to the even
// float, as SciPy's does.
template <> struct WindowSum<float, true> {
    TwoFloats sum;
    float size;  // largest magnitude that the sum has had

    struct Scale : ByInverse {
        float count, factor, apart;  // apart: mean and exact one, for a size of 1
        __device__ Scale(double count, i64 steps)
            : ByInverse(count, steps), count((float)count), factor((float)inverse),
              apart((float)((double)(steps + 6) * inverse * 7.2e-15)) {}  // 2^-47
    };
    __device__ void enter(float x) {
        add(sum, x);
        size = fmax(size, fabs(sum.high));
    }
    __device__ void leave(float x) {
        add(sum, -x);
        size = fmax(size, fabs(sum.high));
    }
    __device__ bool mean(float& result, const Scale& scale) const {
        const float first = sum.high * scale.factor, over = fma(-first, scale.count, sum.high) + sum.low;
        const float about = over * scale.factor;
        const float rest = fma(fma(-about, scale.count, over), scale.factor, about);
        const float apart = size * scale.apart;
        const float above = first + (rest + apart), below = first + (rest - apart);
        const bool in_middle = (above - first) + (below - first) == 2 * rest;
        result = first + rest;
        return (above == below || in_middle) && (size >= LEAST_SUM || size == 0);
    }
};

constexpr int MOST_ROWS = 8;  // of means in shared memory at a time

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
    constexpr int RUN = BELL ? 4 : sizeof(W) == 8 ? 1 : 2;  // rows that a thread computes at a time
    constexpr int PIECE = BELL ? 4 : 8;                     // and columns
    const int halo = (int)view.across - 1;
    const int pitch = (WIDTH + halo) | 1;  // odd: rows begin at different banks
    const int radius_down = (int)view.above, radius_across = (int)view.left;
    const int radius = radius_down > radius_across ? radius_down : radius_across;
    const i64 below = view.down - 1 - view.above;
    __shared__ i64 first_rows[MOST_ROWS], last_rows[MOST_ROWS];  // of windows, where rows begin
    typedef WindowSum<W> Sum;
    i64* const places = reinterpret_cast<i64*>(shared);
    double* const taps = reinterpret_cast<double*>(places + pitch);
    Sum* const running = reinterpret_cast<Sum*>(places + pitch);  // where there are no taps
    W* const lines = BELL ? reinterpret_cast<W*>(taps + radius + 1) : reinterpret_cast<W*>(running + N * pitch);
    const typename Sum::Scale by_down(view.sums ? 1.0 : (double)view.down, 2 * view.chunk + view.down);
    const typename Sum::Scale by_across(view.sums ? 1.0 : (double)view.across, 2 * PIECE + view.across);

    if (BELL)
        for (int t = threadIdx.x; t <= radius; t += blockDim.x)
            taps[t] = radius ? exp(view.exponent * ((double)t * t)) * view.norm : 1.0;

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
            if (!BELL) {
                for (int g = threadIdx.x; g < view.group; g += blockDim.x) {
                    first_rows[g] = boundary_index(y + g - view.above, view.height, MODE) * row_stride;
                    last_rows[g] = boundary_index(y + g + below, view.height, MODE) * row_stride;
                }
                __syncthreads();
            }
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
                                const double tap = radius_down ? taps[t] : 1.0;
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
                    Sum sum[N] = {};
                    if (y > y0) {
                        for (int m = 0; m < N; ++m) sum[m] = running[m * pitch + c];
                    } else {
#pragma unroll 4
                        for (i64 k = -view.above; k < below; ++k) {
                            const Values<W, N> values = element(y + k, place);
                            for (int m = 0; m < N; ++m) sum[m].enter(values.of[m]);
                        }
                    }
                    for (int g = 0; g < view.group; g += RUN) {
                        Values<W, N> enters[RUN], leaves[RUN];
#pragma unroll
                        for (int j = 0; j < RUN; ++j)
                            if (g + j < view.group) {
                                enters[j] = source(base + last_rows[g + j] + place);
                                leaves[j] = source(base + first_rows[g + j] + place);
                            }
                        u32 undecided = 0;
                        W* line = lines + g * N * pitch + c;
#pragma unroll
                        for (int j = 0; j < RUN; ++j)
                            if (g + j < view.group)
#pragma unroll
                                for (int m = 0; m < N; ++m, line += pitch) {
                                    sum[m].enter(enters[j].of[m]);
                                    if (!sum[m].mean(*line, by_down)) undecided |= 1u << j;
                                    sum[m].leave(leaves[j].of[m]);
                                }
                        for (int j = 0; undecided; ++j, undecided >>= 1) {
                            if (!(undecided & 1)) continue;
                            double total[N] = {};
                            for (i64 k = -view.above; k <= below; ++k) {
                                const Values<W, N> values = element(y + g + j + k, place);
#pragma unroll
                                for (int m = 0; m < N; ++m) total[m] += values.of[m];
                            }
#pragma unroll
                            for (int m = 0; m < N; ++m)
                                lines[((g + j) * N + m) * pitch + c] = by_down.of(total[m]);
                        }
                    }
                    for (int m = 0; m < N; ++m) running[m * pitch + c] = sum[m];
                }
            }
            __syncthreads();
            // 2
            for (int piece = threadIdx.x; piece < view.group * (WIDTH / PIECE); piece += blockDim.x) {
                const int g = piece % view.group, c = piece / view.group * PIECE;
                if (g >= here || c >= width) continue;
                const W* const line = lines + g * N * pitch + c;
                Sum sum[N] = {};
                if (!BELL)
                    for (int k = 0; k < halo; ++k)
#pragma unroll
                        for (int m = 0; m < N; ++m) sum[m].enter(line[m * pitch + k]);
#pragma unroll 1
                for (int k = 0; k < PIECE && c + k < width; ++k) {
                    Values<W, N> means;
                    if (BELL) {
#pragma unroll
                        for (int m = 0; m < N; ++m) {
                            const W* const centre = line + m * pitch + k + radius_across;
                            double total = radius_across ? taps[0] * centre[0] : centre[0];
#pragma unroll 2
                            for (int t = radius_across; t > 0; --t)
                                total += taps[t] * ((double)centre[-t] + centre[t]);
                            means.of[m] = (W)total;
                        }
                    } else {
#pragma unroll
                        for (int m = 0; m < N; ++m) {
                            W& mean = means.of[m];
                            sum[m].enter(line[m * pitch + k + halo]);
                            if (!sum[m].mean(mean, by_across)) {
                                double total = 0;
                                for (int t = 0; t <= halo; ++t) total += line[m * pitch + k + t];
                                mean = by_across.of(total);
                            }
                            if (mean - mean != 0) *odd = 1.0;
                            sum[m].leave(line[m * pitch + k]);
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
