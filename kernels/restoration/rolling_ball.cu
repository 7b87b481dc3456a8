// The background under an image by a rolling ball: the least of image + height over the ball.
//
// What: heights are those of the ball's centre less the ball's, infinite (`Beyond`) where it has no
// element. Beyond the border the image is infinite. Sums are in W: float or double, in which
// scikit-image has them, or int where that gives the same integers.
//
// A block has a tile of 4 * lanes columns and 4 * groups rows along the last two axes. The rows of the image that
// the ball reaches from there are divided among SHARES. Row by row of each share, a strip of it lies in shared
// memory, in parts where the ball is wide, and each thread adds to 4 x 4 elements of the tile what the ball's rows
// have there: for 16 sums an element of the strip and 4 heights are read, four of each at a time. What is least so
// far lies in shared memory between the rows, of each share, and in the end the least of all shares is taken.
//
// image, result: of p.shape. heights: the ball's rows, each filled up with Beyond to a multiple of 4 elements, with
// 3 rows of Beyond before and behind those of each of its planes. spans: for each row of the image, counted from 3
// rows before the first one that a thread's rows see, between which columns any of their 4 rows of heights is not
// Beyond. A launch makes the tiles first <= tile < last; image and result are read and written once, heights
// from cache.
//
// Source: skimage/restoration/_rolling_ball_cy.pyx, after Sternberg, "Biomedical image processing",
// Computer 16 (1983).
#include "common/pack.cuh"
#include "common/rounded.cuh"

constexpr int AXES = 8, LEADING = AXES - 2;
constexpr int SIDE = 4;    // elements of a thread along either axis, and columns of the ball at a time
constexpr int ITEMS = 32;  // lanes * groups
constexpr int PART = 256;  // columns of the ball in a strip
constexpr int STRIP = SIDE * ITEMS + PART;

// Shares of the rows; a thread for each of them and each item. Doubles have room for fewer.
template <class W> constexpr int SHARES = sizeof(W) == 8 ? 4 : 8;

struct RollingBall {
    i64 shape[AXES];
    i64 ball[AXES];
    i64 before[AXES];  // elements of the ball before its centre
    i64 balls_planes;  // along all but its last two axes
    i64 across, down;  // tiles of a plane
    int log_lanes;     // lanes are a power of two
    int tile_rows, tile_columns;
    int pitch;  // of heights
};

template <class W> struct Beyond {
    static __device__ W value() { return (W)__uint_as_float(0x7f800000u); }
    static __device__ W sum(W a, W b) { return NumpyArithmetic<W>::add(a, b); }
};
template <> struct Beyond<int> {
    static __device__ int value() { return 1 << 29; }
    static __device__ int sum(int a, int b) { return a + b; }
};

// NaN hides where one is not looked for, and stays where one is. No height is -0, and so no sum.
template <bool NAN_SAFE, class W> __device__ inline W lower(W least, W sum) {
    return sum < least || (NAN_SAFE && sum != sum) ? sum : least;
}
#ifndef SIM_FLAT
template <> __device__ inline float lower<false, float>(float least, float sum) { return fminf(least, sum); }
#endif

// The plane of the image under one of the ball, whose centre lies over `plane`; negative where there is none.
__device__ inline i64 seen_plane(const RollingBall& p, i64 plane, i64 ball_plane) {
    i64 there = 0, stride = 1;
#pragma unroll 1
    for (int k = LEADING - 1; k >= 0; --k) {
        if (p.shape[k] == 1 && p.ball[k] == 1) continue;  // a plane's, without divisions
        const i64 at = plane % p.shape[k] + ball_plane % p.ball[k] - p.before[k];
        if (at < 0 || at >= p.shape[k]) return -1;
        plane /= p.shape[k];
        ball_plane /= p.ball[k];
        there += at * stride;
        stride *= p.shape[k];
    }
    return there;
}

