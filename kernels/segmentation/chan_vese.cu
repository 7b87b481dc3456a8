// Chan-Vese segmentation of planes: a level set that moves until it moves no more.
//
// What: `prepare` brings the image to [0, 1] and makes the first level set, `step` makes the next one.
// Both add up the image inside and outside of the level set that they have made; the block that comes
// last finds the means that the next step compares with, and whether there is a next one: if not, the
// steps that are launched beyond it return at once.
//
// Images: any dtype, of which the range is known. Level sets, and all that is computed: W, float or double.
// With ENERGY the energy of the level set that a step begins with, too: of regularised sides of the contour.
//
// A launch of `step` reads image and level set once (rows above and below again, from cache), and
// writes a level set. Sums are added in NumPy's order and every operation is rounded as NumPy rounds
// it: level sets are scikit-image's to the last bit; energies but for the arc tangent.
//
// Source: skimage/segmentation/_chan_vese.py, after Getreuer, "Chan-Vese Segmentation", IPOL 2 (2012).
#include "common/pairwise.cuh"
#include "common/range.cuh"
#include "common/rounded.cuh"

template <class T> struct Working { using Value = double; };
template <> struct Working<float> { using Value = float; };
template <> struct Working<float16> { using Value = float; };

// What is added up over all pixels: of the image inside and outside, how many pixels these are, squares
// of how far the level set moved; the first four again of regularised sides; both parts of the energy.
enum { INSIDE, OUTSIDE, PIXELS_INSIDE, PIXELS_OUTSIDE, MOVED, PLAIN, REGULARISED = PLAIN, FIT = PLAIN + 4, LENGTH, ALL };

template <class W, bool ENERGY> struct Sums {
    static constexpr int COUNT = ENERGY ? ALL : PLAIN;
    W of[COUNT];
    __device__ Sums operator+(const Sums& other) const {
        Sums sum;
#pragma unroll
        for (int k = 0; k < COUNT; ++k) sum.of[k] = NumpyArithmetic<W>::add(of[k], other.of[k]);
        return sum;
    }
};

// What is known of the level set that the next step begins with.
//   stopped: whether there is no next step; steps: how many were made
struct Control {
    u32 arrived, stopped, steps;
};

// A plane of this many pixels, and how they are added up.
//   transposed: whether its rows are what scikit-image has as columns
struct Plane {
    i64 rows, columns;
    int depth, halves, transposed;
};

// Numbers of the call, as W has them.
template <class W> struct Weights {
    W mu, lambda1, lambda2, dt, mu_dt;
};

__device__ inline float root(float x) { return __fsqrt_rn(x); }
__device__ inline double root(double x) { return __dsqrt_rn(x); }
__device__ inline float arc_tangent(float x) { return atanf(x); }
__device__ inline double arc_tangent(double x) { return atan(x); }

template <class W> __device__ inline W delta(W level) {
    using A = NumpyArithmetic<W>;
    return A::divide((W)1, A::add((W)1, A::multiply(level, level)));
}

template <class W> __device__ inline W heaviside(W level) {
    using A = NumpyArithmetic<W>;
    return A::multiply((W)0.5, A::add((W)1, A::multiply((W)(2.0 / 3.14159265358979323846), arc_tangent(level))));
}

// Adds to sums[0..3] a pixel of which so much is inside.
template <class W> __device__ inline void add_sides(W* sums, W pixel, W inside) {
    using A = NumpyArithmetic<W>;
    const W outside = A::subtract((W)1, inside);
    sums[INSIDE] = A::add(sums[INSIDE], A::multiply(pixel, inside));
    sums[OUTSIDE] = A::add(sums[OUTSIDE], A::multiply(pixel, outside));
    sums[PIXELS_INSIDE] = A::add(sums[PIXELS_INSIDE], inside);
    sums[PIXELS_OUTSIDE] = A::add(sums[PIXELS_OUTSIDE], outside);
}

template <class W, bool ENERGY> __device__ inline void add_level(Sums<W, ENERGY>& sums, W pixel, W level) {
    add_sides(sums.of, pixel, level > 0 ? (W)1 : (W)0);
    if constexpr (ENERGY) add_sides(sums.of + REGULARISED, pixel, heaviside(level));
}

// means[0] and means[1]: of the image inside and outside.
template <class W> __device__ inline void set_means(const W* sums, W* means) {
#pragma unroll
    for (int side = 0; side < 2; ++side) {
        const W pixels = sums[PIXELS_INSIDE + side];
        means[side] = pixels != 0 ? NumpyArithmetic<W>::divide(sums[INSIDE + side], pixels) : sums[INSIDE + side];
    }
}

