// Rank filters of 2-D and 3-D images: each pixel's footprint is walked, nothing is sorted
// and no histogram is kept.
//
// A block of (32, 8) threads has a tile of results:
//
//     1. the tile and its halo into shared memory, below 0 what does not count
//     2. for each pixel, the statistic over its footprint: sums, extremes and the like in one
//        pass, for several pixels at once; the value in a given place of the sorted window by a
//        sorting network of up to 25 elements, of more by bisection over the bits of the values, one pass
//        of counting for each bit; how often values occur by the same network, or comparing each with each
//     3. the formula, and the result
//
// image: u8 or u16, C-contiguous. mask: one byte a pixel, read where `masked`. given: offsets of `number`
// elements of the footprint from its first cell, in cells; or, but for PAIRS, which would need the stack,
// footprint: all of its elements. result: u8, u16 or double.
// One launch; the image and the mask are read once (the halos again, from cache), the
// result is written once. Shared memory: 2 (u16: 4) bytes for each cell.
//
// Source: the formulas in rank_formulas.cuh; network and bisection in rank_footprint.cuh.
#include "filters/rank_elements.cuh"
#include "filters/rank_places.cuh"

// Values of a thread's pixels, which are read when they are asked for.
template <class T> struct Greys {
    const T* image;
    i64 place;
    int left;
    __device__ int operator[](int l) const { return place_at(l) < left ? image[place + place_at(l)] : 0; }
};

template <RankStatistic STATISTIC> struct Rank;

template <> struct Rank<BAND> {
    static constexpr int TIMES = MANY, WIDTH = TIMES * LANES;

    template <class T>
    __device__ static void compute(const Footprint<T, TIMES>& footprint, const RankFormula& f, const Greys<T>& greys,
                                   const RankResults& results) {
        int count[WIDTH], sum[WIDTH];
        if (f.operation >= POP_BILATERAL && f.operation <= MEAN_BILATERAL) {
            int low[WIDTH], high[WIDTH];
            for (int l = 0; l < WIDTH; ++l) {
                const int grey = greys[l];
                low[l] = grey >= f.below ? grey - f.below + 1 : 0;
                high[l] = grey + f.above;
            }
            footprint.band(low, high, count, sum);
        } else {
            footprint.all(count, sum);
        }
        results.put_bands(f, count, sum, greys);
    }
};

template <> struct Rank<EXTREMES> {
    static constexpr int TIMES = MANY, WIDTH = TIMES * LANES;

    template <class T>
    __device__ static void compute(const Footprint<T, TIMES>& footprint, const RankFormula& f, const Greys<T>& greys,
                                   const RankResults& results) {
        int low[WIDTH], high[WIDTH];
        for (int l = 0; l < WIDTH; ++l) low[l] = high[l] = -1;
        footprint.each([&](const Near<typename Cell<T>::type>& cells) {
#pragma omp simd
            for (int l = 0; l < WIDTH; ++l) {
                const int cell = cells[l];
                low[l] = (u32)cell < (u32)low[l] ? cell : low[l];
                high[l] = cell > high[l] ? cell : high[l];
            }
        });
        results.put_extremes(f, low, high, greys);
    }
};

template <> struct Rank<BELOW> {
    static constexpr int TIMES = MANY, WIDTH = TIMES * LANES;

    template <class T>
    __device__ static void compute(const Footprint<T, TIMES>& footprint, const RankFormula& f, const Greys<T>& greys,
                                   const RankResults& results) {
        int pop[WIDTH], below[WIDTH], grey[WIDTH];
        for (int l = 0; l < WIDTH; ++l) {
            pop[l] = below[l] = 0;
            grey[l] = greys[l];
        }
        footprint.each([&](const Near<typename Cell<T>::type>& cells) {
#pragma omp simd
            for (int l = 0; l < WIDTH; ++l) {
                const int cell = cells[l];
                pop[l] += cell >= 0;
                below[l] += (u32)cell <= (u32)grey[l];
            }
        });
        if (f.result == 2)
            equalized<double>(f, below, pop, results);
        else
            equalized<int>(f, below, pop, results);
    }

    template <class Value>
    __device__ static void equalized(const RankFormula& f, const int* below, const int* pop, const RankResults& results) {
        Value value[WIDTH];
        each(pop, [&](int l) { return quotient<Value>((u32)(f.bins - 1) * below[l], (u32)max(pop[l], 1)); }, value);
        results.put(value);
    }
};

template <> struct Rank<NEXT> {
    static constexpr int TIMES = MANY, WIDTH = TIMES * LANES;

    template <class T>
    __device__ static void compute(const Footprint<T, TIMES>& footprint, const RankFormula& f, const Greys<T>& greys,
                                   const RankResults& results) {
        // the ends of the scale stand for neighbours that are missing, as in scikit-image
        int below[WIDTH], above[WIDTH], grey[WIDTH];
        for (int l = 0; l < WIDTH; ++l) {
            grey[l] = greys[l];
            below[l] = 0;
            above[l] = f.bins - 1;
        }
        footprint.each([&](const Near<typename Cell<T>::type>& cells) {
#pragma omp simd
            for (int l = 0; l < WIDTH; ++l) {
                const int cell = cells[l];
                below[l] = cell <= grey[l] && cell > below[l] ? cell : below[l];
                above[l] = cell >= grey[l] && cell < above[l] ? cell : above[l];
            }
        });
        int value[WIDTH];
        for (int l = 0; l < WIDTH; ++l) {
            const int down = grey[l] - below[l], up = above[l] - grey[l];
            value[l] = up < down ? up : down;
        }
        results.put(value);
    }
};

