// Colours pixels of an image where it lies, blended with what they show.
//
//   claim_pixels   owner = 0 at each place
//   own_pixels     owner = number of the last place that names a pixel, from 1 on
//   find_unfit     unfit = 1 if a blend does not fit into the image's integers
//   color_pixels   the image's pixels become color * alpha + pixel * (1 - alpha)
//
// Places are rows and columns of integers, whose types are told as in any_type.cuh; those outside of
// the image are passed over. Only the owner of a pixel reads and writes it, so that each reads what
// was there before the call. With alpha 1 nobody owns: what is written is then the same from
// whichever place, also if it is made of a pixel that has been written already.
// Any blocks and grid, one thread a place; only pixels at places are read and written.
//
// Each product and sum is rounded, or wraps, in the type that NumPy gives it.
// Source: skimage/draw/draw.py, _coords_inside_image in _draw.pyx.
#include "common/any_type.cuh"
#include "common/half.cuh"

constexpr int I64 = 4, U64 = 8, HALF = 9, SINGLE = 10;  // as any_type.cuh counts

// The steps between rows, columns and channels of the image are in elements.
struct Places {
    i64 count, height, width, channels, row_step, column_step, channel_step;
    int rows, columns;
};

// Types of the image, the color and alpha; of color * alpha, 1 - alpha, pixel * (1 - alpha), the sum;
// `stored` is the type that alpha has in memory.
struct Types {
    int image, color, alpha, added, rest, kept, sum, stored;
};

struct Number {  // `whole` of integers and booleans, `real` of others
    i64 whole;
    double real;
};

__device__ inline bool is_real(int type) { return type >= HALF; }

// An integer as it is in a type, which may be narrower: upper bits are lost. Any thread.
__device__ inline i64 wrapped(i64 value, int type) {
    switch (type) {
        case 0: return value != 0;
        case 1: return (signed char)value;
        case 2: return (short)value;
        case 3: return (int)value;
        case 5: return (u8)value;
        case 6: return (u16)value;
        case 7: return (u32)value;
        default: return value;
    }
}

// The float nearest to `value`, but for its last bit, which tells that it is not exact: rounded once
// more to fewer bits it gives what rounding at once would. Any thread.
__device__ inline float to_odd(double value) {
    const float nearest = (float)value;
    if ((double)nearest == value || value != value) return nearest;
    u32 bits = __float_as_uint(nearest);
    if (fabs((double)nearest) > fabs(value)) --bits;
    return __uint_as_float(bits | 1u);
}

__device__ inline double rounded(double value, int type) {
    if (type == HALF) return (double)round_to_half(to_odd(value));
    return type == SINGLE ? (double)(float)value : value;
}

// A number of one type in another one; no real one becomes an integer. Any thread.
__device__ inline Number converted(Number number, int from, int into) {
    if (!is_real(into)) return {wrapped(number.whole, into), 0};
    if (!is_real(from)) number.real = from == U64 ? (double)(u64)number.whole : (double)number.whole;
    return {0, rounded(number.real, into)};
}

__device__ inline Number loaded(const void* from, int type, i64 i) {
    if (is_real(type)) return {0, load_any<double, 1>(from, type, i).item[0]};
    return {load_any<i64, 1>(from, type, i).item[0], 0};
}

__device__ inline Number product(Number a, int of_a, Number b, int of_b, int into) {
    a = converted(a, of_a, into), b = converted(b, of_b, into);
    if (is_real(into)) return {0, rounded(rounded_product(a.real, b.real), into)};
    return {wrapped((i64)((u64)a.whole * (u64)b.whole), into), 0};
}

__device__ inline Number sum(Number a, int of_a, Number b, int of_b, int into) {
    a = converted(a, of_a, into), b = converted(b, of_b, into);
    if (is_real(into)) return {0, rounded(a.real + b.real, into)};
    return {wrapped((i64)((u64)a.whole + (u64)b.whole), into), 0};
}

// 1 - alpha. Any thread.
__device__ inline Number rest_of(Number alpha, int type, int into) {
    alpha = converted(alpha, type, into);
    if (is_real(into)) return {0, rounded(1 - alpha.real, into)};
    return {wrapped((i64)(1 - (u64)alpha.whole), into), 0};
}

// What pixel `number` of one channel becomes, in the type of the sum. Any thread.
__device__ inline Number blended(const void* image, i64 at, i64 color, Number alpha, const Types& types) {
    const Number own = {color, __longlong_as_double(color)};
    const Number added = product(own, types.color, alpha, types.alpha, types.added);
    const Number rest = rest_of(alpha, types.alpha, types.rest);
    const Number kept = product(loaded(image, types.image, at), types.image, rest, types.rest, types.kept);
    return sum(kept, types.kept, added, types.added, types.sum);
}

