// Canny's edges of a 2-D image, up to the pixels that hysteresis connects: smoothing, Sobel's
// slopes, suppression of what is no ridge of their magnitude, both thresholds.
//
//     1. `bleed`: the share of pixels inside image and mask in each smoothed one
//     2. the smoothed image, divided by it
//     3. magnitudes of the slopes, from there, of a tile and its neighbours
//     4. canny_magnitude: these are the result;
//        canny_classes: 1 where the magnitude is not less than at two points beside it, across
//        the edge, and not below the low threshold; 2 where not below the high one either
//
// Image: bool, (u)int8..32, float16/32/64; integers scaled as by img_as_float. All decisions
// are on the numbers that scikit-image has, bit for bit: sums as in double, results of each
// step rounded to float for float16 and float32 images (smooth_tile.cuh), nothing contracted.
// One launch; each element of image and mask is read once (its neighbours again, from cache),
// the result is written once. Shared memory: at most 48 kB.
//
// Source: scikit-image `feature.canny` (J. Canny 1986), SciPy `ndimage.sobel`.
#include "feature/slopes.cuh"
#include "feature/smooth_tile.cuh"
#include "filters/edge_stencils.cuh"

enum { NO_EDGE = 0, WEAK = 1, STRONG = 2 };

template <class S> struct Epsilon;
template <> struct Epsilon<float> { static constexpr float value = 1.1920928955078125e-7f; };
template <> struct Epsilon<double> { static constexpr double value = 2.220446049250313e-16; };

// `mask` is null where there is none. divides: smoothed elements are divided by the share of
// what lies inside. whole: the sum of all weights, as filters along both axes have it far from a
// border.
struct Smoothing {
    SmoothSize size;
    int divides;
    double whole;
};

// Elements of the smoothed image around (y, x); beyond the border it is reflected. has_all: whether the
// tile has all of them.
template <class S>
__device__ inline Nine<S> smoothed_around(const SmoothTile<S>& tile, bool has_all, i64 rows, i64 columns, i64 y, i64 x) {
    Nine<S> nine;
    if (has_all) {
        const S* const corner = tile.elements + ((int)(y - tile.top) - 1) * tile.pitch + ((int)(x - tile.left) - 1);
#pragma unroll
        for (int i = 0; i < 3; ++i)
#pragma unroll
            for (int j = 0; j < 3; ++j) nine.at[i][j] = corner[i * tile.pitch + j];
        return nine;
    }
#pragma unroll
    for (int i = 0; i < 3; ++i) {
        const i64 row = y + i == 0 ? 0 : y + i > rows ? rows - 1 : y + i - 1;
#pragma unroll
        for (int j = 0; j < 3; ++j) {
            const i64 column = x + j == 0 ? 0 : x + j > columns ? columns - 1 : x + j - 1;
            nine.at[i][j] = tile.at(row, column);
        }
    }
    return nine;
}

// Whether scikit-image's interpolation between two magnitudes, whose second part is in double, is
// not above another one. NaN is not.
__device__ inline bool within(double far, double near, double share, double size) {
    return __dadd_rn(__dmul_rn(far, share), __dmul_rn(near, 1.0 - share)) <= size;
}
// In float it is less than 2^-22 of what is added up away from that, as long as nothing underflows;
// magnitudes are not negative.
__device__ inline bool within(float far, float near, float share, float size) {
    const float part = __fmul_rn(far, share), sum = fma(near, 1 - share, part);
    const float apart = 4.7683716e-7f * (part + near);  // 2^-21
    if (size >= LEAST_SUM) {
        if (sum + apart < size) return true;
        if (sum - apart > size) return false;
    }
    return __dadd_rn((double)part, __dmul_rn((double)near, 1.0 - (double)share)) <= (double)size;
}

// Whether no magnitude beside the one at `here` is larger, on the line along the slope.
template <class S> __device__ inline bool is_ridge(const S* here, int pitch, S down, S across) {
    const S size_down = fabs(down), size_across = fabs(across);
    // the slope points along the falling diagonal, or along an axis
    const bool falls = (down <= 0 && across <= 0) || (down >= 0 && across >= 0);
    const bool steep = falls ? size_down > size_across : size_down >= size_across;
    const S share = steep ? size_across / size_down : size_down / size_across;
    const int diagonal = falls ? pitch + 1 : 1 - pitch;
    const int straight = !steep ? 1 : falls ? pitch : -pitch;
    const S size = *here;
    return within(here[diagonal], here[straight], share, size) &&
           within(here[-diagonal], here[-straight], share, size);
}

