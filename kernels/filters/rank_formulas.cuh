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
template <class Value, class I> __device__ inline Value quotient(I a, I b) {
    return is_whole<Value>() ? (Value)(a / b) : (Value)a / b;
}

// A grey value on the scale between two; as of a type with fewer bits, where it does not fit.
template <class Value> __device__ inline Value stretched(const RankFormula& f, int low, int high, int grey) {
    if (!is_whole<Value>()) return trunc((double)(f.bins - 1) * (grey - low) / (high - low));
    const u32 above = (u32)(f.bins - 1) * (u32)(grey < low ? low - grey : grey - low) / (u32)(high - low);
    return (int)(grey < low ? 0 - above : above);
}

// Results of a thread: value[l] is formula(l), but 0 where no pixel counts.
template <class Value, int WIDTH, class Formula>
__device__ inline void each(const int* pop, const Formula& formula, Value (&value)[WIDTH]) {
    for (int l = 0; l < WIDTH; ++l) value[l] = pop[l] > 0 ? formula(l) : 0;
}

// From the numbers of values in bands and their sums; greys[l] are the centres' values.
//   Value  int, of results that are integers, or double
template <class Value, int WIDTH, class Greys>
__device__ inline void of_bands(const RankFormula& f, const int* count, const int* sum, const Greys& greys,
                                Value (&value)[WIDTH]) {
    const int middle = f.bins / 2;
    u32 divisor[WIDTH];
    for (int l = 0; l < WIDTH; ++l) divisor[l] = count[l] > 0 ? count[l] : 1;
    switch (f.operation) {
        case POP:
        case POP_BILATERAL:
        case POP_PERCENTILE: return each(count, [&](int l) { return count[l]; }, value);
        case SUM:
        case SUM_BILATERAL:
        case SUM_PERCENTILE: return each(count, [&](int l) { return sum[l]; }, value);
        case MEAN: return each(count, [&](int l) { return quotient<Value>((u32)sum[l], divisor[l]); }, value);
        case SUBTRACT_MEAN:
            if (!is_whole<Value>())
                return each(count, [&](int l) {
                    return (greys[l] - quotient<Value>((u32)sum[l], divisor[l])) / 2 + middle - 1;
                }, value);
            return each(count, [&](int l) {
                const int pop = divisor[l];
                return quotient<Value>((greys[l] + 2 * (middle - 1)) * pop - sum[l], 2 * pop);
            }, value);
        case THRESHOLD: return each(count, [&](int l) { return greys[l] * count[l] > sum[l]; }, value);
        case SUBTRACT_MEAN_PERCENTILE:
            return each(count, [&](int l) {
                return quotient<Value>(greys[l] - (int)((u32)sum[l] / divisor[l]) + 2 * middle, 2);
            }, value);
        default:  // MEAN_BILATERAL, MEAN_PERCENTILE
            return each(count, [&](int l) { return (int)((u32)sum[l] / divisor[l]); }, value);
    }
}

// From the smallest and the largest values; below 0 where no pixel counts.
template <class Value, int WIDTH, class Greys>
__device__ inline void of_extremes(const RankFormula& f, const int* low, const int* high, const Greys& greys,
                                   Value (&value)[WIDTH]) {
    int pop[WIDTH];
    for (int l = 0; l < WIDTH; ++l) pop[l] = high[l] >= 0;
    switch (f.operation) {
        case MINIMUM: return each(pop, [&](int l) { return low[l]; }, value);
        case MAXIMUM: return each(pop, [&](int l) { return high[l]; }, value);
        case GRADIENT:
        case GRADIENT_PERCENTILE: return each(pop, [&](int l) { return high[l] - low[l]; }, value);
        case ENHANCE_CONTRAST:
        case ENHANCE_CONTRAST_PERCENTILE:
            return each(pop, [&](int l) {
                const int grey = greys[l];
                return high[l] - grey < grey - low[l] ? high[l] : low[l];
            }, value);
        case AUTOLEVEL:
            return each(pop, [&](int l) {
                return high[l] > low[l] ? stretched<Value>(f, low[l], high[l], greys[l]) : 0;
            }, value);
        default:  // AUTOLEVEL_PERCENTILE
            return each(pop, [&](int l) -> Value {
                if (high[l] <= low[l]) return high[l] - low[l];
                const int grey = greys[l];
                return stretched<Value>(f, low[l], high[l], grey < low[l] ? low[l] : grey > high[l] ? high[l] : grey);
            }, value);
    }
}

// Where a thread's results go, as many as are in the image.
struct RankResults {
    u8* results;
    int type;   // as RankFormula has it
    i64 place;  // of the first
    int left;   // columns from there on

    // As C casts it: towards zero, then the low bits. Value: int or double.
    template <class Value, int WIDTH> __device__ void put(const Value (&value)[WIDTH]) const {
        if (type == 2)
            put_as<double>(value);
        else if (type == 1)
            put_as<u16>(value);
        else
            put_as<u8>(value);
    }
    template <class Value> __device__ void put_one(Value value) const {
        const Value one[1] = {value};
        put(one);
    }
    template <int WIDTH, class Greys>
    __device__ void put_bands(const RankFormula& f, const int (&count)[WIDTH], const int* sum, const Greys& greys) const {
        if (type == 2) {
            double value[WIDTH];
            of_bands(f, count, sum, greys, value);
            put_as<double>(value);
        } else {
            int value[WIDTH];
            of_bands(f, count, sum, greys, value);
            put(value);
        }
    }
    template <int WIDTH, class Greys>
    __device__ void put_extremes(const RankFormula& f, const int (&low)[WIDTH], const int* high, const Greys& greys) const {
        if (type == 2) {
            double value[WIDTH];
            of_extremes(f, low, high, greys, value);
            put_as<double>(value);
        } else {
            int value[WIDTH];
            of_extremes(f, low, high, greys, value);
            put(value);
        }
    }

private:
    template <class Out, class Value, int WIDTH> __device__ void put_as(const Value (&value)[WIDTH]) const {
        Out* const at = reinterpret_cast<Out*>(results) + place;
        for (int l = 0; l < WIDTH; ++l)
            if (place_at(l) < left) at[place_at(l)] = (Out)0.5 != 0 ? (Out)value[l] : (Out)(i64)value[l];
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
