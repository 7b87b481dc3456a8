// Values of an image at real coordinates, by splines of orders 0 to 5.
//
// What: each element of the result takes the image's value at coordinates which come from an
// array (`Grid`) or are computed from a pixel's place in a plane (`Plane`): by a matrix, from
// polar coordinates, or in a swirl. Channels behind the mapped axes share the coordinates.
//
// Image: mapped axes and channels, any dtype (orders above 1: spline coefficients, `pad`
// elements longer at each end than the image). Result: the image's dtype for order 0, else
// float for float16 and float32 images, else double. Coordinates are double. One launch; the image is read once (neighbours from cache), the coordinates where
// there are any, and the result is written once.
//
// Source: scikit-image `transform.warp`, `swirl`, `warp_polar`; scipy.ndimage.map_coordinates.
#include "common/interpolation.cuh"
#include "filters/gaussian_taps.cuh"
#include "transform/sampled.cuh"

enum Way { MATRIX = 0, POLAR = 1, SWIRL = 2 };

// How a plane is mapped; `of` holds
//     MATRIX  the matrix that (x, y, 1) is multiplied by
//     POLAR   the centre's row and column; `table` has the sine and then the cosine of each
//             row's angle, and each column's radius
//     SWIRL   x and y of the centre, rotation, strength and radius of the decay
struct Places {
    double of[9];
    int way;
};

// Coordinates in an array of shape (AXES, count).
template <int N> struct Grid {
    static constexpr int AXES = N;
    const double* table;
    i64 count;
    __device__ Grid(const double* table, i64 count, i64, const Places&) : table(table), count(count) {}
    __device__ void at(i64 i, double (&place)[N]) const {
#pragma unroll
        for (int a = 0; a < N; ++a) place[a] = table[a * count + i];
    }
};

struct Plane {
    static constexpr int AXES = 2;
    const double* table;
    i64 rows, columns;
    const Places places;
    __device__ Plane(const double* table, i64 count, i64 columns, const Places& places)
        : table(table), rows(count / columns), columns(columns), places(places) {}

    __device__ void at(i64 i, double (&place)[2]) const {
        const i64 row = i / columns, column = i - row * columns;
        const double* const of = places.of;
        const double x = (double)column, y = (double)row;
        if (places.way == POLAR) {
            const double radius = table[2 * rows + column];
            place[0] = __dadd_rn(__dmul_rn(radius, table[row]), of[0]);
            place[1] = __dadd_rn(__dmul_rn(radius, table[rows + row]), of[1]);
        } else if (places.way == SWIRL) {
            const double dx = x - of[0], dy = y - of[1], rho = sqrt(dx * dx + dy * dy);
            const double theta = of[2] + of[3] * exp(-rho / of[4]) + atan2(dy, dx);
            place[0] = of[1] + rho * sin(theta);
            place[1] = of[0] + rho * cos(theta);
        } else {
            const double z = of[6] * x + of[7] * y + of[8];
            const double divisor = z == 0 ? 2.220446049250313e-16 : z;
            place[0] = (of[3] * x + of[4] * y + of[5]) / divisor;
            place[1] = (of[0] * x + of[1] * y + of[2]) / divisor;
        }
    }
};

// Distance to the middle between two elements below which roundings decide.
constexpr double HALFWAY = 1e-9;

struct Shape {
    i64 size[3];  // of the mapped axes, padding included
    i64 channels;
    i64 pad;
};

// Blocks of 256 threads that are to be resident: weights of high orders take registers.
template <int ORDER, int AXES>
constexpr int BLOCKS = AXES == 1 ? (ORDER < 4 ? RESIDENT : FEWER)
                       : AXES == 2 && ORDER < 3 ? (ORDER < 2 ? RESIDENT : FEWER)
                       : ORDER < 4 ? 2 : 1;

// count    elements of the result on the mapped axes
// columns  of a Plane's result
// ties     whether coordinates halfway between two elements are to be told
template <int ORDER, class Source, class T, class O>
__global__ void __launch_bounds__(256, BLOCKS<ORDER, Source::AXES>)
    map_image(const T* image, const double* table, O* result, i64 count, i64 columns,
              const Shape shape, const Places places, int mode, double constant, double scale,
              double lowest, bool ties, const double* range, u32* seen) {
    constexpr int AXES = Source::AXES;
    typedef typename Accumulator<T, O>::type W;
    const Scaled<T, W> convert(scale, lowest);
    const W cval = (W)constant;
    const Source source(table, count, columns, places);
    Finish<W> finish(range, seen, (W)shown<O>(constant));
    i64 strides[AXES];
    i64 stride = shape.channels;
#pragma unroll
    for (int a = AXES - 1; a >= 0; --a) {
        strides[a] = stride;
        stride *= shape.size[a];
    }
    const i64 step = (i64)gridDim.x * blockDim.x;
    for (i64 i = (i64)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += step) {
        double place[AXES];
        source.at(i, place);
        AxisTaps<ORDER, W> taps[AXES];
        bool touched = false;
#pragma unroll
        for (int a = 0; a < AXES; ++a) {
            taps[a].set_quickly(place[a] + (double)shape.pad, shape.size[a], mode);
            touched |= taps[a].outside();
        }
        if (ties) {
#pragma unroll
            for (int a = 0; a < AXES; ++a) {
                const double from = place[a] - floor(place[a]) - 0.5;
                if (from < HALFWAY && from > -HALFWAY) finish.bits |= TIE;
            }
        }
        for (i64 channel = 0; channel < shape.channels; ++channel) {
            const W value = interpolate<ORDER, AXES>(image + channel, taps, strides, cval, convert);
            const O made = Rounded<O>::value(finish.clip(value));
            finish.watch((W)made, touched);
            result[i * shape.channels + channel] = made;
        }
    }
    finish.tell();
}
