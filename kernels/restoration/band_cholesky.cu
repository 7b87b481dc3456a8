// Many symmetric positive definite band matrices, each with right sides: solved by Cholesky's factorization.
//
// What: `solve` factors the matrix of each hole that inpaint.cu has made, L * L', and solves for all
// channels; what comes out is clipped to the channel's range and written into the image. A block has a
// hole at a time; PANEL columns of L at a time:
//
//     1. the panel's columns, from the diagonal to the last row that they reach, into shared memory
//     2. its square at the top is factored, by one thread
//     3. the rows below, each by itself
//     4. the columns behind the panel lose its products; L is written; the first PANEL right sides
//     5. the right sides below lose theirs
//
// and back with the transposed of L, panel by panel from the last one. A launch takes a number of panels of
// each hole, so that none lasts longer than a display's watchdog allows. Elements are computed in double
// and each in one order, so that results do not depend on the number of threads or launches.
// A matrix is read and written about band / PANEL times, from cache where it fits.
//
// Source: George, Liu, Computer Solution of Large Sparse Positive Definite Systems (1981), chapter 4
// (envelopes); LAPACK's dpbtrf and dpbtrs (bands in panels).
#include "common/shared.cuh"
#include "restoration/holes.cuh"

constexpr int PANEL = 8;
constexpr int LANES = 32;  // threads beside each other in a column

// One hole: `n` columns of band + 1 elements each, and `channels` right sides for each of n pixels.
struct System {
    i64 n, band, channels;
    double *matrix, *sides;
    i64* reaches;
    __device__ double* column(i64 j) const { return matrix + j * (band + 1) - j; }  // column(j)[row]
};

// Factors the matrix and solves with L, from the column `begin` up to `behind`; those before are factored.
//   called by: all threads of the block
//   panel:     shared memory, PANEL columns of PANEL + band rows
//   ends with a barrier
__device__ inline void factor(const System& system, i64 begin, i64 behind, double* panel) {
    const i64 n = system.n, channels = system.channels, height = PANEL + system.band;
    const int lanes = blockDim.x < LANES ? blockDim.x : LANES, groups = blockDim.x / lanes;
    const int lane = threadIdx.x % lanes, group = threadIdx.x / lanes;
    i64 last = 0;  // row that the columns reach until here
    for (i64 j = begin > system.band ? begin - system.band : 0; j < begin; ++j)
        if (j + system.reaches[j] > last) last = j + system.reaches[j];
    for (i64 first = begin; first < behind; first += PANEL) {
        const int columns = n - first < PANEL ? (int)(n - first) : PANEL;
        for (int k = 0; k < columns; ++k) {
            const i64 reached = first + k + system.reaches[first + k];
            if (reached > last) last = reached;
        }
        const i64 rows = last - first + 1;
        // 1
        for (int k = 0; k < PANEL; ++k)
            for (i64 r = threadIdx.x; r < rows; r += blockDim.x) {
                const bool inside = k < columns && r >= k && r - k <= system.band;
                panel[k * height + r] = inside ? system.column(first + k)[first + r] : 0;
            }
        __syncthreads();
        // 2
        if (threadIdx.x == 0)
            for (int k = 0; k < columns; ++k)
                for (int r = k; r < columns; ++r) {
                    double value = panel[k * height + r];
                    for (int m = 0; m < k; ++m) value = fma(-panel[m * height + r], panel[m * height + k], value);
                    panel[k * height + r] = r == k ? sqrt(value) : value / panel[k * height + k];
                }
        __syncthreads();
        // 3
        for (i64 r = columns + (i64)threadIdx.x; r < rows; r += blockDim.x)
            for (int k = 0; k < columns; ++k) {
                double value = panel[k * height + r];
                for (int m = 0; m < k; ++m) value = fma(-panel[m * height + r], panel[m * height + k], value);
                panel[k * height + r] = value / panel[k * height + k];
            }
        __syncthreads();
        // 4
        for (int k = 0; k < columns; ++k)
            for (i64 r = k + (i64)threadIdx.x; r < rows && r - k <= system.band; r += blockDim.x)
                system.column(first + k)[first + r] = panel[k * height + r];
        for (i64 c = columns + group; c < rows && group < groups; c += groups) {
            double left[PANEL];
#pragma unroll
            for (int k = 0; k < PANEL; ++k) left[k] = panel[k * height + c];
            double* column = system.column(first + c);
            for (i64 r = c + lane; r < rows; r += lanes) {
                double value = column[first + r];
#pragma unroll
                for (int k = 0; k < PANEL; ++k) value = fma(-left[k], panel[k * height + r], value);
                column[first + r] = value;
            }
        }
        double* sides = system.sides + first * channels;
        for (i64 channel = threadIdx.x; channel < channels; channel += blockDim.x)
            for (int r = 0; r < columns; ++r) {
                double value = sides[r * channels + channel];
                for (int k = 0; k < r; ++k) value = fma(-panel[k * height + r], sides[k * channels + channel], value);
                sides[r * channels + channel] = value / panel[r * height + r];
            }
        __syncthreads();
        // 5
        for (i64 i = columns * channels + threadIdx.x; i < rows * channels; i += blockDim.x) {
            const i64 r = i / channels, channel = i % channels;
            double value = sides[i];
            for (int k = 0; k < columns; ++k) value = fma(-panel[k * height + r], sides[k * channels + channel], value);
            sides[i] = value;
        }
        __syncthreads();
    }
}

