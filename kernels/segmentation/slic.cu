// Superpixels by k-means in colour and place, of planes (of depth 1) and volumes.
// Kernels, in this order; the three in the middle once for each iteration:
//
//     rescale   the image as floats from 0 to 1
//     place     puts each segment into the list of the cell that its centre lies in
//     assign    each pixel goes to the nearest of the segments whose window it lies in
//     update    the mean of each segment's pixels
//     spread    of SLIC-zero, behind `update`: the largest distance of colour in each segment
//
// image: float or double (T), pixels with their channels; a centre has place (z, y, x) and channels.
// A pixel takes what lies in up to three cells along each axis, so that an iteration grows with the
// image and not with the number of segments. Of equal distances the segment that comes first is
// taken, as where one segment after the other goes over its window. A thread adds up one feature
// of one segment in raster order, over the box that holds the segment's pixels: sums are
// scikit-image's to the last bit, since every operation is rounded as it rounds it. In each
// iteration image and segments (4 bytes a pixel) are read by `assign` and by `update`, parts of
// boxes that overlap again, and segments are written once.
//
// Source: R. Achanta et al., "SLIC superpixels compared to state-of-the-art superpixel methods",
// TPAMI 34(11), 2012; C. Y. Ren, V. A. Prisacariu and I. D. Reid, "gSLICr: SLIC superpixels at over
// 250 Hz", 2015 (pixels look for segments); scikit-image `_slic_cython`.
#include "common/range.cuh"
#include "common/rounded.cuh"

constexpr int PLACES = 3;  // features of a centre before its channels
constexpr i64 MARGIN = 2;  // for places that were rounded

// What does not change from iteration to iteration.
template <class T> struct Space {
    i64 lengths[PLACES];    // depth, rows, columns
    i64 steps[PLACES];      // between the first centres; a window reaches two of them
    i64 cells[PLACES];      // along each axis
    i64 segments;
    T spacing[PLACES];
    T weight;               // of squared distances of places
    int channels;
    bool ignores_color, by_spread;  // spread: SLIC-zero

    __device__ i64 pixels() const { return lengths[0] * lengths[1] * lengths[2]; }
    __device__ i64 cell(int axis, i64 at) const {
        const i64 last = lengths[axis] - 1, inside = at < 0 ? 0 : at > last ? last : at;
        return inside / (2 * steps[axis]);
    }
};

__device__ inline float unreached(float) { return __uint_as_float(0x7f800000u); }
__device__ inline double unreached(double) { return 1.7976931348623157e308; }

// found: of `value_range`. result: as floats, from 0 to 1 where found says so.
template <class S, class T>
__global__ void rescale(const S* image, const typename RangeValue<S>::type* found, i64 n, T* result) {
    typedef NumpyArithmetic<T> A;
    const T low = img_as_float<T>(found[0]), high = img_as_float<T>(found[1]);
    const T range = A::subtract(high, low);
    for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < n; i += (i64)gridDim.x * blockDim.x) {
        const T value = A::subtract(img_as_float<T>(image[i]), low);
        result[i] = high != low ? A::divide(value, range) : value;
    }
}

// heads: of the cells' lists, 0 before; following: of each segment the next one. Segments are
// counted from 1 in them. boxes: of each segment's pixels, first and last place, here empty.
template <class T>
__global__ void place(const T* centers, const __grid_constant__ Space<T> space, int* heads, int* following, int* boxes) {
    const i64 features = PLACES + space.channels;
    for (i64 k = blockIdx.x * (i64)blockDim.x + threadIdx.x; k < space.segments; k += (i64)gridDim.x * blockDim.x) {
        i64 cell = 0;
        bool there = true;  // a segment without pixels has no place
#pragma unroll
        for (int a = 0; a < PLACES; ++a) {
            const T at = centers[k * features + a];
            there = there && at == at;
            const T low = at > (T)0 ? at : (T)0, far = (T)space.lengths[a];
            cell = cell * space.cells[a] + space.cell(a, there ? (i64)(low < far ? low : far) : 0);
            boxes[k * 2 * PLACES + a] = 0x7fffffff;
            boxes[k * 2 * PLACES + PLACES + a] = -1;
        }
        if (there) following[k] = atomicExch(&heads[cell], (int)k + 1);
    }
}

// Whether a place along an axis is in the window around a centre there.
template <class T> __device__ inline bool in_window(const Space<T>& space, int axis, T center, i64 at) {
    typedef NumpyArithmetic<T> A;
    const T reach = (T)(2 * space.steps[axis]), end = (T)space.lengths[axis];
    const T first = A::subtract(center, reach), behind = A::add(A::add(center, reach), (T)1);
    return at >= (i64)(first > (T)0 ? first : (T)0) && at < (i64)(behind < end ? behind : end);
}

// A squared distance along an axis.
template <class T> __device__ inline T apart(const Space<T>& space, int axis, T center, i64 at) {
    typedef NumpyArithmetic<T> A;
    const T distance = A::multiply(space.spacing[axis], A::subtract(center, (T)at));
    return A::multiply(distance, distance);
}

// A squared distance of colours.
template <class T> __device__ inline T between(const T* pixel, const T* color, int channels) {
    typedef NumpyArithmetic<T> A;
    T sum = 0;
    for (int c = 0; c < channels; ++c) {
        const T difference = A::subtract(pixel[c], color[c]);
        sum = A::add(sum, A::multiply(difference, difference));
    }
    return sum;
}

