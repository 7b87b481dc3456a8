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
//     8 * pitch + (taps: 16 * (window's radius + 1), or running sums: N * pitch, 8 bytes each, or 12 where
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

// What a block works on: a strip of some rows of a plane.
template <int N, class W> struct Strip {
    i64 base, row_stride;  // the plane's first element; from a row to the next
    i64 y0, y;             // first row of all; and of those whose means are in `lines`
    int rows;              // of these
    i64* places;           // of columns, from the beginning of a row
    W* lines;              // means down the columns, for each row and quantity
    int pitch;

    __device__ W* line(int row) const { return lines + row * N * pitch; }
};

// Windows of equal weights. `ROWS` that a thread computes down a column at a time, `COLUMNS` along a row.
template <int N, class W> struct Equal {
    static constexpr int ROWS = sizeof(W) == 8 ? 1 : 2, COLUMNS = 8;
    typedef WindowSum<W> Sum;

    const Windows& view;
    Sum* running;  // of each column, one thread's
    i64 *first_rows, *last_rows;
    typename Sum::Scale by_down, by_across;

    __device__ Equal(const Windows& view, void* shared, i64* rows)
        : view(view), running((Sum*)shared), first_rows(rows), last_rows(rows + MOST_ROWS),
          by_down(view.sums ? 1.0 : (double)view.down, 2 * view.chunk + view.down),
          by_across(view.sums ? 1.0 : (double)view.across, 2 * COLUMNS + view.across) {}

    __device__ W* end(int pitch) const { return (W*)(running + N * pitch); }

    // Before the means of a strip's next rows: where their windows begin and end. All threads; a barrier.
    template <int MODE> __device__ void begin(const Strip<N, W>& strip) const {
        const i64 first = strip.y - view.above, last = first + view.down - 1;
        for (int g = threadIdx.x; g < view.group; g += blockDim.x) {
            first_rows[g] = boundary_index(first + g, view.height, MODE) * strip.row_stride;
            last_rows[g] = boundary_index(last + g, view.height, MODE) * strip.row_stride;
        }
        __syncthreads();
    }

    // Means down column c, by running sums.
    template <class Source, class Element>
    __device__ void down(const Strip<N, W>& strip, int c, const Source& source, const Element& element) const {
        const i64 place = strip.places[c], above = view.above, below = view.down - 1 - above;
        Sum sum[N] = {};
        if (strip.y > strip.y0) {
            for (int m = 0; m < N; ++m) sum[m] = running[m * strip.pitch + c];
        } else {
#pragma unroll 2
            for (i64 k = -above; k < below; ++k) {
                const Values<W, N> values = element(strip.y + k, place);
                for (int m = 0; m < N; ++m) sum[m].enter(values.of[m]);
            }
        }
        for (int g = 0; g < view.group; g += ROWS) {
            Values<W, N> enters[ROWS], leaves[ROWS];
#pragma unroll
            for (int j = 0; j < ROWS; ++j)
                if (g + j < view.group) {
                    enters[j] = source(strip.base + last_rows[g + j] + place);
                    leaves[j] = source(strip.base + first_rows[g + j] + place);
                }
            u32 undecided = 0;
            W* line = strip.line(g) + c;
#pragma unroll
            for (int j = 0; j < ROWS; ++j)
                if (g + j < view.group)
#pragma unroll
                    for (int m = 0; m < N; ++m, line += strip.pitch) {
                        sum[m].enter(enters[j].of[m]);
                        if (!sum[m].mean(*line, by_down)) undecided |= 1u << j;
                        sum[m].leave(leaves[j].of[m]);
                    }
            for (int j = 0; undecided; ++j, undecided >>= 1) {
                if (!(undecided & 1)) continue;
                double total[N] = {};
                for (i64 k = -above; k <= below; ++k) {
                    const Values<W, N> values = element(strip.y + g + j + k, place);
#pragma unroll
                    for (int m = 0; m < N; ++m) total[m] += values.of[m];
                }
#pragma unroll
                for (int m = 0; m < N; ++m) strip.line(g + j)[m * strip.pitch + c] = by_down.of(total[m]);
            }
        }
        for (int m = 0; m < N; ++m) running[m * strip.pitch + c] = sum[m];
    }

    // Means along a row, one after the other.
    struct Along {
        Sum sum[N];

        __device__ Along(const Equal& windows, const W* line, int pitch) : sum{} {
            for (int k = 0; k + 1 < windows.view.across; ++k)
#pragma unroll
                for (int m = 0; m < N; ++m) sum[m].enter(line[m * pitch + k]);
        }
        // The next one; `line` begins with its window.
        __device__ void next(const Equal& windows, const W* line, int pitch, Values<W, N>& means) {
            const int last = (int)windows.view.across - 1;
#pragma unroll
            for (int m = 0; m < N; ++m) {
                W& mean = means.of[m];
                sum[m].enter(line[m * pitch + last]);
                if (!sum[m].mean(mean, windows.by_across)) {
                    double total = 0;
                    for (int t = 0; t <= last; ++t) total += line[m * pitch + t];
                    mean = windows.by_across.of(total);
                }
                sum[m].leave(line[m * pitch]);
            }
        }
    };
    static __device__ bool is_odd(W mean) { return mean - mean != 0; }
};

