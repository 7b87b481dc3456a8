// Holes that are too large for a band matrix, solved by conjugate gradients, all of them as one system.
//
// What: `begin` takes the right sides that inpaint.cu has made, `direct` and `advance` are an iteration for
// all channels, a channel each blockIdx.y; `write` puts the solution into the image. There is no matrix: a
// pixel's equation is told by its place in the grid. An iteration reads about 40 doubles a wanted pixel and
// channel, most of them from cache, and writes 3. Nothing comes to the host; launches beyond the last
// iteration return at once.
//
// Vectors have a plane of `count` numbers for each channel, in the order of the places of wanted pixels.
//
// Source: Hestenes, Stiefel, Methods of Conjugate Gradients for Solving Linear Systems (1952), with the
// diagonal as preconditioner.
#include "common/system_products.cuh"
#include "restoration/holes.cuh"

constexpr u32 REFUSED = 2;  // `stopped` where a square is no number any more, or none but 0

// How far the system of one channel is solved. limit: |r| of the solution.
struct Solving {
    double rho, beta, alpha, limit;
    i64 iterations;
    u32 arrived, stopped;
};

// The pixels that are wanted, and where each is in the vectors.
template <class Index> struct Wanted {
    const i64* pixels;
    i64 count;
    const bool* mask;
    const Index* places;
};

// The matrix times a vector, whose elements at(place) gives, at place p. Any thread.
template <class Index, class At>
__device__ inline double product(const Wanted<Index>& wanted, const Grid& grid, i64 p, const At& at) {
    double sum = 0;
    for_coupled(grid, wanted.pixels[p], [&](i64 other, int coefficient) {
        if (wanted.mask[other]) sum = fma((double)coefficient, at(wanted.places[other]), sum);
    });
    return sum;
}

// inverse: of the diagonal, 0 for pixels of holes that have a matrix; r: the right sides; x and p: 0.
__global__ void begin(const i64* keys, const i64* pixels, i64 count, const __grid_constant__ Grid grid,
                      const i64* offsets, const double* sides, i64 channels, double tolerance, double* x, double* r,
                      double* p, double* inverse, void* partials, Solving* all) {
    __shared__ Products scratch[256];
    const i64 channel = blockIdx.y;
    Products mine = {};
    for (i64 i = thread_index(); i < count; i += all_threads()) {
        double side = 0, inverted = 0;
        if (offsets[keys[i] >> grid.bits] == NO_MATRIX) {
            side = sides[i * channels + channel];
            for_coupled(grid, pixels[i], [&](i64 other, int coefficient) {
                if (other == pixels[i]) inverted = 1.0 / coefficient;
            });
            mine.first += side * (side * inverted);
            mine.second += side * side;
            const double size = side < 0 ? -side : side;
            if (size > 1e140 || (size > 0 && size < 1e-140)) mine.count += 1;
        }
        x[channel * count + i] = p[channel * count + i] = 0;
        r[channel * count + i] = side;
        if (channel == 0) inverse[i] = inverted;
    }
    Solving& solving = all[channel];
    reduce(mine, scratch, partials, solving, [&](const Products& total) {
        solving.rho = total.first;
        solving.limit = tolerance * sqrt(total.second);
        solving.stopped = total.count > 0 ? REFUSED : total.first == 0;
    });
}

// next = r * inverse + beta * p, the next direction of each channel; alpha, how far to go.
template <class Index>
__global__ void direct(const i64* pixels, i64 count, const bool* mask, const Index* places,
                       const __grid_constant__ Grid grid, const double* inverse, const double* r, const double* p,
                       double* next, void* partials, Solving* all) {
    __shared__ Products scratch[256];
    Solving& solving = all[blockIdx.y];
    if (solving.stopped) return;
    const Wanted<Index> wanted = {pixels, count, mask, places};
    const double beta = solving.beta;
    const double *const residual = r + blockIdx.y * count, *const before = p + blockIdx.y * count;
    const auto direction = [&](i64 i) { return fma(beta, before[i], residual[i] * inverse[i]); };
    Products mine = {};
    for (i64 i = thread_index(); i < count; i += all_threads()) {
        if (inverse[i] == 0) continue;
        const double own = direction(i);
        mine.first += own * product(wanted, grid, i, direction);
        next[blockIdx.y * count + i] = own;
    }
    reduce(mine, scratch, partials, solving, [&](const Products& total) { solving.alpha = solving.rho / total.first; });
}

// A step along p: x and r of each channel; beta, what the next direction keeps of this one.
template <class Index>
__global__ void advance(const i64* pixels, i64 count, const bool* mask, const Index* places,
                        const __grid_constant__ Grid grid, const double* inverse, const double* p, double* x,
                        double* r, void* partials, Solving* all) {
    __shared__ Products scratch[256];
    Solving& solving = all[blockIdx.y];
    if (solving.stopped) return;
    const Wanted<Index> wanted = {pixels, count, mask, places};
    const double alpha = solving.alpha;
    const double* const direction = p + blockIdx.y * count;
    double *const solution = x + blockIdx.y * count, *const residual = r + blockIdx.y * count;
    Products mine = {};
    for (i64 i = thread_index(); i < count; i += all_threads()) {
        if (inverse[i] == 0) continue;
        const double step = product(wanted, grid, i, [&](i64 other) { return direction[other]; });
        const double left = fma(-alpha, step, residual[i]);
        residual[i] = left;
        solution[i] = fma(alpha, direction[i], solution[i]);
        mine.first += left * (left * inverse[i]);
        mine.second += left * left;
    }
    reduce(mine, scratch, partials, solving, [&](const Products& total) {
        solving.beta = total.first / solving.rho;
        solving.rho = total.first;
        solving.iterations += 1;
        solving.stopped = !(sqrt(total.second) > solving.limit);
    });
}

template <class W>
__global__ void write(const i64* pixels, i64 count, const double* inverse, const double* x, i64 channels,
                      const typename Ordered<W>::Key* ranges, W* result) {
    for (i64 i = thread_index(); i < count * channels; i += all_threads()) {
        const i64 p = i / channels, channel = i % channels;
        if (inverse[p] != 0) write_clipped(x[channel * count + p], pixels[p], channel, channels, ranges, result);
    }
}
