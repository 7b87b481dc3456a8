// Contours of an image at a level: marching squares, whose segments are linked to lines.
//
//     count_segments   how many segments each tile of squares has: TILE squares side by side in a row
//     write_segments   segments in raster order of their squares
//     link_segments    of each segment the one that goes on from its end
//     follow           a round of pointer jumping: how far it is to the end, for HOPS times as many segments
//     find_starts      of each contour its first segment, in raster order, and how many points it has
//     write_points     coordinates, contour by contour
//
// The image is read by the first, and again by the second in tiles that have a segment. The others
// take memory in proportion to the segments, of which there are at most 2^31 - 1. A round of `follow` reads
// up to 16 * HOPS bytes a segment and writes 16; there is one for every three bits of their number at most.
//
// Contours are in the order of their first segments. One that is closed ends with its last segment, where
// scikit-image, which takes segments in raster order, closes it. An end lies on an edge of its square,
// which one other square shares, so that the line goes on there; or, where a pixel has the level, on that
// pixel, where up to eight ends meet. There scikit-image links each one to what those before it have left
// open, by dictionaries that tell which line starts, and which one ends, at a point. The second of two
// lines that are left open in this way takes the place of the first one, until that is joined to a line
// elsewhere: where this may decide, which takes a mask or NaN beside the pixel, `told` says so.
//
// Source: scikit-image `measure.find_contours`; list ranking: J. C. Wyllie, "The complexity of parallel
// computations", Cornell University, 1979.
#include "common/reduce.cuh"
#include "common/scan.cuh"

constexpr int THREADS = 256;
constexpr int TILE = 1024;
constexpr int CODE_BITS = 8;
constexpr int HOPS = 8;

// Edges of a square; opposite ones differ in the last bit.
enum Edge { TOP, BOTTOM, LEFT, RIGHT };
// Where on an edge an end lies: between its pixels, on the first, on the second, nowhere.
enum Kind { BETWEEN, FIRST, SECOND, NOWHERE };

struct Grid {
    i64 rows, columns;  // of pixels
    i64 across;         // tiles in a row of squares
};

// A segment as scikit-image draws it: 2 bits each for the edges of its start and its end, and for their kinds.
struct Code {
    int bits;
    __device__ int edge(bool end) const { return bits >> 2 * end & 3; }
    __device__ int kind(bool end) const { return bits >> (4 + 2 * end) & 3; }
    __device__ bool on_pixel(bool end) const { return kind(end) == FIRST || kind(end) == SECOND; }
    // the pixel that it lies on, from the square's first one
    __device__ int down(bool end) const { return (edge(end) == BOTTOM) + (kind(end) == SECOND && edge(end) >= LEFT); }
    __device__ int right(bool end) const { return (edge(end) == RIGHT) + (kind(end) == SECOND && edge(end) < LEFT); }
};

template <class T> struct Image {
    const T* pixels;
    const bool* mask;
    bool masked;
    double level;
    bool high;  // whether high pixels are connected across corners
};

// Where on `edge` the level lies, along the axis of the edge.
__device__ inline double crossing(int edge, double ul, double ur, double ll, double lr, double level, i64 row,
                                  i64 column) {
    const double from = edge == BOTTOM ? ll : edge == RIGHT ? ur : ul;
    const double to = edge == TOP ? ur : edge == LEFT ? ll : lr;
    return (double)(edge < LEFT ? column : row) + (level - from) / (to - from);
}

__device__ inline int kind_of(double at, double origin) {
    return at != at ? NOWHERE : at == origin ? FIRST : at == origin + 1 ? SECOND : BETWEEN;
}

