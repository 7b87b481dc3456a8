// Steps to and from the CIE spaces Lab, Luv and LCh; see color/steps.cuh for what a step is.
// Y of every white point is 1, so that nothing is multiplied or divided by it.
// Source: skimage.color.colorconv.
#pragma once
#include "color/steps.cuh"

template <class W> struct XyzToLab : Step<W> {
    Divisor<W> white_x, white_z;
    __device__ int operator()(W* c) const {
        c[0] = divided(c[0], white_x);
        c[2] = divided(c[2], white_z);
#pragma unroll
        for (int k = 0; k < 3; ++k) {
            const W root = cube_root(c[k]);
            const W line = (W)7.787 * c[k] + (W)(16.0 / 116.0);
            c[k] = is_above(c[k], (W)0.008856) ? root : line;
        }
        const W x = c[0], y = c[1], z = c[2];
        c[0] = (W)116 * y - (W)16;
        c[1] = (W)500 * (x - y);
        c[2] = (W)200 * (y - z);
        return 0;
    }
};

// Returns 1 where Z would be negative and is clipped to zero. Z is computed with the
// divisions of scikit-image, so that the count is the same.
template <class W> struct LabToXyz : Step<W> {
    W white_x, white_z;
    __device__ int operator()(W* c) const {
        const W y = divided_by<116>(c[0] + (W)16);
        const W x = divided_by<500>(c[1]) + y;
        const W z = y - divided_by<200>(c[2]);
        const bool negative = is_negative(z);
        c[0] = x;
        c[1] = y;
        c[2] = negative ? (W)0 : z;
#pragma unroll
        for (int k = 0; k < 3; ++k) {
            const W cube = c[k] * c[k] * c[k];
            const W line = (c[k] - (W)(16.0 / 116.0)) * (W)(1 / 7.787);
            c[k] = is_above(c[k], (W)0.2068966) ? cube : line;
        }
        c[0] *= white_x;
        c[2] *= white_z;
        return negative;
    }
};

// u0, v0: chromaticity of the white point. eps: machine epsilon of the image's type.
template <class W> struct XyzToLuv : Step<W> {
    W u0, v0, eps;
    __device__ int operator()(W* c) const {
        const W x = c[0], y = c[1], z = c[2];
        const W root = (W)116 * cube_root(y) - (W)16;
        const W lightness = is_above(y, (W)0.008856) ? root : (W)903.3 * y;
        const W sum = x + (W)15 * y + (W)3 * z + eps;
        c[0] = lightness;
        c[1] = (W)13 * lightness * ((W)4 * x / sum - u0);
        c[2] = (W)13 * lightness * ((W)9 * y / sum - v0);
        return 0;
    }
};

template <class W> struct LuvToXyz : Step<W> {
    W u0, v0, eps;
    __device__ int operator()(W* c) const {
        const W shifted = divided_by<116>(c[0] + (W)16);
        const W cube = shifted * shifted * shifted, line = c[0] / (W)903.3;
        const W y = is_above(c[0], (W)7.999625) ? cube : line;
        const W scale = (W)13 * c[0] + eps;
        const W a = u0 + c[1] / scale, b = v0 + c[2] / scale;
        const W d = (W)3 * y * ((W)5 * b - (W)3);
        const W z = ((a - (W)4) * d - (W)15 * a * b * y) / ((W)12 * b);
        c[0] = -(d / b + (W)3 * z);
        c[1] = y;
        c[2] = z;
        return 0;
    }
};

// The hue is in (0, 2 pi).
template <class W> __device__ inline W full_angle(W y, W x) {
    // The turn is added in double, as NumPy does: opposite hues then differ by exactly what
    // they differ by there, and the shorter way round is the same.
    const W angle = atan2(y, x);
    return is_negative(angle) ? (W)((double)angle + 6.283185307179586) : angle;
}

template <class W> struct LabToLch : Step<W> {
    static constexpr bool KEEPS_EXTRA = true;
    __device__ int operator()(W* c) const {
        const W a = c[1], b = c[2];
        c[1] = hypot(a, b);
        c[2] = full_angle(b, a);
        return 0;
    }
};

template <class W> struct LchToLab : Step<W> {
    static constexpr bool KEEPS_EXTRA = true;
    __device__ int operator()(W* c) const {
        const W chroma = c[1], hue = c[2];
        c[1] = chroma * cos(hue);
        c[2] = chroma * sin(hue);
        return 0;
    }
};
