// Pixels at the boundaries of labels.
//
//     boundaries   around which there is another label; of those that are no background, or of
//                  background and of those that touch another object, where mode says so
//     between      of an image twice as fine: the places between pixels of several labels
//
// labels: of up to 8 axes; u8, u16, u32 (bits of integers of either sign, and of booleans), i64, u64,
// float, double. Index: int, or i64 for 2^31 pixels (of the result) or more. Labels are compared as
// SciPy compares them, in double; `between` compares integers.
// One launch each; labels are read once, the result is written once.
//
// Source: scikit-image `segmentation.find_boundaries`.
#include "common/around.cuh"

enum { THICK = 0, INNER = 1, OUTER = 2 };

template <class T> struct Compared { typedef T type; };
template <> struct Compared<i64> { typedef double type; };
template <> struct Compared<u64> { typedef double type; };

// Whether a label is a number for which SciPy's comparison in double is the labels' own.
template <class T> __device__ inline bool is_odd(T) { return false; }
__device__ inline bool is_odd(i64 label) { return (double)label >= 9223372036854775808.0; }
__device__ inline bool is_odd(u64 label) { return (double)label >= 18446744073709551616.0; }
__device__ inline bool is_odd(float label) { return label != label; }
__device__ inline bool is_odd(double label) { return label != label; }

template <class T> struct Background {
    T label;
    T flip;     // bit of the sign, which turns signed integers into unsigned ones of the same order
    T wrapped;  // what SciPy makes of the largest integer, which double does not hold
    bool wraps;
    bool there;  // whether a label may be the background
};

// The first axis.
template <class Index> struct Line {
    Index length, stride;
};

template <class T> __device__ inline T flipped(T label, T flip) { return label ^ flip; }
__device__ inline float flipped(float label, float) { return label; }
__device__ inline double flipped(double label, double) { return label; }

// Whether a pixel that is no background touches another object: SciPy's maximum of the labels
// around is not its minimum, background taken for the largest number. Minima are found along the
// first axis first, and three of a number that double does not hold wrap.
template <class T, class Index>
__device__ inline bool touches(const T* labels, const Lattice<Index>& lattice, const Places<Index>& places,
                               Index pixel, const Background<T>& background, const Line<Index>& first) {
    typedef typename Compared<T>::type Value;
    Value high = (Value)flipped(labels[pixel], background.flip), low = high;
    const Index place = background.wraps ? pixel / first.stride % first.length : 0;
    any_around(lattice, places, pixel, MOST_AXES, [&](Index other) {
        const T label = labels[other];
        const Value value = (Value)flipped(label, background.flip);
        high = value > high ? value : high;
        if (label != background.label) {
            low = value < low ? value : low;
        } else if (background.wraps && other / first.stride % first.length == place) {
            const bool all = (place == 0 || labels[other - first.stride] == background.label) &&
                             (place + 1 == first.length || labels[other + first.stride] == background.label);
            if (all && (Value)background.wrapped < low) low = (Value)background.wrapped;
        }
        return false;
    });
    return high != low;
}

// told: 1 where a label is odd; 0 before.
template <class T, class Index>
__global__ void __launch_bounds__(256, 1)
    boundaries(const T* labels, Index n, const __grid_constant__ Lattice<Index> lattice, int connectivity, int mode,
               const __grid_constant__ Background<T> background, const __grid_constant__ Line<Index> first, u32* told,
               bool* result) {
    typedef typename Compared<T>::type Value;
    for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < n; i += (i64)gridDim.x * blockDim.x) {
        const Index pixel = (Index)i;
        const T label = labels[pixel];
        if (is_odd(label)) *told = 1;
        const bool outside = background.there && label == background.label;
        bool found = false;
        if (mode != INNER || !outside) {
            const Places<Index> at = places(lattice, pixel);
            found = any_around(lattice, at, pixel, connectivity,
                               [&](Index other) { return (Value)labels[other] != (Value)label; });
            if (mode == OUTER && found && !outside && background.there)
                found = touches(labels, lattice, at, pixel, background, first);
        }
        result[pixel] = found;
    }
}

// T: the unsigned integer of the labels' size. ceiling: bits of their largest number, which
// scikit-image puts between the pixels, and therefore does not see as a label.
// fine: of the result.
template <class T, class Index>
__global__ void __launch_bounds__(256, 1)
    between(const T* labels, Index n, const __grid_constant__ Lattice<Index> fine, T ceiling, bool* result) {
    for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < n; i += (i64)gridDim.x * blockDim.x) {
        Index first = 0, stride = 1, above = (Index)i;
        int odd = 0, corners = 1;  // axes along which the place lies between two pixels
        for (int a = MOST_AXES - 1; a >= MOST_AXES - fine.axes; --a) {
            const Index at = split(above, fine.length[a]);
            first += at / 2 * stride;
            stride *= (fine.length[a] + 1) / 2;
            odd |= (int)(at & 1) << a;
            corners <<= at & 1;
        }
        bool any = false, several = false;
        T seen = 0;
        for (int corner = 0; corner < corners && !several; ++corner) {
            Index pixel = first, step = 1;
            int rest = corner;
            for (int a = MOST_AXES - 1; a >= MOST_AXES - fine.axes; --a) {
                if (odd >> a & 1) {
                    if (rest & 1) pixel += step;
                    rest >>= 1;
                }
                step *= (fine.length[a] + 1) / 2;
            }
            const T label = labels[pixel];
            if (label == ceiling) continue;
            several = any && label != seen;
            seen = any ? seen : label;
            any = true;
        }
        result[i] = several;
    }
}
