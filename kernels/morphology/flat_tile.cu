// Erosions and dilations by small flat footprints, one or several in a row, in one launch.
//
// A block of (32, 8) threads has a tile of results. In shared memory lie copies of the tile with
// its halo:
//
//     1. the image's keys into the first copy, extended beyond the image's borders
//     2. a list of searches, which the host has made: each gives every cell of a part of a copy
//        the least of some cells of others. Lines become searches for lengths that grow
//        threefold; other footprints are runs, which two overlapping lines of a power of 2 make
//     3. after each erosion or dilation but the last, cells outside of the image get what stands
//        there: the next one sees its image extended, as scikit-image has it
//     4. the last search writes the results, as they are or as differences from the image
//
// image: bool, (u)int8..64, float32/64, C-contiguous, seen as 3-D; result: the same dtype.
// beside: the image of a top hat, null where it is `image`. searches: a struct for each,
// then offsets of cells.
// One launch; each element is read once (the halos again, from cache) and written once.
// Shared memory: a key's bytes for each cell of all copies, and LANES more.
//
// Source: scikit-image `morphology.erosion`, `opening`, `white_tophat`; runs as in E. R. Urbach,
// M. H. F. Wilkinson, "Efficient 2-D grayscale morphological transformations with arbitrary flat
// structuring elements", IEEE Trans. Image Process. 17(1), 2008.
#include "filters/rank_window.cuh"
#include "morphology/flat.cuh"

// Rows that a thread has at once: an offset is read for all of them.
#ifdef SIM_FLAT
constexpr int ROWS = 1;
#else
constexpr int ROWS = 4;
#endif

// The least of the cells at here[r] + offsets[k]. Any thread.
template <class Key>
__device__ inline void least(const Key* cells, const int* here, const int* offsets, int count, Key found[ROWS][LANES]) {
    for (int k = 0; k < count; ++k) {
        const int offset = offsets[k];
#pragma unroll
        for (int r = 0; r < ROWS; ++r) {
            const Key* const line = cells + here[r] + offset;
            if (k == 0) {
                for (int l = 0; l < LANES; ++l) found[r][l] = line[l];
            } else {
#pragma omp simd
                for (int l = 0; l < LANES; ++l) found[r][l] = lesser(found[r][l], line[l]);
            }
        }
    }
}

// visit(z, y, x, key, lanes) for the least of each cell of the search's part of the tile.
//   called by: all threads of the block
template <class Key, class Visit>
__device__ inline void for_least(const Key* cells, const RankWindows& w, const Search& s, const int* offsets,
                                 const int* high, const Visit& visit) {
    const int height = high[1] - s.low[1], rows = (high[0] - s.low[0]) * height;
    for (int first = threadIdx.y * ROWS; first < rows; first += blockDim.y * ROWS) {
        for (int x = s.low[2] + threadIdx.x * LANES; x < high[2]; x += blockDim.x * LANES) {
            int here[ROWS];
#pragma unroll
            for (int r = 0; r < ROWS; ++r) {  // behind the last row, that once more
                const int row = first + r < rows ? first + r : rows - 1;
                here[r] = ((s.low[0] + row / height) * w.cells[1] + s.low[1] + row % height) * w.cells[2] + x;
            }
            Key found[ROWS][LANES];
            least(cells, here, offsets + s.first, s.count, found);
            const int lanes = high[2] - x < LANES ? high[2] - x : LANES;
#pragma unroll
            for (int r = 0; r < ROWS; ++r)
                if (first + r < rows)
                    visit(s.low[0] + (first + r) / height, s.low[1] + (first + r) % height, x, here[r], found[r], lanes);
        }
    }
}