// Solves with the transposed of L, from the panel before `behind` down to that of `begin`; the right sides
// behind are solved.
//   called by: all threads of the block, after a barrier
//   ends with a barrier
__device__ inline void substitute_back(const System& system, i64 begin, i64 behind) {
    const i64 channels = system.channels;
    for (i64 first = behind - PANEL; first >= begin; first -= PANEL) {
        const i64 end = first + PANEL < system.n ? first + PANEL : system.n;
        for (i64 channel = threadIdx.x; channel < channels; channel += blockDim.x)
            for (i64 r = end - 1; r >= first; --r) {
                const double* column = system.column(r);
                double value = system.sides[r * channels + channel];
                for (i64 k = r + 1; k < end && k - r <= system.band; ++k)
                    value = fma(-column[k], system.sides[k * channels + channel], value);
                system.sides[r * channels + channel] = value / column[r];
            }
        __syncthreads();
        const i64 from = first - system.band > 0 ? first - system.band : 0;
        for (i64 i = from * channels + threadIdx.x; i < first * channels; i += blockDim.x) {
            const i64 r = i / channels, channel = i % channels;
            const double* column = system.column(r);
            double value = system.sides[i];
            for (i64 k = first; k < end && k - r <= system.band; ++k)
                value = fma(-column[k], system.sides[k * channels + channel], value);
            system.sides[i] = value;
        }
        __syncthreads();
    }
}

// Holes whose band is in [least, most]; result: the image, C-contiguous, channels last. Of each hole the panels
// from `begin` up to `behind` in the order in which they are taken: all of them forth, then all of them back.
//   ranges: of `known` in inpaint.cu
//   dynamic shared memory: PANEL columns of PANEL + most doubles
template <class W>
__global__ void solve(const i64* starts, i64 holes, const u64* bands, i64 least, i64 most, const i64* offsets,
                      double* matrices, double* sides, i64* reaches, const i64* pixels, i64 channels,
                      const typename Ordered<W>::Key* ranges, i64 begin, i64 behind, W* result) {
    DYN_SHARED(double, panel);
    for (i64 hole = blockIdx.x; hole < holes; hole += gridDim.x) {
        const i64 start = starts[hole], n = starts[hole + 1] - start, band = (i64)bands[hole];
        if (band < least || band > most || offsets[hole] == NO_MATRIX) continue;
        const System system = {n, band, channels, matrices + offsets[hole], sides + start * channels, reaches + start};
        const i64 panels = (n + PANEL - 1) / PANEL;
        if (begin < panels) factor(system, begin * PANEL, behind < panels ? behind * PANEL : n, panel);
        if (behind > panels && begin < 2 * panels) {
            const i64 left = 2 * panels - behind, after = 2 * panels - begin;  // panels to go, counted from the front
            substitute_back(system, left > 0 ? left * PANEL : 0, (after < panels ? after : panels) * PANEL);
        }
        if (behind < 2 * panels || begin >= 2 * panels) continue;
        for (i64 i = threadIdx.x; i < n * channels; i += blockDim.x) {
            const i64 pixel = pixels[start + i / channels];
            write_clipped(system.sides[i], pixel, i % channels, channels, ranges, result);
        }
    }
}
