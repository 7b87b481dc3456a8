// Ridge filters: Meijering's, Sato's and Frangi's, of 2-D and 3-D images, scale by scale.
//
// What: the elements of the Hessian by derivatives of a Gaussian, each of them two passes of
// first derivatives; its eigenvalues; a filter of these; the largest value over the scales.
//
//     hessian_lines  one axis after the other: derivatives along it, a stack of arrays to a
//                    stack of arrays (2-D: the image to 3; 3-D: the image to 3, these to 6)
//     ridge_lines    the last axis, whose results do not leave the chip: they go through
//                    eigenvalues and filter into the running maximum; sato_lines: Sato's, of 8 bits,
//                    with eigenvalues in two floats where cards are slow in double
//     ridge_fold     what needs the largest value of a whole scale: Meijering's last scale,
//                    Frangi's first one where gamma is half of the largest norm
//
// Image: bool, (u)int8..64, float16/32/64. Derivatives between the axes are double, of any image: they
// are small beside what they are derivatives of; so are sums, or of floats two floats. Planes of 8 bits have whole
// numbers in all of these where cards are slow in double, but for Frangi's filter, which divides by eigenvalues,
// or by 1e-10: there all digits count. Where Meijering's has two values of equal size and opposite sign the larger
// one counts, and what is not known well enough for that is told. Results are float for float16 and float32
// images, else double; so is what is made of eigenvalues of planes. Two launches a scale in 2-D, three in 3-D, and
// at most one more. For each scale of a 2-D image: the image is read, three arrays are written and read, the result
// is read and written (Meijering: one array more); 3-D: three, then six arrays.
//
// Axes follow each other as in SciPy, the first one first: of a large number, a little of it
// is lost where SciPy rounds the smoothed image to single precision, and the same is lost here.
//
// Source: scikit-image filters/ridges.py (E. Meijering et al. 2004, Y. Sato et al. 1998,
// A. F. Frangi et al. 1998, C. C. Ng et al. 2014), feature/corner.py, SciPy
// `ndimage.gaussian_filter`.
#include "common/reduce.cuh"
#include "filters/ridge_formulas.cuh"
#include "filters/ridge_lines.cuh"

// Single precision where an image or a result is: SciPy rounds to it between two filters. What
// it leaves of large numbers is large beside slopes. Else what holds a derivative.
template <class T, class O> struct Rounded { typedef float type; };
template <> struct Rounded<double, double> { typedef double type; };
template <> struct Rounded<double, Fixed> { typedef Fixed type; };
template <> struct Rounded<Fixed, double> { typedef Fixed type; };

// Elements are taken times `scale`, and no less than `lowest`; `odd` becomes 1 where one is not finite.
template <class T> struct LineElements {
    double scale, lowest;
    u32* odd;

    __device__ void operator()(T element, double& number) const {
        number = scale * (double)(typename Working<T>::type)element;
        if (!isfinite(number)) *odd = 1;
        if (number < lowest) number = lowest;
    }
    // integers of 8 bits, and floats, are not scaled but by 1 and -1
    __device__ void operator()(T element, int& number) const { number = scale < 0 ? -(int)element : (int)element; }
    __device__ void operator()(T element, float& number) const {
        number = scale < 0 ? -(float)element : (float)element;
        if (!isfinite(number)) *odd = 1;
    }
    __device__ void operator()(T element, TwoFloats& number) const {
        number = TwoFloats((typename Working<T>::type)element);
        if (scale < 0) number = TwoFloats(-number.high, -number.low);
        if (!isfinite(number.high)) *odd = 1;
    }
};

// What hessian_lines has written.
struct LineSlopes {
    __device__ void operator()(double element, double& number) const { number = element; }
    __device__ void operator()(double element, TwoFloats& number) const { number = TwoFloats(element); }
    __device__ void operator()(const Fixed& element, Fixed& number) const { number = element; }
};

