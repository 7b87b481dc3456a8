// What is measured of labelled regions: sums, and smallest values, over the pixels of each.
//
// Pixels are sorted by their labels, those of a region in raster order, as runs (runs.cu); region r
// has the sorted pixels, or runs, from starts[r] to starts[r + 1]. Each thread adds up `SHARE` of
// them. What it has of a region goes to a place of its own among `partials`; then comes
//
//     gather        adds up what threads have of each region
//
// so a table takes the same launches however many regions there are, no thread waits for another,
// and every sum is made in one order: the same image gives the same bits. Of whole numbers, whose
// order does not matter, it goes to the table at once:
//
//     boxes         the region's bounding box
//     squares       sums of coordinates and of their products
//     moments       sums of weights times powers of coordinates, up to the third; moments_of_runs where
//                   there are no weights
//     intensities   sum, smallest and largest value
//     spreads       sums of distances from a mean, and of their squares
//     corners       how often each pattern of 2 x 2 pixels stands at a corner
//     cubes         Euler's number, from patterns of 2 x 2 x 2
//     perimeters    pixels of the outline by what they are worth
//
// The first two and moments_of_runs go through runs, the others through pixels, and read an intensity
// of each; 4 bytes a pixel (for 16 sums) are written and read between.
//
// Index: int, or i64 from 2^31 pixels on.
//
// Source: scikit-image `measure.regionprops`.
#include "common/any_type.cuh"
#include "measure/runs.cuh"

constexpr int SHARE = 32, THREADS = 256;

// Larger than any value: what no pixel has been compared with yet.
__device__ inline double none() { return __longlong_as_double(0x7ff0000000000000ll); }

template <class Index> struct Regions {
    Runs<Index> runs;
    const i64* starts;  // one more than regions: the last is the number of pixels
    i64 count;

    __device__ Walk<Index> from(i64 i) const { return Walk<Index>(runs, i); }
};

// Runs of regions, where each is one thing.
struct RunsOfRegions {
    const i64* starts;
    i64 count;

    struct Same {
        __device__ i64 operator()(i64 run) const { return run; }
    };
    __device__ Same from(i64) const { return {}; }
};

// Goes through a share of sorted pixels, or of runs, of region after region.
//   called by: any thread
//   begin:     void(i64 region), before the first of each region
//   each:      void(pixel or run, i64 region)
//   finish:    void(i64 region), behind the last
template <class Of, class Begin, class Each, class Finish>
__device__ inline void go_through(const Of& regions, i64 share, const Begin& begin, const Each& each,
                                  const Finish& finish) {
    const i64 end = regions.starts[regions.count];
    i64 i = regions.starts[0] + share * SHARE;
    const i64 stop = i + SHARE < end ? i + SHARE : end;
    auto walk = regions.from(i);
    for (i64 region = part_of(regions.starts, regions.count, i); i < stop; ++region) {
        const i64 last = regions.starts[region + 1] < stop ? regions.starts[region + 1] : stop;
        begin(region);
        for (; i < last; ++i) each(walk(i), region);
        finish(region);
    }
}

// How many shares there are. Any thread.
template <class Of> __device__ inline i64 shares_of(const Of& regions) {
    return (regions.starts[regions.count] - regions.starts[0] - 1) / SHARE + 1;
}

// Adds up the sorted pixels by region, or runs. `SUMS` of the `VALUES` are sums, of the others the smallest is kept.
//   called by: all threads of all blocks, once in a launch
//   variants:  ways in which each pixel is measured
//   partials:  global memory, VALUES for each share, region and variant
//   measure:   void(double (&values)[VALUES], pixel or run, i64 region, i64 variant)
template <int VALUES, int SUMS, class Of, class Measure>
__device__ inline void add_up(const Of& regions, i64 variants, double* partials, const Measure& measure) {
    const i64 shares = shares_of(regions);
    for (i64 item = blockIdx.x * (i64)blockDim.x + threadIdx.x; item < shares * variants;
         item += (i64)gridDim.x * blockDim.x) {
        const i64 share = item / variants, variant = item % variants;
        double values[VALUES];
        const auto begin = [&](i64) {
#pragma unroll
            for (int v = 0; v < VALUES; ++v) values[v] = v < SUMS ? 0.0 : none();
        };
        const auto each = [&](i64 what, i64 region) { measure(values, what, region, variant); };
        const auto finish = [&](i64 region) {
            // either grows from one place to the next, so no two share one
            double* const out = partials + ((share + region) * variants + variant) * VALUES;
#pragma unroll
            for (int v = 0; v < VALUES; ++v) out[v] = values[v];
        };
        go_through(regions, share, begin, each, finish);
    }
}

