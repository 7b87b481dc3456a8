// The index of structural similarity of one element, from the means of its window.
//
// Source: Z. Wang et al., "Image quality assessment: from error visibility to structural
// similarity", IEEE Transactions on Image Processing 13, 2004; its gradient: A. N. Avanaki,
// "Exact global histogram specification optimized for structural similarity", Optical Review
// 16, 2009. Formulas and roundings are those of skimage.metrics.structural_similarity.
#pragma once
#include "common/rounded.cuh"
#include "common/tile.cuh"
#include "common/two_floats.cuh"
#include "metrics/window_means.cuh"

// What the windows of two images tell: means, mean squares, mean product.
constexpr int MOMENTS = 5;
// What the gradient is filtered from.
constexpr int TERMS = 3;

template <class W> __device__ inline Values<W, MOMENTS> moments_of(W x, W y) {
    return {{x, y, rounded_product(x, x), rounded_product(y, y), rounded_product(x, y)}};
}
template <class I> __device__ inline Values<I, MOMENTS> integer_moments_of(int x, int y) {
    return {{x, y, (I)x * x, (I)y * y, (I)x * y}};
}

struct Constants {
    double covariance;  // factor that makes sample covariances of means of products
    double c1, c2;
};

// The index; `terms` gets what its gradient with respect to the second image is filtered from.
template <class W>
__device__ inline W similarity_of(const Values<W, MOMENTS>& means, const Constants& constants,
                                  Values<W, TERMS>* terms) {
    const W ux = means.of[0], uy = means.of[1];
    const W factor = (W)constants.covariance, c1 = (W)constants.c1, c2 = (W)constants.c2;
    const W xx = rounded_product(ux, ux), yy = rounded_product(uy, uy);
    const W vx = rounded_product(factor, means.of[2] - xx);
    const W vy = rounded_product(factor, means.of[3] - yy);
    const W vxy = rounded_product(factor, means.of[4] - rounded_product(ux, uy));
    const W a1 = rounded_product((W)2 * ux, uy) + c1, a2 = rounded_product((W)2, vxy) + c2;
    const W b1 = xx + yy + c1, b2 = vx + vy + c2;
    const W d = rounded_product(b1, b2);
    const W s = rounded_product(a1, a2) / d;
    if (terms) {
        const W rest = rounded_product(rounded_product(uy, b2 - b1), s);
        *terms = {{a1 / d, -s / b2, (rounded_product(ux, a2 - a1) - rest) / d}};
    }
    return s;
}

// The index from sums of integers, over `count` elements. Numerator and denominator are multiplied by
// the square of the count and divided by the factor of the covariances: what is left are integers,
// exact and here below 2^47, and constants. Variances lose no digits, where differences of means do.
template <class I, class N = typename NumberOf<I>::type>
__device__ inline N similarity_of(const Values<I, MOMENTS>& sums, i64 count, N c1, N c2) {
    const i64 x = sums.of[0], y = sums.of[1];
    const i64 xx = x * x, yy = y * y, xy = x * y;
    const N a1 = N(2 * xy) + c1, a2 = N(2 * (count * sums.of[4] - xy)) + c2;
    const N b1 = N(xx + yy) + c1, b2 = N(count * (sums.of[2] + sums.of[3]) - (xx + yy)) + c2;
    return rounded_product(a1, a2) / rounded_product(b1, b2);
}
