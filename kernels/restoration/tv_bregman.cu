// Total variation denoising by split Bregman iterations, whose sweeps are of the Gauss-Seidel kind: a pixel
// needs the new values above and left of it and the old ones below and right. So pixels of a diagonal, on
// which row plus column is the same, are independent of each other, and an iteration may follow two diagonals
// behind the one before it. A launch is one moment: a diagonal of each iteration that is under way.
//
//     start  the estimate is the image with a border, the four fields are 0, or what was estimated before
//     sweep  a moment; adds up what each iteration changes
//     ended  the estimate in the image's order
//
// Estimates are kept by moment, so that a sweep reads what the last two have made, and writes its own, and so
// that the host may end with any of the iterations under way. Fields are kept of three moments, in turn, and
// of the last iteration. Elements of a diagonal lie side by side, as many as the shorter side has. A sweep reads
// 14 numbers a pixel and writes 5.
//
// Every operation is rounded as scikit-image's, and in its order; where it adds an integer to a float, C does so
// in double.
//
// Source: scikit-image `restoration/_denoise_cy.pyx`: _denoise_tv_bregman, after T. Goldstein, S. Osher, "The
// split Bregman method for L1 regularized problems", SIAM J. Imaging Sci. 2(2), 2009; L. Lamport, "The parallel
// execution of DO loops", CACM 17(2), 1974.
#include "common/reduce.cuh"
#include "common/rounded.cuh"

constexpr int THREADS = 256;

constexpr int TOGETHER = 16;  // iterations under way
constexpr int LAG = 2;        // diagonals between them
constexpr int FIELDS = 4;

// Diagonals of an image with its border, from 1 on: element `across` of one is the row if there are no more
// rows than columns, else the column.
//   layers: those of the image's channels that are looked at, from `first` on
struct Skew {
    i64 rows, columns, shorter, longer, width;
    i64 right, below;  // how much farther across neighbours are in the next diagonal
    i64 channels, first, layers;
};

// Of estimates: where what is made of a diagonal at a moment begins.
__device__ inline i64 row_of(const Skew& skew, i64 moment, i64 layer, i64 iteration) {
    return (((moment + 1) * skew.layers + layer) * TOGETHER + iteration) * skew.width;
}

template <class W> struct Numbers {
    W weight, lambda, norm;
};

__device__ inline double root(double x) { return __dsqrt_rn(x); }

// last: the iteration with which the fields begin; -1: they are 0
template <class W>
__global__ void __launch_bounds__(THREADS, 1)
    start(const W* image, const __grid_constant__ Skew skew, i64 last, W* images, W* estimates, W* kept) {
    const i64 n = (skew.rows + skew.columns + 2) * skew.width;
    for (i64 layer = blockIdx.y; layer < skew.layers; layer += gridDim.y)
        for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < n; i += (i64)gridDim.x * blockDim.x) {
            const i64 diagonal = i / skew.width, across = i % skew.width, along = diagonal - across;
            if (diagonal == 0 || along < 0 || along > skew.longer + 1) continue;
            const i64 row = skew.below ? across : along, column = skew.below ? along : across;
            const bool ends_y = row == 0 || row > skew.rows, ends_x = column == 0 || column > skew.columns;
            W value = 0;
            if (!(ends_y && ends_x)) {
                const i64 y = row == 0 ? 1 : row > skew.rows ? skew.rows - 1 : row - 1;
                const i64 x = column == 0 ? 1 : column > skew.columns ? skew.columns - 1 : column - 1;
                value = image[(y * skew.columns + x) * skew.channels + skew.first + layer];
            }
            const W before =
                last < 0 ? (W)0 : estimates[row_of(skew, diagonal + LAG * last, layer, last) + across];
            const i64 place = diagonal * skew.layers + layer;
            for (int f = 0; f < FIELDS; ++f) kept[(place * FIELDS + f) * skew.width + across] = before;
            images[place * skew.width + across] = value;
            estimates[row_of(skew, diagonal + LAG * (TOGETHER - 1), layer, TOGETHER - 1) + across] = value;
        }
}

// What is left of a sum of slope and field.
template <class W> __device__ inline W shrunk(W sum, W lambda) {
    const double limit = __ddiv_rn(1.0, (double)lambda);
    if ((double)sum > limit) return (W)__dsub_rn((double)sum, limit);
    if ((double)sum < -limit) return (W)__dadd_rn((double)sum, limit);
    return 0;
}

template <class W> __device__ inline W shrunk_by(W norm, W sum, W lambda) {
    using A = NumpyArithmetic<W>;
    const W by = A::multiply(norm, lambda);
    return (W)__ddiv_rn((double)A::multiply(by, sum), __dadd_rn((double)by, 1.0));
}