// table: VALUES for each region and variant. A block of any size for each of them, which changes no bit.
template <int VALUES, int SUMS>
__global__ void __launch_bounds__(THREADS, 1)
    gather(const i64* starts, i64 count, i64 variants, const double* partials, double* table) {
    __shared__ double parts[THREADS];
    constexpr int GROUPS = THREADS / VALUES;
    const auto joined = [](int v, double value, double part) {
        return v < SUMS ? value + part : value < part ? value : part;
    };
    for (i64 item = blockIdx.x; item < count * variants; item += gridDim.x) {
        const i64 region = item / variants, variant = item % variants;
        const i64 first = (starts[region] - starts[0]) / SHARE, last = (starts[region + 1] - 1 - starts[0]) / SHARE;
        const int groups = last - first < GROUPS ? (int)(last - first) + 1 : GROUPS;
        for (int t = threadIdx.x; t < groups * VALUES; t += blockDim.x) {
            const int v = t % VALUES;
            double value = v < SUMS ? 0.0 : none();
            for (i64 share = first + t / VALUES; share <= last; share += GROUPS)
                value = joined(v, value, partials[((share + region) * variants + variant) * VALUES + v]);
            parts[t] = value;
        }
        __syncthreads();
        for (int v = threadIdx.x; v < VALUES; v += blockDim.x) {
            double value = parts[v];
            for (int g = 1; g < groups; ++g) value = joined(v, value, parts[g * VALUES + v]);
            table[item * VALUES + v] = value;
        }
        __syncthreads();  // before the next region
    }
}

// table: of each region the smallest z, y, x, then the largest ones below 0; the largest number before.
template <class Index>
__global__ void __launch_bounds__(THREADS, 1)
    boxes(const Index* firsts, const i64* places, const i64* starts, i64 count,
          const __grid_constant__ Volume<Index> shape, Index* table) {
    const RunsOfRegions regions{starts, count};
    const i64 shares = shares_of(regions);
    for (i64 share = blockIdx.x * (i64)blockDim.x + threadIdx.x; share < shares; share += (i64)gridDim.x * blockDim.x) {
        Index box[6];
        const auto begin = [&](i64) {
            const Index most[6] = {shape.depth, shape.rows, shape.columns, 0, 0, 0};
#pragma unroll
            for (int v = 0; v < 6; ++v) box[v] = most[v];
        };
        const auto each = [&](i64 run, i64) {
            const Place<Index> at(shape, firsts[run]);
            const Index last = at.x + (Index)(places[run + 1] - places[run]) - 1;
            const Index ends[6] = {at.z, at.y, at.x, -at.z, -at.y, -last};
#pragma unroll
            for (int v = 0; v < 6; ++v) box[v] = ends[v] < box[v] ? ends[v] : box[v];
        };
        const auto finish = [&](i64 region) {
#pragma unroll
            for (int v = 0; v < 6; ++v) atomicMin(table + region * 6 + v, box[v]);
        };
        go_through(regions, share, begin, each, finish);
    }
}

