// Erosions and dilations of boolean planes by flat footprints, one or several in a row, in one launch.
//
// As flat_tile.cu, with 32 pixels in a word: the first column is the lowest bit. A block of (32, 8)
// threads has a tile of results, which begins at a whole word of each row. In shared memory lie copies of
// the tile with its halo, and of whole words around that:
//
//     1. the image's words into the first copy, extended beyond the image's borders, inverted for a
//        dilation, which is an erosion then
//     2. the host's list of searches: each gives every word of a part of a copy what is 1 in all of some
//        others. An offset counts in pixels: its word and the next one, shifted
//     3. after each erosion or dilation but the last, pixels outside of the image get what stands there
//     4. the last search's words become bytes of the result, or other than the image's for a top hat
//
// Pixels of a word that no result needs are what comes: of words that were not written, too.
//
// image: bool, C-contiguous, a plane; result: the same. beside: the image of a top hat, null where it is
// `image`. searches: a struct for each, then offsets. One launch; each pixel is read once (the halos, and
// the image of a top hat, again from cache) and written once. Shared memory: a word for each 32 pixels of
// all copies, and SPARE more.
//
// Source: scikit-image `morphology.erosion`, `opening`, `white_tophat`; words as in R. van den Boomgaard,
// R. van Balen, "Methods for fast morphological image transforms using bitmapped binary images", CVGIP:
// Graphical Models and Image Processing 54(3), 1992.
#include "filters/rank_window.cuh"
#include "morphology/flat.cuh"

constexpr int BITS = 32, ROWS = 4;  // pixels of a word; rows that a thread has at once
constexpr int SPARE = 2;            // words before the first copy, and behind the last one

// Places of the plane that a tile's first word of the first row has, and what of the copies results need.
struct Frame {
    i64 y, x;
    int words;  // of a row
    int rows_less, columns_less;  // by which the tile is larger than what it has of the image

    __device__ Frame(const RankWindows& w, const RankTile& tile)
        : y(tile.origin[1] - w.before[1]), x(tile.origin[2] - w.before[2]), words(w.cells[2] / BITS),
          rows_less(w.tile[1] - tile.rows), columns_less(w.tile[2] - tile.columns) {}
};

__device__ inline int thread() { return threadIdx.y * blockDim.x + threadIdx.x; }
__device__ inline int threads() { return blockDim.x * blockDim.y; }

// 1 for each of four booleans that is not 0, in the lowest bits of its byte.
__device__ inline u32 four_at(const u8* place) {
    const u32 bytes = *reinterpret_cast<const u32*>(place);
    return (((bytes & 0x7f7f7f7fu) + 0x7f7f7f7fu | bytes) & 0x80808080u) >> 7;
}

// The word of `count` booleans; all 32 of them as numbers of four bytes where these are `aligned`.
__device__ inline u32 packed(const u8* place, int count, bool aligned) {
    u32 word = 0;
    if (aligned && count == BITS) {
#pragma unroll
        for (int k = 0; k < BITS; k += 4) word |= (four_at(place + k) * 0x01020408u >> 24) << k;
    } else {
#pragma unroll 4
        for (int k = 0; k < count; ++k) word |= (u32)(place[k] != 0) << k;
    }
    return word;
}

// Bits [first, BITS) of the word at column x, all beyond one end of a row of n pixels: at(place) is 0 or 1
// for the place inside of it, or -1, that stands for each.
template <class At> __device__ inline u32 outside(i64 x, int first, i64 n, int mode, const At& at) {
    const i64 begin = boundary_index(x + first, n, mode), end = boundary_index(x + BITS - 1, n, mode);
    const int steps = BITS - 1 - first, step = begin < end ? 1 : begin > end ? -1 : 0;
    // one place, or neighbours in order: as a rule there is no more to divide
    const bool in_order = mode == NEAREST || mode == CONSTANT || end - begin == steps || begin - end == steps;
    u32 word = 0;
#pragma unroll 1  // rare, and else most of the kernel's code and registers
    for (int k = first; k < BITS; ++k) {
        const i64 place = in_order ? begin + step * (k - first) : boundary_index(x + k, n, mode);
        word |= at(place) << k;
    }
    return word;
}

