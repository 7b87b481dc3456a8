// Images made twice as large along two axes and smoothed by Gaussians, in one launch.
//
// What: what resize_image (transform/resize.cu) makes of planes by order 1, mirrored, and gaussian_pair
// (filters/gaussian.cu) of that, to the last bit, for Gaussians that reach 3 elements to either side. Four neighbours of
// the image are the corners of a cell, in which four elements of the enlarged image lie, a quarter or three quarters of
// the way along either axis. A tile of the image becomes one of the result, twice as high and as wide:
//
//     1. the elements of its cells, with the halo, into `tile`
//     2. at the ends of the image, those that lie in no cell, from those that they are equal to
//     3. smoothed down the columns, in place
//     4. smoothed along the rows, into the result
//
// A row of `tile` has the left elements of cells and, HALF behind, the right ones, so that threads side by side take
// elements side by side. The image: bool to float64, seen as (outer, rows, columns, inner), with two rows and columns at
// least and less than 2^29 elements behind `outer`; the grid is tiles across, down and `outer`. Result: float for float16
// and float32 images, else double. Sums are in double, and rounded to that type in each step, as SciPy does it; those of
// floats without double, where cards are slow in it and it does not decide. One launch; the image is read once (halos
// again, from cache), the result is written once. Shared memory: 2 * height + 6 rows of PITCH doubles, and LANES that no
// result is made of. The height of tiles is a multiple of RUN / 2.
//
// Source: scikit-image `transform.pyramid_expand`; scipy.ndimage.zoom and gaussian_filter.
#include "common/interpolation.cuh"
#include "common/shared.cuh"
#include "filters/float_strip.cuh"
#include "transform/float_means.cuh"

constexpr int THREADS = 256, REACH = 3, PITCH = 128, HALF = PITCH / 2;
constexpr int CELLS = 6, RUN = 10;  // below each other, for one thread in 1, and in 3 and 4

struct Expansion {
    int rows, columns, inner;
    int height, width;  // rows and columns of the image in a tile
};

// Of a corner along an axis: the near one, or the far one.
__device__ constexpr double weight_of(int far) { return far ? 0.25 : 0.75; }

// Goes down the rows of the image between two of its columns. made[y][x]: the upper and lower, left and right element
// of the cell between this row and the one before.
//
// Each corner times its weights in the order of the axes, added up in the order of the corners, as in
// interpolate_linear (common/interpolation.cuh), whose sums begin with 0: so zeros have its sign here. Roundings lead out
// of the range of a cell's corners where these hardly differ: integers of up to 32 bits are equal then, and of floats
// nothing is rounded.
template <class T, class O, bool SLOW = IN_FLOATS> class Cells {
    typedef decltype(+T()) Number;
    double sums[2][2] = {};      // of the row before
    double least = 0, most = 0;  // and what else is known of it
    Number last = {};
    bool level = false;

    // Of a corner: parts[y][x], by whether it is the far one along either axis.
    __device__ static void split(double value, double (&parts)[2][2]) {
        const double near = __dmul_rn(value, 0.75);
        parts[0][0] = __dmul_rn(near, 0.75);
        parts[0][1] = parts[1][0] = __dmul_rn(near, 0.25);
        parts[1][1] = __dmul_rn(value, 0.0625);
    }

  public:
    template <class Convert> __device__ void next(const Convert& convert, T left, T right, double (&made)[2][2]) {
        double row[2] = {convert(left), convert(right)}, parts[2][2][2];
#pragma unroll
        for (int side = 0; side < 2; ++side) {
            if (IS_FLOATING<T>) row[side] = __dadd_rn(row[side], 0);
            split(row[side], parts[side]);
        }
        const bool is_level = left == right, same = level && is_level && left == last;
        const double smaller = row[0] < row[1] ? row[0] : row[1], larger = row[0] < row[1] ? row[1] : row[0];
        const double low = least < smaller ? least : smaller, high = most > larger ? most : larger;
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            const int y = k >> 1, x = k & 1;
            const double sum = __dadd_rn(__dadd_rn(sums[y][x], parts[0][1 - y][x]), parts[1][1 - y][1 - x]);
            sums[y][x] = __dadd_rn(parts[0][y][x], parts[1][y][1 - x]);
            if constexpr (sizeof(T) == 8)
                made[y][x] = sum < low ? low : sum > high ? high : sum;
            else if constexpr (IS_FLOATING<T>)
                made[y][x] = (O)sum;
            else
                made[y][x] = same ? row[0] : sum;
        }
        least = smaller, most = larger, last = left, level = is_level;
    }
};

