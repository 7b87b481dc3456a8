// Warps of planes by a 3 x 3 matrix, bilinear and bicubic: scikit-image's own interpolation.
//
// What: each pixel of the result takes the image's value at matrix * (x, y, 1). Order 1 is
// bilinear; order 3 is cubic convolution (Catmull-Rom), no spline. Coordinates are computed
// in the image's floating type with scikit-image's roundings, so that single precision
// places pixels where scikit-image does.
//
// Image: (rows, columns, channels), bool to float64; result: (out_rows, out_columns,
// channels), float for float16 and float32 images, else double. One launch; the image is
// read once (neighbours from cache), the result is written once.
//
// Source: scikit-image `transform._warps_cy._warp_fast`, `_shared.interpolation`; R. Keys,
// "Cubic convolution interpolation for digital image processing", 1981.
#include "common/interpolation.cuh"
#include "common/rounded.cuh"
#include "filters/gaussian_taps.cuh"
#include "transform/sampled.cuh"

template <class W> struct Matrix {
    W at[9];
    int projective;
};

__device__ inline float rounded_sum(float a, float b) { return __fadd_rn(a, b); }
__device__ inline double rounded_sum(double a, double b) { return __dadd_rn(a, b); }

// row * (x, y, 1), in scikit-image's order of operations.
template <class W> __device__ inline W applied(const W* row, W x, W y) {
    return rounded_sum(rounded_sum(rounded_product(row[0], x), rounded_product(row[1], y)), row[2]);
}

// Indices of SIZE neighbours along an axis; -1 where the constant stands.
template <int SIZE> struct Neighbours {
    i64 index[SIZE];
    bool outside;
    __device__ void set(int k, i64 place, i64 size, int mode) {
        index[k] = boundary_index(place, size, mode);
    }
    __device__ Neighbours() : outside(false) {}
    __device__ void look() {
        for (int k = 0; k < SIZE; ++k) outside |= index[k] < 0;
    }
};

template <class W> __device__ inline W cubic(W x, const W (&f)[4]) {
    return f[1] + (W)0.5 * x * (f[2] - f[0] + x * (2 * f[0] - 5 * f[1] + 4 * f[2] - f[3] +
                                                   x * (3 * (f[1] - f[2]) + f[3] - f[0])));
}

template <int ORDER> struct Kernel;
template <> struct Kernel<1> {
    static constexpr int SIZE = 2;
    template <class W> static __device__ void places(Neighbours<2>& places, W x, W floor_x, i64 size, int mode) {
        places.set(0, index_of((double)floor_x), size, mode);
        places.set(1, index_of((double)ceil(x)), size, mode);
    }
    template <class W> static __device__ W along(W x, const W (&f)[2]) {
        return between((1 - x) * f[0] + x * f[1], f[0], f[1]);
    }
};
template <> struct Kernel<3> {
    static constexpr int SIZE = 4;
    template <class W> static __device__ void places(Neighbours<4>& places, W, W floor_x, i64 size, int mode) {
        const i64 start = index_of((double)floor_x) - 1;
#pragma unroll
        for (int k = 0; k < 4; ++k) places.set(k, start + k, size, mode);
    }
    template <class W> static __device__ W along(W x, const W (&f)[4]) { return cubic(x, f); }
};

// Value at (y, x) from the floor, of elements element(k, l) in lines below and columns beside each other.
template <class K, class W, class Element> __device__ inline W interpolated(W y, W x, const Element& element) {
    W lines[K::SIZE];
#pragma unroll
    for (int k = 0; k < K::SIZE; ++k) {
        W line[K::SIZE];
#pragma unroll
        for (int l = 0; l < K::SIZE; ++l) line[l] = element(k, l);
        lines[k] = K::along(x, line);
    }
    return K::along(y, lines);
}
constexpr i64 EXACT = 1 << 24;  // up to which each whole number is a float

// range, seen: see transform/sampled.cuh.
template <int ORDER, class T>
__global__ void warp_matrix(const T* image, typename Working<T>::type* result, i64 rows, i64 columns,
                            i64 channels, i64 out_rows, i64 out_columns,
                            const Matrix<typename Working<T>::type> matrix, int mode, double constant,
                            double scale, double lowest, const double* range, u32* seen) {
    typedef typename Working<T>::type W;
    typedef Kernel<ORDER> K;
    const Scaled<T, W> convert(scale, lowest);
    const W cval = (W)constant;
    Finish<W> finish(range, seen, cval);
    const bool small = rows <= EXACT && columns <= EXACT;
    const i64 line = columns * channels, pixels = out_rows * out_columns, step = (i64)gridDim.x * blockDim.x;
    for (i64 i = (i64)blockIdx.x * blockDim.x + threadIdx.x; i < pixels; i += step) {
        const i64 row = pixels <= 0xffffffffll ? (i64)((u32)i / (u32)out_columns) : i / out_columns;
        const W x = (W)(i - row * out_columns), y = (W)row;
        W c = applied(matrix.at, x, y), r = applied(matrix.at + 3, x, y);
        if (matrix.projective) {
            const W z = applied(matrix.at + 6, x, y);
            c /= z;
            r /= z;
        }
        const W floor_r = floor(r), floor_c = floor(c);
        const W below = r - floor_r, beside = c - floor_c;
        const auto put = [&](i64 channel, W value, bool touched) {
            const W made = finish.clip(value);
            finish.watch(made, touched);
            result[i * channels + channel] = made;
        };
        // all are inside; of 16 there would be too many registers
        if (ORDER == 1 && small && r >= 0 && r <= (W)(rows - 1) && c >= 0 && c <= (W)(columns - 1)) {
            const T* const first = image + ((int)floor_r * line + (int)floor_c * channels);
            const i64 to_line = below > 0 ? line : 0, to_column = beside > 0 ? channels : 0;
            for (i64 channel = 0; channel < channels; ++channel)
                put(channel, interpolated<K>(below, beside, [&](int k, int l) {
                        return (W)convert(first[(k ? to_line : 0) + (l ? to_column : 0) + channel]);
                    }), false);
            continue;
        }
        Neighbours<K::SIZE> down, across;
        K::places(down, r, floor_r, rows, mode);
        K::places(across, c, floor_c, columns, mode);
        down.look();
        across.look();
        for (i64 channel = 0; channel < channels; ++channel)
            put(channel, interpolated<K>(below, beside, [&](int k, int l) {
                    const bool outside = down.index[k] < 0 || across.index[l] < 0;
                    const i64 place = down.index[k] * columns + across.index[l];
                    return outside ? cval : (W)convert(image[place * channels + channel]);
                }), down.outside || across.outside);
    }
    finish.tell();
}