// Columns of the word at x that are inside of n.
__device__ inline int inside_of(i64 x, i64 n) {
    if (x < 0 || x >= n) return 0;
    return n - x < BITS ? (int)(n - x) : BITS;
}

// Fills the first copy; `beyond` stands outside under CONSTANT, `turn` inverts.
//   called by: all threads of the block; a barrier must follow
__device__ inline void load(u32* cells, const u8* image, const RankWindows& w, const Frame& f, int mode,
                            u32 beyond, u32 turn, bool aligned) {
    const int height = w.cells[1] - f.rows_less, across = (w.cells[2] - f.columns_less + BITS - 1) / BITS;
    const i64 n = w.shape[2];
    for (int i = thread(); i < height * across; i += threads()) {
        const int r = i / across, c = i - r * across;
        const i64 y = boundary_index(f.y + r, w.shape[1], mode), x = f.x + c * BITS;
        u32 word = beyond;
        if (y >= 0) {
            const u8* const line = image + y * n;
            const int inside = inside_of(x, n);
            word = packed(line + x, inside, aligned);
            if (inside < BITS)
                word |= outside(x, inside, n, mode, [&](i64 place) -> u32 {
                    return place < 0 ? beyond & 1 : line[place] != 0;
                });
        }
        cells[r * f.words + c] = word ^ turn;
    }
}

// Words of the search's part of a copy.
//   called by: all threads of the block; a barrier must follow
__device__ inline void find(u32* cells, const Search& s, const int* offsets, const Frame& f) {
    const int high = s.high[1] - f.rows_less, first = s.low[2] / BITS;
    const int across = (s.high[2] - f.columns_less + BITS - 1) / BITS - first;
    const int groups = (high - s.low[1] + ROWS - 1) / ROWS;
    const u32 turn = s.inverts ? ~0u : 0u;
    u32* const made = cells + s.target / BITS;
    const int* const listed = offsets + s.first;
    for (int i = thread(); i < groups * across; i += threads()) {
        const int group = i / across, c = first + i - group * across, y = s.low[1] + group * ROWS;
        const u32* here[ROWS];
        u32 found[ROWS];
#pragma unroll
        for (int r = 0; r < ROWS; ++r) {  // behind the last row, that once more
            here[r] = cells + (y + r < high ? y + r : high - 1) * f.words + c;
            found[r] = ~0u;
        }
        for (int k = 0; k < s.count; ++k) {
            const int offset = listed[k], word = offset >> 5;
#pragma unroll
            for (int r = 0; r < ROWS; ++r)
                found[r] &= __funnelshift_r(here[r][word], here[r][word + 1], offset);  // by offset % 32
        }
#pragma unroll
        for (int r = 0; r < ROWS; ++r)
            if (y + r < high) made[here[r] - cells] = found[r] ^ turn;
    }
}

// Gives pixels of a complete image that lie outside of its borders what stands there: first those of rows
// of the image, a thread a row, then whole rows. Most tiles have none.
//   called by: all threads of the block, between barriers
__device__ inline void extend(u32* cells, const RankWindows& w, const Frame& f, const Search& s, int mode,
                              u32 beyond) {
    if (mode == WRAP) return;  // what was made of an image that repeats itself does so, too
    const int low = s.low[2], high = s.high[2] - f.columns_less, end = s.high[1] - f.rows_less;
    const i64 height = w.shape[1], n = w.shape[2];
    if (f.y + s.low[1] >= 0 && f.y + end <= height && f.x + low >= 0 && f.x + high <= n) return;
    const int first = low / BITS, last = (high + BITS - 1) / BITS;
    for (int r = s.low[1] + thread(); r < end; r += threads()) {
        if (f.y + r < 0 || f.y + r >= height) continue;
        u32* const row = cells + r * f.words;
        for (int c = first; c < last; ++c) {
            const i64 x = f.x + c * BITS;
            const int inside = inside_of(x, n);
            if (inside == BITS) continue;
            const u32 kept = row[c] & ((1u << inside) - 1);
            row[c] = kept | outside(x, inside, n, mode, [&](i64 place) -> u32 {
                if (place < 0) return beyond & 1;
                const i64 bit = place - f.x;  // of pixels that no result needs it may be none of the tile's
                return bit < low || bit >= high ? 0 : row[bit / BITS] >> (bit % BITS) & 1;
            });
        }
    }
    __syncthreads();
    for (int r = s.low[1] + threadIdx.y; r < end; r += blockDim.y) {
        if (f.y + r >= 0 && f.y + r < height) continue;
        const i64 from = boundary_index(f.y + r, height, mode);
        for (int c = first + threadIdx.x; c < last; c += blockDim.x)
            cells[r * f.words + c] = from < 0 ? beyond : cells[(int)(from - f.y) * f.words + c];
    }
}