// The same of floats, without double but for the few where it decides (transform/float_means.cuh).
template <class T> class Cells<T, float, true> {
    float row[2] = {};
    Magnitudes its;
    TwoFloats near[2] = {}, far[2] = {};  // means along the row, times either weight

    // Sums begin with their first product, in place of 0: that differs in the sign of a zero alone, which `rounded_mean`
    // does not show. Products with 1/4 are exact.
    __device__ static TwoFloats sum_of(TwoFloats sum, const TwoFloats& other) {
        add(sum, other);
        return sum;
    }

    __device__ static float in_double(const float (&corners)[4], int y, int x) {
        double sum = 0;
        float low = corners[0], high = low;
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            const float its = corners[k];
            low = its < low ? its : low;
            high = its > high ? its : high;
            sum = __dadd_rn(sum, __dmul_rn(__dmul_rn((double)its, weight_of(y ^ k >> 1)), weight_of(x ^ (k & 1))));
        }
        return between((float)sum, low, high);
    }

  public:
    template <class Convert> __device__ void next(const Convert& convert, T left, T right, float (&made)[2][2]) {
        const float corners[4] = {row[0], row[1], convert(left), convert(right)};
        row[0] = corners[2], row[1] = corners[3];
        Magnitudes both, all = its;
        both.take(row[0]);
        both.take(row[1]);
        all.take(both);
        bool sure = true;
#pragma unroll
        for (int x = 0; x < 2; ++x) {
            const TwoFloats mean = sum_of(exact_product(row[x], 0.75f), {row[1 - x] * 0.25f, 0});
            const TwoFloats nearer = rounded_product({0.75f, 0}, mean), farther = {mean.high * 0.25f, mean.low * 0.25f};
            sure &= rounded_mean(made[0][x], sum_of(near[x], farther), all, true);
            sure &= rounded_mean(made[1][x], sum_of(nearer, far[x]), all, true);
            near[x] = nearer, far[x] = farther;
        }
        its = both;
        if (sure) return;
#pragma unroll
        for (int k = 0; k < 4; ++k) made[k >> 1][k & 1] = in_double(corners, k >> 1, k & 1);
    }
};

// A row of a tile from an element on, where left and right elements of cells take turns.
template <class S> struct Turns {
    static constexpr int COUNT = 1;
    const S* first;
    int inner, skipped;

    __device__ S at(int t, int l) const {
        const int k = t + skipped;
        return first[(k >> 1) * inner + (k & 1) * HALF + l];
    }
    __device__ void get(int t, int l, S (&x)[1]) const { x[0] = at(t, l); }
};

// Elements smoothed: RUN below each other, from `src` on, and REACH before.
template <class S, class O, class Tap>
__device__ inline void smooth_down(const S* src, const Tap* taps, O (&sums)[RUN][LANES]) {
    if constexpr (SPLIT<Tap>) {
#pragma unroll
        for (int k = 0; k < RUN; ++k) {
            FloatStrip<OneSource> strip;
            strip.template filter<REACH>(OneSource{src + k * PITCH, PITCH}, taps);
            for (int l = 0; l < LANES; ++l) sums[k][l] = strip.sum[0][l];
        }
    } else {
        Strip<RUN, S> strip;
        strip.template filter_down<REACH>(src, PITCH, taps);
        strip.put(&sums[0][0], LANES);
    }
}

