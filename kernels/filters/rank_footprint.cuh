// Footprints of a thread's results, as the cells of a tile in shared memory, or sorted in registers.
//
// Source: K. E. Batcher, "Sorting networks and their applications", AFIPS 1968; for the bisection
// P. E. Danielsson, "Getting the median faster", Computer Graphics and Image Processing 17, 1981.
#pragma once
#include "filters/rank_window.cuh"

// One element of the footprints of a thread's results.
template <class V> struct Near {
    const V* first;
    __device__ int operator[](int l) const { return first[place_at(l)]; }
};

// Footprints of a thread's results, TIMES times LANES neighbours. Each function gathers for WIDTH of
// them at once.
template <class T, int TIMES> struct Footprint {
    typedef Cell<T> Of;
    typedef Near<typename Of::type> Cells;
    static constexpr int WIDTH = TIMES * LANES;
    const typename Of::type* here;
    const int* offsets;
    int elements;

    __device__ Cells at(int k) const { return {here + offsets[k]}; }

    // visit(cells), for each element.
    template <class Visit> __device__ void each(const Visit& visit) const {
        for (int k = 0; k < elements; ++k) visit(at(k));
    }

    // The same in parts of up to PART, after each of which comes then(elements of it).
    template <class Visit, class Then> __device__ void in_parts(const Visit& visit, const Then& then) const {
        for (int k = 0; k < elements; k += PART) {
            const int end = k + PART < elements ? k + PART : elements;
            for (int i = k; i < end; ++i) visit(at(i));
            then(end - k);
        }
    }

    // Number of all values and their sum.
    __device__ void all(int* count, int* sum) const {
        int part[WIDTH];
        for (int l = 0; l < WIDTH; ++l) count[l] = sum[l] = part[l] = 0;
        in_parts(
            [&](const Cells& cells) {
#pragma omp simd
                for (int l = 0; l < WIDTH; ++l) part[l] += cells[l];
            },
            [&](int number) {
                for (int l = 0; l < WIDTH; ++l) {
                    count[l] += number + (part[l] >> Of::BITS);  // less those that are missing
                    sum[l] += part[l] & ((1 << Of::BITS) - 1);
                    part[l] = 0;
                }
            });
    }
    __device__ void all(int* count) const {
        int sum[WIDTH];
        all(count, sum);
    }

    // Number and sum of the values in [low, high).
    __device__ void band(const int* low, const int* high, int* count, int* sum) const {
        u32 part[WIDTH], width[WIDTH];
        for (int l = 0; l < WIDTH; ++l) {
            count[l] = sum[l] = part[l] = 0;
            width[l] = high[l] > low[l] ? high[l] - low[l] : 0;
        }
        in_parts(
            [&](const Cells& cells) {
#pragma omp simd
                for (int l = 0; l < WIDTH; ++l) {
                    const int value = cells[l];
                    part[l] += (u32)(value - low[l]) < width[l] ? value + (1 << Of::BITS) : 0;
                }
            },
            [&](int) {
                for (int l = 0; l < WIDTH; ++l) {
                    count[l] += part[l] >> Of::BITS;
                    sum[l] += part[l] & ((1 << Of::BITS) - 1);
                    part[l] = 0;
                }
            });
    }

    // Value in place[l] of the sorted window, for places inside it; `bins` are above all.
    __device__ void select(const int* place, int bins, int* value) const {
        const int bits = bins > 2 ? 32 - __clz(bins - 1) : 1;
        for (int l = 0; l < WIDTH; ++l) value[l] = 0;
        for (int bit = (1 << bits) >> 1; bit; bit >>= 1) {
            int lower[WIDTH];
            for (int l = 0; l < WIDTH; ++l) lower[l] = 0;
            each([&](const Cells& cells) {
#pragma omp simd
                for (int l = 0; l < WIDTH; ++l) lower[l] += (u32)cells[l] < (u32)(value[l] | bit);
            });
            for (int l = 0; l < WIDTH; ++l) value[l] |= lower[l] <= place[l] ? bit : 0;
        }
    }
};

