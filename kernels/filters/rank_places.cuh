// Rank filters that ask for the values in given places of the sorted window, or for what
// lies between two of them: medians and percentiles.
#pragma once
#include "filters/rank_formulas.cuh"

// Whether grey values are compared with two limits; else one is the result.
__device__ inline bool has_two_limits(const RankFormula& f) {
    return f.operation >= GRADIENT_PERCENTILE;
}

// The bins where scikit-image's sum of pixels passes `part` of them, coming from below or
// FROM_ABOVE; `nowhere` where it does not.
template <bool FROM_ABOVE, class Window>
__device__ inline void bins_at(const Window& window, const RankFormula& f, double part,
                               const int* pop, bool reached, int nowhere, int* bin) {
    int place[Window::WIDTH], inside[Window::WIDTH];
    for (int l = 0; l < Window::WIDTH; ++l) {
        place[l] = place_of(__dmul_rn(part, pop[l]), reached, pop[l]);
        if (f.operation == MEDIAN) place[l] = pop[l] / 2;
        if (f.operation == PERCENTILE && part == 1.0) place[l] = pop[l] - 1;
        inside[l] = FROM_ABOVE ? pop[l] - 1 - place[l] : place[l];
    }
    window.select(inside, f.bins, bin);
    for (int l = 0; l < Window::WIDTH; ++l) {
        if (place[l] == AT_ONCE) bin[l] = FROM_ABOVE ? f.bins - 1 : 0;
        if (place[l] == NOWHERE) bin[l] = nowhere;
    }
}

// Results of WIDTH neighbours, whose values are `grey`.
//   Window  has all(count, sum): of all values; band(low, high, count, sum): of those in
//           [low, high); select(place, bins, value): values in places of the sorted window
template <class Window>
__device__ inline void of_places(const Window& window, const RankFormula& f, const int* grey, double* value) {
    constexpr int WIDTH = Window::WIDTH;
    int pop[WIDTH], sum[WIDTH], low[WIDTH], high[WIDTH];
    window.all(pop, sum);
    const bool sums = f.operation >= POP_PERCENTILE, two = has_two_limits(f);
    const bool reached = sums || f.operation == GRADIENT_PERCENTILE || f.operation == THRESHOLD_PERCENTILE;
    const int last = f.bins - 1;
    bins_at<false>(window, f, f.p0, pop, reached, sums ? f.bins : two ? 0 : last, low);
    if (sums) {
        int count[WIDTH];
        bins_at<false>(window, f, f.p1, pop, false, f.bins, high);
        window.band(low, high, count, sum);
        for (int l = 0; l < WIDTH; ++l) value[l] = of_band(f, count[l], sum[l], grey[l]);
    } else if (two) {
        bins_at<true>(window, f, 1.0 - f.p1, pop, reached, 0, high);
        for (int l = 0; l < WIDTH; ++l)
            value[l] = pop[l] ? of_extremes(f, low[l], high[l], grey[l]) : 0.0;
    } else {
        for (int l = 0; l < WIDTH; ++l) {
            const int found = f.operation == THRESHOLD_PERCENTILE ? (grey[l] >= low[l]) * last : low[l];
            value[l] = pop[l] ? found : 0;
        }
    }
}