// And two beside each other.
template <class S, class O, class Tap>
__device__ inline void smooth_across(const S* src, int inner, const Tap* taps, O (&sums)[2][LANES]) {
    if constexpr (SPLIT<Tap>) {
#pragma unroll
        for (int k = 0; k < 2; ++k) {
            FloatStrip<Turns<S>> strip;
            strip.template filter<REACH>(Turns<S>{src, inner, k}, taps);
            for (int l = 0; l < LANES; ++l) sums[k][l] = strip.sum[0][l];
        }
    } else {
        const Turns<S> turns = {src, inner, 0};
        S line[2 + 2 * REACH][LANES];
#pragma unroll
        for (int k = 0; k < 2 + 2 * REACH; ++k)
            for (int l = 0; l < LANES; ++l) line[k][l] = turns.at(k, l);
        Strip<2, S> strip;
        strip.template filter_line<REACH>(line, taps);
        strip.put(&sums[0][0], LANES);
    }
}

// copy(at, from) for what of a tile's axis, `count` places from `first` on, lies in no cell of the enlarged and mirrored
// image: the first element, which is equal to the second one, and what is beyond the ends.
//
// Called by all threads of the block. Ends with a barrier, if there is anything.
template <class Copy> __device__ inline void for_mirrored(int first, int count, int size, Copy copy) {
    if (first > 0 && first + count <= size) return;
#pragma unroll 1
    for (int k = 0; k <= 2 * REACH; ++k) {
        const int place = k <= REACH ? k - REACH : size + k - REACH - 1, at = place - first;
        if (at < 0 || at >= count) continue;
        copy(at, (place > 0 ? 2 * size - 1 - place : max(1, -1 - place)) - first);
    }
    __syncthreads();
}

// Two elements beside each other, stored at once.
template <class O> struct __align__(2 * sizeof(O)) Pair { O first, second; };

// Of a mirrored axis of the image, for a place up to two before or behind it: the place in its stead, as far as a cell
// asks for it that is not replaced.
__device__ inline int inside(int place, int size) { return max(0, min(place, 2 * size - 2 - place)); }

// 4; `result` is the tile's, of `height` rows, `line` apart. INNER: 1, and pairs are stored at once, or 0.
template <int INNER, class S, class O, class Tap>
__device__ inline void smooth_rows(const S* tile, O* result, int height, int width, int given, int line, const Tap* taps) {
    const int inner = INNER ? INNER : given;
    for (int c = threadIdx.x * LANES; c < width * inner; c += blockDim.x * LANES)
        for (int r = threadIdx.y * RUN; r < height; r += blockDim.y * RUN) {
            const int lanes = LANES == 1 ? 1 : min(LANES, width * inner - c), last = min(r + RUN, height);
            const S* from = tile + r * PITCH + c;
            O* to = result + (u32)(r * line) + 2 * c;
#pragma unroll 2
            for (int y = r; y < last; ++y, from += PITCH, to += line) {
                O sums[2][LANES];
                smooth_across(from, inner, taps, sums);
                for (int l = 0; l < lanes; ++l) {
                    O* const there = to + 2 * l - (INNER ? 0 : (c + l) % inner);
                    if constexpr (INNER == 1)
                        *(Pair<O>*)there = {sums[0][l], sums[1][l]};
                    else
                        there[0] = sums[0][l], there[inner] = sums[1][l];
                }
            }
        }
}

