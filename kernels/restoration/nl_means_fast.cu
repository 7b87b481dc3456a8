// Non-local means of planes, volumes and volumes over time, with channels, by integral images.
//
// For each shift there is an integral image of the squared differences between the image and the
// shifted one; from it comes the distance of any two patches that lie so far apart. scikit-image adds
// up each element of an integral image of its neighbours in one order, and of rounding in it the
// steps of the exponential make much more; so the elements are added up in this very order:
//
//     integrals   a block has one shift. Its threads have neighbouring rows, and each is one column
//                 behind the one above it, whose last sums it takes over: a diagonal at a time
//     add_up      a pixel of the result is one thread's, which adds up the weights of a number of
//                 shifts, in scikit-image's order, and in the last launch divides
//
// All arrays with a border have their elements by diagonals: of each plane element (row, column) lies
// at ((row + column) % columns, row), so that the threads of a diagonal have neighbouring elements.
//
// In: float or double. Sums: double. Source: skimage/restoration/_nl_means_denoising.pyx (Darbon et
// al. 2008, Froment 2014).
#include "common/boundary.cuh"
#include "restoration/nl_means.cuh"

constexpr int BLOCK = 256;  // the most threads of a block of `integrals`

// Lengths with the border, which is as wide on all sides of the axes that there are.
struct Field {
    i64 times, planes, rows, columns, channels;
    int border, patch, reach;  // patch: half of its side
};

// One shift.
struct Shift {
    int time, plane, row, column;
};

// The shift `number` of those along rows and columns.
__device__ inline Shift shift_of(int time, int plane, i64 number, int reach) {
    return {time, plane, (int)(number / (reach + 1)) - reach, (int)(number % (reach + 1))};
}

struct Range {
    i64 begin, end;
    __device__ bool has(i64 i) const { return i >= begin && i < end; }
};

// Elements along an axis that a shift's integral image has.
__device__ inline Range range_of(i64 length, int shift) {
    return {shift < -1 ? -shift : 1, shift > 0 ? length - shift : length};
}

// A number that is one length off at most, from 0 on below it.
__device__ inline i64 wrapped(i64 k, i64 length) { return k < 0 ? k + length : k >= length ? k - length : k; }

// The element on a diagonal.
__device__ inline i64 place(const Field& field, i64 time, i64 plane, i64 diagonal, i64 row) {
    return ((time * field.planes + plane) * field.columns + diagonal) * field.rows + row;
}

// padded: for each channel the image with its mirrored border.
template <class W> __global__ void pad(const W* image, Field field, int has_times, int has_planes, double* padded) {
    const int over_times = has_times ? field.border : 0, over_planes = has_planes ? field.border : 0;
    const i64 planes = field.planes - 2 * over_planes, times = field.times - 2 * over_times;
    const i64 rows = field.rows - 2 * field.border, columns = field.columns - 2 * field.border;
    const i64 n = field.times * field.planes * field.rows * field.columns;
    for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < n; i += gridDim.x * (i64)blockDim.x) {
        const i64 row = i % field.rows, diagonal = i / field.rows % field.columns;
        const i64 column = (diagonal + field.columns - row % field.columns) % field.columns;
        const i64 plane = i / field.rows / field.columns % field.planes, time = i / field.rows / field.columns / field.planes;
        const i64 t = boundary_index(time - over_times, times, MIRROR), z = boundary_index(plane - over_planes, planes, MIRROR);
        const i64 y = boundary_index(row - field.border, rows, MIRROR), x = boundary_index(column - field.border, columns, MIRROR);
        const W* const pixel = image + (((t * planes + z) * rows + y) * columns + x) * field.channels;
        for (i64 c = 0; c < field.channels; ++c) padded[c * n + i] = (double)pixel[c];
    }
}

