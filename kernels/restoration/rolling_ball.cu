// The background under an image by a rolling ball: the least of image + height over the ball.
//
// What: heights are those of the ball's centre less the ball's, infinite (`Beyond`) where it has no
// element. Beyond the border the image is infinite. Sums are in W: float or double, in which
// scikit-image has them, or int where that gives the same integers.
//
// A block has a tile of 4 * lanes columns and 4 * groups rows along the last two axes. Row by row of
// the image, a strip of it lies in shared memory, in parts where the ball is wide, and each thread
// adds to 4 x 4 elements of its tile what the ball's rows have there: 4 elements of the strip and 4
// heights are read for 16 sums. What is least so far lies in shared memory between the rows.
//
// image, result: of p.shape. heights: the ball's rows, with 3 rows of Beyond before and behind those of
// each of its planes. spans: for each row of the image, counted from 3 rows before the first one that a
// thread's rows see, between which columns any of their 4 rows of heights is not Beyond.
// A launch makes the tiles first <= tile < last; image and result are read and written once, heights
// from cache.
//
// Source: skimage/restoration/_rolling_ball_cy.pyx, after Sternberg, "Biomedical image processing",
// Computer 16 (1983).
#include "common/rounded.cuh"

constexpr int AXES = 8, LEADING = AXES - 2;
constexpr int SIDE = 4;        // elements of a thread along either axis
constexpr int ITEMS = 64;      // lanes * groups
constexpr int MOST_LANES = 32;
constexpr int PART = 256;      // columns of the ball at a time

struct RollingBall {
    i64 shape[AXES];
    i64 ball[AXES];
    i64 before[AXES];  // elements of the ball before its centre
    i64 balls_planes;  // along all but its last two axes
    int lanes, groups;
};

template <class W> struct Beyond {
    static __device__ W value() { return (W)__uint_as_float(0x7f800000u); }
    static __device__ W sum(W a, W b) { return NumpyArithmetic<W>::add(a, b); }
};
template <> struct Beyond<int> {
    static __device__ int value() { return 1 << 29; }
    static __device__ int sum(int a, int b) { return a + b; }
};

// NaN hides where one is not looked for, and stays where one is.
template <bool NAN_SAFE, class W> __device__ inline W lower(W least, W sum) {
    return sum < least || (NAN_SAFE && sum != sum) ? sum : least;
}

