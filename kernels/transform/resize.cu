// Images of another size, by splines of orders 0 to 5.
//
// What: each element of the result takes the image's value at (place + 0.5) * zoom - 0.5 along
// each axis that changes its length; all other axes lie before, between and behind these.
//
// Image: any dtype (orders above 1: spline coefficients, `pad` elements longer at each end
// than the image). Result: the image's dtype for order 0, else float for float16 and float32
// images, else double. One launch; the image is read once (neighbours from cache), the
// result is written once.
//
// Source: scikit-image `transform.resize`, scipy.ndimage.zoom with grid_mode.
#include "common/interpolation.cuh"
#include "filters/gaussian_taps.cuh"
#include "transform/sampled.cuh"

// The result as (beside[0], made[0], beside[1], made[1], ..., beside[AXES]).
template <int AXES> struct Sizes {
    i64 beside[AXES + 1], made[AXES];
    i64 beside_stride[AXES + 1], stride[AXES];  // in the image
    i64 size[AXES];                             // of the image, padding included
    double zoom[AXES];
    i64 count, pad;
};

// Takes the last coordinate off `rest`.
__device__ inline i64 split(i64& rest, i64 size, bool narrow) {
    const i64 above = narrow ? (i64)((u32)rest / (u32)size) : rest / size;
    const i64 place = rest - above * size;
    rest = above;
    return place;
}

// range, seen: see transform/sampled.cuh.
template <int ORDER, int AXES, class T, class O>
__global__ void resize_image(const T* image, O* result, const Sizes<AXES> sizes, int mode, double constant,
                             double scale, double lowest, const double* range, u32* seen) {
    typedef double W;  // as SciPy, also in single precision
    const Scaled<T, W> convert(scale, lowest);
    const W cval = (W)constant;
    Finish<W> finish(range, seen, (W)shown<O>(constant));
    i64 strides[AXES];
#pragma unroll
    for (int a = 0; a < AXES; ++a) strides[a] = sizes.stride[a];
    const bool narrow = sizes.count <= 0xffffffffll;
    const i64 step = (i64)gridDim.x * blockDim.x;
    for (i64 i = (i64)blockIdx.x * blockDim.x + threadIdx.x; i < sizes.count; i += step) {
        i64 rest = i, first = split(rest, sizes.beside[AXES], narrow);
        AxisTaps<ORDER, W> taps[AXES];
        bool touched = false;
#pragma unroll
        for (int a = AXES - 1; a >= 0; --a) {
            const double place = (double)split(rest, sizes.made[a], narrow) + 0.5;
            const double at = __dadd_rn(__dmul_rn(place, sizes.zoom[a]), -0.5);
            taps[a].set(at + (double)sizes.pad, sizes.size[a], mode);
            touched |= taps[a].outside();
            first += split(rest, sizes.beside[a], narrow) * sizes.beside_stride[a];
        }
        W value;
        if constexpr (ORDER == 1)
            value = interpolate_linear(image + first, taps, strides, cval, convert);
        else
            value = interpolate<ORDER, AXES>(image + first, taps, strides, cval, convert);
        const O made = Rounded<O>::value(finish.clip(value));
        finish.watch((W)made, touched);
        result[i] = made;
    }
    finish.tell();
}