template <class T, class O, class Tap = typename TapsOf<T>::type::Tap>
__global__ void __launch_bounds__(THREADS, RESIDENT)
    expand(const T* image, O* result, const __grid_constant__ Expansion p, double scale, double lowest,
           const __grid_constant__ PairTaps<Tap, REACH> taps) {
    typedef ElementOf<typename NumberOf<O>::type> S;
    DYN_SHARED(S, tile);
    const Scaled<T, S> convert(scale, lowest);
    const int inner = p.inner, line = p.columns * inner, x0 = blockIdx.x * p.width, y0 = blockIdx.y * p.height;
    const int width = min(p.width, p.columns - x0), height = min(p.height, p.rows - y0);
    const int half = (width + REACH) * inner, rows = 2 * (height + REACH);
    // 1
    const T* const its = image + (i64)blockIdx.z * (p.rows * line);
    for (int c = threadIdx.x * LANES; c < half; c += blockDim.x * LANES) {
        const int lanes = LANES == 1 ? 1 : min(LANES, half - c);
        const T *left[LANES], *right[LANES];
        for (int l = 0; l < lanes; ++l) {
            const int pixel = inner == 1 ? c + l : (c + l) / inner, channel = c + l - pixel * inner;
            left[l] = its + (inside(x0 - 2 + pixel, p.columns) * inner + channel);
            right[l] = its + (inside(x0 - 1 + pixel, p.columns) * inner + channel);
        }
        for (int r = threadIdx.y * CELLS; r < height + REACH; r += blockDim.y * CELLS) {
            Cells<T, O> cells[LANES];
            S made[2][2];
            u32 row = inside(y0 - 2 + r, p.rows) * line;
            for (int l = 0; l < lanes; ++l) cells[l].next(convert, left[l][row], right[l][row], made);  // of no cell
            S* there = tile + 2 * r * PITCH + c;
            const int last = min(r + CELLS, height + REACH);
#pragma unroll 1
            for (int y = r; y < last; ++y, there += 2 * PITCH) {
                row = inside(y0 - 1 + y, p.rows) * line;
                for (int l = 0; l < lanes; ++l) {
                    cells[l].next(convert, left[l][row], right[l][row], made);
                    there[l] = made[0][0];
                    there[HALF + l] = made[0][1];
                    there[PITCH + l] = made[1][0];
                    there[PITCH + HALF + l] = made[1][1];
                }
            }
        }
    }
    __syncthreads();
    // 2
    const int thread = threadIdx.y * blockDim.x + threadIdx.x, threads = blockDim.x * blockDim.y;
    for_mirrored(2 * y0 - REACH, rows, 2 * p.rows, [&](int r, int from) {
        for (int c = thread; c < PITCH; c += threads) tile[r * PITCH + c] = tile[from * PITCH + c];
    });
    for_mirrored(2 * x0 - REACH, 2 * (width + REACH), 2 * p.columns, [&](int c, int from) {
        S* const there = tile + (c >> 1) * inner + (c & 1) * HALF;
        const S* const here = tile + (from >> 1) * inner + (from & 1) * HALF;
        for (int k = thread; k < rows * inner; k += threads) {
            const int r = k / inner, channel = k - r * inner;
            there[r * PITCH + channel] = here[r * PITCH + channel];
        }
    });
    // 3
    for (int r = 0; r < 2 * height; r += blockDim.y * RUN)
        for (int c = 0; c < PITCH; c += blockDim.x * LANES) {
            const int x = c + threadIdx.x * LANES, y = r + threadIdx.y * RUN;
            const bool mine = (x & (HALF - 1)) < half && y < 2 * height;
            S* const there = tile + y * PITCH + x;
            O sums[RUN][LANES];
            if (mine) smooth_down(there, taps.along_a, sums);
            __syncthreads();
            if (!mine) continue;
#pragma unroll
            for (int k = 0; k < RUN; ++k)
                for (int l = 0; l < LANES; ++l) there[k * PITCH + l] = sums[k][l];
        }
    __syncthreads();
    // 4
    O* const to = result + (i64)blockIdx.z * (4 * p.rows * line) + (u32)(4 * y0 * line) + 2 * x0 * inner;
    if (inner == 1 && (u64)result % sizeof(Pair<O>) == 0)
        smooth_rows<1>(tile, to, 2 * height, width, 1, 2 * line, taps.along_b);
    else
        smooth_rows<0>(tile, to, 2 * height, width, inner, 2 * line, taps.along_b);
}