// Logarithms are dear: one for a product of as many factors as a double has room for.
constexpr int FACTORS = 32;

template <> struct Rank<PRODUCT> {
    static constexpr int TIMES = MANY, WIDTH = TIMES * LANES;

    template <class T>
    __device__ static void compute(const Footprint<T, TIMES>& footprint, const RankFormula&, const Greys<T>&,
                                   const RankResults& results) {
        int pop[WIDTH];
        double product[WIDTH], total[WIDTH];
        for (int l = 0; l < WIDTH; ++l) {
            pop[l] = 0;
            product[l] = 1.0;
            total[l] = 0.0;
        }
        for (int k = 0; k < footprint.elements; ++k) {
            const auto cells = footprint.at(k);
#pragma omp simd
            for (int l = 0; l < WIDTH; ++l) {
                const int cell = cells[l];
                pop[l] += cell >= 0;
                product[l] *= cell >= 0 ? cell + 1 : 1;
            }
            if (k % FACTORS == FACTORS - 1 || k == footprint.elements - 1)
                for (int l = 0; l < WIDTH; ++l) {
                    total[l] += log(product[l]);
                    product[l] = 1.0;
                }
        }
        double value[WIDTH];
        for (int l = 0; l < WIDTH; ++l) {
            const double mean = pop[l] ? exp(total[l] / pop[l]) - 1 : 0.0;
            value[l] = (double)(i64)(mean > 0 ? mean + 0.5 : mean - 0.5);
        }
        results.put(value);
    }
};

template <> struct Rank<PLACES> {
    static constexpr int TIMES = 1;
    LatestPlaces latest;

    template <class T>
    __device__ void compute(const Footprint<T, TIMES>& footprint, const RankFormula& f, const Greys<T>& greys,
                            const RankResults& results) {
        if (footprint.elements <= 9)
            of_places(Sorted<9>(footprint), f, greys, latest, results);
        else if (footprint.elements <= 13)
            of_places(Sorted<13>(footprint), f, greys, latest, results);
        else if (footprint.elements <= 16)
            of_places(Sorted<16>(footprint), f, greys, latest, results);
        else if (footprint.elements <= 25)
            of_places(Sorted<25>(footprint), f, greys, latest, results);
        else
            of_places(footprint, f, greys, latest, results);
    }
};

// Sums of logarithms of shares, for entropies.
struct LogOfShares {
    double share, product = 1.0, logarithms = 0.0;
    int factors = 0;

    // One of `pop` values, of which `equal` are equal to it.
    __device__ void add(int equal, int pop) {
        product *= equal == pop ? 1.0 : equal * share;
        if (++factors % FACTORS == 0) take();
    }
    __device__ void take() {
        logarithms += log(product);
        product = 1.0;
    }
    __device__ double entropy(int pop) {
        take();
        return pop ? 0.0 - logarithms / pop / 0.6931471805599453 : 0.0;
    }
};