// results: a stack of one array for each job. O: type of the results.
template <class T, class O = double>
__global__ void __launch_bounds__(256, RESIDENT)
    hessian_lines(const T* sources, O* results, u32* odd, i64 outer, i64 length, i64 inner,
                  int mode, int lines, int width, double scale, double lowest,
                  const __grid_constant__ LineJobs jobs, const __grid_constant__ LineTaps taps) {
    typedef typename Rounded<typename Working<T>::type, O>::type Once;
    DYN_SHARED(double, shared);
    const LineView view = {outer, length, inner, mode, lines, width};
    const i64 size = outer * length * inner;
    const LineElements<T> convert = {scale, lowest, odd};
    for_lines<Once>(shared, sources, view, jobs, taps, convert,
                    [&](i64 place, const typename LinesOf<Once, T>::Made* values, int step) {
                        for (int j = 0; j < jobs.count; ++j) results[j * size + place] = (O)values[j * step];
                    });
}

// Larger of two values that are positive, or NaN, by their bits: NaN is the largest.
__device__ inline u64 bits_of_size(double value) { return bits_of(fabs(value)); }

// Twice the square of half the largest norm, as scikit-image has gamma by default.
template <class W> __device__ inline W divisor_of(u64 peak) {
    const W half = (W)__longlong_as_double((i64)peak) / 2;
    const W gamma = half == (W)0 ? (W)1 : half;
    return 2 * (gamma * gamma);
}

// The result after the last scale; `odd` says that one is in doubt.
template <class W> __device__ inline W filled(W value, u32* odd) {
    if (value > (W)0 && value < (W)(2 * DOUBT)) *odd = 1;
    return value <= (W)0 ? (W)1 : value;
}

// Meijering's values of one scale, normalized by their largest.
template <class W> __device__ inline W normalized(W value, u64 peak) {
    const W largest = (W)__longlong_as_double((i64)peak);
    return largest > (W)0 ? value / largest : value;
}

// What fixed point may be off by in eigenvalues, 2^10 times what was seen.
constexpr double FIXED_APART = 1.4551915228366852e-11;  // 2^-36

// The type of eigenvalues and of what is made of them. Of volumes one may nearly vanish, and
// ratios with it decide.
template <class W, int AXES> struct OfMatrix { typedef double type; };
template <> struct OfMatrix<float, 2> { typedef float type; };

