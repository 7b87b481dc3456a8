// How many points may be inliers of each of many models: what random sample consensus has to know
// of a model before it is worth a closer look.
//
// A residual is computed beside a bound of how far any other order of rounding, with or without fused
// products, can be from it. A point counts where its residual less that bound is not at or above the
// threshold: the count is never less than the number of inliers that NumPy finds. Where no bound can
// be told (numbers that are not finite, or too large to be squared, divisors near zero), the model is
// odd, and the host takes it for one of which all points may be inliers.
//
//   first, second: (points, AXES) in double, the second one for transforms alone
//   models:        (count, NUMBERS) in double
//   rounding:      spacing of 1 in the type in which NumPy computes; tiny, most: absolute bounds, the
//                  error of squares that underflow, and what may still be squared
//   found:         (count, 2): points that may be inliers, and blocks that have met an odd one; 0
//                  before the launch
//
// A block takes GROUP models at a time, whose numbers lie in shared memory, and reads all its points
// once for them. Blocks of any size along x, any grid of two axes: points along x, models along y.
//
// Sources: M. A. Fischler and R. C. Bolles, "Random sample consensus", Communications of the ACM 24,
// 1981; the residuals of skimage/measure/fit.py and skimage/transform/_geometric.py; bounds as N. J.
// Higham, "Accuracy and stability of numerical algorithms", 2002, chapter 3, doubled for two sides and
// then several times larger.
#include "common/types.cuh"

constexpr int GROUP = 8;
constexpr u32 MOST_ROUNDS = 65535;  // of points, which 16 bits count

struct Precision {
    double rounding, tiny, most;
};

// A residual, how far another rounding of it can be, and the largest number on the way.
struct Residual {
    double value, error, largest;
};

// Nothing is known: the comparison with `most` fails.
__device__ inline Residual unknown() { return {0.0, 0.0, __longlong_as_double(0x7ff0000000000000ll)}; }

// Distance from a line: origin, direction of about unit length, or 0.
template <int D> struct Line {
    static constexpr int AXES = D, NUMBERS = 2 * D;
    static constexpr bool PAIRS = false;
    static __device__ Residual residual(const double* p, const double*, const double* model, const Precision& in) {
        double along = 0, length = 0, size = 0, away[D];
#pragma unroll
        for (int k = 0; k < D; ++k) {
            away[k] = p[k] - model[k];
            along += away[k] * model[D + k];
            size += fabs(p[k]) + fabs(model[k]);
            length += fabs(model[D + k]);
        }
        double squares = 0;
#pragma unroll
        for (int k = 0; k < D; ++k) {
            const double rest = away[k] - along * model[D + k];
            squares += rest * rest;
        }
        size *= (1 + length) * (1 + length);
        return {sqrt(squares), 64 * in.rounding * size, size};
    }
};

// Distance from a circle: center and radius.
struct Circle {
    static constexpr int AXES = 2, NUMBERS = 3;
    static constexpr bool PAIRS = false;
    static __device__ Residual residual(const double* p, const double*, const double* model, const Precision& in) {
        const double x = p[0] - model[0], y = p[1] - model[1];
        const double size = fabs(p[0]) + fabs(p[1]) + fabs(model[0]) + fabs(model[1]) + fabs(model[2]);
        return {fabs(model[2] - sqrt(x * x + y * y)), 64 * in.rounding * size, size};
    }
};

// Sum of `n` products, and of their magnitudes.
struct Sum {
    double value, size;
};
template <int N> __device__ inline Sum dot_with_one(const double* row, const double* p) {
    Sum sum = {row[N], fabs(row[N])};
#pragma unroll
    for (int k = 0; k < N; ++k) {
        const double product = row[k] * p[k];
        sum.value += product, sum.size += fabs(product);
    }
    return sum;
}

// Distance between a point that a homogeneous matrix moves, and where it should come to.
template <int D> struct Projective {
    static constexpr int AXES = D, NUMBERS = (D + 1) * (D + 1);
    static constexpr bool PAIRS = true;
    static __device__ Residual residual(const double* p, const double* to, const double* model, const Precision& in) {
        const Sum w = dot_with_one<D>(model + D * (D + 1), p);
        const double off = 16 * in.rounding * w.size, divisor = fabs(w.value);
        if (!(divisor > 2 * off && divisor > 1e-140 && w.size < in.most)) return unknown();
        double squares = 0, error = 0, largest = 0;
#pragma unroll
        for (int k = 0; k < D; ++k) {
            const Sum x = dot_with_one<D>(model + k * (D + 1), p);
            const double at = x.value / w.value, size = fabs(at) + fabs(to[k]);
            const double apart = at - to[k];
            squares += apart * apart;
            error += (16 * in.rounding * x.size + fabs(at) * off) / (divisor - off) + 4 * in.rounding * size;
            largest += x.size + size;
        }
        const double value = sqrt(squares);
        return {value, 2 * error + 16 * in.rounding * value, largest};
    }
};

