// Random walker: how probably a walker from each pixel comes to the seeds of each label first.
//
// What: a graph whose nodes are pixels and whose edges lead to the next pixel along each axis. `moment` finds
// the deviation of the image, `weigh` the edges' weights; `note` and `prune` take pixels out of the
// graph that no walker comes to a seed from. The linear systems, one for each label, are solved by conjugate
// gradients: `begin`, then `direct` and `advance` for each iteration; `assign` makes labels.
//
// Pixels have codes: above 0 the label of a seed, 0 where it is wanted, below 0 those that are not in the graph.
// Weights: of the edge that leads on from a pixel, a plane of them for each axis, 0 where there is none. A
// label's numbers (x, r, p) are a double for each pixel, 0 but where its label is wanted. The matrix is
// nowhere: a launch makes what it needs of it from the weights.
//
// One iteration is two launches for all labels together (blockIdx.y). `direct` reads r and p and writes the
// next p, `advance` reads p, r and x and writes r and x; both read the weights. Sums over pixels are
// added in an order that depends on the grid alone; the block that comes last makes of them what the next
// launch needs, and tells whether there is another one: launches for a label that is solved return at once.
//
// Source: skimage/segmentation/random_walker_segmentation.py (Grady, PAMI 28(11), 2006) and `cg` of
// scipy/sparse/linalg/_isolve/iterative.py: the same method from the same start, so that both end after as
// many iterations.
#include "common/pairwise.cuh"
#include "common/range.cuh"
#include "common/rounded.cuh"
#include "common/system_products.cuh"

// The type that scikit-image computes gray values in.
template <class T> struct Working { using Value = double; };
template <> struct Working<float> { using Value = float; };
template <> struct Working<float16> { using Value = float; };

template <class W> struct Sum {
    W value;
    __device__ Sum operator+(const Sum& other) const { return {NumpyArithmetic<W>::add(value, other.value)}; }
};

__device__ inline float root(float x) { return __fsqrt_rn(x); }
__device__ inline double root(double x) { return __dsqrt_rn(x); }

// result[0]: the mean of all numbers; where there is a mean, how far they are from it (numpy.std).
template <class T>
__global__ void moment(const T* data, i64 n, int depth, int halves, const typename Working<T>::Value* mean,
                       void* partials, u32* arrived, typename Working<T>::Value* result) {
    using W = typename Working<T>::Value;
    using A = NumpyArithmetic<W>;
    __shared__ Sum<W> sums[PairwiseSum<Sum<W>>::SHARED];
    const W middle = mean ? *mean : (W)0;
    const auto add = [&](Sum<W> sum, i64 first, int count, int step) {
        for (i64 i = first; count > 0; --count, i += step) {
            W value = img_as_float<W>(data[i]);
            if (mean) {
                value = A::subtract(value, middle);
                value = A::multiply(value, value);
            }
            sum.value = A::add(sum.value, value);
        }
        return sum;
    };
    PairwiseSum<Sum<W>>{n, depth, halves, sums, (Sum<W>*)partials, arrived}.run(add, [&](const Sum<W>& total) {
        const W average = (W)__ddiv_rn((double)total.value, (double)n);
        result[0] = mean ? root(average) : average;
    });
}

// seen: for each component of the graph 1 where it has a pixel whose label is wanted, and 1 where a seed.
// components: their numbers, from 1 on; 0 is not in the graph
template <class Index>
__global__ void note(const int* codes, const Index* components, i64 n, u8* seen) {
    for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < n; i += (i64)gridDim.x * blockDim.x)
        if (codes[i] >= 0) seen[2 * (i64)components[i] + (codes[i] > 0)] = 1;
}

// A volume, or a plane: lengths, and how far the next pixel along each axis is.
struct Extent {
    i64 pixels, lengths[3], strides[3];
};

constexpr int FORGOTTEN = -2147483647 - 1;  // a pixel whose label was wanted, but no seed is near

// Codes of pixels from which no walker comes to a seed become FORGOTTEN.
//   alone: 1 where a seed has no neighbour in the graph
template <class Index>
__global__ void prune(int* codes, const Index* components, Extent image, const u8* seen, u32* alone) {
    for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < image.pixels; i += (i64)gridDim.x * blockDim.x) {
        const Index own = components[i];
        if (own == 0) continue;
        if (codes[i] == 0 && !seen[2 * (i64)own + 1]) codes[i] = FORGOTTEN;
        bool is_alone = true;
#pragma unroll
        for (int a = 0; a < 3; ++a) {
            const i64 at = i / image.strides[a] % image.lengths[a];
            if (at > 0 && components[i - image.strides[a]]) is_alone = false;
            if (at + 1 < image.lengths[a] && components[i + image.strides[a]]) is_alone = false;
        }
        if (is_alone && codes[i] > 0) *alone = 1;
    }
}