// images: the integral image of each of `count` shifts, from number `first` on.
//   time, plane: the shift along these axes
//   noise:       subtracted from each squared difference
//   AXES:        that are shifted: 2, 3 or 4
template <int AXES>
__global__ void __launch_bounds__(BLOCK, 1)
    integrals(const double* padded, Field field, int time, int plane, i64 first, i64 count, double noise,
              double* images) {
    constexpr int BEFORE = 1 << (AXES - 1);  // neighbours: bit 0 is a row before, 1 a plane, 2 a time
    __shared__ double sums[2][BLOCK];
    const i64 volume = field.times * field.planes * field.rows * field.columns;
    const int height = (int)blockDim.x, j = (int)threadIdx.x;
    for (i64 number = blockIdx.x; number < count; number += gridDim.x) {
        const Shift shift = shift_of(time, plane, first + number, field.reach);
        double* const image = images + number * volume;
        const Range times = AXES > 3 ? range_of(field.times, shift.time) : Range{0, 1};
        const Range planes = AXES > 2 ? range_of(field.planes, shift.plane) : Range{0, 1};
        const Range rows = range_of(field.rows, shift.row);
        const i64 end = field.columns - shift.column;
        for (i64 t = times.begin; t < times.end; ++t)
            for (i64 p = planes.begin; p < planes.end; ++p)
                for (i64 band = rows.begin; band < rows.end; band += height) {
                    const i64 r = band + j;
                    double left[BEFORE], next[BEFORE];
#pragma unroll
                    for (int b = 0; b < BEFORE; ++b) left[b] = next[b] = 0;  // the first column is 0
                    i64 diagonal = (band + 1) % field.columns;
                    for (i64 k = 1; k < end + height - 1; ++k) {
                        const i64 c = k - j;
                        if (r < rows.end && c >= 1 && c < end) {
#pragma unroll
                            for (int b = 1; b < BEFORE; ++b) {
                                const i64 t1 = t - (b >> 2), p1 = p - (b >> 1 & 1), r1 = r - (b & 1);
                                const bool inside = t1 >= times.begin && p1 >= planes.begin && r1 >= rows.begin;
                                if (b == 1 && j > 0) {
                                    next[b] = sums[(k - 1) & 1][j - 1];
                                } else if (inside) {
                                    next[b] = image[place(field, t1, p1, wrapped(diagonal - (b & 1), field.columns), r1)];
                                }
                            }
                            const i64 here = place(field, t, p, diagonal, r);
                            const i64 there = place(field, t + shift.time, p + shift.plane,
                                                    wrapped(diagonal + shift.row + shift.column, field.columns), r + shift.row);
                            double sum = 0;
#pragma unroll 1
                            for (i64 channel = 0; channel < field.channels; ++channel) {
                                const double d = __dsub_rn(padded[channel * volume + here], padded[channel * volume + there]);
                                sum = __dadd_rn(sum, __dmul_rn(d, d));
                            }
                            sum = __dsub_rn(sum, noise);
                            if (AXES == 2) {
                                sum = __dadd_rn(__dadd_rn(sum, next[1]), left[0]);
                                sum = __dsub_rn(sum, left[1]);
                            } else if (AXES == 3) {
                                sum = __dadd_rn(__dadd_rn(__dadd_rn(sum, next[2 % BEFORE]), next[1]), left[0]);
                                sum = __dsub_rn(__dadd_rn(sum, left[3 % BEFORE]), next[3 % BEFORE]);
                                sum = __dsub_rn(__dsub_rn(sum, left[1]), left[2 % BEFORE]);
                            } else {
                                sum = __dadd_rn(__dadd_rn(sum, next[4 % BEFORE]), next[2 % BEFORE]);
                                sum = __dadd_rn(__dadd_rn(sum, next[1]), left[0]);
                                sum = __dadd_rn(__dadd_rn(sum, left[3 % BEFORE]), left[5 % BEFORE]);
                                sum = __dadd_rn(__dadd_rn(sum, left[6 % BEFORE]), next[7 % BEFORE]);
                                sum = __dsub_rn(__dsub_rn(sum, left[1]), left[2 % BEFORE]);
                                sum = __dsub_rn(__dsub_rn(sum, next[3 % BEFORE]), left[4 % BEFORE]);
                                sum = __dsub_rn(__dsub_rn(sum, next[5 % BEFORE]), next[6 % BEFORE]);
                                sum = __dsub_rn(sum, left[7 % BEFORE]);
                            }
#pragma unroll
                            for (int b = 1; b < BEFORE; ++b) left[b] = next[b];
                            left[0] = sum;
                            image[here] = sum;
                            sums[k & 1][j] = sum;
                        }
                        diagonal = diagonal + 1 == field.columns ? 0 : diagonal + 1;
                        __syncthreads();
                    }
                }
    }
}

