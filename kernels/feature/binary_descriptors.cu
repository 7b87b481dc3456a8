// Binary descriptors: which pixel of each of many pairs around a keypoint is the darker one. Two kernels:
//
//     brief   pairs of pixels at the same places around each keypoint
//     orb     pairs at places that are turned by the keypoint's orientation
//
// image: float or double, (rows, columns), C-contiguous. A thread compares one pair of one keypoint: it reads
// two pixels (neighbours' from cache), the keypoint, the pair's places, and writes a byte. Turned places are
// rounded as the host rounds them, in the image's type; sines and cosines are the host's, since a device's may
// differ in the last bit, which decides about places that lie halfway.
//
// Like scikit-image's loops these count pixels through the end of a row; where those leave the image, no memory
// is read, and the pair counts as equal.
//
// Source: scikit-image `feature.BRIEF`, `feature.ORB` (brief_pythran.py, orb_cy.pyx); M. Calonder et al., "BRIEF:
// Binary Robust Independent Elementary Features", 2010; E. Rublee et al., "ORB: an efficient alternative to SIFT
// and SURF", 2011.
#include "common/types.cuh"

// Place of a pixel in a pair, from the keypoint.
struct Place {
    i64 down, across;
};

// Whether the first of two pixels around a keypoint is the darker one. Any thread.
template <class T>
__device__ inline bool is_darker(const T* image, i64 rows, i64 columns, const i64* keypoint, Place first,
                                 Place second) {
    const i64 one = (keypoint[0] + first.down) * columns + keypoint[1] + first.across;
    const i64 other = (keypoint[0] + second.down) * columns + keypoint[1] + second.across;
    const i64 count = rows * columns;
    return one >= 0 && one < count && other >= 0 && other < count && image[one] < image[other];
}

// result[k, p] = whether the pixel at first[p] is darker than the one at second[p]
//
// keypoints      (count, 2): rows and columns
// first, second  (pairs, 2)
template <class T>
__global__ void brief(const T* image, const i64* keypoints, const int* first, const int* second, u8* result, i64 rows,
                      i64 columns, i64 count, i64 pairs) {
    const i64 stride = gridDim.x * (i64)blockDim.x;
    for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < count * pairs; i += stride) {
        const i64 p = 2 * (i % pairs);
        const Place one = {first[p], first[p + 1]}, other = {second[p], second[p + 1]};
        result[i] = is_darker(image, rows, columns, keypoints + 2 * (i / pairs), one, other);
    }
}

// The nearest place to one that is turned. Any thread.
template <class T> __device__ inline Place turned(T sine, T cosine, T down, T across) {
    const auto nearest = [](T place) { return (i64)(place > (T)0 ? place + (T)0.5 : place - (T)0.5); };
    return {nearest(rounded_product(sine, down) + rounded_product(cosine, across)),
            nearest(rounded_product(cosine, down) - rounded_product(sine, across))};
}

// As `brief`, at places that are turned.
//
// turns   (count, 2): sine and cosine of the orientation
// places  (pairs, 4): row and column of the first pixel, then of the second
template <class T>
__global__ void orb(const T* image, const i64* keypoints, const T* turns, const signed char* places, u8* result,
                    i64 rows, i64 columns, i64 count, i64 pairs) {
    const i64 stride = gridDim.x * (i64)blockDim.x;
    for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < count * pairs; i += stride) {
        const i64 k = 2 * (i / pairs), p = 4 * (i % pairs);
        const T sine = turns[k], cosine = turns[k + 1];
        const Place one = turned(sine, cosine, (T)places[p], (T)places[p + 1]);
        const Place other = turned(sine, cosine, (T)places[p + 2], (T)places[p + 3]);
        result[i] = is_darker(image, rows, columns, keypoints + k, one, other);
    }
}
