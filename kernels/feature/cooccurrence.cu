// Grey level co-occurrence matrices, and properties of them.
//
//     count_pairs        counts pairs of grey levels at given offsets
//     shares             counts as shares of their sum
//     matrix_properties  one number for each matrix
//
// image: (u)int8..64, (rows, columns), C-contiguous. Matrices: (levels, levels, pairs), of u32
// counts or of any dtype. One launch each, which reads its input once (count_pairs from
// cache for each further offset) and writes its output once.
//
// Source: scikit-image `feature.graycomatrix`, `graycoprops` (_texture.pyx); R. M. Haralick,
// K. Shanmugam, I. Dinstein, "Textural features for image classification", 1973.
#include "common/reduce.cuh"
#include "common/shared.cuh"
#include "common/types.cuh"

// Where the second pixel of a pair lies.
struct Offset {
    i64 down, across;
};

template <class T> __device__ inline bool is_negative(T value) { return (T)-1 < (T)0 && value < (T)0; }

// Matrix of one offset in global memory.
struct Matrix {
    u32* counts;
    i64 levels, pairs, pair;
    bool symmetric;
    __device__ void add(i64 i, i64 j, u32 count) const {
        atomicAdd(&counts[(i * levels + j) * pairs + pair], count);
        if (symmetric) atomicAdd(&counts[(j * levels + i) * pairs + pair], count);
    }
};

// Each block takes some rows for one offset and counts in shared memory where a matrix fits
// there; else each thread counts equal neighbours in a row before it adds them.
//
// offsets  `pairs` of them
// counts   zeros before
// odd      zero before; bit 0: a pixel is negative, bit 1: one is not below `levels`
template <class T>
__global__ void count_pairs(const T* image, const Offset* offsets, u32* counts, u32* odd, i64 rows, i64 columns,
                            i64 levels, i64 pairs, bool symmetric, bool in_shared) {
    constexpr int RUN = 16;  // neighbours in a row that one thread takes
    DYN_SHARED(u32, counts_here);
    const i64 bins = levels * levels;
    const i64 chunks = gridDim.x / pairs;
    const i64 pair = blockIdx.x % pairs, chunk = blockIdx.x / pairs;
    if (chunk >= chunks) return;
    const Matrix matrix = {counts, levels, pairs, pair, symmetric};
    const i64 down = offsets[pair].down, across = offsets[pair].across;
    if (in_shared) {
        for (i64 b = threadIdx.x; b < bins; b += blockDim.x) counts_here[b] = 0;
        __syncthreads();
    }

    const i64 runs = (columns + RUN - 1) / RUN;
    u32 seen = 0;
    for (i64 item = chunk * blockDim.x + threadIdx.x; item < rows * runs; item += chunks * blockDim.x) {
        const i64 y = item / runs, x0 = (item - y * runs) * RUN;
        const i64 end = x0 + RUN < columns ? x0 + RUN : columns;
        const bool has_row = y + down >= 0 && y + down < rows;
        i64 last_i = 0, last_j = 0;
        u32 equal = 0;  // pairs (last_i, last_j) that are not added yet
        const auto add_equal = [&] {
            if (!equal) return;
            if (in_shared)
                atomicAdd(&counts_here[last_i * levels + last_j], equal);
            else
                matrix.add(last_i, last_j, equal);
        };
        for (i64 x = x0; x < end; ++x) {
            const T value = image[y * columns + x];
            const bool fits = !is_negative(value) && (u64)value < (u64)levels;
            if (!fits) seen |= is_negative(value) ? 1u : 2u;
            if (!fits || !has_row || x + across < 0 || x + across >= columns) continue;
            const T other = image[(y + down) * columns + x + across];
            if (is_negative(other) || (u64)other >= (u64)levels) continue;
            const i64 i = (i64)value, j = (i64)other;
            if (equal && i == last_i && j == last_j) {
                ++equal;
                continue;
            }
            add_equal();
            last_i = i;
            last_j = j;
            equal = 1;
        }
        add_equal();
    }
    if (seen) atomicOr(odd, seen);
    if (!in_shared) return;
    __syncthreads();
    for (i64 b = threadIdx.x; b < bins; b += blockDim.x)
        if (counts_here[b]) matrix.add(b / levels, b % levels, counts_here[b]);
}

