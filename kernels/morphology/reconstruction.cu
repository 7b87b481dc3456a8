// Values of one image that spread below another one. Kernels, in this order:
//
//     begin, lower   copy both into frames: arrays with a border as wide as a neighbour is far; `lower`
//                    makes the first image of the second one
//     spread         raises each pixel to the highest around it, up to its limit, until none rises
//     finish, mark   the result from its frame; or where it is lower than the image by a height
//
// In a frame are keys, unsigned integers in the order of the values (common/ordered.cuh), or in the
// opposite one for reconstruction by erosion; the border has the lowest, which never rises.
//
// spread is one launch, whatever the image shows (common/boxes.cuh); a box is done again only when a pixel
// beside it has risen above one of it.
//
// Images of up to 8 axes: begin reads both and writes two frames, spread reads them and writes one,
// finish reads one and writes the result; lower reads one image, mark reads both frames.
//
// Source: scikit-image `morphology.reconstruction`, `h_maxima`, `h_minima`.
#include "common/boxes.cuh"
#include "common/ordered.cuh"

template <class T, class Key> __device__ inline Key to_key(T value, int erosion) {
    const Key key = Ordered<T>::key(value);
    return erosion ? (Key)~key : key;
}

template <class T, class Key> __device__ inline T from_key(Key key, int erosion) {
    return Ordered<T>::value(erosion ? (Key)~key : key);
}

// told: zeros; whether a seed is beyond its mask, and whether there is NaN.
template <class T, class Key>
__global__ void __launch_bounds__(256, 1)
    begin(const T* seed, const T* mask, const __grid_constant__ Frame frame, int erosion, Key* values,
          Key* limits, u32* told) {
    bool beyond = false, nan = false;
    for_frame(
        frame,
        [&](i64 place, i64 pixel) {
            const T from = seed[pixel], most = mask[pixel];
            const Key key = to_key<T, Key>(from, erosion), limit = to_key<T, Key>(most, erosion);
            beyond = beyond || (erosion ? from < most : from > most);
            nan = nan || from != from || most != most;
            values[place] = key < limit ? key : limit;
            limits[place] = limit;
        },
        [&](i64 place) { values[place] = limits[place] = 0; });
    if (beyond) atomicOr(told, 1u);
    if (nan) atomicOr(told + 1, 1u);
}

// value - h, or for minima value + h: of integers not beyond `end`, the dtype's last; of floats what
// rounding may cost further away. resolution: of floats, that part of a value. H: double, where h is that
// and the image is not.
template <class T> struct Shifted {
    static __device__ T of(T value, T h, T end, T, int minima) {
        typedef typename UnsignedOf<sizeof(T)>::type Word;
        const Word left = minima ? (Word)((Word)end - (Word)value) : (Word)((Word)value - (Word)end);
        if (left < (Word)h) return end;
        return minima ? (T)((Word)value + (Word)h) : (T)((Word)value - (Word)h);
    }
};
template <class T> struct ShiftedFloat {
    template <class H> static __device__ T of(T value, H h, T, T resolution, int minima) {
        const T rounding = rounded_product(resolution, value < 0 ? -value : value);
        return (T)(minima ? (value + h) + rounding : (value - h) - rounding);
    }
};
template <> struct Shifted<float> : ShiftedFloat<float> {};
template <> struct Shifted<double> : ShiftedFloat<double> {};

template <class T, class Key, class H = T>
__global__ void __launch_bounds__(256, 1)
    lower(const T* image, const __grid_constant__ Frame frame, H h, T end, T resolution, int minima,
          Key* values, Key* limits) {
    for_frame(
        frame,
        [&](i64 place, i64 pixel) {
            const T value = image[pixel];
            values[place] = to_key<T, Key>(Shifted<T>::of(value, h, end, resolution, minima), minima);
            limits[place] = to_key<T, Key>(value, minima);
        },
        [&](i64 place) { values[place] = limits[place] = 0; });
}

template <class Word> struct Rising {
    typedef Word Value;
    typedef Word Fixed;
    const Word* fixed;
    Word* values;

    __device__ static Word nothing() { return 0; }
    __device__ static Word outside() { return 0; }
    __device__ static bool is_settled(Word value, Word limit) { return value >= limit; }
    template <class Read> __device__ static Word beside(Word value, Word limit, Word other, const Read&) {
        if (other <= value) return value;
        return other < limit ? other : limit;
    }
};

// As settle_boxes of common/boxes.cuh.
template <class Key>
__global__ void __launch_bounds__(256, 1)
    spread(const Key* limits, const __grid_constant__ Boxes boxes, i64 n, const i64* steps, int count, int most,
           Key* values, u32* states, int* counted) {
    __shared__ Key inside[BOX_PIXELS], fixed[BOX_PIXELS];
    __shared__ int found;
    settle_boxes(Rising<Key>{limits, values}, boxes, n, steps, count, most, states, counted, inside, fixed, &found);
}

template <class T, class Key, class F>
__global__ void __launch_bounds__(256, 1)
    finish(const Key* values, i64 n, const __grid_constant__ Frame frame, int erosion, F* result) {
    for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < n; i += (i64)gridDim.x * blockDim.x)
        result[i] = (F)from_key<T, Key>(values[in_frame(frame, i)], erosion);
}

template <class T, class Key, class F, class H = F>
__global__ void __launch_bounds__(256, 1)
    mark(const Key* values, const Key* limits, i64 n, const __grid_constant__ Frame frame, H h, int minima,
         u8* result) {
    for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < n; i += (i64)gridDim.x * blockDim.x) {
        const i64 place = in_frame(frame, i);
        const F low = (F)from_key<T, Key>(values[place], minima), high = (F)from_key<T, Key>(limits[place], minima);
        result[i] = (minima ? low - high : high - low) >= h;
    }
}
