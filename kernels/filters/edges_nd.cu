// Edge filters of 1-D images and of images with more than three axes: gradients and
// laplace, in any number of axes up to 8.
//
// What: a grid-stride loop over the elements; each reads its neighbourhood from memory
// (from cache, as a rule) and computes in double, whatever the image's dtype.
//
// Image: bool, (u)int8..64, float16/32/64; integers scaled as by img_as_float. Result:
// float for float16 and float32, else double. Mask: one byte an element, nonzero inside.
// One launch; no shared memory.
//
// Source: scikit-image `filters.edges`, SciPy `ndimage.convolve`.
#include "common/tile.cuh"

constexpr int MOST_AXES = 8;
constexpr int MOST_TAPS = 5;

struct EdgesND {
    i64 shape[MOST_AXES];
    double edge[MOST_AXES][2];  // weights of the differences along an axis, at distance 1 and 2
    double times[MOST_AXES];    // how often an axis counts; zero: not at all
    double smooth[3];           // weights at distance 0, 1, 2
    double norm;                // factor of the magnitude
    double cval;
    int ndim, radius, mode;
    int is_magnitude;           // else the gradient itself, along the one axis that counts
    int is_laplace;             // sum of second differences; the weights are not read
};

// The neighbourhood of one element: `offset[axis][radius + d]` is what a step of d along an
// axis contributes to the address, or -1 where the constant stands.
template <class T> struct Neighbourhood {
    const T* image;
    double cval;
    i64 offset[MOST_AXES][MOST_TAPS];

    __device__ double at(i64 base, i64 step) const {
        return base < 0 || step < 0 ? cval : img_as_float<double>(image[base + step]);
    }
};

// Sum over all places around the element in the axes beside `axis` of the smoothed
// difference along `axis`.
template <class T>
__device__ double gradient(const Neighbourhood<T>& around, const EdgesND& p, int axis) {
    const int taps = 2 * p.radius + 1;
    i64 places = 1;
    for (int k = 1; k < p.ndim; ++k) places *= taps;
    double sum = 0;
    for (i64 place = 0; place < places; ++place) {
        double weight = 1;
        i64 base = 0, rest = place;
        for (int k = 0; k < p.ndim; ++k) {
            if (k == axis) continue;
            const int tap = (int)(rest % taps), distance = tap - p.radius;
            rest /= taps;
            const i64 step = around.offset[k][tap];
            base = base < 0 || step < 0 ? -1 : base + step;
            weight *= p.smooth[distance < 0 ? -distance : distance];
        }
        for (int d = 1; d <= p.radius; ++d)
            sum += weight * p.edge[axis][d - 1] *
                   (around.at(base, around.offset[axis][p.radius + d]) -
                    around.at(base, around.offset[axis][p.radius - d]));
    }
    return sum;
}

template <class T> __device__ double laplacian(const Neighbourhood<T>& around, const EdgesND& p) {
    i64 here = 0;
    for (int k = 0; k < p.ndim; ++k) here += around.offset[k][1];
    const double value = around.at(here, 0);
    double sum = 0;
    for (int k = 0; k < p.ndim; ++k) {
        const i64 beside = here - around.offset[k][1];
        sum += (value - around.at(beside, around.offset[k][0])) +
               (value - around.at(beside, around.offset[k][2]));
    }
    return sum;
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
    i64 size = 1;
    for (int k = 0; k < p.ndim; ++k) size *= p.shape[k];
    Neighbourhood<T> around;
    around.image = image;
    around.cval = p.cval;
    const i64 threads = (i64)gridDim.x * blockDim.x;
    for (i64 i = (i64)blockIdx.x * blockDim.x + threadIdx.x; i < size; i += threads) {
        i64 place[MOST_AXES];
        i64 rest = i, stride = 1;
        for (int k = p.ndim - 1; k >= 0; --k) {
            place[k] = rest % p.shape[k];
            rest /= p.shape[k];
            for (int tap = 0; tap <= 2 * p.radius; ++tap) {
                const i64 index = boundary_index(place[k] + tap - p.radius, p.shape[k], p.mode);
                around.offset[k][tap] = index < 0 ? -1 : index * stride;
            }
            stride *= p.shape[k];
        }
        double value = 0;
        if (p.is_laplace) {
            value = laplacian(around, p);
        } else {
            for (int k = 0; k < p.ndim; ++k)
                if (p.times[k] != 0) {
                    const double along = gradient(around, p, k);
                    value += p.is_magnitude ? p.times[k] * (along * along) : along;
                }
            if (p.is_magnitude) value = sqrt(value) * p.norm;
        }
        if (MASKED) value *= eroded_nd(mask, p, place) ? 1.0 : 0.0;
        result[i] = (typename Working<T>::type)value;
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
