// Two correlations of a plane at once, with the real and the imaginary part of weights: gabor.
//
// What: a block filters a tile of 64 x 16 elements, a thread MINE of a row.
//
//     1. the tile and its halo into shared memory
//     2. sums of both parts, for which elements and weights are read once
//     3. in double, all threads side by side, what 2 made in float and left in doubt
//
// Sums in double are added up product by product in the order in which the weights are given, each rounded: equal to
// SciPy's to the last bit. In float there are
//
//     of floats, whose weights are floats, too, where cards are slow in double: sums in two floats
//     of integers of 8 bits: sums in one float, since results are cut to integers
//
// A result is certain where all numbers that SciPy's sum can be give the same one. The others are listed in shared
// memory: where neighbours are nearly equal they are many, but seldom a whole warp's.
//
// image, real, imaginary: p.ny x p.nx elements; results are as SciPy stores them (stored.cuh). Shared memory: the
// tile, and 4 kB of the list where sums are in float.
// One launch; the image is read once (halos again, from cache), results are written once.
//
// Source: SciPy ni_filters.c, NI_Correlate; skimage/filters/_gabor.py.
#include "common/float_sums.cuh"
#include "common/rounded.cuh"
#include "common/shared.cuh"
#include "common/tile.cuh"
#include "filters/stored.cuh"

constexpr int WIDTH = 64, HEIGHT = 16;
constexpr int MINE = LANES > 1 ? LANES : 4;          // elements of a thread
constexpr int APART = LANES > 1 ? 1 : WIDTH / MINE;  // and how far they are from each other

// The weights of one way from an element, 0 where SciPy leaves one out; the same as floats, and no less than either;
// where its element is in a tile, from the sums' place in a tile without halo.
struct __align__(16) Tap {
    double real, imaginary;
    float real_float, imaginary_float, size;
    int way;
};

struct Gabor {
    i64 ny, nx;
    double cval;
    int mode, taps;
    int down, across;                   // the halo to either side
    int pitch;                          // 16 more than a multiple of 32: a warp's two rows lie in different banks
    float real_apart, imaginary_apart;  // how far sums of integers in float may be from SciPy's
};

enum Sums { IN_DOUBLE, IN_TWO_FLOATS, IN_ONE_FLOAT };
template <class T> constexpr Sums SUMS = sizeof(T) == 1 ? IN_ONE_FLOAT : IN_DOUBLE;
template <> constexpr Sums SUMS<float> = IN_FLOATS ? IN_TWO_FLOATS : IN_DOUBLE;
template <Sums> struct HeldAs { typedef float type; };
template <> struct HeldAs<IN_DOUBLE> { typedef double type; };

__device__ inline double plus_rounded(double sum, double element, double weight) {
    using A = NumpyArithmetic<double>;
    return A::add(sum, A::multiply(element, weight));
}

__device__ inline void add(double (&sums)[MINE], const double* element, double weight) {
#pragma omp simd
    for (int k = 0; k < MINE; ++k) sums[k] = plus_rounded(sums[k], element[k * APART], weight);
}

// Both sums of each of a thread's elements, the first of which is at `first` in a tile without halo. Any thread may
// call it, behind a barrier.
__device__ inline void add_up(double (&real)[MINE], double (&imaginary)[MINE], const double* first, const Tap* taps,
                              int count) {
    for (int k = 0; k < MINE; ++k) real[k] = imaginary[k] = 0;
#pragma unroll 2
    for (int t = 0; t < count; ++t) {
        const Tap tap = taps[t];
        const double* const element = first + tap.way;
        if (tap.real_float != 0 && tap.imaginary_float != 0) {
#pragma omp simd
            for (int k = 0; k < MINE; ++k) {
                const double x = element[k * APART];
                real[k] = plus_rounded(real[k], x, tap.real);
                imaginary[k] = plus_rounded(imaginary[k], x, tap.imaginary);
            }
        } else if (tap.real_float != 0) {
            add(real, element, tap.real);
        } else {
            add(imaginary, element, tap.imaginary);
        }
    }
}
__device__ inline void add_up(float (&real)[MINE], float (&imaginary)[MINE], const float* first, const Tap* taps,
                              int count) {
    for (int k = 0; k < MINE; ++k) real[k] = imaginary[k] = 0;
#pragma unroll 4
    for (int t = 0; t < count; ++t) {
        const Tap& tap = taps[t];
        const float* const element = first + tap.way;
#pragma omp simd
        for (int k = 0; k < MINE; ++k) {
            const float x = element[k * APART];
            real[k] = fma(x, tap.real_float, real[k]);
            imaginary[k] = fma(x, tap.imaginary_float, imaginary[k]);
        }
    }
}

// One sum in double.
template <class Held>
__device__ inline double sum_in_double(const Held* element, const Tap* taps, int count, bool is_imaginary) {
    double sum = 0;
#pragma unroll 4
    for (int t = 0; t < count; ++t) {
        const Tap& tap = taps[t];
        if ((is_imaginary ? tap.imaginary_float : tap.real_float) != 0)
            sum = plus_rounded(sum, element[tap.way], is_imaginary ? tap.imaginary : tap.real);
    }
    return sum;
}

// A sum of integers of 8 bits, cut to one; false where SciPy's may be beyond the next one.
template <class U> __device__ inline bool is_cut(U& result, float sum, float apart) {
    result = (U)(u8)(int)sum;
    return fabs(sum - rintf(sum)) > apart || fabs(sum) < 1 - apart;
}

