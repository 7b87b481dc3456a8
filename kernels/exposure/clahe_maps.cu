// CLAHE, first part: bins of the grey levels, and a map of each tile.
//
//   clahe_range_of_color   range = {min, max} of the values (of HSV) of a colour image
//   clahe_maps_of_gray     bins of an image of one channel, and the maps
//   clahe_maps_of_color    the same of the values of a colour image
//
// image: n pixels; colours have `channels` channels side by side, red, green, blue first.
// range: {min, max}, of the image's type (float for binary16; colours: float or double).
// bins: n of them, level / bin_size. maps: for each tile and bin the level that it becomes.
// A tile that reaches beyond the image sees it mirrored.
// `parts` blocks count the histogram of a tile; the one that ends last clips it and sums it
// up. counts: `bin_count` for each tile, 0 (not used where parts is 1); arrived: one 0 each.
//
// One launch each; the image is read once (and at the mirror), the bins are written once.
//
// Method: K. Zuiderveld, Contrast Limited Adaptive Histogram Equalization, Graphics Gems IV,
// 1994, as in skimage/exposure/_adapthist.py.
#include "common/boundary.cuh"
#include "common/histogram.cuh"
#include "common/reduce.cuh"
#include "common/scan.cuh"
#include "common/shared.cuh"
#include "exposure/clahe.cuh"

constexpr int MAX_THREADS = 256;
constexpr int MOST_AXES = 4;

// Of the last `axes` axes; the others have length 1.
struct Tiles {
    i64 shape[MOST_AXES];    // of the image
    i64 size[MOST_AXES];     // of a tile
    i64 number[MOST_AXES];   // of tiles
    double scale;            // levels for one pixel of a tile
    i64 pixels;              // of a tile
    i64 clip_limit;
    int axes, bin_size, bin_count, parts;
};

// Where an element of a tile lies in the image, and whether it is no mirrored one.
struct Place {
    i64 pixel;
    bool inside;
};

// The elements of one tile.
struct Tile {
    i64 corner[MOST_AXES];

    __device__ Tile(const Tiles& tiles, u32 tile) {
#pragma unroll
        for (int axis = MOST_AXES - 1; axis >= 0; --axis) {
            const u32 number = (u32)tiles.number[axis];
            corner[axis] = (i64)(tile % number) * tiles.size[axis];
            tile /= number;
        }
    }

    __device__ Place place(const Tiles& tiles, u32 element) const {
        const int first = MOST_AXES - tiles.axes;
        Place place = {0, true};
        i64 stride = 1;
#pragma unroll
        for (int axis = MOST_AXES - 1; axis >= 0; --axis) {
            if (axis < first) continue;
            const u32 size = (u32)tiles.size[axis], rest = axis > first ? element / size : 0u;
            const i64 x = corner[axis] + (element - rest * size), length = tiles.shape[axis];
            element = rest;
            place.inside &= x < length;
            place.pixel += stride * boundary_index(x, length, MIRROR);
            stride *= length;
        }
        return place;
    }
};

// Clips a histogram and spreads what was cut off over it, in scikit-image's order.
// Called by all threads of the block; contains barriers, none must follow.
__device__ inline void clip(u32* hist, int count, i64 limit, u32* total) {
    u32 mine = 0;
    for (int k = threadIdx.x; k < count; k += blockDim.x) {
        if (hist[k] > limit) {
            mine += hist[k] - (u32)limit;
            hist[k] = (u32)limit;
        }
    }
    i64 excess = block_sum(mine, total);

    // an equal share for each bin
    const i64 share = excess / count, upper = limit - share;
    mine = 0;
    u32 mine_under = 0;
    for (int k = threadIdx.x; k < count; k += blockDim.x) {
        i64 height = hist[k];
        if (height < upper) height += share;
        if (height >= upper) height = limit;
        mine += (u32)(height - hist[k]);
        mine_under += height < limit;
        hist[k] = (u32)height;
    }
    excess -= block_sum(mine, total);
    i64 under = block_sum(mine_under, total);

    // and the rest one by one, at steps
    while (excess > 0 && under > 0) {
        for (int start = 0; start < count && excess > 0 && under > 0; ++start) {
            const i64 step = under / excess > 1 ? under / excess : 1;
            mine = mine_under = 0;
            for (i64 k = start + step * threadIdx.x; k < count; k += step * blockDim.x) {
                if (hist[k] < limit) {
                    ++mine;
                    mine_under += ++hist[k] == limit;
                }
            }
            excess -= block_sum(mine, total);
            under -= block_sum(mine_under, total);
        }
    }
}

