// Steps to and from the CIE spaces Lab, Luv and LCh; see color/steps.cuh for what a step is.
// Source: skimage.color.colorconv.
#pragma once
#include "color/steps.cuh"

template <class W> struct XyzToLab : Step<W> {
    W white[3];
    __device__ int operator()(W* c) const {
#pragma unroll
        for (int k = 0; k < 3; ++k) {
            const W x = c[k] / white[k];
            const W root = cube_root(x);
            const W line = (W)7.787 * x + (W)(16.0 / 116.0);
            c[k] = x > (W)0.008856 ? root : line;
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
    W white[3];
    __device__ int operator()(W* c) const {
        const W y = (c[0] + (W)16) / (W)116;
        const W x = c[1] / (W)500 + y;
        const W z = y - c[2] / (W)200;
        const bool negative = z < (W)0;
        c[0] = x;
        c[1] = y;
        c[2] = negative ? (W)0 : z;
#pragma unroll
        for (int k = 0; k < 3; ++k) {
            const W cube = c[k] * c[k] * c[k];
            const W line = (c[k] - (W)(16.0 / 116.0)) * (W)(1 / 7.787);
            c[k] = (c[k] > (W)0.2068966 ? cube : line) * white[k];
        }
        return negative;
    }
};

// u0, v0: chromaticity of the white point. eps: machine epsilon of the image's type.
template <class W> struct XyzToLuv : Step<W> {
    W white, u0, v0, eps;
    __device__ int operator()(W* c) const {
        const W x = c[0], y = c[1], z = c[2];
        const W relative = y / white;
        const W root = (W)116 * cube_root(relative) - (W)16;
        const W line = (W)903.3 * relative;
        const W lightness = relative > (W)0.008856 ? root : line;
        const W sum = x + (W)15 * y + (W)3 * z + eps;
        c[0] = lightness;
        c[1] = (W)13 * lightness * ((W)4 * x / sum - u0);
        c[2] = (W)13 * lightness * ((W)9 * y / sum - v0);
        return 0;
    }
};

template <class W> struct LuvToXyz : Step<W> {
    W white, u0, v0, eps;
    __device__ int operator()(W* c) const {
        const W shifted = (c[0] + (W)16) / (W)116;
        const W cube = shifted * shifted * shifted, line = c[0] / (W)903.3;
        const W y = (c[0] > (W)7.999625 ? cube : line) * white;
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
    return angle < (W)0 ? (W)((double)angle + 6.283185307179586) : angle;
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
