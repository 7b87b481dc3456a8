// What a snake is drawn by: the energy of an image, the spline through it, the spline's derivatives.
//
// What, in launches:
//
//     snake_energy       w_line * brightness + w_edge * Sobel's edges, of each pixel
//     snake_spline       coefficients of the quadratic spline: along rows, down columns and up
//                        again, back along rows
//     snake_derivatives  coefficients of both first derivatives, columns first, as FITPACK has them
//
// A spline through all elements of a line is the solution of a system with three diagonals (four
// at its ends), which FITPACK brings into triangular form by Givens' rotations and solves from
// the end. The rotations depend on the length of a line alone; they come from the host. A block
// owns some lines, of which a piece lies in shared memory; a thread goes along a line:
//
//     1. a piece of all lines into shared memory
//     2. a thread for each line: its rows are rotated into the triangle, or solved
//     3. the piece is written
//
// All sums are scikit-image's, SciPy's and FITPACK's, in their order and with their roundings: steps
// of a snake that does not come to rest magnify the last bit of any of them.
//
// Image: bool, (u)int8..64, float16/32/64, with channels last. Everything else is double. A launch
// reads each element once (the image of `snake_energy` nine times, from cache) and writes it once;
// down columns and up again they are read and written twice.
//
// Source: scikit-image `active_contour`, `sobel`; FITPACK's fpgrre, fpgivs, fprota, fpback, pardtc;
// P. Dierckx, "A fast algorithm for smoothing data on a rectangular grid while using spline
// functions", SIAM Journal on Numerical Analysis 19, 1982.
#include "common/tile.cuh"

// What becomes of an image; W is the type in which scikit-image computes.
template <class W> struct Weights {
    W line, edge;
    i64 rows, columns, channels;
    int with_edges;  // of the first three channels, or of the only one
};

// SciPy's `convolve` of a difference down rows, smoothed along them, and the other way round: it
// sums in double, by rows, and stores W.
template <class T, class W>
__device__ inline W sobel_edge(const T* image, const Weights<W>& how, i64 y, i64 x, i64 channel) {
    const i64 above = y > 0 ? y - 1 : 0, below = y + 1 < how.rows ? y + 1 : y;
    const i64 before = x > 0 ? x - 1 : 0, behind = x + 1 < how.columns ? x + 1 : x;
    const auto at = [&](i64 row, i64 column) {
        return (double)img_as_float<W>(image[(row * how.columns + column) * how.channels + channel]);
    };
    const double a = at(above, before), b = at(above, x), c = at(above, behind);
    const double d = at(y, before), e = at(y, behind);
    const double f = at(below, before), g = at(below, x), h = at(below, behind);
    double down = 0, along = 0;
    down = plus_product(plus_product(plus_product(down, -0.25, a), -0.5, b), -0.25, c);
    down = plus_product(plus_product(plus_product(down, 0.25, f), 0.5, g), 0.25, h);
    along = plus_product(plus_product(plus_product(along, -0.25, a), 0.25, c), -0.5, d);
    along = plus_product(plus_product(plus_product(along, 0.5, e), -0.25, f), 0.25, h);
    const W first = (W)down, second = (W)along;
    const W sum = rounded_product(first, first) + rounded_product(second, second);
    return sqrt(sum) / (W)1.41421356237309504880;
}

template <class T>
__global__ void snake_energy(const T* image, double* energy,
                             const __grid_constant__ Weights<typename Working<T>::type> how) {
    typedef typename Working<T>::type W;
    const i64 n = how.rows * how.columns;
    const i64 stride = (i64)gridDim.x * blockDim.x;
    for (i64 i = (i64)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        const i64 y = i / how.columns, x = i - y * how.columns;
        W bright = img_as_float<W>(image[i * how.channels]), edges = 0;
        for (i64 c = 1; c < how.channels; ++c) bright += img_as_float<W>(image[i * how.channels + c]);
        if (how.with_edges) {
            edges = sobel_edge<T, W>(image, how, y, x, 0);
            for (i64 c = 1; c < 3 && how.channels > 1; ++c) edges += sobel_edge<T, W>(image, how, y, x, c);
        }
        energy[i] = (double)(W)(rounded_product(how.line, bright) + rounded_product(how.edge, edges));
    }
}