// result[k] = counts[k] / sums[k % pairs], with 1 for a sum of 0.
__global__ void shares(const u32* counts, const double* sums, double* result, i64 n, i64 pairs) {
    for (i64 k = blockIdx.x * (i64)blockDim.x + threadIdx.x; k < n; k += gridDim.x * (i64)blockDim.x) {
        const double sum = sums[k % pairs];
        result[k] = (double)counts[k] / (sum == 0 ? 1.0 : sum);
    }
}

enum Property { CONTRAST, DISSIMILARITY, HOMOGENEITY, ASM, ENERGY, MEAN, VARIANCE, STD, ENTROPY, CORRELATION };

// Three sums at a time.
struct Triple {
    double a, b, c;
};
struct AddTriples {
    __device__ Triple operator()(const Triple& p, const Triple& q) const { return {p.a + q.a, p.b + q.b, p.c + q.c}; }
};

constexpr int FEW = 32;

// Sum of what `term(i, j, P)` makes of each element of a matrix, for all threads.
//   called by: all threads of the block, of up to 256; contains barriers, none must follow
template <class T, class Term>
__device__ inline Triple sum_of(const T* matrices, i64 levels, i64 pairs, i64 pair, Term term) {
    __shared__ Triple scratch[256];
    Triple sum = {0, 0, 0}, few = {0, 0, 0};  // added up a few at a time, which rounds less
    for (i64 k = threadIdx.x, n = 1; k < levels * levels; k += blockDim.x, ++n) {
        const i64 i = k / levels;
        few = AddTriples()(few, term((double)i, (double)(k - i * levels), (double)matrices[k * pairs + pair]));
        if (n % FEW) continue;
        sum = AddTriples()(sum, few);
        few = {0, 0, 0};
    }
    __syncthreads();
    scratch[threadIdx.x] = AddTriples()(sum, few);
    block_reduce(scratch, blockDim.x, AddTriples());
    __syncthreads();
    return scratch[0];
}

// What of an element of a matrix is summed: of those properties that are one sum.
__device__ inline double weighted(int property, double i, double j, double p) {
    const double distance = i - j;
    switch (property) {
        case CONTRAST: return p * (distance * distance);
        case DISSIMILARITY: return p * fabs(distance);
        case HOMOGENEITY: return p * (1.0 / (1.0 + distance * distance));
        case ENTROPY: return p != 0 ? p * -log(p) : 0;
        default: return p * p;  // ASM, ENERGY
    }
}

// One block for each matrix. Its elements are divided by their sum first.
template <class T>
__global__ void __launch_bounds__(256, 2)
    matrix_properties(const T* matrices, double* result, i64 levels, i64 pairs, int property) {
    for (i64 pair = blockIdx.x; pair < pairs; pair += gridDim.x) {
        double total = sum_of(matrices, levels, pairs, pair, [](double, double, double p) { return Triple{p, 0, 0}; }).a;
        if (total == 0) total = 1;
        double found;
        if (property == MEAN || property == VARIANCE || property == STD || property == CORRELATION) {
            const Triple means = sum_of(matrices, levels, pairs, pair, [=](double i, double j, double p) {
                return Triple{rounded_product(i, p / total), rounded_product(j, p / total), 0};
            });
            // of a matrix with one row or column the mean is that row's number, or differs by
            // rounding alone, of which the deviation is made then
            const Triple moments = sum_of(matrices, levels, pairs, pair, [=](double i, double j, double p) {
                const double y = i - means.a, x = j - means.b;
                const double share = p / total;
                return Triple{rounded_product(share, y * y), rounded_product(share, x * x),
                              rounded_product(share, y * x)};
            });
            const double deviation = sqrt(moments.a), other = sqrt(moments.b);
            if (property == MEAN) found = means.a;
            else if (property == VARIANCE) found = moments.a;
            else if (property == STD) found = deviation;
            else found = deviation < 1e-15 || other < 1e-15 ? 1 : moments.c / (deviation * other);
        } else {
            found = sum_of(matrices, levels, pairs, pair, [=](double i, double j, double p) {
                return Triple{weighted(property, i, j, p / total), 0, 0};
            }).a;
            if (property == ENERGY) found = sqrt(found);
        }
        if (threadIdx.x == 0) result[pair] = found;
        __syncthreads();  // before the next matrix
    }
}
