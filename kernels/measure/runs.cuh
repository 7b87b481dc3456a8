// An image of labels as runs: equal pixels side by side in a row. Sorted by label, and in raster order
// where labels are equal, runs are a list of the sorted pixels.
#pragma once
#include "measure/regions.cuh"

template <class Index> struct Runs {
    const Index* firsts;  // the first pixel of each run
    const i64* places;    // its place among the sorted pixels; one more, their number
    i64 count;
};

// Goes through sorted pixels.
template <class Index> class Walk {
  public:
    // i:  the place that the walk begins at
    __device__ Walk(const Runs<Index>& runs, i64 i) : runs(runs), run(part_of(runs.places, runs.count, i)) { enter(); }

    // The pixel at place i, which is one more each time.
    __device__ Index operator()(i64 i) {
        if (i == end) {
            ++run;
            enter();
        }
        return (Index)i + offset;
    }

  private:
    const Runs<Index>& runs;
    i64 run, end;
    Index offset;

    __device__ void enter() {
        offset = runs.firsts[run] - (Index)runs.places[run];
        end = runs.places[run + 1];
    }
};