// Lowers the least of SIDE x SIDE elements by what a row of the image has there, in columns low <= j < high of the
// ball; low is a multiple of SIDE. rises: where the row of heights of the first row of elements begins, `pitch` behind
// the next one's; way_down: its number among the ball's rows, of which there are ball_rows.
template <bool NAN_SAFE, class W>
__device__ inline void lower_all(W (&least)[SIDE][SIDE], const W* seen, const W* heights, int rises, int pitch,
                                 int low, int high, int way_down, int ball_rows) {
    Pack<W, SIDE> values = load_pack<SIDE>(seen + low, true);
#pragma unroll 1
    for (int first = low; first < high; first += SIDE) {
        const Pack<W, SIDE> next = load_pack<SIDE>(seen + first + SIDE, true);
#pragma unroll
        for (int r = 0; r < SIDE; ++r) {
            // NaN beside a row that is not the ball's
            if (NAN_SAFE && (way_down < r || way_down >= ball_rows + r)) continue;
            const Pack<W, SIDE> rise = load_pack<SIDE>(heights + (rises + first - r * pitch), true);
#pragma unroll
            for (int j = 0; j < SIDE; ++j) {
                if (NAN_SAFE && first + j >= high) continue;  // NaN behind the ball's last column
#pragma unroll
                for (int c = 0; c < SIDE; ++c) {
                    const W value = c + j < SIDE ? values.item[(c + j) % SIDE] : next.item[(c + j) % SIDE];
                    least[r][c] = lower<NAN_SAFE>(least[r][c], Beyond<W>::sum(value, rise.item[j]));
                }
            }
        }
        values = next;
    }
}

