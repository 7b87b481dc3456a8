// Corner responses of a 2-D image by its structure tensor: Harris', Shi and Tomasi's,
// Foerstner's; tensor.cuh has the stages up to the tensor, which does not leave the chip.
//
// Image: bool, (u)int8..64, float16/32/64; integers scaled as by img_as_float. Results: float
// for float16 and float32, else double; so is what is made of the tensor, in the order of
// scikit-image.
// One launch; each element is read once (its neighbours again, from cache), one result (two of
// Foerstner's) is written once. `respond` is the same for tensors that other launches made, of
// Gaussians of a radius above 16. Shared memory: at most 48 kB.
//
// Source: scikit-image feature/corner.py (C. Harris and M. Stephens 1988, A. Noble 1988,
// J. Shi and C. Tomasi 1994, W. Foerstner and E. Guelch 1987).
#include "feature/tensor.cuh"

enum ResponseKind { HARRIS = 0, NOBLE = 1, SHI_TOMASI = 2, FOERSTNER = 3 };

// `parameter` is Harris' k and Noble's eps.
struct Response {
    double parameter;
    int kind;
};

// Writes the response of one tensor, and Foerstner's roundness into `second`.
template <class W>
__device__ inline void respond_to(const W (&tensor)[3], const Response& response, W* result,
                                  W* second) {
    const W trace = tensor[0] + tensor[2];
    if (response.kind == SHI_TOMASI) {
        const W apart = tensor[0] - tensor[2];
        const W squares = rounded_product(apart, apart) + 4 * rounded_product(tensor[1], tensor[1]);
        *result = (trace - sqrt(squares)) / 2;
        return;
    }
    const W determinant =
        rounded_product(tensor[0], tensor[2]) - rounded_product(tensor[1], tensor[1]);
    const W squared = rounded_product(trace, trace);
    if (response.kind == HARRIS) {
        *result = determinant - rounded_product((W)response.parameter, squared);
    } else if (response.kind == NOBLE) {
        *result = 2 * determinant / (trace + (W)response.parameter);
    } else {
        *result = trace != (W)0 ? determinant / trace : (W)0;
        *second = trace != (W)0 ? 4 * determinant / squared : (W)0;
    }
}

// second: another array where the kind is FOERSTNER, else one element that is not used.
template <class T>
__global__ void __launch_bounds__(256, RESIDENT)
    corner_response(const T* image, typename Working<T>::type* result,
                    typename Working<T>::type* second, i64 rows, i64 columns, int mode, int height,
                    int width, const __grid_constant__ typename TapsOf<T>::type taps,
                    const Response response) {
    typedef typename Working<T>::type W;
    DYN_SHARED(W, shared);
    for_tensors(shared, Extended<T>{image, rows, columns, mode}, {height, width}, taps,
                [&](i64 place, const W (&tensor)[3]) {
                    respond_to(tensor, response, result + place, second + place);
                });
}

// n elements of each array.
template <class W>
__global__ void respond(const W* rr, const W* rc, const W* cc, W* result, W* second, i64 n,
                        const Response response) {
    const i64 step = (i64)gridDim.x * blockDim.x;
    for (i64 i = (i64)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
        const W tensor[3] = {rr[i], rc[i], cc[i]};
        respond_to(tensor, response, result + i, second + i);
    }
}
