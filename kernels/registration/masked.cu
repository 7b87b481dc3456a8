// Correlation of two images under masks, about the Fourier transforms (which are CuPy's).
//
//     masked_signals   images, masks and squares, as six arrays with zeros behind them; those of
//                      the second image turned around
//     masked_products  spectra of the six correlations of which the coefficient is made
//     masked_limits    the largest denominator and the largest overlap
//     masked_peak      the largest coefficient, and where it is: the sum of all such places
//
// Arrays have up to MOST_AXES axes. Images and masks are read twice by the first, in any type;
// each correlation is read by the third and by the fourth, which find the coefficient themselves.
//
// Source: scikit-image `registration._masked_phase_cross_correlation` (D. Padfield, "Masked object
// registration in the Fourier domain", 2012).
#include "common/any_type.cuh"
#include "common/reduce.cuh"
#include "common/rounded.cuh"

constexpr int THREADS = 256, MOST_AXES = 8;
enum Signal { FIXED, FIXED_MASK, FIXED_SQUARES, TURNED, TURNED_MASK, TURNED_SQUARES, SIGNALS };

struct Frame {
    i64 fast[MOST_AXES];   // of the transforms
    i64 fixed[MOST_AXES];  // of the first image; behind its axes all are 1
    i64 turned[MOST_AXES];
    i64 final[MOST_AXES];  // of the correlation
};

// signals: (SIGNALS, fast)
template <class W>
__global__ void masked_signals(const void* fixed, int fixed_type, const bool* fixed_mask, const void* turned,
                               int turned_type, const bool* turned_mask,
                               const __grid_constant__ Frame frame, i64 count, W* signals) {
    const i64 step = (i64)gridDim.x * blockDim.x;
    for (i64 i = (i64)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += step) {
        i64 rest = i, here = 0, there = 0, stride = 1, turned_stride = 1;
        bool inside = true, turned_inside = true;
#pragma unroll
        for (int a = MOST_AXES - 1; a >= 0; --a) {
            const bool divides = frame.fast[a] > 1;
            const i64 x = divides ? rest % frame.fast[a] : 0;
            rest = divides ? rest / frame.fast[a] : rest;
            inside = inside && x < frame.fixed[a];
            turned_inside = turned_inside && x < frame.turned[a];
            here += x * stride;
            there += (frame.turned[a] - 1 - x) * turned_stride;
            stride *= frame.fixed[a];
            turned_stride *= frame.turned[a];
        }
        const bool is_first = inside && fixed_mask[here];
        const bool is_second = turned_inside && turned_mask[there];
        const W a = is_first ? load_any<W, 1>(fixed, fixed_type, here).item[0] : (W)0;
        const W b = is_second ? load_any<W, 1>(turned, turned_type, there).item[0] : (W)0;
        signals[FIXED * count + i] = a;
        signals[FIXED_MASK * count + i] = is_first ? (W)1 : (W)0;
        signals[FIXED_SQUARES * count + i] = a * a;
        signals[TURNED * count + i] = b;
        signals[TURNED_MASK * count + i] = is_second ? (W)1 : (W)0;
        signals[TURNED_SQUARES * count + i] = b * b;
    }
}

template <class W> struct Complex {
    W real, imaginary;
};

template <class W> __device__ inline Complex<W> operator*(const Complex<W>& a, const Complex<W>& b) {
    typedef NumpyArithmetic<W> Do;
    return {Do::subtract(Do::multiply(a.real, b.real), Do::multiply(a.imaginary, b.imaginary)),
            Do::add(Do::multiply(a.real, b.imaginary), Do::multiply(a.imaginary, b.real))};
}

// What correlations are of: of which the overlap, sums of both images, of their products and squares
// are made.
enum Correlation { OVERLAP, FIXED_SUM, TURNED_SUM, PRODUCTS, FIXED_POWER, TURNED_POWER };

// spectra: (SIGNALS, count) complex numbers, in whose place the products come.
template <class W> __global__ void masked_products(W* spectra, i64 count) {
    Complex<W>* const at = (Complex<W>*)spectra;
    const i64 step = (i64)gridDim.x * blockDim.x;
    for (i64 i = (i64)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += step) {
        const Complex<W> fixed = at[FIXED * count + i], mask = at[FIXED_MASK * count + i];
        const Complex<W> squares = at[FIXED_SQUARES * count + i], turned = at[TURNED * count + i];
        const Complex<W> turned_mask = at[TURNED_MASK * count + i];
        const Complex<W> turned_squares = at[TURNED_SQUARES * count + i];
        at[OVERLAP * count + i] = turned_mask * mask;
        at[FIXED_SUM * count + i] = turned_mask * fixed;
        at[TURNED_SUM * count + i] = mask * turned;
        at[PRODUCTS * count + i] = turned * fixed;
        at[FIXED_POWER * count + i] = turned_mask * squares;
        at[TURNED_POWER * count + i] = mask * turned_squares;
    }
}

