// Piecewise linear function of each element, as numpy.interp: between `count` nodes that
// lie about evenly; beyond them the first and the last value.
//
// image: n elements of a floating type, any alignment; result: float of binary16 and
// float, else double. nodes, values, slopes: `count` doubles each, nodes increasing; the
// slope of the last is not looked at. They are computed in double.
//
// One launch; the image is read once, the result written once, the nodes read once by
// each block where they fit into shared memory (`in_shared`).
// Method: numpy.interp (binary_search_with_guess), with the guess of even nodes. As there, slopes
// may be infinite or NaN: then the other node is tried.
#include "common/points.cuh"
#include "common/shared.cuh"

template <class T, class U>
__global__ void interpolate(const T* image, i64 n, const double* nodes, const double* values,
                            const double* slopes, int count, bool in_shared, U* result) {
    const double first = nodes[0], last = nodes[count - 1];
    const double before = values[0], after = values[count - 1];
    const double scale = count > 1 ? (double)(count - 1) / (last - first) : 0.0;
    const auto run = [&](const double* x, const double* y, const double* slope) {
        for_points(image, result, n, [=](T item) {
            const double value = (double)item;
            if (!(value > first)) return (U)(value != value ? value : before);
            if (value >= last) return (U)after;
            const double guess = (value - first) * scale;  // infinite among the least of numbers
            int k = guess < count - 2 ? (int)guess : count - 2;
            while (value < x[k]) --k;
            while (value >= x[k + 1]) ++k;
            if (value == x[k]) return (U)y[k];
            double made = slope[k] * (value - x[k]) + y[k];
            if (made != made) made = slope[k] * (value - x[k + 1]) + y[k + 1];
            return (U)(made != made && y[k] == y[k + 1] ? y[k] : made);
        });
    };
    if (in_shared) {
        DYN_SHARED(double, here);
        for (int k = threadIdx.x; k < count; k += blockDim.x) {
            here[k] = nodes[k];
            here[count + k] = values[k];
            here[2 * count + k] = slopes[k];
        }
        __syncthreads();
        run(here, here + count, here + 2 * count);
    } else {
        run(nodes, values, slopes);
    }
}
