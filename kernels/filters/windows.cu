// Sums over a rectangular window around each element: local means, and the thresholds of
// Niblack and Sauvola.
//
// What: each element of the last two axes (rows, columns) of a C-contiguous array gets the
// sum of its window and, with MOMENTS of 2, the sum of squares, in double. An array of more
// axes takes one more launch for each of them, from sums to sums; the last launch makes the
// result of the sums. A block does a strip of columns, some rows at a time:
//
//     1. column sums: each goes down its column, adds the element that enters the window
//        and subtracts the one that leaves it
//     2. window sums: each thread goes along a piece of a row of column sums, likewise
//
// The sums of integers are exact as long as they stay below 2^53: results are then
// scikit-image's to the last bit, whose integral images are exact too. Of integers of 8 and
// 16 bits they are integers (32 and 64 bits) where all axes take one launch; what is left in
// double are two conversions, two quotients of 5 operations and the last formula.
//
// Image: bool, (u)int8..64, float16/32/64, or the sums of the launch before. Result: float
// for float16 and float32 images, else double. `odd` becomes 1 where a sum is not finite.
// One launch for two axes; each element is read once (a second time, as it leaves the
// window, from cache) and each result element is written once.
//
// Source: scikit-image `filters.threshold_niblack`, `threshold_sauvola` (F. Shafait et al.,
// "Efficient implementation of local adaptive thresholding techniques using integral
// images", 2008; running sums take the place of the integral images), SciPy
// `ndimage.uniform_filter`.
#include "common/double_bits.cuh"
#include "common/rounded.cuh"
#include "common/shared.cuh"
#include "common/tile.cuh"

// Sum of the elements and, where MOMENTS is 2, of their squares. N: double, or an integer in which no sum of
// a window overflows.
template <int MOMENTS, class N = double> struct Sums {
    N of[MOMENTS];
    __device__ void add(const Sums& other) {
        for (int m = 0; m < MOMENTS; ++m) of[m] += other.of[m];
    }
    __device__ void subtract(const Sums& other) {
        for (int m = 0; m < MOMENTS; ++m) of[m] -= other.of[m];
    }
};

// The sums of one element alone. Squares are rounded as scikit-image's array has them.
template <class N> struct Element {
    template <class T> using Type = N;
    __device__ static N square(N x) { return x * x; }
};
template <> struct Element<double> {
    template <class T> using Type = typename Working<T>::type;
    template <class W> __device__ static double square(W x) { return rounded_product(x, x); }
};
template <int MOMENTS, class N, class T> __device__ inline Sums<MOMENTS, N> sums_of(const T& value) {
    const auto x = (typename Element<N>::template Type<T>)value;
    Sums<MOMENTS, N> sums;
    sums.of[0] = x;
    if (MOMENTS == 2) sums.of[MOMENTS - 1] = Element<N>::square(x);
    return sums;
}
template <int MOMENTS, class N> __device__ inline Sums<MOMENTS> sums_of(const Sums<MOMENTS>& sums) {
    return sums;
}

// What is made of a window's sums, as NumPy computes it in the result's type.
struct Threshold {
    double count;   // elements in a window
    double weight;  // k of Niblack and Sauvola; the offset below a mean
    double range;   // r of Sauvola; 0 makes it Niblack's
    int sauvola;
};

// A sum over the number of elements, in the type of the result. Integers are divided by `count` in fewer
// operations, and as exactly.
struct Count {
    Divisor<double> count;
    template <class O> __device__ O mean(double sum) const { return (O)sum / (O)count.value; }
    template <class O> __device__ O mean(u32 sum) const { return divided((double)sum, count); }
    template <class O> __device__ O mean(int sum) const { return divided((double)sum, count); }
    template <class O> __device__ O mean(i64 sum) const { return divided((double)sum, count); }
};

__device__ inline bool is_odd(double sum) { return !isfinite(sum); }
template <class N> __device__ inline bool is_odd(N) { return false; }

// Writes the result of one window; `odd` says that a sum is infinite or NaN.
template <class O, class N>
__device__ inline void finish(O& result, const Sums<1, N>& sums, const Threshold& threshold, const Count& count,
                              u32* odd) {
    if (is_odd(sums.of[0])) *odd = 1;
    result = (O)count.mean<double>(sums.of[0]) - (O)threshold.weight;
}
template <class O, class N>
__device__ inline void finish(O& result, const Sums<2, N>& sums, const Threshold& threshold, const Count& count,
                              u32* odd) {
    if (is_odd(sums.of[1])) *odd = 1;
    const O mean = count.mean<O>(sums.of[0]);
    const O variance = count.mean<O>(sums.of[1]) - rounded_product(mean, mean);
    const O deviation = sqrt(variance > (O)0 ? variance : (O)0);
    const O k = (O)threshold.weight;
    result = threshold.sauvola
                 ? mean * ((O)1 + rounded_product(k, deviation / (O)threshold.range - (O)1))
                 : mean - rounded_product(k, deviation);
}
// For the next launch.
__device__ inline void finish(Sums<1>& result, const Sums<1>& sums, const Threshold&, const Count&, u32*) {
    result = sums;
}
__device__ inline void finish(Sums<2>& result, const Sums<2>& sums, const Threshold&, const Count&, u32*) {
    result = sums;
}

