// Normalized correlation of a template with the windows of an image, about the Fourier
// transforms (which are CuPy's): what comes before, between and after them.
//
//     template_statistics   mean of the template, and the sum of squares about it
//     two_signals           the image, extended where windows reach beyond it, and the template
//                           less its mean, as arrays of one shape with zeros behind them
//     correlated            the spectrum of the first by the conjugate of the second's
//     window_moments        sums and sums of squares down the windows' first axis (volumes)
//     response              sums and sums of squares over whole windows; with the correlation,
//                           which is that of the window less its mean, the coefficient. Sums of
//                           integers are exact, as scikit-image's: flat windows give 0
//
// Arrays have three axes; a plane has a first one of length 1. Images and templates: bool,
// integers, double. Everything is computed in double.
//
// Source: scikit-image `feature.match_template` (J. P. Lewis, "Fast normalized
// cross-correlation", 1995).
#include "common/any_type.cuh"
#include "common/boundary.cuh"
#include "common/reduce.cuh"
#include "common/shared.cuh"
#include "metrics/window_means.cuh"

constexpr int THREADS = 128;

// Neighbouring elements are one thread's: the type is asked for once.
__device__ inline double element(const void* image, int type, i64 i) {
    return load_any<double, 1>(image, type, i).item[0];
}

// statistics = {mean, sum of squares about the mean}. One block.
__global__ void __launch_bounds__(THREADS)
    template_statistics(const void* pattern, int type, i64 n, double* statistics) {
    __shared__ double sums[THREADS];
    __shared__ double mean;
    const auto add = [](double a, double b) { return a + b; };
    double sum = 0.0;
    for (i64 i = threadIdx.x; i < n; i += blockDim.x) sum += element(pattern, type, i);
    sums[threadIdx.x] = sum;
    block_reduce(sums, blockDim.x, add);
    if (threadIdx.x == 0) mean = sums[0] / (double)n;
    __syncthreads();
    sum = 0.0;
    for (i64 i = threadIdx.x; i < n; i += blockDim.x) {
        const double apart = element(pattern, type, i) - mean;
        sum += apart * apart;
    }
    sums[threadIdx.x] = sum;
    block_reduce(sums, blockDim.x, add);
    if (threadIdx.x == 0) {
        statistics[0] = mean;
        statistics[1] = sums[0];
    }
}

struct Volume {
    i64 size[3];
    __device__ i64 count() const { return size[0] * size[1] * size[2]; }
};

// signals: (2, shape)
// extended: how many elements of the first one the image and its extension are
// before: elements of the extension before the image, along each axis
__global__ void two_signals(const void* image, int image_type, const void* pattern, int pattern_type,
                            const double* statistics, const Volume shape, const Volume image_shape,
                            const Volume pattern_shape, const Volume extended, const Volume before,
                            int mode, double cval, double* signals) {
    const i64 n = shape.count(), step = (i64)gridDim.x * blockDim.x;
    const double mean = statistics[0];
    for (i64 i = (i64)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
        i64 place = 0, pattern_place = 0, rest = i, stride = 1, pattern_stride = 1;
        bool inside = true, in_image = true, in_pattern = true;
        for (int axis = 2; axis >= 0; --axis) {
            const i64 x = rest % shape.size[axis];
            rest /= shape.size[axis];
            inside = inside && x < extended.size[axis];
            const i64 source = boundary_index(x - before.size[axis], image_shape.size[axis], mode);
            in_image = in_image && source >= 0;
            place += source * stride;
            stride *= image_shape.size[axis];
            in_pattern = in_pattern && x < pattern_shape.size[axis];
            pattern_place += x * pattern_stride;
            pattern_stride *= pattern_shape.size[axis];
        }
        signals[i] = !inside ? 0.0 : in_image ? element(image, image_type, place) : cval;
        signals[n + i] = in_pattern ? element(pattern, pattern_type, pattern_place) - mean : 0.0;
    }
}

// spectra: (2, n) complex numbers; `product`, n of them, may be the first ones.
__global__ void correlated(const double* spectra, i64 n, double* product) {
    using Complex = Values<double, 2>;
    const Complex *const first = (const Complex*)spectra, *const second = first + n;
    Complex* const result = (Complex*)product;
    const i64 step = (i64)gridDim.x * blockDim.x;
    for (i64 i = (i64)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
        const Complex a = first[i], b = second[i];
        result[i] = {{a.of[0] * b.of[0] + a.of[1] * b.of[1], a.of[1] * b.of[0] - a.of[0] * b.of[1]}};
    }
}

using Moments = Values<double, 2>;

struct MomentsOfElements {
    const double* signal;
    __device__ Moments operator()(i64 index) const {
        const double x = signal[index];
        return {{x, x * x}};
    }
};

struct MomentsBefore {
    const double* moments;
    __device__ Moments operator()(i64 index) const { return ((const Moments*)moments)[index]; }
};

// moments: two numbers for each window along the rows of `view`, as many columns
// odd: becomes 1 where a sum is not finite
__global__ void __launch_bounds__(THREADS, 3)
    window_moments(const double* signal, const Windows view, double* moments, double* odd) {
    DYN_SHARED(unsigned char, shared);
    for_window_means<false, 2, double>(
        shared, view, odd, MomentsOfElements{signal},
        [&](i64, i64 plane, i64 y, i64 x, const Moments& sums) {
            ((Moments*)moments)[(plane * view.rows + y) * view.columns + x] = sums;
        },
        [](i64, i64) {});
}

// source: the signal, or window_moments
// correlation: of each window with the template, (outer, height, breadth) of the signal's shape
// volume: elements of a window
template <class Source>
__global__ void __launch_bounds__(THREADS, 3)
    response(const double* source, const double* correlation, const double* statistics,
             const Windows view, i64 height, i64 breadth, double volume, double* result, double* odd) {
    DYN_SHARED(unsigned char, shared);
    const double squares = statistics[1];
    for_window_means<false, 2, double>(
        shared, view, odd, Source{source},
        [&](i64, i64 plane, i64 y, i64 x, const Moments& sums) {
            const double apart = sums.of[1] - __dmul_rn(sums.of[0], sums.of[0]) / volume;
            const double product = __dmul_rn(apart, squares);
            const double denominator = sqrt(product > 0.0 ? product : 0.0);
            const double numerator = correlation[(plane * height + y) * breadth + x];
            result[(plane * view.rows + y) * view.columns + x] =
                denominator > 2.220446049250313e-16 ? numerator / denominator : 0.0;
        },
        [](i64, i64) {});
}
