// Hysteresis threshold: pixels above a low threshold that are connected to one above a high
// threshold: along the axes, or, in 2-D, along the diagonals too. Three kernels, in this order:
//
//     label_tiles   components inside each tile, in shared memory, then the key of each
//                   pixel's root in its tile (common/union_find.cuh)
//     join_tiles    unites components across the tiles' borders, and along the axes that
//                   no tile has
//     above_low     looks up each pixel's root
//
// image: bool, (u)int8..64, float16/32/64, of up to 8 axes; tiles lie in the last two. Pixels
// above the high threshold are of the better kind in union_find.cuh, so no launch is needed
// to mark components. Up to 2^30 pixels.
// Three launches, whatever the image shows: the image is read once, 4 bytes a pixel are
// written, joined along the borders and read, and the result is written once.
//
// Source: scikit-image `filters.apply_hysteresis_threshold`; the two levels of labels:
// V. M. A. Oliveira and R. A. Lotufo, "A study on connected components labeling algorithms
// using GPUs", SIBGRAPI 2010.
#include "common/union_find.cuh"

constexpr int TILE_ROWS = 32, TILE_COLUMNS = 64, TILE = TILE_ROWS * TILE_COLUMNS;
constexpr int OUTER_AXES = 6;
typedef UnionFind<TILE> Local;
typedef UnionFind<1 << 30> Global;

struct Planes {
    int rows, columns;
    int outer[OUTER_AXES];  // lengths of the axes before; 1 where there is none
};

// One tile of one plane.
struct Tile {
    int plane, y0, x0, rows, columns;
    int base;  // index of its first pixel

    __device__ static int count(const Planes& image) {
        int planes = 1;
        for (int a = 0; a < OUTER_AXES; ++a) planes *= image.outer[a];
        return planes * across(image) * ((image.rows + TILE_ROWS - 1) / TILE_ROWS);
    }
    __device__ static int across(const Planes& image) {
        return (image.columns + TILE_COLUMNS - 1) / TILE_COLUMNS;
    }
    __device__ Tile(const Planes& image, int item) {
        const int down = (image.rows + TILE_ROWS - 1) / TILE_ROWS;
        x0 = item % across(image) * TILE_COLUMNS;
        y0 = item / across(image) % down * TILE_ROWS;
        plane = item / across(image) / down;
        rows = image.rows - y0 < TILE_ROWS ? image.rows - y0 : TILE_ROWS;
        columns = image.columns - x0 < TILE_COLUMNS ? image.columns - x0 : TILE_COLUMNS;
        base = (plane * image.rows + y0) * image.columns + x0;
    }
};

// Thresholds that are numbers. The low one is at most `ceiling`: the high one in the dtype
// in which numpy.clip compares them.
struct Thresholds {
    double low, high, ceiling;
};

// As numpy.minimum: NaN wherever there is one.
__device__ inline double at_most(double low, double ceiling) {
    return low != low || low < ceiling ? low : ceiling;
}

// Unites a pixel in a tile with those of its neighbours before it that no others unite it
// with: the one above is a neighbour of all of them.
__device__ inline void join_diagonally(int* parents, int i, int y, int x) {
    const int above = i - TILE_COLUMNS;
    if (y && parents[above] != BACKGROUND) {
        Local::unite(parents, i, above);
        return;
    }
    if (y && x && parents[above - 1] != BACKGROUND)
        Local::unite(parents, i, above - 1);
    else if (x && parents[i - 1] != BACKGROUND)
        Local::unite(parents, i, i - 1);
    if (y && x < TILE_COLUMNS - 1 && parents[above + 1] != BACKGROUND) Local::unite(parents, i, above + 1);
}