// Where data lies: distances of neighbours along each axis, and of channels.
struct Layout {
    i64 strides[3], channel, channels;
};

struct Scale {
    double spacing[3], factor;  // of squared slopes in the exponent
};

// weights[a * pixels + i]: of the edge from pixel i to the next one along axis a, of the last AXES.
template <class T, int AXES>
__global__ void weigh(const T* data, Layout layout, const int* codes, Extent image, Scale scale, double* weights) {
    using W = typename Working<T>::Value;
    for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < image.pixels; i += (i64)gridDim.x * blockDim.x) {
        i64 place = 0;
#pragma unroll
        for (int a = 0; a < 3; ++a) place += i / image.strides[a] % image.lengths[a] * layout.strides[a];
        const bool is_in = codes[i] >= 0;
#pragma unroll
        for (int a = 3 - AXES; a < 3; ++a) {
            double weight = 0;
            const bool has_next = i / image.strides[a] % image.lengths[a] + 1 < image.lengths[a];
            if (is_in && has_next && codes[i + image.strides[a]] >= 0) {
                double squares = 0;
                for (i64 c = 0; c < layout.channels; ++c) {
                    const T* const here = data + place + c * layout.channel;
                    const W rise = NumpyArithmetic<W>::subtract(img_as_float<W>(here[layout.strides[a]]),
                                                                img_as_float<W>(here[0]));
                    const double slope = __ddiv_rn((double)rise, scale.spacing[a]);
                    squares = __dadd_rn(squares, __dmul_rn(slope, slope));
                }
                weight = __dadd_rn(exp(__dmul_rn(scale.factor, squares)), 1e-10);
            }
            weights[(a - (3 - AXES)) * image.pixels + i] = weight;
        }
    }
}

// How far the system of one label is solved.
//   limit: |r| of the solution; most: iterations at most; wanted: unknowns
struct Solving {
    double rho, beta, alpha, limit;
    i64 iterations, most, wanted;
    u32 arrived, stopped;

    // Whether |r| is small enough, or never will be: weights, or their squares, are not finite.
    __device__ bool is_over(double left) const { return !(left >= limit) || !isfinite(limit) || !isfinite(rho); }
};

// visit(weight, neighbour) of each edge of pixel i; the neighbour may be any pixel where the weight is 0.
template <int AXES, class Visit>
__device__ inline void each_edge(const double* weights, const Extent& image, i64 i, const Visit& visit) {
#pragma unroll
    for (int a = 0; a < AXES; ++a) {
        const i64 stride = image.strides[3 - AXES + a];
        const double* const along = weights + a * image.pixels;
        if (i >= stride) visit(along[i - stride], i - stride);
        if (i + stride < image.pixels) visit(along[i], i + stride);
    }
}

// The graph's Laplacian times a direction, at pixel i, where the direction is `own`; elsewhere at(pixel).
template <int AXES, class At>
__device__ inline double laplacian(const double* weights, const Extent& image, i64 i, double own, const At& at) {
    double diagonal = 0, others = 0;
    each_edge<AXES>(weights, image, i, [&](double weight, i64 neighbour) {
        diagonal += weight;
        others += weight * at(neighbour);
    });
    return diagonal * own - others;
}

// r: the right side of each label; x and p: 0; inverse: of the diagonal (without `jacobi` 1), for the pixels
// whose label is wanted, else 0.
template <int AXES>
__global__ void begin(const int* codes, const double* weights, Extent image, bool jacobi, double tolerance, i64 most,
                      double* x, double* r, double* p, double* inverse, void* partials, Solving* all) {
    __shared__ Products scratch[256];
    const i64 first = blockIdx.y * image.pixels;
    const int label = (int)blockIdx.y + 1;
    Products mine = {};
    for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < image.pixels; i += (i64)gridDim.x * blockDim.x) {
        double side = 0, diagonal = 0, inverted = 0;
        if (codes[i] == 0) {
            each_edge<AXES>(weights, image, i, [&](double weight, i64 neighbour) {
                diagonal += weight;
                if (codes[neighbour] == label) side += weight;
            });
            inverted = jacobi ? 1 / diagonal : 1;
            if (!isfinite(diagonal)) inverted = diagonal - diagonal;  // NaN, as rho is then
            mine.first += side * (side * inverted);
            mine.second += side * side;
            mine.count += 1;
        }
        x[first + i] = p[first + i] = 0;
        r[first + i] = side;
        if (label == 1) inverse[i] = inverted;
    }
    Solving& solving = all[blockIdx.y];
    reduce(mine, scratch, partials, solving, [&](const Products& total) {
        const double norm = sqrt(total.second);
        solving.rho = total.first;
        solving.limit = tolerance * norm;
        solving.wanted = (i64)total.count;
        solving.most = most < 0 ? 10 * solving.wanted : most;
        solving.stopped = norm == 0 || solving.is_over(norm) || solving.most == 0;
    });
}

