// Conversions of images between dtypes, as skimage.util.img_as_float, img_as_int,
// img_as_ubyte and img_as_uint have them: equal to the last bit.
//
//   scale_integers       integer and boolean (as 0 and 1) images to i16, u8 or u16
//   floats_to_integers   float16 (to u8), float and double images in [-1, 1] to those
//   integers_to_floats   integers to float or double in [0, 1] or [-1, 1]
//
// image, result: n elements, any alignment. One launch; the image is read once, the
// result written once. Source: skimage/util/dtype.py, _convert and _scale.
#include "common/points.cuh"
#include "common/rounded.cuh"

// What integers are multiplied in, and what NumPy has before the last clip.
template <class T> struct Widest { using type = i64; };
template <> struct Widest<u64> { using type = u64; };
template <class U> struct BeforeClip { using type = int; };
template <> struct BeforeClip<u8> { using type = short; };

struct LargerOf {
    template <class T> __device__ T operator()(T a, T b) const { return a > b ? a : b; }
};

// ((value + before) * factor >> shift) + after, rounded down. Unsigned results of signed
// values are 0 where the value is negative.
// largest: null, or one number, which becomes the largest element of the image; then
// partials are as many as blocks, and arrived is one 0.
template <class T, class U>
__global__ void scale_integers(const T* image, i64 n, int before, i64 factor, int shift, int after, T* partials,
                               u32* arrived, T* largest, U* result) {
    using W = typename Widest<T>::type;
    constexpr bool CLIPS = Limits<T>::is_signed && !Limits<U>::is_signed;
    T most = image[0];
    for_points(image, result, n, [&](T value) -> U {
        most = value > most ? value : most;
        const W scaled = (((W)value + (W)before) * (W)factor >> shift) + (W)after;
        if (!CLIPS) return (U)scaled;
        const auto kept = (typename BeforeClip<U>::type)scaled;
        return (U)(kept > 0 ? kept : 0);
    });
    if (!largest) return;
    __shared__ T scratch[256];
    grid_reduce(most, scratch, partials, arrived, LargerOf(), [=](T total) { *largest = total; });
}

// round(value * factor - half), clipped to [low, high]; `half` is 0 or 1/2.
// *refused is 0 before; afterwards bit 0 tells of values beyond -1 and 1, bit 1 of NaN.
template <class T, class U>
__global__ void floats_to_integers(const T* image, i64 n, double factor_of_all, double half_or_none, double lowest,
                                   double highest, u32* refused, U* result) {
    using A = NumpyArithmetic<T>;
    using W = typename A::Value;
    const W factor = (W)factor_of_all, half = (W)half_or_none, low = (W)lowest, high = (W)highest;
    u32 seen = 0;
    for_points(image, result, n, [&](T element) -> U {
        const W value = (W)element;
        seen |= (u32)(value < (W)-1 || value > (W)1) | (u32)(value != value) << 1;
        const W whole = rint(A::subtract(A::multiply(value, factor), half));
        return (U)(whole > high ? high : whole > low ? whole : low);  // NaN is low
    });
    tell(refused, seen);
}

// 64-bit integers are scaled in double.
template <class T, class U> __global__ void integers_to_floats(const T* image, i64 n, U* result) {
    for_points(image, result, n, [](T value) {
        if constexpr (sizeof(T) == 8)
            return (U)img_as_float<double>(value);
        else
            return img_as_float<U>(value);
    });
}
