// The rank filters of scikit-image, as numbers that are gathered in a window (a template
// parameter of the kernel) and formulas that make a grey value of them (chosen at run time).
//
// Source: scikit-image, skimage/filters/rank/{generic,percentile,bilateral}_cy.pyx; casts
// and integer divisions are those of C.
#pragma once
#include "filters/rank_window.cuh"

// What a kernel gathers.
enum RankStatistic {
    BAND,      // number and sum of the values in a band
    EXTREMES,  // smallest and largest
    BELOW,     // number of values up to the centre's
    NEXT,      // values next to the centre's
    PRODUCT,   // sum of logarithms
    PLACES,    // values in given places of the sorted window, and a band between two
    PAIRS      // how often each value occurs, and what is below it
};

// The same numbers as in functions/filters/rank/_plans.py.
enum RankOperation {
    POP, SUM, MEAN, SUBTRACT_MEAN, THRESHOLD,
    POP_BILATERAL, SUM_BILATERAL, MEAN_BILATERAL,
    MINIMUM, MAXIMUM, GRADIENT, ENHANCE_CONTRAST, AUTOLEVEL,
    EQUALIZE, NOISE_FILTER, GEOMETRIC_MEAN,
    MEDIAN, PERCENTILE, THRESHOLD_PERCENTILE,
    GRADIENT_PERCENTILE, ENHANCE_CONTRAST_PERCENTILE, AUTOLEVEL_PERCENTILE,
    POP_PERCENTILE, SUM_PERCENTILE, MEAN_PERCENTILE, SUBTRACT_MEAN_PERCENTILE,
    ENTROPY, MODAL, OTSU, WINDOWED_HISTOGRAM
};

// Quotients as a result's type has them: of what becomes an integer towards zero there is no need of
// the double, since none is nearer to an integer than the quotient that it was rounded from.
template <class Value> __device__ constexpr bool is_whole() { return (Value)0.5 == 0; }
template <class Value> __device__ inline Value quotient(int a, int b) { return (Value)a / b; }

// From the number of values in a band and their sum; `grey` is the centre's value.
//   Value  int, of results that are integers, or double
template <class Value>
__device__ inline Value of_band(const RankFormula& f, int count, int sum, int grey) {
    if (!count) return 0;
    const int middle = f.bins / 2;
    switch (f.operation) {
        case POP:
        case POP_BILATERAL:
        case POP_PERCENTILE: return count;
        case SUM:
        case SUM_BILATERAL:
        case SUM_PERCENTILE: return sum;
        case MEAN: return quotient<Value>(sum, count);
        case SUBTRACT_MEAN:
            if (!is_whole<Value>()) return (grey - quotient<Value>(sum, count)) / 2 + middle - 1;
            return quotient<Value>((grey + 2 * (middle - 1)) * count - sum, 2 * count);
        case THRESHOLD: return grey * count > sum;
        case SUBTRACT_MEAN_PERCENTILE: return quotient<Value>(grey - sum / count + 2 * middle, 2);
        default: return sum / count;  // MEAN_BILATERAL, MEAN_PERCENTILE
    }
}

// A grey value on the scale between two; as of a type with fewer bits, where it does not fit.
template <class Value> __device__ inline Value stretched(const RankFormula& f, int low, int high, int grey) {
    if (!is_whole<Value>()) return trunc((double)(f.bins - 1) * (grey - low) / (high - low));
    const u32 above = (u32)(f.bins - 1) * (u32)(grey < low ? low - grey : grey - low) / (u32)(high - low);
    return (int)(grey < low ? 0 - above : above);
}

// From the smallest and the largest value.
template <class Value>
__device__ inline Value of_extremes(const RankFormula& f, int low, int high, int grey) {
    switch (f.operation) {
        case MINIMUM: return low;
        case MAXIMUM: return high;
        case GRADIENT:
        case GRADIENT_PERCENTILE: return high - low;
        case ENHANCE_CONTRAST:
        case ENHANCE_CONTRAST_PERCENTILE: return high - grey < grey - low ? high : low;
        case AUTOLEVEL: return high > low ? stretched<Value>(f, low, high, grey) : 0;
        default:  // AUTOLEVEL_PERCENTILE
            if (high <= low) return high - low;
            return stretched<Value>(f, low, high, grey < low ? low : grey > high ? high : grey);
    }
}

// Where a thread's results go, as many as are in the image.
struct RankResults {
    u8* results;
    int type;   // as RankFormula has it
    i64 place;  // of the first
    int left;   // columns from there on

    // As C casts it: towards zero, then the low bits. Value: int or double.
    template <class Value> __device__ void put(int l, Value value) const {
        if (place_at(l) >= left) return;
        u8* const at = results + ((place + place_at(l)) << (type == 2 ? 3 : type));
        if (type == 2)
            *reinterpret_cast<double*>(at) = value;
        else if (type == 1)
            *reinterpret_cast<u16*>(at) = (u16)(i64)value;
        else
            *at = (u8)(i64)value;
    }
    __device__ void put_band(int l, const RankFormula& f, int count, int sum, int grey) const {
        if (type == 2)
            put(l, of_band<double>(f, count, sum, grey));
        else
            put(l, of_band<int>(f, count, sum, grey));
    }
    __device__ void put_extremes(int l, const RankFormula& f, int low, int high, int grey) const {
        if (type == 2)
            put(l, of_extremes<double>(f, low, high, grey));
        else
            put(l, of_extremes<int>(f, low, high, grey));
    }
};

// scikit-image's sums along a histogram stop at the first bin up to which there are more
// than `share` pixels (`reached`: at least as many). That is bin 0 where no pixel is
// needed, or the value in a place of the sorted window; NOWHERE where there are too few.
constexpr int AT_ONCE = -1, NOWHERE = 0x7fffffff;

__device__ inline int place_of(double share, bool reached, int pop) {
    if (share < 0 || (reached && share == 0)) return AT_ONCE;
    const double place = reached ? ceil(share) - 1 : floor(share);
    return place < pop ? (int)place : NOWHERE;
}

// Whether a value that occurs makes a better threshold than `best`, as the sums up to it tell.
//   count, sum   of the values up to `value`, which is above 0
//   pop, total   of all values
struct Split {
    double variance;
    int value;

    __device__ void consider(int at, int count, int sum, int pop, int total) {
        if (at < 1 || count >= pop) return;
        const double rest = pop - count;
        const double t = __dsub_rn(__dmul_rn(rest, sum), (double)(total - sum) * count);
        const double between = __ddiv_rn(__dmul_rn(t, t), count * rest);
        if (between > variance || (between == variance && variance > 0 && at < value)) {
            variance = between;
            value = at;
        }
    }
};