// A moment: the diagonal of iteration 0. Iterations from `begin` on, `count` of them, are under way.
//   images:    from the diagonal of the last of these iterations on
//   estimates: of this moment and diagonal, and of the next, before iteration 0
//   kept:      fields of this moment's diagonal before iteration 0
//   earlier:   estimates of the last two moments
//   second, previous: fields of the one before the last moment, and of the last one
//   made, fields: estimates and fields of this moment
//   left:      fields of the last iteration's diagonal after iteration `last`
//   changes:   of each iteration, the sum of squares; 0 before
template <class W, bool ISOTROPIC>
__global__ void __launch_bounds__(THREADS, 1)
    sweep(const W* images, const __grid_constant__ Skew skew, Numbers<W> numbers, i64 moment, i64 begin, i64 count,
          i64 last, const W* estimates, const W* kept, const W* earlier, const W* second, const W* previous, W* made,
          W* fields, W* left, double* changes) {
    using A = NumpyArithmetic<W>;
    __shared__ double sums[THREADS];
    const i64 width = skew.width, row = skew.layers * TOGETHER * width;
    for (i64 layer = blockIdx.z; layer < skew.layers; layer += gridDim.z)
        for (i64 i = begin + blockIdx.y; i < begin + count; i += gridDim.y) {
            const i64 diagonal = moment - LAG * i, ahead = begin + count - 1 - i;
            const i64 most = skew.shorter + 1 < diagonal ? skew.shorter + 1 : diagonal;
            const i64 least = diagonal - skew.longer > 1 ? diagonal - skew.longer - 1 : 0;
            const i64 own = (layer * TOGETHER + i) * width, before_own = own + (i ? -width : (TOGETHER - 1) * width);
            const W* const image = images + (LAG * ahead * skew.layers + layer) * width;
            const W* const old = (i ? earlier : estimates) + before_own;
            const W* const next = old + row;
            const W* const done = earlier + row + own;
            const W* const before = i ? second + FIELDS * before_own : kept + FIELDS * layer * width;
            const W* const beside = previous + FIELDS * own;
            W* const to = fields + FIELDS * own;
            W* const to_left = left + FIELDS * layer * width;
            double sum = 0;
            for (i64 at = least + blockIdx.x * (i64)blockDim.x + threadIdx.x; at <= most;
                 at += (i64)gridDim.x * blockDim.x) {
                const i64 along = diagonal - at, at_left = at - skew.right, above = at - skew.below;
                W estimate = image[at];
                W dx = before[at], dy = before[width + at], bx = before[2 * width + at], by = before[3 * width + at];
                if (at > 0 && at <= skew.shorter && along > 0 && along <= skew.longer) {
                    const W value = old[at], right = next[at + skew.right], below = next[at + skew.below];
                    W all = A::add(below, done[above]);
                    all = A::add(A::add(all, right), done[at_left]);
                    all = A::subtract(A::add(all, beside[at_left]), dx);
                    all = A::subtract(A::add(all, beside[width + above]), dy);
                    all = A::add(A::subtract(all, beside[2 * width + at_left]), bx);
                    all = A::add(A::subtract(all, beside[3 * width + above]), by);
                    const W both = A::add(A::multiply(numbers.lambda, all), A::multiply(numbers.weight, estimate));
                    estimate = A::divide(both, numbers.norm);
                    const W change = A::subtract(estimate, value);
                    sum += (double)A::multiply(change, change);

                    const W to_right = A::subtract(right, value), down = A::subtract(below, value);
                    const W x = A::add(to_right, bx), y = A::add(down, by);
                    if (ISOTROPIC) {
                        const W squares = A::add(A::multiply(x, x), A::multiply(y, y));
                        const W norm = (W)root((double)squares);
                        dx = shrunk_by(norm, x, numbers.lambda);
                        dy = shrunk_by(norm, y, numbers.lambda);
                    } else {
                        dx = shrunk(x, numbers.lambda);
                        dy = shrunk(y, numbers.lambda);
                    }
                    bx = A::add(bx, A::subtract(to_right, dx));
                    by = A::add(by, A::subtract(down, dy));
                }
                made[own + at] = estimate;
                const W values[FIELDS] = {dx, dy, bx, by};
#pragma unroll
                for (int f = 0; f < FIELDS; ++f) {
                    to[f * width + at] = values[f];
                    if (i == last) to_left[f * width + at] = values[f];
                }
            }
            sums[threadIdx.x] = sum;
            block_reduce(sums, blockDim.x, [](double a, double b) { return a + b; });
            if (threadIdx.x == 0) atomicAdd(changes + i, sums[0]);
            __syncthreads();
        }
}

// last: the iteration that is the result
template <class W>
__global__ void __launch_bounds__(THREADS, 1)
    ended(const W* estimates, const __grid_constant__ Skew skew, i64 last, W* result) {
    const i64 pixels = skew.rows * skew.columns;
    for (i64 layer = blockIdx.y; layer < skew.layers; layer += gridDim.y)
        for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < pixels; i += (i64)gridDim.x * blockDim.x) {
            const i64 row = i / skew.columns + 1, column = i % skew.columns + 1;
            const i64 across = skew.below ? row : column;
            result[i * skew.channels + skew.first + layer] =
                estimates[row_of(skew, row + column + LAG * last, layer, last) + across];
        }
}
