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
// Shared memory: a key's bytes for each cell of all copies, and of 128 more.
//
// Source: scikit-image `morphology.erosion`, `opening`, `white_tophat`; runs as in E. R. Urbach,
// M. H. F. Wilkinson, "Efficient 2-D grayscale morphological transformations with arbitrary flat
// structuring elements", IEEE Trans. Image Process. 17(1), 2008.
#include "filters/rank_window.cuh"
#include "morphology/flat.cuh"

// The least of the cells at here[place_at(l)] + offsets[k]. Any thread.
template <class Key>
__device__ inline void least(const Key* here, const int* offsets, int count, Key found[MANY * LANES]) {
    for (int l = 0; l < MANY * LANES; ++l) found[l] = here[offsets[0] + place_at(l)];
#pragma unroll 4
    for (int k = 1; k < count; ++k) {
        const Key* const line = here + offsets[k];
#pragma omp simd
        for (int l = 0; l < MANY * LANES; ++l) found[l] = lesser(found[l], line[place_at(l)]);
    }
}

// The search's part of a tile as one line of cells, with those of the halo between its rows, of which
// nothing has to be right; for a CPU's vectors each row alone.
struct Part {
    static constexpr bool OF_ROWS = LANES > 1;
    int first;                  // cell
    int rows, columns, length;  // of a plane; of a row; of the line
    int lines;
    float inverse;

    __device__ Part(const RankWindows& w, const Search& s, const int* high)
        : first((s.low[0] * w.cells[1] + s.low[1]) * w.cells[2] + s.low[2]), rows(high[1] - s.low[1]),
          columns(high[2] - s.low[2]) {
        const int planes = high[0] - s.low[0];
        length = OF_ROWS ? columns : ((planes - 1) * w.cells[1] + rows - 1) * w.cells[2] + columns;
        lines = OF_ROWS ? planes * rows : 1;
        inverse = 1.0f / w.cells[2];
    }
    // visit(line, k, cell, the least of each cell's search) for strips of cells from the k-th on.
    //   called by: all threads of the block
    template <class Key, class Visit>
    __device__ void for_least(const Key* cells, const RankWindows& w, const Search& s, const int* offsets,
                              const Visit& visit) const {
        const int strips = OF_ROWS ? (length + LANES - 1) / LANES : (length + MANY * APART - 1) / (MANY * APART) * APART;
        for (int line = 0; line < lines; ++line) {
            const int here = first + (line / rows * w.cells[1] + line % rows) * w.cells[2];
            for (int i = threadIdx.y * blockDim.x + threadIdx.x; i < strips; i += blockDim.x * blockDim.y) {
                const int k = OF_ROWS ? i * LANES : i / APART * APART * MANY + i % APART;
                Key found[MANY * LANES];
                least(cells + here + k, offsets + s.first, s.count, found);
                visit(line, k, here + k, found);
            }
        }
    }
    // visit(l, place) for those of a strip, from the k-th cell of a line on, that are of the part: less than
    // 2^20 cells. `first` is the part's place in the image.
    template <class Visit>
    __device__ void for_places(const RankWindows& w, int line, int k, i64 first, const Visit& visit) const {
        int z = line / rows, y = line % rows, x = k;
        if (!OF_ROWS) {
            const int row = (int)((k + 0.5f) * inverse);  // a quotient: half a cell is more than rounding
            z = w.cells[0] == 1 ? 0 : row / w.cells[1];
            y = row - z * w.cells[1];
            x = k - row * w.cells[2];
        }
        i64 place = first + (z * w.shape[1] + y) * w.shape[2] + x;
        constexpr int STEP = OF_ROWS ? 1 : APART;
        for (int l = 0; l < MANY * LANES; ++l, x += STEP, place += STEP) {
            if (x >= w.cells[2]) {  // rows of cells are no shorter than a step
                x -= w.cells[2];
                place += w.shape[2] - w.cells[2];
                if (++y == w.cells[1]) {
                    y = 0;
                    place += (w.shape[1] - w.cells[1]) * w.shape[2];
                }
            }
            if (k + place_at(l) < length && y < rows && x < columns) visit(l, place);
        }
    }
};

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
    DYN_SHARED(Key, cells);
    __shared__ RankTile tile;  // few have to know of it at a time

    const Search* const all = reinterpret_cast<const Search*>(searches);
    const int* const offsets = searches + count * (int)(sizeof(Search) / sizeof(int));
    const Key beyond_erosion = Flat<T>::key(under_erosion, 0), beyond_dilation = Flat<T>::key(under_dilation, 1);
    const i64 tiles = RankTile::count(w);
    for (i64 item = blockIdx.x; item < tiles; item += gridDim.x) {
        if (threadIdx.x == 0 && threadIdx.y == 0) tile = RankTile(w, item);
        __syncthreads();
        // 1
        load_extended(cells, image, w, tile, mode, first_dilates ? beyond_dilation : beyond_erosion,
                      [&](T value) { return Flat<T>::key(value, first_dilates); });
        __syncthreads();
        // 2
        for (int k = 0; k + 1 < count; ++k) {
            const Search& s = all[k];
            const Key turn = s.inverts ? (Key)~(Key)0 : (Key)0;
            const Part part(w, s, s.high);
            Key* const made = cells + s.target;
            part.for_least(cells, w, s, offsets, [&](int, int k, int cell, const Key* found) {
                for (int l = 0; l < MANY * LANES; ++l)
                    if (k + place_at(l) < part.length) made[cell + place_at(l)] = found[l] ^ turn;
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
        const Part part(w, s, high);
        const i64 first = (tile.origin[0] * w.shape[1] + tile.origin[1]) * w.shape[2] + tile.origin[2];
        part.for_least(cells, w, s, offsets, [&](int line, int k, int, const Key* found) {
            part.for_places(w, line, k, first, [&](int l, i64 place) {
                result[place] = Flat<T>::finished(found[l], last_dilates, finish, beside ? beside : image, place);
            });
        });
        __syncthreads();  // before the next tile's cells
    }
}