// next = r * inverse + beta * p, the next direction of each label; alpha, how far to go.
template <int AXES>
__global__ void direct(const double* weights, const double* inverse, Extent image, const double* r, const double* p,
                       double* next, void* partials, Solving* all) {
    __shared__ Products scratch[256];
    Solving& solving = all[blockIdx.y];
    if (solving.stopped) return;
    const i64 first = blockIdx.y * image.pixels;
    const double beta = solving.beta;
    const double *const residual = r + first, *const before = p + first;
    const auto direction = [&](i64 i) { return beta * before[i] + residual[i] * inverse[i]; };
    Products mine = {};
    for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < image.pixels; i += (i64)gridDim.x * blockDim.x) {
        double own = 0;
        if (inverse[i] != 0) {
            own = direction(i);
            mine.first += own * laplacian<AXES>(weights, image, i, own, direction);
        }
        next[first + i] = own;
    }
    reduce(mine, scratch, partials, solving, [&](const Products& total) { solving.alpha = solving.rho / total.first; });
}

// A step along p: x and r of each label; beta, what the next direction keeps of this one.
template <int AXES>
__global__ void advance(const double* weights, const double* inverse, Extent image, const double* p, double* x,
                        double* r, void* partials, Solving* all) {
    __shared__ Products scratch[256];
    Solving& solving = all[blockIdx.y];
    if (solving.stopped) return;
    const i64 first = blockIdx.y * image.pixels;
    const double alpha = solving.alpha;
    const double* const direction = p + first;
    Products mine = {};
    for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < image.pixels; i += (i64)gridDim.x * blockDim.x) {
        if (inverse[i] == 0) continue;
        const double own = direction[i];
        const double step = laplacian<AXES>(weights, image, i, own, [&](i64 other) { return direction[other]; });
        const double left = r[first + i] - alpha * step;
        r[first + i] = left;
        x[first + i] += alpha * own;
        mine.first += left * (left * inverse[i]);
        mine.second += left * left;
    }
    reduce(mine, scratch, partials, solving, [&](const Products& total) {
        solving.beta = total.first / solving.rho;
        solving.rho = total.first;
        solving.iterations += 1;
        solving.stopped = solving.is_over(sqrt(total.second)) || solving.iterations >= solving.most;
    });
}

// What the probabilities are: the least and the largest, and the largest difference of their sum from 1.
struct Judged {
    double low, high, off;
};

struct CombineJudged {
    __device__ Judged operator()(const Judged& a, const Judged& b) const {
        const Range<double> both = CombineRanges()(Range<double>{a.low, a.high}, Range<double>{b.low, b.high});
        return {both.low, both.high, a.off > b.off ? a.off : b.off};
    }
};

// result[i]: the code, or the label of the largest probability. Without a result, seeds get the probability
// 1 of their label in x.
template <class T>
__global__ void assign(const int* codes, i64 n, int labels, double* x, T* result, void* partials, u32* arrived,
                       Judged* judged) {
    __shared__ Judged scratch[256];
    constexpr double MOST = 1.7976931348623157e308;
    Judged mine = {MOST, -MOST, 0};
    for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < n; i += (i64)gridDim.x * blockDim.x) {
        const int code = codes[i];
        int label = code == FORGOTTEN ? 0 : code;
        if (code == 0) {
            double largest = 0, sum = 0;
            for (int k = 0; k < labels; ++k) {
                const double value = x[k * n + i];
                mine = CombineJudged()(mine, Judged{value, value, 0});
                sum += value;
                if (k == 0 || value > largest) {
                    largest = value;
                    label = k + 1;
                }
            }
            const double off = sum < 1 ? 1 - sum : sum - 1;
            mine.off = off > mine.off ? off : mine.off;
        } else if (code > 0 && !result) {
            x[(code - 1) * n + i] = 1;
        }
        if (result) result[i] = (T)label;
    }
    grid_reduce(mine, scratch, (Judged*)partials, arrived, CombineJudged(), [&](const Judged& total) { *judged = total; });
}
