// CENSURE's filters by octagons and stars, all scales at once.
//
// image: float or double, (rows, columns). cube: (planes, rows, columns). A filter is a list of runs: equal weights side
// by side in a row. A thread adds up four results side by side, to which a pixel goes with one product; the products
// of each result are added up in double in the order of the filter's rows, as SciPy adds them.
// One launch; the image is read from cache but once, the cube is written once.
//
// Source: scikit-image `feature.CENSURE`; SciPy ni_filters.c, NI_Correlate, with mode "reflect".
#include "common/boundary.cuh"

constexpr int RESULTS = 4;

// Weights of a row of a filter, from one place beside the middle up to another one.
struct Run {
    double weight;
    int row, first, end, unused;
};

// first: of the runs of each plane, and their number behind them; reach: how far a filter sees
template <class W>
__global__ void bilevel_filters(const W* image, const Run* runs, const i64* first, const i64* reach, W* cube, i64 rows,
                                i64 columns, i64 planes) {
    const i64 strips = (columns + RESULTS - 1) / RESULTS, plane_strips = rows * strips;
    const i64 stride = gridDim.x * (i64)blockDim.x;
    for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < planes * plane_strips; i += stride) {
        const i64 plane = i / plane_strips, y = i % plane_strips / strips, x = i % strips * RESULTS;
        const bool is_inside = x >= reach[plane] && x + RESULTS - 1 + reach[plane] < columns;
        double sums[RESULTS] = {};
        for (i64 r = first[plane]; r < first[plane + 1]; ++r) {
            const Run run = runs[r];
            const W* const row = image + boundary_index(y + run.row, rows, REFLECT) * columns;
            const int count = run.end - run.first;
            for (int c = 0; c < count + RESULTS - 1; ++c) {
                const i64 at = x + run.first + c;
                const double product =
                    rounded_product((double)row[is_inside ? at : boundary_index(at, columns, REFLECT)], run.weight);
#pragma unroll
                for (int k = 0; k < RESULTS; ++k)
                    if (c >= k && c - k < count) sums[k] += product;
            }
        }
#pragma unroll
        for (int k = 0; k < RESULTS; ++k)
            if (x + k < columns) cube[(plane * rows + y) * columns + x + k] = (W)sums[k];
    }
}