// Windows that are weighted by a Gaussian. Sums of floats are in two floats where the card is slow in double.
template <int N, class W> struct Bell {
    static constexpr int ROWS = 4, COLUMNS = 4;
    typedef typename NumberOf<W>::type Number;

    const Windows& view;
    double* exact;  // taps, for SciPy's sums
    Number* taps;
    int down_radius, across_radius;

    __device__ Bell(const Windows& view, void* shared, i64*)
        : view(view), exact((double*)shared), down_radius((int)view.above), across_radius((int)view.left) {
        taps = (Number*)(exact + radius() + 1);
        for (int t = threadIdx.x; t <= radius(); t += blockDim.x) {
            exact[t] = radius() ? exp(view.exponent * ((double)t * t)) * view.norm : 1.0;
            taps[t] = Number(exact[t]);
        }
        __syncthreads();
    }
    __device__ int radius() const { return down_radius > across_radius ? down_radius : across_radius; }

    // How far a sum along an axis may be from SciPy's, for elements of magnitude 1: 2^-46 a product.
    __device__ static W apart(int radius) { return (W)(2 * radius + 3) * (W)1.43e-14; }

    __device__ W* end(int) const { return (W*)(taps + radius() + 1); }

    template <int MODE> __device__ void begin(const Strip<N, W>&) const {}

    template <class Source, class Element>
    __device__ void down(const Strip<N, W>& strip, int c, const Source&, const Element& element) const {
        for (int g = 0; g < strip.rows; g += ROWS) {
            Number sum[ROWS][N] = {};
            W size[N] = {};
#pragma unroll 1
            for (int k = -down_radius; k < down_radius + ROWS; ++k) {
                const Values<W, N> values = element(strip.y + g + k, strip.places[c]);
                if (IS_TWO_FLOATS<Number>)
#pragma unroll
                    for (int m = 0; m < N; ++m) size[m] = fmax(size[m], fabs(values.of[m]));
#pragma unroll
                for (int j = 0; j < ROWS; ++j) {
                    const int t = k < j ? j - k : k - j;
                    if (t > down_radius) continue;
                    const Number tap = down_radius ? taps[t] : Number(1.0);
#pragma unroll
                    for (int m = 0; m < N; ++m) accumulate(sum[j][m], values.of[m], tap);
                }
            }
            u32 undecided = 0;
#pragma unroll
            for (int j = 0; j < ROWS; ++j)
                if (g + j < strip.rows)
#pragma unroll
                    for (int m = 0; m < N; ++m) {
                        W& mean = strip.line(g + j)[m * strip.pitch + c];
                        if (!rounded(mean, sum[j][m], size[m], size[m] * apart(down_radius))) undecided |= 1u << j;
                    }
            for (int j = 0; undecided; ++j, undecided >>= 1) {
                if (!(undecided & 1)) continue;
                double total[N] = {};
                for (int k = -down_radius; k <= down_radius; ++k) {
                    const Values<W, N> values = element(strip.y + g + j + k, strip.places[c]);
#pragma unroll
                    for (int m = 0; m < N; ++m)
                        total[m] += (down_radius ? exact[k < 0 ? -k : k] : 1.0) * values.of[m];
                }
#pragma unroll
                for (int m = 0; m < N; ++m) strip.line(g + j)[m * strip.pitch + c] = (W)total[m];
            }
        }
    }

    // Of two elements at the same distance.
    static __device__ void add_both(double& sum, W before, W after, double tap) {
        sum += tap * ((double)before + after);
    }
    static __device__ void add_both(TwoFloats& sum, W before, W after, const TwoFloats& tap) {
        accumulate(sum, before, tap);
        accumulate(sum, after, tap);
    }

    // Means along a row, one after the other.
    struct Along {
        __device__ Along(const Bell&, const W*, int) {}
        __device__ void next(const Bell& windows, const W* line, int pitch, Values<W, N>& means) {
            const int radius = windows.across_radius;
#pragma unroll
            for (int m = 0; m < N; ++m) {
                const W* const centre = line + m * pitch + radius;
                means.of[m] = centre[0];
                if (radius == 0) continue;
                Number sum = {};
                W size = fabs(centre[0]);
                accumulate(sum, centre[0], windows.taps[0]);
#pragma unroll 2
                for (int t = radius; t > 0; --t) {
                    size = fmax(size, fmax(fabs(centre[-t]), fabs(centre[t])));
                    add_both(sum, centre[-t], centre[t], windows.taps[t]);
                }
                if (rounded(means.of[m], sum, size, size * apart(radius))) continue;
                double total = windows.exact[0] * centre[0];
                for (int t = radius; t > 0; --t) total += windows.exact[t] * ((double)centre[-t] + centre[t]);
                means.of[m] = (W)total;
            }
        }
    };
    static __device__ bool is_odd(W) { return false; }  // here nothing spreads
};

