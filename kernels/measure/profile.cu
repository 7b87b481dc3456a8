// Values of a plane along a line that is some pixels wide, by splines of orders 0 to 5.
//
// image: `rows` x `columns` places of `channels` each, whose type is told as in any_type.cuh (orders
// above 1: spline coefficients, `pad` elements longer at each end than the image). coordinates: rows of
// `count` points, then their columns. result: channels of each point, in double, as SciPy has them
// before it stores them. One launch, one thread an element of the result; the few elements around each
// point are read.
//
// All products are rounded, and added up one after the other, in SciPy's order: what is stored as
// integers is decided by the last bit.
//
// Source: skimage/measure/profile.py; scipy.ndimage, NI_GeometricTransform.
#include "common/any_type.cuh"
#include "common/interpolation.cuh"

template <int ORDER>
__global__ void profile(const u8* image, int type, const double* coordinates, i64 count, i64 rows, i64 columns,
                        i64 channels, i64 pad, int mode, double cval, double* result) {
    const i64 step = (i64)gridDim.x * blockDim.x;
    for (i64 i = (i64)blockIdx.x * blockDim.x + threadIdx.x; i < count * channels; i += step) {
        const i64 point = i / channels, channel = i - point * channels;
        AxisTaps<ORDER, double> down, across;
        down.set(coordinates[point] + (double)pad, rows, mode);
        across.set(coordinates[count + point] + (double)pad, columns, mode);
        double sum = 0;
#pragma unroll
        for (int y = 0; y <= ORDER; ++y) {
#pragma unroll
            for (int x = 0; x <= ORDER; ++x) {
                const bool outside = down.index[y] < 0 || across.index[x] < 0;
                const i64 place = (down.index[y] * columns + across.index[x]) * channels + channel;
                const double value = outside ? cval : load_any<double, 1>(image, type, place).item[0];
                if (ORDER == 0) sum = value;
                else sum = __dadd_rn(sum, __dmul_rn(__dmul_rn(value, down.weight[y]), across.weight[x]));
            }
        }
        result[i] = sum;
    }
}