// Sums of coordinates and of their products, modulo 2^64, to `table`, 0 before: pixels; z, y, x; zz, yy, xx;
// zy, zx, yx. Of n pixels from x on the sum of x is n x + t, that of xx is n xx + 2 x t + t (2 n - 1) / 3, for
// t = n (n - 1) / 2, which asks for n^3 below 2^63.
template <class Index>
__global__ void __launch_bounds__(THREADS, 1)
    squares(const Index* firsts, const i64* places, const i64* starts, i64 count,
            const __grid_constant__ Volume<Index> shape, u64* table) {
    constexpr u64 A_THIRD = 0xaaaaaaaaaaaaaaabull;  // of multiples of 3, modulo 2^64
    const RunsOfRegions regions{starts, count};
    const i64 shares = shares_of(regions);
    for (i64 share = blockIdx.x * (i64)blockDim.x + threadIdx.x; share < shares; share += (i64)gridDim.x * blockDim.x) {
        u64 sums[10];
        const auto begin = [&](i64) {
#pragma unroll
            for (int v = 0; v < 10; ++v) sums[v] = 0;
        };
        const auto each = [&](i64 run, i64) {
            const Place<Index> at(shape, firsts[run]);
            const u64 n = (u64)(places[run + 1] - places[run]), z = (u64)at.z, y = (u64)at.y, x = (u64)at.x;
            const u64 t = n * (n - 1) / 2, along = n * x + t;
            const u64 found[10] = {n,         n * z,      n * y, along, n * z * z, n * y * y,
                                   (along + t) * x + t * (2 * n - 1) * A_THIRD, n * z * y, along * z, along * y};
#pragma unroll
            for (int v = 0; v < 10; ++v) sums[v] += found[v];
        };
        const auto finish = [&](i64 region) {
#pragma unroll
            for (int v = 0; v < 10; ++v)
                if (sums[v]) atomicAdd(table + region * 10 + v, sums[v]);
        };
        go_through(regions, share, begin, each, finish);
    }
}

struct Coordinates {
    double z, y, x;
};

// The sums of w z^p y^i x^j, i and j up to ORDER, of coordinates from the first corner of the region's
// box on, scaled, and less a centre. Variants: `powers` of z for each channel.
//   corners:  3 for each region
//   centres:  3 for each region and channel
template <class Index> struct Centred {
    Coordinates spacing;
    const i64* corners;
    const double* centres;

    // Of a place. Any thread.
    __device__ Coordinates operator()(const Place<Index>& at, i64 region, i64 of) const {
        const i64* const corner = corners + region * 3;
        const double* const centre = centres + of * 3;
        return {(at.z - corner[0]) * spacing.z - centre[0], (at.y - corner[1]) * spacing.y - centre[1],
                (at.x - corner[2]) * spacing.x - centre[2]};
    }
};

// Adds y^i of `along[j]`, the sums of x^j, times z^power. Any thread.
template <int SIDE>
__device__ inline void add_moments(double (&values)[SIDE * SIDE], const Coordinates& at, i64 power,
                                   const double (&along)[4]) {
    double weight = 1.0;
    for (int p = 0; p < power; ++p) weight *= at.z;
#pragma unroll
    for (int i = 0; i < SIDE; ++i) {
#pragma unroll
        for (int j = 0; j < SIDE; ++j) values[SIDE * i + j] += weight * along[j];
        weight *= at.y;
    }
}

//   image:    weights, of `channels`
template <class Index, int ORDER>
__global__ void __launch_bounds__(THREADS, 1)
    moments(const Index* firsts, const i64* places, i64 runs, const i64* starts, i64 count,
            const __grid_constant__ Volume<Index> shape, const __grid_constant__ Coordinates spacing,
            const i64* corners, const double* centres, const void* image, int type, i64 channels, i64 powers,
            double* partials) {
    constexpr int SIDE = ORDER + 1;
    const Centred<Index> centred{spacing, corners, centres};
    const auto measure = [&](double (&values)[SIDE * SIDE], Index pixel, i64 region, i64 variant) {
        const i64 channel = variant / powers;
        const Coordinates at = centred(Place<Index>(shape, pixel), region, region * channels + channel);
        const double w = load_any<double, 1>(image, type, pixel * channels + channel).item[0];
        const double along[4] = {w, w * at.x, w * at.x * at.x, w * at.x * at.x * at.x};
        add_moments<SIDE>(values, at, variant % powers, along);
    };
    const Regions<Index> regions{{firsts, places, runs}, starts, count};
    add_up<SIDE * SIDE, SIDE * SIDE>(regions, channels * powers, partials, measure);
}