// Bytes of the results, which begin at `made`; other than those of `beside` where it is not null.
//   called by: all threads of the block, after a barrier
__device__ inline void store(const u32* made, const u8* beside, const RankWindows& w, const RankTile& tile,
                             int pitch, u32 turn, bool aligned, u8* result) {
    const u32 columns = tile.columns;
    for (int r = threadIdx.y; r < tile.rows; r += blockDim.y) {
        const i64 first = (tile.origin[1] + r) * w.shape[2] + tile.origin[2];
        const u32* const row = made + r * pitch;
        if (aligned) {
            for (u32 x = threadIdx.x * 4; x < columns; x += blockDim.x * 4) {
                u32 four = ((row[x / BITS] ^ turn) >> x % BITS & 15) * 0x00204081u & 0x01010101u;
                if (beside) four ^= four_at(beside + first + x);
                *reinterpret_cast<u32*>(result + first + x) = four;
            }
        } else {
            for (u32 x = threadIdx.x; x < columns; x += blockDim.x) {
                const u32 bit = (row[x / BITS] ^ turn) >> x % BITS & 1;
                result[first + x] = (u8)(beside ? bit ^ (beside[first + x] != 0) : bit);
            }
        }
    }
}

// dilates: whether the first of the chain is a dilation, and the last. under: what stands beyond the
// borders under CONSTANT, for erosions and for dilations. finish: ITSELF or OTHER_THAN_IMAGE.
__global__ void __launch_bounds__(256, RESIDENT)
    flat_bits(const u8* image, const u8* beside, const int* searches, int count,
              const __grid_constant__ RankWindows w, int mode, u8 under_erosion, u8 under_dilation,
              int first_dilates, int last_dilates, int finish, u8* result) {
    DYN_SHARED(u32, shared);
    u32* const cells = shared + SPARE;
    if (!beside) beside = image;
    const bool aligned = (((u64)image | (u64)beside | (u64)result | (u64)w.shape[2]) & 3) == 0;

    const Search* const all = reinterpret_cast<const Search*>(searches);
    const int* const offsets = searches + count * (int)(sizeof(Search) / sizeof(int));
    // of an erosion, and of a dilation, which is inverted
    const u32 beyond_erosion = under_erosion ? ~0u : 0u, beyond_dilation = under_dilation ? 0u : ~0u;
    const u32 first_turn = first_dilates ? ~0u : 0u, last_turn = last_dilates ? ~0u : 0u;
    const i64 tiles = RankTile::count(w);
    for (i64 item = blockIdx.x; item < tiles; item += gridDim.x) {
        const RankTile tile(w, item);
        const Frame f(w, tile);
        // 1
        load(cells, image, w, f, mode, (first_dilates ? beyond_dilation : beyond_erosion) ^ first_turn, first_turn,
             aligned);
        __syncthreads();
        for (int k = 0; k < count; ++k) {
            // 2
            const Search& s = all[k];
            find(cells, s, offsets, f);
            __syncthreads();
            // 3
            if (s.extends) {
                extend(cells + s.target / BITS, w, f, s, mode, s.extends == 1 ? beyond_erosion : beyond_dilation);
                __syncthreads();
            }
        }
        // 4
        const u32* const made = cells + (all[count - 1].target + w.before[2]) / BITS + w.before[1] * f.words;
        store(made, finish ? beside : nullptr, w, tile, f.words, last_turn, aligned, result);
        __syncthreads();  // before the next tile's words
    }
}
