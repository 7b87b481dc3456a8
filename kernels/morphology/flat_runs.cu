// Erosions and dilations by large flat footprints of any shape.
//
// A footprint is a list of runs along its rows. A block has a tile of HEIGHT x WIDTH results of
// one plane and goes over the rows of the image that its footprints see, as many at a time as
// shared memory takes:
//
//     1. the rows, extended beyond the image's borders
//     2. for each power of 2: the least of as many neighbours, of the power before; and the
//        results take the runs that are made of two of them
//
// A disk of radius r takes 4 r cells for a pixel instead of 3.14 r^2.
//
// image: bool, (u)int8..64, float32/64, C-contiguous, of up to 8 axes; result: the same dtype.
// beside: the image of a top hat, null where it is `image`.
// parts: of a footprint, its slabs (places along the axes before the last two), for each slab
// and power the first of its runs, and the runs. One launch; each element is read once (from
// cache as often as tiles see it) and written once. Shared memory: a tile of keys, and twice the
// rows.
//
// Source: E. R. Urbach, M. H. F. Wilkinson, "Efficient 2-D grayscale morphological
// transformations with arbitrary flat structuring elements", IEEE Trans. Image Process. 17(1), 2008.
#include "common/shared.cuh"
#include "common/tile.cuh"
#include "morphology/flat.cuh"

constexpr int HEIGHT = 32, WIDTH = 64;  // of a tile
constexpr int STRIP = 8;                // rows of results that a thread has at once
constexpr int MOST = 8, LEADING = MOST - 2;

struct Runs {
    i64 shape[MOST];    // of the image; axes that it lacks have 1
    i64 low[2];         // place of the footprint's first row and column beside the pixel's
    int rows, columns;  // of the footprint
    int slabs, powers;
    int batch;  // rows in shared memory
};

// In row `y` of the footprint, from `a`, and the same length ending behind `b`.
struct Run {
    int y, a, b;
};

// The first of runs [first, end), sorted by rows, that is not before row `y`.
__device__ inline int first_from(const Run* runs, int first, int end, int y) {
    while (first < end) {
        const int middle = (first + end) / 2;
        if (runs[middle].y < y)
            first = middle + 1;
        else
            end = middle;
    }
    return first;
}