// take(tile, y, x, magnitude) for each element of the image: where its magnitude lies in shared
// memory, its neighbours around it. Called by all threads of all blocks.
template <class S, class T, class Taps, class Take>
__device__ inline void for_magnitudes(S* shared, const Plane<T>& plane, const u8* mask,
                                      const Smoothing& way, const Taps& taps, Take take) {
    const i64 rows = plane.rows, columns = plane.columns;
    SmoothTile<S> tile;
    const int pitch = tile.pitch = smooth_pitch(way.size, taps.radius_b);
    tile.elements = shared;
    S* const mid = shared + raw_elements(way.size, pitch, taps.radius_a);
    S* const bleed = mid + raw_elements(way.size, pitch, 0);
    const S whole = (S)way.whole + Epsilon<S>::value;
    // `load_tile` hands over the element itself, from whose place that in the mask follows
    const auto is_inside = [&](const T& element) { return !mask || mask[&element - plane.image]; };
    for (i64 item = blockIdx.x; place_tile(tile, item, rows, columns, way.size); item += gridDim.x) {
        const bool at_border = tile.top < taps.radius_a || tile.left < taps.radius_b ||
                               tile.top + tile.smooth_rows + taps.radius_a > rows ||
                               tile.left + tile.smooth_columns + taps.radius_b > columns;
        const bool varies = way.divides && (mask || at_border);
        // 1
        if (varies) {
            smooth(shared, mid, tile, plane, taps, [&](const T& element) { return is_inside(element) ? (S)1 : (S)0; });
            __syncthreads();
            for (int r = threadIdx.y; r < tile.smooth_rows; r += blockDim.y)
                for (int c = threadIdx.x; c < tile.smooth_columns; c += blockDim.x)
                    bleed[r * pitch + c] = shared[r * pitch + c] + Epsilon<S>::value;
            __syncthreads();
        }
        // 2
        smooth(shared, mid, tile, plane, taps, [&](const T& element) {
            return is_inside(element) ? img_as_float<S>(element) : (S)0;
        });
        __syncthreads();
        if (way.divides)
            for (int r = threadIdx.y; r < tile.smooth_rows; r += blockDim.y)
                for (int c = threadIdx.x; c < tile.smooth_columns; c += blockDim.x)
                    shared[r * pitch + c] /= varies ? bleed[r * pitch + c] : whole;
        __syncthreads();
        const bool has_all = tile.is_whole(way.size);
        // 3: of the element at (y0 + r - 1, x0 + c - 1)
        for (int r = threadIdx.y; r < tile.height + 2; r += blockDim.y)
            for (int c = threadIdx.x; c < tile.width + 2; c += blockDim.x) {
                const i64 y = tile.y0 + r - 1, x = tile.x0 + c - 1;
                if (!has_all && (y < 0 || y >= rows || x < 0 || x >= columns)) continue;
                const Nine<S> nine = smoothed_around(tile, has_all, rows, columns, y, x);
                const S down = nine.down(), across = nine.across();
                mid[r * pitch + c] = sqrt(rounded_product(down, down) + rounded_product(across, across));
            }
        __syncthreads();
        // 4
        for (int r = threadIdx.y; r < tile.height; r += blockDim.y)
            for (int c = threadIdx.x; c < tile.width; c += blockDim.x)
                take(tile, tile.y0 + r, tile.x0 + c, mid + (r + 1) * pitch + c + 1);
        __syncthreads();  // before the next tile
    }
}

template <class T>
__global__ void __launch_bounds__(256, RESIDENT)
    canny_magnitude(const T* image, const u8* mask, typename Working<T>::type* result, i64 rows,
                    i64 columns, int mode, double cval, const Smoothing way,
                    const __grid_constant__ typename TapsOf<T>::type taps) {
    typedef typename Working<T>::type S;
    DYN_SHARED(S, shared);
    for_magnitudes(shared, Plane<T>{image, rows, columns, mode, cval}, mask, way, taps,
                   [&](const SmoothTile<S>&, i64 y, i64 x, const S* magnitude) {
                       result[y * columns + x] = *magnitude;
                   });
}

template <class T>
__global__ void __launch_bounds__(256, RESIDENT)
    canny_classes(const T* image, const u8* mask, u8* result, i64 rows, i64 columns, int mode,
                  double cval, const Smoothing way, const __grid_constant__ typename TapsOf<T>::type taps,
                  double lower, double upper) {
    typedef typename Working<T>::type S;
    const S low = (S)lower, high = (S)upper;  // which are of this type
    DYN_SHARED(S, shared);
    const int pitch = smooth_pitch(way.size, taps.radius_b);
    for_magnitudes(
        shared, Plane<T>{image, rows, columns, mode, cval}, mask, way, taps,
        [&](const SmoothTile<S>& tile, i64 y, i64 x, const S* magnitude) {
            const S size = *magnitude;
            int kind = NO_EDGE;
            const bool has_all = tile.is_whole(way.size);
            const bool inside = mask ? eroded<2>(mask, 1, rows, columns, 0, y, x)
                                     : has_all || (y > 0 && y < rows - 1 && x > 0 && x < columns - 1);
            if (inside && size > 0 && size >= low) {
                const Nine<S> nine = smoothed_around(tile, has_all, rows, columns, y, x);
                if (is_ridge(magnitude, pitch, nine.down(), nine.across()))
                    kind = size >= high ? STRONG : WEAK;
            }
            result[y * columns + x] = (u8)kind;
        });
}
