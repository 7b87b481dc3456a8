// Phase correlation of two images, about the Fourier transforms and the matrix products (which are
// CuPy's): what comes between and behind them.
//
//     cross_power     one spectrum by the conjugate of the other, each product divided by its
//                     magnitude where only phases are to count; and the power of both
//     peak            where the correlation is largest, and its value there
//     dft_matrix      the matrix of a Fourier transform of a few places between elements
//     box_moments     means, squares and products of two images over a box, one of them moved
//
// Spectra are those of all frequencies, or of real images: then without the second half of the
// last axis, which is the conjugate of the first. Complex numbers are pairs.
//
// Source: scikit-image `registration.phase_cross_correlation` (M. Guizar-Sicairos, S. T. Thurman
// and J. R. Fienup, "Efficient subpixel image registration algorithms", 2008).
#include "common/any_type.cuh"
#include "common/interpolation.cuh"
#include "common/reduce.cuh"
#include "common/rounded.cuh"
#include "transform/sampled.cuh"

constexpr int THREADS = 256;

template <class W> struct Pair {
    W real, imaginary;
};

__device__ inline double magnitude(double a, double b) { return hypot(a, b); }
__device__ inline float magnitude(float a, float b) {
    return (float)sqrt((double)a * (double)a + (double)b * (double)b);
}

// The largest number as NumPy's argmax has it: NaN first, then the largest, then the first; and
// the largest of the others.
struct Best {
    double size;
    i64 place;
    double second;
    __device__ bool before(const Best& b) const {
        const bool odd = size != size, odd_b = b.size != b.size;
        if (odd != odd_b) return odd;
        if (!odd && size != b.size) return size > b.size;
        return place < b.place;
    }
    __device__ static Best better(const Best& a, const Best& b) {
        const bool first = a.before(b);
        Best best = first ? a : b;
        best.second = fmax(best.second, first ? b.size : a.size);
        return best;
    }
};

struct Powers {
    double first, second;
};

// product = first * conj(second), `count` numbers; it may be `first`.
// columns: of the spectra; length: elements of the images along that axis, 0: spectra are whole
// least:   magnitude that products are divided by at least; below 0 they are not divided
// powers:  sums of squares of both spectra
template <class W>
__global__ void __launch_bounds__(THREADS)
    cross_power(const W* first, const W* second, i64 count, i64 columns, i64 length, double least,
                W* product, double* powers, double* partials, u32* arrived) {
    __shared__ Powers scratch[THREADS];
    typedef NumpyArithmetic<W> Do;
    const Pair<W>*const a = (const Pair<W>*)first, *const b = (const Pair<W>*)second;
    Powers mine = {0.0, 0.0};
    const i64 step = (i64)gridDim.x * blockDim.x;
    for (i64 i = (i64)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += step) {
        const Pair<W> x = a[i], y = b[i];
        const i64 column = i % columns;
        const double times = length && column && 2 * column != length ? 2.0 : 1.0;
        mine.first += times * ((double)x.real * (double)x.real + (double)x.imaginary * (double)x.imaginary);
        mine.second += times * ((double)y.real * (double)y.real + (double)y.imaginary * (double)y.imaginary);
        Pair<W> z = {Do::add(Do::multiply(x.real, y.real), Do::multiply(x.imaginary, y.imaginary)),
                     Do::subtract(Do::multiply(x.imaginary, y.real), Do::multiply(x.real, y.imaginary))};
        if (least >= 0.0) {
            const W size = magnitude(z.real, z.imaginary), divisor = size < (W)least ? (W)least : size;
            const W factor = Do::divide((W)1, divisor);
            z.real = Do::multiply(z.real, factor);
            z.imaginary = Do::multiply(z.imaginary, factor);
        }
        ((Pair<W>*)product)[i] = z;
    }
    grid_reduce(
        mine, scratch, (Powers*)partials, arrived,
        [](const Powers& p, const Powers& q) { return Powers{p.first + q.first, p.second + q.second}; },
        [&](const Powers& total) {
            powers[0] = total.first;
            powers[1] = total.second;
        });
}

// What the correlation is at a place.
//     REAL     real numbers
//     COMPLEX  complex ones
//     HALVES   those of the first half of the frequencies, and the conjugates of others, which
//              come `count` behind them
enum Kind { REAL = 0, COMPLEX = 1, HALVES = 2 };

template <class W, int KIND>
__device__ inline Pair<W> correlation_at(const W* correlation, i64 count, i64 i, W scale) {
    if (KIND == REAL) return {correlation[i] * scale, (W)0};
    const Pair<W>* const pairs = (const Pair<W>*)correlation;
    Pair<W> value = pairs[i];
    if (KIND == HALVES) {
        const Pair<W> other = pairs[count + i];
        value.real += other.real;
        value.imaginary -= other.imaginary;
    }
    return {value.real * scale, value.imaginary * scale};
}

// found = {place, real part, imaginary part} of the first of the largest of `count` numbers, and the
//         magnitude of the largest but that one.
template <class W, int KIND>
__global__ void __launch_bounds__(THREADS, 4)
    peak(const W* correlation, i64 count, double scale, double* found, double* partials, u32* arrived) {
    __shared__ Best scratch[THREADS];
    Best mine = {-1.0, count, -1.0};
    const i64 step = (i64)gridDim.x * blockDim.x;
    for (i64 i = (i64)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += step) {
        const Pair<W> value = correlation_at<W, KIND>(correlation, count, i, (W)scale);
        const double a = (double)value.real, b = (double)value.imaginary;
        mine = Best::better(mine, Best{KIND == REAL ? fabs(a) : sqrt(a * a + b * b), i, -1.0});
    }
    grid_reduce(mine, scratch, (Best*)partials, arrived, Best::better, [&](const Best& best) {
        const Pair<W> value = correlation_at<W, KIND>(correlation, count, best.place, (W)scale);
        found[0] = (double)best.place;
        found[1] = (double)value.real;
        found[2] = (double)value.imaginary;
        found[3] = best.second;
    });
}