template <bool BELL, int N, class W> struct WeightsOf { typedef Equal<N, W> type; };
template <int N, class W> struct WeightsOf<true, N, W> { typedef Bell<N, W> type; };

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
    typedef typename WeightsOf<BELL, N, W>::type Weights;
    constexpr int WIDTH = 128;  // columns of a strip
    __shared__ i64 rows[2 * MOST_ROWS];
    const int halo = (int)view.across - 1;
    Strip<N, W> strip;
    strip.pitch = (WIDTH + halo) | 1;  // odd: rows begin at different banks
    strip.row_stride = view.between * view.breadth * view.inner;
    strip.places = reinterpret_cast<i64*>(shared);
    const Weights weights(view, strip.places + strip.pitch, rows);
    strip.lines = weights.end(strip.pitch);

    const i64 strips = (view.columns + WIDTH - 1) / WIDTH;
    const i64 chunks = (view.rows + view.chunk - 1) / view.chunk;
    const i64 items = view.outer * view.between * chunks * strips * view.inner;
    for (i64 item = blockIdx.x; item < items; item += gridDim.x) {
        // inner planes run fastest: interleaved channels share their cache lines
        const i64 i = item % view.inner, number = item / view.inner % strips;
        const i64 chunk = item / (view.inner * strips) % chunks;
        const i64 stack = item / (view.inner * strips * chunks);
        const i64 plane = stack * view.inner + i;
        const i64 x0 = number * WIDTH;
        const int width = view.columns - x0 < WIDTH ? (int)(view.columns - x0) : WIDTH;
        strip.base = stack / view.between * (view.height * strip.row_stride) +
                     stack % view.between * (view.breadth * view.inner) + i;
        strip.y0 = chunk * view.chunk;
        const i64 end = strip.y0 + view.chunk < view.rows ? strip.y0 + view.chunk : view.rows;
        const auto element = [&](i64 y, i64 place) {
            return source(strip.base + boundary_index(y, view.height, MODE) * strip.row_stride + place);
        };

        // places and running sums of a column are one thread's: no barrier
        for (int c = threadIdx.x; c < width + halo; c += blockDim.x)
            strip.places[c] = boundary_index(x0 + c - view.left, view.breadth, MODE) * view.inner;
        for (strip.y = strip.y0; strip.y < end; strip.y += view.group) {
            strip.rows = end - strip.y < view.group ? (int)(end - strip.y) : view.group;
            weights.template begin<MODE>(strip);
            // 1
            for (int c = threadIdx.x; c < width + halo; c += blockDim.x) weights.down(strip, c, source, element);
            __syncthreads();
            // 2
            constexpr int COLUMNS = Weights::COLUMNS;
            for (int piece = threadIdx.x; piece < view.group * (WIDTH / COLUMNS); piece += blockDim.x) {
                const int g = piece % view.group, c = piece / view.group * COLUMNS;
                if (g >= strip.rows || c >= width) continue;
                const W* const line = strip.line(g) + c;
                typename Weights::Along along(weights, line, strip.pitch);
#pragma unroll 1
                for (int k = 0; k < COLUMNS && c + k < width; ++k) {
                    Values<W, N> means;
                    along.next(weights, line + k, strip.pitch, means);
#pragma unroll
                    for (int m = 0; m < N; ++m)
                        if (Weights::is_odd(means.of[m])) *odd = 1.0;
                    const i64 y = strip.y + g, x = x0 + c + k;
                    take(strip.base + y * strip.row_stride + x * view.inner, plane, y, x, means);
                }
            }
            __syncthreads();  // before the next rows' means
        }
        done(plane, chunk * strips + number);
    }
}