template <class Levels>
__device__ inline void make_maps(const Levels& level, const typename Levels::Limit* range, const Tiles& tiles,
                                 u16* bins, u32* counts, u32* arrived, u16* maps) {
    DYN_SHARED(u32, hist);
    __shared__ u32 sums[MAX_THREADS], total;
    const Rescaled rescaled = {Levels::of(range[0]), Levels::of(range[1])};
    const int count = tiles.bin_count;
    u32 number = 1;
    for (int axis = 0; axis < MOST_AXES; ++axis) number *= (u32)tiles.number[axis];

    for (i64 task = blockIdx.x; task < (i64)number * tiles.parts; task += gridDim.x) {
        // 1. count one part of one tile
        const u32 tile = (u32)(task / tiles.parts), part = (u32)(task % tiles.parts);
        const Tile elements(tiles, tile);
        const i64 begin = tiles.pixels * part / tiles.parts, end = tiles.pixels * (part + 1) / tiles.parts;
        clear_bins(hist, count);
        for (i64 e = begin + threadIdx.x; e < end; e += blockDim.x) {
            const Place place = elements.place(tiles, (u32)e);
            const u32 bin = rescaled(level(place.pixel)) / (u32)tiles.bin_size;
            count_one(hist, bin);
            if (place.inside) bins[place.pixel] = (u16)bin;
        }
        __syncthreads();

        // 2. the block that ends last gathers the parts
        if (tiles.parts > 1) {
            u32* const tile_counts = counts + (i64)tile * count;
            for (int k = threadIdx.x; k < count; k += blockDim.x)
                if (hist[k]) atomicAdd(&tile_counts[k], hist[k]);
            __threadfence();
            __syncthreads();
            const bool last = last_of((u32)tiles.parts, arrived + tile);
            for (int k = threadIdx.x; last && k < count; k += blockDim.x) hist[k] = tile_counts[k];
            __syncthreads();
            if (!last) continue;
        }

        // 3. clip, sum up, scale
        clip(hist, count, tiles.clip_limit, &total);
        __syncthreads();
        block_scan(hist, count, sums);
        for (int k = threadIdx.x; k < count; k += blockDim.x) {
            const double scaled = __dmul_rn((double)hist[k], tiles.scale);
            maps[(i64)tile * count + k] = (u16)(scaled < (double)TOP_LEVEL ? scaled : (double)TOP_LEVEL);
        }
        __syncthreads();
    }
}

template <class T>
__global__ void clahe_maps_of_gray(const T* image, const typename GrayLevels<T>::Limit* range, Tiles tiles,
                                   u16* bins, u32* counts, u32* arrived, u16* maps) {
    make_maps(GrayLevels<T>{image}, range, tiles, bins, counts, arrived, maps);
}

template <class T>
__global__ void clahe_maps_of_color(const T* image, i64 channels, const typename ColorLevels<T>::Limit* range,
                                    Tiles tiles, u16* bins, u32* counts, u32* arrived, u16* maps) {
    make_maps(ColorLevels<T>{image, channels}, range, tiles, bins, counts, arrived, maps);
}

template <class T>
__global__ void clahe_range_of_color(const T* image, i64 channels, i64 n, typename ColorLevels<T>::Limit* partials,
                                     u32* arrived, typename ColorLevels<T>::Limit* range) {
    using Limit = typename ColorLevels<T>::Limit;
    const ColorLevels<T> levels = {image, channels};
    const Span span = block_span(n, 1);
    Lanes<Limit> lanes(levels.value(0));
    for (i64 i = span.begin + threadIdx.x; i < span.end; i += blockDim.x) lanes.add(0, levels.value(i));
    __shared__ Range<Limit> scratch[MAX_THREADS];
    grid_reduce(lanes.range(), scratch, (Range<Limit>*)partials, arrived, CombineRanges(),
                [=](const Range<Limit>& found) {
                    range[0] = found.low;
                    range[1] = found.high;
                });
}