// matrix: (halves, places, items), or (halves, items, places) where `turned`, of e^(2 pi i place
//         frequency); two halves: the second one is for what correlation_at takes the conjugates of
// places:    where the transform is wanted
// items:     frequencies; length: of the whole axis
// frequency: the lowest one but 0
template <class W>
__global__ void dft_matrix(const double* places, i64 count, i64 items, i64 length, double frequency,
                           int halves, bool turned, W* matrix) {
    const i64 half = count * items, step = (i64)gridDim.x * blockDim.x;
    for (i64 i = (i64)blockIdx.x * blockDim.x + threadIdx.x; i < halves * half; i += step) {
        const i64 inside = i % half;
        const i64 item = turned ? inside / count : inside % items;
        const i64 place = turned ? inside % count : inside / items;
        const bool second = i >= half, middle = 2 * item == length;
        const i64 wave = 2 * item < length || (middle && second) ? item : item - length;
        double sine, cosine;
        sincospi(2.0 * (places[place] * ((double)wave * frequency)), &sine, &cosine);
        Pair<W> value = {(W)cosine, (W)sine};
        // a half's frequencies that are their own conjugates
        if (second && turned && (item == 0 || middle)) value = {(W)0, (W)0};
        ((Pair<W>*)matrix)[i] = value;
    }
}

template <int AXES> struct Box {
    i64 size[AXES];    // of the images
    i64 begin[AXES];   // first element
    i64 extent[AXES];  // elements
    double shift[AXES];
};

// Numbers of elements, means, and sums of squares and products about them.
struct Moments {
    double count, mean_a, mean_b, aa, bb, ab;
    // T. F. Chan, G. H. Golub and R. J. LeVeque, 1979
    __device__ static Moments together(const Moments& p, const Moments& q) {
        const double n = p.count + q.count;
        if (p.count == 0.0) return q;
        if (q.count == 0.0) return p;
        const double a = q.mean_a - p.mean_a, b = q.mean_b - p.mean_b;
        const double share = q.count / n, weight = p.count * share;
        return {n,
                p.mean_a + a * share,
                p.mean_b + b * share,
                p.aa + q.aa + a * a * weight,
                p.bb + q.bb + b * b * weight,
                p.ab + q.ab + a * b * weight};
    }
};

// `value` as an element of a type that counts as in common/any_type.cuh.
__device__ inline double as_element(double value, int type) {
    switch (type) {
        case 0: return (double)Rounded<bool>::value(value);
        case 1: return (double)Rounded<signed char>::value(value);
        case 2: return (double)Rounded<short>::value(value);
        case 3: return (double)Rounded<int>::value(value);
        case 4: return (double)Rounded<i64>::value(value);
        case 5: return (double)Rounded<u8>::value(value);
        case 6: return (double)Rounded<u16>::value(value);
        case 7: return (double)Rounded<u32>::value(value);
        case 8: return (double)Rounded<u64>::value(value);
        case 10: return (double)(float)value;
        default: return value;
    }
}

struct Itself {
    __device__ double operator()(double x) const { return x; }
};

// moments: of the reference and the moved image over a box
// moving:  ORDER 0: the image, which has another type; ORDER 3: its spline coefficients
template <int AXES, int ORDER>
__global__ void __launch_bounds__(THREADS, 2)
    box_moments(const void* reference, int type, const void* moving, int moving_type,
                const __grid_constant__ Box<AXES> box, double* moments, double* partials, u32* arrived) {
    __shared__ Moments scratch[THREADS];
    i64 strides[AXES], stride = 1, count = 1;
#pragma unroll
    for (int a = AXES - 1; a >= 0; --a) {
        strides[a] = stride;
        stride *= box.size[a];
        count *= box.extent[a];
    }
    Moments mine = {};
    const i64 step = (i64)gridDim.x * blockDim.x;
    for (i64 i = (i64)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += step) {
        i64 rest = i, here = 0, there = 0;
        AxisTaps<ORDER, double> taps[AXES];
#pragma unroll
        for (int a = AXES - 1; a >= 0; --a) {
            const i64 x = box.begin[a] + rest % box.extent[a];
            rest /= box.extent[a];
            here += x * strides[a];
            if (ORDER) {
                taps[a].set((double)x - box.shift[a], box.size[a], WRAP);
            } else {
                there += boundary_index(x - (i64)box.shift[a], box.size[a], WRAP) * strides[a];
            }
        }
        double b;
        if (ORDER)
            b = as_element(interpolate<ORDER, AXES>((const double*)moving, taps, strides, 0.0, Itself()), moving_type);
        else
            b = load_any<double, 1>(moving, moving_type, there).item[0];
        const double a = load_any<double, 1>(reference, type, here).item[0];
        mine = Moments::together(mine, Moments{1.0, a, b, 0.0, 0.0, 0.0});
    }
    grid_reduce(mine, scratch, (Moments*)partials, arrived, Moments::together,
                [&](const Moments& total) { *(Moments*)moments = total; });
}
