// Rank filters that look at a histogram of a pixel's footprint: those that need to know how
// often each grey value occurs, and those that rank values in large footprints.
//
// A block has a few columns of one row, and one histogram in shared memory:
//
//     1. the columns and their halo into shared memory, below 0 what does not count
//     2. the histogram of the first pixel's footprint
//     3. for each pixel: the values that enter and leave the footprint on its way along the
//        row, then all threads together look through the bins
//
// image, mask, result: as in rank.cu; results of WINDOWED_HISTOGRAM have `depth` values a
// pixel. offsets: `elements` of the whole footprint, then `edge` of those that have no
// element behind them (they enter), then `edge` of those that have none in front (they leave).
// One launch; the image and the mask are read once (the halos again, from cache), the
// result is written once. Shared memory: 2 (u16: 4) bytes for each cell and 4 for each bin.
// Blocks have one dimension and at most 64 threads; a warp is best, whose barriers cost
// nothing.
//
// Source: the formulas in rank_formulas.cuh. The moving histogram: T. Huang, G. Yang and
// G. Tang, "A fast two-dimensional median filtering algorithm", IEEE Transactions on
// Acoustics, Speech and Signal Processing 27, 1979.
#include "common/histogram.cuh"
#include "common/reduce.cuh"
#include "filters/rank_places.cuh"

constexpr int MOST_THREADS = 64;

// A bin and what speaks for it; the lowest of the best is the best.
struct Candidate {
    double worth;
    int bin;
};
struct BetterCandidate {
    __device__ Candidate operator()(const Candidate& a, const Candidate& b) const {
        return b.worth > a.worth || (b.worth == a.worth && b.bin < a.bin) ? b : a;
    }
};
struct Add {
    __device__ double operator()(double a, double b) const { return a + b; }
};

// Bins of one thread: consecutive ones, so that sums up to a bin need one pass.
struct Share {
    int begin, end;
    __device__ explicit Share(int bins) {
        const int each = (bins + blockDim.x - 1) / blockDim.x;
        begin = each * threadIdx.x < bins ? each * threadIdx.x : bins;
        end = begin + each < bins ? begin + each : bins;
    }
};

// Entropy of the histogram, in thread 0.
//   called by: all threads of the block; a barrier must follow
__device__ inline double entropy_of(const u32* histogram, int bins, int pop) {
    __shared__ double sums[MOST_THREADS];
    double sum = 0.0;
    for (int i = threadIdx.x; i < bins; i += blockDim.x)
        if (histogram[i]) {
            const double p = (double)histogram[i] / pop;
            sum -= p * log(p) / 0.6931471805599453;
        }
    sums[threadIdx.x] = sum;
    block_reduce(sums, blockDim.x, Add());
    return sums[0];
}

// The bin with most pixels, in thread 0; called as entropy_of.
__device__ inline int mode_of(const u32* histogram, int bins) {
    __shared__ Candidate best[MOST_THREADS];
    Candidate mine = {0.0, 0};
    for (int i = threadIdx.x; i < bins; i += blockDim.x)
        if (histogram[i]) mine = BetterCandidate()(mine, {(double)histogram[i], i});
    best[threadIdx.x] = mine;
    block_reduce(best, blockDim.x, BetterCandidate());
    return best[0].bin;
}

// Otsu's threshold, in thread 0; called as entropy_of.
__device__ inline int split_of(const u32* histogram, int bins, int pop) {
    __shared__ Candidate best[MOST_THREADS];
    __shared__ int counts[MOST_THREADS], sums[MOST_THREADS];
    const Share share(bins);
    int count = 0, sum = 0;
    for (int i = share.begin; i < share.end; ++i) {
        count += histogram[i];
        sum += (int)histogram[i] * i;
    }
    counts[threadIdx.x] = count;
    sums[threadIdx.x] = sum;
    __syncthreads();
    int total = 0;
    count = sum = 0;
    for (int t = 0; t < blockDim.x; ++t) {
        if (t < threadIdx.x) {
            count += counts[t];
            sum += sums[t];
        }
        total += sums[t];
    }
    Split split = {0.0, 0};
    for (int i = share.begin; i < share.end; ++i)
        if (histogram[i]) {
            count += histogram[i];
            sum += (int)histogram[i] * i;
            split.consider(i, count, sum, pop, total);
        }
    best[threadIdx.x] = {split.variance, split.value};
    block_reduce(best, blockDim.x, BetterCandidate());
    return best[0].bin;
}

