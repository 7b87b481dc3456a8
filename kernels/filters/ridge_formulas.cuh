// Eigenvalues of a symmetric 2 x 2 or 3 x 3 matrix, and what ridge filters make of them.
//
// Source: scikit-image filters/ridges.py, feature/corner.py; Jacobi's method for 3 x 3, which
// keeps all digits where eigenvalues are nearly equal (a closed formula has half of them).
#pragma once
#include "common/rounded.cuh"
#include "common/two_float_functions.cuh"

// The eigenvalues in decreasing order; upper: elements (0, 0), (0, 1), (1, 1).
template <class W> __device__ inline void eigenvalues(const W (&upper)[3], W (&values)[2]) {
    const W mean = renormalized(upper[0] + upper[2]) * (W)0.5f, half = renormalized(upper[0] - upper[2]) * (W)0.5f;
    const W apart = root(rounded_product(upper[1], upper[1]) + rounded_product(half, half));
    values[0] = renormalized(mean + apart);
    values[1] = renormalized(mean - apart);
}

// One rotation of Jacobi's method: makes `between`, the element of rows p and q, vanish.
template <class W>
__device__ inline void rotate(W& p, W& q, W& between, W& other_p, W& other_q) {
    if (between == (W)0) return;
    const W theta = (q - p) / (2 * between);
    const W tangent = copysign((W)1, theta) / (fabs(theta) + sqrt(theta * theta + 1));
    const W cosine = 1 / sqrt(tangent * tangent + 1), sine = tangent * cosine;
    p -= tangent * between;
    q += tangent * between;
    between = 0;
    const W old = other_p;
    other_p = cosine * old - sine * other_q;
    other_q = sine * old + cosine * other_q;
}

// upper: elements (0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2).
template <class W> __device__ inline void eigenvalues(const W (&upper)[6], W (&values)[3]) {
    W xx = upper[0], xy = upper[1], xz = upper[2], yy = upper[3], yz = upper[4], zz = upper[5];
    // it converges quadratically: the last digits stand after five sweeps
    for (int sweep = 0; sweep < 8 && (xy != (W)0 || xz != (W)0 || yz != (W)0); ++sweep) {
        rotate(xx, yy, xy, xz, yz);
        rotate(xx, zz, xz, xy, yz);
        rotate(yy, zz, yz, xy, xz);
    }
    const W low = xx < yy ? xx : yy, high = xx < yy ? yy : xx;
    values[0] = zz > high ? zz : high;
    values[1] = zz > high ? high : zz < low ? low : zz;
    values[2] = zz < low ? zz : low;
}

// The ridge filters; WEIGHTS is Frangi's before gamma is known.
enum RidgeKind { MEIJERING = 0, SATO = 1, FRANGI = 2, FRANGI_BUT_GAMMA = 3 };

// Divisors are those of the exponents: twice the squares of alpha, beta and gamma.
struct Ridge {
    double alpha;  // Meijering's
    double scale;  // sigma squared, for Sato
    double plates, blobs, structure;
    int kind;
    int order;  // FIRST_SCALE, LAST_SCALE
    int fills;  // zeros of the result become ones
    int gamma_is_half_peak;
};
enum { FIRST_SCALE = 1, LAST_SCALE = 2 };

template <class W> __device__ inline W positive(W value) { return value < (W)0 ? (W)0 : value; }

// numpy.maximum: NaN spreads.
template <class W> __device__ inline W maximum(W a, W b) { return a >= b || a != a ? a : b; }

// Meijering's neuriteness before its normalization.
template <class W, int N> __device__ inline W meijering(const W (&values)[N], W alpha) {
    W best = 0;
    for (int i = 0; i < N; ++i) {
        W sum = values[i];
        for (int j = 0; j < N; ++j)
            if (j != i) sum += alpha * values[j];
        if (i == 0 || fabs(sum) > fabs(best)) best = sum;
    }
    return positive(best);
}

// Whether numbers off by less than `apart` leave open which of a plane's values of opposite sign is the larger one.
template <class W> __device__ inline bool meijering_in_doubt(const W (&values)[2], W alpha, W apart) {
    const W first = values[0] + alpha * values[1], second = values[1] + alpha * values[0];
    return (first < (W)0) != (second < (W)0) && fabs(first) > apart && fabs(first + second) <= apart;
}

// Sato's tubeness.
template <class W> __device__ inline W sato(const W (&values)[2], W scale) {
    return scale * positive(values[0]);
}
template <class W> __device__ inline W sato(const W (&values)[3], W scale) {
    return scale * sqrt(positive(values[0]) * positive(values[1]));
}

template <class W> __device__ inline void order_by_size(W& a, W& b) {
    if (fabs(a) <= fabs(b)) return;
    const W swapped = a;
    a = b;
    b = swapped;
}

template <class W> __device__ inline W at_least_tiny(W value) {
    return value < (W)1e-10 ? (W)1e-10 : value;
}

// What Frangi's filter is made of at one element: the exponents of its three factors, in
// 2-D without the first.
template <class W> struct Vesselness {
    W plate, blob, norm;

    __device__ Vesselness(const W (&values)[2], const Ridge& ridge) {
        const bool ordered = fabs(values[0]) <= fabs(values[1]);
        const W small = ordered ? values[0] : values[1], large = ordered ? values[1] : values[0];
        norm = sqrt(small * small + large * large);
        const W ratio = fabs(small) / at_least_tiny(large);
        blob = ratio * ratio / (W)ridge.blobs;
        plate = (W)1e30;  // one minus its exponential is 1
    }
    __device__ Vesselness(const W (&values)[3], const Ridge& ridge) {
        W a = values[0], b = values[1], c = values[2];
        order_by_size(a, b);
        order_by_size(b, c);
        order_by_size(a, b);
        norm = sqrt(a * a + b * b + c * c);
        const W second = at_least_tiny(b), third = at_least_tiny(c);
        const W flat = second / third, ratio = fabs(a) / sqrt(second * third);
        plate = flat * flat / (W)ridge.plates;
        blob = ratio * ratio / (W)ridge.blobs;
    }
    __device__ W but_structure() const { return ((W)1 - exp(-plate)) * exp(-blob); }
};

// Its last factor; `divisor` is twice the square of gamma.
template <class W> __device__ inline W structuredness(W norm, W divisor) {
    return (W)1 - exp(-(norm * norm) / divisor);
}

// Where zeros become ones the last bit of an exponential decides, which no two libraries
// have alike: `value` if it is not zero, or zero, whoever computes it, else DOUBT, which any
// other scale outweighs. In double.
constexpr double DOUBT = 1e-300;
__device__ inline double beyond_doubt(double value, const Vesselness<double>& from, double structure) {
    constexpr double NONE = 0x1p-56, SOME = 0x1p-52;  // around half of the spacing below 1
    if (from.plate < NONE || structure < NONE || from.blob > 760) return 0;
    const bool some = from.plate > SOME && structure > SOME && from.blob < 680;
    return some && value > 1e-298 ? value : DOUBT;
}
template <class E> __device__ inline float beyond_doubt(float value, const Vesselness<E>&, E) {
    return value;
}
