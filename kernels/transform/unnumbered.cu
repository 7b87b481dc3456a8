// NaN in the whole of a warped image whose source has no number.
//
// What: scikit-image clips the result to the range of the image's numbers, which numpy.clip
// answers with NaN where there are none. Only values of the constant are no NaN before.
//
// image: n elements of a floating type; result: made elements. seen: three words; the first has
// the bits of Seen of the launch that made the result, the others are 0.
//
// One launch. Where that launch has seen a number, as nearly always, blocks return at once. Else
// the image is read once, and where it has no number the last block writes the result.
#include "common/reduce.cuh"
#include "filters/gaussian_taps.cuh"
#include "transform/sampled.cuh"

template <class T>
__global__ void nan_without_number(const T* image, i64 n, typename Working<T>::type* result, i64 made, u32* seen) {
    typedef typename Working<T>::type W;
    if (seen[0] & NUMBER) return;
    u32 *const found = seen + 1, *const arrived = seen + 2;
    bool number = false;
    const i64 step = (i64)gridDim.x * blockDim.x;
    for (i64 i = (i64)blockIdx.x * blockDim.x + threadIdx.x; i < n && !number; i += step) {
        const W value = (W)image[i];
        number = value == value;
    }
    if (__syncthreads_or(number) && threadIdx.x == 0) atomicOr(found, 1u);
    if (!last_block(arrived) || *(volatile u32*)found) return;
    for (i64 i = threadIdx.x; i < made; i += blockDim.x) result[i] = (W)__uint_as_float(0x7fc00000u);
}