// The distance of two patches, from an integral image.
template <int AXES>
__device__ inline double distance_of(const double* image, const Field& field, i64 t, i64 p, i64 diagonal, i64 r, double scale) {
    // bits of a corner: 0 column, 1 row, 2 plane, 3 time, set where it is the further one
    const auto corner = [&](int bits) {
        const int o = field.patch, dr = bits & 2 ? o : -o, dc = bits & 1 ? o : -o;
        return image[place(field, AXES > 3 ? t + (bits & 8 ? o : -o) : t, AXES > 2 ? p + (bits & 4 ? o : -o) : p,
                           wrapped(diagonal + dr + dc, field.columns), r + dr)];
    };
    double sum;
    if (AXES == 2) {
        sum = __dsub_rn(__dsub_rn(__dadd_rn(corner(3), corner(0)), corner(1)), corner(2));
    } else if (AXES == 3) {
        sum = __dadd_rn(__dadd_rn(__dsub_rn(corner(7), corner(0)), corner(1)), corner(2));
        sum = __dsub_rn(__dsub_rn(__dadd_rn(sum, corner(4)), corner(3)), corner(5));
        sum = __dsub_rn(sum, corner(6));
    } else {
        sum = corner(0);
#pragma unroll
        for (int bits = 1; bits < 16; ++bits) {
            const bool is_odd = (bits ^ bits >> 1 ^ bits >> 2 ^ bits >> 3) & 1;
            sum = is_odd ? __dsub_rn(sum, corner(bits)) : __dadd_rn(sum, corner(bits));
        }
    }
    return __ddiv_rn(0.0 > sum ? 0.0 : sum, scale);
}

// totals, sums: of the weights of a pixel of the result, and of weighted values for each channel.
//   images:        of `integrals`
//   scale:         divides distances
//   begins, ends:  whether these are the first shifts, and the last ones
//   result:        written with the last ones
template <class W, int AXES>
__global__ void add_up(const double* padded, const double* images, Field field, int time, int plane, i64 first,
                       i64 count, double scale, bool begins, bool ends, double* totals, double* sums, W* result) {
    const i64 volume = field.times * field.planes * field.rows * field.columns;
    const int over_times = AXES > 3 ? field.border : 0, over_planes = AXES > 2 ? field.border : 0;
    const i64 planes = field.planes - 2 * over_planes, times = field.times - 2 * over_times;
    const i64 rows = field.rows - 2 * field.border, columns = field.columns - 2 * field.border;
    for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < volume; i += gridDim.x * (i64)blockDim.x) {
        const i64 r = i % field.rows, diagonal = i / field.rows % field.columns;
        const i64 c = (diagonal + field.columns - r % field.columns) % field.columns;
        const i64 p = i / field.rows / field.columns % field.planes, t = i / field.rows / field.columns / field.planes;
        const i64 y = r - field.border, x = c - field.border, z = p - over_planes, w = t - over_times;
        if (y < 0 || y >= rows || x < 0 || x >= columns || z < 0 || z >= planes || w < 0 || w >= times) continue;
        const i64 pixel = ((w * planes + z) * rows + y) * columns + x;
        for (i64 channel = 0; channel < field.channels; ++channel) {
            const double* const values = padded + channel * volume;
            const i64 of_channel = channel * rows * columns * planes * times + pixel;
            double total = begins ? 0.0 : totals[pixel], sum = begins ? 0.0 : sums[of_channel];
            for (i64 number = 0; number < count; ++number) {
                const Shift shift = shift_of(time, plane, first + number, field.reach);
                const double* const image = images + number * volume;
                const int step = shift.row + shift.column;
                const bool other_first = shift.time != 0 ? shift.time > 0
                                         : shift.plane != 0 ? shift.plane > 0
                                         : shift.row != 0 ? shift.row > 0 : true;
                // the patch of the pixel against the shifted one, and the one shifted back against the pixel's
                for (int turn = 0; turn < 2; ++turn) {
                    const int sign = (turn == 0) == other_first ? -1 : 1;
                    const i64 other = place(field, t + sign * shift.time, p + sign * shift.plane,
                                            wrapped(diagonal + sign * step, field.columns), r + sign * shift.row);
                    const double distance =
                        sign > 0 ? distance_of<AXES>(image, field, t, p, diagonal, r, scale)
                                 : distance_of<AXES>(image, field, t - shift.time, p - shift.plane,
                                                     wrapped(diagonal - step, field.columns), r - shift.row, scale);
                    if (distance > 5.0) continue;
                    const double weight = __dmul_rn(shift.column == 0 ? 0.5 : 1.0, fast_exp(-distance));
                    total = __dadd_rn(total, weight);
                    sum = __dadd_rn(sum, __dmul_rn(weight, values[other]));
                }
            }
            if (ends) {
                result[pixel * field.channels + channel] = (W)__ddiv_rn(sum, total);
            } else {
                if (channel == field.channels - 1) totals[pixel] = total;
                sums[of_channel] = sum;
            }
        }
    }
}