// ELEMENTS of the Hessian's upper triangle: 3 in 2-D, 6 in 3-D. S: what hessian_lines has written.
//
// result  the running maximum; FRANGI_BUT_GAMMA: the product of the other factors
// beside  MEIJERING: values of this scale, before this the last one's, not normalized;
//         FRANGI_BUT_GAMMA: norms
// odd     becomes 1 where rounding decides whether an element is zero and so filled, or in fixed point
//         which value is Meijering's
// peak    the largest value of this scale, 0 before; known: of the one before (FRANGI: the
//         first one), as bits of a double
template <class W, int ELEMENTS, class S = double>
__global__ void __launch_bounds__(256, RESIDENT)
    ridge_lines(const S* sources, W* result, W* beside, u32* odd, u64* peak, const u64* known,
                i64 outer, i64 length, i64 inner, int mode, int lines, int width, const __grid_constant__ LineJobs jobs,
                const __grid_constant__ LineTaps taps, const __grid_constant__ Ridge ridge) {
    constexpr int AXES = ELEMENTS == 3 ? 2 : 3;
    typedef typename OfMatrix<W, AXES>::type E;
    typedef typename Rounded<S, W>::type Once;
    DYN_SHARED(double, shared);
    const LineView view = {outer, length, inner, mode, lines, width};
    const bool first = ridge.order & FIRST_SCALE;
    const E structure = ridge.gamma_is_half_peak && ridge.kind == FRANGI ? divisor_of<E>(*known)
                                                                         : (E)ridge.structure;
    u64 largest = 0;
    const auto take = [&](i64 place, const typename LinesOf<Once, S>::Made* elements, int step) {
        E upper[ELEMENTS], values[AXES];
#pragma unroll
        for (int j = 0; j < ELEMENTS; ++j) upper[j] = (E)(W)elements[j * step];
        eigenvalues(upper, values);
        if (ridge.kind == MEIJERING) {
            const W value = (W)meijering(values, (E)ridge.alpha);
            if constexpr (IS_FIXED<typename LinesOf<Once, S>::Number>)
                if (meijering_in_doubt(values, ridge.alpha, FIXED_APART * (1 + fabs(ridge.alpha)))) *odd = 1;
            const u64 bits = bits_of_size(value);
            largest = bits > largest ? bits : largest;
            if (!first) {
                const W last = normalized(beside[place], *known);
                result[place] = maximum(result[place], last);
            } else {
                result[place] = 0;
            }
            beside[place] = value;
            return;
        }
        W value;
        if (ridge.kind == SATO) {
            value = (W)sato(values, (E)ridge.scale);
        } else {
            const Vesselness<E> factors(values, ridge);
            value = (W)factors.but_structure();
            if (ridge.kind == FRANGI_BUT_GAMMA) {
                const W norm = (W)factors.norm;
                const u64 bits = bits_of_size(norm);
                largest = bits > largest ? bits : largest;
                result[place] = value;
                beside[place] = norm;
                return;
            }
            value *= (W)structuredness(factors.norm, structure);
            if (ridge.fills)
                value = beyond_doubt(value, factors, factors.norm * factors.norm / structure);
        }
        value = maximum(first ? (W)0 : result[place], value);
        result[place] = ridge.fills && ridge.order & LAST_SCALE ? filled(value, odd) : value;
    };
    for_lines<Once>(shared, sources, view, jobs, taps, LineSlopes(), take);

    if (ridge.kind == MEIJERING || ridge.kind == FRANGI_BUT_GAMMA) {
        __syncthreads();
        u64* const scratch = reinterpret_cast<u64*>(shared);
        scratch[threadIdx.x] = largest;
        block_reduce(scratch, blockDim.x, [](u64 a, u64 b) { return a > b ? a : b; });
        if (threadIdx.x == 0) atomicMax(peak, scratch[0]);
    }
}

// Sato's filter of a plane of 8 bits: ridge_lines, with eigenvalues in two floats where cards are slow in double.
__global__ void __launch_bounds__(256, RESIDENT)
    sato_lines(const Held* sources, double* result, i64 outer, i64 length, i64 inner, int mode, int lines, int width,
               const __grid_constant__ LineJobs jobs, const __grid_constant__ LineTaps taps, double variance,
               int is_first) {
    DYN_SHARED(double, shared);
    const LineView view = {outer, length, inner, mode, lines, width};
    typedef NumberOf<int>::type N;
    const N scale = (N)variance;
    for_lines<Held>(shared, sources, view, jobs, taps, LineSlopes(), [&](i64 place, const Held* elements, int step) {
        const N upper[3] = {renormalized((N)elements[0]), renormalized((N)elements[step]), renormalized((N)elements[2 * step])};
        N values[2];
        eigenvalues(upper, values);
        result[place] = maximum(is_first ? 0.0 : result[place], (double)sato(values, scale));
    });
}

// n elements; MEIJERING takes the last scale into the maximum, FRANGI_BUT_GAMMA multiplies by
// the last factor.
template <class W>
__global__ void ridge_fold(W* result, const W* beside, const u64* peak, i64 n, const Ridge ridge) {
    const u64 largest = *peak;
    const W divisor = divisor_of<W>(largest);
    const i64 step = (i64)gridDim.x * blockDim.x;
    for (i64 i = (i64)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
        result[i] = ridge.kind == MEIJERING
                        ? maximum(result[i], normalized(beside[i], largest))
                        : maximum((W)0, result[i] * structuredness(beside[i], divisor));
    }
}