template <> struct Rank<PAIRS> {
    static constexpr int TIMES = 1;

    template <class T>
    __device__ static void compute(const Footprint<T, TIMES>& footprint, const RankFormula& f, const Greys<T>&,
                                   const RankResults& results) {
        double value[LANES];
        if (footprint.elements <= 9)
            of_runs(Sorted<9>(footprint), f, value);
        else if (footprint.elements <= 13)
            of_runs(Sorted<13>(footprint), f, value);
        else if (footprint.elements <= 16)
            of_runs(Sorted<16>(footprint), f, value);
        else if (footprint.elements <= 25)
            of_runs(Sorted<25>(footprint), f, value);
        else
            of_pairs(footprint, f, value);
        results.put(value);
    }

    // Equal values follow each other.
    template <int MOST> __device__ static void of_runs(const Sorted<MOST>& sorted, const RankFormula& f, double* value) {
        int pop[LANES], total[LANES];
        sorted.all(pop, total);
        for (int l = 0; l < LANES; ++l) {
            if (f.operation == ENTROPY) {
                int upto[MOST];  // equal ones up to each
#pragma unroll
                for (int k = 0; k < MOST; ++k)
                    upto[k] = k > 0 && sorted.cells[k][l] == sorted.cells[k - 1][l] ? upto[k - 1] + 1 : 1;
                LogOfShares shares = {1.0 / pop[l]};
                int equal = 0;
#pragma unroll
                for (int k = MOST - 1; k >= 0; --k) {
                    const int cell = sorted.cells[k][l];
                    if (k + 1 == MOST || cell != sorted.cells[k + 1][l]) equal = upto[k];
                    if (cell >= 0) shares.add(equal, pop[l]);
                }
                value[l] = shares.entropy(pop[l]);
                continue;
            }
            if (f.operation == OTSU) {
                Split split = {0.0, 0};
                int sum = 0;
#pragma unroll
                for (int k = 0; k < MOST; ++k) {
                    const int cell = sorted.cells[k][l];
                    sum += cell;
                    if (cell >= 0 && (k + 1 == MOST || cell != sorted.cells[k + 1][l]))
                        split.consider(cell, k + 1, sum, pop[l], total[l]);
                }
                value[l] = split.value;
                continue;
            }
            int length = 0, most = 0, best = 0;
#pragma unroll
            for (int k = 0; k < MOST; ++k) {
                const int cell = sorted.cells[k][l];
                const bool is_last = cell >= 0 && (k + 1 == MOST || cell != sorted.cells[k + 1][l]);
                ++length;
                if (is_last && length > most) {
                    most = length;
                    best = cell;
                }
                if (is_last) length = 0;
            }
            value[l] = best;
        }
    }

    template <class T>
    __device__ static void of_pairs(const Footprint<T, TIMES>& footprint, const RankFormula& f, double* value) {
        int pop[LANES], total[LANES], most[LANES], best[LANES];
        LogOfShares shares[LANES];
        Split split[LANES];
        footprint.all(pop, total);
        for (int l = 0; l < LANES; ++l) {
            most[l] = best[l] = 0;
            shares[l] = {1.0 / pop[l]};
            split[l] = {0.0, 0};
        }
        for (int e = 0; e < footprint.elements; ++e) {
            int equal[LANES], below[LANES], sum[LANES];
            for (int l = 0; l < LANES; ++l) equal[l] = below[l] = sum[l] = 0;
            const auto own = footprint.at(e);
            for (int k = 0; k < footprint.elements; ++k) {
                const auto cells = footprint.at(k);
#pragma omp simd
                for (int l = 0; l < LANES; ++l) {
                    const int cell = cells[l], counts = cell >= 0 && cell <= own[l];
                    equal[l] += cell == own[l];
                    below[l] += counts;
                    sum[l] += counts ? cell : 0;
                }
            }
            for (int l = 0; l < LANES; ++l) {
                const int cell = own[l];
                if (cell < 0) continue;
                if (f.operation == ENTROPY) {
                    shares[l].add(equal[l], pop[l]);
                } else if (f.operation == OTSU) {
                    split[l].consider(cell, below[l], sum[l], pop[l], total[l]);
                } else if (equal[l] > most[l] || (equal[l] == most[l] && cell < best[l])) {
                    most[l] = equal[l];
                    best[l] = cell;
                }
            }
        }
        for (int l = 0; l < LANES; ++l) {
            if (f.operation == ENTROPY)
                value[l] = shares[l].entropy(pop[l]);
            else
                value[l] = f.operation == OTSU ? split[l].value : best[l];
        }
    }
};

// With as few registers as others have PAIRS would need the stack, on 8.0 to 8.9 PLACES too, and on 9.0
// PRODUCT of 16 bits.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800 && __CUDA_ARCH__ < 900
constexpr RankStatistic FROM = PLACES;
#else
constexpr RankStatistic FROM = PAIRS;
#endif

template <class T, RankStatistic STATISTIC>
constexpr int BLOCKS = STATISTIC >= FROM || (STATISTIC == PRODUCT && sizeof(T) == 2) ? RESIDENT - 1 : RESIDENT;

template <class T, RankStatistic STATISTIC>
__global__ void __launch_bounds__(256, BLOCKS<T, STATISTIC>)
    rank(const T* image, const u8* mask, bool masked, const int* given, int number, const u8* footprint,
         const __grid_constant__ RankElements e, const __grid_constant__ RankWindows w,
         const __grid_constant__ RankFormula f, u8* results) {
    typedef typename Cell<T>::type V;
    constexpr int TIMES = Rank<STATISTIC>::TIMES, WIDTH = TIMES * LANES;
    DYN_SHARED(V, cells);  // w.cells[0] * w.cells[1] * w.cells[2]

    __shared__ RankTile tile;  // few have to know of it at a time
    __shared__ RankOffsets offsets;
    if constexpr (STATISTIC != PAIRS) offsets.find(given, number, footprint, e, w);
    Rank<STATISTIC> rank = {};
    const i64 tiles = RankTile::count(w);
    for (i64 item = blockIdx.x; item < tiles; item += gridDim.x) {
        if (threadIdx.x == 0 && threadIdx.y == 0) tile = RankTile(w, item);
        __syncthreads();
        // 1
        load_cells(cells, image, mask, masked, w, tile);
        __syncthreads();
        tile.for_results<TIMES>(w, [&](int cell, i64 place, int left) {
            // 2 and 3
            Footprint<T, TIMES> near = {cells + cell, given, number};
            if constexpr (STATISTIC != PAIRS) near = {cells + cell, offsets.first, offsets.count};
            rank.compute(near, f, {image, place, left}, {results, f.result, place, left});
        });
        __syncthreads();  // before the next tile's cells
    }
}