constexpr int LINES = 16;  // of a block
constexpr int WIDTH = 64;  // elements of a piece
constexpr int PITCH = WIDTH + 1;
constexpr int KNOWN = 3;  // numbers of each line that the next piece takes up

// A row of the system after all rotations: what is on its diagonal and right of it.
struct Row {
    double diagonal, next, second;
};
// Rotations of a row: cosines and sines. Where a sine is 0, FITPACK rotates nothing.
struct Rotations {
    double cosine[3], sine[3];
};

struct Lines {
    i64 count, length;
    i64 apart, step;  // elements from a line to the next one, and from one of its own to the next
};

// Elements [begin, begin + width) of `lines` lines from `first` on, between memory and the piece.
// All threads of a block, which share `piece`; a barrier must follow.
template <class Move>
__device__ inline void for_piece(const Lines& lines, i64 first, int many, int width, Move move) {
    const bool along = lines.step == 1;  // neighbouring threads take neighbouring elements
    for (int i = threadIdx.x; i < many * width; i += blockDim.x) {
        const int l = along ? i / width : i % many, p = along ? i % width : i / many;
        move(l, p, (first + l) * lines.apart);
    }
}

// Rotates elements of a line into the triangle, from number `begin` on; what has become of element
// i is in the place of element i + 2. One thread.
__device__ inline void eliminate(double* line, double* known, const Rotations* rotations, i64 begin, int width,
                                 i64 length) {
    double q0 = known[0], q1 = known[1], q2 = known[2];
#pragma unroll 1
    for (int p = 0; p < width; ++p) {
        const i64 row = begin + p;
        double made = 0;
        if (row > 1 && row != length - 1) {  // the first unknown is not in this row, nor in later ones
            made = q0;
            q0 = q1;
            q1 = q2;
            q2 = 0;
        }
        if (row < length) {
            const Rotations turn = rotations[row];
            double right = line[p];
            const auto rotate = [&](double cosine, double sine, double& q) {
                if (sine == 0) return;
                const double before = right, there = q;
                q = plus_product(rounded_product(cosine, there), sine, before);
                right = plus_product(rounded_product(cosine, before), -sine, there);
            };
            rotate(turn.cosine[0], turn.sine[0], q0);
            rotate(turn.cosine[1], turn.sine[1], q1);
            rotate(turn.cosine[2], turn.sine[2], q2);
        }
        if (row == length - 1) {  // all rows are in the triangle: what is left comes one by one
            made = q0;
            q0 = q1;
            q1 = q2;
        }
        line[p] = made;
    }
    known[0] = q0, known[1] = q1, known[2] = q2;
}

// Solves rows begin + width - 1 to begin. One thread.
__device__ inline void solve(double* line, double* known, const Row* triangle, i64 begin, int width, i64 length) {
    double next = known[0], second = known[1];
#pragma unroll 1
    for (int p = width - 1; p >= 0; --p) {
        const i64 i = begin + p;
        const Row row = triangle[i];
        double left = line[p];
        if (i + 1 < length) left = plus_product(left, -next, row.next);
        if (i + 2 < length) left = plus_product(left, -second, row.second);
        second = next;
        line[p] = next = left / row.diagonal;
    }
    known[0] = next, known[1] = second;
}

