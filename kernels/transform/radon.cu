// Radon transform: sums of an image along the columns of its rotated copies.
//
// What: the image, which lies in a square, is turned about the square's middle by each angle,
// interpolated linearly, and its columns are summed. No rotated image is stored: a thread makes
// the pixels of one column one after the other and adds them up. Threads that are neighbours have
// neighbouring columns of the same angle, so that what they read lies together.
//
// Image: (rows, columns), bool to float64. Sinogram: (side, angles), float for float16 and float32
// images, else double. One launch; the image is read once (neighbours, and the other angles, from
// cache), the sinogram is written once.
//
// Coordinates, pixels and sums have scikit-image's roundings, and its order of additions: results
// are equal to the last bit.
//
// Source: skimage/transform/radon_transform.py (radon), `_warps_cy._warp_fast`,
// `_shared.interpolation`; A. C. Kak and M. Slaney, "Principles of Computerized Tomographic
// Imaging", 1988.
#include "common/rounded.cuh"
#include "filters/gaussian_taps.cuh"

template <class T> struct Real { typedef double type; };
template <> struct Real<float> { typedef float type; };
template <> struct Real<float16> { typedef float type; };

// The square and the image in it. Pixel (row, column) of the square is that of the image at
// (row + top, column + left), if this is in [first, end) of either axis; others are 0.
struct Square {
    i64 rows, columns;  // of the image
    i64 side;
    i64 top, left;
    i64 first_row, end_row, first_column, end_column;
    i64 radius;  // of the circle outside of which pixels are to be 0; less than 0: they need not
};

// first * x + second * y + third, in scikit-image's order.
template <class W> __device__ inline W place(const W* of, W x, W y) {
    using A = NumpyArithmetic<W>;
    return A::add(A::add(A::multiply(of[0], x), A::multiply(of[1], y)), of[2]);
}

// a * (1 - t) + b * t. As in the C that is made of scikit-image's source, 1 is a double, and in
// single precision the second product alone is rounded to it.
template <class V> __device__ inline double mixed(V t, V a, V b) {
    const double first = __dmul_rn(__dsub_rn(1, t), a);
    return __dadd_rn(first, (double)NumpyArithmetic<V>::multiply(t, b));
}

// turns: six numbers for each angle, from places in the rotated square to those in the square
// scale, lowest: of Scaled
// outside: receives 1 where a pixel outside of the circle is not 0
template <class T>
__global__ void radon(const T* image, const typename Real<T>::type* turns, typename Real<T>::type* sinogram,
                      i64 angles, Square square, double scale, double lowest, u32* outside) {
    typedef typename Real<T>::type W;
    const Scaled<T, W> convert(scale, lowest);
    const i64 first = (i64)blockIdx.x * blockDim.x + threadIdx.x, step = (i64)gridDim.x * blockDim.x;

    const auto pixel = [&](i64 row, i64 column) {
        const i64 y = row + square.top, x = column + square.left;
        const bool is_inside = y >= square.first_row && y < square.end_row && x >= square.first_column &&
                               x < square.end_column;
        return is_inside ? convert(image[y * square.columns + x]) : (W)0;
    };
    for (i64 i = first; i < square.side * angles; i += step) {
        const i64 angle = i / square.side, column = i - angle * square.side;
        W turn[6];
#pragma unroll
        for (int k = 0; k < 6; ++k) turn[k] = turns[6 * angle + k];
        W sum = 0;
        for (i64 row = 0; row < square.side; ++row) {
            const W x = place(turn, (W)column, (W)row), y = place(turn + 3, (W)column, (W)row);
            const W floor_x = floor(x), floor_y = floor(y);
            const i64 left = (i64)floor_x, right = (i64)ceil(x), upper = (i64)floor_y, lower = (i64)ceil(y);
            const double above = mixed(x - floor_x, pixel(upper, left), pixel(upper, right));
            const double below = mixed(x - floor_x, pixel(lower, left), pixel(lower, right));
            sum = NumpyArithmetic<W>::add(sum, (W)mixed((double)(y - floor_y), above, below));
        }
        sinogram[column * angles + angle] = sum;
    }
    if (square.radius < 0) return;
    for (i64 i = first; i < square.rows * square.columns; i += step) {
        const i64 row = i / square.columns, column = i - row * square.columns;
        const i64 y = row - square.rows / 2, x = column - square.columns / 2;
        if (y * y + x * x > square.radius * square.radius && (W)image[i] != 0) *outside = 1;
    }
}
