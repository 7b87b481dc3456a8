// A step of the Gibbs sampler of an unsupervised Wiener filter.
//
// What: from the precisions of noise and prior, the data's spectrum and normal numbers, a sample of the
// spectrum of the image that was blurred. It is added to the sum of samples, and what the next precisions
// and the end of the chain are found from is added up.
//
// data, sum: n complex numbers in rows of `columns`; transfer and penalties as in `filtered`
// (deconvolution.cu). normals: n numbers, then n more. sum_after may be the sum. All is in double. One
// launch reads them and writes the sum once.
//
// Source: skimage/restoration/deconvolution.py, after Orieux, Giovannelli and Rodet, J. Opt. Soc. Am. A 27
// (2010).
#include "common/reduce.cuh"
#include "restoration/penalties.cuh"

constexpr int THREADS = 256;

// |data - transfer sample|^2 and |penalty sample|^2, the same of the first column alone; how far the mean
// moved, and the magnitudes of the sum.
enum { MISFIT, ROUGHNESS, FIRST_MISFIT, FIRST_ROUGHNESS, MOVED, MAGNITUDE, COUNT };

struct Sums {
    double of[COUNT];
};

__device__ inline double magnitude(double real, double imaginary) { return hypot(real, imaginary); }

// counted: samples in the sum after this one; none are added where it is 0 or less
// result: the COUNT sums; partials: as many for each block; arrived: 0 before the launch and after it
__global__ void __launch_bounds__(THREADS)
    gibbs_step(const double* data, const double* transfer, int transfer_step, const double* penalties,
               const __grid_constant__ Regularisation regularisation, const double* normals, double noise,
               double prior, i64 counted, i64 columns, i64 n, const double* sum, double* sum_after,
               void* partials, u32* arrived, double* result) {
    __shared__ Sums scratch[THREADS];
    Sums mine = {};
    for (i64 i = (i64)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (i64)gridDim.x * blockDim.x) {
        const double real = transfer[transfer_step * i], imaginary = transfer_step == 2 ? transfer[2 * i + 1] : 0.0;
        const double penalty = regularisation.at(penalties, i);
        const double precision = noise * (real * real + imaginary * imaginary) + prior * (penalty * penalty);
        const double spread = sqrt(0.5 / precision), a = noise * real / precision, b = -noise * imaginary / precision;
        const double c = data[2 * i], d = data[2 * i + 1];
        const double x = a * c - b * d + spread * normals[i], y = a * d + b * c + spread * normals[n + i];
        const double off_real = c - (x * real - y * imaginary), off_imaginary = d - (x * imaginary + y * real);
        const double misfit = off_real * off_real + off_imaginary * off_imaginary;
        const double roughness = (x * penalty) * (x * penalty) + (y * penalty) * (y * penalty);
        mine.of[MISFIT] += misfit;
        mine.of[ROUGHNESS] += roughness;
        if (i % columns == 0) {
            mine.of[FIRST_MISFIT] += misfit;
            mine.of[FIRST_ROUGHNESS] += roughness;
        }
        if (counted <= 0) continue;
        const double before_x = counted > 1 ? sum[2 * i] : 0.0, before_y = counted > 1 ? sum[2 * i + 1] : 0.0;
        const double after_x = before_x + x, after_y = before_y + y;
        sum_after[2 * i] = after_x;
        sum_after[2 * i + 1] = after_y;
        if (counted > 1) {
            const double now = (double)counted, then = (double)(counted - 1);
            mine.of[MOVED] += magnitude(after_x / now - before_x / then, after_y / now - before_y / then);
            mine.of[MAGNITUDE] += magnitude(after_x, after_y);
        }
    }
    const auto combine = [](const Sums& a, const Sums& b) {
        Sums both;
#pragma unroll
        for (int k = 0; k < COUNT; ++k) both.of[k] = a.of[k] + b.of[k];
        return both;
    };
    grid_reduce(mine, scratch, (Sums*)partials, arrived, combine, [&](const Sums& total) {
#pragma unroll
        for (int k = 0; k < COUNT; ++k) result[k] = total.of[k];
        *arrived = 0;
    });
}