__device__ inline void extend(int* box, int axis, int at) {
    const volatile int* const seen = box;  // others write meanwhile
    if (at < seen[axis]) atomicMin(&box[axis], at);
    if (at > seen[PLACES + axis]) atomicMax(&box[PLACES + axis], at);
}

// nearest: the segment of each pixel, kept where no window holds it; -1 of none. mask may be null.
template <class T>
__global__ void assign(const T* image, const bool* mask, const T* centers, const T* spreads, const int* heads,
                       const int* following, const __grid_constant__ Space<T> space, int* nearest, int* boxes) {
    typedef NumpyArithmetic<T> A;
    const i64 n = space.pixels(), features = PLACES + space.channels;
    for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < n; i += (i64)gridDim.x * blockDim.x) {
        if (mask && !mask[i]) continue;
        const i64 x = i % space.lengths[2], y = i / space.lengths[2] % space.lengths[1];
        const i64 z = i / space.lengths[2] / space.lengths[1];
        const i64 rz = 2 * space.steps[0] + MARGIN, ry = 2 * space.steps[1] + MARGIN, rx = 2 * space.steps[2] + MARGIN;
        const T* const pixel = image + i * space.channels;
        T least = unreached(T());
        int found = -1;
        for (i64 cz = space.cell(0, z - rz); cz <= space.cell(0, z + rz); ++cz)
            for (i64 cy = space.cell(1, y - ry); cy <= space.cell(1, y + ry); ++cy)
                for (i64 cx = space.cell(2, x - rx); cx <= space.cell(2, x + rx); ++cx) {
                    int k = heads[(cz * space.cells[1] + cy) * space.cells[2] + cx] - 1;
                    for (; k >= 0; k = following[k] - 1) {
                        const T* const center = centers + k * features;
                        if (!in_window(space, 0, center[0], z) || !in_window(space, 1, center[1], y) ||
                            !in_window(space, 2, center[2], x))
                            continue;
                        T distance = A::add(A::add(apart(space, 0, center[0], z), apart(space, 1, center[1], y)),
                                            apart(space, 2, center[2], x));
                        distance = A::multiply(distance, space.weight);
                        if (!space.ignores_color) {
                            T color = between(pixel, center + PLACES, space.channels);
                            if (space.by_spread) color = A::divide(color, spreads[k]);
                            distance = A::add(distance, color);
                        }
                        if (distance < least || (distance == least && k < found)) {
                            least = distance;
                            found = k;
                        }
                    }
                }
        if (found >= 0)
            nearest[i] = found;
        else
            found = nearest[i];
        if (found < 0) continue;
        int* const box = boxes + found * (i64)(2 * PLACES);
        extend(box, 0, (int)z);
        extend(box, 1, (int)y);
        extend(box, 2, (int)x);
    }
}

// A thread is one feature of one segment. The cells' lists are emptied for the next iteration.
template <class T>
__global__ void update(const T* image, const int* nearest, const int* boxes, const __grid_constant__ Space<T> space,
                       T* centers, int* heads) {
    typedef NumpyArithmetic<T> A;
    const i64 features = PLACES + space.channels, n = space.segments * features;
    const i64 first = blockIdx.x * (i64)blockDim.x + threadIdx.x, threads = (i64)gridDim.x * blockDim.x;
    for (i64 t = first; t < n; t += threads) {
        const i64 k = t / features;
        const int feature = (int)(t % features), channel = feature - PLACES;
        const int* const box = boxes + k * (2 * PLACES);
        T sum = 0;
        i64 count = 0;
        for (i64 z = box[0]; z <= box[3]; ++z)
            for (i64 y = box[1]; y <= box[4]; ++y) {
                const i64 row = (z * space.lengths[1] + y) * space.lengths[2];
#pragma unroll 4
                for (i64 x = box[2]; x <= box[5]; ++x) {
                    if (nearest[row + x] != k) continue;
                    const T value = feature == 0 ? (T)z : feature == 1 ? (T)y : feature == 2 ? (T)x
                                                        : image[(row + x) * space.channels + channel];
                    sum = A::add(sum, value);
                    ++count;
                }
            }
        centers[t] = A::divide(sum, (T)count);
    }
    const i64 cells = space.cells[0] * space.cells[1] * space.cells[2];
    for (i64 c = first; c < cells; c += threads) heads[c] = 0;
}

__device__ inline void raise_to(float* most, float value) { atomicMax((int*)most, __float_as_int(value)); }
__device__ inline void raise_to(double* most, double value) { atomicMax((i64*)most, (i64)__double_as_longlong(value)); }

// spreads: of each segment, the largest so far; 1 and more, so their bits are in their order.
template <class T>
__global__ void spread(const T* image, const int* nearest, const T* centers, const __grid_constant__ Space<T> space,
                       T* spreads) {
    const i64 n = space.pixels(), features = PLACES + space.channels;
    for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < n; i += (i64)gridDim.x * blockDim.x) {
        const i64 k = nearest[i];
        if (k < 0) continue;
        const T color = between(image + i * space.channels, centers + k * features + PLACES, space.channels);
        const volatile T* const seen = spreads;  // others write meanwhile
        if (seen[k] < color) raise_to(&spreads[k], color);
    }
}