// Gives cells of a complete image that lie outside of the image's borders what stands there.
//   called by: all threads of the block, between barriers
template <class Key>
__device__ inline void extend(Key* cells, const RankWindows& w, const RankTile& tile, const Search& s, int mode,
                              Key beyond) {
    if (mode == WRAP) return;  // what was made of an image that repeats itself does so, too
    i64 origin[3];
    bool inside = true;
    for (int a = 0; a < 3; ++a) {
        origin[a] = tile.origin[a] - w.before[a];
        inside = inside && origin[a] + s.low[a] >= 0 && origin[a] + s.high[a] <= w.shape[a];
    }
    if (inside) return;
    const int height = s.high[1] - s.low[1], rows = (s.high[0] - s.low[0]) * height;
    for (int r = threadIdx.y; r < rows; r += blockDim.y) {
        const int z = s.low[0] + r / height, y = s.low[1] + r % height;
        const i64 from_z = boundary_index(origin[0] + z, w.shape[0], mode);
        const i64 from_y = boundary_index(origin[1] + y, w.shape[1], mode);
        for (int x = s.low[2] + threadIdx.x; x < s.high[2]; x += blockDim.x) {
            const i64 from_x = boundary_index(origin[2] + x, w.shape[2], mode);
            Key* const cell = cells + (z * w.cells[1] + y) * w.cells[2] + x;
            if (from_z < 0 || from_y < 0 || from_x < 0) {
                *cell = beyond;
                continue;
            }
            if (from_z == origin[0] + z && from_y == origin[1] + y && from_x == origin[2] + x) continue;
            // cells behind those that results need may have their place outside of the tile
            const i64 of_z = from_z - origin[0], of_y = from_y - origin[1], of_x = from_x - origin[2];
            if (of_z < s.low[0] || of_z >= s.high[0] || of_y < s.low[1] || of_y >= s.high[1] || of_x < s.low[2] ||
                of_x >= s.high[2])
                continue;
            *cell = cells[(of_z * w.cells[1] + of_y) * w.cells[2] + of_x];
        }
    }
}

// dilates: whether the first of the chain is a dilation, and the last. under: what stands
// beyond the borders under CONSTANT, for erosions and for dilations.
template <class T>
__global__ void __launch_bounds__(256, sizeof(T) == 8 ? FEWER : RESIDENT)
    flat_tile(const T* image, const T* beside, const int* searches, int count, const __grid_constant__ RankWindows w,
              int mode, T under_erosion, T under_dilation, int first_dilates, int last_dilates, int finish, T* result) {
    typedef typename Flat<T>::Key Key;
    if (!beside) beside = image;
    DYN_SHARED(Key, cells);

    const Search* const all = reinterpret_cast<const Search*>(searches);
    const int* const offsets = searches + count * (int)(sizeof(Search) / sizeof(int));
    const Key beyond_erosion = Flat<T>::key(under_erosion, 0), beyond_dilation = Flat<T>::key(under_dilation, 1);
    const i64 tiles = RankTile::count(w);
    for (i64 item = blockIdx.x; item < tiles; item += gridDim.x) {
        const RankTile tile(w, item);
        // 1
        load_extended(cells, image, w, tile, mode, first_dilates ? beyond_dilation : beyond_erosion,
                      [&](T value) { return Flat<T>::key(value, first_dilates); });
        __syncthreads();
        // 2
        for (int k = 0; k + 1 < count; ++k) {
            const Search& s = all[k];
            const Key turn = s.inverts ? (Key)~(Key)0 : (Key)0;
            for_least(cells, w, s, offsets, s.high, [&](int, int, int, int cell, const Key* found, int lanes) {
                for (int l = 0; l < LANES && l < lanes; ++l) cells[s.target + cell + l] = found[l] ^ turn;
            });
            __syncthreads();
            // 3
            if (s.extends) {
                extend(cells + s.target, w, tile, s, mode, s.extends == 1 ? beyond_erosion : beyond_dilation);
                __syncthreads();
            }
        }
        // 4
        const Search& s = all[count - 1];
        const int high[3] = {s.low[0] + tile.planes, s.low[1] + tile.rows, s.low[2] + tile.columns};
        for_least(cells, w, s, offsets, high, [&](int z, int y, int x, int, const Key* found, int lanes) {
            const i64 row = (tile.origin[0] + z - s.low[0]) * w.shape[1] + tile.origin[1] + y - s.low[1];
            const i64 place = row * w.shape[2] + tile.origin[2] + x - s.low[2];
            for (int l = 0; l < LANES && l < lanes; ++l)
                result[place + l] = Flat<T>::finished(found[l], last_dilates, finish, beside, place + l);
        });
        __syncthreads();  // before the next tile's cells
    }
}
