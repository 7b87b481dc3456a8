// Structural similarity of two images: its mean and, where asked for, its image and gradient.
//
// Kernels, by what is read and what is written (W: float for float16 and float32 images, else
// double; BELL: windows weighted by a Gaussian, else equally):
//
//     similarity_images    two images            -> indices, gradient's terms, means
//     similarity_means     moments               -> the same
//     moments_images       two images            -> moments: windows along one axis
//     filtered             moments or terms      -> the same: windows along one more axis
//     gradient             terms and two images  -> gradient
//
// Images of one or two axes take similarity_images alone, which reads both once and computes
// all means in one pass through shared memory (window_means.cuh). Each further axis takes one
// launch before it. A gradient takes the same number of launches again.
//
// found: for each channel the mean of the indices inside the border, then 1.0 where a sum was
// not finite. The order of summation depends on the view and the block only.
#include "common/reduce.cuh"
#include "common/shared.cuh"
#include "metrics/similarity.cuh"

// Which elements the mean is over, and which channel a plane is of.
struct Crop {
    i64 pad, pad_rows;  // border along filtered axes; along the rows of a plane
    i64 channels, step; // channel: plane / step % channels
    i64 size[6];        // lengths of the leading axes
    i64 border[6];      // and what is left out at both of their ends
    double count;       // elements of each channel that are not left out

    __device__ bool holds(i64 plane, i64 planes) const {
        i64 rest = plane / planes;
        for (int axis = 5; axis >= 0; --axis) {
            const i64 place = rest % size[axis];
            rest /= size[axis];
            if (place < border[axis] || place >= size[axis] - border[axis]) return false;
        }
        return true;
    }
};

// What similarity_images and similarity_means write. Null pointers: not asked for.
template <class W> struct Results {
    W* index;
    Values<W, TERMS>* terms;
    double* partials;  // one number for each tile
    u32* arrived;      // one 0
    double* found;
};

constexpr int THREADS = 128;

template <bool BELL, class W, class Source>
__device__ inline void similarity(const Windows& view, const Constants& constants, const Crop& crop,
                                  const Results<W>& results, Source source) {
    DYN_SHARED(unsigned char, shared);
    __shared__ double sums[THREADS];
    const i64 strips = (view.columns + 127) / 128, chunks = (view.rows + view.chunk - 1) / view.chunk;
    const i64 tiles = strips * chunks, inside = view.between * view.inner;
    const i64 per_channel = view.outer * inside / crop.channels * tiles;
    double sum = 0.0;
    const auto take = [&](i64 index, i64 plane, i64 y, i64 x, const Values<W, MOMENTS>& means) {
        const W s = similarity_of(means, constants, results.terms ? results.terms + index : nullptr);
        if (results.index) results.index[index] = s;
        if (y >= crop.pad_rows && y < view.rows - crop.pad_rows && x >= crop.pad &&
            x < view.columns - crop.pad && crop.holds(plane, inside))
            sum += s;
    };
    const auto done = [&](i64 plane, i64 tile) {
        sums[threadIdx.x] = sum;
        block_reduce(sums, blockDim.x, [](double a, double b) { return a + b; });
        const i64 channel = plane / crop.step % crop.channels;
        const i64 rest = plane / (crop.step * crop.channels) * crop.step + plane % crop.step;
        if (threadIdx.x == 0) results.partials[channel * per_channel + rest * tiles + tile] = sums[0];
        __syncthreads();
        sum = 0.0;
    };
    for_window_means<BELL, MOMENTS, W>(shared, view, results.found + crop.channels, source, take, done);

    if (!last_block(results.arrived)) return;
    for (i64 channel = 0; channel < crop.channels; ++channel) {
        const double* const mine = results.partials + channel * per_channel;
        sum = 0.0;
        for (i64 k = threadIdx.x; k < per_channel; k += blockDim.x) sum += mine[k];
        sums[threadIdx.x] = sum;
        block_reduce(sums, blockDim.x, [](double a, double b) { return a + b; });
        if (threadIdx.x == 0) results.found[channel] = sums[0] / crop.count;
        __syncthreads();
    }
}

template <class T> struct MomentsOfImages {
    using W = typename Working<T>::type;
    const T *first, *second;
    __device__ Values<W, MOMENTS> operator()(i64 index) const {
        return moments_of((W)first[index], (W)second[index]);
    }
};

template <class V> struct Stored {
    const V* values;
    __device__ V operator()(i64 index) const { return values[index]; }
};

template <class T, bool BELL, class W = typename Working<T>::type>
__global__ void __launch_bounds__(THREADS, 3)
    similarity_images(const T* first, const T* second, const Windows view, const Constants constants,
                      const Crop crop, W* index, W* terms, double* partials, u32* arrived,
                      double* found) {
    const Results<W> results = {index, (Values<W, TERMS>*)terms, partials, arrived, found};
    similarity<BELL, W>(view, constants, crop, results, MomentsOfImages<T>{first, second});
}

template <class W, bool BELL>
__global__ void __launch_bounds__(THREADS, 3)
    similarity_means(const W* moments, const Windows view, const Constants constants, const Crop crop,
                     W* index, W* terms, double* partials, u32* arrived, double* found) {
    using V = Values<W, MOMENTS>;
    const Results<W> results = {index, (Values<W, TERMS>*)terms, partials, arrived, found};
    similarity<BELL, W>(view, constants, crop, results, Stored<V>{(const V*)moments});
}

template <class T, bool BELL, class W = typename Working<T>::type>
__global__ void __launch_bounds__(THREADS, 3)
    moments_images(const T* first, const T* second, const Windows view, W* moments, double* odd) {
    using V = Values<W, MOMENTS>;
    DYN_SHARED(unsigned char, shared);
    for_window_means<BELL, MOMENTS, W>(
        shared, view, odd, MomentsOfImages<T>{first, second},
        [&](i64 index, i64, i64, i64, const V& means) { ((V*)moments)[index] = means; },
        [](i64, i64) {});
}

template <class W, int N, bool BELL>
__global__ void __launch_bounds__(THREADS, 3)
    filtered(const W* values, const Windows view, W* result, double* odd) {
    using V = Values<W, N>;
    DYN_SHARED(unsigned char, shared);
    for_window_means<BELL, N, W>(
        shared, view, odd, Stored<V>{(const V*)values},
        [&](i64 index, i64, i64, i64, const V& means) { ((V*)result)[index] = means; },
        [](i64, i64) {});
}

// scale: 2 / elements of an image
template <class T, bool BELL, class W = typename Working<T>::type>
__global__ void __launch_bounds__(THREADS, 3)
    gradient(const W* terms, const T* first, const T* second, const Windows view, double scale,
             W* result, double* odd) {
    using V = Values<W, TERMS>;
    DYN_SHARED(unsigned char, shared);
    for_window_means<BELL, TERMS, W>(
        shared, view, odd, Stored<V>{(const V*)terms},
        [&](i64 index, i64, i64, i64, const V& means) {
            const W sum = rounded_product(means.of[0], (W)first[index]) +
                          rounded_product(means.of[1], (W)second[index]);
            result[index] = rounded_product(sum + means.of[2], (W)scale);
        },
        [](i64, i64) {});
}
