// Histograms of oriented gradients: votes of cells, their normalization in blocks of cells,
// and the picture of the cells.
//
//     hog_cells   image -> cells (rows, columns, orientations), in float
//     hog_blocks  cells -> descriptors (block rows, block columns, rows, columns, orientations)
//     hog_lines   cells -> a picture with one line for each cell and orientation
//
// Image: bool, (u)int8..64, float16/32/64, with channels or without. Gradients, descriptors
// and picture are float for float16 and float32 images, else double; votes are float.
// One launch each: hog_cells reads the image once (its neighbours again, from cache) and
// writes 4 * orientations bytes a cell, which the others read; they write their result once.
//
// Source: scikit-image `feature.hog` (Dalal and Triggs, CVPR 2005). Where rounding decides on
// a bin or a channel it is done as NumPy and the host's C library do it.
#include "common/shared.cuh"
#include "common/tile.cuh"

// The image's elements are at row * row_stride + column * column_stride + channel *
// channel_stride. Rows and columns of cells, and pixels of one.
struct HogShape {
    i64 rows, columns, channels;
    i64 row_stride, column_stride, channel_stride;
    i64 cell_rows, cell_columns, height, width;
};

__device__ inline float hog_root(float value) { return sqrtf(value); }
__device__ inline double hog_root(double value) { return sqrt(value); }

// np.hypot, by the formulas of glibc: channels whose lengths are equal there are equal here.
__device__ inline float hog_length(float x, float y) {
    return (float)sqrt(__dadd_rn((double)x * (double)x, (double)y * (double)y));
}
__device__ inline double hog_length(double x, double y) {
    x = fabs(x);
    y = fabs(y);
    const double a = x > y ? x : y, b = x > y ? y : x;
    if (!(a < 6.7e153 && b > 1.7e-138)) return hypot(x, y);
    const double h = sqrt(__dadd_rn(__dmul_rn(a, a), __dmul_rn(b, b)));
    double error;
    if (h <= 2 * b) {
        const double delta = h - b;
        error = __dadd_rn(__dmul_rn(a, 2 * delta - a), __dmul_rn(delta - 2 * (a - b), delta));
    } else {
        const double delta = h - a;
        error = __dadd_rn(__dmul_rn(2 * delta, a - 2 * b),
                          __dadd_rn(__dmul_rn(4 * delta - b, b), __dmul_rn(delta, delta)));
    }
    return h - error / (2 * h);
}

// Direction of a gradient in degrees, 0 to 180. 180 itself is that of a tiny negative angle.
__device__ inline double hog_angle(double y, double x) {
    // what lies exactly on the edge of a bin
    if (y == 0 && x == x) return 0;
    if (x == 0 && y == y) return 90;
    if (y == x) return 45;
    if (y == -x) return 135;
    const double angle = fmod(__dmul_rn(atan2(y, x), 180 / 3.14159265358979323846), 180.0);
    return angle < 0 ? __dadd_rn(angle, 180.0) : angle;
}

constexpr int HOG_EVERY_BIN = -1;  // NaN is between any two numbers, for scikit-image

__device__ inline int hog_bin_of(double angle, double degrees) {
    if (angle != angle) return HOG_EVERY_BIN;
    int bin = (int)(angle / degrees);
    while (angle < __dmul_rn(degrees, (double)bin)) --bin;
    while (angle >= __dmul_rn(degrees, (double)(bin + 1))) ++bin;
    return bin;
}

// The bin of a gradient's direction. Single precision, which misses an angle by less than 1e-4 degrees, tells it
// but for directions near the edge of a bin.
template <class W> __device__ inline int hog_bin(W y, W x, double degrees) {
    constexpr float NEAR = 1e-3f, SMALL = 1e-30f, LARGE = 1e30f;
    const float rows = (float)y, columns = (float)x, a = fabs(rows), b = fabs(columns);
    if (rows == 0 && columns == columns && y == 0) return 0;
    if (a >= SMALL && b >= SMALL && a <= LARGE && b <= LARGE) {
        const float angle = atan2(rows, columns) * 57.2957795f, width = (float)degrees;
        const float turned = angle < 0 ? angle + 180 : angle, bin = floor(turned / width);
        const float below = turned - bin * width, above = width - below;
        if (below > NEAR && above > NEAR) return (int)bin;
    }
    return hog_bin_of(hog_angle((double)y, (double)x), degrees);
}

template <class W> struct HogGradient {
    W y, x;
};

