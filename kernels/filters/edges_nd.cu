// Edge filters of 1-D images and of images with more than three axes: gradients and
// laplace, in any number of axes up to 8.
//
// What: a thread computes LANES neighbours in the last axis. For each place around them in
// the other axes it reads the line of elements there (from cache, as a rule), smooths and
// differentiates it along the last axis, and adds it to the gradients along all axes.
// Computed in double, whatever the image's dtype: nothing is lost to cancellation.
//
// Image: bool, (u)int8..64, float16/32/64; integers scaled as by img_as_float. Result:
// float for float16 and float32, else double. Mask: one byte an element, nonzero inside.
// One launch; no shared memory.
//
// Source: scikit-image `filters.edges`, SciPy `ndimage.convolve`.
#include "common/tile.cuh"

constexpr int MOST_AXES = 8;
constexpr int MOST_RADIUS = 2;
constexpr int MOST_TAPS = 2 * MOST_RADIUS + 1;

struct EdgesND {
    i64 shape[MOST_AXES];
    double edge[MOST_AXES][MOST_RADIUS];  // weights of the differences at distance 1 and 2
    double times[MOST_AXES];              // how often an axis counts; zero: not at all
    double smooth[MOST_RADIUS + 1];       // weights at distance 0, 1, 2
    double norm;                          // factor of the magnitude
    double cval;
    int ndim, radius, mode;
    int is_magnitude;  // else the gradient itself, along the one axis that counts
    int is_laplace;    // sum of second differences; the weights are not read
};

// Where the neighbours of one thread's elements are: `offset[axis][radius + d]` is what a
// step of d along one of the outer axes contributes to the address, `column[radius + d + l]`
// what a step of d along the last axis does for lane l; -1 where the constant stands.
template <class T> struct Neighbourhood {
    const T* image;
    double cval;
    int width;        // columns
    bool contiguous;  // all columns are inside the image
    i64 offset[MOST_AXES][MOST_TAPS];
    i64 column[LANES + 2 * MOST_RADIUS];

    // The columns of the line at `base`, or the constant where base is -1.
    __device__ void load(double* line, i64 base) const {
        if (base >= 0 && contiguous) {
            const T* const first = image + base + column[0];
            for (int j = 0; j < width; ++j) line[j] = img_as_float<double>(first[j]);
        } else {
            for (int j = 0; j < width; ++j)
                line[j] = base < 0 || column[j] < 0 ? cval
                                                    : img_as_float<double>(image[base + column[j]]);
        }
    }
};

// The places around a thread's elements in the outer axes, counted like an odometer.
// base[k] and weight[k] are what the first k axes contribute, so that a step does anew
// only what it changes.
template <class T> struct Odometer {
    const Neighbourhood<T>& around;
    const EdgesND& p;
    int tap[MOST_AXES] = {};
    i64 base[MOST_AXES] = {0};
    double weight[MOST_AXES] = {1};

    __device__ Odometer(const Neighbourhood<T>& around, const EdgesND& p) : around(around), p(p) {
        update(0);
    }
    __device__ int distance(int axis) const { return tap[axis] - p.radius; }
    __device__ void update(int changed) {
        for (int k = changed; k < p.ndim - 1; ++k) {
            const i64 step = around.offset[k][tap[k]];
            base[k + 1] = base[k] < 0 || step < 0 ? -1 : base[k] + step;
            weight[k + 1] = weight[k] * p.smooth[distance(k) < 0 ? -distance(k) : distance(k)];
        }
    }
    // Whether there is a further place.
    __device__ bool next() {
        for (int k = p.ndim - 2; k >= 0; --k) {
            if (++tap[k] <= 2 * p.radius) {
                update(k);
                return true;
            }
            tap[k] = 0;
        }
        return false;
    }
};

template <class T>
__device__ void gradients(double* value, const Neighbourhood<T>& around, const EdgesND& p) {
    const int last = p.ndim - 1, radius = p.radius;
    double sum[MOST_AXES][LANES];
    for (int k = 0; k < p.ndim; ++k)
        for (int l = 0; l < LANES; ++l) sum[k][l] = 0;
    Odometer<T> place(around, p);
    do {
        double line[LANES + 2 * MOST_RADIUS], smoothed[LANES];
        around.load(line, place.base[last]);
        const double weight = place.weight[last];
        if (p.times[last] != 0)
            for (int d = 1; d <= radius; ++d) {
                const double factor = weight * p.edge[last][d - 1];
#pragma omp simd
                for (int l = 0; l < LANES; ++l)
                    sum[last][l] += factor * (line[radius + l + d] - line[radius + l - d]);
            }
        for (int l = 0; l < LANES; ++l) smoothed[l] = p.smooth[0] * line[radius + l];
        for (int d = 1; d <= radius; ++d)
#pragma omp simd
            for (int l = 0; l < LANES; ++l)
                smoothed[l] += p.smooth[d] * (line[radius + l - d] + line[radius + l + d]);
        for (int k = 0; k < last; ++k) {
            const int d = place.distance(k);
            if (p.times[k] == 0 || d == 0) continue;
            // along k the difference takes the place of the smoothing
            const double factor = d > 0 ? weight / p.smooth[d] * p.edge[k][d - 1]
                                        : -weight / p.smooth[-d] * p.edge[k][-d - 1];
#pragma omp simd
            for (int l = 0; l < LANES; ++l) sum[k][l] += factor * smoothed[l];
        }
    } while (place.next());
    for (int l = 0; l < LANES; ++l) value[l] = 0;
    for (int k = 0; k < p.ndim; ++k)
        if (p.times[k] != 0)
            for (int l = 0; l < LANES; ++l)
                value[l] += p.is_magnitude ? p.times[k] * (sum[k][l] * sum[k][l]) : sum[k][l];
    if (p.is_magnitude)
        for (int l = 0; l < LANES; ++l) value[l] = sqrt(value[l]) * p.norm;
}

