// Images of another size, by splines of orders 0 to 5.
//
// What: each element of the result takes the image's value at (place + 0.5) * zoom - 0.5 along
// each axis that changes its length; all other axes lie before, between and behind these.
// Coordinates and weights of an axis are computed once for many elements (transform/lines.cuh):
// the last axis is that of columns, unless what lies behind it is long, and all others are those
// of lines.
//
// Image: any dtype (orders above 1: spline coefficients, `pad` elements longer at each end
// than the image). Result: the image's dtype for order 0, else float for float16 and float32
// images, else double. One launch; the image is read once (neighbours from cache), the
// result is written once. Sums are in double, rounded as SciPy rounds them; those of order 1 of
// floats without double, where cards are slow in it and it does not decide.
//
// Source: scikit-image `transform.resize`, scipy.ndimage.zoom with grid_mode.
#include "transform/linear.cuh"
#include "transform/lines.cuh"
#include "transform/sampled.cuh"

// The result as (beside[0], made[0], beside[1], made[1], ..., beside[AXES]).
template <int AXES> struct Sizes {
    i64 beside[AXES + 1], made[AXES];
    i64 beside_stride[AXES + 1], stride[AXES];  // in the image
    i64 size[AXES];                             // of the image, padding included
    double zoom[AXES];
    i64 pad;
    LinesShape shape;
    int lead;  // axes of lines: all, or all but the last one
};

// What is known of a line: the taps of its axes, and where it begins in the image.
template <class Taps, int AXES> struct ResizedLine {
    Taps taps[AXES];
    i64 first;
    bool touched;
};

// And of a column: the taps of the last axis, where that is no line's. Of up to two axes there is room for
// the taps of the others, so that an element copies the line's alone; of three an array with all of them lies
// in local memory at high orders, which is to be no larger than that.
template <class Taps, int AXES> struct ResizedColumn {
    static constexpr int LAST = AXES > 2 ? 0 : AXES - 1;
    Taps taps[LAST + 1];
    i64 first;
    bool touched;
};

// range, seen: see transform/sampled.cuh.
template <int ORDER, int AXES, class T, class O>
__global__ void __launch_bounds__(TILE_THREADS, ORDER > 1 || AXES > 2 ? 1 : IN_FLOATS ? 2 : 3)
    resize_image(const T* image, O* result, const __grid_constant__ Sizes<AXES> sizes, int mode, double constant,
                 double scale, double lowest, const double* range, u32* seen) {
    typedef double W;  // as SciPy, also in single precision
    typedef typename TapsFor<ORDER, T, O>::type Taps;
    typedef ResizedLine<Taps, AXES> Line;
    typedef ResizedColumn<Taps, AXES> Column;
    __shared__ Line lines[MOST_LINES];
    const Scaled<T, W> convert(scale, lowest);
    const W cval = (W)constant;
    Finish<W> finish(range, seen, (W)shown<O>(constant));
    i64 once[AXES];  // strides of taps that are distances
#pragma unroll
    for (int a = 0; a < AXES; ++a) once[a] = 1;
    const bool narrow = sizes.shape.narrow, all = sizes.lead == AXES;
    const auto set = [&](Taps& taps, int a, i64 number, bool& touched) {
        set_taps(taps, number, sizes.zoom[a], sizes.size[a], mode, sizes.stride[a], sizes.pad);
        touched |= taps.outside();
    };
    const auto set_line = [&](Line& line, i64 rest) {
        i64 first = 0;
        bool touched = false;
        if (!all) first = split(rest, sizes.beside[AXES - 1], narrow) * sizes.beside_stride[AXES - 1];
#pragma unroll
        for (int a = AXES - 1; a >= 0; --a) {
            if (a == AXES - 1 && !all) continue;
            set(line.taps[a], a, split(rest, sizes.made[a], narrow), touched);
            first += split(rest, sizes.beside[a], narrow) * sizes.beside_stride[a];
        }
        line.first = first;
        line.touched = touched;
    };
    const auto column_of = [&](i64 rest) {
        Column column;
        column.touched = false;
        column.first = all ? rest : split(rest, sizes.beside[AXES], narrow);
        if (!all) set(column.taps[Column::LAST], AXES - 1, rest, column.touched);
        return column;
    };
    const auto made_of = [&](const T* first, const Taps(&taps)[AXES], bool touched) {
        O made;
        if constexpr (ORDER == 1) {
            if (!touched && !finish.clips)
                made = linear_inside<O>(first, taps, convert);
            else
                made = finish.clip(interpolate_linear(first, taps, once, cval, convert));
        } else {
            made = Rounded<O>::value(finish.clip(interpolate<ORDER, AXES>(first, taps, once, cval, convert)));
        }
        if (finish.seen) finish.watch((W)made, touched);
        return made;
    };
    for_lines(sizes.shape, lines, set_line, column_of, [&](i64 place, const Line& line, Column& column) {
        const T* const first = image + line.first + column.first;
        const bool touched = line.touched | column.touched;
        if constexpr (AXES > 2) {
            Taps taps[AXES];
#pragma unroll
            for (int a = 0; a < AXES - 1; ++a) taps[a] = line.taps[a];
            taps[AXES - 1] = all ? line.taps[AXES - 1] : column.taps[Column::LAST];
            result[place] = made_of(first, taps, touched);
        } else {
#pragma unroll
            for (int a = 0; a < AXES - 1; ++a) column.taps[a] = line.taps[a];
            if (all) column.taps[AXES - 1] = line.taps[AXES - 1];
            result[place] = made_of(first, column.taps, touched);
        }
    });
    finish.tell();
}