// store(i, value) for each element of the tiles first <= tile < last.
//   called by: all threads of all blocks
template <class T, class W, bool NAN_SAFE, class Store>
__device__ inline void roll(const T* __restrict__ image, const W* __restrict__ heights, const int* __restrict__ spans,
                            const RollingBall& p, i64 first, i64 last, const Store& store) {
    __shared__ W least[SIDE * SIDE * ITEMS];
    __shared__ W strip[SIDE * MOST_LANES + PART];
    const i64 height = p.shape[AXES - 2], width = p.shape[AXES - 1];
    const i64 ball_rows = p.ball[AXES - 2], ball_columns = p.ball[AXES - 1];
    const i64 row_before = p.before[AXES - 2], column_before = p.before[AXES - 1];
    const int tile_rows = SIDE * p.groups, tile_columns = SIDE * p.lanes, items = p.lanes * p.groups;
    const i64 across = (width + tile_columns - 1) / tile_columns, down = (height + tile_rows - 1) / tile_rows;
    const i64 span_rows = ball_rows + SIDE - 1, height_rows = ball_rows + 2 * (SIDE - 1);

    for (i64 tile = first + blockIdx.x; tile < last; tile += gridDim.x) {
        const i64 column = tile % across * tile_columns, row = tile / across % down * tile_rows;
        const i64 plane = tile / across / down;
        for (int t = threadIdx.x; t < SIDE * SIDE * items; t += blockDim.x) least[t] = Beyond<W>::value();
        for (i64 ball_plane = 0; ball_plane < p.balls_planes; ++ball_plane) {
            i64 left = plane, way = ball_plane, there = 0, stride = 1;
            bool inside = true;
#pragma unroll
            for (int k = LEADING - 1; k >= 0; --k) {
                const i64 at = left % p.shape[k] + way % p.ball[k] - p.before[k];
                left /= p.shape[k];
                way /= p.ball[k];
                inside = inside && at >= 0 && at < p.shape[k];
                there += at * stride;
                stride *= p.shape[k];
            }
            if (!inside) continue;
            const T* const seen = image + there * height * width;
            const i64 begin = row - row_before, end = row + tile_rows - 1 + ball_rows - row_before;
            for (i64 y = begin < 0 ? 0 : begin; y < (end < height ? end : height); ++y) {
                for (i64 part = 0; part < ball_columns; part += PART) {
                    const int wide = ball_columns - part < PART ? (int)(ball_columns - part) : PART;
                    const i64 from = column - column_before + part;
                    __syncthreads();
                    for (int t = threadIdx.x; t < tile_columns + wide - 1; t += blockDim.x) {
                        const i64 x = from + t;
                        strip[t] = x < 0 || x >= width ? Beyond<W>::value() : (W)seen[y * width + x];
                    }
                    __syncthreads();
                    for (int item = threadIdx.x; item < items; item += blockDim.x) {
                        const int lane = item % p.lanes;
                        const i64 way_down = y - (row + item / p.lanes * SIDE) + row_before;
                        if (way_down < 0 || way_down >= span_rows) continue;
                        const int* const span = spans + 2 * (ball_plane * span_rows + way_down);
                        const i64 low = span[0] - part, high = span[1] - part;
                        const int low_here = low < 0 ? 0 : (int)low, high_here = high < wide ? (int)high : wide;
                        if (low_here >= high_here) continue;
                        const W* const rows =
                            heights + (ball_plane * height_rows + way_down + SIDE - 1) * ball_columns + part;
                        W mine[SIDE][SIDE];
#pragma unroll
                        for (int k = 0; k < SIDE * SIDE; ++k) mine[k / SIDE][k % SIDE] = least[k * items + item];
                        for (int j = low_here; j < high_here; ++j) {
                            W values[SIDE];
#pragma unroll
                            for (int c = 0; c < SIDE; ++c) values[c] = strip[lane + c * p.lanes + j];
#pragma unroll
                            for (int r = 0; r < SIDE; ++r) {
                                // NaN beside a row that is not the ball's
                                if (NAN_SAFE && (way_down < r || way_down >= ball_rows + r)) continue;
                                const W rise = rows[j - r * ball_columns];
#pragma unroll
                                for (int c = 0; c < SIDE; ++c)
                                    mine[r][c] = lower<NAN_SAFE>(mine[r][c], Beyond<W>::sum(values[c], rise));
                            }
                        }
#pragma unroll
                        for (int k = 0; k < SIDE * SIDE; ++k) least[k * items + item] = mine[k / SIDE][k % SIDE];
                    }
                }
            }
        }
        __syncthreads();
        for (int t = threadIdx.x; t < SIDE * SIDE * items; t += blockDim.x) {
            const int item = t % items, k = t / items;
            const i64 y = row + item / p.lanes * SIDE + k / SIDE, x = column + item % p.lanes + k % SIDE * p.lanes;
            if (y < height && x < width) store((plane * height + y) * width + x, least[t]);
        }
        __syncthreads();  // before the next tile's
    }
}

template <class T, class W> struct Stored {
    static __device__ T of(W value) { return (T)value; }
};
template <class W> struct Stored<bool, W> {
    static __device__ bool of(W value) { return value != 0; }
};
template <> struct Stored<float16, float> {
    static __device__ float16 of(float value) { return to_half(value); }
};

template <class T, class W, bool NAN_SAFE>
__global__ void rolling_ball(const T* image, const W* heights, const int* spans,
                             const __grid_constant__ RollingBall p, i64 first, i64 last, T* result) {
    roll<T, W, NAN_SAFE>(image, heights, spans, p, first, last,
                         [&](i64 i, W value) { result[i] = Stored<T, W>::of(value); });
}

// Whether T has no number for a finite value.
template <class T> __device__ inline bool is_beyond(double value) {
    const double whole = trunc(value);
    return !(whole >= (Limits<T>::is_signed ? -Limits<T>::max - 1 : 0.0) && whole < Limits<T>::max + 1);
}
template <> __device__ inline bool is_beyond<float16>(double value) {
    return fabs(value) >= 65520.0 && fabs(value) < (double)__uint_as_float(0x7f800000u);
}

// The same; odd becomes 1 where T has no number for a value.
template <class T, class W, bool NAN_SAFE>
__global__ void rolling_ball_checked(const T* image, const W* heights, const int* spans,
                                     const __grid_constant__ RollingBall p, i64 first, i64 last, T* result,
                                     u32* odd) {
    bool mine = false;
    roll<T, W, NAN_SAFE>(image, heights, spans, p, first, last, [&](i64 i, W value) {
        result[i] = Stored<T, W>::of(value);
        mine = mine || is_beyond<T>((double)value);
    });
    if (mine) atomicOr(odd, 1u);
}
