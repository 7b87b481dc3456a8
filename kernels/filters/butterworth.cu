// Butterworth's filter between the Fourier transforms (which are CuPy's).
//
// Complex numbers are pairs. W: float or double, in which is computed. One launch reads and writes the
// spectrum once.
//
// Source: skimage/filters/_fft_based.py.
#include "common/types.cuh"

// spectrum: n complex numbers (i, j, k), j below `length` and k below `channels`; `result` may be the spectrum.
// The frequency's squared distance from 0, in units of the cutoff's, is across[i] + along[j].
template <class W>
__global__ void respond(const W* spectrum, const double* across, const double* along, i64 length, i64 channels,
                        i64 n, W order, bool high_pass, bool squared, W* result) {
    const i64 first = (i64)blockIdx.x * blockDim.x + threadIdx.x, stride = (i64)gridDim.x * blockDim.x;
    const i64 down = stride / channels / length, right = stride / channels % length, over = stride % channels;
    i64 i = first / channels / length, j = first / channels % length, k = first % channels;
    for (i64 at = first; at < n; at += stride) {
        W distance = (W)(across[i] + along[j]);
        distance = order == 2 ? distance * distance : pow(distance, order);
        W gain = 1 / (1 + distance);
        if (high_pass) gain *= distance;
        if (!squared) gain = sqrt(gain);
        // as NumPy multiplies with what has no imaginary part, for numbers that are not finite
        const W real = spectrum[2 * at], imaginary = spectrum[2 * at + 1];
        result[2 * at] = real * gain - imaginary * 0;
        result[2 * at + 1] = real * 0 + imaginary * gain;
        i += down;
        j += right;
        k += over;
        if (k >= channels) {
            k -= channels;
            ++j;
        }
        if (j >= length) {
            j -= length;
            ++i;
        }
    }
}