template <class T>
__device__ void laplacian(double* value, const Neighbourhood<T>& around, const EdgesND& p) {
    const int last = p.ndim - 1;
    double line[LANES + 2 * MOST_RADIUS], before[LANES + 2 * MOST_RADIUS];
    double after[LANES + 2 * MOST_RADIUS];
    i64 here = 0;
    for (int k = 0; k < last; ++k) here += around.offset[k][1];
    around.load(line, here);
    for (int l = 0; l < LANES; ++l)
        value[l] = (line[l + 1] - line[l]) + (line[l + 1] - line[l + 2]);
    for (int k = 0; k < last; ++k) {
        const i64 beside = here - around.offset[k][1];
        const i64 down = around.offset[k][0], up = around.offset[k][2];
        around.load(before, down < 0 ? -1 : beside + down);
        around.load(after, up < 0 ? -1 : beside + up);
        for (int l = 0; l < LANES; ++l)
            value[l] += (line[l + 1] - before[l + 1]) + (line[l + 1] - after[l + 1]);
    }
}

// Whether all 3^ndim elements around the one at `place` are inside the mask; beyond the
// image's border nothing is.
__device__ inline bool eroded_nd(const u8* mask, const EdgesND& p, const i64* place) {
    int neighbours = 1;
    for (int k = 0; k < p.ndim; ++k) {
        if (place[k] == 0 || place[k] == p.shape[k] - 1) return false;
        neighbours *= 3;
    }
    for (int n = 0; n < neighbours; ++n) {
        i64 index = 0;
        int rest = n, scale = neighbours;
        for (int k = 0; k < p.ndim; ++k) {
            scale /= 3;
            index = index * p.shape[k] + place[k] + rest / scale - 1;
            rest %= scale;
        }
        if (mask[index] == 0) return false;
    }
    return true;
}

template <bool MASKED, class T>
__device__ inline void filter_nd(const T* image, const u8* mask, typename Working<T>::type* result,
                                 const EdgesND& p) {
    const int last = p.ndim - 1;
    const i64 nx = p.shape[last], groups = (nx + LANES - 1) / LANES;
    i64 items = groups;
    for (int k = 0; k < last; ++k) items *= p.shape[k];
    Neighbourhood<T> around;
    around.image = image;
    around.cval = p.cval;
    around.width = LANES + 2 * p.radius;
    const i64 threads = (i64)gridDim.x * blockDim.x;
    for (i64 i = (i64)blockIdx.x * blockDim.x + threadIdx.x; i < items; i += threads) {
        i64 place[MOST_AXES];
        const i64 x0 = i % groups * LANES;
        i64 rest = i / groups, stride = nx;
        i64 address = rest * nx + x0;
        for (int k = last - 1; k >= 0; --k) {
            place[k] = rest % p.shape[k];
            rest /= p.shape[k];
            for (int tap = 0; tap <= 2 * p.radius; ++tap) {
                const i64 index = boundary_index(place[k] + tap - p.radius, p.shape[k], p.mode);
                around.offset[k][tap] = index < 0 ? -1 : index * stride;
            }
            stride *= p.shape[k];
        }
        around.contiguous = x0 >= p.radius && x0 + LANES + p.radius <= nx;
        for (int j = 0; j < around.width; ++j)
            around.column[j] = around.contiguous ? x0 - p.radius + j
                                                 : boundary_index(x0 - p.radius + j, nx, p.mode);
        double value[LANES];
        if (p.is_laplace) {
            laplacian(value, around, p);
        } else {
            gradients(value, around, p);
        }
        for (int l = 0; l < LANES; ++l) {
            place[last] = x0 + l;
            if (place[last] >= nx) break;
            if (MASKED) value[l] *= eroded_nd(mask, p, place) ? 1.0 : 0.0;
            result[address + l] = (typename Working<T>::type)value[l];
        }
    }
}

template <class T>
__global__ void edges_nd(const T* image, typename Working<T>::type* result,
                         const __grid_constant__ EdgesND parameters) {
    filter_nd<false>(image, nullptr, result, parameters);
}

template <class T>
__global__ void edges_nd_masked(const T* image, const u8* mask, typename Working<T>::type* result,
                                const __grid_constant__ EdgesND parameters) {
    filter_nd<true>(image, mask, result, parameters);
}