// Calls visit(Code, double start, double end) with the segments of a square that have a length; at most two.
template <class T, class Visit>
__device__ inline void visit_segments(const Image<T>& image, const Grid& grid, i64 row, i64 column,
                                      const Visit& visit) {
    const i64 above = row * grid.columns + column, below = above + grid.columns;
    if (image.masked && !(image.mask[above] && image.mask[above + 1] && image.mask[below] && image.mask[below + 1]))
        return;
    const double ul = (double)image.pixels[above], ur = (double)image.pixels[above + 1];
    const double ll = (double)image.pixels[below], lr = (double)image.pixels[below + 1], level = image.level;
    if (ul != ul || ur != ur || ll != ll || lr != lr) return;
    const int square = (ul > level) + 2 * (ur > level) + 4 * (ll > level) + 8 * (lr > level);
    if (square == 0 || square == 15) return;
    // a hexadecimal digit for each kind of square: the edge of the start, and 4 times that of the end
    const u64 firsts = image.high ? 0x02CE91CD7246B380ull : 0x02CE918D7346B380ull;
    const int second = square == 6 ? (image.high ? 0x7 : 0x6) : square == 9 ? (image.high ? 0x9 : 0xD) : 0;
    for (int edges = firsts >> 4 * square & 15, left = second; edges; edges = left, left = 0) {
        const double start = crossing(edges & 3, ul, ur, ll, lr, level, row, column);
        const double end = crossing(edges >> 2, ul, ur, ll, lr, level, row, column);
        const double start_from = (double)((edges & 3) < LEFT ? column : row);
        const double end_from = (double)(edges >> 2 < LEFT ? column : row);
        const Code code = {edges | kind_of(start, start_from) << 4 | kind_of(end, end_from) << 6};
        const bool is_point = code.on_pixel(false) && code.on_pixel(true) && code.down(false) == code.down(true) &&
                              code.right(false) == code.right(true);
        if (!is_point) visit(code, start, end);
    }
}

// counts: of each tile
template <class T>
__global__ void __launch_bounds__(THREADS, 1)
    count_segments(const T* pixels, const bool* mask, bool masked, double level, bool high,
                   const __grid_constant__ Grid grid, i64 tiles, i64* counts) {
    __shared__ u32 total;
    const Image<T> image = {pixels, mask, masked, level, high};
    for (i64 tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        const i64 row = tile / grid.across, first = (tile - row * grid.across) * TILE;
        u32 count = 0;
        for (i64 k = first + threadIdx.x; k < first + TILE && k < grid.columns - 1; k += blockDim.x)
            visit_segments(image, grid, row, k, [&](Code, double, double) { ++count; });
        const u32 all = block_sum(count, &total);
        if (threadIdx.x == 0) counts[tile] = all;
    }
}

struct Ends {
    double start, end;
};

// until:    segments up to each tile, that included
// segments: the first pixel of the square, above CODE_BITS of the code
template <class T>
__global__ void __launch_bounds__(THREADS, 1)
    write_segments(const T* pixels, const bool* mask, bool masked, double level, bool high,
                   const __grid_constant__ Grid grid, i64 tiles, const i64* until, i64* segments, Ends* ends) {
    __shared__ u32 places[TILE];
    __shared__ u32 sums[THREADS];
    const Image<T> image = {pixels, mask, masked, level, high};
    for (i64 tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        const i64 before = tile ? until[tile - 1] : 0;
        if (until[tile] == before) continue;
        const i64 row = tile / grid.across, first = (tile - row * grid.across) * TILE;
        const i64 rest = grid.columns - 1 - first;
        const int count = rest < TILE ? (int)rest : TILE;
        __syncthreads();
        for (int k = threadIdx.x; k < count; k += blockDim.x) {
            u32 own = 0;
            visit_segments(image, grid, row, first + k, [&](Code, double, double) { ++own; });
            places[k] = own;
        }
        __syncthreads();
        block_scan(places, count, sums);
        for (int k = threadIdx.x; k < count; k += blockDim.x) {
            const u32 start = k ? places[k - 1] : 0u;
            if (start == places[k]) continue;
            i64 place = before + start;
            visit_segments(image, grid, row, first + k, [&](Code code, double from, double to) {
                segments[place] = (row * grid.columns + first + k) << CODE_BITS | code.bits;
                ends[place++] = {from, to};
            });
        }
    }
}

struct Segments {
    const i64* codes;
    const i64* until;
    Grid grid;

