// SIFT's descriptors: histograms of the directions of the gradient in a grid around each keypoint. Two kernels:
//
//     patch_histograms   the histograms of keypoints in one octave
//     quantize           bytes of histograms of all octaves
//
// scales: float or double, (scales + 3, rows, columns), C-contiguous. A block makes the histograms of one keypoint:
// each pixel of the patch is read with its four neighbours (from cache), and a thread adds up the histogram of
// each square of the grid in scikit-image's order. What a device's arctangent and exponential may do to an element is its last bits, unless
// a pixel lies where its weight begins; and of an element its byte, where it lies on the border of two. Such a
// keypoint is told, and the host makes its descriptor again.
//
// Source: scikit-image `feature.SIFT` (_compute_descriptor, _sift.pyx); I. Rey Otero, M. Delbracio, "Anatomy of the
// SIFT method", 2014.
#include "feature/sift_patch.cuh"

// Of a keypoint: its centre, its orientation and what follows from it, half the patch's width, what the squared
// distance is divided by, and the spacing of the grid.
enum Number { ROW, COLUMN, COSINE, SINE, ANGLE, RADIUS, SPREAD, SPACING, NUMBERS };

template <class T> __device__ inline T distance_of(T a, T b) { return a < b ? b - a : a - b; }

// patches: for each keypoint (top, left, height, width, scale); numbers: NUMBERS for each; angles: of the bins.
// hists, angles_count: of the grid along an axis, and of directions. near: which part of a weight counts as none
// histograms: (count, hists, hists, directions); doubtful: zero before, becomes 1
template <class T>
__global__ void patch_histograms(const T* scales, const i64* patches, const T* numbers, const T* angles,
                                 T* histograms, u32* doubtful, i64 rows, i64 columns, i64 count, i64 hists,
                                 i64 directions, double near) {
    __shared__ T down_of[PART], across_of[PART], magnitude_of[PART], angle_of[PART];
    __shared__ int nearest_of[PART];
    const double pi = 3.141592653589793;
    const T turn = (T)(2 * pi), directions_of_turn = (T)((double)directions / (2 * pi));
    const i64 cells = hists * hists * directions;
    for (i64 k = blockIdx.x; k < count; k += gridDim.x) {
        const Patch patch = patch_of(patches, k);
        const T* const plane = scales + patch.scale * rows * columns;
        const T* const number = numbers + NUMBERS * k;
        const T spacing = number[SPACING], inverse = (T)1 / spacing, middle = (T)((double)(1 + hists) / 2);
        T* const histogram = histograms + k * cells;
        for (i64 begin = 0; begin == 0 || begin < patch.count(); begin += PART) {
            const int length = (int)(patch.count() - begin < PART ? patch.count() - begin : PART);
            for (int i = threadIdx.x; i < length; i += blockDim.x) {
                const i64 y = (begin + i) / patch.width;
                const i64 r = patch.top + y, c = patch.left + begin + i - y * patch.width;
                const T row = (T)r - number[ROW], column = (T)c - number[COLUMN];
                const T cosine = number[COSINE], sine = number[SINE];
                const T down = rounded_product(cosine, row) + rounded_product(sine, column);
                const T across = rounded_product(-sine, row) + rounded_product(cosine, column);
                const T radius = number[RADIUS];
                nearest_of[i] = -1;
                if (!(fabs(down) < radius && fabs(across) < radius)) continue;
                const Gradient<T> gradient(plane, rows, columns, r, c);
                const T angle = gradient.angle() - number[ANGLE];
                T least = (T)100;
                int nearest = 0;
                for (int j = 0; j < directions; ++j) {
                    T apart = angles[j] - angle;
                    apart = apart > turn ? apart - turn : apart < 0 ? apart + turn : apart;
                    if (apart < least) {
                        nearest = j;
                        least = apart;
                    }
                }
                const T squared = rounded_product(down, down) + rounded_product(across, across);
                down_of[i] = down;
                across_of[i] = across;
                magnitude_of[i] = rounded_product(gradient.magnitude(), (T)exp(squared / number[SPREAD]));
                angle_of[i] = least;
                nearest_of[i] = nearest;
            }
            __syncthreads();
            for (i64 square = threadIdx.x; square < hists * hists; square += blockDim.x) {
                const T at_row = rounded_product((T)(square / hists + 1) - middle, spacing);
                const T at_column = rounded_product((T)(square % hists + 1) - middle, spacing);
                T* const own = histogram + square * directions;
                if (begin == 0)
                    for (int j = 0; j < directions; ++j) own[j] = 0;
                bool doubt = false;
                for (int i = 0; i < length; ++i) {
                    const int nearest = nearest_of[i];
                    if (nearest < 0) continue;
                    const T down = distance_of(at_row, down_of[i]), across = distance_of(at_column, across_of[i]);
                    if (down > spacing || across > spacing) continue;
                    const T a = (T)1 - rounded_product(inverse, down), b = (T)1 - rounded_product(inverse, across);
                    const T all = rounded_product(rounded_product(a, b), magnitude_of[i]);
                    const T one = rounded_product(rounded_product(all, directions_of_turn), angle_of[i]);
                    const T other = all - one;
                    const int next = nearest + 1 == directions ? 0 : nearest + 1;
                    own[nearest] += one;
                    own[next] += other;
                    doubt |= magnitude_of[i] != 0 && (a < near || b < near || other <= all * near);
                }
                if (doubt) atomicOr(doubtful + k, 1u);
            }
            __syncthreads();
        }
    }
}

// near: how near to the border of a byte an element counts as being on it
// doubtful: as `patch_histograms` leaves it; 2 where a descriptor has no length
template <class T>
__global__ void quantize(const T* histograms, u8* descriptors, u32* doubtful, i64 count, i64 cells, double near) {
    for (i64 k = blockIdx.x; k < count; k += gridDim.x) {
        const T* const histogram = histograms + k * cells;
        double squares = 0, left = 0;
        for (i64 cell = 0; cell < cells; ++cell) {
            const double value = histogram[cell];
            squares = plus_product(squares, value, value);
        }
        const T most = rounded_product((T)0.2, (T)sqrt(squares));
        const auto saturated = [&](i64 cell) { return histogram[cell] < most ? histogram[cell] : most; };
        for (i64 cell = 0; cell < cells; ++cell) {
            const double value = saturated(cell);
            left = plus_product(left, value, value);
        }
        const T length = (T)sqrt(left);
        if (!(length > 0 && length - length == 0)) {
            if (threadIdx.x == 0) atomicOr(doubtful + k, 2u);
            continue;
        }
        for (i64 cell = threadIdx.x; cell < cells; cell += blockDim.x) {
            const T value = rounded_product((T)512, saturated(cell)) / length;
            if (value < 0 || (value > 0.5 && value < 255.5 && fabs((double)(value - rint(value))) < near))
                atomicOr(doubtful + k, 1u);
            descriptors[k * cells + cell] = value < 0 ? 0 : value < 255 ? (u8)value : 255;
        }
    }
}