// Gradient at a pixel, of the channel where it is longest: differences of the neighbours, 0 at
// the border. Of the roots of the image with `roots`. Any thread.
template <class T>
__device__ inline HogGradient<typename Working<T>::type> hog_gradient(const T* image,
                                                                      const HogShape& shape, i64 y,
                                                                      i64 x, bool roots) {
    typedef typename Working<T>::type W;
    HogGradient<W> longest = {0, 0};
    W most = -1;
    const bool inside_y = y > 0 && y < shape.rows - 1, inside_x = x > 0 && x < shape.columns - 1;
    for (i64 channel = 0; channel < shape.channels; ++channel) {
        const T* const pixel =
            image + y * shape.row_stride + x * shape.column_stride + channel * shape.channel_stride;
        const auto difference = [&](i64 stride) {
            const W after = (W)pixel[stride], before = (W)pixel[-stride];
            return roots ? hog_root(after) - hog_root(before) : after - before;
        };
        const HogGradient<W> here = {inside_y ? difference(shape.row_stride) : (W)0,
                                     inside_x ? difference(shape.column_stride) : (W)0};
        if (shape.channels == 1) return here;
        const W length = hog_length(here.y, here.x);
        // as np.argmax: the first of the largest, and the first NaN above all
        if (length > most || (length != length && most == most)) {
            longest = here;
            most = length;
        }
    }
    return longest;
}

// Votes of pixels, `HOG_PIXELS` at a time:
//
//     1. bin and length of the gradient at each pixel, into shared memory
//     2. the votes of a cell for one orientation are added up by one thread, in the order of
//        the pixels and with the roundings to float of scikit-image
//
// A block takes cells beside each other, or one cell in pieces where it is larger.
// Shared memory: 12 bytes a pixel, 4 an orientation.
constexpr int HOG_PIXELS = 1024;

// degrees  of a bin
template <class T>
__global__ void __launch_bounds__(128, 2 * FEWER)
    hog_cells(const T* image, float* cells, const HogShape shape, int orientations,
                          double degrees, bool roots) {
    DYN_SHARED(double, lengths);
    int* const bins = reinterpret_cast<int*>(lengths + HOG_PIXELS);
    float* const kept = reinterpret_cast<float*>(bins + HOG_PIXELS);  // of a cell in pieces

    const i64 area = shape.height * shape.width;
    const int at_once = area < HOG_PIXELS ? (int)(HOG_PIXELS / area) : 1;
    const i64 groups = (shape.cell_columns + at_once - 1) / at_once;
    for (i64 item = blockIdx.x; item < shape.cell_rows * groups; item += gridDim.x) {
        const i64 row = item / groups, first = item % groups * at_once;
        const i64 left = shape.cell_columns - first;
        const int here = (int)(left < at_once ? left : at_once);

        for (i64 done = 0; done < area; done += HOG_PIXELS) {
            const int piece = (int)(area - done < HOG_PIXELS ? area - done : HOG_PIXELS);
            // 1: along the rows of all cells, or of the piece
            const i64 width = here * shape.width;
            for (int i = threadIdx.x; i < here * piece; i += blockDim.x) {
                const i64 y = (done + i) / width, x = (done + i) % width;
                const auto gradient = hog_gradient(image, shape, row * shape.height + y,
                                                   first * shape.width + x, roots);
                const int bin = hog_bin(gradient.y, gradient.x, degrees);
                const i64 cell = x / shape.width;
                const int place = (int)(cell * piece + y * shape.width + x % shape.width - done);
                bins[place] = bin;
                lengths[place] = hog_length((double)gradient.y, (double)gradient.x);
            }
            __syncthreads();
            // 2
            for (int i = threadIdx.x; i < here * orientations; i += blockDim.x) {
                const int cell = i / orientations, bin = i % orientations;
                float sum = done > 0 ? kept[bin] : 0.0f;
                for (int k = cell * piece; k < (cell + 1) * piece; ++k)
                    if (bins[k] == bin || bins[k] == HOG_EVERY_BIN)
                        sum = (float)((double)sum + lengths[k]);
                if (done + piece < area)
                    kept[bin] = sum;
                else
                    cells[(row * shape.cell_columns + first) * orientations + i] =
                        sum / (float)area;
            }
            __syncthreads();
        }
    }
}

enum HogNorm { HOG_L1 = 0, HOG_L1_SQRT = 1, HOG_L2 = 2, HOG_L2_HYS = 3 };

// What one block's votes are divided by, and then, clipped, once more under L2-Hys.
struct HogDivisors {
    double first, second;
};

__device__ inline double hog_clipped(double vote) { return vote > 0.2 ? 0.2 : vote; }

