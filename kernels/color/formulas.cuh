// Colour difference formulas: functors on two Lab colours, passed to the kernel by value with
// the caller's weights. W is float or double. References: skimage.color.delta_e.
#pragma once
#include "color/cie.cuh"

template <class W> struct Lab {
    W L, a, b;
};

constexpr double PI = 3.141592653589793;

template <class W> __device__ inline W squared(W x) { return x * x; }
template <class W> __device__ inline W seventh_power(W x) {
    const W cube = x * x * x;
    return cube * cube * x;
}

// The squared difference of hue, 2 |ab1| |ab2| - 2 ab1 . ab2, which is computed in double
// without fused multiply-adds: for equal colours it is the noise of this very rounding.
template <class W> __device__ inline W hue_difference2(const Lab<W>& x, const Lab<W>& y) {
    const double a1 = x.a, b1 = x.b, a2 = y.a, b2 = y.b;
    const double lengths = __dmul_rn(hypot(a1, b1), hypot(a2, b2));
    const double product = __dadd_rn(__dmul_rn(a1, a2), __dmul_rn(b1, b2));
    return (W)(2.0 * __dsub_rn(lengths, product));
}

template <class W> struct Cie76 {
    __device__ W operator()(const Lab<W>& x, const Lab<W>& y) const {
        return sqrt(squared(y.L - x.L) + squared(y.a - x.a) + squared(y.b - x.b));
    }
};

template <class W> struct Ciede94 {
    W kH, kC, kL, k1, k2;
    __device__ W operator()(const Lab<W>& x, const Lab<W>& y) const {
        const W C1 = hypot(x.a, x.b), C2 = hypot(y.a, y.b);
        const W SC = (W)1 + k1 * C1, SH = (W)1 + k2 * C1;
        const W dE2 = squared((x.L - y.L) / kL) + squared((C1 - C2) / (kC * SC)) +
                      hue_difference2(x, y) / squared(kH * SH);
        return sqrt(at_least(dE2, (W)0));
    }
};

template <class W> struct Ciede2000 {
    W kL, kC, kH;
    // 1 at large chroma, 0 at small
    static __device__ W weight(W chroma) {
        const W power = seventh_power(chroma);
        return sqrt(power / (power + (W)6103515625.0));  // 25^7
    }
    __device__ W operator()(const Lab<W>& x, const Lab<W>& y) const {
        const W pi = (W)PI, turn = (W)(2 * PI), degree = (W)(PI / 180);
        // `a` is stretched by the mean chroma
        const W stretch = (W)1 + (W)0.5 * ((W)1 - weight((W)0.5 * (hypot(x.a, x.b) + hypot(y.a, y.b))));
        const W a1 = x.a * stretch, a2 = y.a * stretch;
        const W C1 = hypot(a1, x.b), C2 = hypot(a2, y.b);
        const W h1 = full_angle(x.b, a1), h2 = full_angle(y.b, a2);

        const W offset = squared((W)0.5 * (x.L + y.L) - (W)50);
        const W L_term = (y.L - x.L) / (kL * ((W)1 + (W)0.015 * offset / sqrt((W)20 + offset)));

        const W Cbar = (W)0.5 * (C1 + C2);
        const W C_term = (C2 - C1) / (kC * ((W)1 + (W)0.045 * Cbar));

        // differences and sums of hue, the short way round; no hue without chroma
        const W difference = h2 - h1, sum = h1 + h2, CC = C1 * C2;
        const bool grey = CC == (W)0, around = fabs(difference) > pi;
        W dH = difference > pi ? difference - turn : difference;
        dH = difference < -pi ? difference + turn : dH;
        dH = grey ? (W)0 : dH;
        const W other_way = sum < turn ? sum + turn : sum - turn;
        const W Hbar = grey ? sum : (W)0.5 * (around ? other_way : sum);
        const W T = (W)1 - (W)0.17 * cos(Hbar - (W)30 * degree) + (W)0.24 * cos((W)2 * Hbar) +
                    (W)0.32 * cos((W)3 * Hbar + (W)6 * degree) - (W)0.20 * cos((W)4 * Hbar - (W)63 * degree);
        const W H_term = (W)2 * sqrt(CC) * sin(dH * (W)0.5) / (kH * ((W)1 + (W)0.015 * Cbar * T));

        // rotation in the blue
        const W theta = (W)60 * degree * exp(-squared((Hbar / degree - (W)275) / (W)25));
        const W R_term = -sin(theta) * (W)2 * weight(Cbar) * C_term * H_term;

        const W dE2 = squared(L_term) + squared(C_term) + squared(H_term) + R_term;
        return sqrt(at_least(dE2, (W)0));
    }
};

template <class W> struct Cmc {
    W kL, kC;
    __device__ W operator()(const Lab<W>& x, const Lab<W>& y) const {
        const W degree = (W)(PI / 180);
        const W C1 = hypot(x.a, x.b), C2 = hypot(y.a, y.b), h1 = full_angle(x.b, x.a);
        const W degrees = h1 * (W)(180 / PI);
        const bool second = degrees >= (W)164 && degrees <= (W)345;
        const W wave = fabs(cos(h1 + (second ? (W)168 : (W)35) * degree));
        const W T = second ? (W)0.56 + (W)0.2 * wave : (W)0.36 + (W)0.4 * wave;
        const W C1_4 = squared(squared(C1));
        const W F = sqrt(C1_4 / (C1_4 + (W)1900));
        const W SL = x.L < (W)16 ? (W)0.511 : (W)0.040975 * x.L / ((W)1 + (W)0.01765 * x.L);
        const W SC = (W)0.638 + (W)0.0638 * C1 / ((W)1 + (W)0.0131 * C1);
        const W SH = SC * (F * T + (W)1 - F);
        const W dE2 = squared((x.L - y.L) / (kL * SL)) + squared((C1 - C2) / (kC * SC)) +
                      hue_difference2(x, y) / squared(SH);
        return sqrt(at_least(dE2, (W)0));
    }
};
