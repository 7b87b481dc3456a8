// Intensities from [low, high] to [result_low, result_high], clipped before.
//
// image, result: n elements, any alignment. T: integer, float or double; U: any result.
// Where `uses` says so, limits are those of the image, which `range` has (value_range.cu):
// the host need not wait for them. `range` may be null where no limit comes from there.
//
// Computed in float for float images, else in double, each operation rounded as NumPy's:
// integer results are equal. 8-bit images go through a table that each block makes.
// One launch; the image is read once, the result written once.
// Source: skimage/exposure/exposure.py, rescale_intensity.
#include "common/points.cuh"
#include "common/rounded.cuh"

enum Uses {
    FROM_IMAGE = 1,        // low and high are the image's
    TO_IMAGE = 2,          // so are result_low and result_high
    LOW_ZERO_UNSIGNED = 4  // result_low is 0 where the image's range has nothing negative
};

template <class T> struct RescaleValue { using type = double; };
template <> struct RescaleValue<float> { using type = float; };

template <class T, class U>
__global__ void rescale(const T* image, i64 n, double low, double high, double result_low, double result_high, int uses,
                        const T* range, U* result) {
    using W = typename RescaleValue<T>::type;
    using A = NumpyArithmetic<W>;
    if (uses & FROM_IMAGE) low = (double)range[0], high = (double)range[1];
    if (uses & TO_IMAGE) result_low = (double)range[0], result_high = (double)range[1];
    if ((uses & LOW_ZERO_UNSIGNED) && low >= 0.0) result_low = 0.0;

    const bool constant = low == high;
    const W from = (W)low, to = (W)high, width = (W)(high - low);
    const W start = (W)result_low, stop = (W)result_high, stretch = (W)(result_high - result_low);
    const auto rescaled = [=](T element) -> U {
        W value = (W)element;
        value = value < from ? from : value;
        value = value > to ? to : value;
        if (constant) {  // as numpy.clip, also by NaN
            value = value < start || start != start ? start : value;
            return (U)(value > stop || stop != stop ? stop : value);
        }
        return (U)A::add(A::multiply(A::divide(A::subtract(value, from), width), stretch), start);
    };
    if constexpr (sizeof(T) == 1) {
        __shared__ U table[256];
        for (int k = threadIdx.x; k < 256; k += blockDim.x) table[k] = rescaled((T)k);
        __syncthreads();
        for_points(image, result, n, [=](T element) { return table[(u8)element]; });
    } else {
        for_points(image, result, n, rescaled);
    }
}