// The array is seen as (outer, rows, columns).
//
// cval    stands beyond the ends under CONSTANT, with one moment only
// chunk   rows that a block goes down before it begins anew: roundings do not pile up
// group   rows of column sums that are in shared memory at a time
template <class T, class O, int MOMENTS, class N = double>
__global__ void __launch_bounds__(128, 2 * (sizeof(N) == 8 ? FEWER : RESIDENT))
    window_sums(const T* image, O* result, u32* odd, i64 outer, i64 rows, i64 columns,
                i64 window_rows, i64 window_columns, int mode, double cval, i64 chunk, int group,
                const Threshold threshold) {
    constexpr int WIDTH = 128;  // columns of a strip
    constexpr int RUN = 8;      // neighbours in a row that one thread computes
    DYN_SHARED(i64, places);  // pitch: columns of the image
    const int halo = (int)window_columns - 1;
    const int pitch = (WIDTH + halo) | 1;  // odd: rows begin at different banks
    Sums<MOMENTS, N>* const column_sums = reinterpret_cast<Sums<MOMENTS, N>*>(places + pitch);  // group * pitch
    Sums<MOMENTS, N>* const running = column_sums + group * pitch;  // pitch
    const Count count = {divisor_of(threshold.count)};

    Sums<MOMENTS, N> beyond;
    for (int m = 0; m < MOMENTS; ++m) beyond.of[m] = (N)cval;
    const i64 above = window_rows / 2;
    const i64 strips = (columns + WIDTH - 1) / WIDTH, chunks = (rows + chunk - 1) / chunk;
    for (i64 item = blockIdx.x; item < outer * chunks * strips; item += gridDim.x) {
        const i64 x0 = item % strips * WIDTH, y0 = item / strips % chunks * chunk;
        const i64 plane = item / strips / chunks * (rows * columns);
        const i64 end = y0 + chunk < rows ? y0 + chunk : rows;
        const int width = columns - x0 < WIDTH ? (int)(columns - x0) : WIDTH;
        const auto element = [&](i64 y, i64 place) {
            const i64 line = boundary_index(y, rows, mode);
            return line < 0 || place < 0 ? beyond
                                         : sums_of<MOMENTS, N>(image[plane + line * columns + place]);
        };

        // places and running sums of a column are one thread's: no barrier
        for (int c = threadIdx.x; c < width + halo; c += blockDim.x)
            places[c] = boundary_index(x0 + c - halo / 2, columns, mode);
        for (i64 y = y0; y < end; y += group) {
            const int here = end - y < group ? (int)(end - y) : group;
            // whether all rows that enter and leave are the image's, each behind the one before
            const bool within = y > above && y + here + above <= rows;
            // 1
            for (int c = threadIdx.x; c < width + halo; c += blockDim.x) {
                const i64 place = places[c];
                Sums<MOMENTS, N> sum;
                int g = 0;
                if (y == y0) {
                    sum = element(y - above, place);
                    for (i64 k = 1; k < window_rows; ++k) sum.add(element(y - above + k, place));
                    column_sums[c] = sum;
                    g = 1;
                } else {
                    sum = running[c];
                }
                if (within && place >= 0) {
                    const T* enters = image + plane + (y + g + above) * columns + place;
                    const T* leaves = enters - window_rows * columns;
#pragma unroll 1
                    for (; g < here; ++g, enters += columns, leaves += columns) {
                        sum.add(sums_of<MOMENTS, N>(*enters));
                        sum.subtract(sums_of<MOMENTS, N>(*leaves));
                        column_sums[g * pitch + c] = sum;
                    }
                }
                for (; g < here; ++g) {
                    sum.add(element(y + g + above, place));
                    sum.subtract(element(y + g - above - 1, place));
                    column_sums[g * pitch + c] = sum;
                }
                running[c] = sum;
            }
            __syncthreads();
            // 2
            for (int piece = threadIdx.x; piece < group * (WIDTH / RUN); piece += blockDim.x) {
                const int g = piece % group, c = piece / group * RUN;
                if (g >= here || c >= width) continue;
                const Sums<MOMENTS, N>* const line = column_sums + g * pitch + c;
                O* const target = result + plane + (y + g) * columns + x0 + c;
                Sums<MOMENTS, N> sum = line[0];
                for (int k = 1; k <= halo; ++k) sum.add(line[k]);
                for (int k = 0;; ++k) {
                    finish(target[k], sum, threshold, count, odd);
                    if (k + 1 == RUN || c + k + 1 == width) break;
                    sum.add(line[k + 1 + halo]);
                    sum.subtract(line[k]);
                }
            }
            __syncthreads();  // before the next rows' column sums
        }
    }
}
