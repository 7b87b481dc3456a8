// Filtered back-projection: planes of sinograms.
//
// What: `lines` brings the projections into lines of a power of two, for Fourier transforms, and
// `filtered` multiplies their spectra by a filter. `back_project` makes the plane: a thread for each
// pixel goes from angle to angle, interpolates the line where the pixel lies on it and adds that
// up. For cubic interpolation `bend` finds the second derivatives of the lines' splines before.
//
// Sinogram: (rows, angles), bool to float64. Lines: (angles, length), float for float16 and float32
// sinograms, else double; filtered ones, and their derivatives, double. Plane: (side, side), as the
// lines were. One launch each; `back_project` reads a line's neighbours for neighbouring pixels.
//
// Places on a line, linear and nearest interpolation, and sums over angles have scikit-image's
// roundings and its order.
//
// Source: skimage/transform/radon_transform.py (iradon); numpy.interp (arr_interp of
// compiled_base.c); scipy.interpolate.interp1d (not-a-knot cubic splines: C. de Boor, "A Practical
// Guide to Splines", 1978).
#include "common/rounded.cuh"
#include "filters/gaussian_taps.cuh"

// result[angle, i] = sinogram[i - before, angle], 0 beyond.
template <class T, class W>
__global__ void lines(const T* sinogram, W* result, i64 rows, i64 angles, i64 length, i64 before, double scale,
                      double lowest) {
    const Scaled<T, W> convert(scale, lowest);
    const i64 step = (i64)gridDim.x * blockDim.x;
    for (i64 i = (i64)blockIdx.x * blockDim.x + threadIdx.x; i < angles * length; i += step) {
        const i64 angle = i / length, row = i - angle * length - before;
        result[i] = row >= 0 && row < rows ? convert(sinogram[row * angles + angle]) : (W)0;
    }
}

// product = spectrum * response, complex numbers as pairs; n: of all lines together.
template <class W>
__global__ void filtered(const W* spectrum, const double* response, double* product, i64 n, i64 frequencies) {
    const i64 step = (i64)gridDim.x * blockDim.x;
    for (i64 i = (i64)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
        const double by = response[i % frequencies];
        product[2 * i] = __dmul_rn((double)spectrum[2 * i], by);
        product[2 * i + 1] = __dmul_rn((double)spectrum[2 * i + 1], by);
    }
}

// Second derivatives of the cubic splines through the first `count` elements of each line, 4 at
// least: those of the second and the last but one are second differences, since the third
// derivative does not jump there; between them M[i-1] + 4 M[i] + M[i+1] = 6 (second difference). A
// thread does a line, forth and back.
//   factors: of the elimination; from the last one on they are all the same
__global__ void bend(const double* values, const double* factors, double* bent, i64 angles, i64 length, i64 count,
                     i64 most) {
    const i64 step = (i64)gridDim.x * blockDim.x;
    for (i64 angle = (i64)blockIdx.x * blockDim.x + threadIdx.x; angle < angles; angle += step) {
        const double* const y = values + angle * length;
        double* const m = bent + angle * count;
        const auto difference = [&](i64 i) { return y[i - 1] - 2 * y[i] + y[i + 1]; };
        const auto factor = [&](i64 i) { return factors[i - 2 < most ? i - 2 : most - 1]; };
        double before = difference(1), after = difference(count - 2);
        m[1] = before;
        for (i64 i = 2; i < count - 2; ++i) {
            before = (6 * difference(i) - before) * factor(i);
            m[i] = before;
        }
        m[count - 2] = after;
        m[count - 1] = 2 * after;
        for (i64 i = count - 3; i > 1; --i) {
            after = m[i] - factor(i) * after;
            m[i] = after;
        }
        m[0] = 2 * m[1] - m[2];
        m[count - 1] -= m[count - 3];
    }
}

enum Way { LINEAR, NEAREST_NEIGHBOUR, CUBIC };

// A line at t, where its middle, element count / 2, is 0; 0 beyond its ends.
template <int WAY> __device__ inline double at(const double* y, const double* m, i64 count, double t) {
    const i64 middle = count / 2;
    if (!(t >= (double)-middle && t <= (double)(count - 1 - middle))) return 0;
    const double whole = floor(t), part = __dsub_rn(t, whole);
    const i64 i = (i64)whole + middle;
    if (WAY == NEAREST_NEIGHBOUR) return y[t > whole + 0.5 ? i + 1 : i];  // t - whole is rounded
    if (part == 0) return y[i];
    if (WAY == LINEAR) {
        const double slope = __dsub_rn(y[i + 1], y[i]);
        const double made = __dadd_rn(__dmul_rn(slope, part), y[i]);
        if (made == made) return made;
        const double other = __dadd_rn(__dmul_rn(slope, __dsub_rn(t, whole + 1)), y[i + 1]);
        return other != other && y[i] == y[i + 1] ? y[i] : other;
    }
    const double rest = 1 - part, first = m[i] / 6, second = m[i + 1] / 6;
    return rest * (y[i] + first * (rest * rest - 1)) + part * (y[i + 1] + second * (part * part - 1));
}

// lines: of `length` elements, of which `count` are used; bent, for CUBIC: of `count`
// turns: cosine and sine of each angle
// circle: whether pixels outside of it are 0
// by, over: what sums are multiplied with and divided by
template <int WAY, class W>
__global__ void back_project(const double* lines, const double* bent, const double* turns, W* plane, i64 side,
                             i64 angles, i64 length, i64 count, bool circle, double by, double over) {
    const i64 radius = side / 2, step = (i64)gridDim.x * blockDim.x;
    for (i64 i = (i64)blockIdx.x * blockDim.x + threadIdx.x; i < side * side; i += step) {
        const i64 row = i / side, column = i - row * side;
        const i64 x = row - radius, y = column - radius;
        W sum = 0;
        if (!circle || x * x + y * y <= radius * radius)
            for (i64 angle = 0; angle < angles; ++angle) {
                const double along = __dmul_rn((double)y, turns[2 * angle]);
                const double t = __dsub_rn(along, __dmul_rn((double)x, turns[2 * angle + 1]));
                const double* const m = WAY == CUBIC ? bent + angle * count : nullptr;
                const double value = at<WAY>(lines + angle * length, m, count, t);
                sum = (W)__dadd_rn((double)sum, value);
            }
        using A = NumpyArithmetic<W>;
        plane[i] = A::divide(A::multiply(sum, (W)by), (W)over);
    }
}