// FORTH: `from` is rotated into the triangle, and BACK: solved; `into` receives it. Lines have at least
// three elements.
template <bool FORTH, bool BACK>
__global__ void __launch_bounds__(128, 8)
    snake_spline(const double* from, double* into, const __grid_constant__ Lines lines,
                 const Rotations* rotations, const Row* triangle) {
    __shared__ double piece[LINES * PITCH];
    __shared__ double known[LINES * KNOWN];
    for (i64 first = (i64)blockIdx.x * LINES; first < lines.count; first += (i64)gridDim.x * LINES) {
        const int many = lines.count - first < LINES ? (int)(lines.count - first) : LINES;
        if (FORTH) {
            const i64 rows = lines.length + 2;  // the last elements come two later
            for (int i = threadIdx.x; i < LINES * KNOWN; i += blockDim.x) known[i] = 0;
            for (i64 begin = 0; begin < rows; begin += WIDTH) {
                const int width = rows - begin < WIDTH ? (int)(rows - begin) : WIDTH;
                // 1
                for_piece(lines, first, many, width, [&](int l, int p, i64 line) {
                    if (begin + p < lines.length) piece[l * PITCH + p] = from[line + (begin + p) * lines.step];
                });
                __syncthreads();
                // 2
                for (int l = threadIdx.x; l < many; l += blockDim.x)
                    eliminate(piece + l * PITCH, known + l * KNOWN, rotations, begin, width, lines.length);
                __syncthreads();
                // 3
                for_piece(lines, first, many, width, [&](int l, int p, i64 line) {
                    if (begin + p > 1) into[line + (begin + p - 2) * lines.step] = piece[l * PITCH + p];
                });
                __syncthreads();
            }
        }
        if (BACK) {
            const double* const source = FORTH ? into : from;
            for (i64 begin = (lines.length - 1) / WIDTH * WIDTH; begin >= 0; begin -= WIDTH) {
                const int width = lines.length - begin < WIDTH ? (int)(lines.length - begin) : WIDTH;
                // 1
                for_piece(lines, first, many, width, [&](int l, int p, i64 line) {
                    piece[l * PITCH + p] = source[line + (begin + p) * lines.step];
                });
                __syncthreads();
                // 2
                for (int l = threadIdx.x; l < many; l += blockDim.x)
                    solve(piece + l * PITCH, known + l * KNOWN, triangle, begin, width, lines.length);
                __syncthreads();
                // 3
                for_piece(lines, first, many, width, [&](int l, int p, i64 line) {
                    into[line + (begin + p) * lines.step] = piece[l * PITCH + p];
                });
                __syncthreads();
            }
        }
    }
}

// Distance of the knots that a derivative's coefficient i lies between, in a line of n elements: the
// knots are halfway between elements, three at each end.
__device__ inline double between_knots(i64 i, i64 n) {
    const auto knot = [n](i64 k) { return k < 3 ? 0.0 : k < n ? (double)k - 1.5 : (double)(n - 1); };
    return knot(i + 3) - knot(i + 1);
}

constexpr int SIDE = 32;  // of a tile

// Coefficients of the derivatives along rows, of (columns - 1, rows), and down columns, of
// (columns, rows - 1).
__global__ void __launch_bounds__(256)
    snake_derivatives(const double* coefficients, double* along, double* down, i64 rows, i64 columns) {
    __shared__ double tile[(SIDE + 1) * (SIDE + 2)];
    const i64 across = (columns + SIDE - 1) / SIDE, tiles = (rows + SIDE - 1) / SIDE * across;
    for (i64 item = blockIdx.x; item < tiles; item += gridDim.x) {
        const i64 y0 = item / across * SIDE, x0 = item % across * SIDE;
        for (int i = threadIdx.x; i < (SIDE + 1) * (SIDE + 1); i += blockDim.x) {
            const int r = i / (SIDE + 1), c = i % (SIDE + 1);
            if (y0 + r < rows && x0 + c < columns)
                tile[r * (SIDE + 2) + c] = coefficients[(y0 + r) * columns + x0 + c];
        }
        __syncthreads();
        for (int i = threadIdx.x; i < SIDE * SIDE; i += blockDim.x) {
            const int r = i % SIDE, c = i / SIDE;  // neighbouring threads write neighbouring rows
            const i64 y = y0 + r, x = x0 + c;
            if (y >= rows || x >= columns) continue;
            const double* const here = tile + r * (SIDE + 2) + c;
            if (x + 1 < columns) along[x * rows + y] = (here[1] - here[0]) * 2 / between_knots(x, columns);
            if (y + 1 < rows)
                down[x * (rows - 1) + y] = (here[SIDE + 2] - here[0]) * 2 / between_knots(y, rows);
        }
        __syncthreads();  // before the next tile is loaded
    }
}
