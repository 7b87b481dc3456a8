// Extrema of SIFT's differences of Gaussians in one octave: found, moved to where a parabola through their
// neighbours has its extremum, and tested. One kernel:
//
//     extrema   the list of those that pass, in any order
//
// scales: float or double, (scales + 3, rows, columns), C-contiguous: an octave of the scale space. The differences
// of neighbouring planes are made where they are needed and never stored: a thread reads two pixels, and where
// these differ by the threshold those of the 26 neighbours (from cache), and it follows the few extrema for up to
// five steps. Each operation is rounded as NumPy rounds it, so that the list is scikit-image's.
//
// Source: scikit-image `feature.SIFT` (_local_max of _sift.pyx, _find_localize_evaluate of sift.py); I. Rey Otero,
// M. Delbracio, "Anatomy of the SIFT method", 2014.
#include "common/types.cuh"

constexpr int STEPS = 5;

template <class T> struct Differences {
    const T* scales;
    i64 rows, columns;

    __device__ T at(i64 r, i64 c, i64 s) const {
        const i64 plane = rows * columns, place = s * plane + r * columns + c;
        return scales[place + plane] - scales[place];
    }

    // Whether none of the neighbours is as low as this one, or none as high. Any thread.
    __device__ bool is_extremum(i64 r, i64 c, i64 s, T here) const {
        bool all_above = true, all_below = true;
        for (int k = 0; k < 27 && (all_above || all_below); ++k) {
            if (k == 13) continue;
            const T there = at(r + k / 9 - 1, c + k / 3 % 3 - 1, s + k % 3 - 1);
            if (there <= here) all_above = false;
            if (there >= here) all_below = false;
        }
        // as scikit-image asks: NaN is above all others, and not below them
        return all_above || all_below;
    }
};

// Slopes and curvatures, and the place of the extremum from the middle.
template <class T> struct Parabola {
    T slope[3], offset[3], rr, cc, rc, determinant;

    __device__ Parabola(const Differences<T>& d, i64 r, i64 c, i64 s) {
        const auto product = [](T a, T b) { return rounded_product(a, b); };
        const T twice = 2 * d.at(r, c, s);
        const T up = d.at(r - 1, c, s), down = d.at(r + 1, c, s);
        const T left = d.at(r, c - 1, s), right = d.at(r, c + 1, s);
        const T fine = d.at(r, c, s - 1), coarse = d.at(r, c, s + 1);
        slope[0] = (down - up) * (T)0.5;
        slope[1] = (right - left) * (T)0.5;
        slope[2] = (coarse - fine) * (T)0.5;
        rr = up + down - twice;
        cc = left + right - twice;
        const T ss = fine + coarse - twice;
        rc = product((T)0.25, d.at(r + 1, c + 1, s) - d.at(r - 1, c + 1, s) - d.at(r + 1, c - 1, s) +
                                  d.at(r - 1, c - 1, s));
        const T rs = product((T)0.25, d.at(r + 1, c, s + 1) - d.at(r + 1, c, s - 1) + d.at(r - 1, c, s - 1) -
                                          d.at(r - 1, c, s + 1));
        const T cs = product((T)0.25, d.at(r, c + 1, s + 1) - d.at(r, c + 1, s - 1) + d.at(r, c - 1, s - 1) -
                                          d.at(r, c - 1, s + 1));
        T all = product(product(rr, cc), ss);
        all = all - product(product(rr, cs), cs);
        all = all - product(product(rc, rc), ss);
        all = all + product(product(product((T)2, rc), rs), cs);
        all = all - product(product(rs, rs), cc);
        determinant = all;
        const T aa = (product(cc, ss) - product(cs, cs)) / all;
        const T ab = (product(rs, cs) - product(rc, ss)) / all;
        const T ac = (product(rc, cs) - product(rs, cc)) / all;
        const T bb = (product(rr, ss) - product(rs, rs)) / all;
        const T bc = (product(rc, rs) - product(rr, cs)) / all;
        const T sc = (product(rr, cc) - product(rc, rc)) / all;
        const auto moved = [&](T a, T b, T e) {
            return product(-a, slope[0]) - product(b, slope[1]) - product(e, slope[2]);
        };
        offset[0] = moved(aa, ab, ac);
        offset[1] = moved(ab, bb, bc);
        offset[2] = moved(ac, bc, sc);
    }
};

__device__ inline double size_of(double value) { return value < 0 ? -value : value; }
__device__ inline bool is_finite(double value) { return value - value == 0; }

// least: differences that are nearer to 0 are no extrema; contrast, edge: as scikit-image compares them
// told: zero before; how many were found, and whether something divides by 0 or is not finite, and a bit for
// each octave that has an extremum
// places: for each (octave, number in scikit-image's order, row, column, scale); offsets: for each three
template <class T>
__global__ void extrema(const T* scales, u64* told, i64* places, T* offsets, i64 rows, i64 columns, i64 count,
                        double least, double contrast, double edge, i64 octave, i64 capacity) {
    const Differences<T> d = {scales, rows, columns};
    const i64 height = rows - 2, width = columns - 2;
    const i64 stride = gridDim.x * (i64)blockDim.x;
    const T farthest = (T)0.6;
    for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < count * height * width; i += stride) {
        i64 s = i / (height * width), r = i / width % height + 1, c = i % width + 1;
        s += 1;
        const T here = d.at(r, c, s);
        if (size_of((double)here) < least) continue;
        if (!is_finite((double)here)) atomicExch(told + 1, (u64)1);
        if (!d.is_extremum(r, c, s, here)) continue;
        atomicOr(told + 2, (u64)1 << octave);
        const i64 number = (r * columns + c) * (count + 2) + s;
        Parabola<T> fit(d, r, c, s);
        bool odd = fit.determinant == 0 || !is_finite((double)fit.determinant);
        for (int step = 1; step < STEPS; ++step) {
            const auto move = [&](T offset, i64& at, i64 length) {
                const int by = offset > farthest && at + 1 < length - 1 ? 1 : offset < -farthest && at > 1 ? -1 : 0;
                at += by;
                return by != 0;
            };
            bool moved = move(fit.offset[0], r, rows);
            moved |= move(fit.offset[1], c, columns);
            moved |= move(fit.offset[2], s, count + 2);
            if (!moved) break;
            fit = Parabola<T>(d, r, c, s);
            odd |= fit.determinant == 0 || !is_finite((double)fit.determinant);
        }
        if (odd) atomicExch(told + 1, (u64)1);
        bool passes = true;
        T value = d.at(r, c, s);
#pragma unroll
        for (int axis = 0; axis < 3; ++axis) {
            passes &= size_of((double)fit.offset[axis]) < (double)farthest;
            value = value + rounded_product(rounded_product((T)0.5, fit.slope[axis]), fit.offset[axis]);
        }
        if (!passes || !(size_of((double)value) > contrast)) continue;
        const T trace = fit.rr + fit.cc;
        const T flat = rounded_product(fit.rr, fit.cc) - rounded_product(fit.rc, fit.rc);
        if (flat == 0) atomicExch(told + 1, (u64)1);
        if (!(size_of((double)(rounded_product(trace, trace) / flat)) <= edge)) continue;
        const i64 at = (i64)atomicAdd(told, (u64)1);
        if (at >= capacity) continue;
        const i64 found[5] = {octave, number, r, c, s};
#pragma unroll
        for (int k = 0; k < 5; ++k) places[5 * at + k] = found[k];
#pragma unroll
        for (int k = 0; k < 3; ++k) offsets[3 * at + k] = fit.offset[k];
    }
}