// The same where each pixel weighs 1: a run of n pixels has its sums of x^j about its middle, of which the odd
// ones are 0, and the second is n (n^2 - 1) / 12 squares of the spacing.
template <class Index>
__global__ void __launch_bounds__(THREADS, 1)
    moments_of_runs(const Index* firsts, const i64* places, const i64* starts, i64 count,
                    const __grid_constant__ Volume<Index> shape, const __grid_constant__ Coordinates spacing,
                    const i64* corners, const double* centres, i64 powers, double* partials) {
    const Centred<Index> centred{spacing, corners, centres};
    const auto measure = [&](double (&values)[16], i64 run, i64 region, i64 power) {
        const double n = (double)(Index)(places[run + 1] - places[run]), half = 0.5 * (n - 1.0);
        Coordinates at = centred(Place<Index>(shape, firsts[run]), region, region);
        at.x += half * spacing.x;
        const double second = n * (n * n - 1.0) / 12.0 * spacing.x * spacing.x, square = n * at.x * at.x;
        const double along[4] = {n, n * at.x, square + second, at.x * (square + 3.0 * second)};
        add_moments<4>(values, at, power, along);
    };
    add_up<16, 16>(RunsOfRegions{starts, count}, powers, partials, measure);
}

// values: the sum, one that means nothing, the smallest, and the largest below 0. Variants: channels.
template <class Index>
__global__ void __launch_bounds__(THREADS, 1)
    intensities(const Index* firsts, const i64* places, i64 runs, const i64* starts, i64 count, const void* image,
                int type, i64 channels, double* partials) {
    const auto measure = [&](double (&values)[4], Index pixel, i64, i64 channel) {
        const double value = load_any<double, 1>(image, type, pixel * channels + channel).item[0];
        values[0] += value;
        values[2] = value < values[2] ? value : values[2];
        values[3] = -value < values[3] ? -value : values[3];
    };
    add_up<4, 2>(Regions<Index>{{firsts, places, runs}, starts, count}, channels, partials, measure);
}

// values: the sums of distances from the region's mean, and of their squares. Variants: channels.
template <class Index>
__global__ void __launch_bounds__(THREADS, 1)
    spreads(const Index* firsts, const i64* places, i64 runs, const i64* starts, i64 count, const void* image,
            int type, i64 channels, const double* means, double* partials) {
    const auto measure = [&](double (&values)[2], Index pixel, i64 region, i64 channel) {
        const double distance =
            load_any<double, 1>(image, type, pixel * channels + channel).item[0] - means[region * channels + channel];
        values[0] += distance;
        values[1] += distance * distance;
    };
    add_up<2, 2>(Regions<Index>{{firsts, places, runs}, starts, count}, channels, partials, measure);
}

// Whether a pixel beside another one is of its region.
template <class Index> struct Beside {
    Labels labels;
    Volume<Index> shape;
    Place<Index> at;
    u64 label;

    __device__ Beside(const Labels& labels, const Volume<Index>& shape, Index pixel)
        : labels(labels), shape(shape), at(shape, pixel), label(labels[pixel]) {}

    __device__ bool operator()(int dz, int dy, int dx) const {
        const Index z = at.z + dz, y = at.y + dy, x = at.x + dx;
        return z >= 0 && z < shape.depth && y >= 0 && y < shape.rows && x >= 0 && x < shape.columns &&
               labels[(z * shape.rows + y) * shape.columns + x] == label;
    }
};