template <class T>
__global__ void __launch_bounds__(256, 2)
    flat_runs(const T* image, const T* beside, const int* parts, const __grid_constant__ Runs f, int mode, T under,
              int dilates, int finish, T* result) {
    typedef typename Flat<T>::Key Key;
    if (!beside) beside = image;
    DYN_SHARED(Key, found);  // HEIGHT * WIDTH
    const int width = WIDTH + f.columns - 1;
    Key* const rows_from = found + HEIGHT * WIDTH;  // twice f.batch rows of `width`, and LANES
    const int* const firsts = parts + f.slabs * LEADING;
    const Run* const runs = reinterpret_cast<const Run*>(firsts + f.slabs * f.powers + 1);

    const Key beyond = Flat<T>::key(under, dilates);
    const i64 height = f.shape[MOST - 2], length = f.shape[MOST - 1];
    const i64 down = (height + HEIGHT - 1) / HEIGHT, across = (length + WIDTH - 1) / WIDTH;
    i64 planes = 1;
    for (int a = 0; a < LEADING; ++a) planes *= f.shape[a];
    for (i64 item = blockIdx.x; item < planes * down * across; item += gridDim.x) {
        const i64 x0 = item % across * WIDTH, y0 = item / across % down * HEIGHT, plane = item / across / down;
        const int tall = height - y0 < HEIGHT ? (int)(height - y0) : HEIGHT;
        const int wide = length - x0 < WIDTH ? (int)(length - x0) : WIDTH;
        for (int i = threadIdx.y * blockDim.x + threadIdx.x; i < HEIGHT * WIDTH; i += blockDim.x * blockDim.y)
            found[i] = (Key)~(Key)0;
        for (int slab = 0; slab < f.slabs; ++slab) {
            i64 rest = plane, stride = 1, source = 0;  // the plane that this slab sees; -1: none
            for (int a = LEADING - 1; a >= 0; --a) {
                const i64 at = rest % f.shape[a];
                rest /= f.shape[a];
                const i64 from = boundary_index(at + parts[slab * LEADING + a], f.shape[a], mode);
                source = from < 0 || source < 0 ? -1 : source + from * stride;
                stride *= f.shape[a];
            }
            for (int first = 0; first < tall + f.rows - 1; first += f.batch) {
                const int left = tall + f.rows - 1 - first, here = left < f.batch ? left : f.batch;
                Key *from = rows_from, *to = rows_from + f.batch * width;
                // 1
                for (int r = threadIdx.y; r < here; r += blockDim.y) {
                    const i64 y = boundary_index(y0 + f.low[0] + first + r, height, mode);
                    if (source >= 0 && y >= 0) {
                        load_row(from + r * width, image + (source * height + y) * length, {length, 1, mode},
                                 x0 + f.low[1], width, 1, beyond, [&](T v) { return Flat<T>::key(v, dilates); });
                    } else {
                        for (int c = threadIdx.x; c < width; c += blockDim.x) from[r * width + c] = beyond;
                    }
                }
                __syncthreads();
                // 2
                for (int power = 0; power < f.powers; ++power) {
                    if (power > 0) {
                        const int reached = 1 << (power - 1), kept = width - 2 * reached + 1;
                        for (int r = threadIdx.y; r < here; r += blockDim.y) {
                            const Key* const line = from + r * width;
                            Key* const next = to + r * width;
#pragma omp simd
                            for (int c = threadIdx.x; c < kept; c += blockDim.x)
                                next[c] = lesser(line[c], line[c + reached]);
                        }
                        __syncthreads();
                        Key* const other = from;
                        from = to;
                        to = other;
                    }
                    const int group = slab * f.powers + power;
                    // rows of the footprint that meet these rows of the image
                    const int begin = first_from(runs, firsts[group], firsts[group + 1], first - tall + 1);
                    const int end = first_from(runs, begin, firsts[group + 1], first + here);
                    if (begin == end) continue;
                    for (int y = threadIdx.y * STRIP; y < tall; y += blockDim.y * STRIP) {
                        for (int x = threadIdx.x * LANES; x < wide; x += blockDim.x * LANES) {
                            Key least[STRIP][LANES];
#pragma unroll
                            for (int s = 0; s < STRIP; ++s)
                                for (int l = 0; l < LANES; ++l) least[s][l] = found[(y + s) * WIDTH + x + l];
                            for (int k = begin; k < end; ++k) {
                                const Run run = runs[k];
                                const int row = y + run.y - first;
                                if (row <= -STRIP || row >= here) continue;
#pragma unroll
                                for (int s = 0; s < STRIP; ++s) {
                                    if (row + s < 0 || row + s >= here) continue;
                                    const Key* const line = from + (row + s) * width + x;
#pragma omp simd
                                    for (int l = 0; l < LANES; ++l)
                                        least[s][l] =
                                            lesser(least[s][l], lesser(line[run.a + l], line[run.b + l]));
                                }
                            }
#pragma unroll
                            for (int s = 0; s < STRIP; ++s)
                                for (int l = 0; l < LANES; ++l) found[(y + s) * WIDTH + x + l] = least[s][l];
                        }
                    }
                    // a power is read before the next but one is written over it
                }
                __syncthreads();  // before the next rows
            }
        }
        for (int y = threadIdx.y; y < tall; y += blockDim.y) {
            const i64 row = ((plane * height + y0 + y) * length) + x0;
            for (int x = threadIdx.x; x < wide; x += blockDim.x)
                result[row + x] = Flat<T>::finished(found[y * WIDTH + x], dilates, finish, beside, row + x);
        }
        __syncthreads();  // before the next tile
    }
}
