// Rank filters that ask for the values in given places of the sorted window, or for what
// lies between two of them: medians and percentiles.
#pragma once
#include "filters/rank_formulas.cuh"

// Whether grey values are compared with two limits; else one is the result.
__device__ inline bool has_two_limits(const RankFormula& f) {
    return f.operation >= GRADIENT_PERCENTILE;
}

// Of a window of `pop` values, the place where a share of them ends: of the latest window that a thread
// has had, since most have as many values.
struct LatestPlace {
    int pop = -1, place = 0;

    __device__ int of(double share, bool reached, int values) {
        if (values != pop) {
            pop = values;
            place = place_of(__dmul_rn(share, values), reached, values);
        }
        return place;
    }
};
struct LatestPlaces {
    LatestPlace low, high;
};

// The bins where scikit-image's sum of pixels passes `part` of them, coming from below or
// FROM_ABOVE; `nowhere` where it does not.
template <bool FROM_ABOVE, class Window>
__device__ inline void bins_at(const Window& window, const RankFormula& f, double part,
                               const int* pop, bool reached, int nowhere, LatestPlace& latest,
                               int* bin) {
    int place[Window::WIDTH], inside[Window::WIDTH];
    for (int l = 0; l < Window::WIDTH; ++l) {
        if (f.operation == MEDIAN)
            place[l] = pop[l] / 2;
        else if (f.operation == PERCENTILE && part == 1.0)
            place[l] = pop[l] - 1;
        else
            place[l] = latest.of(part, reached, pop[l]);
        inside[l] = FROM_ABOVE ? pop[l] - 1 - place[l] : place[l];
    }
    window.select(inside, f.bins, bin);
    for (int l = 0; l < Window::WIDTH; ++l) {
        if (place[l] == AT_ONCE) bin[l] = FROM_ABOVE ? f.bins - 1 : 0;
        if (place[l] == NOWHERE) bin[l] = nowhere;
    }
}

// Puts the results of WIDTH pixels, whose values are `greys`.
//   Window  has all(count): of all values; band(low, high, count, sum): of those in
//           [low, high); select(place, bins, value): values in places of the sorted window
template <class Window, class Greys>
__device__ inline void of_places(const Window& window, const RankFormula& f, const Greys& greys, LatestPlaces& latest,
                                 const RankResults& results) {
    constexpr int WIDTH = Window::WIDTH;
    int pop[WIDTH], low[WIDTH], high[WIDTH];
    window.all(pop);
    const bool sums = f.operation >= POP_PERCENTILE, two = has_two_limits(f);
    const bool reached = sums || f.operation == GRADIENT_PERCENTILE || f.operation == THRESHOLD_PERCENTILE;
    const int last = f.bins - 1;
    bins_at<false>(window, f, f.p0, pop, reached, sums ? f.bins : two ? 0 : last, latest.low, low);
    if (sums) {
        int count[WIDTH], sum[WIDTH];
        bins_at<false>(window, f, f.p1, pop, false, f.bins, latest.high, high);
        window.band(low, high, count, sum);
        results.put_bands(f, count, sum, greys);
    } else if (two) {
        bins_at<true>(window, f, 1.0 - f.p1, pop, reached, 0, latest.high, high);
        for (int l = 0; l < WIDTH; ++l)
            if (!pop[l]) high[l] = -1;
        results.put_extremes(f, low, high, greys);
    } else {
        int value[WIDTH];
        if (f.operation == THRESHOLD_PERCENTILE)
            each(pop, [&](int l) { return (greys[l] >= low[l]) * last; }, value);
        else
            each(pop, [&](int l) { return low[l]; }, value);
        results.put(value);
    }
}
