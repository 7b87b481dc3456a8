// CLAHE, second part: levels between the maps of neighbouring tiles, and the result.
//
//   clahe_levels           levels[i] holds a bin and becomes a level; range = {min, max} of them
//   clahe_result_of_gray   result = levels, their range made 0 to 1
//   clahe_result_of_color  the image with these as values of HSV
//
// maps: bin_count levels for each tile. weights: for each place in a tile its share of the
// next map, axis after axis. result: float or double (W).
//
// One launch each; levels are read and written once, then read once, as the colour image;
// the result is written once.
//
// Method: K. Zuiderveld, Graphics Gems IV, 1994, as in skimage/exposure/_adapthist.py.
#include "color/steps.cuh"
#include "color/tile.cuh"
#include "common/points.cuh"
#include "common/range.cuh"

constexpr int MAX_THREADS = 256;
constexpr int MOST_AXES = 4;
constexpr int SEGMENT = 1024;  // elements of a row that a block takes at a time
constexpr int TILE = 256;      // pixels whose colours a block puts together

// Of the last axes; the others have length 1.
struct Between {
    i64 shape[MOST_AXES];    // of the image, or of a part of it
    i64 start[MOST_AXES];    // where that part begins
    i64 size[MOST_AXES];     // of a tile
    i64 number[MOST_AXES];   // of tiles
    i64 first[MOST_AXES];    // of the axis' weights
    int bin_count;
};

// The two tiles along an axis between which x lies, and the weight of the second.
struct Neighbours {
    i64 tile[2];
    double weight[2];
};

__device__ inline Neighbours neighbours(const Between& between, int axis, i64 x, const double* weights) {
    const u32 size = (u32)between.size[axis];
    const u32 shifted = (u32)(x + between.start[axis]) + size / 2;
    const i64 next = shifted / size, most = between.number[axis] - 1;
    const double weight = weights[between.first[axis] + shifted % size];
    return {{next > 0 ? next - 1 : 0, next < most ? next : most}, {__dsub_rn(1.0, weight), weight}};
}

// Adds the maps of all corners in the order of numpy.ndindex, as scikit-image does: in
// float, of products in double whose factors come from the last axis on.
template <int AXES>
__device__ inline float interpolated(const Neighbours* axis, const Between& between, const u16* maps, u32 bin) {
    float sum = 0.0f;
#pragma unroll
    for (int corner = 0; corner < 1 << AXES; ++corner) {
        i64 tile = 0;
        double weight = 1.0;
#pragma unroll
        for (int a = 0; a < AXES; ++a)
            tile = tile * between.number[MOST_AXES - AXES + a] + axis[a].tile[corner >> (AXES - 1 - a) & 1];
#pragma unroll
        for (int a = AXES - 1; a >= 0; --a)
            weight = __dmul_rn(weight, axis[a].weight[corner >> (AXES - 1 - a) & 1]);
        const double mapped = (double)maps[tile * between.bin_count + bin];
        sum = __fadd_rn(sum, (float)__dmul_rn(mapped, weight));
    }
    return sum;
}

template <int AXES>
__global__ void clahe_levels(u16* levels, const u16* maps, const double* weights, Between between, u32* partials,
                             u32* arrived, u32* range) {
    constexpr int FIRST = MOST_AXES - AXES;
    const i64 length = between.shape[MOST_AXES - 1];
    const i64 segments = (length + SEGMENT - 1) / SEGMENT;
    i64 rows = 1;
    for (int a = FIRST; a < MOST_AXES - 1; ++a) rows *= between.shape[a];

    Range<u32> mine = {0xffffffffu, 0u};
    for (i64 task = blockIdx.x; task < rows * segments; task += gridDim.x) {
        i64 row = task / segments;
        const i64 begin = (task - row * segments) * SEGMENT;
        const i64 end = begin + SEGMENT < length ? begin + SEGMENT : length;
        u16* const line = levels + row * length;
        Neighbours axis[AXES];
#pragma unroll
        for (int a = AXES - 2; a >= 0; --a) {
            axis[a] = neighbours(between, FIRST + a, row % between.shape[FIRST + a], weights);
            row /= between.shape[FIRST + a];
        }
        for (i64 x = begin + threadIdx.x; x < end; x += blockDim.x) {
            axis[AXES - 1] = neighbours(between, MOST_AXES - 1, x, weights);
            const u32 level = (u32)interpolated<AXES>(axis, between, maps, line[x]);
            line[x] = (u16)level;
            mine = CombineRanges()(mine, Range<u32>{level, level});
        }
    }
    __shared__ Range<u32> scratch[MAX_THREADS];
    grid_reduce(mine, scratch, (Range<u32>*)partials, arrived, CombineRanges(), [=](const Range<u32>& found) {
        range[0] = found.low;
        range[1] = found.high;
    });
}

// rescale_intensity of floating levels to 0 to 1.
template <class W> struct Stretched {
    W low, width;
    __device__ explicit Stretched(const u32* range) : low((W)range[0]), width((W)(range[1] - range[0])) {}
    __device__ W operator()(u32 level) const {
        if (width == (W)0) return level ? (W)1 : (W)0;
        return ((W)level - low) / width;
    }
};

template <class W> __global__ void clahe_result_of_gray(const u16* levels, i64 n, const u32* range, W* result) {
    const Stretched<W> stretched(range);
    for_points(levels, result, n, [=](u16 level) { return stretched(level); });
}

template <class T, class W>
__global__ void clahe_result_of_color(const T* image, i64 channels, const u16* levels, i64 n, const u32* range,
                                      W* result) {
    alignas(16) __shared__ W tile[TILE * 3];
    const Stretched<W> stretched(range);
    const RgbToHsv<W> to_hsv = {};
    const HsvToRgb<W> to_rgb = {};
    for (i64 begin = (i64)blockIdx.x * TILE; begin < n; begin += (i64)gridDim.x * TILE) {
        const int count = n - begin < TILE ? (int)(n - begin) : TILE;
        for (int j = threadIdx.x; j < count; j += blockDim.x) {
            const T* pixel = image + (begin + j) * channels;
            W c[3] = {img_as_float<W>(pixel[0]), img_as_float<W>(pixel[1]), img_as_float<W>(pixel[2])};
            to_hsv(c);
            c[2] = stretched(levels[begin + j]);
            to_rgb(c);
#pragma unroll
            for (int k = 0; k < 3; ++k) tile[3 * j + k] = c[k];
        }
        __syncthreads();
        write_tile(tile, result + 3 * begin, 3 * count);
        __syncthreads();
    }
}
