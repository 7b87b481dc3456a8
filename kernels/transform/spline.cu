// Spline coefficients of an image along one axis: what interpolation of orders 2 to 5 reads.
//
// What: a recursive filter forth and back along each line for each pole of the spline. Beyond
// its ends a line goes on as the mode has it, for ever: SciPy's initial values are the closed
// forms of that. A pole's power vanishes after some elements, the reach; so a piece of a line
// needs no more than a halo, and all pieces are filtered at once:
//
//     1. a tile of lines and its halo, converted and padded, into shared memory
//     2. for each pole, a thread goes forth and back along each line
//     3. the tile's inside is written
//
// Lines of REFLECT no longer than a tile are filtered as a whole by SciPy's own closed form: it
// takes the first element for its extension once too often, which short lines show.
//
// Padding (for NEAREST and CONSTANT): `pad` elements more at each end, which repeat the last
// element or are the constant; beyond them the line is reflected or, with the constant, mirrored.
//
// NaN and infinity spread without end in SciPy's recursion: the first axis tells in `odd` that
// there are any, and the next ones then make NaN of everything.
//
// Image: bool, (u)int8..64, float16/32/64, or the coefficients along another axis. Result: double,
// as in SciPy. One launch an axis; each element is read once (the halos again, from
// cache), each coefficient is written once.
//
// Source: scipy.ndimage.spline_filter1d; M. Unser, A. Aldroubi and M. Eden, "Fast B-spline
// transforms for continuous image representation and interpolation", IEEE Transactions on
// Pattern Analysis and Machine Intelligence 13, 1991.
#include "common/boundary.cuh"
#include "common/shared.cuh"
#include "filters/gaussian_taps.cuh"

struct Poles {
    double pole[2];
    double gain;
    int reach[2];
    int count;
};

constexpr int MOST_LINES = 32;  // of a tile
constexpr int WIDTH = 64;       // elements of a line that a tile makes

// Filters a line of n > 1 elements that is reflected at its ends. One thread.
__device__ inline void filter_reflected(double* line, int n, double pole) {
    const double first = line[0];
    double power = pole, all = pole;
#pragma unroll 1
    for (int i = 1; i < n; ++i) all *= pole;
    double start = first + all * line[n - 1];
#pragma unroll 1
    for (int i = 1; i < n; ++i) {
        start += power * (line[i] + all * (i == n - 1 ? start : line[n - 1 - i]));
        power *= pole;
    }
    double last = line[0] = start * pole / (1 - all * all) + first;
#pragma unroll 1
    for (int i = 1; i < n; ++i) line[i] = last = line[i] + pole * last;
    line[n - 1] = last *= pole / (pole - 1);
#pragma unroll 1
    for (int i = n - 2; i >= 0; --i) line[i] = last = pole * (last - line[i]);
}

// The array is seen as (outer, length, inner).
// Shared memory: pitch = (WIDTH + 2 * the sum of reaches) | 1; pitch + 1 of i64, then
// MOST_LINES * pitch of double.
// Eight blocks: 64 registers, and none is kept on a stack across 64-bit divisions.
template <class T>
__global__ void __launch_bounds__(128, 8)
    spline_coefficients(const T* image, double* coefficients, i64 outer, i64 length, i64 inner, i64 pad,
                        int mode, double cval, double scale, double lowest, const __grid_constant__ Poles poles,
                        bool first_axis, u32* odd) {
    DYN_SHARED(i64, places);  // of a tile's elements along the axis
    const Scaled<T, typename Working<T>::type> convert(scale, lowest);
    const double gain = !first_axis && *odd ? (double)__uint_as_float(0x7fc00000u) : poles.gain;
    const int beyond = mode == WRAP ? WRAP : mode == REFLECT || mode == NEAREST ? REFLECT : MIRROR;
    const i64 size = length + 2 * pad;  // of a padded line
    const bool whole = mode == REFLECT && size <= WIDTH;
    int halo = 0;
    for (int p = 0; p < poles.count && !whole; ++p) halo += poles.reach[p];
    const int pitch = (WIDTH + 2 * halo) | 1;
    double* const tile = reinterpret_cast<double*>(places + pitch + 1);

    // a tile has `neighbours` of the inner axis, and of the outer one as many as are few
    const int neighbours = inner < MOST_LINES ? (int)inner : MOST_LINES;
    const int rows = MOST_LINES / neighbours;
    // tiles are counted in 32 bits: 2^32 of them are more elements than any memory holds
    const u32 tiles_inner = (u32)((inner + neighbours - 1) / neighbours);
    const u32 tiles_along = (u32)((size + WIDTH - 1) / WIDTH);
    const u32 tiles = (u32)((outer + rows - 1) / rows) * tiles_inner * tiles_along;
    for (u32 item = blockIdx.x; item < tiles; item += gridDim.x) {
        const i64 k0 = (i64)(item % tiles_inner) * neighbours;
        const i64 begin = (i64)(item / tiles_inner % tiles_along) * WIDTH;
        const i64 o0 = (i64)(item / tiles_inner / tiles_along) * rows;
        const int here = inner - k0 < neighbours ? (int)(inner - k0) : neighbours;
        const int lines = (outer - o0 < rows ? (int)(outer - o0) : rows) * here;
        const int count = size - begin < WIDTH ? (int)(size - begin) : WIDTH;
        const int filled = count + 2 * halo;

        // 1
        for (int p = threadIdx.x; p < filled; p += blockDim.x) {
            const i64 padded = boundary_index(begin - halo + p, size, beyond);
            places[p] = boundary_index(padded - pad, length, mode);
        }
        __syncthreads();
#pragma unroll 1
        for (int i = threadIdx.x; i < lines * filled; i += blockDim.x) {
            const int k = i % here, p = i / here % filled, o = i / here / filled;
            const i64 place = places[p];
            const T* const line = image + ((o0 + o) * length * inner + k0 + k);
            const double value = place < 0 ? cval : convert(line[place * inner]);
            if (!isfinite(value)) *odd = 1;
            tile[(o * here + k) * pitch + p] = value * gain;
        }
        __syncthreads();
        // 2
#pragma unroll 1
        for (int l = threadIdx.x; l < lines; l += blockDim.x) {
            double* line = tile + l * pitch;
            int left = filled;
#pragma unroll 1
            for (int p = 0; p < poles.count; ++p) {
                const double pole = poles.pole[p];
                if (whole) {
                    filter_reflected(line, filled, pole);
                    continue;
                }
                double last = 0;
                for (int i = 0; i < left; ++i) line[i] = last = line[i] + pole * last;
                last = 0;
                for (int i = left - 1; i >= 0; --i) line[i] = last = pole * (last - line[i]);
                line += poles.reach[p];
                left -= 2 * poles.reach[p];
            }
        }
        __syncthreads();
        // 3
#pragma unroll 1
        for (int i = threadIdx.x; i < lines * count; i += blockDim.x) {
            const int k = i % here, p = i / here % count, o = i / here / count;
            coefficients[((o0 + o) * size + begin + p) * inner + k0 + k] =
                tile[(o * here + k) * pitch + halo + p];
        }
        __syncthreads();  // before the next tile is loaded
    }
}