// `odd` becomes 1 where a pixel above the high threshold is not above the low one, which
// only NaN as the low one brings about.
template <class T>
__global__ void __launch_bounds__(256, 1)
    label_tiles(const T* image, const double* lows, const double* highs, Thresholds limits,
                Planes planes, bool diagonal, int* odd, int* labels) {
    __shared__ int parents[TILE];
    const int tiles = Tile::count(planes);
    for (int item = blockIdx.x; item < tiles; item += gridDim.x) {
        const Tile tile(planes, item);
        for (int i = threadIdx.x; i < TILE; i += blockDim.x) {
            const int y = i / TILE_COLUMNS, x = i % TILE_COLUMNS;
            parents[i] = BACKGROUND;
            if (y >= tile.rows || x >= tile.columns) continue;
            const int pixel = tile.base + y * planes.columns + x;
            const double value = (double)image[pixel];
            const double high = highs ? highs[pixel] : limits.high;
            const double ceiling = highs ? high : limits.ceiling;
            const bool above_low = value > at_most(lows ? lows[pixel] : limits.low, ceiling);
            const bool above_high = value > high;
            if (above_low) parents[i] = Local::key(i, above_high);
            if (above_high && !above_low) *odd = 1;
        }
        __syncthreads();
        for (int i = threadIdx.x; i < TILE; i += blockDim.x) {
            const int y = i / TILE_COLUMNS, x = i % TILE_COLUMNS;
            if (parents[i] == BACKGROUND) continue;
            if (diagonal) {
                join_diagonally(parents, i, y, x);
                continue;
            }
            const bool left = x && parents[i - 1] != BACKGROUND;
            if (left) Local::unite(parents, i, i - 1);
            if (!y || parents[i - TILE_COLUMNS] == BACKGROUND) continue;
            // where the pixels on the left are a pair too, they join these two
            if (!left || parents[i - TILE_COLUMNS - 1] == BACKGROUND)
                Local::unite(parents, i, i - TILE_COLUMNS);
        }
        __syncthreads();
        for (int i = threadIdx.x; i < TILE; i += blockDim.x) {
            const int y = i / TILE_COLUMNS, x = i % TILE_COLUMNS;
            if (y >= tile.rows || x >= tile.columns) continue;
            int label = BACKGROUND;
            if (parents[i] != BACKGROUND) {
                const int root = Local::root(parents, i), at = Local::element(root);
                label = Global::key(tile.base + at / TILE_COLUMNS * planes.columns + at % TILE_COLUMNS,
                                    Local::is_better(root));
            }
            labels[tile.base + y * planes.columns + x] = label;
        }
        __syncthreads();  // before the next tile
    }
}

// Unites a pixel with the one `distance` before it, if neither is background; not where
// the pixels on the left are such a pair too and join these two.
__device__ inline void join(int* labels, int pixel, int distance, bool has_left) {
    if (labels[pixel] == BACKGROUND || labels[pixel - distance] == BACKGROUND) return;
    if (has_left && labels[pixel - 1] != BACKGROUND && labels[pixel - distance - 1] != BACKGROUND) return;
    Global::unite(labels, pixel, pixel - distance);
}

// The same with the three pixels that lie `distance` before, one `step` before and one behind
// that; of these, those at places [-place, length - place).
__device__ inline void join_three(int* labels, int pixel, int distance, int step, int place, int length) {
    if (labels[pixel] == BACKGROUND) return;
    for (int k = -1; k <= 1; ++k) {
        const int other = pixel - distance + k * step;
        if (place + k >= 0 && place + k < length && labels[other] != BACKGROUND)
            Global::unite(labels, pixel, other);
    }
}

__global__ void __launch_bounds__(256, 1) join_tiles(Planes planes, bool diagonal, int* labels) {
    const int tiles = Tile::count(planes);
    for (int item = blockIdx.x; item < tiles; item += gridDim.x) {
        const Tile tile(planes, item);
        if (diagonal) {
            if (tile.x0)
                for (int y = threadIdx.x; y < tile.rows; y += blockDim.x)
                    join_three(labels, tile.base + y * planes.columns, 1, planes.columns, tile.y0 + y,
                               planes.rows);
            if (tile.y0)
                for (int x = threadIdx.x; x < tile.columns; x += blockDim.x)
                    join_three(labels, tile.base + x, planes.columns, 1, tile.x0 + x, planes.columns);
            continue;
        }
        if (tile.x0)
            for (int y = threadIdx.x; y < tile.rows; y += blockDim.x)
                join(labels, tile.base + y * planes.columns, 1, false);
        if (tile.y0)
            for (int x = threadIdx.x; x < tile.columns; x += blockDim.x)
                join(labels, tile.base + x, planes.columns, tile.x0 + x > 0);
        int distance = planes.rows * planes.columns, plane = tile.plane;
        for (int a = OUTER_AXES - 1; a >= 0; --a) {
            if (plane % planes.outer[a])
                for (int i = threadIdx.x; i < tile.rows * TILE_COLUMNS; i += blockDim.x) {
                    const int y = i / TILE_COLUMNS, x = i % TILE_COLUMNS;
                    if (x < tile.columns)
                        join(labels, tile.base + y * planes.columns + x, distance, tile.x0 + x > 0);
                }
            plane /= planes.outer[a];
            distance *= planes.outer[a];
        }
    }
}

// ndimage.label calls the background 0, and scikit-image asks of it too whether a pixel in
// it is above the high threshold: `odd`, where there is one.
__global__ void __launch_bounds__(256, 1) above_low(const int* labels, const int* odd, int n, bool* result) {
    const bool of_background = odd && *odd;
    for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < n; i += (i64)gridDim.x * blockDim.x)
        result[i] = labels[i] == BACKGROUND ? of_background : Global::is_better(Global::root(labels, (int)i));
}