// Whether an integer of `type` comes from cutting the fraction off `value`. Any thread.
__device__ inline bool fits(double value, int type) {
    switch (type) {
        case 0: return true;
        case 1: return value > -129 && value < 128;
        case 2: return value > -32769 && value < 32768;
        case 3: return value > -2147483649.0 && value < 2147483648.0;
        case I64: return value >= -9223372036854775808.0 && value < 9223372036854775808.0;
        case 5: return value > -1 && value < 256;
        case 6: return value > -1 && value < 65536;
        case 7: return value > -1 && value < 4294967296.0;
        default: return value > -1 && value < 18446744073709551616.0;
    }
}

// A blend as the image takes it. Any thread.
__device__ inline void store(void* image, int type, i64 at, Number number, int from) {
    i64 whole = number.whole;
    if (is_real(from) && !is_real(type)) {
        if (type == 0) whole = number.real != 0;
        else whole = type == U64 ? (i64)(u64)number.real : (i64)number.real;
    }
    switch (type) {
        case 0: ((bool*)image)[at] = whole != 0; return;
        case 1: case 5: ((u8*)image)[at] = (u8)whole; return;
        case 2: case 6: ((u16*)image)[at] = (u16)whole; return;
        case 3: case 7: ((u32*)image)[at] = (u32)whole; return;
        case I64: case U64: ((i64*)image)[at] = whole; return;
        case HALF: ((float16*)image)[at] = to_half(to_odd(converted(number, from, type).real)); return;
        case SINGLE: ((float*)image)[at] = (float)converted(number, from, type).real; return;
        default: ((double*)image)[at] = converted(number, from, type).real;
    }
}

// Row and column of a place; false where it is outside of the image. Any thread.
__device__ inline bool find(const void* rows, const void* columns, const Places& places, i64 i, i64& row, i64& column) {
    row = load_any<i64, 1>(rows, places.rows, i).item[0];
    column = load_any<i64, 1>(columns, places.columns, i).item[0];
    return row >= 0 && row < places.height && column >= 0 && column < places.width;
}

__global__ void claim_pixels(const void* rows, const void* columns, Places places, u64* owner) {
    const i64 step = (i64)gridDim.x * blockDim.x;
    i64 row, column;
    for (i64 i = (i64)blockIdx.x * blockDim.x + threadIdx.x; i < places.count; i += step)
        if (find(rows, columns, places, i, row, column)) owner[row * places.width + column] = 0;
}

__global__ void own_pixels(const void* rows, const void* columns, Places places, u64* owner) {
    const i64 step = (i64)gridDim.x * blockDim.x;
    i64 row, column;
    for (i64 i = (i64)blockIdx.x * blockDim.x + threadIdx.x; i < places.count; i += step)
        if (find(rows, columns, places, i, row, column))
            atomicMax(owner + row * places.width + column, (u64)i + 1);
}

// color: for each channel the bits of an i64 or a double. alphas: one for each place, or the same
// for all where `alpha_step` is 0.
__global__ void find_unfit(const void* rows, const void* columns, Places places, const void* image, const i64* color,
                           const void* alphas, i64 alpha_step, Types types, u32* unfit) {
    const i64 step = (i64)gridDim.x * blockDim.x;
    i64 row, column;
    for (i64 i = (i64)blockIdx.x * blockDim.x + threadIdx.x; i < places.count; i += step) {
        if (!find(rows, columns, places, i, row, column)) continue;
        const Number alpha = loaded(alphas, types.stored, i * alpha_step);
        for (i64 c = 0; c < places.channels; ++c) {
            const i64 at = row * places.row_step + column * places.column_step + c * places.channel_step;
            if (!fits(blended(image, at, color[c], alpha, types).real, types.image)) *unfit = 1;
        }
    }
}

// OWNED: only the owners of pixels write.
template <bool OWNED>
__global__ void color_pixels(const void* rows, const void* columns, Places places, const i64* color, const void* alphas,
                             i64 alpha_step, Types types, const u64* owner, void* image) {
    const i64 step = (i64)gridDim.x * blockDim.x;
    i64 row, column;
    for (i64 i = (i64)blockIdx.x * blockDim.x + threadIdx.x; i < places.count; i += step) {
        if (!find(rows, columns, places, i, row, column)) continue;
        if (OWNED && owner[row * places.width + column] != (u64)i + 1) continue;
        const Number alpha = loaded(alphas, types.stored, i * alpha_step);
        for (i64 c = 0; c < places.channels; ++c) {
            const i64 at = row * places.row_step + column * places.column_step + c * places.channel_step;
            store(image, types.image, at, blended(image, at, color[c], alpha, types), types.sum);
        }
    }
}