// The histogram as a window of rank_places.cuh. Called by all threads of the block together,
// all of them receive the results; a barrier must follow before the histogram changes.
struct Histogram {
    static constexpr int WIDTH = 1;
    const u32* histogram;
    int bins, pop;
    int* scratch;  // MOST_THREADS + 1

    __device__ void all(int* count) const { count[0] = pop; }

    __device__ void band(const int* low, const int* high, int* count, int* sum) const {
        count[0] = total([&](int i) { return i >= low[0] && i < high[0] ? (int)histogram[i] : 0; });
        sum[0] = total([&](int i) { return i >= low[0] && i < high[0] ? (int)histogram[i] * i : 0; });
    }

    template <class Summand> __device__ int total(Summand summand) const {
        int mine = 0;
        for (int i = threadIdx.x; i < bins; i += blockDim.x) mine += summand(i);
        __syncthreads();  // nobody reads the last total any more
        scratch[threadIdx.x] = mine;
        block_reduce(scratch, blockDim.x, [](int a, int b) { return a + b; });
        __syncthreads();
        return scratch[0];
    }

    __device__ void select(const int* place, int, int* value) const {
        const Share share(bins);
        int mine = 0;
        for (int i = share.begin; i < share.end; ++i) mine += histogram[i];
        __syncthreads();
        scratch[threadIdx.x] = mine;
        if (threadIdx.x == 0) scratch[MOST_THREADS] = 0;
        __syncthreads();
        int below = 0;
        for (int t = 0; t < threadIdx.x; ++t) below += scratch[t];
        if (below <= place[0] && place[0] < below + mine) {  // in one thread
            int i = share.begin;
            while ((below += histogram[i]) <= place[0]) ++i;
            scratch[MOST_THREADS] = i;
        }
        __syncthreads();
        value[0] = scratch[MOST_THREADS];
    }
};

template <class T>
__global__ void __launch_bounds__(MOST_THREADS, 1)
    rank_histogram(const T* image, const u8* mask, bool masked, const int* offsets, int elements,
                   int edge, const __grid_constant__ RankWindows w,
                   const __grid_constant__ RankFormula f, i64 depth, u8* results) {
    typedef typename Cell<T>::type V;
    DYN_SHARED(u32, histogram);                          // f.bins
    V* const cells = reinterpret_cast<V*>(histogram + f.bins);  // w.cells[0] * w.cells[1] * w.cells[2]
    __shared__ int pop;
    __shared__ int scratch[MOST_THREADS + 1];

    const auto count = [&](const V* here, const int* from, int number, int change) {
        int counted = 0;
        for (int k = threadIdx.x; k < number; k += blockDim.x) {
            const int value = here[from[k]];
            if (value < 0) continue;
            atomicAdd(&histogram[value], (u32)change);
            ++counted;
        }
        if (counted) atomicAdd(&pop, counted * change);
    };

    LatestPlaces latest;
    const i64 tiles = RankTile::count(w);
    for (i64 item = blockIdx.x; item < tiles; item += gridDim.x) {
        const RankTile tile(w, item);
        // 1
        if (threadIdx.x == 0) pop = 0;
        load_cells(cells, image, mask, masked, w, tile);
        clear_bins(histogram, f.bins);
        // 2
        count(cells, offsets, elements, 1);
        // 3
        const i64 row = (tile.origin[0] * w.shape[1] + tile.origin[1]) * w.shape[2] + tile.origin[2];
        for (int x = 0; x < tile.columns; ++x) {
            if (x) {
                count(cells + x - 1, offsets + elements + edge, edge, -1);
                count(cells + x, offsets + elements, edge, 1);
            }
            __syncthreads();
            const int pixels = pop;
            if (f.operation == WINDOWED_HISTOGRAM) {
                const double scale = pixels ? 1.0 / pixels : 0.0;
                for (i64 i = threadIdx.x; i < depth; i += blockDim.x)
                    RankResults{results, f.result, (row + x) * depth + i, 1}.put_one(histogram[i] * scale);
            } else {
                const RankResults one = {results, f.result, row + x, threadIdx.x == 0};
                if (f.operation < ENTROPY) {
                    const int grey = image[row + x];
                    of_places(Histogram{histogram, f.bins, pixels, scratch}, f, &grey, latest, one);
                } else if (!pixels) {
                    one.put_one(0);
                } else if (f.operation == ENTROPY) {
                    one.put_one(entropy_of(histogram, f.bins, pixels));
                } else {
                    one.put_one(f.operation == MODAL ? mode_of(histogram, f.bins) : split_of(histogram, f.bins, pixels));
                }
            }
            __syncthreads();  // before the histogram changes
        }
    }
}
