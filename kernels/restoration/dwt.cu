// Discrete wavelet transforms, one axis a launch, and what thresholds are made of.
//
//   split            approximations and details along an axis, of all bands so far
//   joined           the way back along an axis, of details that are shrunk while they are read
//   squares          sum of the squares of a band, added as NumPy adds them
//
// Bands lie one after the other: of two axes approximations, details along the last, along the first, both.
// Images mirror at their borders ("symmetric"). Each launch reads what there is once and writes as much.
// Products are added up in PyWavelets' order, which at an image's end begins with what lies beyond it, the
// nearest element first.
//
// taps: `length` numbers of the low pass, then as many of the high pass. W: float or double.
// Method: S. Mallat, A theory for multiresolution signal decomposition: the wavelet representation, 1989;
// downsampling_convolution and upsampling_convolution_valid_sf of PyWavelets.
#include "common/pairwise.cuh"

__device__ inline i64 mirrored(i64 place, i64 n) {
    if (place >= 0 && place < n) return place;
    place %= 2 * n;
    if (place < 0) place += 2 * n;
    return place < n ? place : 2 * n - 1 - place;
}

// image: bands x outer x n x inner; coefficients: bands x 2 x outer x halved(n) x inner.
template <class W>
__global__ void split(const W* image, i64 bands, i64 outer, i64 n, i64 inner, const W* taps, int length, W* coefficients) {
    const i64 many = (n + length - 1) / 2, each = outer * many * inner;
    const Span span = block_span(bands * each, 1);
    for (i64 i = span.begin + threadIdx.x; i < span.end; i += blockDim.x) {
        const i64 band = i / each, within = i % each;
        const i64 k = within / inner % many;
        const W* line = image + (band * outer + within / inner / many) * n * inner + within % inner;
        const i64 last = 2 * k + 1, beyond = last - n + 1;
        W low = 0, high = 0;
        for (int j = 0; j < length; ++j) {
            const i64 most = beyond < length ? beyond : length;
            const int tap = j < most ? (int)(beyond - 1 - j) : j;
            const W value = line[mirrored(last - tap, n) * inner];
            low += rounded_product(taps[tap], value);
            high += rounded_product(taps[length + tap], value);
        }
        W* const found = coefficients + band * 2 * each + within;
        found[0] = low;
        found[each] = high;
    }
}

enum { NONE, SOFT, HARD, GREATER, LESS, GARROTE };

// As pywt.threshold in NumPy's arithmetic.
template <class W> __device__ inline W shrunk(W value, double given, int mode) {
    const W threshold = (W)given;
    const W size = fabs(value);
    if (mode == SOFT || mode == GARROTE) {
        W kept = mode == SOFT ? 1 - threshold / size
                              : 1 - rounded_product(threshold, threshold) / rounded_product(size, size);
        if (kept < 0) kept = 0;
        return value * kept;
    }
    if (mode == HARD) return size < given ? 0 : value;
    if (mode == GREATER) return value < given ? 0 : value;
    if (mode == LESS) return value > given ? 0 : value;
    return value;
}

// coefficients: bands x 2 x outer x n x inner, of which the first is in `first` instead; image: bands x outer
// x (2 n - length + 2) x inner. thresholds: one for each of the 2 x bands, of which the first is not shrunk.
// mode: NONE for what has been shrunk. V: double where NumPy has a threshold in double make double of it.
template <class W, class V>
__global__ void joined(const W* coefficients, const V* first, i64 bands, i64 outer, i64 n, i64 inner, const V* taps,
                       int length, const double* thresholds, int mode, V* image) {
    const i64 many = 2 * n - length + 2, each = outer * many * inner, of_band = outer * n * inner;
    const Span span = block_span(bands * each, 1);
    for (i64 i = span.begin + threadIdx.x; i < span.end; i += blockDim.x) {
        const i64 band = i / each, within = i % each;
        const i64 k = within / inner % many;
        const i64 line = within / inner / many * n * inner + within % inner;
        V total = 0;
        for (int half = 0; half < 2; ++half) {
            const i64 number = 2 * band + half;
            const double threshold = mode == NONE ? 0 : thresholds[number];
            V sum = 0;
            for (int j = 0; j < length / 2; ++j) {
                const i64 place = line + (k / 2 + length / 2 - 1 - j) * inner;
                const V value = number ? shrunk<V>((V)coefficients[number * of_band + place], threshold, mode)
                                       : first[place];
                sum += rounded_product(taps[half * length + 2 * j + (int)(k % 2)], value);
            }
            total += sum;
        }
        image[i] = total;
    }
}

template <class W> struct Squares {
    W value;
    __device__ Squares operator+(const Squares& other) const { return {value + other.value}; }
};

template <class W>
__global__ void squares(const W* band, i64 n, int depth, int halves, void* partials, u32* arrived, W* total) {
    __shared__ Squares<W> sums[PairwiseSum<Squares<W>>::SHARED];
    PairwiseSum<Squares<W>>{n, depth, halves, sums, (Squares<W>*)partials, arrived}.run(
        [=](Squares<W> sum, i64 first, int count, int step) {
            for (int k = 0; k < count; ++k) {
                const W value = band[first + (i64)k * step];
                sum.value += rounded_product(value, value);
            }
            return sum;
        },
        [=](Squares<W> sum) { *total = sum.value; });
}