template <class W> struct Coefficient {
    W overlap, numerator, denominator, power;

    // At index i of arrays of `count` sums, which are `scale` times too large.
    __device__ Coefficient(const W* sums, i64 count, i64 i, W scale, W epsilon) {
        typedef NumpyArithmetic<W> Do;
        overlap = fmax(rint(sums[OVERLAP * count + i] * scale), epsilon);
        const W a = sums[FIXED_SUM * count + i] * scale, b = sums[TURNED_SUM * count + i] * scale;
        numerator = Do::subtract(sums[PRODUCTS * count + i] * scale, Do::divide(Do::multiply(a, b), overlap));
        const W aa = Do::subtract(sums[FIXED_POWER * count + i] * scale, Do::divide(Do::multiply(a, a), overlap));
        const W bb = Do::subtract(sums[TURNED_POWER * count + i] * scale, Do::divide(Do::multiply(b, b), overlap));
        power = sqrt(fabs(sums[FIXED_POWER * count + i] * scale)) * sqrt(fabs(sums[TURNED_POWER * count + i] * scale));
        denominator = sqrt(Do::multiply(fmax(aa, (W)0), fmax(bb, (W)0)));
    }
};

// Where element i of the final correlation is in the arrays of transforms; `places` along the axes.
__device__ inline i64 place_of(i64 i, const Frame& frame, i64 (&places)[MOST_AXES]) {
    i64 place = 0, stride = 1;
#pragma unroll
    for (int a = MOST_AXES - 1; a >= 0; --a) {
        const bool divides = frame.final[a] > 1;
        places[a] = divides ? i % frame.final[a] : 0;
        i = divides ? i / frame.final[a] : i;
        place += places[a] * stride;
        stride *= frame.fast[a];
    }
    return place;
}

struct Most {
    double denominator, overlap, power;
};

// most = {largest denominator, largest overlap, what the largest denominator would be without means} of `final_count` elements.
template <class W>
__global__ void __launch_bounds__(THREADS)
    masked_limits(const W* sums, const __grid_constant__ Frame frame, i64 count, i64 final_count, double scale,
                  double epsilon, double* most, double* partials, u32* arrived) {
    __shared__ Most scratch[THREADS];
    Most mine = {0.0, 0.0, 0.0};
    const i64 step = (i64)gridDim.x * blockDim.x;
    for (i64 i = (i64)blockIdx.x * blockDim.x + threadIdx.x; i < final_count; i += step) {
        i64 places[MOST_AXES];
        const Coefficient<W> at(sums, count, place_of(i, frame, places), (W)scale, (W)epsilon);
        mine.denominator = fmax(mine.denominator, (double)at.denominator);
        mine.overlap = fmax(mine.overlap, (double)at.overlap);
        mine.power = fmax(mine.power, (double)at.power);
    }
    grid_reduce(
        mine, scratch, (Most*)partials, arrived,
        [](const Most& p, const Most& q) {
            return Most{fmax(p.denominator, q.denominator), fmax(p.overlap, q.overlap), fmax(p.power, q.power)};
        },
        [&](const Most& total) { *(Most*)most = total; });
}

// The largest value, how many elements have it, and the sums of their places; the next value below it.
struct Top {
    double value, second;
    i64 count;
    i64 sums[MOST_AXES];
    __device__ static Top together(const Top& p, const Top& q) {
        const bool equal = p.value == q.value;
        Top top = p.value > q.value ? p : q;
        top.second = fmax(fmax(p.second, q.second), equal ? -2.0 : p.value > q.value ? q.value : p.value);
        if (equal) {
            top.count = p.count + q.count;
#pragma unroll
            for (int a = 0; a < MOST_AXES; ++a) top.sums[a] = p.sums[a] + q.sums[a];
        }
        return top;
    }
};

// found = {largest coefficient less the next one, number of elements that have it, sums of their places}
template <class W>
__global__ void __launch_bounds__(THREADS)
    masked_peak(const W* sums, const double* most, const __grid_constant__ Frame frame, i64 count,
                i64 final_count, double scale, double epsilon, double ratio, double* found, double* partials,
                u32* arrived) {
    __shared__ Top scratch[THREADS];
    const W tolerance = (W)1e3 * (W)epsilon * (W)most[0], least = (W)ratio * (W)most[1];
    Top mine = {-2.0, -2.0, 0, {}};
    const i64 step = (i64)gridDim.x * blockDim.x;
    for (i64 i = (i64)blockIdx.x * blockDim.x + threadIdx.x; i < final_count; i += step) {
        Top here = {0.0, -2.0, 1, {}};
        const Coefficient<W> at(sums, count, place_of(i, frame, here.sums), (W)scale, (W)epsilon);
        W value = at.denominator > tolerance ? at.numerator / at.denominator : (W)0;
        value = value < (W)-1 ? (W)-1 : value > (W)1 ? (W)1 : value;
        here.value = at.overlap < least ? 0.0 : (double)value;
        mine = Top::together(mine, here);
    }
    grid_reduce(mine, scratch, (Top*)partials, arrived, Top::together, [&](const Top& top) {
        found[0] = top.value - top.second;
        found[1] = (double)top.count;
#pragma unroll
        for (int a = 0; a < MOST_AXES; ++a) found[2 + a] = (double)top.sums[a];
    });
}
