// The structure tensor of a 2-D image: sums of products of Sobel's slopes, weighted by a
// Gaussian of radius up to 16, or of up to 120 along the rows alone (RowTaps; others smooth down
// the columns then). tensor.cuh has the stages.
//
// Image: bool, (u)int8..64, float16/32/64; integers scaled as by img_as_float. Results: float
// for float16 and float32, else double.
// One launch; each element is read once (its neighbours again, from cache), three results are
// written once. Shared memory: at most 48 kB.
//
// Source: scikit-image `feature.structure_tensor`, SciPy `ndimage.sobel` and
// `ndimage.gaussian_filter`.
#include "feature/tensor.cuh"

// rr, rc, cc: elements (0, 0), (0, 1) and (1, 1).
template <class T, class Taps = typename TapsOf<T>::type>
__global__ void __launch_bounds__(256, RESIDENT)
    structure_tensor(const T* image, typename Working<T>::type* rr, typename Working<T>::type* rc,
                     typename Working<T>::type* cc, i64 rows, i64 columns, int mode, int height,
                     int width, const __grid_constant__ Taps taps) {
    typedef typename Working<T>::type W;
    DYN_SHARED(W, shared);
    for_tensors(shared, Extended<T>{image, rows, columns, mode}, {height, width}, taps,
                [&](i64 place, const W (&elements)[3]) {
                    rr[place] = elements[0];
                    rc[place] = elements[1];
                    cc[place] = elements[2];
                });
}
