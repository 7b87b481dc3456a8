// Finest details of an image, one level of a discrete wavelet transform along all axes, for estimates of
// noise. With axes 0, 1, ... in this order, as PyWavelets:
//
//   axis_details     along one axis that is not among the last two; a launch for each
//   plane_details    along the last two axes, or the only one; absolute values and how many are 0
//
// The image comes to plane_details once and goes to a quarter of the numbers; what the filter gives along
// the rows is found anew for each column, in registers. Images mirror at their borders ("symmetric").
// Numbers, and products that are 0, are PyWavelets' to the last bit: products are added up in its order,
// which at an image's end begins with what lies beyond it, the nearest element first.
//
// taps: of the filter, whose length is LENGTH. W: float for images of 16 and 32 bits that float, else double.
// Method: S. Mallat, A theory for multiresolution signal decomposition: the wavelet representation, 1989;
// downsampling_convolution of PyWavelets.
#include "common/reduce.cuh"

constexpr int LENGTH = 4;

template <class W> struct Taps {
    W at[LENGTH];
};

// Coefficients along an axis of n elements.
__device__ inline i64 halved(i64 n) { return (n + LENGTH - 1) / 2; }

// Element of an axis of n that stands at `place` of the axis that mirrors for ever.
__device__ inline i64 mirrored(i64 place, i64 n) {
    if (place >= 0 && place < n) return place;
    place %= 2 * n;
    if (place < 0) place += 2 * n;
    return place < n ? place : 2 * n - 1 - place;
}

// Coefficient `k` along an axis of n elements, which `read` gives. Any thread.
template <class W, class Read> __device__ inline W detail(const Taps<W>& taps, i64 k, i64 n, Read read) {
    const i64 last = 2 * k + 1, beyond = last - n + 1;  // elements beyond the end
    W sum = 0;
#pragma unroll
    for (int j = 0; j < LENGTH; ++j) {
        const int tap = j < beyond ? (int)beyond - 1 - j : j;
        sum += rounded_product(taps.at[tap], read(mirrored(last - tap, n)));
    }
    return sum;
}

// image: outer x n x inner; details: outer x halved(n) x inner.
template <class T, class W>
__global__ void axis_details(const T* image, i64 outer, i64 n, i64 inner, const __grid_constant__ Taps<W> taps,
                             W* details) {
    const i64 many = halved(n);
    const Span span = block_span(outer * many * inner, 1);
    for (i64 i = span.begin + threadIdx.x; i < span.end; i += blockDim.x) {
        const i64 column = i % inner, k = i / inner % many;
        const T* line = image + i / inner / many * n * inner + column;
        details[i] = detail(taps, k, n, [=](i64 place) { return (W)line[place * inner]; });
    }
}

// Lengths of an image's axes, channels among them, and steps from one element to the next. `rows` is 0
// where there is one axis: then it is that of the columns.
struct Planes {
    i64 channels, outer, rows, columns;
    i64 channel_step, outer_step, row_step, column_step;
};

// details: channels x outer x halved(rows) x halved(columns). zeros: of each channel, 0 before.
template <class T, class W>
__global__ void plane_details(const T* image, const __grid_constant__ Planes planes,
                              const __grid_constant__ Taps<W> taps, W* details, u64* zeros) {
    __shared__ u32 sum;
    const i64 down = planes.rows ? halved(planes.rows) : 1, across = halved(planes.columns);
    const i64 each = planes.outer * down * across;
    const Span span = block_span(each, 1);
    for (i64 channel = 0; channel < planes.channels; ++channel) {
        u32 found = 0;
        for (i64 i = span.begin + threadIdx.x; i < span.end; i += blockDim.x) {
            const T* plane = image + channel * planes.channel_step + i / across / down * planes.outer_step;
            const i64 row = i / across % down;
            const W value = detail(taps, i % across, planes.columns, [&](i64 column) {
                const T* line = plane + column * planes.column_step;
                if (!planes.rows) return (W)*line;
                return detail(taps, row, planes.rows, [&](i64 k) { return (W)line[k * planes.row_step]; });
            });
            details[channel * each + i] = fabs(value);
            found += value == 0;
        }
        const u32 total = block_sum(found, &sum);
        if (threadIdx.x == 0 && total) atomicAdd(zeros + channel, (u64)total);
    }
}