// Batcher's network, from here on: runs of P are sorted, those of 2 P are where they are 2 STEP apart.
// No members: in a member template that an explicit specialization calls, NVRTC (12.9 and 13.0) takes
// the wrong branch of `if constexpr`, and half of the network is missing.
template <int P, int STEP, int K, int MOST> __device__ inline void order(int (&cells)[MOST][LANES]) {
    if constexpr (K + STEP < MOST) {
        constexpr int beyond = K - STEP % P;
        if constexpr (beyond >= 0 && beyond / STEP % 2 == 0 && K / (2 * P) == (K + STEP) / (2 * P)) {
#pragma omp simd
            for (int l = 0; l < LANES; ++l) {
                const u32 a = (u32)cells[K][l], b = (u32)cells[K + STEP][l];
                cells[K][l] = (int)min(a, b);
                cells[K + STEP][l] = (int)max(a, b);
            }
        }
        order<P, STEP, K + 1>(cells);
    }
}
template <int P, int STEP, int MOST> __device__ inline void merge(int (&cells)[MOST][LANES]) {
    order<P, STEP, 0>(cells);
    if constexpr (STEP > 1)
        merge<P, STEP / 2>(cells);
    else if constexpr (2 * P < MOST)
        merge<2 * P, 2 * P>(cells);
}

// Of LEFT values those whose places have the same bit as `place`, until one is left.
template <int LEFT, int BIT, int MOST>
__device__ inline void choose(int (&left)[MOST][LANES], const int* place) {
    if constexpr (LEFT > 1) {
#pragma unroll
        for (int k = 0; k < (LEFT + 1) / 2; ++k) {
            const int even = 2 * k, odd = even + 1 < LEFT ? even + 1 : even;
#pragma omp simd
            for (int l = 0; l < LANES; ++l) left[k][l] = place[l] & BIT ? left[odd][l] : left[even][l];
        }
        choose<(LEFT + 1) / 2, 2 * BIT>(left, place);
    }
}

// Offsets that are read at once. Up to SORTED of them are followed by zeros.
struct alignas(16) Offsets {
    int of[4];
};
constexpr int SORTED = 28;

// Footprints of LANES neighbours of up to MOST elements, which are sorted in registers; those that are
// missing come last.
template <int MOST> struct Sorted {
    static constexpr int WIDTH = LANES;
    int cells[MOST][LANES];

    template <class T> __device__ Sorted(const Footprint<T, 1>& all) {
#pragma unroll
        for (int k = 0; k < MOST; k += 4) {
            const Offsets four = *reinterpret_cast<const Offsets*>(all.offsets + k);
#pragma unroll
            for (int i = k; i < k + 4 && i < MOST; ++i)
                for (int l = 0; l < LANES; ++l) {
                    const int cell = all.here[four.of[i - k] + l];
                    cells[i][l] = i < all.elements ? cell : -1;
                }
        }
        merge<1, 1>(cells);
    }

    __device__ void all(int* count, int* sum) const {
        for (int l = 0; l < LANES; ++l) count[l] = sum[l] = 0;
#pragma unroll
        for (int k = 0; k < MOST; ++k)
            for (int l = 0; l < LANES; ++l) {
                count[l] += cells[k][l] >= 0;
                sum[l] += cells[k][l] >= 0 ? cells[k][l] : 0;
            }
    }
    __device__ void all(int* count) const {
        int sum[LANES];
        all(count, sum);
    }
    __device__ void band(const int* low, const int* high, int* count, int* sum) const {
        for (int l = 0; l < LANES; ++l) count[l] = sum[l] = 0;
#pragma unroll
        for (int k = 0; k < MOST; ++k)
#pragma omp simd
            for (int l = 0; l < LANES; ++l) {
                const int value = cells[k][l], counts = value >= low[l] && value < high[l];
                count[l] += counts;
                sum[l] += counts ? value : 0;
            }
    }

    __device__ void select(const int* place, int, int* value) const {
        int left[MOST][LANES];
#pragma unroll
        for (int k = 0; k < MOST; ++k)
            for (int l = 0; l < LANES; ++l) left[k][l] = cells[k][l];
        choose<MOST, 1>(left, place);
        for (int l = 0; l < LANES; ++l) value[l] = left[0][l];
    }
};