// rows, columns  of blocks
// tall, wide     cells of a block
template <class W>
__global__ void hog_blocks(const float* cells, W* result, i64 rows, i64 columns, i64 tall,
                           i64 wide, i64 orientations, int norm) {
    constexpr int BLOCKS = 32, LANES_EACH = 8;
    __shared__ double sums[BLOCKS * LANES_EACH];
    __shared__ HogDivisors divisors[BLOCKS];
    const i64 span = wide * orientations, size = tall * span;
    const i64 pitch = (columns + wide - 1) * orientations;
    const i64 groups = (columns + BLOCKS - 1) / BLOCKS;
    for (i64 item = blockIdx.x; item < rows * groups; item += gridDim.x) {
        const i64 row = item / groups, first = item % groups * BLOCKS;
        const int here = (int)(columns - first < BLOCKS ? columns - first : BLOCKS);
        const float* const start = cells + row * pitch + first * orientations;
        const auto vote = [&](int block, i64 i) {
            return (double)start[block * orientations + i / span * pitch + i % span];
        };
        // The sum over each block of lengths or squares, clipped ones under L2-Hys the second
        // time, into `sums`; all threads, barrier behind.
        const auto add_up = [&](bool clipped) {
            for (int i = threadIdx.x; i < here * LANES_EACH; i += blockDim.x) {
                const int block = i / LANES_EACH;
                double sum = 0;
                for (i64 k = i % LANES_EACH; k < size; k += LANES_EACH) {
                    double value = vote(block, k);
                    if (clipped) value = hog_clipped(value / divisors[block].first);
                    sum += norm <= HOG_L1_SQRT ? fabs(value) : value * value;
                }
                sums[i] = sum;
            }
            __syncthreads();
        };
        const auto total = [&](int block) {
            double sum = 0;
            for (int k = 0; k < LANES_EACH; ++k) sum += sums[block * LANES_EACH + k];
            return sum;
        };

        constexpr double epsilon = 1e-5;
        add_up(false);
        for (int block = threadIdx.x; block < here; block += blockDim.x) {
            const double sum = total(block);
            divisors[block].first =
                norm <= HOG_L1_SQRT ? sum + epsilon : sqrt(sum + epsilon * epsilon);
        }
        __syncthreads();
        if (norm == HOG_L2_HYS) {
            add_up(true);
            for (int block = threadIdx.x; block < here; block += blockDim.x)
                divisors[block].second = sqrt(total(block) + epsilon * epsilon);
            __syncthreads();
        }
        W* const into = result + (row * columns + first) * size;
        for (i64 i = threadIdx.x; i < here * size; i += blockDim.x) {
            const int block = (int)(i / size);
            double value = vote(block, i % size) / divisors[block].first;
            if (norm == HOG_L1_SQRT) value = sqrt(value);
            if (norm == HOG_L2_HYS) value = hog_clipped(value) / divisors[block].second;
            into[i] = (W)value;
        }
        __syncthreads();
    }
}

constexpr int HOG_MOST_LINES = 64;

// Half of the line of each orientation, along the rows and along the columns; by value.
struct HogLines {
    double down[HOG_MOST_LINES], across[HOG_MOST_LINES];
};

// skimage.draw.line: visit(row, column) for each pixel from one end to the other.
template <class Visit>
__device__ inline void draw_line(i64 row0, i64 column0, i64 row1, i64 column1, Visit visit) {
    i64 minor = row0, major = column0;
    i64 few = row1 > row0 ? row1 - row0 : row0 - row1;
    i64 many = column1 > column0 ? column1 - column0 : column0 - column1;
    int minor_step = row1 > row0 ? 1 : -1, major_step = column1 > column0 ? 1 : -1;
    const bool steep = few > many;
    if (steep) {
        const i64 place = minor, count = few;
        const int step = minor_step;
        minor = major, major = place;
        few = many, many = count;
        minor_step = major_step, major_step = step;
    }
    i64 error = 2 * few - many;
    for (i64 i = 0; i < many; ++i) {
        steep ? visit(major, minor) : visit(minor, major);
        while (error >= 0) {
            minor += minor_step;
            error -= 2 * many;
        }
        major += major_step;
        error += 2 * few;
    }
    visit(row1, column1);
}

// The lines of one cell stay inside of it. picture: zeros, of shape.rows x shape.columns.
template <class W>
__global__ void hog_lines(const float* cells, W* picture, const HogShape shape, int orientations,
                          const __grid_constant__ HogLines lines) {
    const i64 step = (i64)gridDim.x * blockDim.x;
    for (i64 cell = (i64)blockIdx.x * blockDim.x + threadIdx.x;
         cell < shape.cell_rows * shape.cell_columns; cell += step) {
        const i64 row = cell / shape.cell_columns * shape.height + shape.height / 2;
        const i64 column = cell % shape.cell_columns * shape.width + shape.width / 2;
        for (int i = 0; i < orientations; ++i) {
            const double vote = (double)cells[cell * orientations + i];
            const double down = lines.down[i], across = lines.across[i];
            draw_line((i64)((double)row - down), (i64)((double)column + across),
                      (i64)((double)row + down), (i64)((double)column - across),
                      [&](i64 r, i64 c) {
                          W& pixel = picture[r * shape.columns + c];
                          pixel = (W)((double)pixel + vote);
                      });
        }
    }
}