// store(i, value) for each element of the tiles first <= tile < last.
//   called by: all threads of all blocks
template <class T, class W, bool NAN_SAFE, class Store>
__device__ inline void roll(const T* __restrict__ image, const W* __restrict__ heights, const int* __restrict__ spans,
                            const RollingBall& p, i64 first, i64 last, const Store& store) {
    constexpr int THREADS = SHARES<W> * ITEMS, ELEMENTS = SIDE * SIDE * ITEMS;  // of a block, of a tile
    __shared__ W least[SHARES<W>][ELEMENTS];
    alignas(16) __shared__ W strips[SHARES<W>][STRIP];
    __shared__ volatile i64 plane, row, column;  // at which the tile begins: read anew, as registers are few
    const int ball_rows = (int)p.ball[AXES - 2], ball_columns = (int)p.ball[AXES - 1];
    const int span_rows = ball_rows + SIDE - 1;

    for (i64 tile = first + blockIdx.x; tile < last; tile += gridDim.x) {
        if (threadIdx.x == 0) {
            const i64 tile_row = tile / p.across, there = tile_row / p.down;
            plane = there;
            row = (tile_row - there * p.down) * p.tile_rows;
            column = (tile - tile_row * p.across) * p.tile_columns;
        }
        for (int t = threadIdx.x; t < SHARES<W> * ELEMENTS; t += blockDim.x) least[0][t] = Beyond<W>::value();
        __syncthreads();
        // Rows and columns are counted from the first ones that the ball reaches; those from above to below, and from
        // before to behind, lie inside the image.
        const i64 top = row - p.before[AXES - 2], left = column - p.before[AXES - 1];
        const i64 rows = p.shape[AXES - 2] - top, columns = p.shape[AXES - 1] - left;
        const int above = top < 0 ? (int)-top : 0, before = left < 0 ? (int)-left : 0;
        const int below = rows < p.tile_rows - 1 + ball_rows ? (int)rows : p.tile_rows - 1 + ball_rows;
        const int behind = columns < p.tile_columns + p.pitch ? (int)columns : p.tile_columns + p.pitch;
        const int rows_each = (below - above + SHARES<W> - 1) / SHARES<W>;
        for (int ball_plane = 0; ball_plane < (int)p.balls_planes; ++ball_plane) {
            const i64 there = seen_plane(p, plane, ball_plane);
            if (there < 0) continue;
            const i64 first_row = there * p.shape[AXES - 2] + row - p.before[AXES - 2];
            const T* const corner = image + (first_row * p.shape[AXES - 1] + column - p.before[AXES - 1]);
            for (int round = 0; round < rows_each; ++round) {
                for (int part = 0; part < ball_columns; part += PART) {
                    const int wide = p.pitch - part < PART ? p.pitch - part : PART;
                    __syncthreads();
                    for (int t = threadIdx.x; t < THREADS; t += blockDim.x) {
                        const int share = t / ITEMS, y = above + share * rows_each + round;
                        if (y >= below) break;
                        const T* const strip = corner + (y * p.shape[AXES - 1] + part);
                        for (int c = t % ITEMS; c < p.tile_columns + wide; c += ITEMS)
                            strips[share][c] =
                                c + part >= before && c + part < behind ? (W)strip[c] : Beyond<W>::value();
                    }
                    __syncthreads();
                    for (int t = threadIdx.x; t < THREADS; t += blockDim.x) {
                        const int share = t / ITEMS, item = t % ITEMS, y = above + share * rows_each + round;
                        const int way_down = y - (item >> p.log_lanes) * SIDE;
                        if (y >= below || way_down < 0 || way_down >= span_rows) continue;
                        const int* const span = spans + 2 * (ball_plane * span_rows + way_down);
                        const int low = span[0] - part, high = span[1] - part;
                        const int low_here = low < 0 ? 0 : low / SIDE * SIDE, high_here = high < wide ? high : wide;
                        if (low_here >= high_here) continue;
                        W mine[SIDE][SIDE];
#pragma unroll
                        for (int k = 0; k < SIDE * SIDE; ++k) mine[k / SIDE][k % SIDE] = least[share][k * ITEMS + item];
                        const int rises = (ball_plane * (span_rows + SIDE - 1) + way_down + SIDE - 1) * p.pitch + part;
                        const int lane = item & ((1 << p.log_lanes) - 1);
                        lower_all<NAN_SAFE>(mine, strips[share] + lane * SIDE, heights, rises, p.pitch, low_here, high_here,
                                            way_down, ball_rows);
#pragma unroll
                        for (int k = 0; k < SIDE * SIDE; ++k) least[share][k * ITEMS + item] = mine[k / SIDE][k % SIDE];
                    }
                }
            }
        }
        __syncthreads();
        for (int t = threadIdx.x; t < ELEMENTS; t += blockDim.x) {
            const int r = t / p.tile_columns, c = t % p.tile_columns;
            const int at = (r % SIDE * SIDE + c % SIDE) * ITEMS + (r / SIDE << p.log_lanes) + c / SIDE;
            W value = least[0][at];
#pragma unroll
            for (int share = 1; share < SHARES<W>; ++share) value = lower<NAN_SAFE>(value, least[share][at]);
            const i64 y = row + r, x = column + c;
            if (y < p.shape[AXES - 2] && x < p.shape[AXES - 1])
                store((plane * p.shape[AXES - 2] + y) * p.shape[AXES - 1] + x, value);
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
__global__ void __launch_bounds__(SHARES<W> * ITEMS, RESIDENT)
    rolling_ball(const T* image, const W* heights, const int* spans,
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
__global__ void __launch_bounds__(SHARES<W> * ITEMS, RESIDENT)
    rolling_ball_checked(const T* image, const W* heights, const int* spans,
                                     const __grid_constant__ RollingBall p, i64 first, i64 last, T* result,
                                     u32* odd) {
    roll<T, W, NAN_SAFE>(image, heights, spans, p, first, last, [=](i64 i, W value) {
        result[i] = Stored<T, W>::of(value);
        if (is_beyond<T>((double)value)) atomicOr(odd, 1u);
    });
}
