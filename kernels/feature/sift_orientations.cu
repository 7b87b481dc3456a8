// Histograms of the directions of the gradient around SIFT's keypoints in one octave. One kernel:
//
//     orientations   for each keypoint the sums of weighted magnitudes by direction
//
// scales: float or double, (scales + 3, rows, columns), C-contiguous. A block makes one histogram: each pixel of the
// patch is read with its four neighbours (from cache), and the bins are added up in scikit-image's order. What a
// device's arctangent and exponential may do to a histogram is its last bits, unless a pixel lies on the border
// of two bins: such a keypoint is told, and the host makes its histogram again.
//
// Source: scikit-image `feature.SIFT` (_compute_orientation); I. Rey Otero, M. Delbracio, "Anatomy of the SIFT
// method", 2014.
#include "feature/sift_patch.cuh"

// patches: for each keypoint (top, left, height, width, scale); centres: (row, column); spreads: what the squared
// distance is divided by. near: how near to the border of its bin a pixel counts as being on it
// histograms: (count, bins); doubtful: zero before, becomes 1
template <class T>
__global__ void orientations(const T* scales, const i64* patches, const T* centres, const double* spreads,
                             T* histograms, u32* doubtful, i64 rows, i64 columns, i64 count, i64 bins, double near) {
    __shared__ int bin_of[PART];
    __shared__ double weight_of[PART];
    const T turn = (T)6.283185307179586;
    for (i64 k = blockIdx.x; k < count; k += gridDim.x) {
        const Patch patch = patch_of(patches, k);
        const T* plane = scales + patch.scale * rows * columns;
        const T row = centres[2 * k], column = centres[2 * k + 1];
        T* const histogram = histograms + k * bins;
        for (i64 begin = 0; begin == 0 || begin < patch.count(); begin += PART) {
            const int length = (int)(patch.count() - begin < PART ? patch.count() - begin : PART);
            for (int i = threadIdx.x; i < length; i += blockDim.x) {
                const i64 y = (begin + i) / patch.width;
                const i64 r = patch.top + y, c = patch.left + begin + i - y * patch.width;
                const Gradient<T> gradient(plane, rows, columns, r, c);
                const T magnitude = gradient.magnitude(), angle = gradient.angle();
                const T from = angle < 0 ? angle + turn : angle;
                const T place = rounded_product(from / turn, (T)bins) + (T)0.5;
                const T wrapped = place < (T)bins ? place : place - (T)bins;
                const T down = (T)r - row, across = (T)c - column;
                const double distance = (double)(rounded_product(down, down) + rounded_product(across, across));
                bin_of[i] = (int)floor(wrapped);
                weight_of[i] = rounded_product(exp(distance / spreads[k]), (double)magnitude);
                if (magnitude != 0 && fabs((double)(place - rint(place))) < near) atomicOr(doubtful + k, 1u);
            }
            __syncthreads();
            for (i64 bin = threadIdx.x; bin < bins; bin += blockDim.x) {
                T sum = begin ? histogram[bin] : (T)0;
                for (int i = 0; i < length; ++i)
                    if (bin_of[i] == bin) sum = (T)((double)sum + weight_of[i]);
                histogram[bin] = sum;
            }
            __syncthreads();
        }
    }
}
