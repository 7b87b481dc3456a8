// Deconvolution about the Fourier transforms (which are CuPy's): what comes before, between and behind them.
//
//     placed       an array in a larger one, moved around its borders: a point spread function
//     filtered     a spectrum by the filter of Wiener and Hunt
//     multiplied   a spectrum by another one or its conjugate: a convolution or a correlation
//     compared     the image divided by an estimate that was blurred (Richardson and Lucy)
//     corrected    the estimate multiplied by what became of that
//     finished     a part of an array in the result's dtype, clipped to -1 and 1
//
// Arrays have up to 8 axes, complex numbers are pairs. W: float or double, in which is computed. Each launch
// reads its arrays and writes its result once.
//
// Source: skimage/restoration/deconvolution.py, after Hunt, IEEE Trans. Audio Electroacoust. 19 (1971),
// Richardson, J. Opt. Soc. Am. 62 (1972), and Lucy, Astron. J. 79 (1974).
#include "common/any_type.cuh"
#include "restoration/penalties.cuh"
#include "restoration/relative_blur.cuh"

constexpr int AXES = 8;

// An array of `inner` within one of `outer`: element j of the inner one is element j - shift of the
// outer one, along each axis and around its border. Axes before `first` have length 1.
struct Frame {
    i64 outer[AXES], inner[AXES], shift[AXES];
    int first;
    // Place in the inner array of element i of the outer one, or -1.
    __device__ i64 within(i64 i) const {
        i64 place = 0, stride = 1;
        bool inside = true;
        for (int k = AXES - 1; k >= first; --k) {
            i64 j = i % outer[k] + shift[k];
            i /= outer[k];
            j -= j >= outer[k] ? outer[k] : 0;
            inside = inside && j < inner[k];
            place += j * stride;
            stride *= inner[k];
        }
        return inside ? place : -1;
    }
    // Place in the outer array of element j of the inner one.
    __device__ i64 of(i64 j) const {
        i64 place = 0, stride = 1;
        for (int k = AXES - 1; k >= first; --k) {
            i64 i = j % inner[k] - shift[k];
            j /= inner[k];
            i += i < 0 ? outer[k] : 0;
            place += i * stride;
            stride *= outer[k];
        }
        return place;
    }
};

// The first element and the step of a loop over elements.
#define EACH(i, n) \
    i64 i = (i64)blockIdx.x * blockDim.x + threadIdx.x; i < (n); i += (i64)gridDim.x * blockDim.x

template <class W> __device__ inline W element(const void* array, int type, i64 i) {
    return load_any<W, 1>(array, type, i).item[0];
}

// result: n elements, of the outer array; 0 outside of the inner one.
template <class W>
__global__ void placed(const void* given, int type, const __grid_constant__ Frame frame, i64 n, W* result) {
    for (EACH(i, n)) {
        const i64 place = frame.within(i);
        result[i] = place < 0 ? (W)0 : element<W>(given, type, place);
    }
}

// spectrum: n complex numbers. transfer: as many, or where transfer_step is 1 real ones.
// `result` may be the spectrum.
template <class W>
__global__ void filtered(const W* spectrum, const W* transfer, int transfer_step, const double* penalties,
                         const __grid_constant__ Regularisation regularisation, W balance, i64 n, W* result) {
    for (EACH(i, n)) {
        const W real = transfer[transfer_step * i], imaginary = transfer_step == 2 ? transfer[2 * i + 1] : (W)0;
        const W penalty = (W)regularisation.at(penalties, i);
        const W divisor = (real * real + imaginary * imaginary) + balance * (penalty * penalty);
        const W a = real / divisor, b = -imaginary / divisor, c = spectrum[2 * i], d = spectrum[2 * i + 1];
        result[2 * i] = a * c - b * d;
        result[2 * i + 1] = a * d + b * c;
    }
}

// Complex numbers, n of them; `result` may be `first`.
__global__ void multiplied(const double* first, const double* second, bool conjugate, i64 n, double* result) {
    for (EACH(i, n)) {
        const double a = first[2 * i], b = first[2 * i + 1];
        const double c = second[2 * i], d = conjugate ? -second[2 * i + 1] : second[2 * i + 1];
        result[2 * i] = a * c - b * d;
        result[2 * i + 1] = a * d + b * c;
    }
}

// ratios: n elements, of the outer array; 0 outside of the image, and where the estimate is below `least`.
// odd becomes 1 where an element of the image is not below `most`, whatever its sign.
__global__ void compared(const double* blurred, const void* image, int type, const __grid_constant__ Frame frame,
                         double least, double most, i64 n, double* ratios, u32* odd) {
    bool seen = false;
    for (EACH(i, n)) {
        const i64 place = frame.within(i);
        double ratio = 0.0;
        if (place >= 0) {
            const double pixel = element<double>(image, type, place);
            ratio = relative_blur(pixel, blurred[i], least);
            seen = seen || !(fabs(pixel) < most);
        }
        ratios[i] = ratio;
    }
    if (seen) atomicOr(odd, 1u);
}

// `corrected_estimate` may be the estimate; both are of the outer array, 0 outside of the inner one. frame:
// an element of the inner array is multiplied by the factor at its place in the outer one. odd as above, of
// the estimate.
__global__ void corrected(const double* factors, const double* estimate, const __grid_constant__ Frame plain,
                          const __grid_constant__ Frame frame, double most, i64 n, double* corrected_estimate,
                          u32* odd) {
    bool seen = false;
    for (EACH(i, n)) {
        const i64 place = plain.within(i);
        const double value = place < 0 ? 0.0 : estimate[i] * factors[frame.of(place)];
        corrected_estimate[i] = value;
        seen = seen || !(fabs(value) < most);
    }
    if (seen) atomicOr(odd, 1u);
}

// The inner array of `values`, n elements: real ones, or complex ones that are compared as NumPy does.
template <class W, class U, bool COMPLEX>
__global__ void finished(const W* values, const __grid_constant__ Frame frame, bool clip, i64 n, U* result) {
    const W one = 1;
    for (EACH(i, n)) {
        const i64 place = frame.of(i);
        if (COMPLEX) {
            W real = values[2 * place], imaginary = values[2 * place + 1];
            if (clip && (real > one || (real == one && imaginary > 0))) real = one, imaginary = 0;
            if (clip && (real < -one || (real == -one && imaginary < 0))) real = -one, imaginary = 0;
            result[2 * i] = (U)real;
            result[2 * i + 1] = (U)imaginary;
        } else {
            const W value = values[place];
            result[i] = (U)(!clip ? value : value > one ? one : value < -one ? -one : value);
        }
    }
}