// Sampson distance of a pair of points from an epipolar geometry.
struct Epipolar {
    static constexpr int AXES = 2, NUMBERS = 9;
    static constexpr bool PAIRS = true;
    static __device__ Residual residual(const double* p, const double* to, const double* model, const Precision& in) {
        Sum line[3], sum = {0, 0};
#pragma unroll
        for (int k = 0; k < 3; ++k) {
            line[k] = dot_with_one<2>(model + 3 * k, p);
            const double by = k < 2 ? to[k < 2 ? k : 0] : 1.0;
            sum.value += by * line[k].value, sum.size += fabs(by) * line[k].size;
        }
        double squares = line[0].value * line[0].value + line[1].value * line[1].value;
        double size = line[0].size + line[1].size;
#pragma unroll
        for (int k = 0; k < 2; ++k) {
            const double column[3] = {model[k], model[3 + k], model[6 + k]};
            const Sum back = dot_with_one<2>(column, to);
            squares += back.value * back.value, size += back.size;
        }
        const double divisor = sqrt(squares), off = 16 * in.rounding * size;
        if (!(divisor > 2 * off && divisor > 1e-140)) return unknown();
        const double value = fabs(sum.value) / divisor;
        const double error = (32 * in.rounding * sum.size + value * off) / (divisor - off);
        return {value, 2 * error + 16 * in.rounding * value, size + sum.size + value};
    }
};

// Distance between a point that polynomials of the second order move, and where it should come to.
struct Polynomial {
    static constexpr int AXES = 2, NUMBERS = 12;
    static constexpr bool PAIRS = true;
    static __device__ Residual residual(const double* p, const double* to, const double* model, const Precision& in) {
        const double terms[5] = {p[0], p[1], p[0] * p[0], p[0] * p[1], p[1] * p[1]};
        double squares = 0, size = fabs(terms[2]) + fabs(terms[4]);
        double bound = 0;
#pragma unroll
        for (int k = 0; k < 2; ++k) {
            const double* const row = model + 6 * k;
            double at = row[0], sizes = fabs(row[0]) + fabs(to[k]);
#pragma unroll
            for (int term = 0; term < 5; ++term) {
                const double product = row[term + 1] * terms[term];
                at += product, sizes += fabs(product);
            }
            const double apart = at - to[k];
            squares += apart * apart, bound += sizes;
        }
        return {sqrt(squares), 64 * in.rounding * bound, size + bound};
    }
};

template <class Model>
__global__ void possible_inliers(const double* first, const double* second, i64 points, const double* models,
                                 i64 count, double threshold, const __grid_constant__ Precision in, i64* found) {
    constexpr int AXES = Model::AXES, NUMBERS = Model::NUMBERS;
    __shared__ double group[GROUP * NUMBERS];
    __shared__ u64 totals[GROUP][2];
    const i64 step = (i64)gridDim.x * blockDim.x;
    const double slack = 4 * in.rounding * fabs(threshold) + in.tiny;
    for (i64 begin = (i64)blockIdx.y * GROUP; begin < count; begin += (i64)gridDim.y * GROUP) {
        const int some = (int)(count - begin < GROUP ? count - begin : GROUP);
        __syncthreads();
        for (int k = threadIdx.x; k < GROUP * NUMBERS; k += blockDim.x)
            group[k] = k < some * NUMBERS ? models[begin * NUMBERS + k] : 0.0;
        for (int k = threadIdx.x; k < 2 * GROUP; k += blockDim.x) totals[k / 2][k % 2] = 0;
        __syncthreads();

        u32 odd = 0;  // a bit for each model
        for (i64 i = (i64)blockIdx.x * blockDim.x + threadIdx.x; i < points;) {
            u64 inliers[2] = {};  // 16 bits for each model
            for (u32 round = 0; round < MOST_ROUNDS && i < points; ++round, i += step) {
                double p[AXES], to[AXES];
#pragma unroll
                for (int k = 0; k < AXES; ++k) {
                    p[k] = first[i * AXES + k];
                    to[k] = Model::PAIRS ? second[i * AXES + k] : 0.0;
                }
#pragma unroll 1
                for (int m = 0; m < some; ++m) {  // unrolled, it would take more registers than there are
                    const Residual r = Model::residual(p, to, group + m * NUMBERS, in);
                    const bool known = r.largest < in.most;
                    const bool may_be = !known || !(r.value - (r.error + slack) >= threshold);
                    const u64 one = (u64)may_be << m % 4 * 16;
                    inliers[0] += m < 4 ? one : 0;
                    inliers[1] += m < 4 ? 0 : one;
                    odd |= (u32)!known << m;
                }
            }
#pragma unroll
            for (int m = 0; m < GROUP; ++m) {
                const u64 count = inliers[m / 4] >> m % 4 * 16 & 0xffffu;
                if (count) atomicAdd(&totals[m][0], count);
            }
        }
#pragma unroll
        for (int m = 0; m < GROUP; ++m)
            if (odd >> m & 1u) atomicMax(&totals[m][1], (u64)1);
        __syncthreads();
        for (int k = threadIdx.x; k < 2 * some; k += blockDim.x) {
            const u64 total = totals[k / 2][k % 2];
            if (total) atomicAdd((u64*)found + 2 * begin + k, total);
        }
    }
}