// Both sums of each of a thread's elements in two floats, and which of them are certain: bit 2 k for the real part of
// the k-th one, the next one for the imaginary part. As `add_up`.
__device__ inline u32 add_up_in_floats(float (&real)[MINE], float (&imaginary)[MINE], const float* first,
                                       const Tap* taps, int count) {
    float size[MINE], start[MINE], low[2][MINE];
#pragma unroll
    for (int k = 0; k < MINE; ++k) size[k] = 0;
#pragma unroll 4
    for (int t = 0; t < count; ++t) {
        const Tap& tap = taps[t];
        const float* const element = first + tap.way;
#pragma unroll
        for (int k = 0; k < MINE; ++k) size[k] = fma(fabs(element[k * APART]), tap.size, size[k]);
    }
#pragma unroll
    for (int k = 0; k < MINE; ++k) {
        real[k] = imaginary[k] = start[k] = start_of(enlarged(size[k], count));
        low[0][k] = low[1][k] = 0;
    }
#pragma unroll 4
    for (int t = 0; t < count; ++t) {
        const Tap& tap = taps[t];
        const float* const element = first + tap.way;
#pragma unroll
        for (int k = 0; k < MINE; ++k) {
            const float x = element[k * APART];
            add_product(real[k], low[0][k], x, tap.real_float);
            add_product(imaginary[k], low[1][k], x, tap.imaginary_float);
        }
        if (t % FOLD_OF_FLOATS < FOLD_OF_FLOATS - 1) continue;
#pragma unroll
        for (int k = 0; k < MINE; ++k) {
            fold(real[k], low[0][k]);
            fold(imaginary[k], low[1][k]);
        }
    }
    const float error = error_of_floats(count);
    u32 certain = 0;
#pragma unroll
    for (int k = 0; k < MINE; ++k) {
        u32 any = 1;
        if (size[k] < LEAST_SUM) {  // seldom; whether there is nothing but zeros
            any = 0;
            for (int t = 0; t < count; ++t) any |= __float_as_uint(first[taps[t].way + k * APART]);
        }
        certain |= (u32)rounded_sum(real[k], size[k], start[k], real[k], low[0][k], any, error) << 2 * k;
        certain |= (u32)rounded_sum(imaginary[k], size[k], start[k], imaginary[k], low[1][k], any, error) << (2 * k + 1);
    }
    return certain;
}

template <class T, class U>
__global__ void __launch_bounds__(256, RESIDENT)
    gabor(const T* image, const Tap* taps, const __grid_constant__ Gabor p, U* real, U* imaginary) {
    typedef typename HeldAs<SUMS<T>>::type Held;
    DYN_SHARED(Held, tile);  // as many rows of p.pitch as the tile and its halo have
    u16* const listed = reinterpret_cast<u16*>(tile + (HEIGHT + 2 * p.down) * p.pitch);  // 2 WIDTH HEIGHT
    __shared__ u32 doubts;

    const i64 x0 = (i64)blockIdx.x * WIDTH, y0 = ((i64)blockIdx.z * gridDim.y + blockIdx.y) * HEIGHT;
    if (y0 >= p.ny) return;
    const int width = p.nx - x0 < WIDTH ? (int)(p.nx - x0) : WIDTH;
    const int height = p.ny - y0 < HEIGHT ? (int)(p.ny - y0) : HEIGHT;
    const int thread = threadIdx.y * blockDim.x + threadIdx.x, threads = blockDim.x * blockDim.y;
    const i64 corner = y0 * p.nx + x0;
    // 1
    if (thread == 0) doubts = 0;
    load_columns(tile, p.pitch, image, {p.ny, p.nx, p.mode}, {p.nx, 1, p.mode}, y0 - p.down, x0 - p.across,
                 height + 2 * p.down, width + 2 * p.across, (Held)p.cval, [](T value) { return (Held)value; });
    __syncthreads();
    // 2
    constexpr int STRIPS = WIDTH / MINE;
    for (int strip = thread; strip < HEIGHT * STRIPS; strip += threads) {
        const int r = strip / STRIPS, c = strip % STRIPS * (LANES > 1 ? MINE : 1);
        if (r >= height || c >= width) continue;
        Held sums[2][MINE];
        u32 certain = ~0u;
        const Held* const first = tile + (r * p.pitch + c);
        if constexpr (SUMS<T> == IN_TWO_FLOATS)
            certain = add_up_in_floats(sums[0], sums[1], first, taps, p.taps);
        else
            add_up(sums[0], sums[1], first, taps, p.taps);
        const i64 here = corner + r * p.nx + c;
#pragma unroll
        for (int k = 0; k < MINE; ++k) {
            if (c + k * APART >= width) break;
#pragma unroll
            for (int part = 0; part < 2; ++part) {
                U* const result = (part ? imaginary : real) + (here + k * APART);
                bool sure = true;
                if constexpr (SUMS<T> == IN_ONE_FLOAT) {
                    U cut;
                    sure = is_cut(cut, sums[part][k], part ? p.imaginary_apart : p.real_apart);
                    *result = cut;
                } else {
                    if (SUMS<T> == IN_TWO_FLOATS) sure = certain >> (2 * k + part) & 1;
                    *result = Stored<U, Held>::of(sums[part][k]);
                }
                if (!sure) listed[atomicAdd(&doubts, 1u)] = (u16)((r * WIDTH + c + k * APART) * 2 + part);
            }
        }
    }
    // 3
    if constexpr (SUMS<T> != IN_DOUBLE) {
        __syncthreads();
        for (u32 k = thread; k < doubts; k += threads) {
            const int place = listed[k] / 2, r = place / WIDTH, c = place % WIDTH;
            const bool is_imaginary = listed[k] % 2;
            const double sum = sum_in_double(tile + (r * p.pitch + c), taps, p.taps, is_imaginary);
            (is_imaginary ? imaginary : real)[corner + r * p.nx + c] = Stored<U, double>::of(sum);
        }
    }
}
