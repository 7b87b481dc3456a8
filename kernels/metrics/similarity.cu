// Structural similarity of two images: its mean and, where asked for, its image and gradient.
//
// Kernels, by what is read and what is written (W: float for float16 and float32 images, else
// double; BELL: windows weighted by a Gaussian, else equally):
//
//     similarity_images    two images            -> indices, gradient's terms, means
//     similarity_integers  two images            -> indices, means
//     similarity_means     moments               -> the same
//     moments_images       two images            -> moments: windows along one axis
//     filtered             moments or terms      -> the same: windows along one more axis
//     gradient             terms and two images  -> gradient
//
// Images of one or two axes take similarity_images alone, which reads both once and computes
// all means in one pass through shared memory (window_means.cuh). Each further axis takes one
// launch before it. A gradient takes the same number of launches again. similarity_integers does
// images of up to 16 bits in integers, without double, where windows weigh equally and are so small
// that what is made of their sums stays below 2^47.
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
constexpr int BLOCKS = IN_FLOATS || RESIDENT < 4 ? 3 : 4;  // to be resident; sums in two floats take more registers

// similarity: Number(Values<M, MOMENTS> means, i64 index), the index of an element
template <bool BELL, class M, class W, class Source, class Similarity>
__device__ inline void similarity(const Windows& view, const Crop& crop, const Results<W>& results,
                                  Source source, Similarity similarity_at) {
    typedef typename NumberOf<M>::type Sum;
    DYN_SHARED(unsigned char, shared);
    __shared__ double sums[THREADS];
    const i64 strips = (view.columns + 127) / 128, chunks = (view.rows + view.chunk - 1) / view.chunk;
    const i64 tiles = strips * chunks, inside = view.between * view.inner;
    const i64 per_channel = view.outer * inside / crop.channels * tiles;
    Sum sum = {};
    const auto take = [&](i64 index, i64, i64 y, i64 x, const Values<M, MOMENTS>& means) {
        const auto s = similarity_at(means, index);
        if (results.index) results.index[index] = (W)(double)s;
        if (y >= crop.pad_rows && y < view.rows - crop.pad_rows && x >= crop.pad && x < view.columns - crop.pad)
            sum = sum + Sum(s);
    };
    const auto done = [&](i64 plane, i64 tile) {
        sums[threadIdx.x] = crop.holds(plane, inside) ? (double)sum : 0.0;
        block_reduce(sums, blockDim.x, [](double a, double b) { return a + b; });
        const i64 channel = plane / crop.step % crop.channels;
        const i64 rest = plane / (crop.step * crop.channels) * crop.step + plane % crop.step;
        if (threadIdx.x == 0) results.partials[channel * per_channel + rest * tiles + tile] = sums[0];
        __syncthreads();
        sum = Sum();
    };
    for_window_means<BELL, MOMENTS, M>(shared, view, results.found + crop.channels, source, take, done);

    if (!last_block(results.arrived)) return;
    for (i64 channel = 0; channel < crop.channels; ++channel) {
        const double* const mine = results.partials + channel * per_channel;
        double total = 0.0;
        for (i64 k = threadIdx.x; k < per_channel; k += blockDim.x) total += mine[k];
        sums[threadIdx.x] = total;
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

template <class T, class I> struct MomentsOfIntegers {
    const T *first, *second;
    __device__ Values<I, MOMENTS> operator()(i64 index) const {
        return integer_moments_of<I>(first[index], second[index]);
    }
};

template <class V> struct Stored {
    const V* values;
    __device__ V operator()(i64 index) const { return values[index]; }
};

template <class W> struct OfMeans {
    const Constants& constants;
    Values<W, TERMS>* terms;
    __device__ W operator()(const Values<W, MOMENTS>& means, i64 index) const {
        return similarity_of(means, constants, terms ? terms + index : nullptr);
    }
};

// What integers of T are summed in: those of 8 bits in windows of less than 2^15 elements.
template <class T> struct SumOf { typedef int type; };
template <> struct SumOf<short> { typedef i64 type; };
template <> struct SumOf<u16> { typedef i64 type; };

template <class T, bool BELL, class W = typename Working<T>::type>
__global__ void __launch_bounds__(THREADS, BLOCKS)
    similarity_images(const T* first, const T* second, const Windows view, const Constants constants,
                      const Crop crop, W* index, W* terms, double* partials, u32* arrived,
                      double* found) {
    const Results<W> results = {index, (Values<W, TERMS>*)terms, partials, arrived, found};
    similarity<BELL, W>(view, crop, results, MomentsOfImages<T>{first, second}, OfMeans<W>{constants, results.terms});
}

template <class T, class I = typename SumOf<T>::type>
__global__ void __launch_bounds__(THREADS, BLOCKS)
    similarity_integers(const T* first, const T* second, const Windows view, const Constants constants,
                        const Crop crop, double* index, double* partials, u32* arrived, double* found) {
    typedef typename NumberOf<I>::type N;
    const i64 count = view.down * view.across;
    const double square = (double)count * (double)count;
    const N c1(constants.c1 * square), c2(constants.c2 * square / constants.covariance);
    similarity<false, I>(view, crop, Results<double>{index, nullptr, partials, arrived, found},
                         MomentsOfIntegers<T, I>{first, second},
                         [=](const Values<I, MOMENTS>& sums, i64) { return similarity_of(sums, count, c1, c2); });
}

template <class W, bool BELL>
__global__ void __launch_bounds__(THREADS, BLOCKS)
    similarity_means(const W* moments, const Windows view, const Constants constants, const Crop crop,
                     W* index, W* terms, double* partials, u32* arrived, double* found) {
    using V = Values<W, MOMENTS>;
    const Results<W> results = {index, (Values<W, TERMS>*)terms, partials, arrived, found};
    similarity<BELL, W>(view, crop, results, Stored<V>{(const V*)moments}, OfMeans<W>{constants, results.terms});
}

template <class T, bool BELL, class W = typename Working<T>::type>
__global__ void __launch_bounds__(THREADS, BLOCKS)
    moments_images(const T* first, const T* second, const Windows view, W* moments, double* odd) {
    using V = Values<W, MOMENTS>;
    DYN_SHARED(unsigned char, shared);
    for_window_means<BELL, MOMENTS, W>(
        shared, view, odd, MomentsOfImages<T>{first, second},
        [&](i64 index, i64, i64, i64, const V& means) { ((V*)moments)[index] = means; },
        [](i64, i64) {});
}

template <class W, int N, bool BELL>
__global__ void __launch_bounds__(THREADS, BLOCKS)
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
__global__ void __launch_bounds__(THREADS, BLOCKS)
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
