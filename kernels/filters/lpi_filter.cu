// Filters by a response that is divided by: what comes between and behind the Fourier transforms (which are
// CuPy's).
//
//     filtered     a spectrum, divided by a filter's response as filter_inverse or wiener does it
//     magnitudes   sizes of complex numbers, turned around the borders and cut out
//
// Complex numbers are pairs. W: float or double, in which is computed. Each launch reads its arrays and writes
// its result once, and finds what tells how far rounding errors of the transforms are magnified.
//
// Source: skimage/filters/lpi_filter.py.
#include "common/reduce.cuh"

enum Flags : u32 { SMALL = 1, NOT_FINITE = 2 };

// The largest gain, the sum of the spectrum's squares, and flags.
template <class W> struct Seen {
    W gain, power;
    u32 flags;
};

// response, spectrum: n complex numbers; `result` may be the spectrum. Numbers of the response below `least`
// become as large as it. The gain is at most `limit`, or with WIENER what the ratio of noise to image
// (ratios[step * i]) leaves of it. partials: one for each block; arrived: 0.
// seen: the largest gain, the sum of the spectrum's squares, flags: SMALL where a number of the response was
// below `least` or as good as that.
template <class W, bool WIENER>
__global__ void filtered(const W* response, const W* spectrum, W least, W limit, const W* ratios, i64 step,
                         i64 n, W* result, Seen<W>* partials, u32* arrived, double* seen) {
    __shared__ Seen<W> scratch[256];
    Seen<W> mine = {0, 0, 0};
    const Span span = block_span(n, 1);
    for (i64 i = span.begin + threadIdx.x; i < span.end; i += blockDim.x) {
        const W a = response[2 * i], b = response[2 * i + 1], c = spectrum[2 * i], d = spectrum[2 * i + 1];
        const W size = hypot(a, b);
        if (size < least * (W)1.000001) mine.flags |= SMALL;
        const W divisor = size < least ? least : size;
        W gain = 1 / divisor;
        if (WIENER) {
            const W square = divisor * divisor;
            gain = gain * square / (square + ratios[step * i]);
        } else if (gain > limit) {
            gain = limit;
        }
        const W real = a / size * gain, imaginary = -b / size * gain;  // NaN of a response that is 0
        if (!isfinite(real) || !isfinite(imaginary)) mine.flags |= NOT_FINITE;
        const W absolute = gain < 0 ? -gain : gain;
        mine.gain = absolute > mine.gain ? absolute : mine.gain;
        mine.power += c * c + d * d;
        result[2 * i] = real * c - imaginary * d;
        result[2 * i + 1] = real * d + imaginary * c;
    }
    const auto combine = [](const Seen<W>& one, const Seen<W>& two) {
        return Seen<W>{one.gain > two.gain ? one.gain : two.gain, one.power + two.power, one.flags | two.flags};
    };
    grid_reduce(mine, scratch, partials, arrived, combine, [=](const Seen<W>& total) {
        seen[0] = total.gain;
        seen[1] = total.power;
        seen[2] = total.flags;
    });
}

// result: n elements in rows of `columns`. Element (i, j) is the size of number (i + row, j + column) of
// `values`, around the borders: `values` has `outer_rows` rows of `outer_columns` numbers.
// largest: that of the result, infinite where one is not finite. partials: one for each block; arrived: 0.
template <class W>
__global__ void magnitudes(const W* values, i64 outer_rows, i64 outer_columns, i64 row, i64 column, i64 columns,
                           i64 n, W* result, W* partials, u32* arrived, double* largest) {
    __shared__ W scratch[256];
    W mine = 0;
    const Span span = block_span(n, 1);
    const i64 first = span.begin + threadIdx.x, down = blockDim.x / columns, right = blockDim.x % columns;
    i64 i = first / columns, j = first % columns;
    for (i64 k = first; k < span.end; k += blockDim.x) {
        i64 y = i + row, x = j + column;
        y -= y >= outer_rows ? outer_rows : 0;
        x -= x >= outer_columns ? outer_columns : 0;
        const i64 place = y * outer_columns + x;
        const W size = hypot(values[2 * place], values[2 * place + 1]);
        result[k] = size;
        const W told = isfinite(size) ? size : (W)__uint_as_float(0x7f800000u);
        mine = told > mine ? told : mine;
        i += down;
        j += right;
        if (j >= columns) {
            j -= columns;
            ++i;
        }
    }
    const auto larger = [](W one, W two) { return one > two ? one : two; };
    grid_reduce(mine, scratch, partials, arrived, larger, [=](W total) { *largest = total; });
}