// image[i]: a pixel of `pixels` in [0, 1]. level[i]: of the first level set: `kind` 0: given[i], 1: the
// product of rows[y] and columns[x], 2: (radius - distance from the middle) / slope.
//   range: lowest and highest pixel
//   means: two, of regularised sides two more
template <class T, bool ENERGY>
__global__ void prepare(const T* pixels, const typename RangeValue<T>::type* range, Plane plane, int kind,
                        const typename Working<T>::Value* given, const typename Working<T>::Value* rows,
                        const typename Working<T>::Value* columns, double radius, double slope,
                        typename Working<T>::Value* image, typename Working<T>::Value* levels, void* partials,
                        Control* control, typename Working<T>::Value* means) {
    using W = typename Working<T>::Value;
    using A = NumpyArithmetic<W>;
    using Sum = Sums<W, ENERGY>;
    __shared__ Sum sums[PairwiseSum<Sum>::SHARED];
    const W low = (W)range[0], span = A::subtract((W)range[1], low);
    const i64 middle_row = (plane.rows - 1) / 2, middle_column = (plane.columns - 1) / 2;
    const auto add = [&](Sum sum, i64 first, int count, int step) {
        for (i64 i = first; count > 0; --count, i += step) {
            W pixel = A::subtract((W)pixels[i], low);
            if (span != 0) pixel = A::divide(pixel, span);
            image[i] = pixel;
            const i64 y = i / plane.columns, x = i % plane.columns;
            W level;
            if (kind == 0) {
                level = given[i];
            } else if (kind == 1) {
                level = A::multiply(rows[y], columns[x]);
            } else {
                const double down = (double)(y - middle_row), across = (double)(x - middle_column);
                const double squared = __dadd_rn(__dmul_rn(down, down), __dmul_rn(across, across));
                level = (W)__ddiv_rn(__dsub_rn(radius, __dsqrt_rn(squared)), slope);
            }
            levels[i] = level;
            add_level(sum, pixel, level);
        }
        return sum;
    };
    PairwiseSum<Sum>{plane.rows * plane.columns, plane.depth, plane.halves, sums, (Sum*)partials, &control->arrived}
        .run(add, [&](const Sum& total) {
            set_means(total.of, means);
            if constexpr (ENERGY) set_means(total.of + REGULARISED, means + 2);
        });
}

// result[i]: of the next level set.
//   tolerance: a step that moves the level set no farther, on average, is the last
//   energies:  that of `levels` becomes energies[steps - first]
template <class W, bool ENERGY>
__global__ void step(const W* image, const W* levels, Plane plane, Weights<W> weights, double tolerance, u32 first,
                     W* result, void* partials, Control* control, W* means, W* energies) {
    using A = NumpyArithmetic<W>;
    using Sum = Sums<W, ENERGY>;
    __shared__ Sum sums[PairwiseSum<Sum>::SHARED];
    if (control->stopped) return;
    const i64 columns = plane.columns, n = plane.rows * columns;
    const W inside = means[0], outside = means[1], eta = (W)1e-16;
    const auto squared = [](W x) { return A::multiply(x, x); };
    const auto add = [&](Sum sum, i64 begin, int count, int stride) {
        i64 x = begin % columns;
        for (i64 i = begin; count > 0; --count, i += stride) {
            const W pixel = image[i], level = levels[i], dirac = delta(level);
            const W next_column = x + 1 < columns ? levels[i + 1] : level;
            const W last_column = x > 0 ? levels[i - 1] : level;
            const W next_row = i + columns < n ? levels[i + columns] : level;
            const W last_row = i >= columns ? levels[i - columns] : level;
            const bool turned = plane.transposed;
            const W right = turned ? next_row : next_column, left = turned ? last_row : last_column;
            const W below = turned ? next_column : next_row, above = turned ? last_column : last_row;
            const W half_across = A::multiply(A::subtract(right, left), (W)0.5);
            const W half_down = A::multiply(A::subtract(below, above), (W)0.5);
            const W across = squared(half_across), down = squared(half_down);
            const auto inverse = [&](W a, W b) { return A::divide((W)1, root(A::add(A::add(eta, a), b))); };
            const W c1 = inverse(squared(A::subtract(right, level)), down);
            const W c2 = inverse(squared(A::subtract(level, left)), down);
            const W c3 = inverse(across, squared(A::subtract(below, level)));
            const W c4 = inverse(across, squared(A::subtract(level, above)));
            const W curvature = A::add(A::add(A::add(A::multiply(right, c1), A::multiply(left, c2)),
                                              A::multiply(below, c3)), A::multiply(above, c4));
            const W fit = A::add(A::multiply(-weights.lambda1, squared(A::subtract(pixel, inside))),
                                 A::multiply(weights.lambda2, squared(A::subtract(pixel, outside))));
            const W force = A::add(A::multiply(weights.mu, curvature), fit);
            const W moved = A::add(level, A::multiply(A::multiply(weights.dt, dirac), force));
            const W all = A::add(A::add(A::add(c1, c2), c3), c4);
            const W next = A::divide(moved, A::add((W)1, A::multiply(A::multiply(weights.mu_dt, dirac), all)));
            result[i] = next;
            add_level(sum, pixel, next);
            sum.of[MOVED] = A::add(sum.of[MOVED], squared(A::subtract(next, level)));
            if constexpr (ENERGY) {
                const W share = heaviside(level);
                const W a = A::multiply(A::multiply(weights.lambda1, squared(A::subtract(pixel, means[2]))), share);
                const W b = A::multiply(A::multiply(weights.lambda2, squared(A::subtract(pixel, means[3]))),
                                        A::subtract((W)1, share));
                sum.of[FIT] = A::add(sum.of[FIT], A::add(a, b));
                sum.of[LENGTH] = A::add(sum.of[LENGTH], A::multiply(A::multiply(weights.mu, dirac), root(A::add(across, down))));
            }
            x += stride;
            while (x >= columns) x -= columns;
        }
        return sum;
    };
    PairwiseSum<Sum>{n, plane.depth, plane.halves, sums, (Sum*)partials, &control->arrived}
        .run(add, [&](const Sum& total) {
            set_means(total.of, means);
            if constexpr (ENERGY) {
                set_means(total.of + REGULARISED, means + 2);
                energies[control->steps - first] = A::add(total.of[FIT], total.of[LENGTH]);
            }
            const W mean = (W)__ddiv_rn((double)total.of[MOVED], (double)n);
            control->steps += 1;
            control->stopped = !((double)root(mean) > tolerance);
        });
}