// The patterns around a pixel that no earlier pixel of its region is in: `found` gets each, with
// bits dy + 2 dx + 4 dz of the pixels so far before the pattern's last one.
template <int DEPTH, class Inside, class Found>
__device__ inline void patterns_of(const Inside& inside, const Found& found) {
#pragma unroll
    for (int corner = 0; corner < 2 * 2 * DEPTH; ++corner) {  // the pattern's last pixel, from this one
        const int cx = corner % 2, cy = corner / 2 % 2, cz = corner / 4;
        int pattern = 0;
        bool earlier = false;
#pragma unroll
        for (int each = 0; each < 2 * 2 * DEPTH; ++each) {
            const int dx = each % 2, dy = each / 2 % 2, dz = each / 4;
            const int x = cx - dx, y = cy - dy, z = cz - dz;
            const bool is = inside(z, y, x);
            if (is) pattern |= 1 << (dy + 2 * dx + 4 * dz);
            earlier = earlier || (is && (z < 0 || (z == 0 && (y < 0 || (y == 0 && x < 0)))));
        }
        if (!earlier) found(pattern);
    }
}

// values: how often each pattern of 2 x 2 pixels stands there, by its bits; of none means nothing.
template <class Index>
__global__ void __launch_bounds__(THREADS, 1)
    corners(const Index* firsts, const i64* places, i64 runs, const i64* starts, i64 count, const void* labels,
            int bytes, const __grid_constant__ Volume<Index> shape, double* partials) {
    const auto measure = [&](double (&values)[16], Index pixel, i64, i64) {
        patterns_of<1>(Beside<Index>(Labels{labels, bytes}, shape, pixel), [&](int pattern) {
#pragma unroll
            for (int v = 1; v < 16; ++v)
                if (v == pattern) values[v] += 1.0;
        });
    };
    add_up<16, 16>(Regions<Index>{{firsts, places, runs}, starts, count}, 1, partials, measure);
}

// worth: of each of 256 patterns. values: the sum of what patterns are worth.
template <class Index>
__global__ void __launch_bounds__(THREADS, 1)
    cubes(const Index* firsts, const i64* places, i64 runs, const i64* starts, i64 count, const void* labels,
          int bytes, const __grid_constant__ Volume<Index> shape, const double* worth, double* partials) {
    const auto measure = [&](double (&values)[1], Index pixel, i64, i64) {
        patterns_of<2>(Beside<Index>(Labels{labels, bytes}, shape, pixel), [&](int pattern) { values[0] += worth[pattern]; });
    };
    add_up<1, 1>(Regions<Index>{{firsts, places, runs}, starts, count}, 1, partials, measure);
}

// values: pixels of the outline that are worth 1, the root of 2, and the mean of these.
template <class Index>
__global__ void __launch_bounds__(THREADS, 1)
    perimeters(const Index* firsts, const i64* places, i64 runs, const i64* starts, i64 count, const void* labels,
               int bytes, const __grid_constant__ Volume<Index> shape, double* partials) {
    const auto measure = [&](double (&values)[4], Index pixel, i64, i64) {
        const Beside<Index> inside(Labels{labels, bytes}, shape, pixel);
        const auto outline = [&](int y, int x) {
            return inside(0, y, x) &&
                   !(inside(0, y - 1, x) && inside(0, y + 1, x) && inside(0, y, x - 1) && inside(0, y, x + 1));
        };
        if (!outline(0, 0)) return;
        const int sides = outline(-1, 0) + outline(1, 0) + outline(0, -1) + outline(0, 1);
        const int edges = outline(-1, -1) + outline(-1, 1) + outline(1, -1) + outline(1, 1);
        const int pattern = 10 * edges + 2 * sides + 1;
        const bool straight = (sides == 2 || sides == 3) && edges < 3;  // 5 7 15 17 25 27
        if (straight) values[0] += 1.0;
        if (pattern == 21 || pattern == 33) values[1] += 1.0;
        if (pattern == 13 || pattern == 23) values[2] += 1.0;
    };
    add_up<4, 4>(Regions<Index>{{firsts, places, runs}, starts, count}, 1, partials, measure);
}