    __device__ Code code(i64 i) const { return {(int)(codes[i] & ((1 << CODE_BITS) - 1))}; }

    // Calls visit(int segment, Code) with those of a square, in order; with none outside of the image.
    template <class Visit> __device__ void visit(i64 row, i64 column, const Visit& visit) const {
        if (row < 0 || row >= grid.rows - 1 || column < 0 || column >= grid.columns - 1) return;
        const i64 tile = row * grid.across + column / TILE, square = row * grid.columns + column;
        i64 low = tile ? until[tile - 1] : 0, high = until[tile];
        const i64 stop = high;
        while (low < high) {
            const i64 middle = low + (high - low) / 2;
            if (codes[middle] >> CODE_BITS < square) low = middle + 1;
            else high = middle;
        }
        for (; low < stop && codes[low] >> CODE_BITS == square; ++low) visit((int)low, code(low));
    }
};

// What scikit-image's dictionary of starts, or that of ends, has at a pixel.
struct Entry {
    int line = -1;        // the segment that a line begins or ends with, -1 where there is no entry
    bool is_lost = false; // whether another such line was there before, and is open still
    bool is_unsure = false;

    __device__ void put(int segment) {
        is_lost |= line >= 0;
        is_unsure = false;
        line = segment;
    }
};

// Whether a line may be there already that an end of a segment meets: not on an edge that later squares share.
__device__ inline bool may_meet(Code code, bool end) {
    return code.on_pixel(end) || (code.kind(end) == BETWEEN && (code.edge(end) == TOP || code.edge(end) == LEFT));
}

// The segment that goes on from the end of segment `own`, which lies on a pixel; -1 where none does.
//   told: becomes true where what is around the pixel does not tell
__device__ inline int next_on_pixel(const Segments& segments, int own, i64 row, i64 column, bool* told) {
    Entry starts, ends;
    int next = -1;
    for (int square = 0; square < 4; ++square) {
        if (square == 2) {  // other squares of the row come before it
            starts.is_unsure |= starts.is_lost;
            ends.is_unsure |= ends.is_lost;
        }
        segments.visit(row - 1 + square / 2, column - 1 + square % 2, [&](int segment, Code code) {
            const int dy = 1 - square / 2, dx = 1 - square % 2;  // of the pixel in the square
            bool has_before = may_meet(code, false), has_after = may_meet(code, true);
            if (code.on_pixel(false) && code.down(false) == dy && code.right(false) == dx) {
                *told |= ends.is_unsure;
                has_before = ends.line >= 0;
                if (ends.line == own) next = segment;
                if (has_before) ends.line = -1;
                else starts.put(segment);
            } else if (code.on_pixel(true) && code.down(true) == dy && code.right(true) == dx) {
                *told |= starts.is_unsure;
                has_after = starts.line >= 0;
                if (segment == own) next = starts.line;
                if (has_after) starts.line = -1;
                else ends.put(segment);
            }
            // two lines that are joined are put into both dictionaries again, whatever is there
            if (has_before && has_after) {
                starts.is_unsure |= starts.is_lost;
                ends.is_unsure |= ends.is_lost;
            }
        });
    }
    return next;
}

// What is known of the segments from one on: of `width` of them, or up to the end of an open contour.
struct __align__(16) Way {
    int next;   // the one after them, -1 behind the end
    u32 end;    // the last of them in raster order; n and more for the end of an open contour
    int steps;  // to that one
    int first;  // of them in raster order
};

// next:    of each segment the one that goes on, -1 where none does
// entered: whether it goes on from another; 0 before
// told:    1 where scikit-image's order decides; 0 before
__global__ void __launch_bounds__(THREADS, 1)
    link_segments(const i64* codes, const i64* until, const __grid_constant__ Grid grid, i64 n, int* next,
                  bool* entered, Way* ways, u64* told) {
    const Segments segments = {codes, until, grid};
    bool open = false;
    for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < n; i += (i64)gridDim.x * blockDim.x) {
        const Code code = segments.code(i);
        const i64 square = codes[i] >> CODE_BITS, row = square / grid.columns, column = square - row * grid.columns;
        const int edge = code.edge(true);
        int found = -1;
        if (code.on_pixel(true)) {
            found = next_on_pixel(segments, (int)i, row + code.down(true), column + code.right(true), &open);
        } else if (code.kind(true) == BETWEEN) {
            const i64 down = (edge == BOTTOM) - (edge == TOP), right = (edge == RIGHT) - (edge == LEFT);
            segments.visit(row + down, column + right, [&](int other, Code of) {
                if (of.edge(false) == (edge ^ 1) && of.kind(false) == BETWEEN) found = other;
            });
        }
        next[i] = found;
        if (found >= 0) entered[found] = true;
        ways[i] = {found, (u32)(found < 0 ? n + i : i), 0, (int)i};
    }
    if (open) *told = 1;
}

// width: of the ways, HOPS^round. more: of each round whether an end came into sight; 0 before. Once none
// did, all ways are known.
__global__ void __launch_bounds__(THREADS, 1)
    follow(const Way* ways, i64 n, i64 width, int round, u32* more, Way* longer) {
    if (round > 0 && !more[round - 1]) return;
    bool any = false;
    for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < n; i += (i64)gridDim.x * blockDim.x) {
        Way way = ways[i];
        for (int hop = 1; hop < HOPS && way.next >= 0; ++hop) {
            const Way on = ways[way.next];
            if (on.end > way.end) {
                way.end = on.end;
                way.steps = (int)(hop * width + on.steps);
                any = true;
            }
            way.first = way.first < on.first ? way.first : on.first;
            way.next = on.next;
        }
        longer[i] = way;
    }
    if (any) more[round] = 1;
}

// firsts: of segments that end a contour its first in raster order
// sizes:  of segments that are the first of a contour the number of its points, and 1 above 32 bits; else 0
__global__ void __launch_bounds__(THREADS, 1)
    find_starts(const Way* ways, const int* next, const bool* entered, i64 n, int* firsts, u64* sizes) {
    for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < n; i += (i64)gridDim.x * blockDim.x) {
        const Way way = ways[i];
        const bool is_open = way.end >= n;
        const i64 end = is_open ? way.end - n : way.end;
        if (is_open ? entered[i] : next[end] != i) continue;
        firsts[end] = way.first;
        sizes[way.first] = 1ull << 32 | (u32)(way.steps + 2);
    }
}

struct Point {
    double row, column;
};

__device__ inline Point point_of(const Grid& grid, i64 square, int edge, double at) {
    const i64 row = square / grid.columns, column = square - row * grid.columns;
    if (edge < LEFT) return {(double)(row + (edge == BOTTOM)), at};
    return {at, (double)(column + (edge == RIGHT))};
}

// sums:   `sizes`, added up
// turned: whether each contour is to be written from its end
// stops:  of each contour the number of points up to its last one
__global__ void __launch_bounds__(THREADS, 1)
    write_points(const i64* codes, const Ends* ends, const __grid_constant__ Grid grid, const Way* ways,
                 const int* firsts, const u64* sums, i64 n, bool turned, Point* points, i64* stops) {
    for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < n; i += (i64)gridDim.x * blockDim.x) {
        const Way way = ways[i];
        const i64 end = way.end >= n ? way.end - n : way.end, square = codes[i] >> CODE_BITS;
        const int first = firsts[end];
        const u64 sum = sums[first], before = first ? sums[first - 1] : 0;
        const i64 begin = (i64)(before & 0xffffffffull), stop = (i64)(sum & 0xffffffffull);
        const Code code = {(int)(codes[i] & ((1 << CODE_BITS) - 1))};
        points[turned ? begin + 1 + way.steps : stop - 2 - way.steps] =
            point_of(grid, square, code.edge(false), ends[i].start);
        if (i != end) continue;
        points[turned ? begin : stop - 1] = point_of(grid, square, code.edge(true), ends[i].end);
        stops[(sum >> 32) - 1] = stop;
    }
}
